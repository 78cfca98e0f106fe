r"""Sets of code points as ascending ranges, and how a regular expression spells them.

The spelling is one that every dialect reads alike: what is seen alone stands for itself, the rest
is `\xHH` (ASCII) or `\uHHHH`, and a character beyond U+FFFF always stands for itself, because
dialects have no escape for it in common. No class is ever left to an engine's own tables, whose
Unicode version we do not know.
"""

from __future__ import annotations

from functools import cache

from superword.reference.patterns import complement, union
from superword.reference.unicode import GENERAL_CATEGORY, SCRIPT, Ranges

#: Nothing can match this, in any dialect.
NEVER = "(?!)"

_CONTROLS = {0x09: "\\t", 0x0A: "\\n", 0x0D: "\\r"}
# ASCII that means itself in and outside a set, in every dialect; so do letters and digits
_PLAIN_ASCII = frozenset(" '\"!%,:;@_")
_BEFORE_SURROGATES, _BEHIND_SURROGATES = 0xD7FF, 0xE000
_SEEN = ("L", "N", "S", "P")


@cache
def category(*names: str) -> Ranges:
    """Return what has one of these general categories, each given by one letter or two.

    >>> category("Zl", "Zp")
    ((8232, 8233),)
    """
    return union(*(r for short, r in GENERAL_CATEGORY.items() if short.startswith(names)))


@cache
def scripts(*names: str) -> Ranges:
    """Return what has one of these scripts, given by long names; Unknown counts as Common.

    >>> scripts("Ogham")
    ((5760, 5788),)
    """
    parts = [SCRIPT[name] for name in names]
    if "Common" in names:
        parts.append(complement(union(*SCRIPT.values())))
    return union(*parts)


def both(left: Ranges, right: Ranges) -> Ranges:
    """Return what is in both.

    >>> both(((1, 5), (8, 9)), ((4, 8),))
    ((4, 5), (8, 8))
    """
    found = []
    at = 0
    for first, last in left:
        while at < len(right) and right[at][1] < first:
            at += 1
        for low, high in right[at:]:
            if low > last:
                break
            found.append((max(low, first), min(high, last)))
    return tuple(found)


def minus(ranges: Ranges, taken: Ranges) -> Ranges:
    """Return what is in `ranges` and not in `taken`.

    >>> minus(((1, 9),), ((3, 4), (9, 12)))
    ((1, 2), (5, 8))
    """
    return both(ranges, complement(taken))


def characters(text: str) -> Ranges:
    """Return the characters of a text as a set.

    >>> characters("cab")
    ((97, 99),)
    """
    return union(tuple((ord(char), ord(char)) for char in text))


def escape(code: int) -> str:
    r"""Return what matches one code point, in and outside a set.

    >>> escape(0x61), escape(0x2D), escape(0x301), escape(0x1F600) == chr(0x1F600)
    ('a', '\\x2D', '\\u0301', True)
    """
    char = chr(code)
    if code < 0x80:
        plain = char in _PLAIN_ASCII or char.isalnum()
        return char if plain else _CONTROLS.get(code, f"\\x{code:02X}")
    return char if code > 0xFFFF or code in _seen() else f"\\u{code:04X}"


def literal(text: str) -> str:
    r"""Return what matches this text and nothing else.

    >>> literal("a-b c'd")
    "a\\x2Db c'd"
    """
    return "".join(escape(ord(char)) for char in text)


def class_of(ranges: Ranges) -> str:
    r"""Return what matches one of these code points: a set, negated where that is shorter.

    >>> class_of(((0x41, 0x5A), (0x5F, 0x5F))), class_of(minus(complement(()), ((10, 10),)))
    ('[A-Z_]', '[^\\n]')
    >>> class_of(((0x61, 0x61),)), class_of(())
    ('a', '(?!)')
    """
    if not ranges:
        return NEVER
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return escape(ranges[0][0])
    positive = f"[{set_body(ranges)}]"
    rest = complement(ranges)
    if not rest:
        return positive
    negative = f"[^{set_body(rest)}]"
    return min(positive, negative, key=len)


def set_body(ranges: Ranges) -> str:
    """Return what stands between the brackets of a set of these ranges.

    Ranges on both sides of the surrogates are one: fancy-regex takes the ends of such two out of a
    negated set.

    >>> set_body(((0x61, 0x62), (0x41, 0x43)))
    'abA-C'
    """
    parts: list[tuple[int, int]] = []
    for first, last in ranges:
        if first == _BEHIND_SURROGATES and parts and parts[-1][1] == _BEFORE_SURROGATES:
            first = parts.pop()[0]
        parts.append((first, last))
    return "".join(
        escape(first) + ("-" if last > first + 1 else "") + (escape(last) if last > first else "")
        for first, last in parts
    )


@cache
def _seen() -> frozenset[int]:
    """Return the code points up to U+FFFF that show a sign of their own."""
    return frozenset(
        code
        for first, last in both(category(*_SEEN), ((0, 0xFFFF),))
        for code in range(first, last + 1)
    )
