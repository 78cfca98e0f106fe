"""The part of a `Tokenizer` for other programs: exports that give the same ids."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, cast

from superword import arguments
from superword.errors import SettingsError, SettingsTypeError
from superword.progress import StageClock, resolve_progress
from superword.settings import one_of
from superword.values import as_text, type_name

if TYPE_CHECKING:
    import tiktoken

    from superword.tokenizer import Tokenizer

FORMATS = ("huggingface", "tiktoken")


class Exporting:
    """What a `Tokenizer` gives to other programs."""

    __slots__ = ()

    def export(
        self,
        to: Literal["huggingface", "tiktoken"],
        path: str | os.PathLike[str],
        *,
        javascript: bool = False,
        check: bool = True,
        progress: object = None,
    ) -> None:
        """Write the model in the format of another program that then gives exactly our ids.

        "huggingface" is a folder with a stock `tokenizer.json`, which `tokenizers`, `transformers`
        and all that build on them load without any code of ours, a `tokenizer_config.json`, and
        the model itself, as `model.superword`. Text in which a special token stands gives its id
        there, as with `allowed_special="all"`. What cannot be exact is refused.

        "tiktoken" is a rank file, and beside it the pattern and the special tokens as
        `FILE.json` (the other arguments of `tiktoken.Encoding`) and the model as `FILE.superword`.

        Args:
            to: "huggingface" or "tiktoken".
            path: the folder. If it is there, files of these names are replaced in it. For tiktoken
                the rank file.
            javascript: write the pattern so that JavaScript reads it too (transformers.js); that
                is larger, and slower in the others. Only for "huggingface".
            check: load what was written with what is installed of `tokenizers` and `transformers`,
                or with `tiktoken`, and compare ids on sample texts and on 100,000 texts made from
                the model, before anything is written under the final name.
            progress: True for progress on standard error, or a callable (stage, done, total).

        Raises:
            NotExactError: it cannot give the same ids for every text, with an example.
            SettingsError: an argument, or nothing is installed to check with.
            InputError: the folder cannot be written.

        >>> import os, superword, tempfile
        >>> tokenizer = superword.train(["to be or not to be"], vocab_size=260, scheme="gpt2")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     tokenizer.export("huggingface", os.path.join(folder, "hf"), check=False)
        ...     sorted(os.listdir(os.path.join(folder, "hf")))
        ['model.superword', 'tokenizer.json', 'tokenizer_config.json']

        Source: docs/export.md.
        """
        from superword.exported_folder import write_folder
        from superword.exported_ranks import write_ranks

        form = one_of("to", to, FORMATS)
        for_javascript = arguments.flag("javascript", javascript)
        if for_javascript and form != "huggingface":
            raise SettingsError("javascript is for to='huggingface' only")
        tokenizer = cast("Tokenizer", self)
        where, checking = arguments.path(path), arguments.flag("check", check)
        clock = StageClock(resolve_progress(progress))
        try:
            if form == "tiktoken":
                write_ranks(tokenizer, where, checking, clock)
            else:
                write_folder(tokenizer, where, for_javascript, checking, clock)
        finally:
            clock.close()

    def to_tiktoken(self, name: str = "superword") -> tiktoken.Encoding:
        """A `tiktoken.Encoding` that gives the same ids for every text; needs tiktoken.

        Args:
            name: the name of the encoding.

        Raises:
            NotExactError: the ids would differ for some text, with an example.
            SettingsError: tiktoken is not installed.

        >>> import superword
        >>> tokenizer = superword.train(["to be or not to be"], vocab_size=258, scheme="gpt4o")
        >>> tokenizer.to_tiktoken().encode("to be") == tokenizer.encode("to be")
        True

        Source: docs/export.md.
        """
        from superword.exported_ranks import encoding_of

        text = as_text(name)
        if text is None:
            raise SettingsTypeError(f"name must be a str, not {type_name(name)}")
        return encoding_of(cast("Tokenizer", self), text)
