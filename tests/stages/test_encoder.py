"""The encoder: named cases, and any model and text against a replay by the rules."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from superword.errors import EncodingError, ModelFormatError
from superword.model import Model, Op

CASES = json.loads((Path(__file__).parent.parent / "cases" / "encoder.json").read_text("utf-8"))
# Letters that merge within a pretoken, and what starts a new one.
LETTERS = "ab '1é"
SCHEMES = ["gpt2", "gpt4", "gpt4o", "gpt4o-scripts", "gpt4o-uniscript"]


def by_name(case: dict[str, Any]) -> str:
    return str(case["name"])


def model_of(fields: dict[str, Any]) -> Model:
    return Model(
        **{key: value for key, value in fields.items() if key != "ops"},
        unicode="17.0.0",
        pattern=None,
        script_pattern=None,
        scripts=None,
        eligible_pattern=r"\p{L}",
        tau=None,
        blow_up=None,
        ngram_floor=None,
        ngram_max_length=None,
        documents=0,
        bytes=0,
        pretokens=0,
        distinct_pretokens=0,
        ops=[Op(*op) for op in fields["ops"]],
    )


def named_model(name: str) -> Model:
    return model_of(CASES["models"][name])


@pytest.mark.parametrize("shortcut", [True, False])
@pytest.mark.parametrize("case", CASES["encode"], ids=by_name)
def test_encode(backend: ModuleType, case: dict[str, Any], shortcut: bool) -> None:
    encoder = backend.Encoder(named_model(case["model"]), shortcut)

    def encode() -> list[int]:
        if "text" in case:
            return list(encoder.encode(case["text"], case["allowed"]))
        return list(encoder.encode_bytes(bytes.fromhex(case["hex"]), case["allowed"]))

    if "error" in case:
        with pytest.raises(EncodingError) as caught:
            encode()
        assert str(caught.value) == case["error"]
    else:
        assert encode() == case["ids"]


@pytest.mark.parametrize("case", CASES["decode"], ids=by_name)
def test_decode(backend: ModuleType, case: dict[str, Any]) -> None:
    encoder = backend.Encoder(named_model(case["model"]))
    if "error" in case:
        with pytest.raises(EncodingError) as caught:
            encoder.decode_bytes(case["ids"])
        assert str(caught.value) == case["error"]
    else:
        assert encoder.decode_bytes(case["ids"]) == bytes.fromhex(case["hex"])


def test_long_tokens(backend: ModuleType) -> None:
    """Tokens of which not all bytes are stored in one piece; cuts that do not agree."""
    ops = [Op("merge", 97, 98, 256, 1)]
    for _ in range(10):
        ops.append(Op("merge", ops[-1].new, ops[-1].new, ops[-1].new + 1, 1))
    ops += [Op("merge", 97, 266, 267, 1), Op("merge", 266, 97, 268, 1)]
    ops += [Op("merge", 267, 98, 269, 1), Op("merge", 97, 266, 267, 1)]
    encoder = backend.Encoder(named_model("creation")._replace(ops=ops, id_order="creation"))
    pairs = b"ab" * 1024
    tokens = {266: pairs, 267: b"a" + pairs, 268: pairs + b"a", 269: b"a" + pairs + b"b"}
    for token_id, token in tokens.items():
        assert encoder.token_bytes(token_id) == token
        assert encoder.token_id(token) == token_id
        assert encoder.token_id(token + b"a") == (268 if token_id == 266 else None)
    assert encoder.decode_bytes([269, 97, 266, 269]) == b"".join(
        (tokens[269], b"a", pairs, tokens[269])
    )
    assert encoder.op_tokens()[11][1:4] == (b"a", pairs, b"a" + pairs)


@pytest.mark.parametrize("case", CASES["bad_ops"], ids=by_name)
def test_bad_ops(backend: ModuleType, case: dict[str, Any]) -> None:
    model = named_model("creation")._replace(ops=[Op(*op) for op in case["ops"]])
    with pytest.raises(ModelFormatError) as caught:
        backend.Encoder(model)
    assert str(caught.value) == case["error"]


@pytest.mark.parametrize("name", list(CASES["models"]))
def test_a_model_file_loads_as_its_model_does(backend: ModuleType, name: str) -> None:
    data = backend.model_to_bytes(named_model(name))
    model = Model(*backend.model_from_bytes(data))
    encoder, rest = backend.load_model(data)
    assert Model(*rest)._replace(special_tokens=[], ops=[]) == model._replace(
        special_tokens=[], ops=[]
    )
    assert (list(rest[5]), list(rest[19])) == (list(model.special_tokens), [])
    assert encoder.op_tokens() == backend.Encoder(model).op_tokens()
    supermerges = [op[3] for op in model.ops if op[0] == "supermerge"]
    merges = len(model.ops) - len(supermerges)
    assert encoder.op_counts == (merges, len(supermerges), len(set(supermerges)), 0)
    with pytest.raises(ModelFormatError):
        backend.load_model(data, False, 1, 1)


def test_the_vocabulary(backend: ModuleType) -> None:
    encoder = backend.Encoder(named_model("two ways")._replace(special_tokens=["'s", "<s>"]))
    assert encoder.vocab_size == 259
    assert [encoder.token_bytes(token_id) for token_id in range(256, 261)] == [
        b"'s",
        b"'so",
        b"'s ",
        b"'s",
        b"<s>",
    ]
    # A regular token that a supermerge makes too is a superword all the same.
    assert [encoder.is_superword(i) for i in (39, 256, 257, 258, 259)] == [
        False,
        True,
        False,
        True,
        False,
    ]
    assert encoder.token_id(b"'s") == 256
    assert encoder.token_id(b"<s>") == 260
    assert encoder.token_id(b"<s") is None
    assert encoder.op_tokens()[3] == ("supermerge", b"'", b"s", b"'s", 1)
    for call in (encoder.token_bytes, encoder.is_superword):
        with pytest.raises(EncodingError) as caught:
            call(261)
        assert str(caught.value) == "id 261 is not in the vocabulary (ids are 0 to 260)"


@st.composite
def models(draw: st.DrawFn) -> Model:
    """Any ops, even such as no training makes: made twice, never reached, out of order."""
    codes = sorted({code for letter in LETTERS for code in letter.encode()})
    tokens = [bytes([code]) for code in range(256)]
    ops: list[Op] = []
    for _ in range(draw(st.integers(0, 14))):
        part = st.sampled_from([*codes, *range(256, len(tokens))])
        left, right = draw(part), draw(part)
        new = tokens[left] + tokens[right]
        if new not in tokens:
            tokens.append(new)
        kind = draw(st.sampled_from(["merge", "supermerge"]))
        ops.append(Op(kind, left, right, tokens.index(new), 1))
    return Model(
        "boundless",
        "bytes",
        "superword",
        draw(st.sampled_from(SCHEMES)),
        draw(st.sampled_from(["regular-first", "creation"])),
        draw(st.lists(st.text("ab ", min_size=1, max_size=3), unique=True, max_size=2)),
        "17.0.0",
        None,
        None,
        None,
        r"\p{L}",
        None,
        None,
        None,
        None,
        0,
        0,
        0,
        0,
        ops,
    )


def named_ops(model: Model) -> list[tuple[str, bytes, bytes]]:
    tokens = [bytes([code]) for code in range(256)]
    named = []
    for op in model.ops:
        pair = (tokens[op.left], tokens[op.right])
        named.append((op.kind, *pair))
        if b"".join(pair) not in tokens:
            tokens.append(b"".join(pair))
    return named


def ids_by_the_rules(model: Model) -> dict[bytes, int]:
    """SPEC 5.1, with lists alone."""
    singles = [bytes([code]) for code in range(256)]
    made: dict[str, list[bytes]] = {"merge": [], "supermerge": [], "any": []}
    for kind, left, right in named_ops(model):
        if left + right in made[kind]:
            made[kind].remove(left + right)
        made[kind].append(left + right)
        if left + right not in made["any"]:
            made["any"].append(left + right)
    if model.id_order == "creation":
        order = singles + made["any"]
    else:
        only_super = [token for token in made["supermerge"] if token not in made["merge"]]
        order = singles + made["merge"] + only_super
    return {token: token_id for token_id, token in enumerate(order)}


def replay(tokens: list[bytes], ranks: dict[tuple[bytes, bytes], int], once: bool) -> list[bytes]:
    while True:
        pairs = list(pairwise(tokens))
        present = [ranks[pair] for pair in pairs if pair in ranks]
        if not present:
            return tokens
        out: list[bytes] = []
        place, done = 0, False
        while place < len(tokens):
            here = ranks.get(pairs[place]) if place < len(pairs) else None
            if here == min(present) and not (once and done):
                out.append(tokens[place] + tokens[place + 1])
                place, done = place + 2, True
            else:
                out.append(tokens[place])
                place += 1
        tokens = out


def encode_by_the_rules(model: Model, pretokens: list[bytes]) -> list[bytes]:
    """SPEC 9 steps 3 and 4 as they are written."""
    ranks: dict[str, dict[tuple[bytes, bytes], int]] = {"merge": {}, "supermerge": {}}
    for index, (kind, left, right) in enumerate(named_ops(model)):
        ranks[kind].setdefault((left, right), index)
    parts = {part for pair in ranks["supermerge"] for part in pair}
    out: list[bytes] = []
    run: list[bytes] = []
    for pretoken in [*pretokens, None]:
        tokens = []
        if pretoken is not None:
            singles = [pretoken[i : i + 1] for i in range(len(pretoken))]
            tokens = replay(singles, ranks["merge"], once=True)
        if len(tokens) == 1 and tokens[0] in parts:
            run += tokens
        else:
            out += replay(run, ranks["supermerge"], once=False) + tokens
            run = []
    return out


@given(models(), st.text(LETTERS, max_size=80))
@settings(max_examples=400, deadline=None)
def test_equals_the_rules(backend: ModuleType, model: Model, text: str) -> None:
    ids = ids_by_the_rules(model)
    tokens = encode_by_the_rules(model, backend.pretokenize(text, model.scheme))
    expected = [ids[token] for token in tokens]
    for shortcut in (True, False):
        encoder = backend.Encoder(model, shortcut)
        assert encoder.encode(text, None) == expected
        assert encoder.encode(text, None) == expected  # what is remembered changes nothing
        assert encoder.vocab_size == len(ids)


@given(models(), st.text(st.sampled_from(LETTERS) | st.characters(exclude_categories=["Cs"])))
@settings(deadline=None)
def test_text_comes_back(backend: ModuleType, model: Model, text: str) -> None:
    encoder = backend.Encoder(model)
    everything = range(len(model.special_tokens))
    for allowed in (None, list(everything)):
        ids = encoder.encode(text, allowed)
        assert encoder.decode_bytes(ids) == text.encode()
        assert encoder.encode_bytes(text.encode(), allowed) == ids


@given(models(), st.lists(st.binary(max_size=3) | st.text(LETTERS, max_size=5).map(str.encode)))
@settings(deadline=None)
def test_bytes_come_back(backend: ModuleType, model: Model, parts: list[bytes]) -> None:
    data = b"".join(parts)
    encoder = backend.Encoder(model)
    everything = list(range(len(model.special_tokens)))
    assert encoder.decode_bytes(encoder.encode_bytes(data, None)) == data
    assert encoder.decode_bytes(encoder.encode_bytes(data, everything)) == data


@given(models(), st.lists(st.text(LETTERS, max_size=20), max_size=12), st.integers(1, 4))
@settings(deadline=None)
def test_a_batch_is_its_texts(
    backend: ModuleType, model: Model, texts: list[str], threads: int
) -> None:
    encoder = backend.Encoder(model)
    assert encoder.encode_batch(texts, None, threads) == [
        encoder.encode(text, None) for text in texts
    ]


@pytest.mark.parametrize("threads", [1, 3])
def test_the_lowest_error_of_a_batch(backend: ModuleType, threads: int) -> None:
    encoder = backend.Encoder(named_model("specials"))
    texts = ["a " * 2000] * 20 + ["b", "b<s>", "<s>"] * 5
    with pytest.raises(EncodingError) as caught:
        encoder.encode_batch(texts, [], threads)
    assert str(caught.value) == (
        "text 21: special token '<s>' at position 1 is not allowed: name it in "
        "allowed_special, or use encode_ordinary to take it as plain text"
    )


def test_threads_may_share_an_encoder(backend: ModuleType) -> None:
    encoder = backend.Encoder(named_model("super"))
    texts = [f"a b c {number} b b" for number in range(400)]
    expected = [encoder.encode(text, None) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda text: encoder.encode(text, None), texts)) == expected


def test_what_a_call_remembers_is_not_what_it_returns(backend: ModuleType) -> None:
    encoder = backend.Encoder(named_model("merges"))
    encoder.encode("abab", None).clear()
    assert encoder.encode("abab", None) == encoder.encode_batch(["abab"], None, 1)[0] == [258]


def test_a_million_equal_characters(backend: ModuleType) -> None:
    encoder = backend.Encoder(named_model("merges"))
    ids = encoder.encode("a" * 1_000_001, None)
    assert ids == [encoder.token_id(b"aa")] * 500_000 + [97]


def test_a_run_of_many_pretokens(backend: ModuleType) -> None:
    encoder = backend.Encoder(named_model("super"))
    ids = encoder.encode(" b" * 100_001, None)
    assert ids == [encoder.token_id(b" b b")] * 50_000 + [encoder.token_id(b" b")]
