"""Phase 1: named cases, and a full recount after every step."""

from __future__ import annotations

import json
import time
from pathlib import Path
from types import ModuleType

import pytest
from compose import spell
from hypothesis import given
from hypothesis import strategies as st
from oracle.bpe import count_pairs

from superword.errors import InputError, TrainingError
from superword.settings import Settings

CASES = json.loads((Path(__file__).parents[1] / "cases/merges.json").read_text("utf-8"))["cases"]


def settings_of(case: dict, **more) -> Settings:
    size = (243 if case.get("alphabet") == "utf8" else 256) + case["tokens"]
    names = ("rules", "alphabet", "min_count", "max_token_bytes", "max_superword_pretokens")
    given_ = {name: case[name] for name in names if name in case}
    return Settings(case.get("algorithm", "bpe"), size, size, case.get("supermerges", 0), **given_)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_case(backend: ModuleType, case: dict) -> None:
    pretokens = [(text.encode(), count) for text, count in case["pretokens"]]
    ops, stop = backend.train_merges(pretokens, settings_of(case))
    strings = spell(ops, case.get("alphabet", "bytes"))[1]
    read = bytes.fromhex if case.get("hex") else str.encode
    assert [(op[0], strings[op[1]], strings[op[2]], op[4]) for op in ops] == [
        ("merge", read(left), read(right), count) for left, right, count in case["ops"]
    ]
    assert stop == case["stop"]


def replace(tokens: list[int], left: int, right: int, new: int) -> tuple[list[int], int]:
    out: list[int] = []
    made = slot = 0
    while slot < len(tokens):
        if tokens[slot : slot + 2] == [left, right]:
            out.append(new)
            made += 1
            slot += 2
        else:
            out.append(tokens[slot])
            slot += 1
    return out, made


def check_steps(sequences, steps, strings, rules, allowed) -> list:
    """Recount everything before each step: is it the best pair, with its true count?"""
    for _, left, right, new, count in steps:
        counts = {
            pair: n
            for pair, n in count_pairs(sequences, rules == "incremental").items()
            if allowed(*pair)
        }
        if rules == "superword":
            best = min(counts, key=lambda p: (-counts[p], strings[p[0]], strings[p[1]]))
        else:
            best = min(counts, key=lambda p: (-counts[p], p))
        assert (left, right) == best
        assert count == counts[best]
        done = [(replace(tokens, left, right, new), n) for tokens, n in sequences]
        if rules == "superword":
            assert count == sum(made * n for (_, made), n in done)
        sequences = [(tokens, n) for (tokens, _), n in done]
    return sequences


words = st.dictionaries(
    st.text("ab", min_size=1, max_size=12) | st.text("abc", min_size=1, max_size=20),
    st.integers(1, 5),
    max_size=8,
)


@given(
    words,
    st.sampled_from(["superword", "incremental"]),
    st.integers(0, 20),
    st.integers(1, 4),
    st.none() | st.integers(1, 6),
)
def test_every_step_is_the_full_recount(
    backend: ModuleType, words: dict, rules: str, tokens: int, least: int, longest: int | None
) -> None:
    size = 256 + tokens
    settings = Settings("bpe", size, size, 0, rules=rules, min_count=least, max_token_bytes=longest)
    pretokens = [(word.encode(), count) for word, count in words.items()]
    ops, stop = backend.train_merges(pretokens, settings)
    strings = spell(ops, "bytes")[1]

    def allowed(left: int, right: int) -> bool:
        return longest is None or len(strings[left]) + len(strings[right]) <= longest

    sequences = [(list(word), count) for word, count in pretokens]
    sequences = check_steps(sequences, ops, strings, rules, allowed)
    left = [
        n for pair, n in count_pairs(sequences, rules == "incremental").items() if allowed(*pair)
    ]
    if len(strings) == size:
        assert stop == "vocab_size"
    elif left:
        assert stop == "min_count"
        assert max(left) < least
    else:
        assert stop == "no_pairs"
    # no two merges of phase 1 give the same bytes
    assert len(strings) == 256 + len(ops)
    assert backend.train_merges(pretokens[::-1], settings) == (ops, stop)


@pytest.mark.parametrize("rules", ["superword", "incremental"])
def test_a_million_equal_letters(backend: ModuleType, rules: str) -> None:
    settings = Settings("bpe", 270, 270, 0, rules=rules)
    ops, _ = backend.train_merges([(b"a" * 1_000_000, 1)], settings)
    expected = 500_000 if rules == "superword" else 999_999
    assert tuple(ops[0]) == ("merge", 97, 97, 256, expected)
    assert len(ops) == 14


def test_a_long_pretoken_costs_what_is_touched(backend: ModuleType) -> None:
    """Most merges have one or two sites: if each walked the pretoken, this would take an hour."""
    text = "".join(chr(0x4E00 + i % 20_000) for i in range(40_000)).encode()
    assert len(text) == 120_000
    settings = Settings("bpe", 20_256, 20_256, 0, max_token_bytes=3)
    ops, stop = backend.train_merges([(text, 1)], settings)
    assert (len(ops), stop) == (20_000, "vocab_size")


def test_sites_that_touch_cost_what_they_are(backend: ModuleType) -> None:
    """One by one, each would walk all that were merged before it."""
    start = time.process_time()
    ops, _ = backend.train_merges([(b"ab" * 100_000, 1)], Settings("bpe", 258, 258, 0))
    assert time.process_time() - start < 60, "quadratic work would take much longer"
    assert [op[4] for op in ops] == [100_000, 50_000]


def test_counts_up_to_the_bound(backend: ModuleType) -> None:
    settings = Settings("bpe", 300, 300, 0)
    ops, _ = backend.train_merges([(b"ab", 2**62 - 1), (b"c", 1)], settings)
    assert tuple(ops[0]) == ("merge", 97, 98, 256, 2**62 - 1)
    for pretokens in ([(b"ab", 2**62)], [(b"ab", 2**62 - 1), (b"c", 2)]):
        with pytest.raises(TrainingError, match=r"^a count would pass 2\^63 - 1$"):
            backend.train_merges(pretokens, settings)


def test_a_byte_outside_the_alphabet(backend: ModuleType) -> None:
    settings = Settings("bpe", 300, 300, 0, alphabet="utf8")
    with pytest.raises(InputError) as error:
        backend.train_merges([(b"ok", 1), (b"a\xff\xc0", 1)], settings)
    assert str(error.value) == (
        "pretoken 61ffc0 has the byte ff, which is not in the alphabet 'utf8';"
        " use the alphabet 'bytes'"
    )


def test_progress(backend: ModuleType) -> None:
    calls: list[tuple[str, int, int]] = []
    settings = Settings("bpe", 260, 260, 0)
    backend.train_merges([(b"abcdefgh", 1)], settings, lambda *call: calls.append(call))
    assert {(stage, total) for stage, _, total in calls} == {("merges", 4)}
    assert calls[-1][1] == 4

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        backend.train_merges([(b"abcdefgh", 1)], settings, stop)
