"""Documents to pretokens, by the named schemes (SPEC sections 3.2 and 3.4)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import regex

from superword.errors import SettingsError
from superword.reference.patterns import (
    LISTED_SCRIPTS,
    NAMED_PATTERNS,
    expand_pattern,
    uniscript_patterns,
)
from superword.reference.scripts import is_real, script_of, split_scripts

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
    if scheme == "gpt4o-uniscript":
        pieces = _uniscript_pieces(text)
    elif scheme == "gpt4o-scripts":
        pieces = _chunk_pieces(text)
    else:
        pieces = _pattern_pieces(text, scheme)
    return [piece.encode() for piece in pieces]


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
def _compiled(pattern: str) -> regex.Pattern[str]:
    return regex.compile(pattern)


@cache
def _letter() -> regex.Pattern[str]:
    return _compiled(expand_pattern(r"\p{L}"))


@cache
def _named(name: str) -> regex.Pattern[str]:
    return _compiled(expand_pattern(NAMED_PATTERNS[name]))


@cache
def _uniscript() -> tuple[regex.Pattern[str], regex.Pattern[str]]:
    bounded, unbounded = uniscript_patterns()
    return _compiled(bounded), _compiled(unbounded)


def _pattern_pieces(text: str, name: str) -> Iterator[str]:
    """Yield the matches of a named pattern, and what lies between them as pieces of its own."""
    end = 0
    for match in _named(name).finditer(text):
        if end < match.start():
            yield text[end : match.start()]
        yield match.group()
        end = match.end()
    if end < len(text):
        yield text[end:]


def _chunk_pieces(text: str) -> Iterator[str]:
    """Yield the pieces of `gpt4o-scripts`: each chunk by the pattern for its script."""
    for script, chunk in split_scripts(text):
        yield from _pattern_pieces(chunk, "gpt4o-script" if script in LISTED_SCRIPTS else "gpt4o")


def _uniscript_pieces(text: str) -> Iterator[str]:
    """Yield the pieces of `gpt4o-uniscript`.

    Alternatives 1 to 5 read the text as if it ended where a second script begins.
    """
    bounded, unbounded = _uniscript()
    limits = _script_limits(text)
    last, limit = next(limits)
    at = 0
    while at < len(text):
        while at > last:
            last, limit = next(limits)
        match = bounded.match(text, at, limit) or unbounded.match(text, at)
        yield match.group()
        at = match.end()


def _script_limits(text: str) -> Iterator[tuple[int, int]]:
    """Yield (last, limit) for each stretch of positions that read the same script first.

    For the positions up to `last` (and after the stretch before) the first real code point at or
    after them has a script s, and the first later one of a real script other than s is at `limit`.
    """
    current = ""
    last = 0
    for at, char in enumerate(text):
        script = script_of(char)
        if not is_real(script):
            continue
        if current and script != current:
            yield last, at
        current = script
        last = at
    yield len(text), len(text)
