"""PickyBPE: which tokens a merge uses up, what stands for a deleted one, encoding (SPEC 5, 9.3)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush
from typing import NamedTuple

from superword.model import Op
from superword.reference.ranks import Ranks, encode_by_rank, is_ranked, ranks_of_ops
from superword.reference.replay import encode_pretoken, pairs_of_ops
from superword.reference.vocabulary import Vocabulary

#: token -> what stands for it
Parts = Mapping[int, Sequence[int]]

_GONE = -1  # where no token starts


def is_used_up(merged: int, before: int, tau: Fraction) -> bool:
    """Whether a merge of count `merged` takes at least the share `tau` of a token.

    `before` is the count of the token before the merge. Exact.

    >>> is_used_up(9, 10, Fraction("9/10")), is_used_up(9, 11, Fraction("9/10"))
    (True, False)

    Source: SPEC 5.
    """
    return merged * tau.denominator >= tau.numerator * before


def parts_of_ops(ops: Sequence[Op], vocabulary: Vocabulary, blow_up: str | None) -> Parts:
    """What stands for each token that some op deletes.

    Args:
        ops: all ops of a model.
        vocabulary: what they make.
        blow_up: "pair": left and right of the earliest merge; "bytes": the single bytes.

    Returns:
        The parts of the deleted tokens, as creation numbers.

    >>> from superword.reference.vocabulary import vocabulary_of_ops
    >>> ops = [Op("merge", 97, 98, 256, 2), Op("delete", 256, 256, 256, 0)]
    >>> parts_of_ops(ops, vocabulary_of_ops(ops, "bytes"), "pair")
    {256: (97, 98)}

    Source: SPEC 5.
    """
    deleted = {op.new for op in ops if op.kind == "delete"}
    parts: dict[int, Sequence[int]] = {}
    for op in ops:
        if op.kind == "merge" and op.new in deleted and op.new not in parts:
            parts[op.new] = parts_of_merge(op, vocabulary, blow_up)
    return parts


def parts_of_merge(op: Op, vocabulary: Vocabulary, blow_up: str | None) -> Sequence[int]:
    """What stands for a token when it is deleted that this merge makes first.

    >>> from superword.reference.vocabulary import vocabulary_of_ops
    >>> op = Op("merge", 97, 98, 256, 2)
    >>> parts_of_merge(op, vocabulary_of_ops([op], "bytes"), "pair")
    (97, 98)

    Source: SPEC 5.
    """
    if blow_up == "bytes":
        return [vocabulary.numbers[bytes([byte])] for byte in vocabulary.tokens[op.new]]
    return op.left, op.right


class Steps(NamedTuple):
    """The merges and deletes of a model, ready to be looked up; op indices ascend."""

    ops: Sequence[Op]
    merges: Mapping[tuple[int, int], Sequence[int]]  # pair -> op indices
    deletes: Mapping[int, Sequence[int]]  # token -> op indices
    lengths: Sequence[int]  # of each token in bytes
    parts: Parts


def steps_of_ops(ops: Sequence[Op], vocabulary: Vocabulary, blow_up: str | None) -> Steps:
    """What `encode_with_deletions` needs.

    Args:
        ops: all ops of a model.
        vocabulary: what they make.
        blow_up: as for `parts_of_ops`.

    >>> from superword.reference.vocabulary import vocabulary_of_ops
    >>> ops = [Op("merge", 97, 98, 256, 2), Op("delete", 256, 256, 256, 0)]
    >>> steps_of_ops(ops, vocabulary_of_ops(ops, "bytes"), "pair").deletes
    {256: [1]}

    Source: SPEC 9.3.
    """
    merges: dict[tuple[int, int], list[int]] = {}
    deletes: dict[int, list[int]] = {}
    for index, op in enumerate(ops):
        if op.kind == "merge":
            merges.setdefault((op.left, op.right), []).append(index)
        elif op.kind == "delete":
            deletes.setdefault(op.new, []).append(index)
    parts = parts_of_ops(ops, vocabulary, blow_up)
    return Steps(ops, merges, deletes, [len(token) for token in vocabulary.tokens], parts)


def encode_with_deletions(sequence: Sequence[int], steps: Steps) -> list[int]:
    """Apply ops in their order: after each one the first of those behind it that can be applied.

    Args:
        sequence: the single-byte tokens of a pretoken, as creation numbers.
        steps: from `steps_of_ops`.

    Returns:
        The tokens that are left, as creation numbers; some may be outside the vocabulary.

    >>> from superword.reference.vocabulary import vocabulary_of_ops
    >>> ops = [Op("merge", 97, 98, 256, 2), Op("merge", 256, 99, 257, 2)]
    >>> ops += [Op("delete", 256, 256, 256, 0)]
    >>> steps = steps_of_ops(ops, vocabulary_of_ops(ops, "bytes"), "pair")
    >>> encode_with_deletions([97, 98, 97, 98, 99], steps)
    [97, 98, 257]

    Source: SPEC 9.3.
    """
    # A heap of (op index, place) over a doubly linked list. A token stands at the place of its
    # first byte, so there is room for its parts when it is deleted. What an op leaves waits for
    # later ops alone: so all places of one op come out of the heap together, left to right. An
    # entry whose pair or token is gone is found out when its turn comes.
    tokens = list(sequence)
    size = len(tokens)
    before = list(range(-1, size - 1))
    after = list(range(1, size + 1))
    heap: list[tuple[int, int]] = []

    def push(place: int, indices: Sequence[int], last: int) -> None:
        next_one = bisect_right(indices, last)
        if next_one < len(indices):
            heappush(heap, (indices[next_one], place))

    def push_pair(place: int, last: int) -> None:
        if place >= 0 and after[place] < size:
            push(place, steps.merges.get((tokens[place], tokens[after[place]]), ()), last)

    for place in range(size):
        push_pair(place, -1)
    while heap:
        index, place = heappop(heap)
        op = steps.ops[index]
        if tokens[place] != op.left:
            continue
        end = after[place]
        if op.kind == "delete":
            _split(tokens, before, after, place, steps)
        elif end < size and tokens[end] == op.right:
            tokens[place], tokens[end] = op.new, _GONE
            end = after[place] = after[end]
            if end < size:
                before[end] = place
        else:
            continue
        push_pair(before[place], index)
        while place < end:
            push_pair(place, index)
            push(place, steps.deletes.get(tokens[place], ()), index)
            place = after[place]
    return [token for token in tokens if token != _GONE]


def _split(
    tokens: list[int], before: list[int], after: list[int], place: int, steps: Steps
) -> None:
    """Put the parts of the token at a place there, each at the place of its first byte."""
    previous, end, start = before[place], after[place], place
    for part in steps.parts[tokens[place]]:
        tokens[start], before[start] = part, previous
        previous, start = start, start + steps.lengths[part]
        after[previous] = start
    if end < len(tokens):
        before[end] = previous


def expand(tokens: Sequence[int], deleted: AbstractSet[int], parts: Parts) -> list[int]:
    """Replace every token that is outside the vocabulary by its parts, in turn.

    >>> expand([258, 97], {257, 258}, {258: (257, 99), 257: (97, 98)})
    [97, 98, 99, 97]

    Source: SPEC 9.3.
    """
    out = []
    waiting = list(tokens)[::-1]
    while waiting:
        token = waiting.pop()
        if token in deleted:
            waiting += parts[token][::-1]
        else:
            out.append(token)
    return out


class RegularOps:
    """The merges and deletes of a model, ready to encode pretokens.

    >>> from superword.reference.vocabulary import vocabulary_of_ops
    >>> ops = [Op("merge", 97, 98, 256, 2), Op("merge", 256, 99, 257, 2)]
    >>> ops += [Op("delete", 256, 256, 256, 0)]
    >>> RegularOps(ops, vocabulary_of_ops(ops, "bytes"), "pair").encode([97, 98, 97, 98, 99])
    [97, 98, 257]
    """

    def __init__(
        self, ops: Sequence[Op], vocabulary: Vocabulary, blow_up: str | None, ranked: bool = False
    ) -> None:
        """Prepare the ops; if `ranked`, what is long is encoded by rank where that is right."""
        self._ops = ops
        self._ranked = ranked
        self._deleted = vocabulary.deleted
        # Without a delete the lowest op comes first, whatever came before: see SPEC 9.3.
        has_deletes = any(op.kind == "delete" for op in ops)
        self.merges = {} if has_deletes else pairs_of_ops(ops, "merge")
        self._steps = steps_of_ops(ops, vocabulary, blow_up) if has_deletes else None

    @cached_property
    def _ranks(self) -> Ranks | None:
        return ranks_of_ops([op for op in self._ops if op.kind == "merge"])

    def encode(self, tokens: Sequence[int]) -> list[int]:
        """The tokens in which a pretoken ends; `tokens` are those of its single bytes."""
        if self._steps is not None:
            return self.expand(encode_with_deletions(tokens, self._steps))
        if self._ranked and is_ranked(len(tokens), len(self.merges)) and self._ranks is not None:
            return encode_by_rank(tokens, self._ranks)
        return encode_pretoken(tokens, self.merges)

    def expand(self, tokens: Sequence[int]) -> list[int]:
        """Replace what is outside the vocabulary by its parts, in turn."""
        if self._steps is None:
            return list(tokens)
        return expand(tokens, self._deleted, self._steps.parts)
