"""`Tokenizer.export("huggingface", …)`: the ids of `tokenizers` and `transformers` are ours."""

from __future__ import annotations

import json
import os

import pytest
from export.models import SCHEMES, documents, model, tokenizer
from tokenizers import Tokenizer as Stock

from superword.export.adversarial import adversarial_texts
from superword.export.tokenizer_json import tokenizer_json
from superword.exported_folder import check_folder

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
