"""tiktoken's form of a model: exact for every text, or refused with a counter-example."""

import itertools
import random
import re

import pytest
import tiktoken

import superword
from superword import reference
from superword.errors import NotExactError
from superword.model import Model, Op


def model_of(merges, *, scheme="none", id_order="regular-first", special=(), supermerges=()):
    """A tokenizer with these merges, each a pair of strings."""
    numbers = {bytes([byte]): byte for byte in range(256)}
    ops = []
    kinds = ["merge"] * len(merges) + ["supermerge"] * len(supermerges)
    for kind, (left, right) in zip(kinds, [*merges, *supermerges], strict=True):
        left, right = left.encode("latin-1"), right.encode("latin-1")
        new = numbers.setdefault(left + right, len(numbers))
        ops.append(Op(kind, numbers[left], numbers[right], new, 0))
    rules = "incremental" if scheme == "none" else "superword"
    algorithm = "superbpe" if supermerges else "bpe"
    fixed = ["17.0.0", None, None, None, r"\p{L}", None, None, None, None, 0, 0, 0, 0]
    return Model(algorithm, "bytes", rules, scheme, id_order, list(special), *fixed, ops)


def tokenizer_of(model, backend):
    return superword.Tokenizer.from_bytes(backend.model_to_bytes(model))


CASE = [("b", "c"), ("a", "b"), ("ab", "c"), ("d", "e"), ("bc", "d"), ("a", "bcd")]


def test_a_merge_list_that_ranks_cannot_say(backend):
    tokenizer = tokenizer_of(model_of(CASE), backend)
    assert tokenizer.encode("abc") == [97, 256]
    with pytest.raises(NotExactError) as caught:
        tokenizer.to_tiktoken()
    assert str(caught.value) == (
        "ranks do not say how token b'abc' (id 258) is made: of these bytes the model makes the "
        "ids [97, 256], tiktoken [258]; the model merges ids [257, 99] to the token, and merging "
        "its bytes by ranks ends in [97, 256] before"
    )


def random_merges(rng, letters):
    """Merges of tokens over a few letters, some of which make what is there already."""
    tokens, merges = list(letters), []
    for _ in range(rng.randint(1, 9)):
        pair = rng.choice(tokens), rng.choice(tokens)
        if len("".join(pair)) <= 6 and pair not in merges:
            merges.append(pair)
            if "".join(pair) not in tokens:
                tokens.append("".join(pair))
    return merges


ID_ORDERS = ("regular-first", "creation")
SHORT = {
    letters: ["".join(s) for n in range(1, longest) for s in itertools.product(letters, repeat=n)]
    for letters, longest in (("a", 13), ("ab", 8), ("abc", 6))
}
REFUSED = re.compile(r"token b'(\w+)' .* makes the ids (\[.*?\]), tiktoken (\[.*?\])")


def test_what_is_decided_is_true():
    """Merge lists at random: all short texts through the package itself."""
    rng = random.Random(5)
    found = {"exact": 0, "exact, with repetitions": 0, "refused": 0, "refused order": 0}
    for _ in range(600):
        letters = rng.choice(list(SHORT))
        merges = random_merges(rng, letters)
        repeats = len(set(map("".join, merges))) < len(merges)
        tokenizer = tokenizer_of(model_of(merges, id_order=rng.choice(ID_ORDERS)), reference)
        encoding = error = None
        try:
            encoding = tokenizer.to_tiktoken()
        except NotExactError as caught:
            error = str(caught)
        if error is not None:
            shown = REFUSED.search(error)
            if shown is None:
                assert repeats
                assert "merged before" in error
                found["refused order"] += 1
                continue
            ranks = {tokenizer.token_bytes(rank): rank for rank in range(len(tokenizer))}
            there = tiktoken.Encoding("", pat_str=".+", mergeable_ranks=ranks, special_tokens={})
            assert str(tokenizer.encode(shown[1])) == shown[2]
            assert str(there.encode(shown[1])) == shown[3]
            assert repeats or shown[2] != shown[3]
            found["refused"] += 1
            continue
        texts = SHORT[letters]
        assert encoding.encode_ordinary_batch(texts, num_threads=1) == tokenizer.encode_batch(texts)
        found["exact, with repetitions" if repeats else "exact"] += 1
    assert min(found.values()) > 3, found


@pytest.mark.parametrize(
    ("scheme", "alphabet"),
    [("gpt2", "utf8"), ("gpt4", "bytes"), ("gpt4o", "utf8"), ("gpt4o", "bytes"), ("none", "bytes")],
)
def test_trained_models(backend_name, tiny_corpus, scheme, alphabet):
    tokenizer = superword.train(
        tiny_corpus,
        vocab_size=900,
        scheme=scheme,
        alphabet=alphabet,
        special_tokens=["<|end|>", "é"],
        backend=backend_name,
    )
    encoding = tokenizer.to_tiktoken("of a test")
    assert (encoding.name, encoding.n_vocab) == ("of a test", len(tokenizer))
    assert encoding._special_tokens == tokenizer.special_tokens
    for text in [*tiny_corpus, "a<|end|>b é", ""]:
        assert encoding.encode_ordinary(text) == tokenizer.encode_ordinary(text)
        expected = tokenizer.encode(text, allowed_special="all")
        assert encoding.encode(text, allowed_special="all") == expected
        assert encoding.decode_bytes(expected) == text.encode()


def test_special_tokens_that_begin_alike_are_refused(backend):
    tokenizer = tokenizer_of(model_of([], special=["<a>b", "x", "<a>"]), backend)
    with pytest.raises(NotExactError, match=r"'<a>' is the beginning of '<a>b'"):
        tokenizer.to_tiktoken()


def test_deletes_are_refused(backend_name, tiny_corpus):
    tokenizer = superword.train(tiny_corpus, vocab_size=500, tau="9/10", backend=backend_name)
    with pytest.raises(NotExactError, match=r"the model deletes tokens.*without tau"):
        tokenizer.to_tiktoken()


def test_arguments(backend):
    tokenizer = tokenizer_of(model_of([]), backend)
    with pytest.raises(superword.errors.SettingsTypeError, match="name must be a str, not int"):
        tokenizer.to_tiktoken(5)
