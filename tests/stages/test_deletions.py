"""Deletes in encoding, by any ops: made twice, deleted twice, never reached (SPEC 5, 9.3)."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import picky_encode

from superword.errors import ModelFormatError
from superword.model import Model, Op

LETTERS = "ab '1é"


def model_of(ops: list[tuple[Any, ...]], blow_up: str = "pair", **others: Any) -> Model:
    fields = {
        "algorithm": "boundless",
        "alphabet": "bytes",
        "rules": "superword",
        "scheme": "gpt4o",
        "id_order": "creation",
        "special_tokens": [],
        "unicode": "17.0.0",
        **dict.fromkeys(["pattern", "script_pattern", "scripts"]),
        "eligible_pattern": r"\p{L}",
        "tau": "9/10",
        "blow_up": blow_up,
        **dict.fromkeys(["ngram_floor", "ngram_max_length"]),
        **dict.fromkeys(["documents", "bytes", "pretokens", "distinct_pretokens"], 0),
        "ops": [Op(*op) for op in ops],
    }
    return Model(**{**fields, **others})


def merge(left: int, right: int, new: int) -> tuple[Any, ...]:
    return ("merge", left, right, new, 1)


def delete(token: int) -> tuple[Any, ...]:
    return ("delete", token, token, token, 0)


def spelled(encoder: Any, text: str) -> list[bytes]:
    return [encoder.token_bytes(n) for n in encoder.encode(text, None)]


def test_a_token_without_a_longer_one_falls_into_its_parts(backend: ModuleType) -> None:
    ops = [merge(97, 98, 256), merge(256, 99, 257), delete(256)]
    for shortcut in (True, False):
        encoder = backend.Encoder(model_of(ops), shortcut)
        assert spelled(encoder, "abcab") == [b"abc", b"a", b"b"]
        assert encoder.vocab_size == 257
        assert encoder.token_id(b"ab") is None
        assert encoder.token_id(b"abc") == 256
        assert encoder.op_counts == (2, 0, 0, 1)
        assert encoder.op_tokens()[-1] == ("delete", b"ab", b"ab", b"ab", 0)


def test_ops_before_the_last_one_are_over(backend: ModuleType) -> None:
    # When the delete leaves b c, the op that merges them has had its turn.
    ops = [merge(98, 99, 256), merge(97, 98, 257), merge(257, 100, 258), delete(257)]
    encoder = backend.Encoder(model_of(ops, "bytes"))
    assert spelled(encoder, "abbc") == [b"a", b"b", b"bc"]
    assert spelled(encoder, "abd") == [b"abd"]
    # one that stands again after the delete has
    encoder = backend.Encoder(model_of([*ops, merge(97, 98, 257)]))
    assert spelled(encoder, "ab") == [b"ab"]
    assert encoder.token_id(b"ab") == 258


def test_a_token_that_is_made_is_not_always_reached(backend: ModuleType) -> None:
    """In the vocabulary, and its text ends as something else: no shortcut may take it."""
    ops = [merge(97, 98, 256), merge(98, 99, 257), merge(97, 257, 258), delete(256)]
    for shortcut in (True, False):
        encoder = backend.Encoder(model_of(ops), shortcut)
        assert encoder.token_id(b"abc") is not None
        assert spelled(encoder, "abc") == [b"a", b"b", b"c"]


@pytest.mark.parametrize(
    ("blow_up", "parts"), [("pair", [b"ab", b"b"]), ("bytes", [b"a", b"b", b"b"])]
)
def test_parts(backend: ModuleType, blow_up: str, parts: list[bytes]) -> None:
    ops = [merge(97, 98, 256), merge(256, 98, 257), merge(257, 99, 258), delete(257)]
    assert spelled(backend.Encoder(model_of(ops, blow_up)), "abb") == parts


def test_parts_outside_the_vocabulary_are_expanded_at_the_end(backend: ModuleType) -> None:
    # abb leaves ab, which was deleted before; no further op is applied to a and b
    ops = [merge(97, 98, 256), merge(256, 98, 257), delete(256), merge(257, 99, 258), delete(257)]
    encoder = backend.Encoder(model_of(ops))
    assert spelled(encoder, "abb") == [b"a", b"b", b"b"]
    assert encoder.encode_bytes(b"abb\xff", None) == [97, 98, 98, 255]


def test_parts_are_those_of_the_first_merge_not_of_a_supermerge(backend: ModuleType) -> None:
    ops = [
        ("supermerge", 39, 115, 256, 5),  # ' + s
        merge(115, 32, 257),
        merge(39, 115, 256),
        merge(256, 257, 258),
        delete(256),
    ]
    encoder = backend.Encoder(model_of(ops, scheme="gpt2"))
    assert spelled(encoder, "'s") == [b"'", b"s"]


def test_a_superword_that_was_deleted_falls_into_its_parts(backend: ModuleType) -> None:
    """Its bytes are a token that merges make and a delete takes away."""
    ops = [
        ("supermerge", 97, 39, 256, 5),
        merge(97, 39, 256),
        merge(256, 98, 257),
        delete(256),
    ]
    for shortcut in (True, False):
        encoder = backend.Encoder(model_of(ops, scheme="gpt2"), shortcut)
        assert spelled(encoder, "a'") == [b"a", b"'"]
        assert encoder.op_counts == (2, 1, 0, 1)
        assert not any(encoder.is_superword(n) for n in range(encoder.vocab_size))


def test_what_cannot_be_deleted(backend: ModuleType) -> None:
    for ops, error in [
        ([delete(256)], "op 0: the deleted token does not exist yet: there are 256 tokens"),
        ([delete(98)], "op 0: a single byte cannot be deleted"),
        (
            [("supermerge", 97, 98, 256, 1), delete(256)],
            "op 1: what is deleted must have been made by a merge",
        ),
        ([merge(97, 98, 256), ("delete", 256, 256, 97, 0)], "op 1: it makes token 256, not 97"),
    ]:
        with pytest.raises(ModelFormatError) as caught:
            backend.Encoder(model_of(ops))
        assert str(caught.value) == error


@st.composite
def models(draw: st.DrawFn) -> Model:
    """Any ops in which a delete names what a merge has made, and at least one does."""
    codes = sorted({code for letter in LETTERS for code in letter.encode()})
    tokens = [bytes([code]) for code in range(256)]
    tokens.append(b"'s")
    ops = [merge(39, 115, 256), delete(256)]
    merged = [256]
    for _ in range(draw(st.integers(0, 18))):
        kind = draw(st.sampled_from(["merge", "merge", "supermerge", "delete"]))
        if kind == "delete":
            ops.append(delete(draw(st.sampled_from(merged))))
            continue
        part = st.sampled_from([*codes, *range(256, len(tokens))])
        left, right = draw(part), draw(part)
        new = tokens[left] + tokens[right]
        if new not in tokens:
            tokens.append(new)
        ops.append((kind, left, right, tokens.index(new), 1))
        if kind == "merge":
            merged.append(tokens.index(new))
    return model_of(
        ops,
        draw(st.sampled_from(["pair", "bytes"])),
        scheme=draw(st.sampled_from(["gpt2", "gpt4", "gpt4o-uniscript"])),
        id_order=draw(st.sampled_from(["regular-first", "creation"])),
    )


def named(model: Model) -> list[tuple[str, bytes, bytes, int]]:
    """The ops with bytes for numbers."""
    tokens = [bytes([code]) for code in range(256)]
    out = []
    for kind, left, right, new, count in model.ops:
        out.append((kind, tokens[left], tokens[right], count))
        if new == len(tokens):
            tokens.append(tokens[left] + tokens[right])
    return out


@settings(max_examples=400, deadline=None)
@given(models(), st.text(LETTERS, max_size=40))
def test_equals_the_rules(backend: ModuleType, model: Model, text: str) -> None:
    ops = named(model)
    order = picky_encode.final_ids(ops, [bytes([b]) for b in range(256)], model.id_order)
    pretokens = backend.pretokenize(text, model.scheme)
    expected = picky_encode.encode(pretokens, ops, model.blow_up)
    for shortcut in (True, False):
        encoder = backend.Encoder(model, shortcut)
        assert [encoder.token_bytes(n) for n in range(encoder.vocab_size)] == order
        assert spelled(encoder, text) == expected
        assert spelled(encoder, text) == expected  # what is remembered changes nothing
        assert encoder.decode_bytes(encoder.encode(text, None)) == text.encode()
