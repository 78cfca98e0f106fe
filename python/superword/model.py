"""The plain data that stages exchange: ops and models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Op(NamedTuple):
    """One operation of training, its tokens as creation numbers.

    Creation numbers: the alphabet, then distinct new byte strings in the order in which ops first
    made them. `new` may be older than the op (its bytes existed already).
    """

    kind: str  # "merge" or "supermerge"
    left: int
    right: int
    new: int
    count: int  # type: ignore[assignment]  # hides tuple.count


class Model(NamedTuple):
    """A trained model: everything the artifact stores."""

    algorithm: str
    alphabet: str
    rules: str
    scheme: str
    id_order: str
    special_tokens: Sequence[str]
    unicode: str
    documents: int
    bytes: int
    pretokens: int
    distinct_pretokens: int
    ops: Sequence[Op]


class PublishedOps(NamedTuple):
    """The section `words` or `superwords` of a published file."""

    configuration: str  # its line as it stands in the file
    merges: Sequence[tuple[int, bytes, bytes, int, bool]]  # index, left, right, count, flag
    deletions: Sequence[tuple[int, bytes]]  # index, token


class Published(NamedTuple):
    """A published file of version 2 as rows."""

    kind: str  # "word", "boundless" or "superbpe"
    vocabulary: Sequence[tuple[bytes, int, bool]]  # token, count, whether a supermerge made it
    special_tokens: Sequence[str]
    words: PublishedOps
    superwords: PublishedOps | None  # None for the kind "word"
