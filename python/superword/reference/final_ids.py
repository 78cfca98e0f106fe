"""The final ids: their order, and what stands where (SPEC 5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count, islice

from superword.model import Op


def final_order(ops: Sequence[Op], size: int, id_order: str) -> list[int]:
    """The creation numbers in the order of the final ids.

    Args:
        ops: all ops of the model.
        size: how many creation numbers there are.
        id_order: "regular-first": the alphabet, then what regular merges make by its last making
            by one, then what only supermerges make by its last making; "creation": by the op that
            last put it into the vocabulary; "gpt2": the same behind the 256 bytes in GPT-2's order.

    Returns:
        One creation number a token; its place is its id. Deleted tokens have none.

    >>> ops = [Op("supermerge", 97, 98, 256, 9), Op("merge", 99, 100, 257, 8)]
    >>> final_order(ops, 258, "regular-first")[256:]
    [257, 256]

    Source: SPEC 5.1.
    """
    alphabet, regular, only_super = 0, 1, 2
    places = [(alphabet, token) for token in range(size)]
    if id_order == "gpt2":
        places[:256] = [(alphabet, gpt2_place(byte)) for byte in range(256)]
    is_in = set(range(size)).difference(op.new for op in ops)
    for index, op in enumerate(ops):
        if op.kind == "delete":
            is_in.discard(op.new)
            continue
        if id_order != "regular-first":
            if op.new not in is_in:
                places[op.new] = (regular, index)
        elif op.kind == "merge":
            places[op.new] = (regular, index)
        elif places[op.new][0] != regular:
            places[op.new] = (only_super, index)
        is_in.add(op.new)
    return sorted(is_in, key=places.__getitem__)


def gpt2_place(byte: int) -> int:
    """Where a byte stands in GPT-2's order, up to gaps: what is printable in Latin-1 comes first.

    >>> sorted(b"\\0 !a~\\xa1\\xad\\xff", key=gpt2_place) == list(b"!a~\\xa1\\xff\\0 \\xad")
    True

    Source: SPEC 5.1.
    """
    is_printable = 0x21 <= byte <= 0x7E or (byte >= 0xA1 and byte != 0xAD)
    return byte if is_printable else byte + 256


class FinalIds:
    """Which ids the tokens have: special ones those that are named, or the last ones.

    >>> ids = FinalIds(256, 1, [100])
    >>> ids.ordinary[99:102], ids.special, ids.last
    ([99, 101, 102], [100], 256)
    """

    def __init__(self, ordinary: int, special: int, special_ids: Sequence[int] | None) -> None:
        """Give out the ids.

        Args:
            ordinary: how many ordinary tokens there are; they take all ids that are free, in order.
            special: how many special tokens there are.
            special_ids: their ids, ascending; None: the ones behind all ordinary tokens.
        """
        usual = range(ordinary, ordinary + special)
        self.special = list(usual if special_ids is None else special_ids)
        taken = set(self.special)
        self.ordinary = list(islice((i for i in count() if i not in taken), ordinary))

    @property
    def last(self) -> int:
        """The highest id."""
        return max(self.ordinary[-1:] + self.special[-1:])
