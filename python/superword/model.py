"""The plain data that stages exchange: ops and models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from superword.settings import Cutting


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
    scheme: str | None  # None where there is a pattern
    id_order: str
    special_tokens: Sequence[str]
    unicode: str
    pattern: str | None
    script_pattern: str | None
    scripts: Sequence[str] | None
    eligible_pattern: str
    documents: int
    bytes: int
    pretokens: int
    distinct_pretokens: int
    ops: Sequence[Op]

    @property
    def cutting(self) -> Cutting:
        """How text is cut."""
        scripts = None if self.scripts is None else tuple(self.scripts)
        return Cutting(
            self.scheme, self.pattern, self.script_pattern, scripts, self.eligible_pattern
        )
