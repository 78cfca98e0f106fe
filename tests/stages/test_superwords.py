"""Phase 2: named cases, and Algorithm 1 replayed with a full recount at every step."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest
from compose import spell
from hypothesis import given
from hypothesis import strategies as st
from oracle.bpe import count_pairs, replace_pair

from superword.errors import TrainingError
from superword.settings import Settings

CASES = json.loads((Path(__file__).parents[1] / "cases/superwords.json").read_text("utf-8"))[
    "cases"
]


def named_ops(merges) -> list[tuple[str, int, int, int, int]]:
    number = {bytes([byte]): byte for byte in range(256)}
    out = []
    for left, right, count in merges:
        x, y = left.encode(), right.encode()
        out.append(("merge", number[x], number[y], number.setdefault(x + y, len(number)), count))
    return out


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_case(backend: ModuleType, case: dict) -> None:
    ops = named_ops(case["ops"])
    number = {string: i for i, string in enumerate(spell(ops, "bytes")[1])}
    candidates = [
        (tuple(number[token.encode()] for token in tokens), count)
        for tokens, count in case["candidates"]
    ]
    size = 256 + case["tokens"]
    names = ("min_count", "max_token_bytes", "max_superword_pretokens")
    settings = Settings(
        case.get("algorithm", "boundless"),
        size + case.get("supermerges", 0),
        size,
        case.get("supermerges", 0),
        **{name: case[name] for name in names if name in case},
    )
    final, stop = backend.train_superwords(ops, candidates, settings)
    strings = spell(final, "bytes")[1]
    assert [(op[0][0], strings[op[1]], strings[op[2]], op[4]) for op in final] == [
        (kind, left.encode(), right.encode(), count) for kind, left, right, count in case["final"]
    ]
    assert stop == case["stop"]


def textbook(merges, sequences, settings: Settings) -> tuple[list, str]:
    """Algorithm 1 and SuperBPE on byte strings, everything recounted at every step."""
    boundless = settings.algorithm == "boundless"
    regular = {left + right for left, right, _ in merges}
    vocabulary = {bytes([byte]) for byte in range(256)}
    final = []
    waiting = list(merges)
    if not boundless:
        final = [("merge", *merge) for merge in waiting]
        vocabulary |= regular
        waiting = []
    lengths = dict.fromkeys(vocabulary | regular, 1)
    start = len(vocabulary)
    goal = settings.vocab_size if boundless else start + settings.supermerges
    longest, most = settings.max_token_bytes, settings.max_superword_pretokens
    while True:
        if len(vocabulary) >= goal:
            return final, "vocab_size"
        counts = {
            (x, y): count
            for (x, y), count in count_pairs(sequences).items()
            if (longest is None or len(x + y) <= longest)
            and (most is None or lengths[x] + lengths[y] <= most)
        }
        best = min(counts, key=lambda pair: (-counts[pair], pair), default=None)
        if (
            best is not None
            and counts[best] >= settings.min_count
            and (not waiting or (counts[best] > waiting[0][2] and set(best) <= vocabulary))
        ):
            x, y = best
            final.append(("supermerge", x, y, counts[best]))
            lengths.setdefault(x + y, lengths[x] + lengths[y])
            sequences = [(replace_pair(tokens, x, y), count) for tokens, count in sequences]
        elif waiting:
            x, y, count = waiting.pop(0)
            final.append(("merge", x, y, count))
        else:
            return final, "no_pairs" if best is None else "min_count"
        vocabulary.add(x + y)


@st.composite
def problems(draw: st.DrawFn):
    """A phase 1 over "abc", its counts falling, and candidates of its tokens."""
    tokens = [b"a", b"b", b"c"]
    merges = []
    count = draw(st.integers(1, 12))
    for _ in range(draw(st.integers(0, 6))):
        left, right = draw(st.sampled_from(tokens)), draw(st.sampled_from(tokens))
        if left + right not in tokens:
            tokens.append(left + right)
            merges.append((left, right, count))
            count = max(1, count - draw(st.integers(0, 2)))
    sequence = st.lists(st.sampled_from(tokens), min_size=2, max_size=12)
    candidates = draw(st.lists(st.tuples(sequence, st.integers(1, 5)), max_size=6))
    supermerges = draw(st.integers(0, 12))
    algorithm = draw(st.sampled_from(["boundless", "superbpe"]))
    size = 256 + draw(st.integers(0, 18))
    settings = Settings(
        algorithm,
        size,
        size,
        supermerges if algorithm == "superbpe" else 0,
        min_count=draw(st.integers(1, 3)),
        max_token_bytes=draw(st.none() | st.integers(1, 9)),
        max_superword_pretokens=draw(st.none() | st.integers(1, 5)),
    )
    return merges, candidates, settings


@given(problems())
def test_every_step_is_the_full_recount(backend: ModuleType, problem) -> None:
    merges, candidates, settings = problem
    ops = named_ops([(x.decode(), y.decode(), count) for x, y, count in merges])
    number = {string: i for i, string in enumerate(spell(ops, "bytes")[1])}
    sequences = [(tuple(number[t] for t in tokens), count) for tokens, count in candidates]
    final, stop = backend.train_superwords(ops, sequences, settings)
    strings = spell(final, "bytes")[1]
    found = [(op[0], strings[op[1]], strings[op[2]], op[4]) for op in final]
    assert (found, stop) == textbook(merges, candidates, settings)
    assert backend.train_superwords(ops, sequences[::-1], settings) == (final, stop)


def test_a_long_run_of_one_word(backend: ModuleType) -> None:
    settings = Settings("superbpe", 266, 256, 10)
    final, _ = backend.train_superwords([], [((97,) * 300_000, 1)], settings)
    assert tuple(final[0]) == ("supermerge", 97, 97, 256, 150_000)
    assert len(final) == 10


def test_counts_up_to_the_bound(backend: ModuleType) -> None:
    settings = Settings("superbpe", 266, 256, 10)
    final, _ = backend.train_superwords([], [((97, 98), 2**62 - 1)], settings)
    assert tuple(final[0]) == ("supermerge", 97, 98, 256, 2**62 - 1)
    with pytest.raises(TrainingError, match=r"^a count would pass 2\^63 - 1$"):
        backend.train_superwords([], [((97, 98), 2**62)], settings)


@pytest.mark.parametrize("algorithm", ["superbpe", "boundless"])
def test_progress(backend: ModuleType, algorithm: str) -> None:
    calls: list[tuple[str, int, int]] = []
    settings = Settings(algorithm, 259, 259, 3)
    backend.train_superwords(
        [], [((97, 98, 99, 100), 1)], settings, lambda *call: calls.append(call)
    )
    assert {(stage, total) for stage, _, total in calls} == {("superwords", 3)}
    assert calls[-1][1] == 3
