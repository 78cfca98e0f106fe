"""Creation numbers, the bytes they stand for, and which are in the vocabulary (SPEC 4.2, 5, 10)."""

from __future__ import annotations

from collections.abc import Sequence

from superword.errors import ModelFormatError
from superword.model import Op

#: Ops of one model.
MAX_OPS = 2**31 - 1


def alphabet_tokens(alphabet: str) -> list[bytes]:
    """Return the single-byte tokens of an alphabet in the order of their creation numbers.

    `alphabet` is "bytes" (all 256) or "utf8" (the 243 bytes that occur in UTF-8). SPEC section 4.

    >>> len(alphabet_tokens("bytes")), len(alphabet_tokens("utf8"))
    (256, 243)
    """
    if alphabet == "bytes":
        return [bytes([byte]) for byte in range(256)]
    return [bytes([byte]) for byte in (*range(0xC0), *range(0xC2, 0xF5))]


class Vocabulary:
    """The byte strings that ops have made so far: one byte string, one creation number.

    >>> vocabulary = Vocabulary("bytes")
    >>> vocabulary.make(97, 98), vocabulary.make(97, 98), vocabulary.tokens[256]
    (256, 256, b'ab')
    """

    def __init__(
        self,
        alphabet: str,
        max_token_bytes: int | None = None,
        max_total_bytes: int | None = None,
    ) -> None:
        """Start with the alphabet; the limits are for `make_checked`, None does not limit."""
        self.tokens = alphabet_tokens(alphabet)
        self.numbers = {token: number for number, token in enumerate(self.tokens)}
        self.deleted: set[int] = set()  # those that are outside the vocabulary now
        self._alphabet = len(self.tokens)
        self._merged: set[int] = set()  # what `apply_checked` has seen regular merges make
        self._max_token_bytes = max_token_bytes
        self._max_total_bytes = max_total_bytes
        self._total_bytes = 0

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def size(self) -> int:
        """How many tokens are in the vocabulary."""
        return len(self.tokens) - len(self.deleted)

    def make(self, left: int, right: int) -> int:
        """The creation number of what an op makes of two tokens that exist.

        It is the next free one if the bytes are new. A deleted token is in the vocabulary again.
        Source: SPEC 4.2, 5.
        """
        token = self.tokens[left] + self.tokens[right]
        number = self.numbers.setdefault(token, len(self.tokens))
        if number == len(self.tokens):
            self.tokens.append(token)
        self.deleted.discard(number)
        return number

    def delete(self, token: int) -> None:
        """Take a token out of the vocabulary, if it is in it; its number stays. Source: SPEC 5."""
        self.deleted.add(token)

    def delete_checked(self, token: int) -> None:
        """As `delete`, for an op that comes from outside.

        Raises:
            ModelFormatError: the token does not exist, or no merge has made it.

        Source: SPEC 5, 10.
        """
        if not 0 <= token < len(self.tokens):
            raise ModelFormatError(
                f"the deleted token does not exist yet: there are {len(self.tokens)} tokens"
            )
        if token < self._alphabet:
            raise ModelFormatError("a single byte cannot be deleted")
        if token not in self._merged:
            raise ModelFormatError("what is deleted must have been made by a merge")
        self.delete(token)

    def make_checked(self, left: int, right: int, kind: str) -> int:
        """As `make`, for an op that comes from outside.

        Args:
            left: creation number of the left part.
            right: creation number of the right part.
            kind: "merge" or "supermerge".

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
        new = self.make(left, right)
        if kind == "merge":
            self._merged.add(new)
        return new


def vocabulary_of_ops(ops: Sequence[Op], alphabet: str) -> Vocabulary:
    """The vocabulary that ops make, which must say so themselves.

    Args:
        ops: ops from their first.
        alphabet: "bytes" or "utf8".

    Returns:
        The vocabulary after the last op.

    Raises:
        ModelFormatError: there are too many ops, or one names a token that does not exist or makes
            another than it says.

    >>> vocabulary_of_ops([Op("merge", 97, 98, 256, 3)], "bytes").tokens[256]
    b'ab'

    Source: SPEC 4.2.
    """
    if len(ops) > MAX_OPS:
        raise ModelFormatError("a model has at most 2^31 - 1 ops")
    vocabulary = Vocabulary(alphabet)
    for index, op in enumerate(ops):
        try:
            if op.kind == "delete":
                new = op.left
                vocabulary.delete_checked(new)
            else:
                new = vocabulary.make_checked(op.left, op.right, op.kind)
        except ModelFormatError as error:
            raise ModelFormatError(f"op {index}: {error}") from None
        if new != op.new:
            raise ModelFormatError(f"op {index}: it makes token {new}, not {op.new}")
    return vocabulary
