"""Other processes: fork is safe after threads, and a tokenizer travels to any kind of worker."""

from __future__ import annotations

import subprocess
import sys

# Each child encodes, with threads, and trains; the parent has done both before it forks.
FORK = """
import os, sys
import superword
texts = ["to be or not to be, that is the question"] * 500
train = lambda: superword.train(texts, algorithm="boundless", vocab_size=300, threads=2,
                                backend=sys.argv[1])
tok = train()
ids = tok.encode_batch(texts, threads=2)
children = []
for _ in range(2):
    child = os.fork()
    if child == 0:
        same = tok.encode_batch(texts, threads=2) == ids and train() == tok
        os._exit(0 if same else 1)
    children.append(child)
print([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children])
"""

# The module is a file of its own, since spawn and forkserver import it again.
WORKERS = """
import multiprocessing, sys
import superword
TEXTS = ["to be or not to be", "not to be", ""] * 20

def encode(tok):
    return tok.backend, tok.encode_batch(TEXTS, threads=2), hash(tok.to_bytes()) == hash(tok)

if __name__ == "__main__":
    tok = superword.train(TEXTS, algorithm="superbpe", vocab_size=290, supermerges=9,
                          special_tokens=["<s>"], backend=sys.argv[1])
    ids = tok.encode_batch(TEXTS, threads=2)
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            for _, found, same in pool.map(encode, [tok, tok]):
                print(method, found == ids, same)
"""


def run(*command: str) -> str:
    """The standard output; nothing may come on standard error, and nothing may hang."""
    done = subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_children_of_a_process_with_threads(backend_name: str) -> None:
    assert run("-c", FORK, backend_name) == "[0, 0]\n"


def test_pools_of_every_kind(backend_name: str, tmp_path: object) -> None:
    path = f"{tmp_path}/workers.py"
    with open(path, "w", encoding="utf-8") as file:
        file.write(WORKERS)
    methods = [name for name in ("fork", "spawn", "forkserver") for _ in range(2)]
    assert run(path, backend_name).split("\n")[:-1] == [f"{name} True True" for name in methods]
