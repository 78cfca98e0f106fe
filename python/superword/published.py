"""Published `.model` files beside our own: which is which, and what only they hold."""

from __future__ import annotations

import os

_BEGINNINGS = (b"BoundlessBPE ", b"word v")
_SECOND_LINE = b"vocabulary"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_ENDING = ".model"

DROPPED = (
    "the counts of tokens and the flags of merges, which no encoding uses, are not kept in this "
    "format"
)
#: Of a tokenizer that comes from such a file.
NO_TOTALS = "the published file does not say how large the corpus was"
#: Of a tokenizer that could have been saved as one.
NO_COLUMNS = (
    "a published file has the counts of tokens and the flags of merges, which this tokenizer "
    "does not know: train with published=True, at the size it is to have"
)


def is_published(data: bytes) -> bool:
    """Whether this is a published file of any version, by its first line, or else by its second.

    So a damaged first line is named by what reads such files.

    >>> is_published(b"word v1\\n"), is_published(b'{"algorithm":"bpe"')
    (True, False)
    """
    start = len(_BYTE_ORDER_MARK) if data.startswith(_BYTE_ORDER_MARK) else 0
    if data.startswith(_BEGINNINGS, start):
        return True
    end = data.find(b"\n")
    return end >= 0 and data.startswith(_SECOND_LINE, end + 1)


def is_published_name(path: str) -> bool:
    """Whether a file of this name is to be a published one.

    >>> is_published_name("en.model"), is_published_name("en.superword")
    (True, False)
    """
    return os.path.basename(path).lower().endswith(_ENDING)
