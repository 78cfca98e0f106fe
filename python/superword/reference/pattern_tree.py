"""The tree of a custom pattern, and its canonical form (SPEC section 3.3)."""

from __future__ import annotations

from typing import NamedTuple

from superword.reference.patterns import format_set
from superword.reference.unicode import Ranges

GREEDY, LAZY, POSSESSIVE = "", "?", "+"


class Set(NamedTuple):
    """One character of these ranges, which are not empty."""

    ranges: Ranges


class Sequence(NamedTuple):
    """Two or more parts, one after the other."""

    parts: tuple[Node, ...]


class Choice(NamedTuple):
    """Two or more alternatives, tried in order."""

    parts: tuple[Node, ...]


class Repeat(NamedTuple):
    """A part from `least` to `most` times (None: without limit), as `how` says."""

    body: Node
    least: int
    most: int | None
    how: str  # GREEDY, LAZY or POSSESSIVE
    at: int  # where the repetition stands in the pattern, for errors


class Look(NamedTuple):
    """What must or, if `negative`, must not stand here; `behind` has the width to go back."""

    body: Node
    behind: int | None
    negative: bool


Node = Set | Sequence | Choice | Repeat | Look


def is_nullable(node: Node) -> bool:
    """Tell whether a pattern can match the empty string, look-arounds taken as such.

    >>> is_nullable(Repeat(Set(((97, 97),)), 0, 1, GREEDY, 0)), is_nullable(Set(((97, 97),)))
    (True, False)
    """
    match node:
        case Set():
            return False
        case Sequence(parts):
            return all(map(is_nullable, parts))
        case Choice(parts):
            return any(map(is_nullable, parts))
        case Repeat(body, least):
            return least == 0 or is_nullable(body)
        case Look():
            return True


def fixed_width(node: Node) -> int | None:
    """Return how many characters every match has, None if not all have the same number.

    >>> fixed_width(Repeat(Set(((97, 97),)), 3, 3, GREEDY, 0))
    3
    """
    match node:
        case Set():
            return 1
        case Sequence(parts):
            widths = [fixed_width(part) for part in parts]
            return None if None in widths else sum(width for width in widths if width)
        case Choice(parts):
            first, *others = [fixed_width(part) for part in parts]
            return first if all(width == first for width in others) else None
        case Repeat(body, least, most):
            width = fixed_width(body)
            return None if width is None or least != most else width * least
        case Look():
            return 0


def expanded_size(node: Node) -> int:
    """Return how many sets there are once every group that repeats is written out.

    >>> expanded_size(Repeat(Sequence((Set(((97, 97),)), Set(((98, 98),)))), 0, 5, GREEDY, 0))
    10
    """
    match node:
        case Set():
            return 1
        case Sequence(parts) | Choice(parts):
            return sum(map(expanded_size, parts))
        case Repeat(body, least, most):
            times = 1 if isinstance(body, Set) else max(least, 1) if most is None else most
            return expanded_size(body) * times
        case Look(body):
            return expanded_size(body)


def print_tree(node: Node) -> str:
    r"""Return the one spelling of a pattern: explicit ranges, and repetitions in braces.

    >>> print_tree(Repeat(Set(((0x61, 0x63),)), 1, None, LAZY, 0))
    '[\\u0061-\\u0063]{1,}?'
    """
    match node:
        case Set(ranges):
            return format_set(ranges)
        case Sequence(parts):
            return "".join(
                f"(?:{print_tree(p)})" if isinstance(p, Choice) else print_tree(p) for p in parts
            )
        case Choice(parts):
            return "|".join(map(print_tree, parts))
        case Repeat(body, least, most, how):
            times = f"{least}" if least == most else f"{least},{'' if most is None else most}"
            inner = print_tree(body)
            return f"{inner if isinstance(body, Set) else f'(?:{inner})'}{{{times}}}{how}"
        case Look(body, behind, negative):
            return f"(?{'' if behind is None else '<'}{'!' if negative else '='}{print_tree(body)})"
