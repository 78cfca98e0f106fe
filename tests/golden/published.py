"""A small reader of the files that the published programs write; tokens come as bytes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any, NamedTuple


def _unescape_table() -> dict[str, int]:
    """The byte-to-character map of GPT-2, turned around."""
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in shown]
    table = {chr(byte): byte for byte in shown}
    return table | {chr(0x100 + n): byte for n, byte in enumerate(others)}


_BYTES = _unescape_table()


def token(escaped: str) -> bytes:
    """The bytes of one escaped token."""
    return bytes(_BYTES[character] for character in escaped)


def escape(token: bytes) -> str:
    """One token as such files write it."""
    characters = {byte: character for character, byte in _BYTES.items()}
    return "".join(characters[byte] for byte in token)


class Published(NamedTuple):
    """What a published model says."""

    kind: str  # word, boundless or superbpe
    vocabulary: list[bytes]
    superwords: set[bytes]
    special_tokens: list[str]
    regular: list[tuple[bytes, bytes, int] | tuple[str, bytes]]  # see `_Lines.ops`
    supermerges: list[tuple[bytes, bytes, int]]


def read_text(path: Path) -> str:
    """The text of a file, unpacked if it ends in .gz; line ends as they are."""
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")


def read_jsonl(path: Path) -> list[Any]:
    """The objects of a .jsonl file."""
    return [json.loads(line) for line in read_text(path).split("\n") if line]


class _Lines:
    """The lines of a model, block by block."""

    def __init__(self, text: str) -> None:
        self.lines = iter(text.split("\n"))

    def expect(self, title: str) -> None:
        assert next(self.lines) == title

    def block(self) -> list[list[str]]:
        return [next(self.lines).split(" ") for _ in range(int(next(self.lines)))]

    def ops(self) -> list[Any]:
        """Merges (left, right, count) and ("delete", token) in order; no delete twice in a row."""
        json.loads(next(self.lines))  # the configuration
        self.expect("merges")
        ops = {int(row[0]): (token(row[1]), token(row[2]), int(row[3])) for row in self.block()}
        self.expect("deletions")
        ops |= {int(index): ("delete", token(name)) for index, name in self.block()}
        assert sorted(ops) == list(range(len(ops)))
        # one whose merge has left = right is written twice (SPEC 13)
        in_order = [ops[index] for index in range(len(ops))]
        return [op for op, before in zip(in_order, [None, *in_order], strict=False) if op != before]


def read_model(path: Path) -> Published:
    """Reads a `.model` v2 file."""
    lines = _Lines(read_text(path))
    kind = next(lines.lines).removeprefix("BoundlessBPE v2 ")
    lines.expect("vocabulary")
    vocabulary = lines.block()
    assert [int(row[0]) for row in vocabulary] == list(range(len(vocabulary)))
    lines.expect("special_tokens")
    special = [row[1] for row in lines.block()]
    lines.expect("words")
    regular = lines.ops()
    supermerges = []
    if kind != "word":
        lines.expect("superwords")
        supermerges = lines.ops()
    return Published(
        kind,
        [token(row[1]) for row in vocabulary],
        {token(row[1]) for row in vocabulary if row[3] == "1"},
        special,
        regular,
        supermerges,
    )


def read_one_phase(path: Path) -> tuple[str, list[bytes], list[tuple[str, bytes, bytes]]]:
    """Reads a "word v1" file without deletions: pattern, vocabulary, (kind, left, right)."""
    lines = _Lines(read_text(path))
    lines.expect("word v1")
    pattern = json.loads(next(lines.lines))
    vocabulary = [token(row[1]) for row in lines.block()]
    special, merges, deletions, supermerges, super_deletions = (lines.block() for _ in range(5))
    assert special == deletions == super_deletions == []
    ops = {int(i): ("merge", token(left), token(right)) for i, left, right in merges}
    ops |= {int(i): ("supermerge", token(left), token(right)) for i, left, right in supermerges}
    return pattern, vocabulary, [ops[index] for index in sorted(ops)]
