"""Standard input and output of the command line: bytes, lines and ids, never text mode."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import BinaryIO

from superword.errors import InputError
from superword.files import reason
from superword.values import printable

_CHUNK = 1 << 20


@contextlib.contextmanager
def open_input(path: str) -> Iterator[tuple[BinaryIO, str]]:
    """A file, or for "-" standard input, for reading bytes; and its name for messages."""
    if path == "-":
        if sys.stdin is None:
            raise InputError("standard input: is closed")
        yield sys.stdin.buffer, "standard input"
        return
    try:
        stream = open(path, "rb")  # noqa: SIM115
    except (OSError, ValueError) as error:
        raise InputError(f"{printable(path)}: {reason(error)}") from None
    with stream:
        yield stream, printable(path)


def read_all(stream: BinaryIO, name: str) -> str:
    """Everything, as one text."""
    try:
        data = stream.read()
    except OSError as error:
        raise InputError(f"{name}: {reason(error)}") from None
    return decode(data, name, 0)


def read_lines(stream: BinaryIO, name: str) -> Iterator[list[bytes]]:
    """The lines without their line feeds, in batches: all that are at hand.

    So lines that somebody types, or another program sends one by one, are answered at once.
    """
    pieces: list[bytes] = []
    read = getattr(stream, "read1", stream.read)
    while True:
        try:
            chunk = read(_CHUNK)
        except OSError as error:
            raise InputError(f"{name}: {reason(error)}") from None
        if not chunk:
            break
        first, *others = chunk.split(b"\n")
        pieces.append(first)
        if others:
            yield [b"".join(pieces), *others[:-1]]
            pieces = [others[-1]]
    rest = b"".join(pieces)
    if rest:
        yield [rest]


def text_lines(stream: BinaryIO, name: str) -> Iterator[list[str]]:
    """`read_lines`, as texts."""
    offset = 0
    for batch in read_lines(stream, name):
        texts = []
        for line in batch:
            texts.append(decode(line, name, offset))
            offset += len(line) + 1
        yield texts


def decode(data: bytes, name: str, offset: int) -> str:
    """UTF-8 as text; `offset` is where the data stand in their file."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name}: byte {offset + error.start} is not valid UTF-8; "
            "convert it to UTF-8 first (for example with iconv)"
        ) from None


def parse_ids(line: bytes, name: str, number: int) -> list[int]:
    """The ids of a line; `number` is its own, counted from 1."""
    words = line.split()
    for word in words:
        if not word.isdigit() or len(word) > 10:
            shown = printable(word.decode("utf-8", "backslashreplace"))
            raise InputError(f"{name}: line {number}: '{shown}' is no token id")
    return [int(word) for word in words]


def write(data: bytes) -> None:
    """Write to standard output."""
    if sys.stdout is None:
        raise InputError("standard output: is closed")
    sys.stdout.buffer.write(data)


def abandon_output() -> None:
    """Nobody reads standard output any more: what is still buffered goes nowhere, in silence."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def flush() -> None:
    """Send what was written to whoever waits for it."""
    if sys.stdout is not None:
        sys.stdout.flush()
