"""Regular merges by the rules `incremental`: overlapping counts, ties by numbers (SPEC 4.1, 11).

The row of all sequences is read once. After that a merge costs what it touches: the places of
each pair are known, live tokens are linked, and the best pair comes from a heap. Two facts make
this small. No two merges make the same bytes (SPEC 4.3), so a pair with the new token is born in
the merge that makes it, with all its places, in their order; and from then on its count only falls.
What stands here is compact: four bytes a place, a pair as one number.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from heapq import heapify, heappop, heappush, heapreplace
from itertools import repeat

from superword.model import Op
from superword.reference.arena import DEAD, END, check_size
from superword.reference.rows import counted_up, pieces
from superword.settings import MAX_COUNT

_Progress = Callable[[str, int, int], None] | None

_SHIFT = 32  # a pair is left << _SHIFT | right
_RIGHT = (1 << _SHIFT) - 1
_PAIR = (1 << 2 * _SHIFT) - 1
# The heap is built anew where it has twice as many entries as there are pairs, and this many more.
_STALE_ENTRIES = 1000


class IncrementalPairs:
    """The pairs of all sequences: their counts, their places, and which is best.

    `sequences` are (numbers of the tokens, all below `tokens`; count); `max_bytes` limits what a
    merge may make (None: no limit). Raises TrainingError as `Arena` does.

    >>> pairs = IncrementalPairs([(b"aaaaa", 2)], 256)
    >>> pairs.best(), pairs.merge(97, 97), pairs.best(), pairs.merge(256, 97), pairs.best()
    ((97, 97, 8), 256, (256, 97, 2), 257, (256, 257, 2))
    """

    def __init__(
        self,
        sequences: Iterable[tuple[Sequence[int], int]],
        tokens: int,
        max_bytes: int | None = None,
    ) -> None:
        self._lengths = [1] * tokens  # in bytes
        self._longest = MAX_COUNT if max_bytes is None else max_bytes
        self._token: list[int] = [END]
        weights = array("Q", [0])  # by slot: the count of its sequence
        total = most = 0
        for sequence, count in sequences:
            total += len(sequence) * count
            if len(sequence) > 1 and count > 0:
                for piece in pieces(sequence):
                    self._token += piece
                    weights.extend(repeat(count, len(piece)))
                self._token.append(END)
                weights.append(0)
                most = max(most, count)
            check_size(total, len(self._token))
        slots = len(self._token)
        self._before = array("I", [0])
        self._before += counted_up(0, slots - 1)
        self._after = counted_up(1, slots + 1)
        self._weigh: Callable[[Sequence[int]], int] = len  # the count of places
        if most > 1:
            self._weigh = lambda places: sum(map(weights.__getitem__, places))
        self._places = _all_places(self._token)
        self._counts = {pair: self._weigh(places) for pair, places in self._places.items()}
        self._heap: list[int] = []
        self._most = total  # no count is higher
        self._floor = 2  # pairs below it are not in the heap
        self._file_all()

    def _file_all(self) -> None:
        """Build the heap of the pairs that may be merged, without a stale entry."""
        lengths, most, longest = self._lengths, self._most, self._longest
        self._heap = [
            most - count << 2 * _SHIFT | pair
            for pair, count in self._counts.items()
            if count >= self._floor and lengths[pair >> _SHIFT] + lengths[pair & _RIGHT] <= longest
        ]
        heapify(self._heap)

    def best(self) -> tuple[int, int, int] | None:
        """The pair that comes next and its count; None if there is none within the limits."""
        heap, counts, most = self._heap, self._counts, self._most
        while True:
            while heap:
                pair = heap[0] & _PAIR
                filed = most - (heap[0] >> 2 * _SHIFT)
                count = counts.get(pair, 0)
                if count == filed:
                    return pair >> _SHIFT, pair & _RIGHT, count
                if count < self._floor:
                    heappop(heap)
                else:
                    heapreplace(heap, most - count << 2 * _SHIFT | pair)
            if self._floor == 1:
                return None
            self._floor = 1  # most pairs occur once, and few trainings get so far
            self._file_all()
            heap = self._heap

    def merge(self, left: int, right: int) -> int:
        """Replace a pair everywhere, left to right; return the number of the new token."""
        token, before, after = self._token, self._before, self._after
        merged = left << _SHIFT | right
        new = len(self._lengths)
        self._lengths.append(self._lengths[left] + self._lengths[right])
        del self._counts[merged]
        befores: defaultdict[int, list[int]] = defaultdict(list)  # x -> places of (x, new)
        afters: defaultdict[int, list[int]] = defaultdict(list)  # y -> places of (new, y)
        joined = []  # places of (new, left) of which the next site made (new, new)
        for site in self._places.pop(merged):
            if token[site] != left:
                continue
            gone = after[site]
            if token[gone] != right:
                continue
            previous, following = before[site], after[gone]
            token[site], token[gone] = new, DEAD
            after[site], before[following] = following, site
            x = token[previous]
            befores[x].append(previous)
            if x == new:
                joined.append(afters[left].pop())
            afters[token[following]].append(site)
        befores.pop(END, None)
        afters.pop(END, None)
        for x, places in befores.items():
            weight = self._bear(x, new, places)
            if x != new:
                self._lose(x << _SHIFT | left, weight)
        for y, places in afters.items():
            weight = self._bear(new, y, places) if places else 0
            if y == left and joined:
                weight += self._weigh(joined)
            if right << _SHIFT | y != merged:  # of which none is left
                self._lose(right << _SHIFT | y, weight)
        if len(self._heap) > 2 * len(self._counts) + _STALE_ENTRIES:
            self._file_all()
        return new

    def _bear(self, left: int, right: int, places: Sequence[int]) -> int:
        """Add a new pair with all its places; return its count."""
        pair = left << _SHIFT | right
        count = self._counts[pair] = self._weigh(places)
        self._places[pair] = array("I", places)
        if count >= self._floor and self._lengths[left] + self._lengths[right] <= self._longest:
            heappush(self._heap, self._most - count << 2 * _SHIFT | pair)
        return count

    def _lose(self, pair: int, weight: int) -> None:
        """Lower the count of a pair; its places are looked at when it is merged."""
        count = self._counts[pair] - weight
        if count:
            self._counts[pair] = count
        else:
            del self._counts[pair], self._places[pair]


def _all_places(token: Sequence[int]) -> dict[int, array[int]]:
    """The places of every pair in a row of tokens and sentinels."""
    found: defaultdict[int, array[int]] = defaultdict(lambda: array("I"))
    rights = iter(token)
    next(rights)
    for place, (left, right) in enumerate(zip(token, rights, strict=False)):
        found[left << _SHIFT | right].append(place)
    # A pair with a sentinel, which is -1, has a negative number.
    return {pair: places for pair, places in found.items() if pair >= 0}


def merge_incremental(
    sequences: Iterable[tuple[Sequence[int], int]],
    tokens: int,
    wanted: int,
    min_count: int,
    max_bytes: int | None,
    progress: _Progress,
) -> tuple[list[Op], str]:
    """Merge the best pair again and again, until `wanted` tokens are added.

    Arguments as for `IncrementalPairs`. Returns the ops and why they end.

    >>> merge_incremental([(b"abab", 2)], 256, 9, 1, None, None)[0][0]
    Op(kind='merge', left=97, right=98, new=256, count=4)

    Source: SPEC 4.2, 4.3, 11.
    """
    pairs = IncrementalPairs(sequences, tokens, max_bytes)
    ops: list[Op] = []
    while True:
        if progress is not None:
            progress("merges", len(ops), wanted)
        if len(ops) >= wanted:
            return ops, "vocab_size"
        found = pairs.best()
        if found is None:
            return ops, "no_pairs"
        left, right, count = found
        if count < min_count:
            return ops, "min_count"
        ops.append(Op("merge", left, right, pairs.merge(left, right), count))
