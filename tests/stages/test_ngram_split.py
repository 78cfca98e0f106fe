"""Greedy n-gram splitting: what is frequent, where candidates are cut, what stays as it is."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.ngrams import split

from superword.errors import TrainingError
from superword.settings import Settings


def chosen(floor: int = 1, longest: int = 30) -> Settings:
    return Settings(
        *("boundless", 300, 300, 0),
        ngram_split=True,
        ngram_floor=floor,
        ngram_max_length=longest,
    )


def tables(tokens: str, longest: int) -> st.SearchStrategy[list[Any]]:
    """Distinct candidates with small counts, in order."""
    sequence = st.lists(st.sampled_from(list(tokens.encode())), min_size=2, max_size=longest)
    table = st.dictionaries(sequence.map(tuple), st.integers(1, 5), max_size=9)
    return table.map(lambda counts: sorted(counts.items()))


@settings(max_examples=300)
@given(
    candidates=tables("ab", 12) | tables("abcd", 7) | tables("a", 40),
    floor=st.integers(1, 12),
    longest=st.integers(2, 6) | st.just(30),
)
def test_the_oracle(backend: ModuleType, candidates: list[Any], floor: int, longest: int) -> None:
    assert backend.split_ngrams([], candidates, chosen(floor, longest)) == split(
        candidates, floor, longest
    )


def test_the_last_merge_or_the_floor_decides(backend: ModuleType) -> None:
    candidates = [((97, 98), 4), ((97, 99), 7)]
    ops = [("merge", 97, 98, 256, 9), ("merge", 97, 99, 257, 5)]

    def whole(ops: list[Any], floor: int) -> list[Any]:
        pieces = backend.split_ngrams(ops, candidates, chosen(floor))
        return [piece for piece, _ in pieces]

    assert whole(ops, 1) == [(97, 99)]
    assert whole(ops, 5) == [(97, 99)]
    assert whole(ops[:0], 4) == [(97, 98), (97, 99)]
    # nothing is frequent: nothing is cut
    assert whole(ops[:1], 1) == whole(ops, 8) == [(97, 98), (97, 99)]


def test_the_longest_comes_first_and_the_rest_starts_anew(backend: ModuleType) -> None:
    candidates = [((97, 98), 2), ((97, 98, 99), 3), ((97, 98, 99, 97, 98, 100), 1)]
    found = backend.split_ngrams([], candidates, chosen(3))
    assert found == [((97, 98), 3), ((97, 98, 99), 4)]
    # a candidate that is cut after its last pair leaves a single pretoken, which has no pair
    assert backend.split_ngrams([], candidates, chosen(3, 2)) == [((97, 98), 7)]


def test_every_place_counts(backend: ModuleType) -> None:
    """`aaaa` holds three times `aa`, overlapping ones too."""
    found = backend.split_ngrams([], [((97,) * 4, 1), ((98, 99), 1)], chosen(3))
    assert found == [((97, 97), 2)]


def test_an_empty_table(backend: ModuleType) -> None:
    assert backend.split_ngrams([], [], chosen()) == []


@pytest.mark.parametrize("table", [[((97, 98), 2**62)], [((97, 98), 2**61), ((98, 97), 2**61)]])
def test_counts_have_a_bound(backend: ModuleType, table: list[Any]) -> None:
    with pytest.raises(TrainingError, match=r"^a count would pass 2\^63 - 1$"):
        backend.split_ngrams([], table, chosen())
    assert backend.split_ngrams([], [((97, 98), 2**61)], chosen()) == [((97, 98), 2**61)]


def test_progress_goes_to_the_end_and_can_stop(backend: ModuleType) -> None:
    calls: list[tuple[str, int, int]] = []
    candidates = [((97,) * 9, 2)]
    backend.split_ngrams([], candidates, chosen(), lambda *call: calls.append(call))
    assert {stage for stage, _, _ in calls} == {"ngrams"}
    assert calls[-1] == ("ngrams", 30, 30)

    def stop(*call: object) -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        backend.split_ngrams([], candidates, chosen(), stop)
