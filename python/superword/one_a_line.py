"""Documents of standard input, and texts and ids of which each line is one, for the commands."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Literal

from superword import streams
from superword.errors import EncodingError
from superword.tokenizer import Tokenizer


def standard_input(lines: bool, notices: list[str]) -> Iterator[str]:
    """The documents of standard input: all of it, or its lines; what to say goes to `notices`."""
    with streams.open_input("-") as (stream, name):
        batches = streams.text_lines(stream, name) if lines else [[streams.read_all(stream, name)]]
        for number, texts in enumerate(batches):
            if number == 0 and texts[0].startswith("\ufeff"):
                notices.append(f"{name}: starts with a byte order mark, which is kept as text")
            yield from texts


def decode_line(tokenizer: Tokenizer, line: bytes, name: str, number: int) -> bytes:
    """The bytes of the ids in a line; an error names the input and the line."""
    parts = list(streams.parse_ids(line, name, number))
    try:
        try:
            return b"".join([tokenizer.decode_bytes(ids) for ids in parts])
        except EncodingError:
            # All in one call: the error names the position in the whole line.
            return tokenizer.decode_bytes([token_id for ids in parts for token_id in ids])
    except EncodingError as error:
        raise EncodingError(f"{name}: line {number}: {error}") from None


def encode_lines(
    tokenizer: Tokenizer,
    texts: list[str],
    allowed: Literal["all"] | Collection[str],
    threads: int,
    name: str,
    first: int,
) -> list[list[int]]:
    """The ids of some lines, from number `first` on; an error names the input and the line."""
    try:
        return tokenizer.encode_batch(texts, allowed, threads)
    except EncodingError:
        for number, text in enumerate(texts, first):
            try:
                tokenizer.encode(text, allowed)
            except EncodingError as error:
                raise EncodingError(f"{name}: line {number}: {error}") from None
        raise
