"""The plain data that stages exchange: ops and models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from superword.settings import Cutting


class Op(NamedTuple):
    """One operation of training, its tokens as creation numbers.

    Creation numbers: the alphabet, then distinct new byte strings in the order in which ops first
    made them. `new` may be older than the op (its bytes existed already). A delete names its token
    three times and has a count of 0.
    """

    kind: str  # "merge", "supermerge" or "delete"
    left: int
    right: int
    new: int
    count: int  # type: ignore[assignment]  # hides tuple.count


class Model(NamedTuple):
    """A trained model: everything the artifact stores."""

    algorithm: str
    alphabet: str
    rules: str
    scheme: str | None  # None where there is a pattern
    id_order: str
    special_tokens: Sequence[str]
    unicode: str
    pattern: str | None
    script_pattern: str | None
    scripts: Sequence[str] | None
    eligible_pattern: str
    tau: str | None  # as "9/10"; None: no deletions
    blow_up: str | None  # None without tau
    ngram_floor: int | None  # None: candidates were not split at rare n-grams
    ngram_max_length: int | None
    documents: int
    bytes: int
    pretokens: int
    distinct_pretokens: int
    ops: Sequence[Op]
    special_ids: Sequence[int] | None = None  # None: they follow the ordinary tokens

    @property
    def cutting(self) -> Cutting:
        """How text is cut."""
        scripts = None if self.scripts is None else tuple(self.scripts)
        return Cutting(
            self.scheme, self.pattern, self.script_pattern, scripts, self.eligible_pattern
        )


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
