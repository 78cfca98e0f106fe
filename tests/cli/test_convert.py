"""`superword convert`, and training to a published file."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.command import Run, check_error

import superword

OPTIONS = ("--algorithm", "boundless", "--vocab-size", "280", "--scheme", "gpt4o", "--alphabet",
           "utf8", "--id-order", "creation", "--special-tokens", "<s>")  # fmt: skip
DROPPED = (
    "superword: warning: the counts of tokens and the flags of merges, which no encoding uses, "
    "are not kept in this format\n"
)


@pytest.fixture
def published(call: Run, folder: Path) -> bytes:
    done = call("train", "docs", "-o", "p.model", *OPTIONS)
    assert done.returncode == 0, done.stderr
    assert b"stage publish" in done.stderr
    return (folder / "p.model").read_bytes()


def test_train_to_a_published_file(published: bytes, folder: Path) -> None:
    expected = superword.train(
        files=folder / "docs",
        algorithm="boundless",
        vocab_size=280,
        scheme="gpt4o",
        alphabet="utf8",
        id_order="creation",
        special_tokens=["<s>"],
        published=True,
        backend="python",
    )
    assert published == expected.to_bytes(published=True)


def test_convert(run: Run, folder: Path, published: bytes) -> None:
    tokenizer = superword.Tokenizer.from_bytes(published)
    done = run("convert", "p.model", "c.superword")
    assert (done.returncode, done.stdout, done.stderr.decode()) == (0, b"", DROPPED)
    assert (folder / "c.superword").read_bytes() == tokenizer.to_bytes()
    done = run("convert", "p.model", "-")
    assert (done.returncode, done.stdout) == (0, tokenizer.to_bytes())
    assert done.stderr.decode() == DROPPED
    done = run("convert", "p.model", "again.model")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert (folder / "again.model").read_bytes() == published
    # what is ours stays the same
    done = run("convert", "m.superword", "same.SUPERWORD")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert (folder / "same.SUPERWORD").read_bytes() == (folder / "m.superword").read_bytes()


def test_every_command_takes_a_published_file(call: Run, published: bytes) -> None:
    ids = call("encode", "p.model", "--ordinary", stdin=b"to be<s>").stdout
    assert call("decode", "p.model", stdin=ids).stdout == b"to be<s>"
    done = call("inspect", "p.model")
    assert b"notice      the published file does not say how large the corpus was" in done.stdout
    assert call("inspect", "p.model", "--superwords", "3").returncode == 0


def test_what_cannot_be_converted(call: Run, folder: Path, published: bytes) -> None:
    before = sorted(folder.iterdir())
    check_error(
        call("convert", "m.superword", "new.model"),
        4,
        "scheme must be one of gpt2, gpt4, gpt4o, gpt4o-scripts for a published file, which has no "
        "pattern for 'gpt4o-uniscript'; a file NAME.superword can hold it",
    )
    done = call("convert", "p.model", "ours.superword")
    assert done.returncode == 0
    before.append(folder / "ours.superword")
    check_error(
        call("convert", "ours.superword", "new.model"),
        4,
        "a published file has the counts of tokens and the flags of merges, which this tokenizer "
        "does not know: train with -o NAME.model, at the size it is to have",
    )
    done = call("convert", "p.model", "new.txt")
    text = "new.txt: must end in .superword or .model, or be - (see superword convert --help)"
    check_error(done, 2, text)
    done = call("convert", "p.model", "nowhere/new.superword")
    check_error(done, 2, "nowhere/new.superword: there is no such folder "
                         "(see superword convert --help)")  # fmt: skip
    done = call("convert", "missing.model", "new.superword")
    text = "model file 'missing.model' cannot be read: there is no such file or folder"
    check_error(done, 4, text)
    (folder / "broken.model").write_bytes(published.replace(b"merges", b"merge", 1))
    before.append(folder / "broken.model")
    done = call("convert", "broken.model", "new.superword")
    check_error(done, 4, "model file 'broken.model': line 282, words merges: the line must be "
                         "'merges'")  # fmt: skip
    assert sorted(folder.iterdir()) == sorted(set(before))


def test_settings_that_no_published_file_can_hold(call: Run, folder: Path) -> None:
    done = call("train", "docs", "-o", "new.model", "--vocab-size", "280")
    check_error(
        done,
        2,
        "--scheme must be one of gpt2, gpt4, gpt4o, gpt4o-scripts for a published file, which has "
        "no pattern for 'gpt4o-uniscript'; a file NAME.superword can hold it",
    )
    assert not (folder / "new.model").exists()
    done = call("train", "docs", "-o", "new.model", "--vocab-size", "280", "--scheme", "none")
    none = (
        "scheme 'none' is not for a published file, which always cuts text by a pattern; a file "
        "NAME.superword can hold it"
    )
    check_error(done, 2, none)
    options = ("--vocab-size", "280", "--scheme", "none")
    assert call("train", "docs", "-o", "none.superword", *options).returncode == 0
    check_error(call("convert", "none.superword", "new.model"), 4, none)
    assert not (folder / "new.model").exists()


def test_help_has_examples(call: Run) -> None:
    text = call("convert", "--help").stdout.decode()
    assert "superword convert en.model en.superword" in text
