"""Texts and ids line by line: what stands before a line at fault is written, then it is named."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator
from typing import BinaryIO, Literal

from superword import streams
from superword.errors import EncodingError, InputError, SuperwordError
from superword.tokenizer import Tokenizer

Allowed = Literal["all"] | Collection[str] | None  # None: special tokens are plain text


def encode(
    tokenizer: Tokenizer, stream: BinaryIO, name: str, allowed: Allowed, threads: int
) -> None:
    """Write the ids of each line of a stream, as a line."""
    first = 1
    for texts in streams.text_lines(stream, name):
        _encode_texts(tokenizer, texts, allowed, threads, name, first)
        streams.flush()
        first += len(texts)


def decode(tokenizer: Tokenizer, stream: BinaryIO, name: str, ending: bytes) -> None:
    """Write the bytes of the ids on each line of a stream, and `ending` behind them."""
    number = 0
    for batch in streams.read_lines(stream, name):
        for line in batch:
            number += 1
            with _line(name, number):
                document = _decode_line(tokenizer, line)
            streams.write(document + ending)
        streams.flush()


def in_training(error: SuperwordError, name: str, lines: bool) -> SuperwordError:
    """An error of training on the text of a stream, or on its lines, as one of the stream."""
    if error.index is None:
        return error
    return type(error)(f"{place(name, error.index, lines)}: {error.detail}")


def place(name: str, number: int, lines: bool) -> str:
    """Where a document of a stream stands, by its number from 0: the stream itself or its line."""
    return streams.line_place(name, number + 1) if lines else name


def _encode_texts(
    tokenizer: Tokenizer,
    texts: list[str],
    allowed: Allowed,
    threads: int,
    name: str,
    first: int,
) -> None:
    """Write the ids of lines, the first of which has this number."""
    if allowed is not None:
        try:
            lists = tokenizer.encode_batch(texts, allowed, threads)
        except SuperwordError as error:
            if error.index is None:
                raise
            streams.write_ids(tokenizer.encode_batch(texts[: error.index], allowed, threads))
            place = streams.line_place(name, first + error.index)
            raise type(error)(f"{place}: {error.detail}") from None
        except MemoryError:
            pass  # by which line will be seen
        else:
            streams.write_ids(lists)
            return
    for number, text in enumerate(texts, first):
        with _line(name, number):
            ids = (
                tokenizer.encode_ordinary(text)
                if allowed is None
                else tokenizer.encode(text, allowed)
            )
        streams.write_ids([ids])


def _decode_line(tokenizer: Tokenizer, line: bytes) -> bytes:
    parts = list(streams.parse_ids(line))
    try:
        return b"".join([tokenizer.decode_bytes(ids) for ids in parts])
    except EncodingError:
        # All in one call: the error names the position in the whole line.
        return tokenizer.decode_bytes([token_id for ids in parts for token_id in ids])


@contextlib.contextmanager
def _line(name: str, number: int) -> Iterator[None]:
    """Name the line in every error."""
    try:
        yield
    except SuperwordError as error:
        raise type(error)(f"{streams.line_place(name, number)}: {error}") from None
    except MemoryError:
        raise InputError(f"{streams.line_place(name, number)}: the memory is used up") from None
