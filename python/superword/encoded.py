"""What encoding gives beside a plain list of ids."""

from __future__ import annotations

from typing import NamedTuple

Offsets = list[tuple[int, int]]


class OffsetEncoding(NamedTuple):
    """Ids, and where each stands in the text: (start, end) in UTF-8 bytes and in characters."""

    ids: list[int]
    byte_offsets: Offsets
    char_offsets: Offsets


class PairEncoding(NamedTuple):
    """The ids of a context and those of what continues it."""

    context: list[int]
    continuation: list[int]


class SafePrefix(NamedTuple):
    """The ids that no continuation can change, and the text that they leave."""

    ids: list[int]
    rest: str
