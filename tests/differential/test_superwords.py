"""Phase 2: oracle = each backend, on documents where byte strings are made in two ways."""

from compose import ALPHABETS, has_letter, settings_for, train_documents
from differential.strategies import documents
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracle.superbpe import train_superbpe
from oracle.two_phase import train_two_phase

CORPORA = documents("ab") | documents("abc", 3) | documents("a", 3)


@settings(max_examples=250)
@given(corpus=CORPORA, size=st.integers(0, 14), alphabet=st.sampled_from(["bytes", "utf8"]))
def test_boundless(backend, corpus, size, alphabet):
    start = ALPHABETS[alphabet]
    expected = train_two_phase(corpus, len(start) + size, has_letter, start)
    chosen = settings_for("boundless", len(start) + size, alphabet=alphabet)
    assert train_documents(backend, corpus, chosen) == expected


@settings(max_examples=250)
@given(corpus=CORPORA, regular=st.integers(0, 8), supermerges=st.integers(0, 8))
def test_superbpe(backend, corpus, regular, supermerges):
    expected = train_superbpe(corpus, 256 + regular, supermerges, has_letter)
    chosen = settings_for("superbpe", 256 + regular + supermerges, supermerges)
    assert train_documents(backend, corpus, chosen) == expected


# The superword `ab` is bytes that phase 1 has made inside `aba`: one pretoken.
@example(corpus=[[b"aba", b"a", b"b"]] * 2, min_count=1, limit_bytes=None, limit_pretokens=2)
@settings(max_examples=150)
@given(
    corpus=CORPORA,
    min_count=st.integers(1, 3),
    limit_bytes=st.none() | st.integers(1, 6),
    limit_pretokens=st.none() | st.integers(1, 4),
)
# Phase 1 makes ab on the way to aba: it counts as one pretoken, also where a supermerge makes it.
@example([[b"aba", b"a", b"b"]] * 2, 1, None, 2)
def test_superbpe_with_limits(backend, corpus, min_count, limit_bytes, limit_pretokens):
    expected = train_superbpe(
        corpus,
        256 + 6,
        8,
        has_letter,
        min_count=min_count,
        limit_bytes=limit_bytes,
        limit_pretokens=limit_pretokens,
    )
    chosen = settings_for(
        "superbpe",
        256 + 6 + 8,
        8,
        min_count=min_count,
        max_token_bytes=limit_bytes,
        max_superword_pretokens=limit_pretokens,
    )
    assert train_documents(backend, corpus, chosen) == expected
