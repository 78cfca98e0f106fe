"""What published files say of the corpus, beside a replay straight from its definition."""

from __future__ import annotations

from fractions import Fraction

import pytest
from compose import ALPHABETS, add_superwords, count_texts, settings_for, spell
from hypothesis import given
from hypothesis import strategies as st
from oracle.columns import replay
from oracle.ngrams import cut, frequent_ngrams

from superword.errors import ModelFormatError

TEXTS = st.lists(st.text("ab c'é1", max_size=14), min_size=1, max_size=5)


def expected_columns(backend, counts, chosen, ops):
    """Flags of regular merges and of supermerges, and the counts of tokens, by the oracle."""
    pretokens = counts.pretoken_counts()
    words = [([bytes([byte]) for byte in text], n) for text, n in pretokens]
    regular = [op[:3] for op in ops if op[0] != "supermerge"]
    flags, token_counts = replay(regular, words, chosen.blow_up)
    if chosen.algorithm == "bpe":
        return flags, [], token_counts
    phase_1 = backend.train_merges(pretokens, chosen)[0]
    single = backend.single_token_pretokens(phase_1, pretokens, chosen)
    made = dict(enumerate(ALPHABETS[chosen.alphabet]))
    for _, left, right, new, _ in phase_1:
        made.setdefault(new, made[left] + made[right])  # (a delete names what is made)
    whole = [
        ([made[token] for token in run], n)
        for run, n in backend.split_runs(counts.run_counts(), single)
    ]
    candidates = whole
    if chosen.ngram_split:
        least = max(*[op[4] for op in phase_1 if op[0] == "merge"][-1:], chosen.ngram_floor, 0)
        if frequent := frequent_ngrams(whole, least, chosen.ngram_max_length):
            candidates = [(list(piece), n) for run, n in whole for piece in cut(run, frequent)]
    supermerges = [op[:3] for op in ops if op[0] == "supermerge"]
    super_flags, token_counts = replay(supermerges, candidates, None)
    return flags, super_flags, token_counts


@given(
    texts=TEXTS,
    algorithm=st.sampled_from(["bpe", "superbpe", "boundless"]),
    size=st.integers(256, 275),
    id_order=st.sampled_from(["creation", "regular-first"]),
    deleting=st.sampled_from([(None, None), ("1/2", "pair"), ("4/5", "bytes"), ("1", "pair")]),
    floor=st.sampled_from([None, None, 1, 2]),
)
def test_columns(both_backends, texts, algorithm, size, id_order, deleting, floor):
    supermerges = min(3, size - 256) if algorithm == "superbpe" else 0
    others = {"ngram_split": True, "ngram_floor": floor, "ngram_max_length": 3}
    chosen = settings_for(
        algorithm,
        size,
        supermerges,
        scheme="gpt4o-scripts",
        id_order=id_order,
        tau=None if deleting[0] is None else Fraction(deleting[0]),
        blow_up=deleting[1],
        **(others if floor is not None and algorithm != "bpe" else {}),
    )
    files = set()
    for backend in both_backends:
        counts = count_texts(backend, texts, chosen)
        artifact = backend.train_counts(counts, chosen)[0]
        file = backend.publish(counts, chosen, artifact)
        files.add(file)
        kind, vocabulary, _, words, superwords = backend.published_from_bytes(file)
        model = backend.model_from_bytes(artifact)
        ops = spell(model[19], "bytes")[0]
        flags, super_flags, token_counts = expected_columns(backend, counts, chosen, ops)
        assert [row[4] for row in words[1]] == flags
        assert [row[4] for row in (superwords or ("", []))[1]] == super_flags
        assert [row[1] for row in vocabulary] == [token_counts.get(row[0], 0) for row in vocabulary]
        assert kind == {"bpe": "word"}.get(algorithm, algorithm)
        # the way back: the same but for what such a file does not hold
        found = backend.model_from_bytes(backend.artifact_of_published(file))
        assert spell(found[19], "bytes")[0] == ops
        assert found[11:13] == model[11:13]
        encoders = backend.Encoder(found), backend.Encoder(model)
        ids = [[coder.token_bytes(n) for n in range(coder.vocab_size)] for coder in encoders]
        assert ids[0] == ids[1]
    assert len(files) == 1


def test_pieces_that_fall_out_of_phase_1(backend):
    """A pretoken that phase 1 makes whole after the last op of the model still takes part."""
    chosen = settings_for("boundless", 259, scheme="gpt2", alphabet="bytes")
    texts = ["b b b b b b b", "a b", "xyz b", "xyz a"]
    counts = count_texts(backend, texts, chosen)
    merges = backend.train_merges(counts.pretoken_counts(), chosen)[0]
    runs = counts.run_counts()
    ops, _ = add_superwords(backend, merges, counts.pretoken_counts(), runs, chosen)
    assert len(spell(ops, "bytes")[1]) == 259
    file = backend.publish(counts, chosen, backend.train_counts(counts, chosen)[0])
    words, supers = backend.published_from_bytes(file)[3:]
    assert len(words[1]) < len(merges)
    assert len(supers[1]) > 0


def test_an_artifact_that_is_none(backend):
    chosen = settings_for("bpe", 256, scheme="gpt2")
    counts = count_texts(backend, ["a"], chosen)
    with pytest.raises(ModelFormatError, match="no superword model"):
        backend.publish(counts, chosen, b"x")


@pytest.mark.parametrize("algorithm", ["bpe", "superbpe", "boundless"])
def test_it_reports_and_can_be_stopped(backend, algorithm):
    supermerges = 2 if algorithm == "superbpe" else 0
    chosen = settings_for(algorithm, 268, supermerges, scheme="gpt4o")
    counts = count_texts(backend, ["to be or not to be"] * 3, chosen)
    artifact = backend.train_counts(counts, chosen)[0]
    seen = []
    backend.publish(counts, chosen, artifact, lambda *report: seen.append(report))
    ops = len(backend.model_from_bytes(artifact)[19])
    assert ("publish", 0, ops) in seen
    assert seen[-1][0] == "publish"
    assert ("publish", ops, ops) in seen

    def stop(stage, done, total):
        if stage == "publish":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        backend.publish(counts, chosen, artifact, stop)
