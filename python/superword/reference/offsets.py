"""Where tokens stand in a text, in bytes and in characters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Offsets = list[tuple[int, int]]


def offsets_of_lengths(data: bytes, lengths: Sequence[int]) -> tuple[Offsets, Offsets]:
    r"""Where tokens of so many bytes start and end, in bytes and in characters.

    A token inside a character covers it, as does each other one that has some of its bytes. A byte
    that is no UTF-8 is a character of its own.

    Args:
        data: the text in UTF-8, or any bytes.
        lengths: how many bytes each token has, none of them 0; in all as many as `data`.

    >>> offsets_of_lengths("aé".encode(), [2, 1])
    ([(0, 2), (2, 3)], [(0, 2), (1, 2)])
    """
    in_bytes: Offsets = []
    in_characters: Offsets = []
    ends = _character_ends(data)
    start = count = end = 0  # the end is that of so many characters
    for length in lengths:
        while end <= start:
            end, count = next(ends), count + 1
        first = count - 1
        while end < start + length:
            end, count = next(ends), count + 1
        in_bytes.append((start, start + length))
        in_characters.append((first, count))
        start += length
    return in_bytes, in_characters


def _character_ends(data: bytes) -> Iterator[int]:
    """Yield where each character ends."""
    end = 0
    for char in data.decode("utf-8", "surrogateescape"):
        end += 1 if "\udc80" <= char <= "\udcff" else len(char.encode())
        yield end
