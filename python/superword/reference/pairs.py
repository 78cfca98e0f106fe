"""Pair counts and where each pair stands, kept exact while pairs are merged one after the other.

Both phases of training run on this. Where no equal tokens are near, a merge changes the pairs with
its two neighbours. Elsewhere it subtracts the pairs of the stretches it touches, rewrites them, and
adds the pairs they hold then: nothing is assumed about what a merge does, so it is right too when
the new bytes are an old token. Source: SPEC sections 4.1 and 4.2.

These are the rules `superword`; `incremental` has the others, which need far less.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from superword.model import Op
from superword.reference.arena import DEAD, END, Arena
from superword.reference.deletions import parts_of_merge
from superword.reference.heap import Pair, PairHeap
from superword.reference.vocabulary import Vocabulary


class Pairs:
    """The pairs of all sequences: their counts, their slots, and which is best.

    `sequences` are (creation numbers, count); `max_bytes` and `max_pretokens` limit what a merge
    may make (None: no limit); `blow_up` is for `delete`, which needs it and sequences of single
    bytes. Raises TrainingError if a count could pass 2^63 - 1.

    >>> pairs = Pairs(Vocabulary("bytes"), [(b"aaaab", 2)], None, None)
    >>> pairs.best(), pairs.counts[97, 97], pairs.merge((97, 97), "merge"), pairs.best()
    ((97, 97), 4, Op(kind='merge', left=97, right=97, new=256, count=4), (256, 256))
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        sequences: Iterable[tuple[Sequence[int], int]],
        max_bytes: int | None,
        max_pretokens: int | None,
        blow_up: str | None = None,
    ) -> None:
        self.vocabulary = vocabulary
        # How many pretokens long each token is: 1 if it was there from the start, else the sum of
        # the parts of which it was first made.
        self._pretokens = [1] * len(vocabulary)
        self._max_bytes = max_bytes
        self._max_pretokens = max_pretokens
        self._arena = Arena(sequences)
        self._heap = PairHeap(vocabulary.tokens)
        self._slots: defaultdict[Pair, list[int]] = defaultdict(list)
        # For `delete`, of each token that a merge has made: how often it stands, where it may
        # stand, and its parts.
        self._blow_up = blow_up
        self.standing: defaultdict[int, int] = defaultdict(int)
        self._homes: defaultdict[int, list[int]] = defaultdict(list)
        self._parts: dict[int, Sequence[int]] = {}
        self.counts: dict[Pair, int] = {}
        for slot, pair in enumerate(pairwise(self._arena.token)):
            if END not in pair:
                self._slots[pair].append(slot)
        changes = {}
        for pair, slots in self._slots.items():
            if pair[0] == pair[1]:
                slots = self._arena.sites(pair, slots)
            changes[pair] = self._arena.total_weight(slots)
        self._apply(changes)

    def best(self) -> Pair | None:
        """Return the pair that comes next, None if there is none within the limits."""
        return self._heap.best(self.counts)

    def put_off(self, pair: Pair) -> None:
        """Choose the best pair no more, until its count rises or it is taken back."""
        self._heap.drop(pair)

    def take_back(self, pairs: Iterable[Pair]) -> None:
        """Let pairs that were put off be chosen again."""
        for pair in pairs:
            if pair in self.counts:
                self._heap.push(self.counts[pair], pair)

    def merge(self, pair: Pair, kind: str) -> Op:
        """Replace a pair everywhere, left to right; return the op, which is one of this kind."""
        count = self.counts.pop(pair)
        new = self.vocabulary.make(*pair)
        if new == len(self._pretokens):
            self._pretokens.append(self._pretokens[pair[0]] + self._pretokens[pair[1]])
        sites = self._arena.sites(pair, self._slots.pop(pair))
        if self._blow_up is not None:
            self._note_merge(pair, new, count, sites)
        changes: defaultdict[Pair, int] = defaultdict(int)
        close = self._merge_alone(pair, new, sites, changes)
        self._merge_close(new, close, changes)
        changes.pop(pair, None)  # none is left, whatever became of its neighbours
        self._apply(changes)
        return Op(kind, *pair, new, count)

    def _note_merge(self, pair: Pair, new: int, count: int, sites: list[int]) -> None:
        """Remember what deleting the new token will need."""
        for token in pair:
            self.standing[token] -= count
        self.standing[new] += count
        self._homes[new] += sites
        if new not in self._parts:
            op = Op("merge", *pair, new, count)
            self._parts[new] = parts_of_merge(op, self.vocabulary, self._blow_up)

    def delete(self, token: int) -> Op:
        """Put the parts of a token in its place, wherever it stands; return the op."""
        arena = self._arena
        self.vocabulary.delete(token)
        left = self.standing.pop(token)
        parts = [(part, len(self.vocabulary.tokens[part])) for part in self._parts[token]]
        for part, _ in parts:
            self.standing[part] += left
        sites = sorted({slot for slot in self._homes.pop(token) if arena.token[slot] == token})
        changes: defaultdict[Pair, int] = defaultdict(int)
        start = 0
        while start < len(sites):
            end = start + 1  # sites that touch go together, as in `_merge_close`
            while end < len(sites) and sites[end] == arena.right[sites[end - 1]]:
                end += 1
            first = last = sites[start]
            self._tally(*arena.stretch(first, sites[end - 1]), -1, changes)
            for slot in sites[start:end]:
                last = arena.split(slot, parts)
            self._tally(*arena.stretch(first, last), 1, changes)
            slot, after = arena.left[first], arena.right[last]
            while slot != after:
                self._index(slot)
                self._homes[arena.token[slot]].append(slot)
                slot = arena.right[slot]
            start = end
        self._apply(changes)
        return Op("delete", token, token, token, 0)

    def _merge_alone(
        self, pair: Pair, new: int, sites: Iterable[int], changes: defaultdict[Pair, int]
    ) -> list[int]:
        """Merge at the sites that no equal token and no other site touches; return the others.

        There x a b y becomes x new y, and only the pairs with x and y change: no stretch of equal
        tokens is cut or made. Nearly every site is such a one.
        """
        a, b = pair
        close_before, close_after = (a, new), (a, b, new)
        token, left, right = self._arena.token, self._arena.left, self._arena.right
        befores: defaultdict[int, list[int]] = defaultdict(list)  # x -> its slots
        afters: defaultdict[int, list[int]] = defaultdict(list)  # y -> the slots of `new` before it
        close = []
        for slot in sites:
            gone = right[slot]
            before, after = left[slot], right[gone]
            x, y = token[before], token[after]
            if x in close_before or y in close_after:
                close.append(slot)
                continue
            token[slot], token[gone] = new, DEAD
            right[slot], left[after] = after, slot
            befores[x].append(before)
            afters[y].append(slot)
        befores.pop(END, None)
        afters.pop(END, None)
        for x, slots in befores.items():
            weight = self._arena.total_weight(slots)
            changes[x, a] -= weight
            changes[x, new] += weight
            self._slots[x, new] += slots
        for y, slots in afters.items():
            weight = self._arena.total_weight(slots)
            changes[b, y] -= weight
            changes[new, y] += weight
            self._slots[new, y] += slots
        return close

    def _merge_close(self, new: int, sites: list[int], changes: defaultdict[Pair, int]) -> None:
        """Merge at any sites: subtract the pairs of what they touch, rewrite it, add its pairs."""
        arena = self._arena
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

    def _tally(self, first: int, last: int, sign: int, changes: defaultdict[Pair, int]) -> None:
        """Add the pairs between two slots to `changes`, times `sign`, times their weight."""
        token, right, weight = self._arena.token, self._arena.right, self._arena.weight
        taken = False  # whether this slot is the right part of a pair (x, x) already counted
        while first != last:
            after = right[first]
            pair = (token[first], token[after])
            taken = not taken and pair[0] == pair[1]
            if taken or pair[0] != pair[1]:
                changes[pair] += sign * weight[first]
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
        if self._max_bytes is None and self._max_pretokens is None:
            return True
        tokens = self.vocabulary.tokens
        length = len(tokens[pair[0]]) + len(tokens[pair[1]])
        if self._max_bytes is not None and length > self._max_bytes:
            return False
        pretokens = self._pretokens[pair[0]] + self._pretokens[pair[1]]
        return self._max_pretokens is None or pretokens <= self._max_pretokens
