"""Which pair comes next: the highest count, ties as ruled.

Counts change all the time, so entries are filed with the count they had and validated when they
reach the top. Source: SPEC sections 4.1 and 4.2.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence

Pair = tuple[int, int]


class PairHeap:
    """A heap of pairs whose entries may be stale.

    Whoever uses it pushes a pair whenever its count rises. Then every pair has an entry with at
    least its count, and a top entry that is true is the best of all.

    >>> heap = PairHeap([b"a", b"b"], ties_by_bytes=True)
    >>> for pair in [(1, 0), (0, 1), (0, 0)]: heap.push(5, pair)
    >>> heap.best({(1, 0): 5, (0, 1): 5, (0, 0): 4})
    (0, 1)
    """

    def __init__(self, strings: Sequence[bytes], ties_by_bytes: bool) -> None:
        self._strings = strings
        self._ties_by_bytes = ties_by_bytes
        self._entries: list[tuple[int, tuple[bytes, bytes] | Pair, Pair]] = []

    def push(self, count: int, pair: Pair) -> None:
        """File a pair with its count."""
        left, right = pair
        tie = (self._strings[left], self._strings[right]) if self._ties_by_bytes else pair
        heapq.heappush(self._entries, (-count, tie, pair))

    def best(self, counts: Mapping[Pair, int]) -> Pair | None:
        """Return the pair with the highest count (None: no pair is left); it stays in the heap."""
        entries = self._entries
        while entries:
            negative, tie, pair = entries[0]
            count = counts.get(pair, 0)
            if count == -negative:
                return pair
            if 0 < count < -negative:
                heapq.heapreplace(entries, (-count, tie, pair))
            else:  # gone, or filed again when its count rose
                heapq.heappop(entries)
        return None
