"""Pair counts and where each pair stands, kept exact while pairs are merged one after the other.

Both phases of training run on this. Every merge subtracts the pairs of the stretches it touches,
rewrites them, and adds the pairs they hold then: nothing is assumed about what a merge does, so
it is right too when the new bytes are an old token. Source: SPEC sections 4.1 and 4.2.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from superword.model import Op
from superword.reference.arena import Arena
from superword.reference.heap import Pair, PairHeap
from superword.reference.vocabulary import Vocabulary


class Pairs:
    """The pairs of all sequences: their counts, their slots, and which is best.

    `sequences` are (creation numbers, count); `rules` is "superword" or "incremental";
    `max_bytes` and `max_pretokens` limit what a merge may make (None: no limit). Raises
    TrainingError if a count could pass 2^63 - 1.

    >>> pairs = Pairs(Vocabulary("bytes"), [(b"aaaab", 2)], "superword", None, None)
    >>> pairs.best(), pairs.counts[97, 97], pairs.merge((97, 97), "merge"), pairs.best()
    ((97, 97), 4, Op(kind='merge', left=97, right=97, new=256, count=4), (256, 256))
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        sequences: Iterable[tuple[Sequence[int], int]],
        rules: str,
        max_bytes: int | None,
        max_pretokens: int | None,
    ) -> None:
        self.vocabulary = vocabulary
        # How many pretokens long each token is: 1 if it was there from the start, else the sum of
        # the parts of which it was first made.
        self._pretokens = [1] * len(vocabulary)
        self._disjoint = rules == "superword"
        self._max_bytes = max_bytes
        self._max_pretokens = max_pretokens
        self._arena = Arena(sequences)
        self._heap = PairHeap(vocabulary.tokens, ties_by_bytes=rules == "superword")
        self._slots: defaultdict[Pair, list[int]] = defaultdict(list)
        self.counts: dict[Pair, int] = {}
        changes: dict[Pair, int] = {}
        last = len(self._arena.token) - 1
        self._tally(0, last, 1, changes)
        for slot in self._arena.adjacent():
            self._index(slot)
        self._apply(changes)

    def best(self) -> Pair | None:
        """Return the pair that comes next, None if there is none within the limits."""
        return self._heap.best(self.counts)

    def merge(self, pair: Pair, kind: str) -> Op:
        """Replace a pair everywhere, left to right; return the op, which is one of this kind."""
        count = self.counts[pair]
        new = self.vocabulary.make(*pair)
        if new == len(self._pretokens):
            self._pretokens.append(self._pretokens[pair[0]] + self._pretokens[pair[1]])
        arena = self._arena
        changes: dict[Pair, int] = {}
        sites = arena.sites(pair, self._slots.pop(pair))
        start = 0
        while start < len(sites):
            # Sites that touch change one stretch together: one by one, a run of a million equal
            # tokens would be walked again and again.
            end = start + 1
            last = arena.right[sites[start]]
            while end < len(sites) and sites[end] == arena.right[last]:
                last = arena.right[sites[end]]
                end += 1
            self._tally(*arena.stretch(sites[start], last), -1, changes)
            for slot in sites[start:end]:
                arena.join(slot, new)
            self._tally(*arena.stretch(sites[start], sites[end - 1]), 1, changes)
            for slot in sites[start:end]:
                self._index(arena.left[slot])
            self._index(sites[end - 1])
            start = end
        self._apply(changes)
        return Op(kind, *pair, new, count)

    def _tally(self, first: int, last: int, sign: int, changes: dict[Pair, int]) -> None:
        """Add the pairs between two slots to `changes`, times `sign`, times their weight."""
        token, right, weight = self._arena.token, self._arena.right, self._arena.weight
        disjoint = self._disjoint
        taken = False  # whether this slot is the right part of a pair (x, x) already counted
        while first != last:
            after = right[first]
            pair = (token[first], token[after])
            taken = disjoint and not taken and pair[0] == pair[1]
            if taken or not disjoint or pair[0] != pair[1]:
                changes[pair] = changes.get(pair, 0) + sign * weight[first]
            first = after

    def _index(self, slot: int) -> None:
        """Remember that the pair of this slot and the next stands here, unless one is no token."""
        arena = self._arena
        pair = (arena.token[slot], arena.token[arena.right[slot]])
        if min(pair) >= 0:
            self._slots[pair].append(slot)

    def _apply(self, changes: dict[Pair, int]) -> None:
        """Bring counts, slots and heap up to date."""
        for pair, change in changes.items():
            if min(pair) < 0:
                continue
            count = self.counts.get(pair, 0) + change
            if count == 0:
                self.counts.pop(pair, None)
                self._slots.pop(pair, None)
                continue
            self.counts[pair] = count
            if change > 0 and self._allowed(pair):
                self._heap.push(count, pair)

    def _allowed(self, pair: Pair) -> bool:
        """Whether the limits let this pair be merged at all."""
        tokens = self.vocabulary.tokens
        length = len(tokens[pair[0]]) + len(tokens[pair[1]])
        if self._max_bytes is not None and length > self._max_bytes:
            return False
        pretokens = self._pretokens[pair[0]] + self._pretokens[pair[1]]
        return self._max_pretokens is None or pretokens <= self._max_pretokens
