"""The artifact: what is written is read, and nothing else."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from superword.errors import ModelFormatError
from superword.model import Model, Op

CASES = json.loads((Path(__file__).parent.parent / "cases" / "model_file.json").read_text("utf-8"))
LIMITS = ("any_unicode", "max_token_bytes", "max_total_bytes")


def by_name(case: dict[str, Any]) -> str:
    return str(case["name"])


def sealed(body: bytes) -> bytes:
    return body + b"sha256 " + hashlib.sha256(body).hexdigest().encode() + b"\n"


def sealed_case(case: dict[str, Any]) -> bytes:
    old, new = (text.encode() for text in case["replace"])
    body = CASES[case.get("of", "body")].encode()
    assert old in body
    return sealed(body.replace(old, new + bytes.fromhex(case.get("insert_hex", "")), 1))


def limits(case: dict[str, Any]) -> dict[str, Any]:
    return {name: case[name] for name in LIMITS if name in case}


def outcome(backend: ModuleType, data: bytes) -> tuple[str, object]:
    try:
        return "model", backend.model_from_bytes(data)
    except ModelFormatError as error:
        return type(error).__name__, str(error)


@pytest.mark.parametrize("case", CASES["good"], ids=by_name)
def test_good(backend: ModuleType, case: dict[str, Any]) -> None:
    data = sealed_case(case)
    assert backend.model_to_bytes(backend.model_from_bytes(data, **limits(case))) == data


@pytest.mark.parametrize("case", CASES["bad"], ids=by_name)
def test_bad(backend: ModuleType, case: dict[str, Any]) -> None:
    with pytest.raises(ModelFormatError) as caught:
        backend.model_from_bytes(sealed_case(case), **limits(case))
    assert str(caught.value) == case["error"]


@pytest.mark.parametrize("case", CASES["frames"], ids=by_name)
def test_frames(backend: ModuleType, case: dict[str, Any]) -> None:
    with pytest.raises(ModelFormatError) as caught:
        backend.model_from_bytes(case["data"].encode())
    assert str(caught.value) == case["error"]


def test_the_fields(backend: ModuleType) -> None:
    model = Model(*backend.model_from_bytes(sealed(CASES["body"].encode())))
    assert (model.algorithm, model.alphabet, model.rules) == ("boundless", "bytes", "superword")
    assert (model.scheme, model.id_order) == ("gpt4o-uniscript", "regular-first")
    assert (list(model.special_tokens), model.unicode) == (["<|é\n|>", '"'], "17.0.0")
    assert (model.documents, model.bytes, model.pretokens) == (3, 57, 20)
    assert model.distinct_pretokens == 4
    # The last op makes bytes that exist: it makes the older token.
    assert list(model.ops) == [
        ("merge", 97, 98, 256, 9),
        ("supermerge", 256, 97, 257, 8),
        ("merge", 98, 97, 258, 8),
        ("supermerge", 97, 258, 257, 7),
    ]


def test_every_prefix_is_an_error(backend: ModuleType) -> None:
    data = sealed(CASES["body"].encode())
    for end in range(len(data)):
        with pytest.raises(ModelFormatError):
            backend.model_from_bytes(data[:end])


def test_every_flipped_byte_is_an_error(backend: ModuleType) -> None:
    data = sealed(CASES["body"].encode())
    for place in range(len(data)):
        for bits in (1, 2, 4, 8, 16, 32, 64, 128, 255):
            flipped = bytearray(data)
            flipped[place] ^= bits
            with pytest.raises(ModelFormatError):
                backend.model_from_bytes(bytes(flipped))


def one_byte_edits(body: bytes) -> list[bytes]:
    """Bodies with one byte changed, left out, put in or doubled, none of them the original."""
    edits = []
    for place in range(len(body) + 1):
        before, after = body[:place], body[place + 1 :]
        for byte in b'\x00\t\n\r "019\\,:[]{}lmnsu\xa0\xc3\xff':
            edits.append(before + bytes([byte]) + after)
            edits.append(before + bytes([byte]) + body[place:])
        edits.append(before + after)
    return [edit for edit in dict.fromkeys(edits) if edit != body and edit]


def test_an_edited_file_is_refused_or_has_one_spelling(backend: ModuleType) -> None:
    accepted = 0
    for body in one_byte_edits(CASES["body"].encode()):
        data = sealed(body)
        kind, model = outcome(backend, data)
        if kind == "model":
            assert backend.model_to_bytes(model) == data
            accepted += 1
    assert accepted > 100  # other numbers, other special tokens


def test_edited_files_are_the_same_to_both(both_backends: tuple[ModuleType, ModuleType]) -> None:
    reference, extension = both_backends
    data = sealed(CASES["body"].encode())
    edits = [sealed(body) for body in one_byte_edits(CASES["body"].encode())]
    edits += [data[:end] for end in range(len(data))]
    for place in range(len(data)):
        edits += [
            data[:place] + bytes([data[place] ^ bits]) + data[place + 1 :] for bits in (1, 64)
        ]
    for edit in edits:
        expected, found = outcome(reference, edit), outcome(extension, edit)
        if expected[0] == "model":
            assert reference.model_to_bytes(expected[1]) == edit
            assert extension.model_to_bytes(found[1]) == edit
        else:
            assert found == expected


def models() -> st.SearchStrategy[Model]:
    @st.composite
    def build(draw: st.DrawFn) -> Model:
        algorithm = draw(st.sampled_from(["bpe", "superbpe", "boundless"]))
        alphabet = draw(st.sampled_from(["bytes", "utf8"]))
        codes = range(256) if alphabet == "bytes" else [*range(0xC0), *range(0xC2, 0xF5)]
        tokens = [bytes([code]) for code in codes]
        ops: list[Op] = []
        for _ in range(draw(st.integers(0, 12))):
            kinds = ["merge", "supermerge"]
            if algorithm == "bpe":
                kinds = ["merge"]
            elif algorithm == "superbpe" and ops and ops[-1].kind == "supermerge":
                kinds = ["supermerge"]
            recent = st.integers(max(97, len(tokens) - 4), len(tokens) - 1)
            left, right = draw(recent | st.just(97)), draw(recent | st.just(97))
            new = tokens[left] + tokens[right]
            if new not in tokens:
                tokens.append(new)
            count = draw(st.integers(0, 2**63 - 1))
            ops.append(Op(draw(st.sampled_from(kinds)), left, right, tokens.index(new), count))
        rules = ["superword", "incremental"] if algorithm == "bpe" else ["superword"]
        text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5)
        numbers = st.tuples(st.integers(1, 2**63 - 1), st.integers(2, 2**63 - 1))
        none = st.just((None, None))
        ngrams = draw(none if algorithm == "bpe" else none | numbers)
        return Model(
            algorithm,
            alphabet,
            draw(st.sampled_from(rules)),
            draw(st.sampled_from(["gpt2", "gpt4", "gpt4o", "gpt4o-scripts", "gpt4o-uniscript"])),
            draw(st.sampled_from(["regular-first", "creation"])),
            draw(st.lists(text, unique=True, max_size=3)),
            "17.0.0",
            None,
            None,
            None,
            r"\p{L}",
            None,
            None,
            *ngrams,
            *(draw(st.integers(0, 2**63 - 1)) for _ in range(4)),
            ops,
        )

    return build()


@given(models())
@settings(max_examples=200, deadline=None)
def test_what_is_written_is_read(backend: ModuleType, model: Model) -> None:
    read = backend.model_from_bytes(backend.model_to_bytes(model))
    assert Model(*read)._replace(ops=[], special_tokens=[]) == model._replace(
        ops=[], special_tokens=[]
    )
    assert [tuple(op) for op in Model(*read).ops] == [tuple(op) for op in model.ops]
    assert list(Model(*read).special_tokens) == model.special_tokens


@given(models())
@settings(max_examples=100, deadline=None)
def test_both_write_the_same(both_backends: tuple[ModuleType, ModuleType], model: Model) -> None:
    reference, extension = both_backends
    assert reference.model_to_bytes(model) == extension.model_to_bytes(model)


def test_the_default_limits_stop_doubling_merges(backend: ModuleType) -> None:
    body = CASES["body"].replace('"ops":4', '"ops":60').split("\n")[0] + "\nm 97 97 1\n"
    body += "".join(f"m {token} {token} 1\n" for token in range(256, 256 + 59))
    with pytest.raises(ModelFormatError) as caught:
        backend.model_from_bytes(sealed(body.encode()))
    assert str(caught.value) == (
        "line 26: the token would have 33554432 bytes, more than max_token_bytes = 16777216"
    )


def test_the_default_limits_stop_ops_that_make_the_same_again(backend: ModuleType) -> None:
    body = CASES["body"].replace('"ops":4', '"ops":1023').split("\n")[0] + "\nm 97 97 1\n"
    body += "".join(f"m {token} {token} 1\n" for token in range(256, 256 + 22))
    body += "m 277 277 1\n" * 1000
    with pytest.raises(ModelFormatError) as caught:
        backend.model_from_bytes(sealed(body.encode()))
    assert str(caught.value) == (
        "line 55: the ops up to here make tokens of 276824062 bytes in all, more than "
        "max_total_bytes = 268435456"
    )
