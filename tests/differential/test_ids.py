"""Special tokens with any ids: each id of the usual numbering has another name, nothing else."""

from itertools import count, islice

import pytest
from compose import settings_for, train_texts
from differential.strategies import texts
from hypothesis import given, settings
from hypothesis import strategies as st

from superword.errors import EncodingError
from superword.model import Model

SPECIAL = ("<s>", "a", " b")


@settings(max_examples=150)
@given(
    corpus=st.lists(texts(), max_size=4),
    text=texts(),
    ids=st.sets(st.integers(0, 300) | st.integers(0, 2**31 - 2), min_size=3, max_size=3),
    id_order=st.sampled_from(["regular-first", "creation", "gpt2"]),
    allowed=st.none() | st.sets(st.integers(0, 2)),
)
def test_other_names(backend, corpus, text, ids, id_order, allowed):
    chosen = settings_for(
        "boundless", 290, scheme="gpt4o", special_tokens=SPECIAL, id_order=id_order
    )
    usual = Model(*backend.model_from_bytes(train_texts(backend, corpus, chosen)))
    special_ids = sorted(ids)
    data = backend.model_to_bytes(usual._replace(special_ids=tuple(special_ids)))
    model = Model(*backend.model_from_bytes(data))
    assert list(model.special_ids) == special_ids
    assert backend.model_to_bytes(model) == data
    first, second = backend.Encoder(usual), backend.Encoder(model)
    size = first.vocab_size
    free = islice((n for n in count() if n not in ids), size)
    names = dict(enumerate([*free, *special_ids]))

    assert second.vocab_size == size
    for number, name in names.items():
        assert second.token_bytes(name) == first.token_bytes(number)
        assert second.is_superword(name) == first.is_superword(number)
        token = first.token_bytes(number)
        assert second.token_id(token) == names[first.token_id(token)]
    last = max(names.values())
    for name in {*range(400), last + 1, special_ids[-1] - 1} - set(names.values()):
        for call in (second.token_bytes, second.is_superword, lambda n: second.decode_bytes([n])):
            with pytest.raises(EncodingError) as caught:
                call(name)
            assert f"is not in the vocabulary (ids are 0 to {last})" in str(caught.value)

    gate = None if allowed is None else sorted(allowed)
    for whole in (text, f"{text}<s>{text}"):
        outcomes = []
        for encoder, named in ((first, names), (second, {n: n for n in names.values()})):
            try:
                found = [named[n] for n in encoder.encode(whole, gate)]
            except EncodingError as error:
                outcomes.append(str(error))
                continue
            prefix, rest = encoder.safe_prefix(whole, gate)
            offsets = encoder.encode_offsets(whole, gate)
            batch = [list(map(named.get, ids)) for ids in encoder.encode_batch([whole], gate, 2)]
            data = [named[n] for n in encoder.encode_bytes(whole.encode() + b"\xff", gate)]
            outcomes.append((found, [named[n] for n in prefix], rest, offsets[1:], batch, data))
            assert encoder.decode_bytes(encoder.encode(whole, gate)) == whole.encode()
        assert outcomes[0] == outcomes[1]
    assert second.next_tokens(b"a") == [names[n] for n in first.next_tokens(b"a")]
