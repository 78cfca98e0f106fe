"""Files "word v1": read, and encoded as the program that wrote them does."""

from __future__ import annotations

import json
from gzip import decompress

import pytest
from compose import ALPHABETS, spell
from golden.published import escape, read_jsonl, read_one_phase
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.one_phase import encode

from superword.errors import ModelFormatError

GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def block(rows):
    return "".join(f"{row}\n" for row in [len(rows), *rows])


def file_of(ops, special=(), pattern=GPT2, vocabulary=None, deletions=("", "")):
    """A file of ops ("merge" or "supermerge", left, right) in their order."""
    if vocabulary is None:
        made = dict.fromkeys(ALPHABETS["bytes"])
        made.update(dict.fromkeys(left + right for _, left, right in ops))
        vocabulary = list(made)
    rows = {"merge": [], "supermerge": []}
    for index, (kind, left, right) in enumerate(ops):
        rows[kind].append(f"{index} {escape(left)} {escape(right)}")
    text = "word v1\n" + json.dumps(pattern) + "\n"
    text += block([f"{i} {escape(token)}" for i, token in enumerate(vocabulary)])
    text += block([f"{len(vocabulary) + i} {token}" for i, token in enumerate(special)])
    for kind, gone in zip(rows, deletions, strict=True):
        text += block(rows[kind]) + block([gone] if gone else [])
    return text.encode()


def load(backend, data, *limits):
    return backend.model_from_bytes(backend.artifact_of_published(data, *limits))


OPS = [("merge", b"a", b"b"), ("supermerge", b"ab", b"x"), ("merge", b" ", b"a")]


def test_a_small_file(backend):
    found = load(backend, file_of(OPS, ["<a b>"]))
    assert found[:5] == ("boundless", "bytes", "superword", "gpt2", "creation")
    assert found[5] == ("<a b>",)
    assert spell(found[19], "bytes")[0] == [(*op, 0) for op in OPS]
    assert load(backend, file_of(OPS[:1]))[0] == "bpe"
    found = load(backend, file_of(OPS, pattern="a|b"))
    assert (found[3], found[7], found[10]) == (None, "a|b", r"\p{L}")


@st.composite
def op_lists(draw):
    """Ops of which each uses what exists."""
    tokens, ops = [b"a", b"b", b" "], []
    for _ in range(draw(st.integers(0, 8))):
        kind = draw(st.sampled_from(["merge", "supermerge"]))
        left, right = draw(st.sampled_from(tokens)), draw(st.sampled_from(tokens))
        ops.append((kind, left, right))
        if left + right not in tokens:
            tokens.append(left + right)
    return ops


def makes_again(ops):
    """Whether some op makes a token that an op before it, or this op, uses."""
    used = set()
    for _, left, right in ops:
        if left + right in used:
            return True
        used |= {left, right}
    return False


@settings(max_examples=50)
@given(ops=op_lists(), text=st.text("ab ", max_size=14))
def test_it_encodes_as_that_program(both_backends, ops, text):
    data = file_of(ops)
    results = set()
    for backend in both_backends:
        if makes_again(ops):
            with pytest.raises(ModelFormatError, match="is made again after it was used") as caught:
                load(backend, data)
            results.add(str(caught.value))
            continue
        coder = backend.Encoder(load(backend, data))
        tokens = tuple(coder.token_bytes(n) for n in coder.encode(text, None))
        assert list(tokens) == encode(backend.pretokenize(text, "gpt2"), ops)
        results.add(tokens)
    assert len(results) == 1


def test_why_a_file_is_refused_whose_tokens_are_made_again(backend):
    """A token is used, and only then made from other parts: our order of ops gives other ids."""
    ops = [("merge", b"a", b"b"), ("supermerge", b"ab", b" "), ("supermerge", b"a", b"b")]
    with pytest.raises(ModelFormatError) as caught:
        load(backend, file_of(ops))
    assert str(caught.value) == (
        "line 268, supermerges: the token is made again after it was used: the program that wrote "
        "the file would encode otherwise"
    )
    pretokens = [b"a", b"b", b" "]
    assert encode(pretokens, ops) == [b"ab", b" "]  # ours would go on to `ab `


DELETED = (
    "a model with deletions cannot be used: the file does not say into which parts a deleted token "
    "falls, and such a token keeps its id"
)
ONE = [("merge", b"a", b"b")]
WRONG = [
    (b"word v2\n", "line 1, header: the line must be 'word v1'"),
    (file_of([], pattern="a*"), "line 2, pattern: pattern can match the empty string"),
    (file_of(ONE).replace(b"0 a b\n", b"1 a b\n"), "line 263, word merges: INDEX must be 0, the "
     "next one of merges and supermerges together"),
    (file_of(ONE).replace(b"0 a b\n", b"0 a bc\n"), "line 263, word merges: no op before this one "
     "makes the right token"),
    (file_of(ONE).replace(b"0 a b\n", b"0 a\n"), "line 263, word merges: the line must be "
     "'INDEX LEFT RIGHT'"),
    (file_of(ONE, vocabulary=[*ALPHABETS["bytes"], b"ac"]), "line 3, vocabulary: the ops do not "
     "make these tokens in this order: id 256 should be 6162, not 6163"),
    (file_of([], vocabulary=[b"a"]), "line 3, vocabulary: the first tokens must be the single "
     "bytes in order: all 256, or the 243 that occur in UTF-8"),
    (file_of(ONE, deletions=("1 ab", "")), f"line 264, word deletions: {DELETED}"),
    (file_of(ONE, deletions=("", "1 ab")), f"line 266, super deletions: {DELETED}"),
    (file_of(ONE) + b"\n", "line 267, super deletions: the file should end before this line"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "reason"), WRONG, ids=[reason for _, reason in WRONG])
def test_what_is_refused(backend, data, reason):
    with pytest.raises(ModelFormatError) as caught:
        load(backend, data)
    assert str(caught.value) == reason


def test_limits(backend):
    with pytest.raises(ModelFormatError) as caught:
        load(backend, file_of(OPS), 2)
    assert str(caught.value) == (
        "line 269, supermerges: the token would have 3 bytes, more than max_token_bytes = 2"
    )


ONE_PHASE = {"gpt2": "gpt2", "gpt4": "gpt4", "gpt4o": "gpt4o", "en": "gpt4o"}


@pytest.mark.shared
@pytest.mark.parametrize("variant", ["plain", "all"])
@pytest.mark.parametrize("name", ONE_PHASE)
def test_the_models_of_the_original_program(backend, shared, name, variant):
    """They load, and encode every probe as its encoder does."""
    path = shared / f"golden/onephase/{name}.{variant}.v1.model.gz"
    _, vocabulary, ops = read_one_phase(path)
    model = load(backend, decompress(path.read_bytes()))
    scheme = ONE_PHASE[name]
    assert model[3] == scheme
    assert spell(model[19], model[1])[1] == vocabulary
    coder = backend.Encoder(model)
    texts = [row["text"] for row in read_jsonl(shared / "golden/tiny/probes.jsonl")]
    assert len(texts) == 103
    for text in texts:
        found = [coder.token_bytes(n) for n in coder.encode(text, None)]
        assert found == encode(backend.pretokenize(text, scheme), ops)


@pytest.mark.shared
@pytest.mark.parametrize("name", ["gpt4o.t09b0", "gpt4o.t09b1"])
def test_models_of_the_original_program_with_deletions(backend, shared, name):
    data = decompress((shared / f"golden/onephase/{name}.v1.model.gz").read_bytes())
    with pytest.raises(ModelFormatError, match=DELETED):
        load(backend, data)
