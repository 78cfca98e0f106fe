"""What must hold so that runs of words can be matched by one pattern and merged by a stock BPE.

Each condition that fails is an error with an example. The conditions are sufficient (DESIGN.md);
a model that was trained here breaks them rarely, one that was written by hand at will.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

from superword.errors import NotExactError
from superword.export.crossings import Crossings, merge_all
from superword.export.exported_model import ExportedModel, Pair, shown
from superword.export.factors import in_one_pretoken
from superword.export.tails import SCHEMES, Tail, tail_of
from superword.reference.pretokenize import pretokenizer_of
from superword.settings import Cutting

# word -> word before it -> the supermerges that join them, or what ends and begins with them
_Borders = dict[str, dict[str, list[Pair]]]
_WAY_OUT = (
    "train with the scheme gpt4o-uniscript, where this is rare, with an eligible_pattern that "
    "keeps such words out of superwords, or with the algorithm bpe"
)


class Whole(NamedTuple):
    """Two words that are one token where they stand together, though merges of their bytes differ.

    A stock BPE has to look up what it gets before it merges.
    """

    first: str
    second: str
    unless: tuple[str, ...]  # before these the second word is merged with them


class Plan(NamedTuple):
    """Which words a pattern of runs has, and where."""

    cutting: Cutting
    scheme: str
    tails: Mapping[str, Tail]  # of every word
    first: Sequence[str]  # words that may begin a run, but not go on with one everywhere
    free: Sequence[str]  # words that may go on with any run, and begin one
    guarded: Sequence[tuple[tuple[str, ...], Sequence[str]]]  # (not behind these, words)
    whole: Sequence[Whole]


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
    words, borders = _words_and_borders(model)
    tails = {word: _tail(word, model.cutting, scheme) for word in words}
    _check_inside(model, scheme)
    return _plan(model, scheme, tails, borders)


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


def _words_and_borders(model: ExportedModel) -> tuple[list[str], _Borders]:
    """Return the words of superwords, and which supermerges join which of them."""
    superwords = {left + right for left, right in model.supermerges}
    firsts: dict[bytes, set[str]] = {}
    lasts: dict[bytes, set[str]] = {}
    words: dict[str, None] = {}
    borders: _Borders = defaultdict(lambda: defaultdict(list))
    for left, right in model.supermerges:
        for part in (left, right):
            if part not in superwords and part not in firsts:
                word = _as_text(part)
                words[word] = None
                firsts[part] = lasts[part] = {word}
        firsts[left + right] = firsts.get(left + right, set()) | firsts[left]
        lasts[left + right] = lasts.get(left + right, set()) | lasts[right]
        for word in firsts[right]:
            for other in lasts[left]:
                borders[word][other].append((left, right))
    return list(words), borders


def _as_text(word: bytes) -> str:
    try:
        return word.decode()
    except UnicodeDecodeError:
        raise NotExactError(
            f"{shown(word)} is no text and part of a supermerge; {_WAY_OUT}"
        ) from None


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


def _plan(model: ExportedModel, scheme: str, tails: Mapping[str, Tail], borders: _Borders) -> Plan:
    """Return where each word may stand, so that no regular merge crosses from one to the next."""
    crossings = Crossings(model.merges, tails, scheme)
    free = []
    guarded: dict[tuple[str, ...], list[str]] = defaultdict(list)
    whole = []
    for word in sorted(borders):
        crossed = crossings.before(word)
        for other in crossed:
            if other in borders[word]:
                whole.append(_whole(model, other, word, borders[word][other], tails))
        needed = borders[word].keys() - set(crossed)
        if not crossed:
            free.append(word)
        elif needed:
            guarded[_endings(crossed, needed)].append(word)
    if whole:
        _check_tokens(model, crossings)
    first = sorted(set(tails) - set(free))
    return Plan(model.cutting, scheme, tails, first, free, sorted(guarded.items()), whole)


def _whole(
    model: ExportedModel,
    first: str,
    second: str,
    supermerges: Sequence[Pair],
    tails: Mapping[str, Tail],
) -> Whole:
    """Return two words that have to be one token though a regular merge crosses their border.

    They are merged with each other and what they become with nothing; if one of them is merged with
    another word instead, then that is the second, and always before the same words.
    """
    left, right = first.encode(), second.encode()
    ranks = {pair: rank for rank, pair in enumerate(model.supermerges)}
    obstacles = [pair for pair in supermerges if pair != (left, right)]
    unless = []
    for pair, rank in ranks.items():
        if left + right in pair:
            obstacles.append(pair)
        if rank >= ranks.get((left, right), 0):
            continue
        if pair[1] == left:
            obstacles.append(pair)
        if pair[0] == right:
            earlier = any(other < rank and key[0] == pair[1] for key, other in ranks.items())
            if earlier or pair[1].decode() not in tails:
                obstacles.append(pair)
            unless.append(pair[1].decode())
    if obstacles:
        raise NotExactError(
            f"a regular merge crosses from {shown(left)} to {shown(right)}, which the supermerge "
            f"of {shown(obstacles[0][0])} and {shown(obstacles[0][1])} needs; {_WAY_OUT}"
        )
    return Whole(first, second, tuple(sorted(unless)))


def _check_tokens(model: ExportedModel, crossings: Crossings) -> None:
    """Check that the text of a token is encoded as that token, where looking it up comes first."""
    ranks = {pair: rank for rank, pair in enumerate(model.supermerges)}
    words: dict[bytes, list[bytes]] = {}
    for left, right in model.supermerges:
        words[left + right] = words.get(left, [left]) + words.get(right, [right])
    for token in model.tokens:
        parts = words.get(token)
        merged = crossings.merged(token) if parts is None else merge_all(parts, ranks)
        if merged != [token]:
            raise NotExactError(
                f"{shown(token)} is a token, but merges do not make it of its parts; {_WAY_OUT}"
            )


def _endings(crossed: Sequence[str], needed: Set[str]) -> tuple[str, ...]:
    """Return texts that end what is crossed and nothing that is needed, as short as may be."""
    found = set()
    for word in crossed:
        for start in range(len(word) - 1, -1, -1):
            if not any(other.endswith(word[start:]) for other in needed):
                found.add(word[start:])
                break
    return tuple(sorted(found))
