"""SPEC 12.1: reference = Rust, on made-up texts and on real ones, to the byte."""

import pytest
from compose import count_texts, settings_for, train_texts
from differential.strategies import texts
from hypothesis import given, settings
from hypothesis import strategies as st

SCHEMES = ["gpt2", "gpt4", "gpt4o", "gpt4o-scripts", "gpt4o-uniscript"]


@settings(max_examples=300)
@given(
    corpus=st.lists(texts() | st.text(max_size=30), max_size=5),
    algorithm=st.sampled_from(["bpe", "superbpe", "boundless"]),
    scheme=st.sampled_from(SCHEMES),
    special=st.sampled_from([(), ("ab",), ("a", "ab", "\n")]),
    alphabet=st.sampled_from(["bytes", "utf8"]),
    id_order=st.sampled_from(["regular-first", "creation", "gpt2"]),
    min_count=st.integers(1, 3),
    limit=st.none() | st.integers(1, 6),
)
def test_made_up_texts(
    both_backends, corpus, algorithm, scheme, special, alphabet, id_order, min_count, limit
):
    alphabet = "bytes" if id_order == "gpt2" else alphabet  # it is of all bytes
    chosen = settings_for(
        algorithm,
        256 + 40,
        15 if algorithm == "superbpe" else 0,
        scheme=scheme,
        special_tokens=special,
        alphabet=alphabet,
        id_order=id_order,
        min_count=min_count,
        max_token_bytes=limit,
        max_superword_pretokens=limit,
    )
    reference, rust = both_backends
    artifact = train_texts(reference, corpus, chosen)
    assert train_texts(rust, corpus, chosen, threads=2) == artifact
    models = [backend.model_from_bytes(artifact) for backend in both_backends]
    assert plain(models[0]) == plain(models[1])
    encoders = [
        backend.Encoder(model) for backend, model in zip(both_backends, models, strict=True)
    ]
    for text in corpus:
        one, two = (list(encoder.encode(text, None)) for encoder in encoders)
        assert one == two
        assert bytes(encoders[0].decode_bytes(one)) == bytes(encoders[1].decode_bytes(one))
    one, two = (encoder.op_tokens() for encoder in encoders)
    assert [tuple(op) for op in one] == [tuple(op) for op in two]


def plain(model):
    """A model as nested tuples."""
    *head, ops, special_ids = model
    fields = [tuple(x) if isinstance(x, list) else x for x in (*head, special_ids)]
    return fields + [tuple(op) for op in ops]


@settings(max_examples=400)
@given(text=st.text() | texts(), scheme=st.sampled_from(SCHEMES))
def test_pretokens(both_backends, text, scheme):
    one, two = (backend.pretokenize(text, scheme) for backend in both_backends)
    assert one == two
    assert b"".join(one) == text.encode()
    assert all(one)


@pytest.mark.parametrize(
    ("algorithm", "scheme"),
    [
        ("bpe", "gpt4"),
        ("superbpe", "gpt4o-scripts"),
        *(("boundless", scheme) for scheme in SCHEMES),
    ],
)
def test_real_text(both_backends, tiny_corpus, algorithm, scheme):
    chosen = settings_for(
        algorithm,
        1500,
        400 if algorithm == "superbpe" else 0,
        scheme=scheme,
        special_tokens=("the",) if scheme == "gpt4" else (),
    )
    reference, rust = both_backends
    artifact = train_texts(reference, tiny_corpus, chosen)
    assert train_texts(rust, tiny_corpus, chosen, threads=2) == artifact
    encoders = [b.Encoder(b.model_from_bytes(artifact)) for b in both_backends]
    part = tiny_corpus[::3]
    one, two = ([list(ids) for ids in e.encode_batch(part, None, 2)] for e in encoders)
    assert one == two
    assert [bytes(encoders[1].decode_bytes(ids)) for ids in one] == [t.encode() for t in part]


@pytest.mark.shared
@pytest.mark.parametrize("name", ["en", "multi", "code", "lao_burmese"])
def test_shared_corpus(both_backends, shared, name):
    chosen = settings_for("boundless", 1000)
    corpus = read_some(shared / "corpus" / f"{name}.jsonl", 150_000)
    reference, rust = both_backends
    artifact = train_texts(reference, corpus, chosen)
    assert train_texts(rust, corpus, chosen, threads=2) == artifact
    one, two = (count_texts(backend, corpus, chosen, 2) for backend in both_backends)
    assert one.pretoken_counts() == two.pretoken_counts()
    assert one.run_counts() == two.run_counts()
    encoders = [b.Encoder(b.model_from_bytes(artifact)) for b in both_backends]
    one, two = ([list(ids) for ids in e.encode_batch(corpus, None, 2)] for e in encoders)
    assert one == two


def read_some(path, characters):
    """The first documents of a .jsonl file, up to so many characters."""
    import json

    found = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            found.append(json.loads(line)["text"])
            characters -= len(found[-1])
            if characters < 0:
                break
    return found
