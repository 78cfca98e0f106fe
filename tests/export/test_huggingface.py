"""`Tokenizer.export("huggingface", …)`: the ids of `tokenizers` and `transformers` are ours."""

from __future__ import annotations

import json
import os

import pytest
from export.models import SCHEMES, documents, model, tokenizer
from tokenizers import Tokenizer as Stock

import superword
from superword.errors import NotExactError
from superword.export.adversarial import adversarial_texts
from superword.export.tokenizer_json import tokenizer_json
from superword.exported_folder import check_folder, model_of

os.environ["HF_HUB_OFFLINE"] = "1"


def stock(found):
    return Stock.from_str(json.dumps(found))


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("algorithm", ["boundless", "superbpe", "bpe"])
def test_stock_tokenizers_give_our_ids(scheme, algorithm):
    ours = tokenizer(scheme, algorithm)
    theirs = stock(tokenizer_json(model(scheme, algorithm)))
    texts = [*documents()[::4], *adversarial_texts(model(scheme, algorithm), 4000)]
    given = [encoding.ids for encoding in theirs.encode_batch(texts)]
    assert given == ours.encode_batch(texts, allowed_special="all")


def test_the_folder(tmp_path):
    folder = tmp_path / "hf"
    ours = tokenizer("gpt4o")
    ours.export("huggingface", folder)
    assert sorted(path.name for path in folder.iterdir()) == [
        "model.superword",
        "tokenizer.json",
        "tokenizer_config.json",
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["hf"]
    checked = check_folder(ours, str(folder), ["<s>the end of the<|end|>"], 100)
    assert checked.is_exact
    assert [name.partition(" ")[0] for name in checked.loaders] == ["tokenizers", "transformers"]


def test_a_published_model():
    """Its alphabet has fewer bytes, and its ids are in another order."""
    trained = superword.train(
        documents(),
        algorithm="boundless",
        vocab_size=3000,
        scheme="gpt4o",
        alphabet="utf8",
        id_order="creation",
        special_tokens=["<s>"],
        published=True,
    )
    ours = superword.Tokenizer.from_bytes(trained.to_bytes(published=True))
    found = model_of(ours)
    theirs = stock(tokenizer_json(found))
    texts = [*documents()[::8], *adversarial_texts(found, 2000), "a<s>b"]
    given = [encoding.ids for encoding in theirs.encode_batch(texts)]
    assert given == ours.encode_batch(texts, allowed_special="all")


def test_a_model_of_scripts_without_superwords():
    ours = superword.train(documents(), vocab_size=2000, scheme="gpt4o-scripts")
    theirs = stock(tokenizer_json(model_of(ours)))
    texts = [*documents()[::8], *adversarial_texts(model_of(ours), 1000)]
    assert [e.ids for e in theirs.encode_batch(texts)] == ours.encode_batch(texts)


def test_a_special_token_that_reads_like_another_token():
    ours = superword.train(["a b"], vocab_size=257, scheme="gpt2", special_tokens=["Ġb"])
    with pytest.raises(NotExactError, match="'Ġb' would be taken for the token ' b'"):
        tokenizer_json(model_of(ours))
    same = superword.train(["a b"], vocab_size=257, scheme="gpt2", special_tokens=["b"])
    with pytest.raises(NotExactError, match="'b' would be taken for the token 'b'"):
        tokenizer_json(model_of(same))
