"""Tokens and ops of published files, named by their bytes there, by number here (SPEC 4, 5)."""

from __future__ import annotations

from collections.abc import Sequence

from superword.errors import ModelFormatError
from superword.model import Op
from superword.reference.final_ids import final_order
from superword.reference.model_file import MAX_TOKEN_BYTES, MAX_TOTAL_BYTES
from superword.reference.vocabulary import Vocabulary, alphabet_tokens


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
        """Whether the token is in the vocabulary now."""
        number = self.vocabulary.numbers.get(token)
        return number is not None and number not in self.vocabulary.deleted

    def add(self, kind: str, left: bytes, right: bytes, count: int) -> None:
        """Add an op, a delete with its token as left and right.

        Raises ModelFormatError if a token does not exist, is deleted although no merge has made it,
        or passes a limit.
        """
        numbers = []
        names = ("deleted", "deleted") if kind == "delete" else ("left", "right")
        for name, token in zip(names, (left, right), strict=True):
            number = self.vocabulary.numbers.get(token)
            if number is None:
                raise ModelFormatError(f"no op before this one makes the {name} token")
            numbers.append(number)
        new = numbers[0]
        if kind == "delete":
            self.vocabulary.delete_checked(new)
        else:
            new = self.vocabulary.make_checked(numbers[0], numbers[1], kind)
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


def id_order_of_tokens(ops: Sequence[Op], made: Vocabulary, tokens: Sequence[bytes]) -> str:
    """The order of ids that a vocabulary has.

    Args:
        ops: the ops.
        made: what they make.
        tokens: the vocabulary in the order of its ids.

    Returns:
        "creation" where that fits, otherwise "regular-first".

    Raises:
        ModelFormatError: neither fits.

    >>> made = Vocabulary("bytes")
    >>> id_order_of_tokens([], made, made.tokens)
    'creation'

    Source: SPEC 5.1.
    """
    if made.size != len(tokens):
        raise ModelFormatError(f"the ops make {made.size} tokens, the vocabulary has {len(tokens)}")
    orders = {
        id_order: [made.tokens[number] for number in final_order(ops, len(made), id_order)]
        for id_order in ("creation", "regular-first")
    }
    for id_order, order in orders.items():
        if order == list(tokens):
            return id_order
    order = orders["creation"]
    wrong = next(i for i, token in enumerate(tokens) if token != order[i])
    raise ModelFormatError(
        f"the ops do not make these tokens in this order: id {wrong} should be "
        f"{order[wrong].hex()}, not {tokens[wrong].hex()}"
    )
