"""The bytes of a token as text that can be read and turned back, as GPT-2's files have it."""

from __future__ import annotations

# Bytes that are printed as they are. The others get the characters from U+0100 on, in order: a
# blank is Ġ, a line feed Ċ.
_PRINTED = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
_OTHERS = [byte for byte in range(256) if byte not in _PRINTED]
_LETTERS = [chr(0x100 + _OTHERS.index(b)) if b in _OTHERS else chr(b) for b in range(256)]
_BYTES = {letter: byte for byte, letter in enumerate(_LETTERS)}


def text_of(token: bytes) -> str:
    """The text for the bytes of a token: a character for each byte, and none twice.

    >>> text_of(b" to be"), text_of("é".encode())
    ('ĠtoĠbe', 'Ã©')
    """
    return "".join([_LETTERS[byte] for byte in token])


def bytes_of(text: str) -> bytes | None:
    """The bytes whose text this is, or None if it is that of none.

    >>> bytes_of("ĠtoĠbe"), bytes_of("to be")
    (b' to be', None)
    """
    try:
        return bytes([_BYTES[letter] for letter in text])
    except KeyError:
        return None
