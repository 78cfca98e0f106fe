"""The part of a `Tokenizer` for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from superword import _backend
from superword.errors import SettingsTypeError
from superword.model import Model
from superword.settings import NO_LIMITS
from superword.token_arrays import package
from superword.values import as_text, type_name

if TYPE_CHECKING:
    import tiktoken


class Exporting:
    """What a `Tokenizer` gives to other programs."""

    __slots__ = ()
    _backend: str
    _data: bytes

    def to_tiktoken(self, name: str = "superword") -> tiktoken.Encoding:
        """A `tiktoken.Encoding` that gives the same ids for every text; needs tiktoken.

        Args:
            name: the name of the encoding.

        Raises:
            NotExactError: the ids would differ for some text; the error has a counter-example.
            SettingsError: tiktoken is not installed.

        >>> import superword
        >>> tokenizer = superword.train(["to be or not to be"], vocab_size=258, scheme="gpt4o")
        >>> tokenizer.to_tiktoken().encode("to be") == tokenizer.encode("to be")
        True
        """
        from superword.export.ranks import encoding_arguments, rank_form

        text = as_text(name)
        if text is None:
            raise SettingsTypeError(f"name must be a str, not {type_name(name)}")
        form = rank_form(_model(self._backend, self._data))
        ranks = {token: rank for rank, token in enumerate(form.tokens)}
        encoding = package("tiktoken", "to_tiktoken").Encoding
        made: tiktoken.Encoding = encoding(mergeable_ranks=ranks, **encoding_arguments(form, text))
        return made


def _model(backend: str, data: bytes) -> Model:
    """The model of a tokenizer, with its ops."""
    return Model(*_backend.load(backend).model_from_bytes(data, True, *NO_LIMITS))
