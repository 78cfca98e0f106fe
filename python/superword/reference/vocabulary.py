"""Creation numbers, the bytes they stand for, and the order of the final ids (SPEC 5.1, 10)."""

from __future__ import annotations

from collections.abc import Sequence

from superword.errors import ModelFormatError
from superword.model import Op

#: Ids in all, special tokens included (SPEC 1).
MAX_IDS = 2**31 - 1
#: Ops of one model.
MAX_OPS = 2**31 - 1


def alphabet_tokens(alphabet: str) -> bytes:
    """The single-byte tokens in the order of their creation numbers.

    Args:
        alphabet: "bytes" (all 256) or "utf8" (the 243 bytes that occur in UTF-8).

    Returns:
        The bytes, ascending.

    >>> len(alphabet_tokens("utf8"))
    243

    Source: SPEC 4.
    """
    every = range(256)
    if alphabet == "utf8":
        return bytes(byte for byte in every if byte <= 0xBF or 0xC2 <= byte <= 0xF4)
    return bytes(every)


class Vocabulary:
    """The byte strings of a list of ops: one byte string, one creation number.

    >>> vocabulary = Vocabulary("bytes")
    >>> vocabulary.make(97, 98), vocabulary.tokens[256]
    (256, b'ab')
    """

    def __init__(
        self,
        alphabet: str,
        max_token_bytes: int | None = None,
        max_total_bytes: int | None = None,
    ) -> None:
        """Start with the alphabet; limits of None do not limit."""
        self.tokens = [bytes([byte]) for byte in alphabet_tokens(alphabet)]
        self.numbers = {token: number for number, token in enumerate(self.tokens)}
        self._max_token_bytes = max_token_bytes
        self._max_total_bytes = max_total_bytes
        self._total_bytes = 0

    def make(self, left: int, right: int) -> int:
        """The creation number of what an op makes of two tokens, a new one if its bytes are new.

        Args:
            left: creation number of the left part.
            right: creation number of the right part.

        Returns:
            The creation number of the result.

        Raises:
            ModelFormatError: a part does not exist, or a limit is passed.

        Source: SPEC 4.2, 10.
        """
        for name, token in (("left", left), ("right", right)):
            if not 0 <= token < len(self.tokens):
                raise ModelFormatError(
                    f"the {name} token does not exist yet: there are {len(self.tokens)} tokens"
                )
        length = len(self.tokens[left]) + len(self.tokens[right])
        if self._max_token_bytes is not None and length > self._max_token_bytes:
            raise ModelFormatError(
                f"the token would have {length} bytes, more than max_token_bytes = "
                f"{self._max_token_bytes}"
            )
        # What is made again counts too: its bytes are built and compared, so this bounds the work.
        self._total_bytes += length
        if self._max_total_bytes is not None and self._total_bytes > self._max_total_bytes:
            raise ModelFormatError(
                f"the ops up to here make tokens of {self._total_bytes} bytes in all, more than "
                f"max_total_bytes = {self._max_total_bytes}"
            )
        token_bytes = self.tokens[left] + self.tokens[right]
        number = self.numbers.setdefault(token_bytes, len(self.tokens))
        if number == len(self.tokens):
            self.tokens.append(token_bytes)
        return number


def final_order(ops: Sequence[Op], size: int, id_order: str) -> list[int]:
    """The creation numbers in the order of the final ids.

    Args:
        ops: all ops of the model.
        size: how many ordinary tokens there are.
        id_order: "regular-first": the alphabet, then what regular merges make by its last making
            by one, then what only supermerges make by its last making; "creation": by number.

    Returns:
        One creation number a token; its place is its id.

    >>> ops = [Op("supermerge", 97, 98, 256, 9), Op("merge", 99, 100, 257, 8)]
    >>> final_order(ops, 258, "regular-first")[256:]
    [257, 256]

    Source: SPEC 5.1.
    """
    if id_order == "creation":
        return list(range(size))
    alphabet, regular, only_super = 0, 1, 2
    places = [(alphabet, token) for token in range(size)]
    for index, op in enumerate(ops):
        if op.kind == "merge":
            places[op.new] = (regular, index)
        elif places[op.new][0] != regular:
            places[op.new] = (only_super, index)
    return sorted(range(size), key=places.__getitem__)
