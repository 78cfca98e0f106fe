"""`superword export --to tiktoken`, and the check of what it wrote."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.command import Run

from superword.export import adversarial

FILES = ["t.tiktoken", "t.tiktoken.json", "t.tiktoken.superword"]


def test_export_and_check(call: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adversarial, "STRINGS", 1000)
    done = call("export", "m.superword", "--to", "tiktoken", "t.tiktoken")
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.startswith(b"no difference in 7,1")
    assert b": tiktoken " in done.stderr
    assert sorted(path.name for path in folder.glob("t.*")) == FILES
    model = folder / "t.tiktoken.superword"
    assert model.read_bytes() == (folder / "m.superword").read_bytes()
    done = call("check", "t.tiktoken", "--strings", "100", "--text", "docs")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"no difference in 6,2")

    beside = folder / "t.tiktoken.json"
    content = beside.read_text()
    beside.write_text(content.replace('"pat_str": "', '"pat_str": "[ a-z]|'))
    done = call("check", "t.tiktoken", "--strings", "100")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"superword: check: t.tiktoken: not exact\n")


def test_wrong_usage(call: Run) -> None:
    done = call("export", "m.superword", "--to", "tiktoken", "t", "--javascript")
    assert done.returncode == 2
    assert b"--javascript is for --to huggingface only" in done.stderr
    done = call("check", "t.tiktoken")
    assert done.returncode == 4
    assert b"model file 't.tiktoken.superword' cannot be read" in done.stderr
