"""The command line, run as users run it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli.command import COMMAND, TEXT, Run, check_error, environment, lines_of

import superword

# --- train


def test_train(run: Run, folder: Path, model: superword.Tokenizer, backend_name: str) -> None:
    options = ("--algorithm", "boundless", "--vocab-size", "280", "--special-tokens", "<s>")
    done = run("train", "docs", "-o", "new.superword", *options, "--threads", "1")
    assert (done.returncode, done.stdout) == (0, b"")
    report = done.stderr.decode()
    assert f"boundless, scheme gpt4o-uniscript, backend {backend_name}" in report
    assert "3 documents" in report
    assert "stage merges" in report
    assert "superword: " not in report  # no progress where nobody looks
    assert (folder / "new.superword").read_bytes() == model.to_bytes()
    done = run("train", "docs/*", "-o", "new.superword", *options, "--progress")
    assert re.search(rb"^superword: merges \d+ of 24$", done.stderr, re.M)
    assert (folder / "new.superword").read_bytes() == model.to_bytes()


def test_no_scheme(call: Run, folder: Path) -> None:
    (folder / "a.txt").write_text("to be or not to be")
    how = ("train", "a.txt", "-o", "n.superword", "--scheme", "none", "--vocab-size", "258")
    assert call(*how, "--no-progress").returncode == 0
    expected = superword.document_bpe.fit(["to be or not to be"], 258)
    assert (folder / "n.superword").read_bytes() == expected.to_bytes()
    done = call(*how, "--algorithm", "boundless")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"scheme 'none' needs algorithm 'bpe', not 'boundless'" in done.stderr


def test_patterns(call: Run, folder: Path) -> None:
    (folder / "a.txt").write_text("to be, or not 漢字 12")
    how = {"pattern": r" ?\p{L}+|\S", "script_pattern": r"\p{L}", "eligible_pattern": r"\p{L}|,"}
    done = call(
        *("train", "a.txt", "-o", "p.superword", "--vocab-size", "260", "--no-progress"),
        *(part for name, value in how.items() for part in (f"--{name.replace('_', '-')}", value)),
        *("--scripts", "Han", "--scripts", "Thai", "--algorithm", "boundless"),
    )
    assert done.returncode == 0, done.stderr
    expected = superword.train(
        ["to be, or not 漢字 12"],
        vocab_size=260,
        algorithm="boundless",
        scripts=["Thai", "Han"],
        backend="python",
        **how,
    )
    assert (folder / "p.superword").read_bytes() == expected.to_bytes()
    shown = call("inspect", "p.superword").stdout.decode()
    assert "boundless, a pattern, backend" in shown
    assert r"\p{L} for Han, Thai" in shown
    done = call("train", "a.txt", "-o", "q.superword", "--vocab-size", "260", "--pattern", "(a)")
    assert done.returncode == 2
    assert b"pattern at position 0: '(' must be escaped" in done.stderr
    done = call(
        *("train", "a.txt", "-o", "q.superword", "--vocab-size", "260", "--no-progress"),
        *("--pattern", "a", "--scheme", "gpt2"),
    )
    assert (done.returncode, (folder / "q.superword").exists()) == (2, False)


def test_every_option_of_train(call: Run, folder: Path) -> None:
    (folder / "body.jsonl").write_text('{"body": "to be or not to be"}\n')
    done = call(
        *("train", "body.jsonl", "-o", "all.superword", "--field", "body", "--lines"),
        *("--algorithm", "superbpe", "--vocab-size", "250", "--regular-fraction", "0.98"),
        *("--scheme", "gpt4", "--rules", "superword", "--min-count", "1", "--alphabet", "utf8"),
        *("--max-token-bytes", "6", "--max-superword-pretokens", "2", "--id-order", "creation"),
        *("--special-tokens", "<a>", "--special-tokens", "<b>", "--no-progress"),
    )
    assert done.returncode == 0, done.stderr
    expected = superword.train(
        ["to be or not to be"],
        algorithm="superbpe",
        vocab_size=250,
        regular_fraction="0.98",
        scheme="gpt4",
        alphabet="utf8",
        max_token_bytes=6,
        max_superword_pretokens=2,
        id_order="creation",
        special_tokens=["<a>", "<b>"],
        backend="python",
    )
    assert (folder / "all.superword").read_bytes() == expected.to_bytes()
    done = call(
        *("train", "body.jsonl", "-o", "all.superword", "--field", "body", "--vocab-size", "260"),
        *("--algorithm", "superbpe", "--supermerges", "1"),
    )
    assert done.returncode == 0, done.stderr


def test_train_from_standard_input(call: Run, folder: Path) -> None:
    for lines, documents in (([], [TEXT]), (["--lines"], TEXT.split("\n")[:-1])):
        options = ["--vocab-size", "265", "-o", "in.superword", *lines]
        done = call("train", "-", *options, stdin=TEXT.encode())
        assert done.returncode == 0, done.stderr
        expected = superword.train(documents, vocab_size=265, backend="python")
        assert (folder / "in.superword").read_bytes() == expected.to_bytes()


@pytest.mark.parametrize("lines", [[], ["--lines"]])
def test_a_byte_order_mark_on_standard_input_is_reported(call: Run, lines: list[str]) -> None:
    options = ["--vocab-size", "265", "-o", "in.superword", *lines]
    done = call("train", "-", *options, stdin=b"\xef\xbb\xbfto be\nor not")
    assert done.returncode == 0
    notice = rb"^notice +standard input: starts with a byte order mark, which is kept as text$"
    assert len(re.findall(notice, done.stderr, re.M)) == 1
    for stdin in (b"", b"to be\n\xef\xbb\xbfor not"):
        assert b"byte order" not in call("train", "-", *options, stdin=stdin).stderr


def test_errors_have_one_line_that_can_be_printed(call: Run) -> None:
    more = ["--vocab-size", "300", "-o", "x"]
    no_file = "there is no such file or folder"
    check_error(call("train", "a\nb\ud800.txt", *more), 3,
        r"a\nb\ud800.txt: a lone surrogate cannot be part of a path")  # fmt: skip
    text = rf"model file 'a\nb' cannot be read: {no_file}"
    check_error(call("encode", "a\nb"), 4, text)
    check_error(call("encode", "m.superword", "a\nb\udcff"), 3, rf"a\nb\xff: {no_file}")
    text = "no file can have this name"
    check_error(call("encode", "m.superword", "\ud800\n"), 3, rf"\ud800\n: {text}")
    text = rf"-o \ud800/\n: {text} (see superword train --help)"
    check_error(call("train", "docs", *more[:-1], "\ud800/\n"), 2, text)
    check_error(call("x\ny"), 2, r"No such command 'x\ny'. (see superword --help)")
    check_error(call("decode", "m.superword", stdin=b"1 a\x07\xff\n"), 3,
        r"standard input: line 1: 'a\x07\xff' is no token id")  # fmt: skip


def test_an_early_stop_and_an_empty_corpus_are_reported(call: Run, folder: Path) -> None:
    done = call("train", "docs", "--vocab-size", "5000", "-o", "x.superword")
    assert done.returncode == 0
    assert b"5,000 tokens asked for, 281 made" in done.stderr
    assert b"no pair is left to merge" in done.stderr
    (folder / "empty.txt").write_bytes(b"")
    done = call("train", "empty.txt", "--vocab-size", "300", "-o", "x.superword")
    assert done.returncode == 0
    assert done.stderr.count(b"the corpus is empty") == 1


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["-o", "x"], 2, "Missing option '--vocab-size'. (see superword train --help)"),
        (["-o", "x", "--vocab-size", "12"], 2, "--vocab-size must be at least 256, the single "
         "bytes of alphabet 'bytes', not 12"),
        (["-o", "x", "--vocab-size", "300", "--backend", "c"], 2, "--backend must be one of auto, "
         "rust, python, not 'c'"),
        (["-o", "no/x", "--vocab-size", "300"], 2, "-o no/x: there is no such folder "
         "(see superword train --help)"),
        (["-o", "docs", "--vocab-size", "300"], 2, "-o docs: it is a folder "
         "(see superword train --help)"),
        (["-", "-o", "x", "--vocab-size", "300"], 2, "- is standard input and cannot stand beside "
         "other files (see superword train --help)"),
        (["no.txt", "-o", "x", "--vocab-size", "300"], 3, "no.txt: there is no such file or "
         "folder"),
        (["m.superword", "-o", "x", "--vocab-size", "300"], 3, "m.superword: has no known ending; "
         "known are .txt, .txt.gz, .txt.zst, .jsonl, .jsonl.gz, .jsonl.zst"),
    ],
)  # fmt: skip
def test_errors_of_train(
    call: Run, folder: Path, arguments: list[str], code: int, text: str
) -> None:
    check_error(call("train", "docs", *arguments), code, text)
    assert not (folder / "x").exists()


def test_a_file_that_is_no_utf8(call: Run, folder: Path) -> None:
    (folder / "latin1.txt").write_bytes(b"caf\xe9")
    done = call("train", "latin1.txt", "--vocab-size", "300", "-o", "x")
    assert (done.returncode, done.stdout) == (3, b"")
    assert done.stderr.startswith(b"superword: latin1.txt: byte 3 is not valid UTF-8; ")
    assert not (folder / "x").exists()


# --- encode and decode


def test_encode_and_decode(run: Run, model: superword.Tokenizer) -> None:
    data = "to be\r\nor é\0 not\r\n\n \ufeffto be".encode()
    done = run("encode", "m.superword", stdin=data)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == lines_of([model.encode(data)])
    assert run("decode", "m.superword", stdin=done.stdout).stdout == data


@pytest.mark.parametrize("data", [b"", b"\n", b"a\n\nb", b"to be\r\nor\n", b"x" * 100_000 + b"\ny"])
def test_lines(call: Run, model: superword.Tokenizer, data: bytes) -> None:
    lines = data.split(b"\n")
    lines = lines if lines[-1] else lines[:-1]
    done = call("encode", "m.superword", "--lines", "--threads", "2", stdin=data)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == lines_of([model.encode(line) for line in lines])
    again = call("decode", "m.superword", "--lines", stdin=done.stdout).stdout
    assert again == b"".join(line + b"\n" for line in lines)
    assert call("decode", "m.superword", stdin=done.stdout).stdout == b"".join(lines)


def test_encode_and_decode_files(call: Run, folder: Path, model: superword.Tokenizer) -> None:
    (folder / "ids.txt").write_bytes(b"116 111\r\n\n 98  101 \n")
    assert call("decode", "m.superword", "ids.txt").stdout == b"tobe"
    done = call("encode", "m.superword", "docs/a.txt", "--ordinary")
    assert done.stdout == lines_of([model.encode_ordinary(TEXT)])


def test_special_tokens(call: Run, model: superword.Tokenizer) -> None:
    data = TEXT.encode()
    for lines, texts in (([], [TEXT]), (["--lines"], TEXT.split("\n")[:-1])):
        expected = lines_of([model.encode(text, "all") for text in texts])
        for allowed in ("all", "<s>"):
            done = call("encode", "m.superword", "--allowed-special", allowed, *lines, stdin=data)
            assert done.stdout == expected
        done = call("encode", "m.superword", "--ordinary", *lines, stdin=data)
        assert done.stdout == lines_of([model.encode_ordinary(text) for text in texts])
    refused = (
        "special token '<s>' at position {} is not allowed: name it in --allowed-special, or use "
        "--ordinary to take it as plain text"
    )
    done = call("encode", "m.superword", stdin=data)
    check_error(done, 3, "standard input: " + refused.format(27))
    done = call("encode", "m.superword", "--lines", "docs/a.txt")
    check_error(done, 3, "docs/a.txt: line 2: " + refused.format(8))
    done = call("encode", "m.superword", "--allowed-special", "<x>", stdin=data)
    text = (
        "--allowed-special: '<x>' is no special token of this model (see superword encode --help)"
    )
    check_error(done, 2, text)
    done = call("encode", "m.superword", "--allowed-special", "all", "--ordinary", stdin=data)
    text = "--ordinary and --allowed-special exclude each other (see superword encode --help)"
    check_error(done, 2, text)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"1 2\nx", "line 2: 'x' is no token id"),
        (b"-1", "line 1: '-1' is no token id"),
        (b"1_0", "line 1: '1_0' is no token id"),
        (b"\xff", "line 1: '\\xff' is no token id"),
        (b"99999999999", "line 1: '99999999999' is no token id"),
        (
            b"1\n\n3 999",
            "line 3: id 999 at position 1 is not in the vocabulary (ids are 0 to LAST)",
        ),
    ],
)
def test_ids_that_are_none(call: Run, model: superword.Tokenizer, data: bytes, text: str) -> None:
    done = call("decode", "m.superword", stdin=data)
    check_error(done, 3, "standard input: " + text.replace("LAST", str(len(model) - 1)))


def test_lines_are_answered_at_once(backend_name: str, folder: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "encode", "m.superword", "--lines"],
        cwd=folder,
        env=environment(backend_name),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        for _ in range(2):
            process.stdin.write(b"t\n")
            process.stdin.flush()
            assert process.stdout.readline() == b"116\n"
        process.stdin.close()
    assert process.returncode == 0


# --- files that are no models, and the rest


@pytest.mark.parametrize("command", ["encode", "decode", "inspect"])
def test_files_that_are_no_models(call: Run, folder: Path, command: str) -> None:
    text = "model file 'no.superword' cannot be read: there is no such file or folder"
    check_error(call(command, "no.superword"), 4, text)
    (folder / "empty.superword").write_bytes(b"")
    text = "model file 'empty.superword': this is no superword model: the file is empty"
    check_error(call(command, "empty.superword"), 4, text)


def test_help_and_version(call: Run) -> None:
    assert call("--version").stdout.decode() == f"superword {superword.__version__}\n"
    for command in ("train", "encode", "decode", "inspect", "parity"):
        done = call(command, "--help")
        assert done.returncode == 0
        assert f"\n  superword {command}" in done.stdout.decode().replace("cat *.md | ", "")
    assert b"Exit codes: 0 done, 1 a check failed" in call("--help").stdout


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "Missing command. (see superword --help)"),
        (["nothing"], "No such command 'nothing'. (see superword --help)"),
        (["encode"], "Missing argument 'MODEL'. (see superword encode --help)"),
    ],
)
def test_usage(call: Run, arguments: list[str], text: str) -> None:
    check_error(call(*arguments), 2, text)


TRUNCATE = ["truncate", "m.superword", "--vocab-size", "256", "-o"]


@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "docs", "--vocab-size", "257", "-o", "-"],
        ["encode", "m.superword", "docs/a.txt", "--ordinary"],
        ["encode", "m.superword", "docs/a.txt", "--ordinary", "--lines"],
        ["encode", "m.superword", "docs/a.txt", "--lines", "--allowed-special", "all"],
        ["decode", "m.superword", "ids.txt"],
        ["inspect", "m.superword", "--tokens", "300"],
        ["inspect", "m.superword"],
        [*TRUNCATE, "-"],
        [*TRUNCATE, "/dev/stdout"],
        [*TRUNCATE, "/dev/fd/1"],
        ["convert", "m.superword", "-"],
        ["parity", "m.superword", "docs"],
        ["--help"],
        ["encode", "--help"],
        ["--version"],
    ],
    ids=" ".join,
)
def test_a_closed_pipe_ends_quietly(
    run: Run, folder: Path, arguments: list[str], unbuffered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 0 from every command, under whatever name the pipe is an output."""
    if "/dev/fd/1" in arguments and not Path("/dev/fd").exists():
        pytest.skip("no such device here")
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    (folder / "ids.txt").write_bytes(b"116\n98\n")
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as out:
        done = run(*arguments, stdout=out)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_reader_that_has_enough(run: Run, folder: Path) -> None:
    """It has read a part: what comes before an error of the input is no reason for another code."""
    (folder / "many.txt").write_bytes(b"t\n" * 200_000)
    with subprocess.Popen(["head", "-c", "10"], stdin=subprocess.PIPE, stdout=-1) as reader:
        done = run("encode", "m.superword", "many.txt", "--lines", stdout=reader.stdin)
        assert (done.returncode, done.stderr) == (0, b"")
        assert reader.communicate()[0] == b"116\n116\n11"


def test_a_pipe_to_train_on_is_refused(run: Run, folder: Path) -> None:
    """It is walked and read more than once: not a part of it is used in silence."""
    reading, writing = os.pipe()
    with open(reading, "rb") as pipe, open(writing, "wb") as end:
        end.write(b"to be")
        end.flush()
        name = f"/dev/fd/{reading}"
        done = run("train", name, "--vocab-size", "257", "-o", "x", pass_fds=[reading])
        check_error(done, 3, f"{name}: is no regular file; copy it into one")
        assert pipe.read(5) == b"to be"


def test_the_module_of_the_command_line(folder: Path, backend_name: str) -> None:
    """`python -m superword.cli` is no second way that does nothing."""
    for arguments in (["--version"], ["inspect", "m.superword"], ["encode"], ["inspect", "x"]):
        one, two = (
            subprocess.run(
                [sys.executable, "-m", name, *arguments],
                cwd=folder,
                env=environment(backend_name),
                capture_output=True,
                check=False,
            )
            for name in ("superword", "superword.cli")
        )
        assert (one.returncode, one.stdout, one.stderr) == (two.returncode, two.stdout, two.stderr)
        assert one.stdout or one.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_disk(run: Run) -> None:
    with open("/dev/full", "wb") as out:
        done = run("inspect", "m.superword", stdout=out)
    check_error(done, 3, "standard output: the disk is full")


def test_interrupt(backend_name: str, folder: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "train", "-", "--lines", "--progress", "--vocab-size", "300", "-o", "x"],
        cwd=folder,
        env=environment(backend_name),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stderr is not None
    with process:
        process.stdin.write(b"to be\n" * 10_000)
        process.stdin.flush()
        first = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(5) == 130
        rest = process.stderr.read()
    assert first.startswith(b"superword: count ")
    assert rest.endswith(b"superword: interrupted\n")
    assert b"Traceback" not in rest
    assert not (folder / "x").exists()
