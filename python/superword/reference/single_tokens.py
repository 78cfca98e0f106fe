"""Which tokens' bytes, as a pretoken, end as that one token, found without a replay (SPEC 9.3)."""

from __future__ import annotations

from superword.reference.replay import Pairs


class SingleTokens:
    """The merges of a model, ready to tell of a token whether its bytes end as it.

    >>> merges = {(98, 99): (0, 256), (97, 98): (1, 257), (257, 99): (2, 258)}
    >>> single = SingleTokens(merges, 256)
    >>> single.has(257), single.has(258)  # b and c are merged before a and b are
    (True, False)
    """

    def __init__(self, merges: Pairs, alphabet: int) -> None:
        """Prepare the merges, in their order, of a model without deletes.

        `alphabet` is how many tokens are single bytes.
        """
        self._merges = merges
        self._parts = {new: pair for pair, (_, new) in merges.items()}
        # Where a token is made in two ways or again, nothing is found.
        if len(self._parts) < len(merges) or [*self._parts] != sorted(self._parts):
            self._parts = {}
        self._known = dict.fromkeys(range(alphabet), True)

    def has(self, token: int) -> bool:
        """Whether a token is known to be what its bytes end as; if not, a replay must tell."""
        known = self._known.get(token)
        if known is None:
            left, right = self._parts.get(token, (token, token))
            known = left != token and self.has(left) and self.has(right)
            known = self._known[token] = known and not self._is_crossed(left, right)
        return known

    def _is_crossed(self, left: int, right: int) -> bool:
        """Whether a merge across the border of two tokens comes before one that they are made by.

        Their merges are taken back, the last one first (of two of one op that on the right), until
        single bytes are at the border. The two tokens that are there after each step would have
        been joined by an op before the one taken back: or by that one, if it was on the right, for
        places further left come first. Tokens are numbered in the order of the ops.
        """
        merges, parts = self._merges, self._parts
        while True:
            if left > right:
                if left not in parts:
                    return False
                later = left
                left = parts[left][1]
            else:
                if right not in parts:
                    return False
                later = right + 1
                right = parts[right][0]
            found = merges.get((left, right))
            if found is not None and found[1] < later:
                return True
