"""`superword parity`, in process, with a second backend where there is none."""

from __future__ import annotations

import hashlib
import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import superword
from superword import cli

REFERENCE = importlib.import_module("superword.reference")


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("to be or not to be\n")
    tokenizer = superword.train(files="a.txt", vocab_size=260, backend="python")
    tokenizer.save("m.superword")
    return "m.superword"


def second(monkeypatch: pytest.MonkeyPatch, **changed: Any) -> None:
    module = ModuleType("superword._core")
    for name in REFERENCE.__all__:
        setattr(module, name, changed.get(name, getattr(REFERENCE, name)))
    monkeypatch.setitem(sys.modules, "superword._core", module)


def test_equal(
    model: str, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    second(monkeypatch)
    assert cli.run(["parity", model, "a.txt"]) == 0
    size = Path(model).stat().st_size
    out, err = capsysbinary.readouterr()
    assert out.decode().startswith(f"equal: 4 operations in a model of {size} bytes, 1 documents, ")
    assert err == b""


def test_different(
    model: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    second(monkeypatch, train_counts=lambda *arguments: (b"nothing", "vocab_size", None))
    assert cli.run(["parity", model, "a.txt", "--progress"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.split("\n")[-2].startswith(
        "superword: parity: the artifact: first difference at position 0: python has b'{"
    )


def test_without_the_extension(
    model: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "superword._core", None)
    assert cli.run(["parity", model, "a.txt"]) == 2
    assert capsys.readouterr().err.startswith("superword: backend 'rust' needs the extension")


def test_input_errors(
    model: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    second(monkeypatch)
    assert cli.run(["parity", model, "no.txt"]) == 3
    assert capsys.readouterr().err == "superword: no.txt: there is no such file or folder\n"
    assert cli.run(["parity", "a.txt", "a.txt"]) == 4
    assert capsys.readouterr().err.startswith("superword: model file 'a.txt': this is no superword")


def test_notices_are_shown(
    model: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    second(monkeypatch)
    Path("b.jsonl").write_bytes(b'\xef\xbb\xbf{"text": "to be"}\n')
    assert cli.run(["parity", model, "a.txt", "b.jsonl", "a.txt"]) == 0
    assert capsys.readouterr().err == (
        "notice  a.txt: was reached twice and counts once\n"
        "notice  b.jsonl: starts with a byte order mark, which is skipped\n"
    )


def test_a_model_beyond_the_default_limits(
    model: str, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    second(monkeypatch)
    header = Path(model).read_bytes().split(b"\n")[0].replace(b'"ops":4', b'"ops":25')
    doubled = b"".join(b"m %d %d 1\n" % (n, n) for n in (97, *range(256, 280)))
    body = header + b"\n" + doubled
    Path("long").write_bytes(body + b"sha256 %s\n" % hashlib.sha256(body).hexdigest().encode())
    assert cli.run(["parity", "long", "a.txt"]) == 4
    assert b"more than --max-token-bytes 16777216" in capsysbinary.readouterr().err
    roomy = ["--max-token-bytes", "33554432", "--max-total-bytes", "99999999"]
    assert cli.run(["parity", "long", "a.txt", *roomy]) == 0
