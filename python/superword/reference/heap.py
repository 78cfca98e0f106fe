"""Which pair comes next: the highest count, ties as ruled.

Counts change all the time, so pairs are filed with the count they had, and looked at again when
they come to the top. Source: SPEC sections 4.1 and 4.2.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence

Pair = tuple[int, int]
_Entry = tuple[tuple[bytes, bytes], Pair]  # what decides ties first


class PairHeap:
    """Pairs filed by counts that may be stale.

    Whoever uses it pushes a pair whenever its count rises. Then every pair is filed with at least
    its count, and a top pair whose count is true is the best of all. Only the pairs of the highest
    count are in order: most pairs never get there, and comparing bytes is what costs.

    >>> heap = PairHeap([b"a", b"b"])
    >>> for pair in [(1, 0), (0, 1), (0, 0)]: heap.push(5, pair)
    >>> heap.best({(1, 0): 5, (0, 1): 5, (0, 0): 4})
    (0, 1)
    """

    def __init__(self, strings: Sequence[bytes]) -> None:
        self._strings = strings
        self._filed: defaultdict[int, list[Pair]] = defaultdict(list)  # by count, in no order
        self._levels: list[int] = []  # a heap of these counts and that of the top, each negative
        self._top: list[_Entry] = []  # a heap of the pairs of one count
        self._top_count = 0

    def push(self, count: int, pair: Pair) -> None:
        """File a pair with its count."""
        if count == self._top_count:
            heapq.heappush(self._top, self._entry(pair))
            return
        if count not in self._filed:
            heapq.heappush(self._levels, -count)
        self._filed[count].append(pair)

    def best(self, counts: Mapping[Pair, int]) -> Pair | None:
        """Return the pair with the highest count (None: no pair is left); it stays in the heap."""
        while self._levels:
            level = -self._levels[0]
            if level != self._top_count:
                self._open(level)
            while self._top:
                pair = self._top[0][1]
                count = counts.get(pair, 0)
                if count == level:
                    return pair
                heapq.heappop(self._top)
                if 0 < count < level:  # otherwise gone, or filed again when its count rose
                    self.push(count, pair)
            heapq.heappop(self._levels)
            self._top_count = 0
        return None

    def drop(self, pair: Pair) -> None:
        """Take out the best pair, as often as it is filed with its count."""
        while self._top and self._top[0][1] == pair:
            heapq.heappop(self._top)

    def _open(self, level: int) -> None:
        """Make the pairs of one count the top, and file what is left of the old one."""
        if self._top:
            self._filed[self._top_count] = [pair for _, pair in self._top]
        self._top = [self._entry(pair) for pair in self._filed.pop(level)]
        heapq.heapify(self._top)
        self._top_count = level

    def _entry(self, pair: Pair) -> _Entry:
        left, right = pair
        return (self._strings[left], self._strings[right]), pair
