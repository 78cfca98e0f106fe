"""How byte-level files of tokenizers spell bytes."""

from __future__ import annotations


def byte_letters() -> dict[int, str]:
    """The letter for each byte in byte-level files: itself if printable, else one from U+0100."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    letters = {byte: chr(byte) for byte in printable}
    return letters | {byte: chr(0x100 + place) for place, byte in enumerate(others)}
