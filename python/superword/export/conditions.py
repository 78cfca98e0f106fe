"""What must hold so that runs of words can be matched by one pattern and merged by a stock BPE.

Each condition that fails is an error with an example. The conditions are sufficient (DESIGN.md);
a model that was trained here breaks them rarely, one that was written by hand at will.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from itertools import pairwise
from typing import NamedTuple

from superword.errors import NotExactError
from superword.export.exported_model import ExportedModel, Pair, shown
from superword.export.factors import in_one_pretoken
from superword.export.tails import SCHEMES, Tail, look_ahead, tail_of
from superword.reference.patterns import format_set
from superword.reference.pretokenize import pretokenizer_of
from superword.settings import Cutting

_WAY_OUT = "train with the scheme gpt4o-uniscript, or export a model of the algorithm bpe"


class Plan(NamedTuple):
    """Which words a pattern of runs has, and where."""

    cutting: Cutting
    scheme: str
    tails: Mapping[str, Tail]  # of every word
    first: Sequence[str]  # words that may begin a run and not go on with one everywhere
    free: Sequence[str]  # words that may go on with any run, and begin one
    guarded: Sequence[tuple[tuple[str, ...], Sequence[str]]]  # (not behind these, words)


def plan_of(model: ExportedModel) -> Plan:
    """Return the plan of a model with supermerges.

    Raises:
        NotExactError: a condition fails; the text has an example and a way out.
    """
    scheme = pretokenizer_of(model.cutting).scheme
    if scheme not in SCHEMES:
        how = f"the scheme {scheme}" if scheme else "a pattern of its own"
        raise NotExactError(
            f"the model has superwords and {how}, for which no pattern of their runs is known; "
            + _WAY_OUT
        )
    _check_makings(model)
    words, pairs = _words_and_pairs(model)
    tails = {word: _tail(word, model.cutting, scheme) for word in words}
    _check_inside(model, scheme)
    return _plan(model, scheme, tails, pairs)


def _check_makings(model: ExportedModel) -> None:
    """No superword is a regular token, and none is used before it is made for the last time."""
    regular = {left + right for left, right in model.merges}
    last_making = {left + right: rank for rank, (left, right) in enumerate(model.supermerges)}
    for rank, (left, right) in enumerate(model.supermerges):
        if left + right in regular:
            raise NotExactError(
                f"{shown(left + right)} is made by a regular merge and by a supermerge, "
                f"of {shown(left)} and {shown(right)}; {_WAY_OUT}"
            )
        for part in (left, right):
            if last_making.get(part, -1) > rank:
                raise NotExactError(
                    f"{shown(part)} is made in two ways, and {shown(left + right)} of it before "
                    f"the second; {_WAY_OUT}"
                )


def _words_and_pairs(model: ExportedModel) -> tuple[list[str], dict[str, set[str]]]:
    """Return the words of superwords, and of those that go on: which words must go before them."""
    superwords = {left + right for left, right in model.supermerges}
    firsts: dict[bytes, set[str]] = {}
    lasts: dict[bytes, set[str]] = {}
    words: dict[str, None] = {}
    pairs: dict[str, set[str]] = defaultdict(set)
    for left, right in model.supermerges:
        for part in (left, right):
            if part not in superwords and part not in firsts:
                try:
                    word = part.decode()
                except UnicodeDecodeError:
                    raise NotExactError(
                        f"{shown(part)} is no text and part of a supermerge; {_WAY_OUT}"
                    ) from None
                words[word] = None
                firsts[part] = lasts[part] = {word}
        firsts[left + right] = firsts.get(left + right, set()) | firsts[left]
        lasts[left + right] = lasts.get(left + right, set()) | lasts[right]
        for word in firsts[right]:
            pairs[word] |= lasts[left]
    return list(words), pairs


def _tail(word: str, cutting: Cutting, scheme: str) -> Tail:
    """Return the tail of a word, which must be a pretoken."""
    if pretokenizer_of(cutting).pretokenize(word) != [word.encode()]:
        raise NotExactError(
            f"{shown(word.encode())} is part of a supermerge and no pretoken; {_WAY_OUT}"
        )
    tail = tail_of(word, scheme)
    if tail is None:
        raise NotExactError(
            f"{shown(word.encode())}, which is part of a supermerge, has no letters, "
            f"and for such words no pattern is known; {_WAY_OUT}"
        )
    return tail


def _check_inside(model: ExportedModel, scheme: str) -> None:
    """No two regular tokens that a supermerge joins can stand side by side in one pretoken."""
    superwords = {left + right for left, right in model.supermerges}
    for left, right in model.supermerges:
        if left in superwords or right in superwords:
            continue
        if in_one_pretoken((left + right).decode(), scheme):
            raise NotExactError(
                f"the supermerge of {shown(left)} and {shown(right)} could be made inside one "
                f"pretoken, where encoding makes none; {_WAY_OUT}"
            )


def _plan(
    model: ExportedModel, scheme: str, tails: Mapping[str, Tail], pairs: Mapping[str, set[str]]
) -> Plan:
    """Return where each word may stand, so that no regular merge crosses from one to the next."""
    crossings = Crossings(model.merges, tails, scheme)
    free = []
    guarded: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for word in sorted(pairs):
        crossed = crossings.before(word)
        if not crossed:
            free.append(word)
            continue
        for other in crossed:
            if other in pairs[word]:
                raise NotExactError(
                    f"a regular merge crosses from {shown(other.encode())} to "
                    f"{shown(word.encode())}, which a supermerge joins; {_WAY_OUT}"
                )
        guarded[_endings(crossed, pairs[word])].append(word)
    first = sorted(set(tails) - set(free))
    return Plan(model.cutting, scheme, tails, first, free, sorted(guarded.items()))


def _endings(crossed: Sequence[str], needed: Set[str]) -> tuple[str, ...]:
    """Return texts that end what is crossed and nothing that is needed, as short as may be."""
    found = set()
    for word in crossed:
        for start in range(len(word) - 1, -1, -1):
            if not any(other.endswith(word[start:]) for other in needed):
                found.add(word[start:])
                break
    return tuple(sorted(found))


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
        tokens = [bytes([byte]) for byte in left + right]
        while len(tokens) > 1:
            ranks = [self._ranks.get(pair, len(self._ranks)) for pair in pairwise(tokens)]
            at = min(range(len(ranks)), key=ranks.__getitem__)
            if ranks[at] == len(self._ranks):
                break
            tokens[at : at + 2] = [tokens[at] + tokens[at + 1]]
        return tokens != [left, right]
