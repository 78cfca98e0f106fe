"""`superword truncate`, and the smaller sizes that `superword train` writes beside the model."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from cli.command import Run, check_error

import superword


def load(path: Path) -> superword.Tokenizer:
    return superword.Tokenizer.load(path, backend="python")


def test_truncate(call: Run, folder: Path, model: superword.Tokenizer) -> None:
    done = call("truncate", "m.superword", "--vocab-size", "260", "-o", "small.superword")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert load(folder / "small.superword") == model.truncated(260)
    done = call("truncate", "m.superword", "--vocab-size", "260", "-o", "-")
    assert (done.returncode, done.stdout) == (0, model.truncated(260).to_bytes())


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (
            ("--vocab-size", "281", "-o", "x"),
            2,
            "--vocab-size must be at most 280, the tokens of the model",
        ),
        (
            ("--vocab-size", "7", "-o", "x"),
            2,
            "--vocab-size must be at least 256, the single bytes of the model",
        ),
        (("--vocab-size", "260", "-o", "none/x"), 2, "-o none/x: there is no such folder"),
    ],
)
def test_truncate_in_trouble(
    call: Run, folder: Path, arguments: tuple[str, ...], code: int, text: str
) -> None:
    done = call("truncate", "m.superword", *arguments)
    assert done.stderr.decode().startswith(f"superword: {text}")
    assert done.returncode == code
    assert not (folder / "x").exists()


def test_truncate_no_model(call: Run) -> None:
    done = call("truncate", "docs/a.txt", "--vocab-size", "260", "-o", "x")
    assert done.returncode == 4
    done = call("truncate", "m.superword", "-o", "x")
    check_error(done, 2, "Missing option '--vocab-size'. (see superword truncate --help)")


def test_snapshots(call: Run, folder: Path) -> None:
    settings = ["--algorithm", "boundless", "--vocab-size", "280"]
    name = "en.v1.superword"
    done = call("train", "docs", *settings, "--snapshots", "260,270", "-o", name)
    assert done.returncode == 0
    whole = load(folder / name)
    for size in (260, 270):
        assert load(folder / f"en.v1.{size}.superword") == whole.truncated(size)
        os.unlink(folder / f"en.v1.{size}.superword")


def test_a_snapshot_that_training_does_not_fill_is_told(call: Run, folder: Path) -> None:
    done = call("train", "docs", "--vocab-size", "9000", "--snapshots", "8000", "-o", "e")
    assert done.returncode == 0
    assert b"notice" in done.stderr
    assert b"the snapshot 8000 has " in done.stderr
    assert load(folder / "e.8000") == load(folder / "e")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--snapshots", "270,260", "-o", "x"), "--snapshots must ascend: 260 comes after 270"),
        (
            ("--snapshots", "270", "-o", "-"),
            "--snapshots need a file as MODEL, not -o - (see superword train --help)",
        ),
        (
            ("--snapshots", "270;1", "-o", "x"),
            "Invalid value for '--snapshots': must be an integer, not '270;1' "
            "(see superword train --help)",
        ),
        (("--snapshots", "280", "-o", "x"), "a snapshot must be below --vocab-size 280, not 280"),
        (
            ("--snapshots", "270", "--algorithm", "boundless", "--ngram-split", "-o", "x"),
            "--snapshots excludes --ngram-split: "
            "training at a smaller vocabulary size makes other operations",
        ),
        (("--ngram-floor", "3", "-o", "x"), "--ngram-floor needs --ngram-split"),
        (
            ("--ngram-split", "-o", "x"),
            "--ngram-split needs algorithm 'superbpe' or 'boundless', not 'bpe'",
        ),
    ],
)
def test_train_in_trouble(call: Run, folder: Path, arguments: tuple[str, ...], text: str) -> None:
    check_error(call("train", "docs", "--vocab-size", "280", *arguments), 2, text)
    assert not (folder / "x").exists()


def test_a_snapshot_does_not_overwrite_what_is_read(call: Run, folder: Path) -> None:
    (folder / "read.270.txt").write_text("to be")
    arguments: list[Any] = ["--vocab-size", "280", "--snapshots", "270", "-o", "read.txt"]
    done = call("train", "read.270.txt", *arguments)
    text = "-o read.270.txt: is one of the files to train on (see superword train --help)"
    check_error(done, 2, text)
    (folder / "sub.270.superword").mkdir()
    done = call("train", "docs", *arguments[:-1], "sub.superword")
    check_error(done, 2, "-o sub.270.superword: it is a folder (see superword train --help)")


def test_n_gram_splitting(call: Run, folder: Path) -> None:
    arguments = ["--algorithm", "boundless", "--vocab-size", "270", "--ngram-split"]
    more = ["--ngram-floor", "2", "--ngram-max-length", "3", "-o", "split.superword"]
    done = call("train", "docs", *arguments, *more)
    assert done.returncode == 0
    assert b"\ncandidates " in done.stderr
    assert load(folder / "split.superword").report.ngram_max_length == 3
    done = call("truncate", "split.superword", "--vocab-size", "260", "-o", "x")
    assert done.returncode == 2
    assert done.stderr.startswith(b"superword: a model with n-gram splitting cannot be cut: ")
