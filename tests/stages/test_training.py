"""Training in one call equals the stages one after the other."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from compose import model_tuple, train_tables
from hypothesis import given, settings
from hypothesis import strategies as st

from superword.model import Model
from superword.settings import Settings

TEXT = """To be, or not to be, that is the question: whether 'tis nobler in the mind to suffer the
slings and arrows of outrageous fortune, or to take arms against a sea of troubles, and by opposing
end them. To die, to sleep; no more; and by a sleep to say we end the heart-ache and the thousand
natural shocks that flesh is heir to: 'tis a consummation devoutly to be wish'd. To die, to sleep;
to sleep, perchance to dream: ay, there's the rub, for in that sleep of death what dreams may come
when we have shuffled off this mortal coil must give us pause. Être ou ne pas être, 是或不是。"""
ALGORITHMS = ["bpe", "superbpe", "boundless"]


def settings_of(algorithm: str, vocab_size: int, **more: Any) -> Settings:
    supermerges = (vocab_size - 256) // 8 if algorithm == "superbpe" else 0
    return Settings(algorithm, vocab_size, vocab_size - supermerges, supermerges, **more)


def count(backend: ModuleType, documents: list[str], chosen: Settings) -> Any:
    runs = chosen.algorithm != "bpe"
    return backend.count_documents(
        iter([documents]), chosen.scheme, list(chosen.special_tokens), runs, 1
    )


def composed(backend: ModuleType, counts: Any, chosen: Settings) -> tuple[bytes, str]:
    ops, stop = train_tables(backend, counts.pretoken_counts(), counts.run_counts(), chosen)
    return backend.model_to_bytes(model_tuple(backend, counts, chosen, ops)), stop


@given(
    st.lists(st.text("ab '.é", max_size=30), max_size=6),
    st.sampled_from(ALGORITHMS),
    st.integers(256, 275),
    st.sampled_from([(), ("b ",), ("'", "a a")]),
)
@settings(max_examples=60, deadline=None)
def test_equals_the_stages(
    backend: ModuleType,
    documents: list[str],
    algorithm: str,
    vocab_size: int,
    special_tokens: tuple[str, ...],
) -> None:
    chosen = settings_of(algorithm, vocab_size, special_tokens=special_tokens)
    counts = count(backend, documents, chosen)
    assert backend.train_counts(counts, chosen)[:2] == composed(backend, counts, chosen)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_artifact_holds_the_settings(backend: ModuleType, algorithm: str) -> None:
    chosen = settings_of(
        algorithm, 400, scheme="gpt2", special_tokens=("<s>",), id_order="creation"
    )
    counts = count(backend, [TEXT, ""], chosen)
    artifact, stop, _ = backend.train_counts(counts, chosen)
    model = Model(*backend.model_from_bytes(artifact))
    assert stop == "vocab_size"
    assert (model.algorithm, model.scheme, model.id_order) == (algorithm, "gpt2", "creation")
    assert (model.alphabet, model.rules) == ("bytes", "superword")
    assert list(model.special_tokens) == ["<s>"]
    assert (model.documents, model.bytes) == (2, len(TEXT.encode()))
    assert model.pretokens == len(backend.pretokenize(TEXT, "gpt2"))
    assert model.distinct_pretokens == len(set(backend.pretokenize(TEXT, "gpt2")))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_encoding_the_corpus_gives_what_training_left(backend: ModuleType, algorithm: str) -> None:
    """Each op replaced as many pairs as its count says, and encoding replaces the same."""
    chosen = settings_of(algorithm, 400)
    documents = TEXT.split("\n") * 3
    artifact, *_ = backend.train_counts(count(backend, documents, chosen), chosen)
    model = Model(*backend.model_from_bytes(artifact))
    encoder = backend.Encoder(model)
    assert encoder.vocab_size == 400
    ids = encoder.encode_batch(documents, None, 2)
    assert sum(map(len, ids)) == model.bytes - sum(op[4] for op in model.ops)
    assert [encoder.decode_bytes(one).decode() for one in ids] == documents
    used_superwords = {i for one in ids for i in one if encoder.is_superword(i)}
    assert bool(used_superwords) == (algorithm != "bpe")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_empty_corpus_gives_the_alphabet(backend: ModuleType, algorithm: str) -> None:
    chosen = settings_of(algorithm, 300)
    artifact, stop, _ = backend.train_counts(count(backend, [], chosen), chosen)
    model = Model(*backend.model_from_bytes(artifact))
    assert (list(model.ops), model.documents, stop) == ([], 0, "no_pairs")


def test_a_phase_1_that_ends_early_is_the_reason(backend: ModuleType) -> None:
    """All supermerges are added, and yet there are fewer tokens than were asked for."""
    table = ([(b"ab", 9), (b"cd", 9), (b"xy", 2)], [((b"ab", b"cd"), 9)], 1)
    for min_count, reason in ((3, "min_count"), (1, "no_pairs")):
        chosen = Settings("superbpe", 300, 299, 1, min_count=min_count)
        artifact, stop, _ = backend.train_counts(backend.count_table(*table), chosen)
        ops = Model(*backend.model_from_bytes(artifact)).ops
        assert [op[0] for op in ops].count("supermerge") == 1
        assert stop == reason
    chosen = Settings("superbpe", 300, 258, 42)
    assert backend.train_counts(backend.count_table(*table), chosen)[1] == "no_pairs"


def test_progress_names_the_stages_and_can_stop(backend: ModuleType) -> None:
    chosen = settings_of("boundless", 300)
    counts = count(backend, [TEXT], chosen)
    stages: list[str] = []
    backend.train_counts(counts, chosen, lambda stage, done, total: stages.append(stage))
    assert "candidates" in stages
    assert set(stages) <= {"merges", "candidates", "superwords"}

    def stop(stage: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        backend.train_counts(counts, chosen, stop)
