"""Tokens and tables for people: different tokens never look the same."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterator, Sequence

from superword.op import Op
from superword.tokenizer import Tokenizer

# What `surrogateescape` makes of bytes that are no UTF-8.
_STRAY = re.compile("([\udc80-\udcff]+)")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
_LONGEST = 60  # characters of a token in a table
_HEADER = ("id", "text", "kind", "count", "parents")
_DELETED_HEADER = ("op", "text", "count", "removed by", "id")
_NUMBERS = ("id", "op", "count")


def display_token(token: bytes) -> str:
    r"""A token as text in double quotes, with partial characters as hex in angle brackets.

    Escaped are the quote and the backslash, everything invisible but the plain space, and what
    normalization would make equal to something else.

    >>> print(display_token(" naïve\n".encode()), display_token(b"a\xe2\x80"))
    " naïve\n" "a"<e2 80>
    """
    parts = _STRAY.split(token.decode("utf-8", "surrogateescape"))
    return "".join(
        f"<{part.encode('utf-8', 'surrogateescape').hex(' ')}>" if stray else f'"{_escape(part)}"'
        for stray, part in ((index % 2, part) for index, part in enumerate(parts))
        if part
    )


def short_token(token: bytes, token_id: int | None) -> str:
    """`display_token`, of a long token only the beginning, its length, and its id as its name.

    `token_id` is None for a deleted token.

    >>> print(short_token(b"ab" * 1000, 512))
    "abababababababababababababababababababab"… (2000 bytes, id 512)
    """
    if len(token) <= _LONGEST and len(whole := display_token(token)) <= _LONGEST:
        return whole
    for size in (40, 30, 20, 10, 5):
        # Not into the middle of a character: half of one is for tokens that have no other half.
        decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        head = decoder.decode(token[:size]).encode("utf-8", "surrogateescape")
        if len(shown := display_token(head)) <= _LONGEST:
            break
    name = "deleted" if token_id is None else f"id {token_id}"
    return f"{shown}… ({len(token)} bytes, {name})"


def superword_rows(tokenizer: Tokenizer, limit: int) -> list[tuple[str, ...]]:
    """The strongest superwords: by count of the supermerge that first makes each, then bytes."""
    ops = [op for op in tokenizer.ops if op.kind == "supermerge"]
    return [_row(tokenizer, op) for op in _strongest(tokenizer, ops)[:limit]]


def token_rows(tokenizer: Tokenizer, limit: int) -> list[tuple[str, ...]]:
    """The strongest tokens of any kind, then what has no count: single bytes, special tokens."""
    made = _strongest(tokenizer, tokenizer.ops)
    rows = [_row(tokenizer, op) for op in made[:limit]]
    singles = sorted(
        token
        for token in (bytes([byte]) for byte in range(256))
        if tokenizer.token_to_id(token) is not None
    )
    rows += [
        (str(tokenizer.token_to_id(token)), display_token(token), "byte", "", "")
        for token in singles
    ]
    rows += [
        (str(token_id), short_token(token.encode(), token_id), "special", "", "")
        for token, token_id in tokenizer.special_tokens.items()
    ]
    return rows[:limit]


def deletion_rows(tokenizer: Tokenizer, limit: int) -> list[tuple[str, ...]]:
    """The first deletes: the op, the token, the merge that used it up, the id if it has one again.

    The count is that of the merge. Ops count from 0.
    """
    rows: list[tuple[str, ...]] = []
    merge: Op | None = None
    for index, op in enumerate(tokenizer.ops):
        if op.kind == "merge":
            merge = op
        elif op.kind == "delete" and len(rows) < limit:
            token_id = tokenizer.token_to_id(op.new)
            by, count = "", ""
            if merge is not None:
                by = " + ".join(_named(tokenizer, token) for token in (merge.left, merge.right))
                count = str(merge.count)
            again = "" if token_id is None else str(token_id)
            rows.append((str(index), short_token(op.new, token_id), count, by, again))
    return rows


def deletion_lines(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """As `table_lines`, for `deletion_rows`."""
    return table_lines(rows, _DELETED_HEADER)


def table_lines(rows: Sequence[tuple[str, ...]], header: Sequence[str] = _HEADER) -> Iterator[str]:
    """Rows under their header in aligned columns, numbers to the right; line by line."""
    table = [tuple(header), *rows]
    widths = [max(_width(row[column]) for row in table) for column in range(len(header))]
    for row in table:
        cells = []
        for column, (cell, width) in enumerate(zip(row, widths, strict=True)):
            gap = " " * (width - _width(cell))
            cells.append(gap + cell if header[column] in _NUMBERS else cell + gap)
        yield "  ".join(cells).rstrip()


def _strongest(tokenizer: Tokenizer, ops: Sequence[Op]) -> list[Op]:
    """The op that first makes each token of the vocabulary, the highest count first."""
    first: dict[bytes, Op] = {}
    for op in ops:
        if op.kind != "delete" and tokenizer.token_to_id(op.new) is not None:
            first.setdefault(op.new, op)
    return sorted(first.values(), key=lambda op: (-op.count, op.new))


def _row(tokenizer: Tokenizer, op: Op) -> tuple[str, ...]:
    left, right, new = (_named(tokenizer, token) for token in (op.left, op.right, op.new))
    token_id = str(tokenizer.token_to_id(op.new))
    return (token_id, new, op.kind, str(op.count), f"{left} + {right}")


def _named(tokenizer: Tokenizer, token: bytes) -> str:
    return short_token(token, tokenizer.token_to_id(token))


def _escape(text: str) -> str:
    # "é" in one and in two code points look alike: then the marks are escaped.
    composed = unicodedata.normalize("NFC", text) == text
    out = []
    for place, char in enumerate(text):
        mark = unicodedata.category(char).startswith("M")
        if char in _SHORT:
            out.append(_SHORT[char])
        elif (
            not char.isprintable()
            or (mark and (place == 0 or not composed))
            or unicodedata.normalize("NFC", char) != char
        ):
            out.append(f"\\u{{{ord(char):x}}}")
        else:
            out.append(char)
    return "".join(out)


def _width(text: str) -> int:
    """The columns of a terminal that a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.category(char) in ("Mn", "Me")
        else 2
        if unicodedata.east_asian_width(char) in ("W", "F")
        else 1
        for char in text
    )
