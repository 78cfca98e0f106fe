"""Other programs, from the folder that SUPERWORD_PEERS names: one executable file for each.

    PROGRAM CORPUS.jsonl VOCAB_SIZE HELD_OUT.jsonl

It trains on the `text` of each line of the corpus with one thread, encodes and decodes the `text`
of each line held out, and prints one JSON object as its last line:

    {"name": "…", "version": "…", "algorithm": "bpe", "pattern": "gpt2", "vocab_size": 32768,
     "decoded_sha256": SHA-256 (hex) of the decoded texts, a newline after each}

The whole program is measured. If it also prints "user_seconds" and "wall_seconds", they are what
it measured of training alone, and the table has them instead.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

from compare.corpora import jsonl_texts

TEXTS = ("name", "version", "algorithm", "pattern", "decoded_sha256")


def find(folder: str | None) -> list[Path]:
    """The executable files of the folder, by name."""
    if not folder:
        return []
    return [p for p in sorted(Path(folder).iterdir()) if p.is_file() and os.access(p, os.X_OK)]


def run(program: Path, corpus: Path, held_out: Path, vocab_size: int) -> dict[str, Any]:
    """Run one and check what it says; the measurement."""
    command = [str(program), str(corpus), str(vocab_size), str(held_out)]
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdout is not None
        lines = process.stdout.read().splitlines()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - start
    if process.returncode:
        raise RuntimeError(f"the program ended with status {process.returncode}")
    said = json.loads(lines[-1]) if lines else None
    if not isinstance(said, dict):
        raise ValueError("the program's last line is no JSON object")
    if not all(isinstance(said.get(key), str) for key in TEXTS):
        raise ValueError(f"the program must print {', '.join(TEXTS)} as strings")
    if said["decoded_sha256"] != decoded_sha256(held_out):
        raise ValueError("the held-out text did not come back")
    result: dict[str, Any] = {key: said[key] for key in TEXTS[:4]}
    result["vocab_size"] = int(said.get("vocab_size", 0))
    own = "user_seconds" in said and "wall_seconds" in said
    result["clock"] = "its own, training alone" if own else "the whole program"
    result["user_seconds"] = float(said["user_seconds"]) if own else usage.ru_utime
    result["system_seconds"] = usage.ru_stime
    result["wall_seconds"] = float(said["wall_seconds"]) if own else wall
    result["peak_bytes"] = usage.ru_maxrss * 1024
    return result


def decoded_sha256(held_out: Path) -> str:
    """What a program must print if everything came back."""
    digest = hashlib.sha256()
    for text in jsonl_texts(held_out):
        digest.update(text.encode("utf-8") + b"\n")
    return digest.hexdigest()
