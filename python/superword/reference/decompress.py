"""Gzip (RFC 1952) and zstd (RFC 8878) files: all members and frames, in bounded memory.

The container formats are read here, not by a library's file class, because these disagree about
what may follow a member and about which errors there are. Whether a stream that does not fit
together was cut or altered is not told apart: decoders notice the same damage at different places.
"""

from __future__ import annotations

import importlib
import sys
import zlib
from collections.abc import Iterator
from typing import Any

from superword.errors import InputError
from superword.reference.file_input import CHUNK_BYTES, FileInput

MAX_WINDOW_LOG = 27  # 128 MiB, what the zstd tools accept without being asked for more

_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZSTD_SKIPPABLE = range(0x184D2A50, 0x184D2A60)


def gzip_chunks(source: FileInput) -> Iterator[bytes]:
    """Yield the contents of a gzip file, all its members, in chunks.

    Zero bytes after the last member are padding; anything else there is an error. Raises
    InputError naming the file. Source: SPEC 3.0.
    """
    first = True
    while first or source.peek(1):
        magic = source.peek(2)
        if not first and magic[:1] == b"\0":
            return _gzip_padding(source)
        if magic != _GZIP_MAGIC:
            raise _unknown_start(source.path, "gzip", first, _GZIP_MAGIC.startswith(magic))
        first = False
        _gzip_header(source)
        yield from _gzip_member(source)
    return None


def _gzip_member(source: FileInput) -> Iterator[bytes]:
    """Yield the data of the member whose header has just been read, and check its trailer."""
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    crc = size = 0
    data = b""
    while not inflater.eof:
        if not data:
            data = source.take_chunk()
        try:
            chunk = inflater.decompress(data, CHUNK_BYTES)
        except zlib.error:
            raise _damaged(source.path, "gzip") from None
        if not chunk and not data:
            raise _damaged(source.path, "gzip")
        data = inflater.unconsumed_tail
        crc = zlib.crc32(chunk, crc)
        size += len(chunk)
        if chunk:
            yield chunk
    source.give_back(inflater.unused_data)
    trailer = crc.to_bytes(4, "little") + (size % 2**32).to_bytes(4, "little")
    if source.take(8) != trailer:
        raise _damaged(source.path, "gzip")


def _gzip_header(source: FileInput) -> None:
    """Read the header of a member; nothing in it matters but that it is whole and right."""
    header = source.take(10)
    flags = header[3] if len(header) == 10 else 0xFF
    if header[2:3] != b"\x08" or flags & 0xE0:
        raise _damaged(source.path, "gzip")
    crc = zlib.crc32(header)
    if flags & 0x04:
        length = source.take(2)
        extra = source.take(int.from_bytes(length, "little"))
        crc = zlib.crc32(extra, zlib.crc32(length, crc))
        if len(length) < 2 or len(extra) < int.from_bytes(length, "little"):
            raise _damaged(source.path, "gzip")
    for flag in (0x08, 0x10):  # file name, comment
        byte = b"" if flags & flag else b"\0"
        while byte != b"\0":
            byte = source.take(1)
            crc = zlib.crc32(byte, crc)
            if not byte:
                raise _damaged(source.path, "gzip")
    if flags & 0x02 and source.take(2) != (crc & 0xFFFF).to_bytes(2, "little"):
        raise _damaged(source.path, "gzip")


def _gzip_padding(source: FileInput) -> None:
    while chunk := source.take_chunk():
        if chunk.strip(b"\0"):
            raise _unknown_start(source.path, "gzip", False, False)


def zstd_chunks(source: FileInput) -> Iterator[bytes]:
    """Yield the contents of a zstd file, all its frames, in chunks.

    Skippable frames are skipped; a frame whose window is larger than 128 MiB is refused, so that
    no file takes more memory. Raises InputError naming the file. Source: SPEC 3.0.
    """
    zstd = _zstd_module(source.path)
    first = True
    while first or source.peek(1):
        magic = source.peek(4)
        if int.from_bytes(magic, "little") in _ZSTD_SKIPPABLE:
            _skip_frame(source)
        elif magic == _ZSTD_MAGIC:
            _check_frame_header(source)
            yield from _zstd_frame(source, zstd)
        else:
            raise _unknown_start(source.path, "zstd", first, _ZSTD_MAGIC.startswith(magic))
        first = False


def _zstd_frame(source: FileInput, zstd: Any) -> Iterator[bytes]:
    limit = {zstd.DecompressionParameter.window_log_max: MAX_WINDOW_LOG}
    decoder = zstd.ZstdDecompressor(options=limit)
    while not decoder.eof:
        data = source.take_chunk() if decoder.needs_input else b""
        if decoder.needs_input and not data:
            raise _damaged(source.path, "zstd")
        try:
            chunk = decoder.decompress(data, CHUNK_BYTES)
        except zstd.ZstdError:
            raise _damaged(source.path, "zstd") from None
        if chunk:
            yield chunk
    source.give_back(decoder.unused_data)


def _check_frame_header(source: FileInput) -> None:
    """Refuse what would otherwise look like damage: a dictionary, a very large window."""
    header = source.peek(14)
    if len(header) < 6:
        raise _damaged(source.path, "zstd")
    descriptor = header[4]
    if descriptor & 0x03:
        raise InputError(f"{source.path}: the zstd stream needs a dictionary; compress without one")
    if descriptor & 0x20:  # a single segment: the window is the content
        size = 1 << (descriptor >> 6)
        window = int.from_bytes(header[5 : 5 + size], "little") + (256 if size == 2 else 0)
    else:
        base = 1 << (10 + (header[5] >> 3))
        window = base + (base >> 3) * (header[5] & 7)
    if window > 1 << MAX_WINDOW_LOG:
        raise InputError(
            f"{source.path}: the zstd stream needs a window of more than 128 MiB; "
            "compress without --long"
        )


def _skip_frame(source: FileInput) -> None:
    header = source.take(8)
    if len(header) < 8:
        raise _damaged(source.path, "zstd")
    left = int.from_bytes(header[4:], "little")
    while left:
        taken = len(source.take(min(left, CHUNK_BYTES)))
        if not taken:
            raise _damaged(source.path, "zstd")
        left -= taken


def _zstd_module(path: str) -> Any:
    name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise
        raise InputError(
            f"{path}: this Python cannot read .zst files; pip install superword[zstd]"
        ) from None


def _unknown_start(path: str, name: str, first: bool, prefix: bool) -> InputError:
    """Return the error for bytes that begin no member or frame; `prefix`: they are cut short."""
    if prefix:
        return _damaged(path, name)
    if first:
        return InputError(f"{path}: is not a {name} file")
    return InputError(f"{path}: the {name} stream is followed by other data")


def _damaged(path: str, name: str) -> InputError:
    return InputError(f"{path}: the {name} stream is truncated or damaged")
