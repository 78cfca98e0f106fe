"""The artifact does not depend on hash seeds, threads or the order of the documents."""

import hashlib
import os
import subprocess
import sys

import pytest
from compose import settings_for, train_texts

CHOSEN = settings_for("boundless", 700)
SCRIPT = """
import gzip, hashlib, importlib, json, sys
from compose import settings_for, train_texts
backend = importlib.import_module(sys.argv[1])
lines = gzip.decompress(open(sys.argv[2], "rb").read()).decode().split("\\n")
corpus = [json.loads(line)["text"] for line in lines if line][:80]
artifact = train_texts(backend, corpus, settings_for("boundless", 700), threads=2)
print(hashlib.sha256(artifact).hexdigest())
"""


@pytest.fixture(scope="session")
def artifact(backend, tiny_corpus):
    return train_texts(backend, tiny_corpus[:80], CHOSEN)


@pytest.mark.parametrize("threads", [1, 2, 3, 4])
def test_threads_and_order(backend, tiny_corpus, artifact, threads):
    corpus = tiny_corpus[:80]
    assert train_texts(backend, corpus, CHOSEN, threads) == artifact
    shuffled = corpus[1::2] + corpus[::2][::-1]
    assert sorted(shuffled) == sorted(corpus)
    assert train_texts(backend, shuffled, CHOSEN, threads) == artifact


@pytest.mark.parametrize("seed", ["0", "1", "20260405"])
def test_hash_seeds(backend, data, artifact, seed):
    path = os.pathsep.join(p for p in sys.path if p)
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT, backend.__name__, str(data / "golden/tiny.jsonl.gz")],
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == hashlib.sha256(artifact).hexdigest()
