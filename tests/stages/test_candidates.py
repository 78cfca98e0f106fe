"""Which pretokens are single tokens, and how runs become candidates."""

from __future__ import annotations

from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superword.errors import ModelFormatError, TrainingError
from superword.settings import Settings

SETTINGS = Settings("boundless", 400, 400, 0)


def apply_in_order(pretoken: bytes, ops) -> list[int]:
    """Encoding from its definition: every op in order, at all its places, left to right."""
    tokens = list(pretoken)
    for _, left, right, new, _ in ops:
        slot = 0
        while slot + 1 < len(tokens):
            if tokens[slot] == left and tokens[slot + 1] == right:
                tokens[slot : slot + 2] = [new]
            slot += 1
    return tokens


@given(
    st.dictionaries(st.text("ab!", min_size=1, max_size=10), st.integers(1, 9), max_size=8),
    st.integers(0, 12),
)
def test_single_tokens_are_what_encoding_gives(
    backend: ModuleType, words: dict, tokens: int
) -> None:
    settings = Settings("boundless", 256 + tokens, 256 + tokens, 0)
    pretokens = [(word.encode(), count) for word, count in words.items()]
    ops, _ = backend.train_merges(pretokens, settings)
    expected = []
    for pretoken, _ in pretokens:
        encoded = apply_in_order(pretoken, ops)
        if len(encoded) == 1 and set(pretoken) != {ord("!")}:
            expected.append((pretoken, encoded[0]))
    assert backend.single_token_pretokens(ops, pretokens, settings) == expected


def test_no_letter_and_no_text_are_not_eligible(backend: ModuleType) -> None:
    pretokens = [(b"7", 1), (b"a", 1), (b"\xc3", 1), (b"_", 1)]
    assert backend.single_token_pretokens([], pretokens, SETTINGS) == [(b"a", 97)]


def test_the_alphabet_utf8_has_its_own_numbers(backend: ModuleType) -> None:
    settings = Settings("boundless", 244, 244, 0, alphabet="utf8")
    ops = [("merge", 0xC3 - 2, 0xA9, 243, 1)]
    assert backend.single_token_pretokens(ops, [("é".encode(), 1)], settings) == [
        ("é".encode(), 243)
    ]


def test_what_the_ops_do_not_reduce_is_not_eligible(backend: ModuleType) -> None:
    """ "abc" is a token, but the op (a, b) comes first: what deletions will make common."""
    ops = [("merge", 97, 98, 256, 1), ("merge", 98, 99, 257, 1), ("merge", 97, 257, 258, 1)]
    pretokens = [(b"abc", 1), (b"bc", 1)]
    assert backend.single_token_pretokens(ops, pretokens, SETTINGS) == [(b"bc", 257)]


def test_a_very_long_token(backend: ModuleType) -> None:
    """Encoding must not be quadratic in the length of a pretoken."""
    ops, new = [], 97
    for step in range(17):
        ops.append(("merge", new, new, 256 + step, 1))
        new = 256 + step
    pretoken = b"a" * 2**17
    assert backend.single_token_pretokens(ops, [(pretoken, 1)], SETTINGS) == [(pretoken, 272)]


def test_split_runs(backend: ModuleType) -> None:
    single = [(b"a", 97), (b"b", 98), (b"cc", 256)]
    runs = [
        ((b"b", b"a"), 1),
        ((b"a", b"x", b"b", b"cc", b"x", b"b", b"cc"), 2),
        ((b"b", b"a", b"x"), 3),
        ((b"x", b"x"), 7),
        ((b"a", b"b", b"cc"), 1),
    ]
    assert backend.split_runs(runs, single) == [
        ((97, 98, 256), 1),
        ((98, 97), 4),
        ((98, 256), 4),
    ]
    assert backend.split_runs([], single) == []
    assert backend.split_runs(runs, []) == []


def test_counts_up_to_the_bound(backend: ModuleType) -> None:
    single = [(b"a", 97), (b"b", 98)]
    runs = [((b"a", b"b", b"x"), 2**63 - 2), ((b"a", b"b"), 1)]
    assert backend.split_runs(runs, single) == [((97, 98), 2**63 - 1)]
    runs.append(((b"x", b"a", b"b"), 1))
    with pytest.raises(TrainingError, match=r"^a count would pass 2\^63 - 1$"):
        backend.split_runs(runs, single)


@pytest.mark.parametrize("second", [False, True], ids=["pretokens", "runs"])
def test_progress_is_reported_and_can_stop(backend: ModuleType, second: bool) -> None:
    single = [(bytes([number]), number) for number in range(97, 123)]
    runs = [((one, other), 1) for one, _ in single for other, _ in single]
    seen: list[tuple[str, int, int]] = []

    def call(progress) -> list:
        if second:
            return backend.split_runs(runs, single, progress)
        return backend.single_token_pretokens([], single, SETTINGS, progress)

    total = len(runs) if second else len(single)
    assert len(call(lambda *report: seen.append(report))) == total
    assert {(stage, size) for stage, _, size in seen} == {("candidates", total)}
    done = [done for _, done, _ in seen]
    assert (done[0], done[-1]) == (0, total)
    assert done == sorted(done)

    def stop(stage: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        call(stop)


def test_ops_that_do_not_fit_together_are_refused(backend: ModuleType) -> None:
    with pytest.raises(ModelFormatError, match=r"^op 0: it makes token 256, not 300$"):
        backend.single_token_pretokens([("merge", 97, 98, 300, 1)], [(b"ab", 1)], SETTINGS)
