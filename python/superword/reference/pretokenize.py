"""Documents to pretokens, by the named schemes (SPEC sections 3.2 and 3.4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from superword.errors import SettingsError
from superword.reference.patterns import (
    LISTED_SCRIPTS,
    NAMED_PATTERNS,
    expand_pattern,
    uniscript_patterns,
)
from superword.reference.scripts import is_real, script_of, split_scripts

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
SCHEMES = ("gpt2", "gpt4", "gpt4o", "gpt4o-scripts", "gpt4o-uniscript")


def pretokenize(text: str, scheme: str) -> list[bytes]:
    """Cut a text into pretokens, as UTF-8 bytes; their concatenation is the text.

    `scheme` is one of the named schemes; another one is a SettingsError. SPEC sections 3.1, 3.2
    and 3.4.

    >>> pretokenize("To be, or not?", "gpt4o-uniscript")
    [b'To', b' be', b',', b' or', b' not', b'?']
    """
    if scheme not in SCHEMES:
        known = ", ".join(SCHEMES)
        raise SettingsError(f"scheme must be one of {known}, not '{scheme}'")
    text.encode()  # a lone surrogate is an error, not a gap between two matches
    astral = _ASTRAL.search(text) is not None
    if scheme == "gpt4o-uniscript":
        pieces = _uniscript_pieces(text, astral)
    elif scheme == "gpt4o-scripts":
        pieces = _chunk_pieces(text, astral)
    else:
        pieces = _matches(_named(scheme, astral), text, 0, len(text))
    return list(map(str.encode, pieces))


def is_eligible_text(pretoken: bytes) -> bool:
    r"""Tell whether a pretoken may be part of a superword: it is UTF-8 and holds a letter (\p{L}).

    SPEC section 6.

    >>> is_eligible_text(b" be"), is_eligible_text(b"42"), is_eligible_text(b"a\xff")
    (True, False, False)
    """
    try:
        text = pretoken.decode()
    except UnicodeDecodeError:
        return False
    return _letter().search(text) is not None


@cache
def _letter() -> re.Pattern[str]:
    return _compiled(expand_pattern(r"\p{L}"), True)


def _compiled(expanded: str, astral: bool) -> re.Pattern[str]:
    """Compile a pattern for the texts that have characters beyond U+FFFF, or for the others.

    The engine has a bit for each character up to U+FFFF, but goes through the ranges beyond that
    one by one whenever a character is not in a set, so where none can be they are left out.
    """
    if not astral:
        expanded = re.sub(r"(?<!-)\\U\w{8}(?:-\\U\w{8})?", "", expanded)
        expanded = re.sub(r"-\\U\w{8}", r"-\\uFFFF", expanded)
    return re.compile(expanded)


@cache
def _named(name: str, astral: bool) -> re.Pattern[str]:
    return _compiled(expand_pattern(NAMED_PATTERNS[name]), astral)


@cache
def _uniscript(astral: bool, inside: bool) -> re.Pattern[str]:
    """Compile the pattern of `gpt4o-uniscript` for a part of a text, `inside` or at its end.

    A part inside ends before a real code point, where the look-ahead sees no white space.
    """
    bounded, unbounded = uniscript_patterns()
    if inside:
        unbounded = expand_pattern(r"\s*[\r\n]+|\s+(?=\s)|\s+")
    return _compiled(f"{bounded}|{unbounded}", astral)


def _matches(pattern: re.Pattern[str], text: str, start: int, end: int) -> list[str]:
    """Return the matches of a pattern in a part of a text: every named one leaves no gap.

    `findall` would do the same at once, but Ctrl-C is only seen between steps of Python.
    """
    return [match[0] for match in pattern.finditer(text, start, end)]


def _chunk_pieces(text: str, astral: bool) -> list[str]:
    """Return the pieces of `gpt4o-scripts`: each chunk by the pattern for its script."""
    pieces = []
    for script, chunk in split_scripts(text):
        name = "gpt4o-script" if script in LISTED_SCRIPTS else "gpt4o"
        pieces += _matches(_named(name, astral), chunk, 0, len(chunk))
    return pieces


def _uniscript_pieces(text: str, astral: bool) -> list[str]:
    """Return the pieces of `gpt4o-uniscript`.

    Each stretch is read as a part that ends where a second script begins. Alternative 6 would read
    the whole text, but from inside a stretch no white space reaches beyond its part.
    """
    pieces: list[str] = []
    at = 0
    for last, limit in _script_limits(text):
        pieces += _matches(_uniscript(astral, limit < len(text)), text, at, limit)
        at = limit
        while at - len(pieces[-1]) > last:  # begins in the next stretch
            at -= len(pieces.pop())
    return pieces


def _script_limits(text: str) -> Iterator[tuple[int, int]]:
    """Yield (last, limit) for each stretch of positions that read the same script first.

    For the positions up to `last` (and after the stretch before) the first real code point at or
    after them has a script s, and the first later one of a real script other than s is at `limit`.
    """
    reals = {char: script_of(char) for char in set(text) if is_real(script_of(char))}
    if len(set(reals.values())) > 1:
        current = ""
        last = 0
        for at, char in enumerate(text):
            if char in reals:
                if current and reals[char] != current:
                    yield last, at
                current = reals[char]
                last = at
    if text:
        yield len(text), len(text)
