"""Published `.model` files beside our own: which is which, and what only they hold."""

from __future__ import annotations

import os

from superword.errors import ModelFormatError

_BEGINNINGS = (b"BoundlessBPE ", b"word v")
_ENDING = ".model"

DROPPED = (
    "the counts of tokens and the flags of merges, which no encoding uses, are not kept in this "
    "format"
)
#: Of a tokenizer that comes from such a file.
NO_TOTALS = "the published file does not say how large the corpus was"
_NO_COLUMNS = (
    "a published file has the counts of tokens and the flags of merges, which this tokenizer "
    "does not know: train with published=True"
)


def is_published(data: bytes) -> bool:
    """Whether this is a published file of any version, by its first line.

    >>> is_published(b"word v1\\n"), is_published(b'{"algorithm":"bpe"')
    (True, False)
    """
    return data.startswith(_BEGINNINGS)


def is_published_name(path: str) -> bool:
    """Whether a file of this name is to be a published one.

    >>> is_published_name("en.model"), is_published_name("en.superword")
    (True, False)
    """
    return os.path.basename(path).lower().endswith(_ENDING)


def with_columns(published: bytes | None) -> bytes:
    """The published file of a tokenizer; raises ModelFormatError if it has none."""
    if published is None:
        raise ModelFormatError(_NO_COLUMNS)
    return published
