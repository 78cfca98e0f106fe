"""Between which pretokens of a run some supermerge can join what stands on both sides.

Whatever a supermerge joins, the last pretoken of its left part stands before the first one of its
right part. So nothing ever joins a run across a place where no supermerge has such two pretokens:
what stands left and right of it is encoded apart (SPEC 9.4).
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Sequence
from itertools import product

from superword.model import Op

# A token that different supermerges make of different pretokens has several first or last ones.
# Where these are more, or what follows from them is too much, every place is taken for a bridge.
_MOST_SEVERAL = 64
_MOST_PASSES = 8
# The most bridges for each supermerge, those counted again that several have.
_MOST_BRIDGES = 8


def bridges_of_ops(ops: Sequence[Op]) -> set[tuple[int, int]] | None:
    """All pairs of tokens between which some supermerge of a model can join.

    Args:
        ops: the ops of a model, in their order.

    Returns:
        Pairs of creation numbers, the last pretoken of a left part and the first one of a right
        part; None if they are too many to be worth knowing.

    >>> merge, join = Op("merge", 97, 98, 256, 9), Op("supermerge", 256, 99, 257, 8)
    >>> bridges_of_ops([merge, join, Op("supermerge", 257, 256, 258, 7)]) == {(256, 99), (99, 256)}
    True
    """
    supermerges = [op for op in ops if op.kind == "supermerge"]
    firsts = _ends_of_tokens(ops, lambda op: op.left)
    lasts = _ends_of_tokens(ops, lambda op: op.right)
    if firsts is None or lasts is None:
        return None
    most = _MOST_BRIDGES * len(supermerges)
    bridges: set[tuple[int, int]] = set()
    found = 0
    for op in supermerges:
        ends = lasts.get(op.left, (op.left,)), firsts.get(op.right, (op.right,))
        found += len(ends[0]) * len(ends[1])
        if found > most:
            return None
        bridges.update(product(*ends))
    return bridges


def _ends_of_tokens(ops: Sequence[Op], end: Callable[[Op], int]) -> dict[int, list[int]] | None:
    """The first (or last) pretokens of which each token of supermerges can be made, ascending.

    Tokens that are always one pretoken are left out.
    """
    supermerges = [op for op in ops if op.kind == "supermerge"]
    ends: dict[int, list[int]] = {op.new: [] for op in supermerges}
    for op in ops:
        if op.kind == "merge" and op.new in ends:
            ends[op.new] = [op.new]  # this one can be a pretoken as well
    for _ in range(_MOST_PASSES):
        changed = False
        for op in supermerges:
            known, part = ends[op.new], end(op)
            for token in list(ends.get(part, (part,))):
                if token not in known:
                    insort(known, token)
                    changed = True
            if len(known) > _MOST_SEVERAL:
                return None
        if not changed:
            return ends
    return None
