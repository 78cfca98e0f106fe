"""The merges of a long text, rank by rank (SPEC 9.3, 11).

Where each merge makes a token that nothing made before, a pair with that token has a higher rank.
So ranks only rise while a text is encoded, and all places of one rank are known before the first
of them is merged: a heap of ranks, each with its places, does what a heap of (rank, place) does.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import NamedTuple

from superword.model import Op

# Texts of fewer tokens are not worth it.
_TOKENS = 1 << 10
_NONE: Mapping[int, int] = {}
_END = -1
_GONE = -2


class Ranks(NamedTuple):
    """The merges of a model of which each makes another token; a rank is the index of an op."""

    ops: Sequence[Op]
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
    after: dict[int, dict[int, int]] = {}
    before: dict[int, dict[int, int]] = {}
    for rank, op in enumerate(ops):
        # tokens are numbered as they are made
        if op.kind != "merge" or op.new <= newest:
            return None
        newest = op.new
        after.setdefault(op.left, {}).setdefault(op.right, rank)
        before.setdefault(op.right, {}).setdefault(op.left, rank)
    return Ranks(ops, after, before)


def is_ranked(tokens: int) -> bool:
    """Tell whether a text of so many tokens is worth it.

    >>> is_ranked(3), is_ranked(1_000_000)
    (False, True)
    """
    return tokens >= _TOKENS


def encode_by_rank(tokens: Sequence[int], ranks: Ranks) -> list[int]:
    """Merge the pairs of the lowest rank, left to right, then those of the next, and so on.

    It gives what `encode_pretoken` gives.

    >>> ranks = ranks_of_ops([Op("merge", 97, 98, 256, 5), Op("merge", 256, 256, 257, 2)])
    >>> encode_by_rank(b"ababab", ranks)
    [257, 256]

    Source: SPEC 9.3.
    """
    size = len(tokens)
    row = [*tokens, _END]  # the end stands before the first token, too
    before = array("I", [size])
    before.extend(range(size))
    after = array("I", range(1, size + 1))
    places: defaultdict[int, list[int]] = defaultdict(list)  # by rank
    for place, (left, right) in enumerate(pairwise(tokens)):
        rank = ranks.after.get(left, _NONE).get(right)
        if rank is not None:
            places[rank].append(place)
    heap = [*places]
    heapify(heap)
    while heap:
        rank = heappop(heap)
        _, left, right, new, _ = ranks.ops[rank]
        lefts = ranks.before.get(new, _NONE)
        rights = ranks.after.get(new, _NONE)
        for site in sorted(places.pop(rank)):
            if row[site] != left:
                continue
            gone = after[site]
            if row[gone] != right:
                continue
            previous, following = before[site], after[gone]
            row[site], row[gone] = new, _GONE
            after[site], before[following] = following, site
            higher = rights.get(row[following])
            if higher is not None:
                if higher not in places:
                    heappush(heap, higher)
                places[higher].append(site)
            higher = lefts.get(row[previous])
            if higher is not None:
                if higher not in places:
                    heappush(heap, higher)
                places[higher].append(previous)
    return [token for token in row if token >= 0]
