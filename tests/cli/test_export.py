"""`superword export` and `superword check`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest
from cli.command import Run

import superword
from superword.export import adversarial

FILES = ["model.superword", "tokenizer.json", "tokenizer_config.json"]


@pytest.fixture(autouse=True)
def without_transformers(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where only `tokenizers` is installed: transformers takes seconds to import."""
    monkeypatch.setitem(sys.modules, "transformers", None)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_export_and_check(call: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert adversarial.STRINGS == 100_000
    monkeypatch.setattr(adversarial, "STRINGS", 2500)
    before = names(folder)
    done = call("export", "m.superword", "--to", "huggingface", "hf", "--progress")
    assert done.returncode == 0, done.stderr
    *progress, absent, found = done.stderr.decode().splitlines()
    assert all(line.startswith("superword: check ") for line in progress)
    assert absent == "not installed, so not checked: transformers"
    assert found.startswith("no difference in 8,6")
    assert ": tokenizers " in found
    assert done.stdout == b""
    assert names(folder) == sorted([*before, "hf"])
    assert names(folder / "hf") == FILES
    model = folder / "hf/model.superword"
    assert model.read_bytes() == (folder / "m.superword").read_bytes()

    done = call("check", "hf", "--strings", "100", "--text", "docs")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().splitlines()[-1].startswith("no difference in 6,2")


def test_a_wrong_folder(call: Run, folder: Path) -> None:
    done = call("export", "m.superword", "--to", "huggingface", "hf", "--no-check")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    path = folder / "hf/tokenizer.json"
    content = json.loads(path.read_text("utf-8"))
    content["model"]["merges"] = []
    path.write_text(json.dumps(content))
    done = call("check", "hf", "--strings", "100")
    assert (done.returncode, done.stdout) == (1, b"")
    first, second, *_ = done.stderr.decode().splitlines()
    assert first == "superword: check: hf: not exact"
    assert " gives [" in second
    assert " instead of [" in second


def test_into_a_folder_that_is_there(call: Run, folder: Path) -> None:
    (folder / "hf").mkdir()
    (folder / "hf/README.md").write_text("mine")
    (folder / "hf/tokenizer.json").write_text("old")
    done = call("export", "m.superword", "--to", "huggingface", "hf", "--no-check")
    assert done.returncode == 0
    assert names(folder / "hf") == ["README.md", *FILES]
    assert (folder / "hf/tokenizer.json").read_text("utf-8") != "old"


def test_what_cannot_be_exact(call: Run, folder: Path) -> None:
    documents = ["the that this then path with them"] * 40 + [" i'th day", "1 i'th"] * 10
    tokenizer = superword.train(documents, algorithm="boundless", vocab_size=310)
    tokenizer.save(folder / "crossed.superword")
    before = names(folder)
    done = call("export", "crossed.superword", "--to", "huggingface", "hf")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode().startswith(
        "superword: a regular merge crosses from ' i't' to 'h', which the supermerge of "
    )
    tokenizer = superword.train(["abc abc abd"] * 9, vocab_size=262, tau="1/2")
    assert any(op.kind == "delete" for op in tokenizer.ops)
    tokenizer.save(folder / "deletes.superword")
    done = call("export", "deletes.superword", "--to", "huggingface", "hf")
    assert done.returncode == 1
    assert "the model deletes tokens, " in done.stderr.decode()
    assert "train without --tau to export" in done.stderr.decode()
    assert names(folder) == sorted([*before, "deletes.superword"])


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["m.superword", "hf"], 2, "Missing option '--to'."),
        (
            ["m.superword", "--to", "x", "hf"],
            2,
            "--to must be one of huggingface, tiktoken, not 'x'",
        ),
        (["m.superword", "--to", "huggingface", ""], 2, "OUTPUT is an empty path"),
        (["none", "--to", "huggingface", "hf"], 4, "model file 'none' cannot be read"),
        (
            ["m.superword", "--to", "huggingface", "m.superword"],
            3,
            "m.superword is there and no folder: give the name of a folder",
        ),
        (["m.superword", "--to", "huggingface", "no/hf"], 3, "no/hf: cannot be written"),
    ],
)
def test_errors(call: Run, folder: Path, arguments: list[str], code: int, text: str) -> None:
    before = names(folder)
    done = call("export", *arguments)
    assert (done.returncode, done.stdout) == (code, b"")
    assert text in done.stderr.decode()
    assert names(folder) == before


def test_errors_of_check(call: Run, folder: Path) -> None:
    done = call("check", "docs")
    assert done.returncode == 4
    assert "model file 'docs/model.superword' cannot be read" in done.stderr.decode()
    assert call("check", "").returncode == 2


def test_without_anything_to_check_with(
    call: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    done = call("export", "m.superword", "--to", "huggingface", "hf")
    assert done.returncode == 2
    assert done.stderr.decode() == (
        "superword: an export is checked with tokenizers or transformers: not installed; install "
        "superword[huggingface], or give --no-check\n"
    )
    assert "hf" not in names(folder)
    done = call("export", "m.superword", "--to", "huggingface", "hf", "--no-check")
    assert done.returncode == 0


def test_interrupted(call: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = names(folder)
    module = ModuleType("tokenizers")

    class Interrupting:
        @staticmethod
        def from_file(path: str) -> None:
            raise KeyboardInterrupt

    module.Tokenizer = Interrupting  # type: ignore[attr-defined]
    module.__version__ = "0"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tokenizers", module)
    done = call("export", "m.superword", "--to", "huggingface", "hf")
    assert (done.returncode, names(folder)) == (130, before)
