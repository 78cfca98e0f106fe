"""The one hierarchy of errors and warnings; the texts are the same from both backends."""

from __future__ import annotations


class SuperwordError(Exception):
    """Any error that superword raises on purpose.

    Where a call takes several texts or documents and one of them is at fault, `index` is its
    number, counted from 0, and `detail` the text of the error without it. Otherwise both are None.
    """

    index: int | None = None
    detail: str | None = None


class SettingsError(SuperwordError, ValueError):
    """A setting has a value that cannot be used."""


class SettingsTypeError(SettingsError, TypeError):
    """A setting has a value of the wrong type."""


class InputError(SuperwordError, ValueError):
    """A document, a file or a table of counts cannot be used."""


class InputTypeError(InputError, TypeError):
    """A document or a table of counts has the wrong type."""


class TrainingError(SuperwordError, ValueError):
    """Training cannot go on: a counter would pass 2**63 - 1."""


class ModelFormatError(SuperwordError, ValueError):
    """A model file cannot be read or written, or is not what it should be."""


class EncodingError(SuperwordError, ValueError):
    """A text cannot be encoded, or ids cannot be decoded."""


class EncodingTypeError(EncodingError, TypeError):
    """What should be encoded or decoded has the wrong type."""


class PatternTooExpensiveError(SuperwordError, ValueError):
    """A custom pattern takes too many steps on a text."""


class NotExactError(SuperwordError, ValueError):
    """A tokenizer cannot be exported so that every id is the same."""


class BackendError(SuperwordError, ImportError):
    """The backend that was asked for cannot be had."""


def of_item(error: SuperwordError, index: int, place: str) -> SuperwordError:
    """The error of one of several texts or documents; `place`, before its text, names it.

    >>> error = of_item(EncodingError("the text is too long"), 7, "text 7: ")
    >>> str(error), error.index, error.detail
    ('text 7: the text is too long', 7, 'the text is too long')
    """
    named = type(error)(f"{place}{error}")
    named.index, named.detail = index, str(error)
    return named


class SuperwordWarning(UserWarning):
    """Something that a user should know and that stops nothing."""
