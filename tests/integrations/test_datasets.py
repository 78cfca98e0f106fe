"""The tokenizer in `datasets.map`: two processes, and fingerprints that are the same anywhere."""

import json

import pytest
from integrations.process import run

import superword
from superword.integrations.transformers import SuperwordTokenizer

SCRIPT = """
import json, sys
import superword.integrations.transformers
from datasets import Dataset
from datasets.fingerprint import Hasher
from transformers import AutoTokenizer

folder, with_map = sys.argv[1], sys.argv[2] == "map"
rows = Dataset.from_dict({"text": ["by the way, a ran <s>", "x y z"] * 20})
results = []
for backend in ("python", "rust"):
    tokenizer = AutoTokenizer.from_pretrained(folder, backend=backend)

    def encode(batch):
        return tokenizer(batch["text"], truncation=True, max_length=6)

    def fingerprints():
        return [Hasher.hash(encode), Hasher.hash(tokenizer), Hasher.hash(tokenizer.engine)]

    results.append(fingerprints())
    if with_map:
        mapped = rows.map(encode, batched=True, batch_size=3, num_proc=2)
        assert mapped["input_ids"] == encode(rows[:])["input_ids"]
        tokenizer.model_max_length, usual = 2, tokenizer.model_max_length
        tokenizer("a long text " * 9)  # transformers warns, and notes it
        tokenizer.model_max_length = usual
        results.append(fingerprints())
print()
print(json.dumps(results))
"""


@pytest.mark.rust
def test_two_processes(both_backends, tmp_path):
    engine = superword.train(["by the way"] * 9, vocab_size=260, special_tokens=["<s>"])
    SuperwordTokenizer(engine, pad_token="<pad>").save_pretrained(tmp_path / "folder")
    results = [
        json.loads(
            run(SCRIPT, tmp_path / "folder", what, home=tmp_path / "home", PYTHONHASHSEED=seed)
        )
        for what, seed in (("map", "1"), ("none", "2"))
    ]
    # before and after it has encoded, of both backends, in two processes
    assert [len(found) for found in results] == [4, 2]
    assert all(found == results[0][0] for result in results for found in result)
    assert len(set(results[0][0])) == 3
