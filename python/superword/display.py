"""Tokens and tables for people: different tokens never look the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from superword.tokenizer import Op, Tokenizer

# What `surrogateescape` makes of bytes that are no UTF-8.
_STRAY = re.compile("([\udc80-\udcff]+)")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
_HEADER = ("id", "text", "kind", "count", "parents")


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


def superword_rows(tokenizer: Tokenizer, limit: int) -> list[tuple[str, ...]]:
    """The strongest superwords: by count of the supermerge that first makes each, then bytes."""
    ops = [op for op in tokenizer.ops if op.kind == "supermerge"]
    return [_row(tokenizer, op) for op in _strongest(ops)[:limit]]


def token_rows(tokenizer: Tokenizer, limit: int) -> list[tuple[str, ...]]:
    """The strongest tokens of any kind, then what has no count: single bytes, special tokens."""
    made = _strongest(tokenizer.ops)
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
        (str(token_id), display_token(token.encode()), "special", "", "")
        for token, token_id in tokenizer.special_tokens.items()
    ]
    return rows[:limit]


def format_table(rows: Sequence[tuple[str, ...]]) -> str:
    """Rows under their header in aligned columns, numbers to the right."""
    table = [_HEADER, *rows]
    widths = [max(_width(row[column]) for row in table) for column in range(len(_HEADER))]
    lines = []
    for row in table:
        cells = []
        for column, (cell, width) in enumerate(zip(row, widths, strict=True)):
            gap = " " * (width - _width(cell))
            cells.append(gap + cell if _HEADER[column] in ("id", "count") else cell + gap)
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _strongest(ops: Sequence[Op]) -> list[Op]:
    first: dict[bytes, Op] = {}
    for op in ops:
        first.setdefault(op.new, op)
    return sorted(first.values(), key=lambda op: (-op.count, op.new))


def _row(tokenizer: Tokenizer, op: Op) -> tuple[str, ...]:
    parents = f"{display_token(op.left)} + {display_token(op.right)}"
    token_id = str(tokenizer.token_to_id(op.new))
    return (token_id, display_token(op.new), op.kind, str(op.count), parents)


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
    return sum(
        0
        if unicodedata.category(char) in ("Mn", "Me")
        else 2
        if unicodedata.east_asian_width(char) in ("W", "F")
        else 1
        for char in text
    )
