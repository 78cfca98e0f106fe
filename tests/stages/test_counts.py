"""Counting: a textbook count, any partition, tables that a user brings, bounds, cancelling."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from superword.errors import InputError, SuperwordError, TrainingError

TEXTS = st.lists(st.text(alphabet="ab A1.\n'é<>", max_size=12), max_size=8)
LARGEST = 2**63 - 1


def tables(counts: Any) -> tuple[Any, ...]:
    return (
        counts.documents,
        counts.bytes,
        counts.pretokens,
        counts.distinct_pretokens,
        counts.pretoken_counts(),
        counts.run_counts(),
    )


def textbook(backend: ModuleType, texts: list[str], special: list[str]) -> tuple[Any, ...]:
    pretokens: list[bytes] = []
    runs: list[tuple[bytes, ...]] = []
    for text in texts:
        for piece, number in backend.split_special_tokens(text, special):
            if number is None:
                here = backend.pretokenize(piece, "gpt2")
                pretokens += here
                run: list[bytes] = []
                for pretoken in [*here, b"."]:
                    if backend.is_eligible_text(pretoken):
                        run.append(pretoken)
                    else:
                        runs += [tuple(run)] if len(run) > 1 else []
                        run = []
    return (
        len(texts),
        sum(map(len, pretokens)),
        len(pretokens),
        len(set(pretokens)),
        sorted(Counter(pretokens).items()),
        sorted(Counter(runs).items()),
    )


@settings(deadline=None)
@given(texts=TEXTS, special=st.sampled_from([[], ["<>"], ["a", "ab"]]), threads=st.integers(1, 3))
def test_against_a_textbook_count(
    backend: ModuleType, texts: list[str], special: list[str], threads: int
) -> None:
    counts = backend.count_documents([[], texts], "gpt2", special, True, threads)
    assert tables(counts) == textbook(backend, texts, special)
    without = backend.count_documents([texts], "gpt2", special, False, threads)
    assert tables(without) == (*tables(counts)[:5], [])


@settings(deadline=None)
@given(texts=TEXTS, cuts=st.lists(st.integers(0, 8), max_size=3), threads=st.integers(1, 3))
def test_any_partition_merged_is_the_whole(
    backend: ModuleType, texts: list[str], cuts: list[int], threads: int
) -> None:
    edges = [0, *sorted(min(cut, len(texts)) for cut in cuts), len(texts)]
    parts = [
        backend.count_documents([texts[start:end]], "gpt2", [], True, threads)
        for start, end in pairwise(edges)
    ]
    whole = tables(backend.count_documents([[text] for text in texts], "gpt2", [], True, 1))
    assert tables(backend.merge_counts(parts)) == whole
    assert tables(backend.merge_counts(parts[::-1])) == whole
    assert tables(backend.merge_counts([backend.merge_counts(parts)])) == whole


def test_no_part_is_the_empty_corpus(backend: ModuleType) -> None:
    assert tables(backend.merge_counts([])) == (0, 0, 0, 0, [], [])
    assert tables(backend.count_documents([], "gpt2", [], True, 2)) == (0, 0, 0, 0, [], [])
    assert tables(backend.count_files([], "gpt2", [], True, 2)) == (0, 0, 0, 0, [], [])


def test_runs_end_at_documents_special_tokens_and_what_has_no_letter(backend: ModuleType) -> None:
    texts = ["to be, or not", "to be|or not", "to 1 be"]
    counts = backend.count_documents([texts], "gpt2", ["|"], True, 1)
    assert counts.run_counts() == [
        ((b" or", b" not"), 1),
        ((b"or", b" not"), 1),
        ((b"to", b" be"), 2),
    ]


def test_a_table_adds_up_equal_entries(backend: ModuleType) -> None:
    pretokens = [(b"b", 3), (b"a", 1), (b"\xff", 2), (b"a", 4)]
    runs = [((b"b", b"a"), 1), ((b"a", b"b", b"a"), 1), ((b"b", b"a"), 1)]
    assert tables(backend.count_table(pretokens, runs, 7)) == (
        7,
        10,
        10,
        3,
        [(b"a", 5), (b"b", 3), (b"\xff", 2)],
        [((b"a", b"b", b"a"), 1), ((b"b", b"a"), 2)],
    )


@pytest.mark.parametrize(
    ("pretokens", "runs", "documents", "error"),
    [
        ([(b"a", 1), (b"", 1)], [], 0, "pretoken 1: is empty"),
        ([(b"a", 0)], [], 0, "pretoken 0: the count must be from 1 to 2^63 - 1"),
        ([(b"a", -1)], [], 0, "pretoken 0: the count must be from 1 to 2^63 - 1"),
        ([(b"a", 2**63)], [], 0, "pretoken 0: the count must be from 1 to 2^63 - 1"),
        ([(b"a", 2**64)], [], 0, "pretoken 0: the count must be from 1 to 2^63 - 1"),
        ([(b"a", 2)], [((b"a", b"a"), 0)], 0, "run 0: the count must be from 1 to 2^63 - 1"),
        ([(b"a", 2)], [((b"a", b"a"), 1), ((b"a",), 1)], 0, "run 1: needs at least two pretokens"),
        ([(b"a", 2)], [((), 1)], 0, "run 0: needs at least two pretokens"),
        (
            [(b"a", 2)],
            [((b"a", b"\x0f"), 1)],
            0,
            "run 0: the pretoken 0f (hex) is not in the table of pretokens",
        ),
        (
            [(b"b", 1), (b"a", 3)],
            [((b"a", b"a"), 1), ((b"b", b"b", b"a", b"a"), 1)],
            0,
            "the runs hold the pretoken 61 (hex) more often than its count, 3",
        ),
        (
            [(b"a", 2**62)],
            [((b"a",) * 1000, 2**62)],
            0,
            f"the runs hold the pretoken 61 (hex) more often than its count, {2**62}",
        ),
        ([], [], -1, "the number of documents must be from 0 to 2^63 - 1"),
        ([], [], 2**63, "the number of documents must be from 0 to 2^63 - 1"),
    ],
)
def test_a_table_that_cannot_be(
    backend: ModuleType, pretokens: Any, runs: Any, documents: int, error: str
) -> None:
    with pytest.raises(InputError) as caught:
        backend.count_table(pretokens, runs, documents)
    assert str(caught.value) == error


def test_counts_have_a_bound(backend: ModuleType) -> None:
    largest = backend.count_table([(b"a", LARGEST)], [((b"a", b"a"), LARGEST // 2)], LARGEST)
    assert tables(largest)[:4] == (LARGEST, LARGEST, LARGEST, 1)
    message = r"^a count would pass 2\^63 - 1$"
    with pytest.raises(TrainingError, match=message):
        backend.count_table([(b"a", LARGEST), (b"a", 1)], [], 0)
    with pytest.raises(TrainingError, match=message):
        backend.count_table([(b"a", LARGEST), (b"b", 1)], [], 0)
    with pytest.raises(TrainingError, match=message):
        backend.count_table([(b"ab", 2**62)], [], 0)
    one = backend.count_table([(b"b", 1)], [], 0)
    with pytest.raises(TrainingError, match=message):
        backend.merge_counts([largest, one])
    document = backend.count_table([], [], 1)
    with pytest.raises(TrainingError, match=message):
        backend.merge_counts([largest, document])


def write(path: Path, lines: list[str]) -> tuple[str, str, str, str]:
    path.write_text("\n".join(lines), encoding="utf-8", newline="")
    return (str(path), "jsonl", "none", "text")


# long words, so that the files take several batches and the reference little time
GOOD = '{"text": "to be %s"}' % ("x" * 500)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_first_error_of_all_is_reported(
    backend: ModuleType, tmp_path: Path, threads: int
) -> None:
    good = write(tmp_path / "good", [GOOD] * 3_000)
    late = write(tmp_path / "late", [GOOD] * 3_000 + ["{}"] + [GOOD] * 9 + ["[]"])
    early = write(tmp_path / "early", ["[]"] + [GOOD] * 5)
    missing = (str(tmp_path / "missing"), "jsonl", "none", "text")
    for sources, error in [
        ([good, late, early, missing], f"{late[0]}: line 3001: the object has no field 'text'"),
        ([good, missing, early], f"{missing[0]}: there is no such file"),
        ([early, late], f"{early[0]}: line 1: column 1: expected '{{'"),
    ]:
        with pytest.raises(InputError) as caught:
            backend.count_files(sources, "gpt2", [], False, threads)
        assert str(caught.value).startswith(error)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_files_give_what_their_documents_give(
    backend: ModuleType, tmp_path: Path, threads: int
) -> None:
    texts = [f"to be {number % 7} or not\n{'x' * (500 + number % 99)}" for number in range(3_000)]
    first = write(tmp_path / "first", [json.dumps({"text": text}) for text in texts])
    whole = tmp_path / "whole"
    whole.write_text("\n".join(texts), encoding="utf-8", newline="")
    files = [first, (str(whole), "text", "none", "")]
    counts = backend.count_files(files, "gpt2", ["not"], True, threads)
    documents = [*texts, "\n".join(texts)]
    expected = backend.count_documents([documents], "gpt2", ["not"], True, 1)
    assert tables(counts) == tables(expected)


class StopError(Exception):
    pass


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_is_reported_and_can_stop(
    backend: ModuleType, tmp_path: Path, threads: int
) -> None:
    source = write(tmp_path / "a", [GOOD] * 2_000)
    size = Path(source[0]).stat().st_size
    calls: list[tuple[str, int, int]] = []
    backend.count_files(
        [source, source], "gpt2", [], True, threads, lambda *call: calls.append(call)
    )
    assert {(stage, total) for stage, _, total in calls} == {("count", 2 * size)}
    done = [done for _, done, _ in calls]
    assert done == sorted(done)
    assert done[-1] == 2 * size

    def stop(stage: str, done: int, total: int) -> None:
        if done >= size // 2:
            raise StopError

    def stop_at_once(stage: str, done: int, total: int) -> None:
        raise StopError

    with pytest.raises(StopError):
        backend.count_files([source], "gpt2", [], True, threads, stop)
    with pytest.raises(StopError):
        backend.count_documents([["to be"]], "gpt2", [], True, threads, stop_at_once)


def test_what_the_documents_raise_is_raised(backend: ModuleType) -> None:
    def batches() -> Iterator[list[str]]:
        yield ["to be"]
        raise StopError

    for threads in (1, 2):
        with pytest.raises(StopError):
            backend.count_documents(batches(), "gpt2", [], True, threads)


def test_errors_are_of_the_one_hierarchy(backend: ModuleType) -> None:
    with pytest.raises(SuperwordError):
        backend.count_documents([["a"]], "gpt2", ["a", "a"], True, 1)
