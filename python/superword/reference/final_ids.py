"""The order of the final ids (SPEC 5.1)."""

from __future__ import annotations

from collections.abc import Sequence

from superword.model import Op


def final_order(ops: Sequence[Op], size: int, id_order: str) -> list[int]:
    """The creation numbers in the order of the final ids.

    Args:
        ops: all ops of the model.
        size: how many creation numbers there are.
        id_order: "regular-first": the alphabet, then what regular merges make by its last making
            by one, then what only supermerges make by its last making; "creation": by the op that
            last put it into the vocabulary.

    Returns:
        One creation number a token; its place is its id. Deleted tokens have none.

    >>> ops = [Op("supermerge", 97, 98, 256, 9), Op("merge", 99, 100, 257, 8)]
    >>> final_order(ops, 258, "regular-first")[256:]
    [257, 256]

    Source: SPEC 5.1.
    """
    alphabet, regular, only_super = 0, 1, 2
    places = [(alphabet, token) for token in range(size)]
    is_in = set(range(size)).difference(op.new for op in ops)
    for index, op in enumerate(ops):
        if op.kind == "delete":
            is_in.discard(op.new)
            continue
        if id_order == "creation":
            if op.new not in is_in:
                places[op.new] = (regular, index)
        elif op.kind == "merge":
            places[op.new] = (regular, index)
        elif places[op.new][0] != regular:
            places[op.new] = (only_super, index)
        is_in.add(op.new)
    return sorted(is_in, key=places.__getitem__)
