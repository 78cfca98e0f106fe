"""Where regular merges would cross from one word to the next if nothing kept them apart.

Between two pretokens encoding makes no regular merge; a stock BPE, which gets a run of words as one
piece, could. What happens at the border of two words depends on these two alone: as long as no
merge crosses any border, each word goes its own way.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

from superword.export.exported_model import Pair
from superword.export.tails import Tail, look_ahead
from superword.reference.patterns import format_set


class Crossings:
    """Finds the words from which a regular merge crosses into the next word."""

    def __init__(self, merges: Sequence[Pair], tails: Mapping[str, Tail], scheme: str) -> None:
        """Make ready for words that end in these tails."""
        self._scheme = scheme
        self._ranks = {pair: rank for rank, pair in enumerate(merges)}
        self._lefts: dict[bytes, list[bytes]] = defaultdict(list)
        for left, right in merges:
            self._lefts[right].append(left)
        # for each tail the ends of its words
        self._words: dict[Tail, dict[bytes, list[str]]] = defaultdict(lambda: defaultdict(list))
        for word, tail in tails.items():
            data = word.encode()
            for start in range(len(data)):
                self._words[tail][data[start:]].append(word)
        self._aheads = [
            (re.compile(look_ahead(tail, scheme, format_set)), tail) for tail in self._words
        ]

    def before(self, word: str) -> list[str]:
        """Return the words behind which this one can stand and is then merged with."""
        words = [self._words[tail] for ahead, tail in self._aheads if ahead.match(word)]
        data = word.encode()
        lefts = {
            left for end in range(1, len(data) + 1) for left in self._lefts.get(data[:end], ())
        }
        able = {other for ends in words for left in lefts for other in ends.get(left, ())}
        return sorted(other for other in able if self.is_crossed(other.encode(), data))

    def is_crossed(self, left: bytes, right: bytes) -> bool:
        """Tell whether regular merges join parts of two words when nothing keeps them apart."""
        tokens = self.merged(left + right)
        return tokens != [left, right]

    def merged(self, data: bytes) -> list[bytes]:
        """Return what regular merges alone make of some bytes."""
        return merge_all([bytes([byte]) for byte in data], self._ranks)


def merge_all(tokens: Sequence[bytes], ranks: Mapping[Pair, int]) -> list[bytes]:
    """Return what becomes of tokens: again and again the pair of the lowest rank is merged.

    >>> merge_all([b"a", b"b", b"c", b"a", b"b"], {(b"a", b"b"): 1, (b"b", b"c"): 0})
    [b'a', b'bc', b'ab']
    """
    tokens = list(tokens)
    none = len(ranks)
    while len(tokens) > 1:
        found = [ranks.get(pair, none) for pair in pairwise(tokens)]
        lowest = min(found)
        if lowest == none:
            break
        at = found.index(lowest)
        tokens[at : at + 2] = [tokens[at] + tokens[at + 1]]
    return tokens
