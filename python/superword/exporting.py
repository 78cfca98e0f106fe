"""The part of a `Tokenizer` for other programs: exports that give the same ids."""

from __future__ import annotations

import os
from typing import Literal, cast

from superword import arguments
from superword.progress import StageClock, resolve_progress
from superword.settings import one_of

FORMATS = ("huggingface",)


class Exporting:
    """What a `Tokenizer` gives to other programs."""

    __slots__ = ()

    def export(
        self,
        to: Literal["huggingface"],
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

        Args:
            to: "huggingface".
            path: the folder. If it is there, files of these names are replaced in it.
            javascript: write the pattern so that JavaScript reads it too (transformers.js); that
                is larger, and slower in the others.
            check: load the folder with what is installed of `tokenizers` and `transformers`, and
                compare ids on sample texts and on 100,000 texts made from the model, before
                anything is written under the final name.
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
        from superword.tokenizer import Tokenizer

        one_of("to", to, FORMATS)
        clock = StageClock(resolve_progress(progress))
        try:
            write_folder(
                cast(Tokenizer, self),
                arguments.path(path),
                arguments.flag("javascript", javascript),
                arguments.flag("check", check),
                clock,
            )
        finally:
            clock.close()
