"""SPEC 12.3, 12.7 and 12.8 on real text: what the property tests show on made-up documents.

12.1 is in differential/test_backends, 12.2 in golden (the models of the original one-phase
program), 12.4 to 12.6 in files of their own.
"""

from collections import Counter

import pytest
from compose import ALPHABETS, count_texts, settings_for, spell, train_tables, train_texts
from oracle.encode import encode, final_ids

SCHEMES = ["gpt2", "gpt4o-scripts", "gpt4o-uniscript"]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_boundless_is_superbpe_stopped_after_as_many_ops(backend, tiny_corpus, scheme):
    boundless = settings_for("boundless", 5000, scheme=scheme)
    counts = count_texts(backend, tiny_corpus, boundless)
    pretokens, runs = counts.pretoken_counts(), counts.run_counts()
    ops, vocabulary = spell(train_tables(backend, pretokens, runs, boundless)[0], "bytes")
    kinds = Counter(op[0] for op in ops)
    assert min(kinds["merge"], kinds["supermerge"]) > 20

    regular = 256 + kinds["merge"]
    superbpe = settings_for("superbpe", regular + kinds["supermerge"], kinds["supermerge"])
    expected, _ = spell(train_tables(backend, pretokens, runs, superbpe)[0], "bytes")
    stopped = expected[: len(ops)]  # an op that makes an old token adds none: it may go on
    for kind in ("merge", "supermerge"):
        assert [op for op in ops if op[0] == kind] == [op for op in stopped if op[0] == kind]
    assert final_ids(ops, vocabulary[:256]) == final_ids(stopped, vocabulary[:256])


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("algorithm", ["superbpe", "boundless"])
def test_ids_by_shortcut_by_heap_and_by_replay(backend, tiny_corpus, scheme, algorithm):
    supermerges = 300 if algorithm == "superbpe" else 0
    chosen = settings_for(algorithm, 1000, supermerges, scheme=scheme)
    model = backend.model_from_bytes(train_texts(backend, tiny_corpus, chosen))
    encoder, plain = backend.Encoder(model), backend.Encoder(model, False)
    found = [list(encoder.encode(text, None)) for text in tiny_corpus]
    assert [list(plain.encode(text, None)) for text in tiny_corpus] == found
    assert [encoder.decode_bytes(ids) for ids in found] == [t.encode() for t in tiny_corpus]

    ops, _ = spell(model[19], "bytes")
    number = {token: n for n, token in enumerate(final_ids(ops, ALPHABETS["bytes"]))}
    for text, ids in list(zip(tiny_corpus, found, strict=True))[::40]:
        tokens = encode(backend.pretokenize(text, scheme), ops)
        assert [number[token] for token in tokens] == ids
