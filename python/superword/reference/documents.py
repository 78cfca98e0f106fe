"""Documents from files: plain text, its lines, or JSON lines, each also compressed.

Every line is validated where it stands, so that an error names the line or the byte. An error in
what a compressed file holds is reported only if the stream itself is whole: a damaged stream is
then the cause, and decoders deliver different amounts before they notice it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import final

from superword.errors import InputError, PatternTooExpensiveError
from superword.reference.decompress import gzip_chunks, zstd_chunks
from superword.reference.file_input import FileInput
from superword.reference.json_line import text_of_line

# The most bytes that one document, or one line of a .jsonl file, may have: offsets are 32 bits.
MAX_DOCUMENT_BYTES = 2**32 - 1

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@final
class Documents:
    """The documents of one file, one after the other; holds one of them at a time."""

    def __init__(self, source: tuple[str, str, str, str], notices: list[str]) -> None:
        self._file: FileInput | None = None
        self._path = source[0]
        self._documents = self._read(source, notices)

    def _read(self, source: tuple[str, str, str, str], notices: list[str]) -> Iterator[str]:
        with FileInput(self._path) as self._file:
            yield from documents_of_file(self._file, source, notices)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        return next(self._documents)

    @property
    def read_bytes(self) -> int:
        """How much of the file, as it lies on the disk, has been read."""
        return self._file.read_bytes if self._file else 0

    @property
    def place(self) -> str:
        """Where the document that was taken last stands, as error messages name it."""
        return self._file.place if self._file else self._path


def read_documents(source: tuple[str, str, str, str], notices: list[str]) -> Documents:
    """Read the documents of one file, holding one of them at a time.

    `source` is (path, kind, compression, field): kind "text" (the file is one document), "lines"
    (each line without its line feed is one) or "jsonl" (the string `field` of the object on each
    line is one); compression "none", "gzip" or "zstd". What a user should know is appended to
    `notices`. Raises InputError naming the file and the line or byte. Source: SPEC 3.0.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "two.txt")
    ...     with open(path, "wb") as file:
    ...         _ = file.write(b"to be\\nor not to be")
    ...     list(read_documents((path, "lines", "none", ""), []))
    ['to be', 'or not to be']
    """
    return Documents(source, notices)


def documents_of_file(
    file: FileInput,
    source: tuple[str, str, str, str],
    notices: list[str],
    max_bytes: int = MAX_DOCUMENT_BYTES,
) -> Generator[str, None, None]:
    """Yield the documents of an open file, as `read_documents` does.

    A PatternTooExpensiveError that is thrown into it comes back with the document named.
    """
    path, kind, compression, field = source
    decode = {"none": _plain_chunks, "gzip": gzip_chunks, "zstd": zstd_chunks}[compression]
    chunks = decode(file)
    offset = number = 0
    try:
        for line in _lines(chunks, kind != "text", max_bytes):
            start = offset
            offset += len(line)
            number += 1
            place = path if kind == "text" else f"{path}: line {number}"
            file.place = place
            if number == 1 and line.startswith(_BYTE_ORDER_MARK):
                if kind == "jsonl":
                    notices.append(f"{path}: starts with a byte order mark, which is skipped")
                    line = line[len(_BYTE_ORDER_MARK) :]
                    start += len(_BYTE_ORDER_MARK)
                else:
                    notices.append(f"{path}: starts with a byte order mark, which is kept as text")
            if kind != "text":
                line = line.removesuffix(b"\n")
            if len(line) > max_bytes:
                raise InputError(
                    f"{place}: is longer than {max_bytes} bytes, the most for one document; "
                    "split it"
                )
            text = _decode(place, line, start)
            if kind == "jsonl":
                if not text.strip(" \t\r"):
                    continue
                try:
                    text = text_of_line(text, field)
                except InputError as error:
                    raise InputError(f"{place}: {error}") from None
            try:
                yield text
            except PatternTooExpensiveError as error:
                raise PatternTooExpensiveError(f"{place}: {error}") from None
    except (InputError, PatternTooExpensiveError):
        if compression != "none":
            for _ in chunks:
                pass
        raise


def _lines(chunks: Iterator[bytes], split: bool, max_bytes: int) -> Iterator[bytes]:
    """Yield each line with its line feed, or without `split` everything as one.

    A line longer than `max_bytes` may come without its rest, as the last one: that bounds the
    memory, and the caller refuses it.
    """
    pieces: list[bytes] = []
    size = 0
    for chunk in chunks:
        *lines, rest = chunk.split(b"\n") if split else (chunk,)
        for line in lines:
            yield b"".join(pieces) + line + b"\n"
            pieces.clear()
            size = 0
        pieces.append(rest)
        size += len(rest)
        if size > max_bytes + len(_BYTE_ORDER_MARK):
            break
    if size or not split:
        yield b"".join(pieces)


def _plain_chunks(file: FileInput) -> Iterator[bytes]:
    while chunk := file.take_chunk():
        yield chunk


def _decode(place: str, data: bytes, offset: int) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InputError(
            f"{place}: byte {offset + error.start} is not valid UTF-8; "
            "convert the file to UTF-8 first (for example with iconv)"
        ) from None
