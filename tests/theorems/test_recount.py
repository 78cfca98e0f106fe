"""SPEC 4.3, 12.6: a merge is the best pair of a full recount, its count the replacements made."""

import pytest
from compose import count_texts, settings_for, spell
from differential.strategies import pretoken_tables
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.bpe import best_pair, count_pairs, replace_pair


@pytest.mark.parametrize("rules", ["superword", "incremental"])
def test_every_step_on_real_text(backend, tiny_corpus, rules):
    chosen = settings_for("bpe", 256 + 60, rules=rules, scheme="gpt4o")
    pretokens = count_texts(backend, tiny_corpus[::8], chosen).pretoken_counts()
    ops, vocabulary = spell(backend.train_merges(pretokens, chosen)[0], "bytes")
    assert len(ops) == 60
    words = [([bytes([b]) for b in pretoken], count) for pretoken, count in pretokens]
    for step, (_, left, right, count) in enumerate(ops):
        incremental = rules == "incremental"
        known = vocabulary[: 256 + step] if incremental else None
        totals = count_pairs(words, overlapping=incremental)
        assert best_pair(totals, known) == ((left, right), count)
        before = sum(len(tokens) * weight for tokens, weight in words)
        words = [(replace_pair(tokens, left, right), weight) for tokens, weight in words]
        made = before - sum(len(tokens) * weight for tokens, weight in words)
        assert made == count if not incremental else made <= count


@settings(max_examples=300)
@given(pretokens=pretoken_tables("a") | pretoken_tables("ab"), limit=st.none() | st.integers(2, 6))
def test_no_two_merges_make_the_same_bytes(backend, pretokens, limit):
    chosen = settings_for("bpe", 300, max_token_bytes=limit)
    ops, vocabulary = spell(backend.train_merges(pretokens, chosen)[0], "bytes")
    assert len(vocabulary) == 256 + len(ops)
    counts = [op[3] for op in ops]
    assert counts == sorted(counts, reverse=True)  # Lemma B of DESIGN.md
