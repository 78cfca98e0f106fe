"""What stands around the sequences of a row: the special tokens that a tokenizer adds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

_T = TypeVar("_T")


class Frame(NamedTuple):
    """The ids before the first sequence, between both, and behind the last one."""

    before: list[int]
    between: list[int]
    behind: list[int]

    @property
    def size(self) -> int:
        """How many ids are added to a row."""
        return len(self.before) + len(self.between) + len(self.behind)

    def ids(self, first: Sequence[int], second: Sequence[int]) -> list[int]:
        """The ids of a row.

        >>> frame_of([257, -1, 258, -2, 258]).ids([5, 6], [7])
        [257, 5, 6, 258, 7, 258]
        """
        return [*self.before, *first, *self.between, *second, *self.behind]

    def around(self, first: Sequence[_T], second: Sequence[_T], added: _T) -> list[_T]:
        """What is known of each id of a row: of the sequences, and `added` for the others.

        >>> frame_of([257, -1, 258]).around([0, 0], [], 1)
        [1, 0, 0, 1]
        """
        parts = [[added] * len(part) for part in self]
        return [*parts[0], *first, *parts[1], *second, *parts[2]]


def frame_of(row: Sequence[int]) -> Frame:
    """The frame of a row in which the first sequence is [-1], and a second one [-2]."""
    first = row.index(-1)
    second = row.index(-2) if -2 in row else first
    return Frame(list(row[:first]), list(row[first + 1 : second]), list(row[second + 1 :]))


def shortened(first: int, second: int, excess: int) -> tuple[int, int]:
    """The sizes of two sequences after `excess` is taken, of the longer one until both are equal.

    >>> shortened(9, 4, 3), shortened(9, 4, 8), shortened(1, 1, 5)
    ((6, 4), (3, 2), (0, 0))
    """
    most = min(abs(first - second), excess)
    half = (excess - most) // 2
    rest = excess - most - half
    cut = (most + half, rest) if first > second else (half, most + rest)
    return max(0, first - cut[0]), max(0, second - cut[1])
