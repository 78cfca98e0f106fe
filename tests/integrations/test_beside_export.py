"""The class and the exported `tokenizer.json` of one model: the same for whoever calls them."""

from itertools import pairwise

import numpy as np
import pytest
from transformers import AutoTokenizer

import superword
from superword.integrations.transformers import SuperwordTokenizer

TEXTS = [
    "by the way, a ran as well as d. by the way",
    "naïve café 日本 👍 a\u0301<s>dog </s> as well",
    " <s> x\n\n\tran as",
    "it's 1234 DOGdog.dog<pad>",
    "",
]
OPTIONS = [
    {},
    {"return_offsets_mapping": True},
    {"return_special_tokens_mask": True, "return_token_type_ids": True},
    {"split_special_tokens": True, "return_offsets_mapping": True},
    {"truncation": True, "max_length": 3, "return_offsets_mapping": True},
    {"padding": True, "return_offsets_mapping": True, "return_length": True},
    {"padding": "max_length", "max_length": 70, "padding_side": "left"},
    {"padding": True, "pad_to_multiple_of": 8, "return_tensors": "np"},
]


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    documents = [f"by the way, {a} ran as well as {b}." for a in "abc" for b in "defgh"]
    engine = superword.train(
        [*documents, "naïve café 日本語 日本語 👍👍"],
        algorithm="boundless",
        vocab_size=400,
        scheme="gpt4o",
        special_tokens=["<s>", "</s>"],
    )
    folder = tmp_path_factory.mktemp("export") / "folder"
    engine.export("huggingface", folder, check=False)
    tokenizers = [SuperwordTokenizer(engine), AutoTokenizer.from_pretrained(folder)]
    for tokenizer in tokenizers:
        tokenizer.add_special_tokens({"pad_token": "<pad>"})
        tokenizer.add_tokens(["dog"])
    assert any(map(engine.is_superword, tokenizers[0](TEXTS[0])["input_ids"]))
    return tokenizers


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_batches(both, options):
    ours, theirs = (tokenizer(TEXTS, **options) for tokenizer in both)
    for name, values in ours.items():
        if isinstance(values, np.ndarray):
            assert np.array_equal(values, theirs[name])
        else:
            assert values == theirs[name]


def test_pairs(both):
    pairs = list(pairwise(TEXTS))
    assert both[0](pairs)["input_ids"] == both[1](pairs)["input_ids"]
    cut = {"truncation": "only_second", "max_length": 30}
    rows = [tokenizer(pairs[:1], **cut)["input_ids"] for tokenizer in both]
    assert rows[0] == rows[1]


def test_tokens(both):
    ours, theirs = both
    assert ours.get_vocab() == theirs.get_vocab()
    assert len(ours) == len(theirs)
    for text in TEXTS:
        ids = ours.encode(text)
        assert ours.tokenize(text) == theirs.tokenize(text)
        assert ours.convert_ids_to_tokens(ids) == theirs.convert_ids_to_tokens(ids)
        for skip in (False, True):
            decoded = ours.decode(ids, skip_special_tokens=skip)
            assert decoded == theirs.decode(ids, skip_special_tokens=skip)
