"""A folder with documents and a model, and the command line run in it."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli.command import COMMAND, TEXT, Run, environment

import superword
from superword import cli


@pytest.fixture
def run(backend_name: str, folder: Path) -> Run:
    def call(*arguments: str, stdin: bytes = b"", **options: Any) -> Any:
        return subprocess.run(
            [*COMMAND, *arguments],
            cwd=folder,
            input=stdin,
            env=environment(backend_name),
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "check": False, **options},
        )

    return call


@pytest.fixture
def call(backend_name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """As `run`, but in this process, which takes a hundredth of the time."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SUPERWORD_BACKEND", backend_name)

    def call(*arguments: str, stdin: bytes = b"") -> Any:
        with monkeypatch.context() as context:
            streams = [io.BytesIO(stdin), io.BytesIO(), io.BytesIO()]
            for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
                context.setattr(sys, name, io.TextIOWrapper(stream, "utf-8", write_through=True))
            code = cli.run(arguments)
            out, err = (stream.getvalue() for stream in streams[1:])
        return subprocess.CompletedProcess(arguments, code, out, err)

    return call


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli")
    (folder / "docs").mkdir()
    (folder / "docs/a.txt").write_text(TEXT)
    (folder / "docs/b.jsonl").write_text('{"text": "to be or not to be"}\n{"text": "to be"}\n')
    superword.train(
        files=folder / "docs",
        algorithm="boundless",
        vocab_size=280,
        special_tokens=["<s>"],
        backend="python",
    ).save(folder / "m.superword")
    return folder


@pytest.fixture
def folder(template: Path, tmp_path: Path) -> Path:
    """One for each test: what another one has written is not there, whatever the order."""
    return shutil.copytree(template, tmp_path / "cli")


@pytest.fixture
def model(folder: Path) -> superword.Tokenizer:
    return superword.Tokenizer.load(folder / "m.superword", backend="python")
