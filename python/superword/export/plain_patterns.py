"""The pattern of a scheme, as it is written in the specification."""

from __future__ import annotations

from superword.errors import NotExactError
from superword.reference.patterns import NAMED_PATTERNS
from superword.settings import Cutting


def plain_pattern(cutting: Cutting) -> str:
    """The pattern for tiktoken's engine.

    >>> plain_pattern(Cutting("none"))
    '(?s:.+)'
    """
    if cutting.scheme == "none":
        return "(?s:.+)"
    if cutting.scheme in NAMED_PATTERNS:
        return NAMED_PATTERNS[cutting.scheme]
    raise NotExactError(f"{cutting.scheme or 'a custom pattern'} cannot be exported yet")
