"""The classes that a custom pattern names, as explicit ranges (SPEC sections 2 and 3.3)."""

from __future__ import annotations

from bisect import bisect_right
from functools import cache, lru_cache

from superword.reference.patterns import complement, union
from superword.reference.unicode import (
    EXTENDED_PICTOGRAPHIC,
    GENERAL_CATEGORY,
    SCRIPT,
    SIMPLE_FOLDING,
    WHITE_SPACE,
    Ranges,
)

_SCRIPT = "Script="


@cache
def class_ranges(name: str) -> Ranges | None:
    r"""Return what `\\p{name}` holds, or None if the grammar has no such name.

    Names are general categories of one or two letters, `Script=` with a long name, `White_Space`
    and `Extended_Pictographic`, spelled exactly so.

    >>> class_ranges("Zl"), class_ranges("Letter")
    (((8232, 8232),), None)
    """
    if name == "White_Space":
        return WHITE_SPACE
    if name == "Extended_Pictographic":
        return EXTENDED_PICTOGRAPHIC
    if name.startswith(_SCRIPT):
        return _script(name[len(_SCRIPT) :])
    if name == "Cn":
        return complement(union(*GENERAL_CATEGORY.values()))
    if name == "C":
        others = (ranges for short, ranges in GENERAL_CATEGORY.items() if short[0] != "C")
        return complement(union(*others))
    wanted = [r for short, r in GENERAL_CATEGORY.items() if name in (short, short[0])]
    return union(*wanted) if wanted else None


@lru_cache(maxsize=1024)
def fold_ranges(ranges: Ranges) -> Ranges:
    """Return everything that simple case folding makes equal to something in `ranges`.

    >>> fold_ranges(((0x6B, 0x6B),))
    ((75, 75), (107, 107), (8490, 8490))
    """
    pairs = _folded()
    targets = union(ranges, tuple((to, to) for code, to in pairs if _holds(ranges, code)))
    return union(targets, tuple((code, code) for code, to in pairs if _holds(targets, to)))


def _holds(ranges: Ranges, code: int) -> bool:
    at = bisect_right(ranges, (code, 0x110000))
    return at > 0 and code <= ranges[at - 1][1]


@cache
def _folded() -> list[tuple[int, int]]:
    """Return (code point, what it folds to) for each that does not fold to itself."""
    return [
        (code, code + offset)
        for first, last, step, offset in SIMPLE_FOLDING
        for code in range(first, last + 1, step)
    ]


def _script(name: str) -> Ranges | None:
    if name == "Unknown":
        return complement(union(*SCRIPT.values()))
    return SCRIPT.get(name)
