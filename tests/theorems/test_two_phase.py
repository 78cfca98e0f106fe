"""SPEC 12.2 to 12.4: what makes two phases the same as one, and where it ends."""

from collections import Counter

from compose import has_letter, settings_for, train_documents
from differential.strategies import documents, prefix_free
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle.boundless import train_boundless
from oracle.encode import final_ids
from oracle.superbpe import train_superbpe
from oracle.two_phase import train_two_phase


def makes_a_pretoken(corpus):
    """Whether some neighbours, joined, are a pretoken of the corpus."""
    pretokens = {pretoken for document in corpus for pretoken in document}
    return any(
        b"".join(document[i:j]) in pretokens
        for document in corpus
        for i in range(len(document))
        for j in range(i + 2, len(document) + 1)
    )


@settings(max_examples=300)
@given(corpus=prefix_free() | prefix_free(3), size=st.integers(0, 16))
def test_two_phases_are_one(backend, corpus, size):
    expected = train_boundless(corpus, 256 + size, has_letter)
    chosen = settings_for("boundless", 256 + size)
    assert train_documents(backend, corpus, chosen) == expected


@settings(max_examples=150)
@given(corpus=documents("ab", 6) | documents("abcd", 6), size=st.integers(0, 16))
def test_two_phases_are_one_where_no_neighbours_make_a_pretoken(backend, corpus, size):
    assume(not makes_a_pretoken(corpus))
    expected = train_boundless(corpus, 256 + size, has_letter)
    chosen = settings_for("boundless", 256 + size)
    assert train_documents(backend, corpus, chosen) == expected


#: The superword a+a and the pretoken aa are the same token. No corpus of at most 7 bytes over two
#: letters, or 6 over three, breaks 12.2 or 12.3 (an exhaustive search found none).
SMALLEST = [[b"aa", *[b"a"] * 6]]


def test_two_phases_differ_where_neighbours_make_a_pretoken(backend):
    """The condition of the theorem is needed; the normative result is that of two phases.

    In one phase the pretoken aa is still a, a when (aa, aa) is counted (once: a tie with the merge
    of a and a); in two phases it is whole and (aa, aa) counts twice.
    """
    assert makes_a_pretoken(SMALLEST)
    first = ("supermerge", b"a", b"a", 3)
    one_phase = [first, ("merge", b"a", b"a", 1), ("supermerge", b"aa", b"aa", 2)]
    normative = [first, ("supermerge", b"aa", b"aa", 2)]
    assert train_boundless(SMALLEST, 258, has_letter)[0] == one_phase
    assert train_two_phase(SMALLEST, 258, has_letter)[0] == normative
    assert train_documents(backend, SMALLEST, settings_for("boundless", 258))[0] == normative


@settings(max_examples=250)
@given(corpus=documents("ab") | prefix_free(), size=st.integers(0, 14))
def test_boundless_is_superbpe_stopped_after_as_many_ops(backend, corpus, size):
    assume(not makes_a_pretoken(corpus))
    ops, vocabulary = train_documents(backend, corpus, settings_for("boundless", 256 + size))
    kinds = Counter(op[0] for op in ops)
    expected, tokens = train_superbpe(
        corpus, 256 + kinds["merge"], 10**6, has_letter, max_ops=kinds["supermerge"]
    )
    assert sorted(ops) == sorted(expected)
    for kind in ("merge", "supermerge"):
        assert [op for op in ops if op[0] == kind] == [op for op in expected if op[0] == kind]
    assert sorted(vocabulary) == sorted(tokens)
    start = vocabulary[:256]
    assert final_ids(ops, start) == final_ids(expected, start)


def test_the_correspondence_differs_where_neighbours_make_a_pretoken(backend):
    """SPEC 12.3 has the condition of 12.2.

    Phase 1 of the Boundless model makes the pretoken aa one token, which its regular merges (none)
    do not: then only the superword a+a is that token.
    """
    ops, _ = train_documents(backend, SMALLEST, settings_for("boundless", 258))
    stopped, _ = train_superbpe(SMALLEST, 256, 10**6, has_letter, max_ops=2)
    assert ops == [("supermerge", b"a", b"a", 3), ("supermerge", b"aa", b"aa", 2)]
    assert stopped == [("supermerge", b"a", b"a", 3), ("supermerge", b"aa", b"aa", 1)]


def test_the_correspondence_differs_where_ties_go_by_ids():
    """Why superwords exist with ties by bytes alone (SPEC 4.1); no corpus of 5 bytes shows it.

    Both pairs stand once. What was made first has the lower id: bb in Boundless, aa in SuperBPE.
    """
    corpus = [[b"aa", b"b", b"b", b"b", b"b"]]
    assert not makes_a_pretoken(corpus)
    first, second = ("supermerge", b"b", b"b", 2), ("merge", b"a", b"a", 1)
    for by_ids, third in [(False, b"aa"), (True, b"bb")]:
        expected = [first, second, ("supermerge", third, b"bb", 1)]
        assert train_boundless(corpus, 259, has_letter, by_ids=by_ids)[0] == expected
        expected = [second, first, ("supermerge", b"aa", b"bb", 1)]
        found, _ = train_superbpe(corpus, 257, 10**6, has_letter, max_ops=2, by_ids=by_ids)
        assert found == expected


def test_the_correspondence_counts_ops_not_tokens(backend):
    """SPEC 12.3, its corner: a supermerge and a regular merge of (a, µ) make the same bytes."""
    texts = ["aµ͵"] * 20 + ["aµ"] * 10 + ["x y"] * 8 + ["q r"] * 3
    corpus = [backend.pretokenize(text, "gpt4o-scripts") for text in texts]
    a, micro = b"a", "µ".encode()
    assert corpus[0] == [a, micro, "͵".encode()]
    assert corpus[20] == [a + micro]

    ops, vocabulary = train_documents(backend, corpus, settings_for("boundless", 260))
    assert [op[:3] for op in ops if op[1] == a] == [("supermerge", a, micro), ("merge", a, micro)]
    by_ops, tokens = train_superbpe(corpus, 256 + 4, 10**6, has_letter, max_ops=1)
    assert sorted(ops) == sorted(by_ops)
    assert sorted(vocabulary) == sorted(tokens)
    # with aµ as a regular token (4 + 0) the supermerge is lost, with aµ as a superword (3 + 1) the
    # regular merge (space, y)
    for regular, supermerges in [(4, 0), (3, 1)]:
        chosen = settings_for("superbpe", 256 + regular + supermerges, supermerges)
        assert sorted(train_documents(backend, corpus, chosen)[0]) != sorted(ops)


@settings(max_examples=200)
@given(corpus=documents("ab") | prefix_free(), size=st.integers(1, 14))
def test_a_smaller_vocabulary_is_a_prefix(backend, corpus, size):
    assume(not makes_a_pretoken(corpus))
    ops, _ = train_documents(backend, corpus, settings_for("boundless", 256 + size))
    fewer, _ = train_documents(backend, corpus, settings_for("boundless", 256 + size // 2))
    assert ops[: len(fewer)] == fewer


def test_it_is_no_prefix_where_neighbours_make_a_pretoken(backend):
    """SPEC 12.4 has the condition of 12.2, too.

    Two regular merges do not make the pretoken ba one token, three do: then it stands in the
    candidates beside the superword b+a, which is the same token, and (b, ba) is there twice.
    """
    corpus = [[b"abb", b"b", b"ba", b"b", b"b", b"a", b"b", b"a"]]
    assert makes_a_pretoken(corpus)
    first = ("supermerge", b"b", b"a", 2)
    for size, second in [(258, ("merge", b"a", b"b", 1)), (259, ("supermerge", b"b", b"ba", 2))]:
        ops, _ = train_documents(backend, corpus, settings_for("boundless", size))
        assert ops == train_two_phase(corpus, size, has_letter)[0]
        assert ops[:2] == [first, second]
