"""`SuperwordTokenizer` as transformers uses its tokenizers: what it gives, saves and loads."""

import numpy as np
import pytest
from transformers import AutoTokenizer

from superword.integrations.transformers import SuperwordTokenizer

TEXTS = ["by the way, a ran as well as d.", "", " ", "b<s> ran</s>", "naïve 日本語 👍", "x\n\n y\t"]


@pytest.fixture
def tokenizer(engine):
    return SuperwordTokenizer(engine, bos_token="<s>", eos_token="</s>", pad_token="<pad>")


def test_the_ids_are_those_of_the_engine(tokenizer, engine):
    expected = [engine.encode(text, allowed_special="all") for text in TEXTS]
    assert tokenizer(TEXTS)["input_ids"] == expected
    assert [tokenizer(text)["input_ids"] for text in TEXTS] == expected
    assert [tokenizer.encode(text) for text in TEXTS] == expected
    assert any(map(engine.is_superword, expected[0]))


def test_padding(tokenizer, engine):
    ids = [engine.encode(text) for text in ("by the way", "x y z")]
    right = tokenizer(["by the way", "x y z"], padding=True)
    assert right["input_ids"] == [ids[0] + [tokenizer.pad_token_id] * 4, ids[1]]
    assert right["attention_mask"] == [[1, 0, 0, 0, 0], [1] * 5]
    left = tokenizer(
        ["by the way", ""],
        padding="max_length",
        max_length=3,
        padding_side="left",
        return_tensors="np",
    )
    pad = tokenizer.pad_token_id
    assert np.array_equal(left["input_ids"], [[pad, pad, *ids[0]], [pad] * 3])
    assert np.array_equal(left["attention_mask"], [[0, 0, 1], [0] * 3])


def test_save_and_load(tokenizer, tmp_path):
    tokenizer.save_pretrained(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "added_tokens.json",
        "tokenization_superword.py",
        "tokenizer.superword",
        "tokenizer_config.json",
    ]
    for again in (
        AutoTokenizer.from_pretrained(tmp_path),
        SuperwordTokenizer.from_pretrained(tmp_path),
    ):
        assert type(again) is SuperwordTokenizer
        assert again.engine == tokenizer.engine
        assert again.special_tokens_map == tokenizer.special_tokens_map
        assert again.pad_token_id == len(again) - 1 == len(tokenizer.engine)
        assert again(TEXTS) == tokenizer(TEXTS)
