"""Greedy n-gram splitting of candidates: rare sequences are cut. Source: SPEC section 7."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from superword.errors import TrainingError
from superword.settings import MAX_COUNT, Settings

_Progress = Callable[[str, int, int], None] | None
_Candidates = Sequence[tuple[tuple[int, ...], int]]
_STAGE = "ngrams"


def ngram_threshold(ops: Sequence[tuple[str, int, int, int, int]], settings: Settings) -> int:
    """How often an n-gram must occur to stay whole.

    Args:
        ops: those of phase 1.
        settings: `ngram_floor` is the least that it can be.

    Returns:
        The count of the last merge op, or the floor if that is higher or there is none.

    >>> settings = Settings("superbpe", 300, 290, 10, ngram_split=True, ngram_floor=2)
    >>> ngram_threshold([("merge", 97, 98, 256, 9), ("merge", 256, 99, 257, 4)], settings)
    4

    Source: SPEC 7.
    """
    last = next((count for kind, *_, count in reversed(ops) if kind == "merge"), 0)
    return max(last, settings.ngram_floor)


def split_ngrams(
    ops: Sequence[tuple[str, int, int, int, int]],
    candidates: _Candidates,
    settings: Settings,
    progress: _Progress = None,
) -> list[tuple[tuple[int, ...], int]]:
    """Cut candidates from left to right into the longest n-grams that are frequent.

    Args:
        ops: those of phase 1; the count of the last one is a part of what frequent means.
        candidates: distinct sequences of creation numbers with their counts, from `split_runs`.
        settings: `ngram_floor` and `ngram_max_length`.
        progress: called with ("ngrams", n, `ngram_max_length`).

    Returns:
        The pieces of two or more pretokens, distinct and ascending by their creation numbers; the
        candidates as they are if no n-gram is frequent.

    Raises:
        TrainingError: a count could pass 2^63 - 1.

    >>> settings = Settings("superbpe", 300, 290, 10, ngram_split=True, ngram_floor=3)
    >>> split_ngrams([], [((97, 98, 99), 2), ((97, 98, 100), 1)], settings)
    [((97, 98), 3)]

    Source: SPEC 7.
    """
    total = 0
    for candidate, count in candidates:
        total += len(candidate) * count
        if total > MAX_COUNT:
            raise TrainingError("a count would pass 2^63 - 1")
    least = ngram_threshold(ops, settings)
    lengths = _frequent_lengths(candidates, least, settings.ngram_max_length, progress)
    if all(length == 1 for places in lengths for length in places):
        return list(candidates)
    pieces: dict[tuple[int, ...], int] = {}
    for (candidate, count), places in zip(candidates, lengths, strict=True):
        start = 0
        while start < len(candidate):
            end = start + places[start]
            if end > start + 1:
                piece = tuple(candidate[start:end])
                pieces[piece] = pieces.get(piece, 0) + count
            start = end
    return sorted(pieces.items())


def _frequent_lengths(
    candidates: _Candidates, least: int, longest: int, progress: _Progress
) -> list[list[int]]:
    """For each place of each candidate the length of the longest frequent n-gram that starts there.

    1 where there is none. An n-gram is the pair of the two (n-1)-grams in it, by their numbers, so
    a size needs one number a place, and counts those n-grams alone whose parts are frequent.
    """
    lengths = [[1] * len(candidate) for candidate, _ in candidates]
    # n-grams of the size before, by their first place: in the beginning the pretokens themselves
    numbers: list[dict[int, int]] = [dict(enumerate(candidate)) for candidate, _ in candidates]
    for size in range(2, longest + 1):
        if progress is not None:
            progress(_STAGE, size - 1, longest)
        counts: dict[tuple[int, int], int] = {}
        for (_, count), known in zip(candidates, numbers, strict=True):
            for place, number in known.items():
                if place + 1 in known:
                    pair = (number, known[place + 1])
                    counts[pair] = counts.get(pair, 0) + count
        frequent: dict[tuple[int, int], int] = {}
        for pair, count in counts.items():
            if count >= least:
                frequent[pair] = len(frequent)
        if not frequent:
            break
        for index, known in enumerate(numbers):
            kept = {}
            for place, number in known.items():
                ngram = frequent.get((number, known.get(place + 1, -1)))
                if ngram is not None:
                    kept[place] = ngram
                    lengths[index][place] = size
            numbers[index] = kept
    if progress is not None:
        progress(_STAGE, longest, longest)
    return lengths
