"""The one hierarchy of errors and warnings; the texts are the same from both backends."""

from __future__ import annotations


class SuperwordError(Exception):
    """Any error that superword raises on purpose."""


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


class BackendError(SuperwordError, ImportError):
    """The backend that was asked for cannot be had."""


class SuperwordWarning(UserWarning):
    """Something that a user should know and that stops nothing."""
