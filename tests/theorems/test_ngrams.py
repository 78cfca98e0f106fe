"""SPEC 12.9, and the theorems 12.2 to 12.4 that n-gram splitting breaks, by smallest examples."""

from collections import Counter

from compose import has_letter, settings_for, tables, train_documents
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.boundless import train_boundless
from oracle.ngrams import cut, frequent_ngrams


def split_settings(algorithm, size, supermerges=0, floor=1, longest=30):
    return settings_for(
        algorithm,
        size,
        supermerges,
        ngram_split=True,
        ngram_floor=floor,
        ngram_max_length=longest,
    )


def pretokens_of(candidates):
    """The multiset of pretokens in some candidates."""
    found = Counter()
    for candidate, count in candidates:
        for pretoken in candidate:
            found[pretoken] += count
    return found


@settings(max_examples=200)
@given(
    table=st.dictionaries(
        st.lists(st.integers(97, 99), min_size=2, max_size=9).map(tuple),
        st.integers(1, 5),
        max_size=9,
    ),
    floor=st.integers(1, 9),
    longest=st.integers(2, 9),
)
def test_pretokens_are_conserved(backend, table, floor, longest):
    """With the single pretokens, which leave phase 2 as they have no pair, none is lost."""
    candidates = sorted(table.items())
    ngrams = frequent_ngrams(candidates, floor, longest)
    chosen = split_settings("boundless", 300, floor=floor, longest=longest)
    pieces = backend.split_ngrams([], candidates, chosen)
    alone = Counter()
    if ngrams:
        for candidate, count in candidates:
            parts = cut(candidate, ngrams)
            assert sum(parts, ()) == candidate
            for part in parts:
                alone[part[0]] += count * (len(part) == 1)
    assert pretokens_of(pieces) + alone == pretokens_of(candidates)


def test_one_phase_is_another(backend):
    """12.2: in one phase nothing is rare; here (c, d) is, and its superword is never made."""
    corpus = [[b"a", b"b"], [b"a", b"b"], [b"c", b"d"]]
    one_phase, _ = train_boundless(corpus, 258, has_letter)
    both = [("supermerge", b"a", b"b", 2), ("supermerge", b"c", b"d", 1)]
    assert one_phase == both == train_documents(backend, corpus, settings_for("boundless", 258))[0]
    chosen = split_settings("boundless", 258, floor=2)
    assert train_documents(backend, corpus, chosen)[0] == both[:1]


def test_regular_merges_first_are_another_model(backend):
    """12.3: the count of the last regular merge is 1 in the one phase 1 and 3 in the other."""
    corpus = [*[[b"a", b"b"]] * 3, *[[b"de"]] * 3, *[[b"c", b"f"]] * 2, [b"gh"]]
    ops, _ = train_documents(backend, corpus, split_settings("boundless", 259))
    regular, strong, weak = (
        ("merge", b"d", b"e", 3),
        ("supermerge", b"a", b"b", 3),
        ("supermerge", b"c", b"f", 2),
    )
    assert ops == [regular, strong, weak]
    by_kind = [settings_for("superbpe", 259, 2), split_settings("superbpe", 259, 2)]
    assert train_documents(backend, corpus, by_kind[0])[0] == [regular, strong, weak]
    assert train_documents(backend, corpus, by_kind[1])[0] == [regular, strong]


def test_a_smaller_size_is_no_prefix(backend):
    """12.4: with the last count 2, aaaa is cut into aaa and a; with 1 it is whole."""
    corpus = [[b"a"] * 4, [b"a"] * 3, [b"de"], [b"de"], [b"fg"]]
    small, _ = train_documents(backend, corpus, split_settings("boundless", 257))
    large, _ = train_documents(backend, corpus, split_settings("boundless", 258))
    assert small == [("merge", b"d", b"e", 2)]
    assert large == [("supermerge", b"a", b"a", 3), ("merge", b"d", b"e", 2)]
    plain, _ = train_documents(backend, corpus, settings_for("boundless", 257))
    assert plain == large[:1]


def test_the_split_follows_the_phase_1_that_was_trained(backend):
    """Also where its last merge is not part of the final model (SPEC 7)."""
    corpus = [*[[b"a", b"b"]] * 5, *[[b"c", b"d"]] * 2, *[[b"xy"]] * 3]
    # phase 1 makes xy alone, three times; its merge is beaten by (a, b) and so not in the model
    ops, _ = train_documents(backend, corpus, split_settings("boundless", 257))
    assert ops == [("supermerge", b"a", b"b", 5)]
    assert tables(corpus)[0][-1] == (b"xy", 3)
    candidates = [((97, 98), 5), ((99, 100), 2)]
    merges, _ = backend.train_merges(tables(corpus)[0], split_settings("boundless", 257))
    assert backend.split_ngrams(merges, candidates, split_settings("boundless", 257)) == [
        ((97, 98), 5)
    ]
