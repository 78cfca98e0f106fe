"""Standard input and output of the command line: bytes, lines and ids, never text mode."""

from __future__ import annotations

import contextlib
import errno
import io
import re
import select
import sys
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from superword.errors import InputError
from superword.files import reason
from superword.messages import discard
from superword.values import printable

STANDARD_INPUT = "standard input"  # as errors name it
_CHUNK = 1 << 20
# How many ids are converted in one call: between two calls Ctrl-C comes through.
ID_CHUNK = 1 << 16
# The most characters that the ids of such a chunk have, each with the blank before it.
_ID_TEXT = ID_CHUNK * 8


class OutputError(Exception):
    """Standard output cannot be written; the text says why."""


class ReaderGoneError(Exception):
    """Whoever read standard output has enough."""


@contextlib.contextmanager
def open_input(path: str) -> Iterator[tuple[BinaryIO, str]]:
    """A file, or for "-" standard input, for reading bytes; and its name for messages."""
    if path == "-":
        if sys.stdin is None:
            raise InputError(f"{STANDARD_INPUT}: is closed")
        yield sys.stdin.buffer, STANDARD_INPUT
        return
    if not path:
        raise InputError("FILE is an empty path; leave it out for standard input")
    try:
        stream = open(path, "rb", buffering=0)  # noqa: SIM115
    except (OSError, ValueError) as error:
        raise InputError(f"{printable(path)}: {reason(error)}") from None
    with stream:
        yield stream, printable(path)


def read_all(stream: BinaryIO, name: str) -> str:
    """Everything, as one text."""
    return decode(b"".join(_chunks(stream, name)), name)


def read_lines(stream: BinaryIO, name: str) -> Iterator[list[bytes]]:
    """The lines without their line feeds, in batches: all that are at hand.

    So lines that somebody types, or another program sends one by one, are answered at once.
    """
    pieces: list[bytes] = []
    for chunk in _chunks(stream, name):
        first, *others = chunk.split(b"\n")
        pieces.append(first)
        if others:
            yield [b"".join(pieces), *others[:-1]]
            pieces = [others[-1]]
    rest = b"".join(pieces)
    if rest:
        yield [rest]


def text_lines(stream: BinaryIO, name: str) -> Iterator[list[str]]:
    """`read_lines`, as texts; those before one that is no text come before its error."""
    offset = number = 0
    for batch in read_lines(stream, name):
        texts: list[str] = []
        try:
            for line in batch:
                number += 1
                texts.append(decode(line, line_place(name, number), offset))
                offset += len(line) + 1
        except InputError:
            if texts:
                yield texts
            raise
        yield texts


def line_place(name: str, number: int) -> str:
    """Where a line stands, counted from 1, as errors name it: also those of files in training."""
    return f"{name}: line {number}"


def decode(data: bytes, place: str, offset: int = 0) -> str:
    """UTF-8 as text; `place` names the data, `offset` is where they stand in their file."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InputError(
            f"{place}: byte {offset + error.start} is not valid UTF-8; "
            "convert it to UTF-8 first (for example with iconv)"
        ) from None


def parse_ids(line: bytes) -> Iterator[list[int]]:
    """The ids of a line, some at a time."""
    start = 0
    while start < len(line):
        end = start + _ID_TEXT
        blank = _BLANK.search(line, end) if end < len(line) else None
        end = blank.start() if blank else len(line)
        words = line[start:end].split()
        for word in words:
            if not word.isdigit() or len(word) > 10:
                shown = word[:1000].decode("utf-8", "backslashreplace")
                raise InputError(f"'{shown}' is no token id")
        yield [int(word) for word in words]
        start = end


_BLANK = re.compile(rb"\s")  # exactly what `bytes.split` splits at


def write_ids(lists: Iterable[list[int]]) -> None:
    """Write the ids of each document as one line to standard output."""
    write("".join([f"{_id_text(ids)}\n" for ids in lists]).encode())


def _id_text(ids: list[int]) -> str:
    if len(ids) <= ID_CHUNK:
        return " ".join(map(str, ids))
    starts = range(0, len(ids), ID_CHUNK)
    return " ".join([_id_text(ids[start : start + ID_CHUNK]) for start in starts])


def use_buffers() -> None:
    """Put a buffer over a raw standard output (PYTHONUNBUFFERED): a raw one may write in part."""
    if sys.stdout is not None and isinstance(sys.stdout.buffer, io.RawIOBase):
        old = sys.stdout
        buffer = open(old.fileno(), "wb", closefd=False)  # noqa: SIM115
        sys.stdout = io.TextIOWrapper(buffer, encoding=old.encoding, errors=old.errors)


def write(data: bytes) -> None:
    """Write all of it to standard output; it may stay in the buffer until `flush`."""
    if sys.stdout is None:
        raise OutputError("standard output: is closed")
    rest = memoryview(data)
    while rest:
        try:
            done = sys.stdout.buffer.write(rest)
            if not done:
                raise OSError(errno.EIO, "")
        except BlockingIOError as error:
            done = error.characters_written
            _wait(sys.stdout.buffer, writing=True)
        except OSError as error:
            raise _output_error(error) from None
        rest = rest[done:]


def flush() -> None:
    """Send what was written to whoever waits for it."""
    while sys.stdout is not None:
        try:
            sys.stdout.flush()
            return
        except BlockingIOError:
            _wait(sys.stdout.buffer, writing=True)
        except OSError as error:
            raise _output_error(error) from None


def settle() -> None:
    """After an error: send what was written before it; what nobody takes goes nowhere."""
    try:
        flush()
    except (OutputError, ReaderGoneError, ValueError):
        with contextlib.suppress(OSError, ValueError):
            discard(sys.stdout.fileno())


def _output_error(error: OSError) -> Exception:
    if isinstance(error, BrokenPipeError):
        return ReaderGoneError()
    return OutputError(f"standard output: {reason(error)}")


def _chunks(stream: BinaryIO, name: str) -> Iterator[bytes]:
    # Past the buffer: only there "nothing yet" (None) differs from the end.
    raw: Any = getattr(stream, "raw", stream)
    while True:
        try:
            chunk = raw.read(_CHUNK)
            if chunk is None:
                _wait(raw, writing=False)
                continue
        except OSError as error:
            raise InputError(f"{name}: {reason(error)}") from None
        if not chunk:
            return
        yield chunk


def _wait(stream: Any, writing: bool) -> None:
    """Wait until a non-blocking stream takes or gives something."""
    descriptors = [stream.fileno()]
    select.select([] if writing else descriptors, descriptors if writing else [], [])
