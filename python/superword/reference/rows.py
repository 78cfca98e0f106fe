"""Long rows of numbers, made in pieces: a signal is seen between two of them.

Python looks for one between its own instructions, and to fill a row of many million numbers is a
single one.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

_PIECE = 1 << 18


def counted_up(start: int, stop: int) -> array[int]:
    """The numbers from `start` to `stop`, that not included, four bytes each.

    >>> counted_up(2, 5)
    array('I', [2, 3, 4])
    """
    row = array("I")
    for first in range(start, stop, _PIECE):
        row.extend(range(first, min(first + _PIECE, stop)))
    return row


def pieces(sequence: Sequence[int]) -> Iterator[Sequence[int]]:
    """A long sequence in pieces, to append it to a row.

    >>> [len(piece) for piece in pieces(bytes(600_000))]
    [262144, 262144, 75712]
    """
    for first in range(0, len(sequence), _PIECE):
        yield sequence[first : first + _PIECE]
