"""The byte strings of tokens by creation number: one byte string, one number (SPEC 4.2).

Source: SPEC sections 4.2 and 8.
"""

from __future__ import annotations

from collections.abc import Sequence

from superword.model import Op


def alphabet_tokens(alphabet: str) -> list[bytes]:
    """Return the single-byte tokens of an alphabet in the order of their creation numbers.

    `alphabet` is "bytes" (all 256) or "utf8" (the 243 bytes that occur in UTF-8). SPEC section 4.

    >>> len(alphabet_tokens("bytes")), len(alphabet_tokens("utf8"))
    (256, 243)
    """
    if alphabet == "bytes":
        return [bytes([byte]) for byte in range(256)]
    return [bytes([byte]) for byte in (*range(0xC0), *range(0xC2, 0xF5))]


class Tokens:
    """Every token made so far: its bytes, its number, and how many pretokens long it is.

    >>> tokens = Tokens("bytes")
    >>> tokens.make(97, 98), tokens.make(97, 98), tokens.strings[256]
    (256, 256, b'ab')
    """

    def __init__(self, alphabet: str) -> None:
        self.strings = alphabet_tokens(alphabet)
        self.numbers = {string: number for number, string in enumerate(self.strings)}
        self.pretokens = [1] * len(self.strings)

    def __len__(self) -> int:
        return len(self.strings)

    def make(self, left: int, right: int) -> int:
        """Return the number of left + right, which is the next free one if the bytes are new."""
        string = self.strings[left] + self.strings[right]
        number = self.numbers.setdefault(string, len(self.strings))
        if number == len(self.strings):
            self.strings.append(string)
            self.pretokens.append(self.pretokens[left] + self.pretokens[right])
        return number


def tokens_of_ops(ops: Sequence[Op], alphabet: str) -> Tokens:
    """Return the tokens of a phase 1, each one pretoken long: the alphabet and what `ops` make.

    >>> tokens_of_ops([Op("merge", 97, 98, 256, 3)], "bytes").strings[256]
    b'ab'
    """
    tokens = Tokens(alphabet)
    for op in ops:
        tokens.make(op.left, op.right)
    tokens.pretokens = [1] * len(tokens)
    return tokens
