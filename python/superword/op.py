"""What training did, as users see it: tokens are bytes (stages have numbers, see `model`)."""

from __future__ import annotations

from typing import NamedTuple


class Op(NamedTuple):
    """One operation of training, its tokens as bytes."""

    kind: str  # "merge", "supermerge" or "delete" (of `left`, which `right` and `new` repeat)
    left: bytes
    right: bytes
    new: bytes
    count: int  # type: ignore[assignment]  # replacements; hides tuple.count, which nobody wants
