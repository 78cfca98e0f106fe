"""How the tests run the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import superword

TEXT = "to be or not to be\nthat is <s>the question\n"
COMMAND = [sys.executable, "-m", "superword"]

Run = Callable[..., subprocess.CompletedProcess[bytes]]


def environment(backend_name: str) -> dict[str, str]:
    package = str(Path(superword.__file__).resolve().parents[1])
    return {**os.environ, "PYTHONPATH": package, "SUPERWORD_BACKEND": backend_name}


def lines_of(ids: list[list[int]]) -> bytes:
    return "".join(" ".join(map(str, line)) + "\n" for line in ids).encode()


def check_error(done: subprocess.CompletedProcess[bytes], code: int, text: str) -> None:
    """One line on standard error, no traceback, and nothing else."""
    assert done.stderr.decode() == f"superword: {text}\n"
    assert done.returncode == code
