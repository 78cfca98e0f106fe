"""Safe prefixes, continuations and offsets, of any model and text: by the rules, and alike."""

from fractions import Fraction

import pytest
from compose import settings_for, train_texts
from differential.strategies import texts
from hypothesis import given, settings
from hypothesis import strategies as st

SCHEMES = ["gpt2", "gpt4", "gpt4o", "gpt4o-scripts", "gpt4o-uniscript"]
WORDS = ["by", " the", " way", " I", " like", "a", " b", "漢", "字", "<s>", ",", "\n", " "]
SPECIAL = ("<s>", "<s>a", " b")
phrases = st.lists(st.sampled_from(WORDS), max_size=9).map("".join)


def model_of(backend, corpus, scheme, algorithm, **others):
    """A model of some texts with many new tokens, a third of them superwords for "superbpe"."""
    supermerges = 20 if algorithm == "superbpe" else 0
    size = others.pop("vocab_size", 256 + 60)
    chosen = settings_for(algorithm, size, supermerges, scheme=scheme, **others)
    return backend.model_from_bytes(train_texts(backend, corpus, chosen))


@pytest.mark.parametrize("algorithm", ["bpe", "superbpe", "boundless"])
@settings(max_examples=200)
@given(
    corpus=st.lists(phrases | texts(), min_size=1, max_size=5),
    text=phrases | texts(),
    continuations=st.lists(phrases | texts(), max_size=8),
    scheme=st.sampled_from(SCHEMES),
    deletes=st.booleans(),
    allowed=st.sampled_from([None, [0, 1], [0, 1, 2]]),
)
def test_no_continuation_changes_a_safe_prefix(
    both_backends, algorithm, corpus, text, continuations, scheme, deletes, allowed
):
    reference, compiled = both_backends
    others = {"special_tokens": SPECIAL}
    if deletes:
        others |= {"tau": Fraction(4, 5), "blow_up": "pair"}
    corpus = [document.replace("<s>", "") * 3 for document in corpus]
    model = model_of(compiled, corpus, scheme, algorithm, **others)
    one, other = reference.Encoder(model), compiled.Encoder(model)
    if allowed is not None and len(allowed) < len(SPECIAL):
        text = text.replace(" b", "")
        continuations = [c.replace(" b", "").lstrip("b") for c in continuations]
    ids, rest = other.safe_prefix(text, allowed)
    assert one.safe_prefix(text, allowed) == (ids, rest)
    assert other.decode_bytes(ids) + rest.encode() == text.encode()
    for continuation in ["", " ", "a", "'s", "s>", "s>a", *WORDS, *continuations]:
        longer = text + continuation
        if allowed == [0, 1] and " b" in longer:
            continue
        assert other.encode(longer, allowed)[: len(ids)] == ids
    data = rest.encode()
    for part in {data, data[:2], data[-1:], b""}:
        expected = [
            number
            for number in range(other.vocab_size)
            if other.token_bytes(number).startswith(part)
            or part.startswith(other.token_bytes(number))
        ]
        assert one.next_tokens(part) == other.next_tokens(part) == expected


@settings(max_examples=150)
@given(
    corpus=st.lists(texts(), max_size=4),
    text=texts(),
    noise=st.binary(max_size=6),
    allowed=st.sampled_from([None, [0, 1, 2]]),
)
def test_offsets(both_backends, corpus, text, noise, allowed):
    reference, compiled = both_backends
    model = model_of(compiled, corpus, "gpt4o-uniscript", "boundless", special_tokens=SPECIAL)
    one, other = reference.Encoder(model), compiled.Encoder(model)
    data = text.encode()[:9] + noise + text.encode()[9:]
    found = other.encode_offsets(text, allowed)
    assert found == one.encode_offsets(text, allowed)
    of_bytes = other.encode_bytes_offsets(data, allowed)
    assert of_bytes == one.encode_bytes_offsets(data, allowed)
    assert other.count(text, allowed) == one.count(text, allowed) == len(found[0])
    assert other.count_bytes(data, allowed) == one.count_bytes(data, allowed) == len(of_bytes[0])
    for string, (ids, in_bytes, in_characters) in (
        (text, found),
        (data.decode("utf-8", "surrogateescape"), of_bytes),
    ):
        whole = string.encode("utf-8", "surrogateescape")
        ends = [0]
        for character in string:
            ends.append(ends[-1] + len(character.encode("utf-8", "surrogateescape")))
        at = 0
        for token_id, (start, end), (first, last) in zip(ids, in_bytes, in_characters, strict=True):
            assert (at, other.token_bytes(token_id)) == (start, whole[start:end])
            assert ends[first] <= start < ends[first + 1]
            assert ends[last - 1] < end <= ends[last]
            at = end
        assert at == len(whole)


@settings(max_examples=40)
@given(batch=st.lists(texts(), max_size=6))
def test_counts_of_a_batch(both_backends, batch):
    reference, compiled = both_backends
    model = model_of(compiled, batch, "gpt4o-uniscript", "boundless")
    one, other = reference.Encoder(model), compiled.Encoder(model)
    expected = [len(other.encode(text, None)) for text in batch]
    assert one.count_batch(batch, None, 2) == other.count_batch(batch, None, 2) == expected
