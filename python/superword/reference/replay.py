"""Ops applied to a sequence of tokens, in the order of the ops (SPEC 9, steps 3 and 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

from superword.model import Op

#: (left, right) -> (index of the first op that merges the two, what it makes)
Pairs = Mapping[tuple[int, int], tuple[int, int]]

_GONE = -1  # what stands where a merge took the right part away

# Up to so many tokens the lowest pair is found by looking at all; beyond that by a heap.
_MOST_SCANNED = 64
# Stands for a pair that nothing merges: every index is lower.
_NO_OP = (2**31, -1)


def pairs_of_ops(ops: Iterable[Op], kind: str) -> Pairs:
    """The pairs that the ops of one kind merge.

    Args:
        ops: all ops of a model.
        kind: "merge" or "supermerge".

    Returns:
        For each pair the index of its first op and what it makes.

    >>> pairs_of_ops([Op("merge", 97, 98, 256, 5)], "merge")
    {(97, 98): (0, 256)}

    Source: SPEC 9.3.
    """
    pairs: dict[tuple[int, int], tuple[int, int]] = {}
    for index, op in enumerate(ops):
        if op.kind == kind:
            pairs.setdefault((op.left, op.right), (index, op.new))
    return pairs


def encode_pretoken(tokens: Sequence[int], merges: Pairs) -> list[int]:
    """Again and again merge the adjacent pair with the lowest op index, leftmost first.

    Args:
        tokens: the single-byte tokens of a pretoken, as creation numbers.
        merges: the pairs of the regular merges.

    Returns:
        The tokens that are left, as creation numbers.

    >>> encode_pretoken([97, 98, 97, 98], {(97, 98): (0, 256), (256, 256): (1, 257)})
    [257]

    Source: SPEC 9.3.
    """
    replay = _scan if len(tokens) <= _MOST_SCANNED else _replay
    return replay(tokens, merges, all_places=False)


def encode_run(tokens: Sequence[int], supermerges: Pairs) -> list[int]:
    """Again and again merge the adjacent pair with the lowest index, at all its places.

    Args:
        tokens: the tokens of a run of whole pretokens, as creation numbers.
        supermerges: the pairs of the supermerges.

    Returns:
        The tokens that are left, as creation numbers.

    >>> encode_run([300, 301, 301], {(300, 301): (7, 302)})
    [302, 301]

    Source: SPEC 9.4.
    """
    replay = _scan if len(tokens) <= _MOST_SCANNED else _replay
    return replay(tokens, supermerges, all_places=True)


def _scan(sequence: Sequence[int], pairs: Pairs, all_places: bool) -> list[int]:
    tokens = list(sequence)
    find = pairs.get
    found = [find(pair, _NO_OP) for pair in pairwise(tokens)]  # by the place of the left part
    lowest = min(found, default=_NO_OP)
    while lowest is not _NO_OP:
        place = found.index(lowest)
        new = tokens[place] = lowest[1]
        del tokens[place + 1], found[place]
        if place < len(found):
            found[place] = find((new, tokens[place + 1]), _NO_OP)
        if place:
            found[place - 1] = find((tokens[place - 1], new), _NO_OP)
        # What merges make on the way can have a lower index, which must wait for the last place.
        if not all_places or lowest not in found:
            lowest = min(found, default=_NO_OP)
    return tokens


def _replay(sequence: Sequence[int], pairs: Pairs, all_places: bool) -> list[int]:
    # A heap of (op index, place of the left part) over a doubly linked list; a merge keeps the
    # left place and empties the right one. Entries are not removed when their pair goes: they are
    # looked up again when their turn comes.
    tokens = list(sequence)
    size = len(tokens)
    before = list(range(-1, size - 1))
    after = list(range(1, size + 1))
    heap: list[tuple[int, int]] = []
    for place, pair in enumerate(pairwise(sequence)):
        if pair in pairs:
            heap.append((pairs[pair][0], place))
    heapify(heap)

    def push(left: int, right: int) -> None:
        found = pairs.get((tokens[left], tokens[right]))
        if found is not None:
            heappush(heap, (found[0], left))

    while heap:
        index, place = heappop(heap)
        places = [place]
        # What merges make on the way can have a lower index, which must wait for the last place.
        # It never has this index: a merge's result is longer than either of its parts.
        while all_places and heap and heap[0][0] == index:
            places.append(heappop(heap)[1])
        for left in places:
            right = after[left]
            if tokens[left] == _GONE or right == size:
                continue
            found = pairs.get((tokens[left], tokens[right]))
            if found is None or found[0] != index:
                continue
            tokens[left], tokens[right] = found[1], _GONE
            after[left] = after[right]
            if after[left] < size:
                before[after[left]] = left
                push(left, after[left])
            if before[left] >= 0:
                push(before[left], left)
    return [token for token in tokens if token != _GONE]
