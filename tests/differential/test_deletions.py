"""PickyBPE (SPEC 5, 6, 8, 9.3): oracle = each backend, where most merges delete something."""

from fractions import Fraction

from compose import (
    ALPHABETS,
    count_texts,
    has_letter,
    settings_for,
    spell,
    train_documents,
    train_tables,
    train_texts,
)
from differential.strategies import documents, pretoken_tables, texts
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import picky, picky_encode, picky_superwords

TAUS = st.sampled_from([Fraction(1, 3), Fraction(1, 2), Fraction(3, 5), Fraction(9, 10), 1])
BLOW_UPS = st.sampled_from(["pair", "bytes"])
CORPORA = documents("ab") | documents("abc", 6) | documents("a", 3)
SCHEMES = ["gpt2", "gpt4", "gpt4o", "gpt4o-scripts", "gpt4o-uniscript"]


def with_deletions(algorithm, size, supermerges=0, *, tau, blow_up, **others):
    """Settings of a training with deletions."""
    share = Fraction(tau)
    return settings_for(algorithm, size, supermerges, tau=share, blow_up=blow_up, **others)


@settings(max_examples=400)
@given(
    table=pretoken_tables("a") | pretoken_tables("ab") | pretoken_tables("abc"),
    size=st.integers(0, 16),
    tau=TAUS | st.just(Fraction(1, 20)),
    blow_up=BLOW_UPS,
    alphabet=st.sampled_from(["bytes", "utf8"]),
    min_count=st.integers(1, 3),
    limit=st.none() | st.integers(1, 6),
)
def test_phase_1(backend, table, size, tau, blow_up, alphabet, min_count, limit):
    start = ALPHABETS[alphabet]
    vocab_size = len(start) + size
    expected = picky.train_picky(table, vocab_size, tau, blow_up, start, min_count, limit)
    chosen = with_deletions(
        "bpe",
        vocab_size,
        tau=tau,
        blow_up=blow_up,
        alphabet=alphabet,
        min_count=min_count,
        max_token_bytes=limit,
    )
    ops, stop = train_tables(backend, table, [], chosen)
    assert spell(ops, alphabet) == expected[:2]
    assert (stop == "vocab_size") == (len(expected[1]) == vocab_size)


@settings(max_examples=300)
@given(
    corpus=CORPORA,
    size=st.integers(0, 14),
    tau=TAUS,
    blow_up=BLOW_UPS,
    min_count=st.integers(1, 3),
)
def test_boundless(backend, corpus, size, tau, blow_up, min_count):
    expected = picky_superwords.train_boundless(
        corpus, 256 + size, tau, blow_up, has_letter, min_count=min_count
    )
    chosen = with_deletions("boundless", 256 + size, tau=tau, blow_up=blow_up, min_count=min_count)
    assert train_documents(backend, corpus, chosen) == expected


@settings(max_examples=300)
@given(
    corpus=CORPORA,
    regular=st.integers(0, 8),
    supermerges=st.integers(0, 8),
    tau=TAUS,
    blow_up=BLOW_UPS,
)
def test_superbpe(backend, corpus, regular, supermerges, tau, blow_up):
    expected = picky_superwords.train_superbpe(
        corpus, 256 + regular, supermerges, tau, blow_up, has_letter
    )
    size = 256 + regular + supermerges
    chosen = with_deletions("superbpe", size, supermerges, tau=tau, blow_up=blow_up)
    assert train_documents(backend, corpus, chosen) == expected


def test_a_superword_whose_bytes_are_deleted_is_chosen_no_more(backend):
    """`ab` is a superword first, then a token that phase 1 makes and deletes.

    What is left of the runs has pairs with it, which are never chosen when the regular side is
    empty, and are the best ones.
    """
    corpus = [[b"a", b"b", b"."]] * 20 + [[b"abc", b"."]] * 9 + [[b"a", b"b", b"d"]] * 5
    corpus += [[b"d", b"e", b"."]] * 3
    wanted = (300, Fraction(9, 10), "pair")
    expected = picky_superwords.train_boundless(corpus, *wanted, has_letter)
    chosen = with_deletions("boundless", 300, tau=wanted[1], blow_up="pair")
    ops, vocabulary = train_documents(backend, corpus, chosen)
    assert (ops, vocabulary) == expected
    assert ("supermerge", b"a", b"b", 25) in ops
    assert ("delete", b"ab", b"ab", 0) in ops
    assert ("supermerge", b"d", b"e", 3) in ops
    assert not any(op[0] == "supermerge" and b"ab" in op for op in ops)
    assert b"ab" not in vocabulary


ENCODED = {
    "corpus": st.lists(texts(), max_size=6),
    "others": st.lists(texts(), max_size=3),
    "scheme": st.sampled_from(SCHEMES),
    "algorithm": st.sampled_from(["bpe", "superbpe", "boundless"]),
    "id_order": st.sampled_from(["regular-first", "creation"]),
    "tau": TAUS,
    "blow_up": BLOW_UPS,
}


@settings(max_examples=300)
@given(**ENCODED)
def test_encode(backend, corpus, others, scheme, algorithm, id_order, tau, blow_up):
    """The heap = op by op = shortcut on = shortcut off; every text and byte string comes back."""
    supermerges = 12 if algorithm == "superbpe" else 0
    chosen = with_deletions(
        algorithm,
        256 + 24,
        supermerges,
        tau=tau,
        blow_up=blow_up,
        scheme=scheme,
        id_order=id_order,
    )
    artifact = train_texts(backend, corpus, chosen)
    model = backend.model_from_bytes(artifact)
    assert backend.model_to_bytes(model) == artifact
    ops, vocabulary = spell(model[19], "bytes")
    tokens = picky_encode.final_ids(ops, ALPHABETS["bytes"], id_order)
    assert sorted(tokens) == sorted(vocabulary)
    encoder = backend.Encoder(model)
    assert [encoder.token_bytes(n) for n in range(encoder.vocab_size)] == tokens
    ids = {token: number for number, token in enumerate(tokens)}
    for _, left, right, _ in ops:
        for token in {left, right} - set(tokens):
            assert encoder.token_id(token) is None
    every = corpus + others
    expected = [
        [
            ids[token]
            for token in picky_encode.encode(backend.pretokenize(text, scheme), ops, blow_up)
        ]
        for text in every
    ]
    assert [list(encoder.encode(text, None)) for text in every] == expected
    assert [list(found) for found in encoder.encode_batch(every, None, 2)] == expected
    plain = backend.Encoder(model, False)
    assert [list(plain.encode(text, None)) for text in every] == expected
    for text, found in zip(every, expected, strict=True):
        assert encoder.decode_bytes(found) == text.encode()
        data = text.encode()[1:-1] + b"\xff"
        assert encoder.decode_bytes(encoder.encode_bytes(data, None)) == data


@settings(max_examples=150)
@given(**ENCODED)
def test_both_artifacts(both_backends, corpus, others, scheme, algorithm, id_order, tau, blow_up):
    """Pruned, fused and with threads in Rust; all of it plain in Python; the reason to stop too."""
    python, rust = both_backends
    supermerges = 9 if algorithm == "superbpe" else 0
    chosen = with_deletions(
        algorithm,
        256 + 18,
        supermerges,
        tau=tau,
        blow_up=blow_up,
        scheme=scheme,
        id_order=id_order,
    )
    every = corpus + others + corpus
    found = [
        module.train_counts(count_texts(module, every, chosen), chosen) for module in (python, rust)
    ]
    assert found[0] == found[1]
    counts = count_texts(rust, every, chosen, 2)
    assert rust.train_counts(counts, chosen, None, 2) == found[1]
