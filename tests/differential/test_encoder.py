"""Encoding: oracle = each backend, with and without the shortcut; SPEC 12.7 and 12.8."""

import pytest
from compose import ALPHABETS, settings_for, spell, train_documents, train_texts
from differential.strategies import texts
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.encode import encode, final_ids

from superword.model import Op
from superword.reference import encoder as reference_encoder
from superword.reference.replay import encode_pretoken, pairs_of_ops
from superword.reference.single_tokens import SingleTokens

SCHEMES = ["gpt2", "gpt4", "gpt4o", "gpt4o-scripts", "gpt4o-uniscript"]
# of a model: no pattern, letters are eligible, no deletions, no n-gram splitting
UNUSED = (*[None] * 3, r"\p{L}", *[None] * 4)


def model_of(backend, corpus, scheme, algorithm, **others):
    """A model of some texts with 24 new tokens, half of them superwords if it may have some."""
    start = len(ALPHABETS[others.get("alphabet", "bytes")])
    supermerges = 12 if algorithm == "superbpe" else 0
    chosen = settings_for(algorithm, start + 24, supermerges, scheme=scheme, **others)
    return backend.model_from_bytes(train_texts(backend, corpus, chosen))


@pytest.mark.parametrize("algorithm", ["bpe", "superbpe", "boundless"])
@settings(max_examples=100)
@given(
    corpus=st.lists(texts(), max_size=6),
    others=st.lists(texts(), max_size=3),
    scheme=st.sampled_from(SCHEMES),
    alphabet=st.sampled_from(["bytes", "utf8"]),
    id_order=st.sampled_from(["regular-first", "creation", "gpt2"]),
)
def test_encode(backend, algorithm, corpus, others, scheme, alphabet, id_order):
    alphabet = "bytes" if id_order == "gpt2" else alphabet  # it is of all bytes
    model = model_of(backend, corpus, scheme, algorithm, alphabet=alphabet, id_order=id_order)
    ops, _ = spell(model[19], alphabet)
    tokens = final_ids(ops, ALPHABETS[alphabet], id_order)
    ids = {token: number for number, token in enumerate(tokens)}
    encoder = backend.Encoder(model)
    assert encoder.vocab_size == len(tokens)
    assert [encoder.token_bytes(number) for number in range(len(tokens))] == tokens
    superwords = {left + right for kind, left, right, _ in ops if kind == "supermerge"}
    assert [encoder.is_superword(n) for n in range(len(tokens))] == [
        t in superwords for t in tokens
    ]

    every = corpus + others
    expected = [
        [ids[token] for token in encode(backend.pretokenize(text, scheme), ops)] for text in every
    ]
    assert [list(encoder.encode(text, None)) for text in every] == expected
    assert [list(found) for found in encoder.encode_batch(every, None, 2)] == expected
    plain = backend.Encoder(model, False)
    assert [list(plain.encode(text, None)) for text in every] == expected
    assert [encoder.decode_bytes(found) for found in expected] == [t.encode() for t in every]


@pytest.mark.parametrize("last", [None, "merge", "supermerge"])
def test_a_long_pretoken_goes_rank_by_rank(backend, last):
    """Also where supermerges stand between merges, or make what a merge makes again."""
    ops = [("merge", b"a", b"b", 9), ("merge", b"ab", b"a", 8), ("supermerge", b"ab", b"b", 7)]
    ops += [("merge", b"b", b"b", 6), ("merge", b"aba", b"bb", 5), ("supermerge", b"a", b"a", 4)]
    if last is not None:  # its bytes exist already, so the ranks are no ranks
        ops += [("merge", b"a", b"bb", 3)] if last == "merge" else [("merge", b"a", b"a", 3)]
    number = {token: n for n, token in enumerate(ALPHABETS["bytes"])}
    numbered = []
    for kind, left, right, count in ops:
        new = number.setdefault(left + right, len(number))
        numbered.append((kind, number[left], number[right], new, count))
    model = ("superbpe", "bytes", "superword", "gpt2", "creation", [])
    model += (backend.UNICODE_VERSION, *UNUSED, 1, 40, 20, 2, numbered)
    encoder = backend.Encoder(model)
    word = "".join("ab"[n * n % 7 % 2] for n in range(3000))
    tokens = [encoder.token_bytes(n) for n in encoder.encode(word, None)]
    assert tokens == encode([word.encode()], ops)


@settings(max_examples=150)
@given(corpus=st.lists(texts(), max_size=4), data=st.binary(max_size=40), text=texts())
def test_every_byte_string_comes_back(backend, corpus, data, text):
    encoder = backend.Encoder(model_of(backend, corpus, "gpt4o-uniscript", "boundless"))
    mixed = data[: len(data) // 2] + text.encode() + data[len(data) // 2 :]
    for given_bytes in (data, mixed, text.encode()[1:-1]):
        assert encoder.decode_bytes(encoder.encode_bytes(given_bytes, None)) == given_bytes
    assert list(encoder.encode_bytes(text.encode(), None)) == list(encoder.encode(text, None))


@settings(max_examples=150)
@given(text=st.text(), allowed=st.sampled_from([None, [0], [1], [0, 1, 2], []]))
def test_every_text_comes_back(backend, text, allowed):
    special = ("<s>", "<s>a", "b")
    corpus = ["a b a b", "ab ab"]
    model = model_of(backend, corpus, "gpt2", "boundless", special_tokens=special)
    encoder = backend.Encoder(model)
    if allowed is None or not any(s in text for s in special):
        assert encoder.decode_bytes(encoder.encode(text, allowed)) == text.encode()


def split_by_hand(text, special, allowed):
    """Leftmost, then longest, among the allowed ones."""
    pieces, start, position = [], 0, 0
    while position < len(text):
        here = [n for n in allowed if text.startswith(special[n], position)]
        if not here:
            position += 1
            continue
        longest = max(here, key=lambda n: len(special[n]))
        pieces += [text[start:position], longest]
        start = position = position + len(special[longest])
    return [piece for piece in [*pieces, text[start:]] if piece != ""]


@settings(max_examples=200)
@given(text=st.text(st.sampled_from("ab<s>"), max_size=16))
def test_special_tokens(backend, text):
    special = ("<s>", "<s>a", "b<", "ss")
    model = model_of(backend, ["ab ab", "s s"], "gpt2", "boundless", special_tokens=special)
    encoder = backend.Encoder(model)
    first = encoder.vocab_size  # special tokens come after the ordinary ones
    expected = []
    for piece in split_by_hand(text, special, range(4)):
        known = isinstance(piece, int)
        expected += [first + piece] if known else list(encoder.encode(piece, None))
    assert list(encoder.encode(text, [0, 1, 2, 3])) == expected


@settings(max_examples=60)
@given(
    corpus=st.lists(st.text(st.sampled_from("ab"), max_size=8).map(lambda w: w * 3), max_size=4),
    word=st.text(st.sampled_from("abc"), min_size=1, max_size=7),
    times=st.integers(5, 40),
    other=st.text(st.sampled_from("ab c"), max_size=60),
)
def test_long_pretokens_and_runs(backend, corpus, word, times, other):
    """Where a backend goes over to another data structure."""
    corpus = [*corpus, " ".join(["ab", "a", "b", "ab"] * 3)]
    model = model_of(backend, corpus, "gpt2", "superbpe")
    ops, _ = spell(model[19], "bytes")
    encoder, plain = backend.Encoder(model), backend.Encoder(model, False)
    for text in (word * times, f"{word} " * times, f"{other} ab a b" * times, other):
        tokens = encode(backend.pretokenize(text, "gpt2"), ops)
        for one in (encoder, plain):
            assert [one.token_bytes(n) for n in one.encode(text, None)] == tokens


def test_the_first_op_of_a_pair_counts(backend):
    """A pair comes again when its left part is made a second time, in another way."""
    documents = [[b"ab", b" c"]] * 9 + [[b" c", b" d"]] * 7 + [[b"a", b"b", b" c"]] * 5
    ops, vocabulary = train_documents(backend, documents, settings_for("superbpe", 263, 4))
    joined = [(left, right) for kind, left, right, _ in ops if kind == "supermerge"]
    assert joined[:4] == [(b"ab", b" c"), (b" c", b" d"), (b"a", b"b"), (b"ab", b" c")]
    number = {token: n for n, token in enumerate(vocabulary)}
    numbered = [(k, number[a], number[b], number[a + b], count) for k, a, b, count in ops]
    model = ("superbpe", "bytes", "superword", "gpt2", "creation", [])
    model += (backend.UNICODE_VERSION, *UNUSED, 21, 100, 63, 5, numbered)
    for shortcut in (True, False):
        encoder = backend.Encoder(model, shortcut)
        for text in ("ab c d", "ab c d " * 40):
            tokens = [encoder.token_bytes(n) for n in encoder.encode(text, None)]
            assert tokens == encode(backend.pretokenize(text, "gpt2"), ops)
            assert tokens[:2] == [b"ab c", b" d"]


@pytest.mark.parametrize("times", [2, 3, 40])
def test_all_places_before_a_pair_that_has_a_lower_index(backend, times):
    """A supermerge goes to all its places, even where it makes a pair that comes before it."""
    ops = [("merge", b" ", b"x", 9), ("merge", b" ", b"y", 9), ("merge", b" x", b" y", 1)]
    ops += [("supermerge", b" x y", b" x", 5), ("supermerge", b" x", b" y", 4)]
    number = {token: n for n, token in enumerate(ALPHABETS["bytes"])}
    numbered = []
    for kind, left, right, count in ops:
        new = number.setdefault(left + right, len(number))
        numbered.append((kind, number[left], number[right], new, count))
    model = ("superbpe", "bytes", "superword", "gpt2", "creation", [])
    model += (backend.UNICODE_VERSION, *UNUSED, 1, 40, 20, 2, numbered)
    encoder = backend.Encoder(model)
    text = " x y" * times
    tokens = [encoder.token_bytes(n) for n in encoder.encode(text, None)]
    assert tokens == encode(backend.pretokenize(text, "gpt2"), ops) == [b" x y"] * times


def merges_of(picks, again):
    """Merges of any two tokens, those that make a token again only if asked for; all tokens."""
    tokens = [b"a", b"b", b"c"]
    number = {token: token[0] for token in tokens}
    ops = []
    for one, other in picks:
        left, right = tokens[one % len(tokens)], tokens[other % len(tokens)]
        if again or left + right not in number:
            tokens.append(left + right)
            new = number.setdefault(left + right, 253 + len(tokens))
            ops.append(Op("merge", number[left], number[right], new, 1))
    return ops, number


@settings(max_examples=400)
@given(
    picks=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=16),
    again=st.booleans(),
)
def test_a_token_is_single_if_its_replay_ends_as_it(picks, again):
    ops, number = merges_of(picks, again)
    merges = pairs_of_ops(ops, "merge")
    single = SingleTokens(merges, 256)
    for token, n in number.items():
        ends_as_it = encode_pretoken(list(token), merges) == [n]
        assert single.has(n) <= ends_as_it
        assert again or single.has(n) == ends_as_it


def test_a_token_that_is_made_twice_is_left_to_the_replay():
    ops = [Op("merge", 97, 97, 256, 3), Op("merge", 256, 97, 257, 2), Op("merge", 97, 256, 257, 1)]
    single = SingleTokens(pairs_of_ops(ops, "merge"), 256)
    assert [single.has(n) for n in (97, 256, 257, 258, -1)] == [True, False, False, False, False]


def test_the_numbers_of_tokens_that_a_supermerge_made_first_say_nothing():
    ops = [Op("supermerge", 97, 98, 256, 9), Op("merge", 98, 99, 257, 3)]
    ops += [Op("merge", 97, 98, 256, 2), Op("merge", 256, 99, 258, 1)]
    merges = pairs_of_ops(ops, "merge")
    assert encode_pretoken(list(b"abc"), merges) == [97, 257]
    assert not SingleTokens(merges, 256).has(258)


def test_what_the_reference_remembers_is_bounded(both_backends, monkeypatch):
    monkeypatch.setattr(reference_encoder, "_KNOWN", 3)
    backend, _ = both_backends
    model = model_of(backend, ["a b c d a b c d"] * 3, "gpt2", "boundless")
    texts_of_it = ["a b", "b a c", "c d a b", "d.e.a", "a" * 129 + " b", "a b " * 40]
    expected = [backend.Encoder(model, False).encode(text, None) for text in texts_of_it]
    encoder = backend.Encoder(model)
    for text, ids in zip(texts_of_it, expected, strict=True):
        assert encoder.encode(text, None) == ids
        assert len(encoder._known_pretokens) <= 3 >= len(encoder._known_runs)
    assert encoder._known_pretokens
    assert all(len(pretoken) <= 128 for pretoken in encoder._known_pretokens)
    plain = backend.Encoder(model, False)
    plain.encode("a b c", None)
    assert not plain._known_pretokens
    assert not plain._known_runs
