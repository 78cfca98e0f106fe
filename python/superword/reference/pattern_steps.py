"""How many steps patterns may take, and the error for a text that takes them more."""

from __future__ import annotations

from collections.abc import Callable

from superword.errors import PatternTooExpensiveError

#: How many steps a text may take: so many, and so many for each of its characters.
BASE_STEPS, STEPS_PER_CHARACTER = 1_000_000, 40
#: What a pretoken to be judged has instead of the former: a text may have many of them.
PRETOKEN_STEPS = 20_000


class Steps:
    """How many steps a text of so many characters may take, all its pieces together."""

    def __init__(self, length: int, base: int = BASE_STEPS) -> None:
        self.limit = self.left = base + STEPS_PER_CHARACTER * length


def too_expensive(
    steps: Steps, text: str, at: int, start: int | None, length: Callable[[str], int]
) -> PatternTooExpensiveError:
    """Return the error for a pattern that does not come to an end at a place of a text.

    `start` is where the text stands in that of the call, in the units in which `length` measures;
    None for a pretoken to be judged. SPEC 3.3.

    >>> print(too_expensive(Steps(3), "abc", 1, 2, len))
    the pattern is too expensive: no end after 1000120 steps, at position 3 of the text, before \
'bc'; simplify the pattern, or cut the text
    """
    what, whole = ("eligible pattern", "pretoken") if start is None else ("pattern", "text")
    return PatternTooExpensiveError(
        f"the {what} is too expensive: no end after {steps.limit} steps, at position "
        f"{(start or 0) + length(text[:at])} of the {whole}, before '{text[at : at + 20]}'; "
        "simplify the pattern, or cut the text"
    )
