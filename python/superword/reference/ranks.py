"""The merges of a long text, rank by rank (SPEC 9.3, 11).

Where each merge makes a token that nothing made before, a pair with that token has a higher rank.
So ranks only rise while a text is encoded, and all places of one rank are known before the first
of them is merged: a heap of ranks, each with its places, does what a heap of (rank, place) does.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import NamedTuple

from superword.model import Op
from superword.reference.rows import counted_up, pieces

# Texts of fewer tokens are not worth it, nor are those of fewer than a part of the ranks.
_TOKENS = 1 << 10
_RANKS_PER_TOKEN = 8
_BYTES = 256
_NONE: Mapping[int, int] = {}
_END = -1
_GONE = -2


class Ranks(NamedTuple):
    """The merges of a model of which each makes another token; a rank is the index of an op."""

    ops: Sequence[Op]
    first: Mapping[tuple[int, int], int]  # of two single bytes
    after: Mapping[int, Mapping[int, int]]  # left -> right -> rank
    before: Mapping[int, Mapping[int, int]]  # right -> left -> rank


def ranks_of_ops(ops: Sequence[Op]) -> Ranks | None:
    """The ranks of the merges of a model.

    Returns:
        None if two of them make the same token or there are ops of other kinds.

    >>> ranks_of_ops([Op("merge", 97, 98, 256, 5)]).after
    {97: {98: 0}}

    Source: SPEC 9.3.
    """
    newest = -1
    first: dict[tuple[int, int], int] = {}
    after: dict[int, dict[int, int]] = {}
    before: dict[int, dict[int, int]] = {}
    for rank, op in enumerate(ops):
        # tokens are numbered as they are made
        if op.kind != "merge" or op.new <= max(newest, op.left, op.right):
            return None
        newest = op.new
        if op.left < _BYTES > op.right:
            first.setdefault((op.left, op.right), rank)
        after.setdefault(op.left, {}).setdefault(op.right, rank)
        before.setdefault(op.right, {}).setdefault(op.left, rank)
    return Ranks(ops, first, after, before)


def is_ranked(tokens: int, ranks: int) -> bool:
    """Tell whether so many tokens are worth the work with so many ranks.

    >>> is_ranked(3, 100), is_ranked(10_000, 100), is_ranked(10_000, 100_000)
    (False, True, False)
    """
    return tokens >= max(_TOKENS, ranks // _RANKS_PER_TOKEN)


def encode_by_rank(tokens: Sequence[int], ranks: Ranks) -> list[int]:
    """Merge the pairs of the lowest rank, left to right, then those of the next, and so on.

    At first the tokens are single bytes, each its own number. The result is that of
    `encode_pretoken`.

    >>> ranks = ranks_of_ops([Op("merge", 97, 98, 256, 5), Op("merge", 256, 256, 257, 2)])
    >>> encode_by_rank(b"ababab", ranks)
    [257, 256]

    Source: SPEC 9.3.
    """
    size = len(tokens)
    row: list[int] = []
    for piece in pieces(tokens):
        row += piece
    row.append(_END)  # which stands before the first token, too
    before = array("I", [size])
    before += counted_up(0, size)
    after = counted_up(1, size + 1)
    places: dict[int, list[int]] = {}  # by rank
    for place, rank in enumerate(map(ranks.first.get, pairwise(tokens))):
        if rank is None:
            continue
        if rank in places:
            places[rank].append(place)
        else:
            places[rank] = [place]
    heap = [*places]
    heapify(heap)
    while heap:
        rank = heappop(heap)
        _, left, right, new, _ = ranks.ops[rank]
        rank_before = ranks.before.get(new, _NONE).get
        rank_after = ranks.after.get(new, _NONE).get
        # All of one rank were born in the merge that made the newer part, from left to right.
        for site in places.pop(rank):
            if row[site] != left:
                continue
            gone = after[site]
            if row[gone] != right:
                continue
            previous, following = before[site], after[gone]
            row[site], row[gone] = new, _GONE
            after[site], before[following] = following, site
            born = rank_after(row[following])
            if born is not None:
                if born in places:
                    places[born].append(site)
                else:
                    places[born] = [site]
                    heappush(heap, born)
            born = rank_before(row[previous])
            if born is not None:
                if born in places:
                    places[born].append(previous)
                else:
                    places[born] = [previous]
                    heappush(heap, born)
    return [token for token in row if token >= 0]
