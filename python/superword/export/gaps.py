r"""Stretches of one of many sets with gaps between, where a dialect cannot call parts by name.

A set that holds what may stand in a gap, too, would be as large as that, once for every script. So
a gap is matched once for all: a look-ahead captures it, and then some set must hold the character
before it and the one after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def run(sets: Iterable[str]) -> str:
    """Return one or more characters of one of these sets.

    >>> run(["[ab]", "c"])
    '(?:[ab]+|c+)'
    """
    return f"(?:{'|'.join(f'{own}+' for own in sets)})"


def across(sets: Iterable[str], gap: str, name: str) -> str:
    r"""Return a gap and a run of the set that holds the character before the gap.

    `name` is one that no other group of the pattern has.

    >>> across(["[ab]", "c"], "x+", "gap")
    '(?=(?<gap>x+))(?:(?<=[ab])\\k<gap>[ab]+|(?<=c)\\k<gap>c+)'
    """
    both_sides = "|".join(f"(?<={own})\\k<{name}>{own}+" for own in sets)
    return f"(?=(?<{name}>{gap}))(?:{both_sides})"


def same_behind(pairs: Sequence[tuple[str, str]], any_first: str, gap: str, name: str) -> str:
    r"""Return one of the first sets of the pairs, if its second set follows behind a gap.

    `any_first` is all first sets together.

    >>> same_behind([("-", "[ab]"), ("'", "c")], "[-']", "x*", "gap")
    "(?=[-'](?<gap>x*))(?:-(?=\\k<gap>[ab])|'(?=\\k<gap>c))"
    """
    firsts = "|".join(f"{first}(?=\\k<{name}>{second})" for first, second in pairs)
    return f"(?={any_first}(?<{name}>{gap}))(?:{firsts})"
