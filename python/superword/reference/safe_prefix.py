"""How far a text is encoded whatever follows it, and which tokens may follow the rest.

Three things can change when a text goes on.

A special token that begins at the end of the text may be completed, or be a longer one than the one
found. At a place from which the rest of the text is no beginning of a longer special token, all
that can start there lies in the text. So what the search for special tokens finds before the first
such place that it reaches is found in every continuation, and the piece behind the last token found
ends, or goes on, at that place.

A pretoken at the end of that piece may become another: `settled` says which ones do not.

A supermerge may join the last of these with what follows. Whatever it joins, the last pretoken of
its left part stands before the first one of its right part; both are tokens as pretokens are
encoded, and which tokens can stand there follows from the ops. Where no supermerge has the
pretokens at both sides of a boundary as such, and before what is unknown where none has the left
one, no merge ever reaches across. Then the pairs left of it are merged in the order in which they
would be merged alone (each time the lowest op at all its places, SPEC 9.4), so their tokens are
those of every continuation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from superword.model import Op
from superword.reference.bridges import bridges_of_ops
from superword.reference.pretokenize import Pretokenizer
from superword.reference.settled import settled_pretokens
from superword.reference.special_tokens import SpecialTokens


class Joins(NamedTuple):
    """Between which pretokens a supermerge can join what stands there; None: between all."""

    pairs: AbstractSet[tuple[int, int]] | None
    lefts: AbstractSet[int]

    def join(self, left: int | None, right: int | None) -> bool:
        """Whether it can be between these tokens; None is a pretoken that is no token."""
        if left is None or right is None:
            return False
        return self.pairs is None or (left, right) in self.pairs

    def join_left(self, left: int | None) -> bool:
        """Whether it can be between this token and some other."""
        return left is not None and (self.pairs is None or left in self.lefts)


def joins_of_ops(ops: Sequence[Op]) -> Joins:
    """Where the supermerges of a model can join.

    >>> ops = [Op("supermerge", 97, 98, 256, 2), Op("supermerge", 256, 99, 257, 2)]
    >>> sorted(joins_of_ops(ops).pairs)
    [(97, 98), (98, 99)]
    """
    pairs = bridges_of_ops(ops)
    return Joins(pairs, {left for left, _ in pairs or ()})


def safe_length(
    text: str,
    special_tokens: Sequence[str],
    cut: SpecialTokens,
    pretokenizer: Pretokenizer,
    numbers: Mapping[bytes, int],
    joins: Joins,
) -> int:
    """How many bytes of a text are encoded as they would be whatever follows.

    Args:
        text: a text that can be encoded.
        special_tokens: those that are recognized.
        cut: what cuts at them.
        pretokenizer: what cuts pretokens.
        numbers: the tokens.
        joins: where supermerges can join.
    """
    start, end = _last_piece(text, special_tokens, cut)
    length = at = 0
    before = None
    for pretoken in settled_pretokens(text[start:end], pretokenizer):
        token = numbers.get(pretoken)
        if not joins.join(before, token):
            length = at
        at += len(pretoken)
        before = token
    if not joins.join_left(before):
        length = at
    return len(text[:start].encode()) + length


def _last_piece(text: str, special_tokens: Sequence[str], cut: SpecialTokens) -> tuple[int, int]:
    """Return where the piece behind the last certain special token starts, and its certain end."""
    longest = max(map(len, special_tokens), default=1) - 1
    begun = [
        at
        for at in range(max(0, len(text) - longest), len(text))
        if any(len(text) - at < len(name) and name.startswith(text[at:]) for name in special_tokens)
    ]

    def certain(start: int) -> int:
        return next((at for at in begun if at >= start), len(text))

    start = at = 0
    for part, index in cut.split(text):
        if index is not None:
            if at >= certain(start):
                break
            start = at + len(part)
        at += len(part)
    return start, certain(start)


def continuing_tokens(rest: bytes, tokens: Mapping[int, bytes]) -> list[int]:
    """The ids of the tokens that agree with a text as far as both go.

    Args:
        rest: what the tokens must begin with, or be the beginning of.
        tokens: the tokens by id.

    >>> continuing_tokens(b"be", {0: b"b", 1: b"bee", 2: b"e"})
    [0, 1]
    """
    return [
        token_id
        for token_id, token in tokens.items()
        if token.startswith(rest) or rest.startswith(token)
    ]
