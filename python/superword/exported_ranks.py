"""A model as files for tiktoken, and as one of its encodings."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

from superword import _backend
from superword.errors import InputError, NotExactError
from superword.exported_folder import check_folder, model_of
from superword.files import reason, write_atomically
from superword.model import Model
from superword.settings import NO_LIMITS
from superword.token_arrays import package
from superword.values import printable

if TYPE_CHECKING:
    import tiktoken

    from superword.export.check import Checked
    from superword.export.ranks import RankForm
    from superword.progress import Progress
    from superword.tokenizer import Tokenizer

#: What stands beside a rank file: the other arguments of `tiktoken.Encoding`, and the model.
ARGUMENTS, MODEL = ".json", ".superword"


def form_of(tokenizer: Tokenizer) -> RankForm:
    """The form of a tokenizer for tiktoken; `NotExactError` if there is none that is exact."""
    from superword.export.ranks import rank_form

    exported = model_of(tokenizer)
    module = _backend.load(tokenizer.backend)
    model = Model(*module.model_from_bytes(tokenizer.to_bytes(), True, *NO_LIMITS))
    return rank_form(model, exported)


def encoding_of(tokenizer: Tokenizer, name: str) -> tiktoken.Encoding:
    """The encoding of a tokenizer; errors as of `Tokenizer.to_tiktoken`."""
    from superword.export.ranks import encoding_arguments

    form = form_of(tokenizer)
    ranks = dict(zip(form.tokens, form.ids, strict=True))
    encoding = package("tiktoken", "to_tiktoken").Encoding
    made: tiktoken.Encoding = encoding(mergeable_ranks=ranks, **encoding_arguments(form, name))
    return made


def files_of(tokenizer: Tokenizer, name: str) -> dict[str, bytes]:
    """The files of an export by what their names end in; the rank file, which has none, is last."""
    from superword.export.ranks import arguments_file, rank_file

    form = form_of(tokenizer)
    return {
        MODEL: tokenizer.to_bytes(),
        ARGUMENTS: arguments_file(form, name),
        "": rank_file(form),
    }


def write_ranks(
    tokenizer: Tokenizer, path: str, check: bool, progress: Progress | None
) -> Checked | None:
    """Write a rank file and what stands beside it, each whole or not at all.

    Raises:
        NotExactError: it cannot be exact, or the check found a difference; nothing was written.
        SettingsError: tiktoken is not there to check with.
        InputError: the files cannot be written.
    """
    for beside in (path, path + ARGUMENTS, path + MODEL):
        if os.path.isdir(beside):
            raise InputError(f"{printable(beside)} is a folder: give the name of a file")
    name = os.path.basename(path).partition(".")[0] or "superword"
    files = files_of(tokenizer, name)
    checked = None
    if check:
        with tempfile.TemporaryDirectory() as folder:
            beside = os.path.join(folder, "ranks")
            for ending, data in files.items():
                with open(beside + ending, "wb") as out:
                    out.write(data)
            checked = check_folder(tokenizer, beside, progress=progress)
        if not checked.is_exact:
            why = "; ".join(str(checked).split("\n"))
            raise NotExactError(f"{printable(path)}: not written: {why}")
    for ending, data in files.items():
        try:
            write_atomically(path + ending, data)
        except (OSError, ValueError) as error:
            raise InputError(
                f"{printable(path + ending)}: cannot be written: {reason(error)}"
            ) from None
    return checked
