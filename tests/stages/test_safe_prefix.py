"""Safe prefixes: no continuation changes what is kept, and little is given up."""

from __future__ import annotations

import random
from types import ModuleType
from typing import Any

import pytest

from superword.model import Model, Op

SCHEMES = ["gpt2", "gpt4", "gpt4o", "gpt4o-scripts", "gpt4o-uniscript"]
# One of each kind that a pattern or a rule tells apart, in several scripts
KINDS = [
    *"astrevlmdALS 1'!/,\n\r\t",
    *"яЯſªʰ漢かーไาัا",
    *"\u0301\u064e٣²፩\u3000😀\u200dᾈǅ𝐀𝐚",
]
PAIRS = ["", *KINDS, *(one + other for one in KINDS for other in KINDS)]
# How many of the pretokens that none of the continuations below moves are given up: behind the last
# letter of a chunk of one script, and before a contraction in capitals
LOST = {"gpt2": 2, "gpt4": 0, "gpt4o": 0, "gpt4o-scripts": 160, "gpt4o-uniscript": 0}


def model_of(scheme: str | None, ops: Any = (), **others: Any) -> Model:
    fields = {
        "algorithm": "superbpe",
        "alphabet": "bytes",
        "rules": "superword",
        "id_order": "creation",
        "special_tokens": [],
        "unicode": "17.0.0",
        "eligible_pattern": r"\p{L}",
        "documents": 0,
        "bytes": 0,
        "pretokens": 0,
        "distinct_pretokens": 0,
        "ops": [Op(*op) for op in ops],
    } | others
    if scheme == "none":
        fields |= {"algorithm": "bpe", "rules": "incremental"}
    return Model(**{name: fields.get(name) for name in Model._fields} | {"scheme": scheme})


def leading(one: list[bytes], other: list[bytes]) -> int:
    """How many pretokens two lists begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_no_continuation_moves_a_settled_pretoken(
    backend: ModuleType, backend_name: str, scheme: str
) -> None:
    """A model of single bytes: its safe prefix is the settled pretokens."""
    encoder = backend.Encoder(model_of(scheme))
    rng = random.Random(7)
    settled = lost = 0
    texts, pairs = (60, PAIRS) if backend_name == "rust" else (60, ["", *KINDS])
    for _ in range(texts):
        palette = rng.choices(KINDS, k=rng.randrange(1, 6))
        text = "".join(rng.choices(palette, k=rng.randrange(1, 6)))
        ids, rest = encoder.safe_prefix(text, [])
        assert bytes(ids) + rest.encode() == text.encode()
        pretokens = backend.pretokenize(text, scheme)
        ends = [sum(map(len, pretokens[:count])) for count in range(len(pretokens) + 1)]
        kept, possible = ends.index(len(ids)), len(pretokens)
        triples = ["".join(rng.choices(KINDS, k=3)) for _ in range(len(pairs) // 30)]
        for continuation in [*pairs, *triples]:
            longer = backend.pretokenize(text + continuation, scheme)
            same = leading(pretokens, longer)
            assert same >= kept, (text, continuation)
            possible = min(possible, same)
        settled += kept
        lost += possible - kept
    assert settled > texts / 3
    assert lost <= LOST[scheme]


TEXTS = [
    ("gpt2", "I can'", "I can"),
    ("gpt2", "I can'l", "I can"),
    ("gpt2", "I can't", "I can't"),
    ("gpt4", "I can't 123", "I can't 123"),
    ("gpt4", "I can't 12", "I can't "),
    ("gpt4", "one\n \n ", "one"),
    ("gpt4o", "one\n \n x", "one\n \n"),
    ("gpt4o", "I can'", "I"),
    ("gpt4o", "I CAN'T", "I CAN'T"),
    ("gpt4o", "one 漢AB", "one"),
    ("gpt4o", "one 漢ABc", "one"),
    ("gpt4o", "camelCASE", "camel"),
    ("gpt4o", "one vかAB", "one vか"),
    ("gpt4o-uniscript", "я'", "я"),
    ("gpt4o-uniscript", "ñ'", ""),
    ("gpt4o-uniscript", "漢字ABC", "漢字"),
    ("gpt4o-uniscript", "漢字、かな", "漢字、か"),
    ("gpt4o-uniscript", "ภาษาไทย", "ภาษาไท"),
    ("gpt4o-scripts", "漢字ABC", "漢字"),
    ("gpt4o-scripts", "one two. ", "one two"),
    ("gpt4o-scripts", "12 34 ", ""),
    ("none", "one two", ""),
]


@pytest.mark.parametrize(("scheme", "text", "kept"), TEXTS)
def test_how_much_is_settled(backend: ModuleType, scheme: str, text: str, kept: str) -> None:
    ids, rest = backend.Encoder(model_of(scheme)).safe_prefix(text, [])
    assert (bytes(ids).decode(), rest) == (kept, text[len(kept) :])


def test_a_custom_pattern_settles_nothing(backend: ModuleType) -> None:
    model = model_of(None, pattern=r"[a-z]+|\s", special_tokens=["<s>"])
    encoder = backend.Encoder(model)
    assert encoder.safe_prefix("one two", []) == ([], "one two")
    assert encoder.safe_prefix("a<s>b<s>one two", [0]) == ([97, 256, 98, 256], "one two")
    named = backend.Encoder(model_of(None, pattern=r"(?:\p{L}+)|\s"))
    assert named.safe_prefix("one two", []) == ([], "one two")


SPECIAL = [
    # text, special tokens, those allowed, what is left of the text
    ("one two<", ["<s>"], [0], " two<"),
    ("one two<", ["<s>"], [], "<"),  # what is not allowed would be an error
    ("one two <", ["<s>"], [0], " <"),
    ("one two, <", ["<s>"], [0], " <"),
    ("one<s>", ["<s>"], [0], ""),
    ("one<s>", ["<s>", "<s>a"], [0, 1], "one<s>"),
    ("one<s>a", ["<s>", "<s>a"], [0, 1], ""),
    ("one<s>two three", ["<s>"], [0], " three"),
    ("one<s><s", ["<s>", "s><"], [0, 1], "<s"),
    ("aab", ["aab", "abc", "bx"], [0, 1, 2], ""),
    ("xaa", ["aab"], [0], "xaa"),
]


@pytest.mark.parametrize(("text", "special", "allowed", "rest"), SPECIAL)
def test_a_special_token_may_be_completed(
    backend: ModuleType, text: str, special: list[str], allowed: list[int], rest: str
) -> None:
    encoder = backend.Encoder(model_of("gpt4o", special_tokens=special))
    ids, left = encoder.safe_prefix(text, allowed)
    assert left == rest
    assert encoder.decode_bytes(ids).decode() + rest == text


# " a" 256, " b" 257, " c" 258; then superwords " a b" 259 and " a b c" 260, of which " b c" is none
WORDS = [("merge", 32, 97 + n, 256 + n, 9) for n in range(3)]
OPS = [*WORDS, ("supermerge", 256, 257, 259, 5), ("supermerge", 259, 258, 260, 4)]
JOINED = [
    (" a b c d", " d"),  # between " c" and " d" nothing joins; " d" is no token, and open
    (" a b c", " a b c"),  # the last one may go on
    (" a b", " a b"),
    (" b a ", " a "),  # the last blank may become " b"
    (" c a", " a"),
    (" c c c", " c"),
    (" a a b b", " a b b"),
    (" b c d", " d"),
]


@pytest.mark.parametrize(("text", "rest"), JOINED)
def test_a_supermerge_may_join_what_follows(backend: ModuleType, text: str, rest: str) -> None:
    encoder = backend.Encoder(model_of("gpt4o", OPS))
    ids, left = encoder.safe_prefix(text, [])
    assert encoder.decode_bytes(ids).decode() + left == text
    for more in ["", " a", " b", " c", " b c", " c b", "x", " "]:
        assert list(encoder.encode(text + more, []))[: len(ids)] == list(ids)
    assert left == rest


def test_a_superword_that_is_a_pretoken_too(backend: ModuleType) -> None:
    """What is made in two ways ends in either."""
    ops = [("merge", 32, 98, 256, 9), ("merge", 97, 98, 257, 9)]
    ops += [("supermerge", 97, 98, 257, 5), ("supermerge", 257, 256, 258, 4)]
    encoder = backend.Encoder(model_of("gpt4o", ops))
    assert encoder.encode("ab b", []) == [258]
    assert encoder.safe_prefix("ab b, ", []) == ([258, 44], " ")
    assert encoder.safe_prefix("ab b", []) == ([], "ab b")


def test_next_tokens(backend: ModuleType) -> None:
    encoder = backend.Encoder(model_of("gpt4o", OPS, special_tokens=[" a"]))
    assert encoder.next_tokens(b" a ") == [32, 256, 259, 260]
    assert encoder.next_tokens(b" a b cd") == [32, 256, 259, 260]
    assert encoder.next_tokens(b" b") == [32, 257]
    assert encoder.next_tokens(b"\xff") == [255]
    assert encoder.next_tokens(b"") == list(range(encoder.vocab_size))
    letters = [("merge", 97, 97, 256, 9), ("merge", 256, 256, 257, 9), ("merge", 257, 257, 258, 9)]
    letters += [
        ("merge", 258, 258, 259, 9),
        ("merge", 259, 259, 260, 9),
        ("merge", 260, 98, 261, 9),
    ]
    long = backend.Encoder(model_of("gpt4o", letters))
    assert long.next_tokens(b"a" * 32) == [97, 256, 257, 258, 259, 260, 261]
    assert long.next_tokens(b"a" * 16 + b"b") == [97, 256, 257, 258, 259]
    assert long.next_tokens(b"a" * 32 + b"c") == [97, 256, 257, 258, 259, 260]
