"""SPEC 12.5: counting is a commutative monoid; any partition, any order, any number of workers."""

from compose import count_texts, settings_for
from differential.strategies import texts
from hypothesis import given, settings
from hypothesis import strategies as st

CHOSEN = settings_for("boundless", 300, special_tokens=("ab",))


def facts(counts):
    """Everything that counts say."""
    totals = (counts.documents, counts.bytes, counts.pretokens, counts.distinct_pretokens)
    return totals, counts.pretoken_counts(), counts.run_counts()


@settings(max_examples=150)
@given(
    corpus=st.lists(texts(), max_size=8),
    order=st.randoms(use_true_random=False),
    owners=st.lists(st.integers(0, 3), min_size=8, max_size=8),
    threads=st.sampled_from([1, 2, 4]),
)
def test_any_partition(backend, corpus, order, owners, threads):
    once = facts(count_texts(backend, corpus, CHOSEN))
    parts = [[text for text, o in zip(corpus, owners, strict=False) if o == n] for n in range(4)]
    for part in parts:
        order.shuffle(part)
    order.shuffle(parts)
    merged = backend.merge_counts([count_texts(backend, p, CHOSEN, threads) for p in parts])
    assert facts(merged) == once
    nested = backend.merge_counts([merged, backend.merge_counts([])])
    assert facts(nested) == once


@settings(max_examples=60)
@given(corpus=st.lists(texts(), max_size=8), cut=st.integers(0, 8))
def test_batches_do_not_matter(backend, corpus, cut):
    once = facts(count_texts(backend, corpus, CHOSEN))
    batches = [corpus[:cut], [], corpus[cut:]]
    special = list(CHOSEN.special_tokens)
    found = backend.count_documents(iter(batches), CHOSEN.scheme, special, True, 2)
    assert facts(found) == once


@settings(max_examples=60)
@given(corpus=st.lists(texts(), max_size=8))
def test_tables_lose_nothing(backend, corpus):
    counts = count_texts(backend, corpus, CHOSEN)
    pretokens, runs = counts.pretoken_counts(), counts.run_counts()
    assert pretokens == sorted(pretokens)
    assert runs == sorted(runs)
    again = backend.count_table(pretokens[::-1], runs[::-1], counts.documents)
    assert facts(again) == facts(counts)


def test_real_text(backend, tiny_corpus):
    once = facts(count_texts(backend, tiny_corpus, CHOSEN))
    for threads in (2, 4):
        assert facts(count_texts(backend, tiny_corpus[::-1], CHOSEN, threads)) == once
    thirds = [count_texts(backend, tiny_corpus[n::3], CHOSEN, 2) for n in (2, 0, 1)]
    assert facts(backend.merge_counts(thirds)) == once
