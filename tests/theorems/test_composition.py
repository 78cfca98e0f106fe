"""One call from counts to the artifact equals the composition of the stages."""

import pytest
from compose import count_texts, model_tuple, settings_for, train_tables
from differential.strategies import texts
from hypothesis import given, settings
from hypothesis import strategies as st


def by_stages(backend, counts, chosen):
    """The artifact of some counts, stage by stage, and the reason of the stop."""
    ops, stop = train_tables(backend, counts.pretoken_counts(), counts.run_counts(), chosen)
    return backend.model_to_bytes(model_tuple(backend, counts, chosen, ops)), stop


@pytest.mark.parametrize("algorithm", ["bpe", "superbpe", "boundless"])
@settings(max_examples=80)
@given(
    corpus=st.lists(texts(), max_size=6),
    size=st.integers(0, 40),
    min_count=st.integers(1, 3),
    special=st.sampled_from([(), ("ab", 'é\n"\\\u0000')]),
    floor=st.none() | st.integers(1, 4),
)
def test_fused_is_composed(backend, algorithm, corpus, size, min_count, special, floor):
    supermerges = size // 2 if algorithm == "superbpe" else 0
    others = {"min_count": min_count, "special_tokens": special}
    if floor is not None and algorithm != "bpe":
        others |= {"ngram_split": True, "ngram_floor": floor, "ngram_max_length": 2 + size % 3}
    chosen = settings_for(algorithm, 256 + size, supermerges, **others)
    counts = count_texts(backend, corpus, chosen)
    artifact, stop, _ = backend.train_counts(counts, chosen)
    assert (artifact, stop) == by_stages(backend, counts, chosen)
    model = backend.model_from_bytes(artifact)
    assert backend.model_to_bytes(model) == artifact


@pytest.mark.parametrize("algorithm", ["bpe", "superbpe", "boundless"])
def test_fused_is_composed_on_real_text(backend, tiny_corpus, algorithm):
    chosen = settings_for(algorithm, 900, 300 if algorithm == "superbpe" else 0)
    counts = count_texts(backend, tiny_corpus, chosen, 2)
    assert backend.train_counts(counts, chosen)[:2] == by_stages(backend, counts, chosen)


@pytest.mark.parametrize("algorithm", ["superbpe", "boundless"])
@pytest.mark.parametrize("threads", [1, 3])
def test_n_gram_splitting_of_real_text(both_backends, tiny_corpus, algorithm, threads):
    """The artifact and the numbers of candidates, with any number of threads."""
    supermerges = 300 if algorithm == "superbpe" else 0
    chosen = settings_for(algorithm, 2500, supermerges, ngram_split=True, ngram_floor=4)
    found = [
        backend.train_counts(
            count_texts(backend, tiny_corpus, chosen, threads), chosen, None, threads
        )
        for backend in both_backends
    ]
    assert found[0] == found[1]
    distinct_before, all_before, distinct, total = found[0][2]
    assert 0 < distinct < distinct_before
    assert distinct_before * total > distinct * all_before  # the type-token ratio falls
