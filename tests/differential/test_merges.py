"""Phase 1: oracle = each backend."""

import pytest
from compose import ALPHABETS, settings_for, spell
from differential.strategies import pretoken_tables
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.bpe import train_bpe


@pytest.mark.parametrize("rules", ["superword", "incremental"])
@settings(max_examples=250)
@given(
    pretokens=pretoken_tables("ab") | pretoken_tables("abc") | pretoken_tables("a"),
    size=st.integers(0, 14),
    min_count=st.integers(1, 4),
    alphabet=st.sampled_from(["bytes", "utf8"]),
)
def test_same_ops_as_the_full_scan(backend, rules, pretokens, size, min_count, alphabet):
    start = ALPHABETS[alphabet]
    expected, vocabulary, _ = train_bpe(pretokens, len(start) + size, rules, start, min_count)
    chosen = settings_for(
        "bpe", len(start) + size, rules=rules, min_count=min_count, alphabet=alphabet
    )
    ops, stop = backend.train_merges(pretokens, chosen)
    assert spell(ops, alphabet) == (expected, vocabulary)
    if len(vocabulary) == len(start) + size:
        assert stop == "vocab_size"
    else:
        _, more, _ = train_bpe(pretokens, len(vocabulary) + 1, rules, start)
        assert stop == ("min_count" if len(more) > len(vocabulary) else "no_pairs")


@settings(max_examples=120)
@given(pretokens=pretoken_tables("ab"), size=st.integers(1, 12), limit=st.integers(1, 5))
def test_no_token_is_longer_than_the_limit(backend, pretokens, size, limit):
    expected, _, _ = train_bpe(pretokens, 256 + size, limit=limit)
    chosen = settings_for("bpe", 256 + size, max_token_bytes=limit)
    assert spell(backend.train_merges(pretokens, chosen)[0], "bytes")[0] == expected


def test_all_bytes_and_large_counts(backend):
    pretokens = [(bytes([0, 0, 255, 255]), 2**60), (bytes(range(256)), 2**40)]
    expected, _, _ = train_bpe(pretokens, 300)
    ops, _ = backend.train_merges(pretokens, settings_for("bpe", 300))
    assert spell(ops, "bytes")[0] == expected
