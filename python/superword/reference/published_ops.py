"""Tokens and ops of published files, named by their bytes there, by number here (SPEC 4, 5)."""

from __future__ import annotations

from collections.abc import Sequence

from superword.errors import ModelFormatError
from superword.model import Op
from superword.reference.model_file import MAX_TOKEN_BYTES, MAX_TOTAL_BYTES
from superword.reference.vocabulary import Vocabulary, alphabet_tokens, final_order


class OpReader:
    """Ops that name their tokens by bytes, made into ops that name them by number.

    >>> reader = OpReader("bytes", None, None)
    >>> reader.add("merge", b"a", b"b", 3)
    >>> reader.ops
    [Op(kind='merge', left=97, right=98, new=256, count=3)]
    """

    def __init__(
        self, alphabet: str, max_token_bytes: int | None, max_total_bytes: int | None
    ) -> None:
        """Start with an alphabet; limits as for `model_from_bytes`."""
        self.vocabulary = Vocabulary(
            alphabet,
            MAX_TOKEN_BYTES if max_token_bytes is None else max_token_bytes,
            MAX_TOTAL_BYTES if max_total_bytes is None else max_total_bytes,
        )
        self.ops: list[Op] = []

    def knows(self, token: bytes) -> bool:
        """Whether some op made the token, or it is of the alphabet."""
        return token in self.vocabulary.numbers

    def add(self, kind: str, left: bytes, right: bytes, count: int) -> None:
        """Add an op; raises ModelFormatError if a part does not exist or a limit is passed."""
        numbers = []
        for name, token in (("left", left), ("right", right)):
            number = self.vocabulary.numbers.get(token)
            if number is None:
                raise ModelFormatError(f"no op before this one makes the {name} token")
            numbers.append(number)
        new = self.vocabulary.make_checked(numbers[0], numbers[1])
        self.ops.append(Op(kind, numbers[0], numbers[1], new, count))


def alphabet_of_tokens(tokens: Sequence[bytes]) -> str:
    """The alphabet with which a vocabulary begins.

    Args:
        tokens: the vocabulary in the order of its ids.

    Returns:
        "bytes" or "utf8".

    Raises:
        ModelFormatError: it begins with neither.

    >>> alphabet_of_tokens([bytes([byte]) for byte in range(256)])
    'bytes'

    Source: SPEC 4.
    """
    for alphabet in ("bytes", "utf8"):
        wanted = alphabet_tokens(alphabet)
        if list(tokens[: len(wanted)]) == wanted:
            return alphabet
    raise ModelFormatError(
        "the first tokens must be the single bytes in order: all 256, or the 243 that occur in "
        "UTF-8"
    )


def id_order_of_tokens(ops: Sequence[Op], made: Sequence[bytes], tokens: Sequence[bytes]) -> str:
    """The order of ids that a vocabulary has.

    Args:
        ops: the ops.
        made: the tokens that they make, by creation number.
        tokens: the vocabulary in the order of its ids.

    Returns:
        "creation" where that fits, otherwise "regular-first".

    Raises:
        ModelFormatError: neither fits.

    >>> id_order_of_tokens([], [b"a", b"b"], [b"a", b"b"])
    'creation'

    Source: SPEC 5.1.
    """
    if len(made) != len(tokens):
        raise ModelFormatError(f"the ops make {len(made)} tokens, the vocabulary has {len(tokens)}")
    for id_order in ("creation", "regular-first"):
        order = final_order(ops, len(made), id_order)
        if all(made[number] == token for number, token in zip(order, tokens, strict=True)):
            return id_order
    wrong = next(i for i, token in enumerate(tokens) if token != made[i])
    raise ModelFormatError(
        f"the ops do not make these tokens in this order: id {wrong} should be "
        f"{made[wrong].hex()}, not {tokens[wrong].hex()}"
    )
