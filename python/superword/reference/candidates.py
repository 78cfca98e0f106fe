"""From runs of pretokens to candidates for supermerges. Source: SPEC section 6."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from itertools import pairwise

from superword.errors import TrainingError
from superword.model import Op
from superword.reference.arena import MAX_COUNT
from superword.reference.pretokenize import is_eligible_text
from superword.reference.tokens import tokens_of_ops
from superword.settings import Settings


def single_token_pretokens(
    ops: Sequence[tuple[str, int, int, int, int]],
    pretokens: Sequence[tuple[bytes, int]],
    settings: Settings,
) -> list[tuple[bytes, int]]:
    """Return the eligible pretokens, in the order given, each with the one token it becomes.

    Eligible: the text has a letter, and the ops of phase 1 reduce it to one token. SPEC section 6.

    >>> ops, settings = [Op("merge", 97, 98, 256, 3)], Settings("bpe", 257, 257, 0)
    >>> single_token_pretokens(ops, [(b"ab", 3), (b"abc", 1), (b"!", 2)], settings)
    [(b'ab', 256)]
    """
    merges = [Op(*op) for op in ops]
    tokens = tokens_of_ops(merges, settings.alphabet)
    ranks: dict[tuple[int, int], int] = {}
    for rank, op in enumerate(merges):
        ranks.setdefault((op.left, op.right), rank)
    out = []
    for pretoken, _ in pretokens:
        # To be in the vocabulary is necessary; that it is sufficient is a theorem which fails as
        # soon as tokens can be deleted, so what remains is encoded.
        number = tokens.numbers.get(pretoken)
        if number is None or not is_eligible_text(pretoken):
            continue
        sequence = [tokens.numbers[bytes([byte])] for byte in pretoken]
        if reduce_pretoken(sequence, merges, ranks) == number:
            out.append((pretoken, number))
    return out


def reduce_pretoken(
    sequence: Sequence[int], ops: Sequence[Op], ranks: Mapping[tuple[int, int], int]
) -> int | None:
    """Apply the ops, always the earliest one that applies; return the token if one remains.

    `ranks` gives for a pair the index of its first op.

    >>> reduce_pretoken([97, 98], [Op("merge", 97, 98, 256, 3)], {(97, 98): 0})
    256
    """
    token = list(sequence)
    left = list(range(-1, len(token) - 1))
    right = list(range(1, len(token) + 1))
    heap = [(ranks[pair], slot) for slot, pair in enumerate(pairwise(token)) if pair in ranks]
    heapq.heapify(heap)
    remaining = len(token)
    while heap:
        rank, slot = heapq.heappop(heap)
        op = ops[rank]
        after = right[slot]
        if token[slot] != op.left or after == len(token) or token[after] != op.right:
            continue  # one of the two has been merged since
        token[slot], token[after] = op.new, -1
        remaining -= 1
        after = right[slot] = right[after]
        if after < len(token):
            left[after] = slot
            if (op.new, token[after]) in ranks:
                heapq.heappush(heap, (ranks[op.new, token[after]], slot))
        before = left[slot]
        if before >= 0 and (token[before], op.new) in ranks:
            heapq.heappush(heap, (ranks[token[before], op.new], before))
    return token[0] if remaining == 1 else None


def split_runs(
    runs: Sequence[tuple[tuple[bytes, ...], int]], single: Sequence[tuple[bytes, int]]
) -> list[tuple[tuple[int, ...], int]]:
    """Cut runs at what is not eligible; return the pieces of two or more tokens with their counts.

    `single` comes from `single_token_pretokens`. The pieces are distinct and ascend by their
    creation numbers. Raises TrainingError if a count would pass 2^63 - 1. SPEC section 6.

    >>> split_runs([((b"a", b"b", b"cd", b"a"), 2), ((b"a", b"b"), 1)], [(b"a", 97), (b"b", 98)])
    [((97, 98), 3)]
    """
    number = dict(single)
    counts: dict[tuple[int, ...], int] = {}
    for run, count in runs:
        piece: list[int] = []
        for pretoken in (*run, None):
            if pretoken in number:
                piece.append(number[pretoken])
                continue
            if len(piece) > 1:
                key = tuple(piece)
                counts[key] = counts.get(key, 0) + count
                if counts[key] > MAX_COUNT:
                    raise TrainingError("a count would pass 2^63 - 1")
            piece = []
    return sorted(counts.items())
