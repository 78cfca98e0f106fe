"""All sequences in one row of slots, so that a merge costs what it touches, not whole sequences.

Each token is a slot linked to its neighbours; a sentinel stands before, between and after the
sequences, so a neighbour always exists and no pair crosses from one sequence to the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from superword.errors import TrainingError
from superword.settings import MAX_COUNT

END = -1  # the token of a sentinel
DEAD = -2  # the token of a slot that was merged into its left neighbour
MAX_SLOTS = 2**32 - 1  # the compiled twin numbers its slots with 32 bits


def check_size(total: int, slots: int) -> None:
    """Refuse sequences with so large a sum of counts times lengths, or of so many slots.

    >>> check_size(2**63, 0)
    Traceback (most recent call last):
    ...
    superword.errors.TrainingError: a count would pass 2^63 - 1
    """
    if total > MAX_COUNT:
        raise TrainingError("a count would pass 2^63 - 1")
    if slots > MAX_SLOTS:
        raise TrainingError(
            "the distinct pretokens or candidates are more than 2^32 - 1 tokens long;"
            " train on fewer documents"
        )


class Arena:
    """The tokens of all sequences of two or more, each slot with the count of its sequence.

    Raises TrainingError if a count of pairs could pass 2^63 - 1 (the counts of all sequences,
    each times its length, are summed), or if there are too many slots.

    >>> arena = Arena([((1, 2, 3), 5), ((4,), 9)])
    >>> arena.token, arena.weight
    ([-1, 1, 2, 3, -1], [0, 5, 5, 5, 0])
    """

    def __init__(self, sequences: Iterable[tuple[Sequence[int], int]]) -> None:
        self.token: list[int] = [END]
        self.weight: list[int] = [0]
        total = 0
        for sequence, count in sequences:
            total += len(sequence) * count
            if len(sequence) > 1 and count > 0:
                self.token += (*sequence, END)
                self.weight += (*[count] * len(sequence), 0)
            check_size(total, len(self.token))
        self.left = list(range(-1, len(self.token) - 1))
        self.right = list(range(1, len(self.token) + 1))

    def sites(self, pair: tuple[int, int], slots: Iterable[int]) -> list[int]:
        """Return those of `slots` at which `pair` stands, left to right without overlap."""
        token, right = self.token, self.right
        a, b = pair
        out = []
        last = taken = 0  # the last site and its right part
        for slot in sorted(slots):
            # (a slot can be here twice: after a deletion a pair may stand again where it stood)
            if token[slot] == a and token[right[slot]] == b and slot != taken and slot != last:
                out.append(slot)
                last, taken = slot, right[slot]
        return out

    def total_weight(self, slots: Iterable[int]) -> int:
        """Return the sum of the counts of the sequences of these slots."""
        return sum(map(self.weight.__getitem__, slots))

    def join(self, slot: int, new: int) -> int:
        """Put `new` in the place of the token at `slot` and the next one; return what follows."""
        gone = self.right[slot]
        after = self.right[gone]
        self.token[slot], self.token[gone] = new, DEAD
        self.right[slot], self.left[after] = after, slot
        return after

    def split(self, slot: int, parts: Iterable[tuple[int, int]]) -> int:
        """Put parts in the place of the token at `slot`; return the slot of the last one.

        Each comes with its length in bytes. Only where each slot began as a byte: a part stands
        at the slot of its first one, as it did before it was merged.
        """
        before, after, here = self.left[slot], self.right[slot], slot
        for part, length in parts:
            self.token[here], self.left[here], self.right[before] = part, before, here
            before, here = here, here + length
        self.right[before], self.left[after] = after, before
        return before

    def stretch(self, first: int, last: int) -> tuple[int, int]:
        """Widen [first, last] by its neighbours and all tokens equal to them, inside the sequence.

        What joins the part between has no influence on how many disjoint pairs stand outside.
        """
        token, left, right = self.token, self.left, self.right
        neighbour = token[left[first]]
        if neighbour != END:
            while token[left[first]] == neighbour:
                first = left[first]
        neighbour = token[right[last]]
        if neighbour != END:
            while token[right[last]] == neighbour:
                last = right[last]
        return first, last
