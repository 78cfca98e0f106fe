"""Where added tokens stand in a text, by the rules of the `tokenizers` library."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

# White_Space: Python's blanks without four
_BLANKS = "".join(c for c in map(chr, range(0x3001)) if c.isspace() and not "\x1c" <= c <= "\x1f")
_BEHIND = re.compile(f"[{_BLANKS}]*")
_WORD_CATEGORIES = {"Nd", "Nl", "Pc"}
_JOINERS = "\u200c\u200d"
# Alphabetic, but symbols: letters in circles and squares
_SYMBOLS = ((0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189))


class Added(NamedTuple):
    """An added token, as `transformers.AddedToken` has it."""

    token_id: int
    content: str
    special: bool
    normalized: bool = False
    lstrip: bool = False
    rstrip: bool = False
    single_word: bool = False


class Piece(NamedTuple):
    """A part of a text, from `start` to `end` in characters: an added token or, with None, text."""

    start: int
    end: int
    token_id: int | None


class Splitter:
    """Cuts texts at added tokens.

    Tokens that are not `normalized`, as special tokens are, come first; what is left between them
    is cut at the others. Of each kind, the leftmost one counts, and of those that begin there the
    longest. One of a `single_word` must not touch a letter, digit or underscore; `lstrip` and
    `rstrip` take the white space beside it away.

    >>> splitter = Splitter([Added(300, "<s>", True), Added(301, "be", False, single_word=True)])
    >>> splitter.split("to be<s>being")
    [Piece(start=0, end=3, token_id=None), Piece(start=3, end=5, token_id=301), \
Piece(start=5, end=8, token_id=300), Piece(start=8, end=13, token_id=None)]
    """

    def __init__(self, tokens: Iterable[Added]) -> None:
        self._tokens = {token.content: token for token in tokens if token.content}
        kinds = [
            [token for token in self._tokens.values() if token.normalized == normalized]
            for normalized in (False, True)
        ]
        self._passes = [_pattern(kind) for kind in kinds if kind]

    def split(self, text: str, special: bool = True) -> list[Piece]:
        """The pieces of a text, in order and without gaps.

        Args:
            text: the text.
            special: whether special tokens count; otherwise they are text as all other.
        """
        pieces = [Piece(0, len(text), None)] if text else []
        for pattern in self._passes:
            pieces = [part for piece in pieces for part in self._cut(text, piece, pattern, special)]
        return pieces

    def holds(self, text: str) -> bool:
        """Whether one of the tokens, whatever its flags, stands in the text."""
        return any(pattern.search(text) for pattern in self._passes)

    def _cut(self, text: str, piece: Piece, pattern: re.Pattern[str], special: bool) -> list[Piece]:
        start, end, number = piece
        if number is not None:
            return [piece]
        parts: list[Piece] = []
        done = at = start
        while found := pattern.search(text, at, end):
            first, last = found.span()
            at = last
            token = self._tokens[found[0]]
            if token.special and not special:
                continue
            if token.single_word and (
                (first > start and _in_word(text[first - 1]))
                or (last < end and _in_word(text[last]))
            ):
                continue
            if token.lstrip:
                first = done + len(text[done:first].rstrip(_BLANKS))
            if token.rstrip:
                at = last = _BEHIND.match(text, last, end).end()  # type: ignore[union-attr]
            if done < first:
                parts.append(Piece(done, first, None))
            parts.append(Piece(first, last, token.token_id))
            done = last
        if done < end:
            parts.append(Piece(done, end, None))
        return parts


def _pattern(tokens: list[Added]) -> re.Pattern[str]:
    contents = sorted((token.content for token in tokens), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, contents)))


def _in_word(letter: str) -> bool:
    category = unicodedata.category(letter)
    if category[0] in "LM" or category in _WORD_CATEGORIES or letter in _JOINERS:
        return True
    return any(first <= ord(letter) <= last for first, last in _SYMBOLS)
