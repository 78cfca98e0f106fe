"""SPEC 12.4: a smaller vocabulary gives a prefix of the ops, so a model can be cut to any size."""

import pytest
from compose import count_texts, settings_for, tables, train_documents
from differential.strategies import documents, prefix_free, texts
from hypothesis import given, settings
from hypothesis import strategies as st

ALGORITHMS = ["bpe", "superbpe", "boundless"]


def train(backend, counts, algorithm, size, supermerges, **others):
    """The artifact; the regular tokens of SuperBPE are those of every size."""
    added = supermerges if algorithm == "superbpe" else 0
    return backend.train_counts(counts, settings_for(algorithm, size, added, **others))[0]


def tokens_of(backend, data):
    return backend.load_model(data)[0].vocab_size


def check(backend, counts, algorithm, regular, more, **others):
    """Every size between the regular tokens (SuperBPE) or the alphabet and the whole model."""
    whole = train(backend, counts, algorithm, regular + more, more, **others)
    tokens = tokens_of(backend, whole)
    start = 256 if others.get("alphabet") != "utf8" else 243
    least = regular if algorithm == "superbpe" else start
    if algorithm == "superbpe" and tokens < regular + more:
        return  # which phase ended early is another matter: tests/api/test_snapshots.py
    for size in range(least, tokens + 1):
        cut = backend.truncate_model(whole, size)
        assert cut == train(backend, counts, algorithm, size, size - regular, **others), size


OTHERS = {
    "alphabet": st.sampled_from(["bytes", "utf8"]),
    "id_order": st.sampled_from(["regular-first", "creation"]),
    "min_count": st.integers(1, 3),
    "max_token_bytes": st.none() | st.integers(1, 6),
    "special_tokens": st.sampled_from([(), ("<s>", "a")]),
}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@settings(max_examples=60)
@given(
    corpus=prefix_free() | prefix_free(3),
    more=st.integers(0, 8),
    others=st.fixed_dictionaries(OTHERS),
)
def test_a_cut_is_a_training(backend, algorithm, corpus, more, others):
    counts = backend.count_table(*tables(corpus), 1)
    regular = (256 if others["alphabet"] == "bytes" else 243) + 3
    check(backend, counts, algorithm, regular, more, **others)


@pytest.mark.parametrize("algorithm", ["bpe", "superbpe"])
@settings(max_examples=60)
@given(corpus=documents("ab"), more=st.integers(0, 8))
def test_without_a_condition_for_bpe_and_superbpe(backend, algorithm, corpus, more):
    """Also where neighbours make a pretoken; the rules `incremental` for BPE alone."""
    counts = backend.count_table(*tables(corpus), 1)
    check(backend, counts, algorithm, 259, more)
    if algorithm == "bpe":
        check(backend, counts, algorithm, 259, more, rules="incremental")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@settings(max_examples=25)
@given(corpus=st.lists(texts(), max_size=5), more=st.integers(0, 20))
def test_texts_of_the_default_scheme(backend, algorithm, corpus, more):
    counts = count_texts(backend, corpus, settings_for("boundless", 300))
    check(backend, counts, algorithm, 258, more)


@pytest.mark.parametrize("rules", ["superword", "incremental"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_real_text(backend, tiny_corpus, algorithm, rules):
    if rules == "incremental" and algorithm != "bpe":
        return
    counts = count_texts(backend, tiny_corpus, settings_for("boundless", 300), 2)
    whole = train(backend, counts, algorithm, 1000, 300, rules=rules)
    for size in (700, 701, 850, 999, 1000):
        expected = train(backend, counts, algorithm, size, size - 700, rules=rules)
        assert backend.truncate_model(whole, size) == expected


def test_boundless_where_neighbours_make_a_pretoken(backend):
    """The condition is needed: the pretoken ab is one token for the larger phase 1 alone.

    So (ab, x) occurs 15 times there and 7 times in the smaller training, less than (c, d).
    """
    corpus = [
        *[[b"a", b"b"]] * 20,
        *[[b"a", b"b", b"x"]] * 7,
        *[[b"ab", b"x"]] * 8,
        *[[b"cd"]] * 10,
        *[[b"ef"]] * 9,
    ]
    small, _ = train_documents(backend, corpus, settings_for("boundless", 258))
    large, _ = train_documents(backend, corpus, settings_for("boundless", 259))
    assert small[0] == large[0] == ("supermerge", b"a", b"b", 27)
    assert small[1] == ("merge", b"c", b"d", 10)
    assert large[1] == ("supermerge", b"ab", b"x", 15)


def test_id_ties_depend_on_no_size(backend):
    """Rules `incremental`: an id is a number of creation, which no later op changes."""
    counts = backend.count_table(tables([[b"abcabc", b"bca", b"cab"]] * 2)[0], [], 1)
    check(backend, counts, "bpe", 256, 9, rules="incremental")


def test_boundless_where_a_limit_counts_pretokens(backend):
    """The other condition: under `max_superword_pretokens` no superword is a token of phase 1.

    The larger phase 1 makes ab on the way to abz, so the superword a+b counts as one pretoken and
    abx as two; in the smaller training abx would be three.
    """
    corpus = [*[[b"a", b"b", b"x"]] * 20, *[[b"abz"]] * 5, *[[b"cd"]] * 10, *[[b"ef"]] * 9]
    limit = {"max_superword_pretokens": 2}
    small, _ = train_documents(backend, corpus, settings_for("boundless", 258, **limit))
    large, _ = train_documents(backend, corpus, settings_for("boundless", 259, **limit))
    assert small == [("supermerge", b"a", b"b", 20), ("merge", b"c", b"d", 10)]
    assert large[:2] == [("supermerge", b"a", b"b", 20), ("supermerge", b"ab", b"x", 20)]
    # without the limit the one is a prefix of the other
    plain = [train_documents(backend, corpus, settings_for("boundless", n))[0] for n in (258, 259)]
    assert plain[0] == plain[1][:2] == large[:2]
