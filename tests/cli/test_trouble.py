"""Full disks, closed pipes, odd files, interrupts: no output is lost in silence."""

from __future__ import annotations

import errno
import io
import os
import re
import resource
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli.command import COMMAND, TEXT, Run, check_error, environment

import superword
from superword import cli, files, messages, streams

NAMES = pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
TRAIN = ("train", "docs", "--vocab-size", "262")


@pytest.fixture
def start(backend_name: str, folder: Path) -> Callable[..., Any]:
    def start(*arguments: str, unbuffered: str = "", **options: Any) -> Any:
        env = {**environment(backend_name), "PYTHONUNBUFFERED": unbuffered}
        return subprocess.run(
            [*COMMAND, *arguments],
            cwd=folder,
            **{"env": env, "stdin": subprocess.DEVNULL, "check": False, **options},
        )

    return start


def small_files_only() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


# --- standard output


@NAMES
@pytest.mark.parametrize(
    "arguments",
    [
        ("decode", "m.superword", "many.txt"),
        ("encode", "m.superword", "big.txt"),
        ("encode", "m.superword", "big.txt", "--lines"),
        ("inspect", "m.superword", "--tokens", "300"),
    ],
)
def test_output_is_written_whole_or_an_error(
    start: Any, folder: Path, arguments: tuple[str, ...], unbuffered: str
) -> None:
    (folder / "many.txt").write_bytes(b"116 " * 20_000 + b"\n")
    (folder / "big.txt").write_bytes(b"xyz\n" * 20_000)
    with open(folder / "out", "wb") as out:
        done = start(
            *arguments,
            unbuffered=unbuffered,
            stdout=out,
            stderr=subprocess.PIPE,
            preexec_fn=small_files_only,
        )
    check_error(done, 3, "standard output: it would be larger than a file may be")
    with open(folder / "out", "wb") as out:
        assert start(*arguments, unbuffered=unbuffered, stdout=out).returncode == 0
    assert (folder / "out").stat().st_size > 4096


@NAMES
def test_help_that_cannot_be_written(start: Any, unbuffered: str) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("a device of Linux")
    for arguments in (["--help"], ["train", "--help"], ["--version"]):
        with open("/dev/full", "wb") as out:
            done = start(*arguments, unbuffered=unbuffered, stdout=out, stderr=subprocess.PIPE)
        check_error(done, 3, "standard output: the disk is full")


class Slow(io.RawIOBase):
    """Takes a little at a time, and now and then nothing."""

    def __init__(self) -> None:
        self.taken = b""
        self.calls = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int | None:
        self.calls += 1
        if self.calls % 3 == 0:
            return None
        self.taken += bytes(data[:7])
        return min(7, len(data))

    def fileno(self) -> int:
        return os.open(os.devnull, os.O_WRONLY)


def test_short_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BufferedWriter(slow, 16)))
    data = bytes(range(256)) * 40
    streams.write(data)
    streams.write(b"end")
    streams.flush()
    assert slow.taken == data + b"end"


@pytest.mark.parametrize("arguments", [("decode", "m.superword"), ("encode", "m.superword")])
def test_non_blocking_input_and_output(
    backend_name: str, folder: Path, arguments: tuple[str, ...]
) -> None:
    """Both ends belong to somebody who made them non-blocking, as node and ssh do."""
    reading, writing = os.pipe()
    out_reading, out_writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(out_writing, False)
    with subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=folder,
        env=environment(backend_name),
        stdin=reading,
        stdout=out_writing,
        stderr=subprocess.PIPE,
    ) as process:
        os.close(out_writing)
        data = b"116 " * 100_000 if arguments[0] == "decode" else b"t " * 40_000
        with open(writing, "wb") as stream:
            stream.write(data)
        with open(out_reading, "rb") as result:
            found = result.read()
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait(20) == 0
    os.close(reading)
    if arguments[0] == "decode":
        assert found == b"t" * 100_000
    else:
        assert found.split() == model_ids(folder, data)


def model_ids(folder: Path, data: bytes) -> list[bytes]:
    tokenizer = superword.Tokenizer.load(folder / "m.superword")
    return [b"%d" % token_id for token_id in tokenizer.encode(data)]


# --- standard error


def closed_pipe() -> int:
    reading, writing = os.pipe()
    os.close(reading)
    return writing


@NAMES
@pytest.mark.parametrize("target", ["pipe", "/dev/full", "closed"])
def test_standard_error_changes_nothing(
    start: Any, folder: Path, target: str, unbuffered: str
) -> None:
    if target == "/dev/full" and not Path(target).exists():
        pytest.skip("a device of Linux")

    def code(*arguments: str) -> int:
        options: dict[str, Any] = {"unbuffered": unbuffered, "stdout": subprocess.DEVNULL}
        if target == "closed":
            return start(*arguments, preexec_fn=lambda: os.close(2), **options).returncode
        where = closed_pipe() if target == "pipe" else os.open(target, os.O_WRONLY)
        try:
            return start(*arguments, stderr=where, **options).returncode
        finally:
            os.close(where)

    path = folder / "kept.superword"
    path.unlink(missing_ok=True)
    assert code(*TRAIN, "-o", path.name, "--progress") == 0
    assert superword.Tokenizer.load(path).vocab_size == 262
    assert code("train") == 2
    assert code("encode", "m.superword", "no.txt") == 3
    assert code("inspect", "no.superword") == 4


# --- the model that is written


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("", "-o is an empty path; - is standard output"),
        ("x" * 300, "-o " + "x" * 300 + ": the name is too long"),
        ("new/", "-o new/: there is no such folder"),
        ("docs/", "-o docs/: it is a folder"),
        ("m.superword/", "-o m.superword/: a part of the path is no folder"),
        ("m.superword/x", "-o m.superword/x: a part of the path is no folder"),
        ("circle", "-o circle: the links go round in a circle"),
        ("docs/a.txt", "-o docs/a.txt: is one of the files to train on"),
        ("same.txt", "-o same.txt: is one of the files to train on"),
        ("hard.txt", "-o hard.txt: is one of the files to train on"),
    ],
)
def test_an_output_that_cannot_be(
    call: Run, folder: Path, output: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, make in (
        ("circle", lambda p: p.symlink_to("circle")),
        ("same.txt", lambda p: p.symlink_to("docs/a.txt")),
        ("hard.txt", lambda p: p.hardlink_to(folder / "docs/a.txt")),
    ):
        (folder / name).unlink(missing_ok=True)
        make(folder / name)
    before = sorted(os.listdir(folder))
    monkeypatch.setattr(cli, "train_tokenizer", None)  # nothing is read before
    check_error(call(*TRAIN, "-o", output), 2, f"{text} (see superword train --help)")
    assert sorted(os.listdir(folder)) == before
    assert (folder / "docs/a.txt").read_text() == TEXT


def test_standard_input_that_is_the_output(start: Any, folder: Path) -> None:
    (folder / "both.txt").write_text(TEXT)
    with open(folder / "both.txt", "rb") as stream:
        done = start(
            *("train", "-", "--vocab-size", "262", "-o", "both.txt"),
            stdin=stream,
            stderr=subprocess.PIPE,
        )
    text = "-o both.txt: is what standard input reads (see superword train --help)"
    check_error(done, 2, text)
    assert (folder / "both.txt").read_text() == TEXT


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder of Linux")
def test_a_folder_in_which_nothing_can_be_made(call: Run) -> None:
    done = call(*TRAIN, "-o", "/proc/x")
    assert done.returncode == 2
    assert done.stderr.startswith(b"superword: -o /proc/x: ")


@NAMES
@pytest.mark.parametrize("output", ["-", "/dev/stdout", "/dev/fd/1"])
def test_the_model_to_a_pipe(start: Any, output: str, unbuffered: str) -> None:
    if output != "-" and not Path("/dev/fd").exists():
        pytest.skip("no such device here")
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    done = start(*TRAIN, "-o", output, unbuffered=unbuffered, **pipes)
    assert done.returncode == 0, done.stderr
    assert superword.Tokenizer.from_bytes(done.stdout).vocab_size == 262


def test_the_model_to_an_open_descriptor(start: Any, folder: Path) -> None:
    """It is written where the descriptor stands, not in the place of the file behind it."""
    if not Path("/dev/fd").exists():
        pytest.skip("no such device here")
    for gone in (False, True):
        path = folder / "behind"
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        for name in (f"/dev/fd/{descriptor}", "link"):
            if name == "link":
                (folder / name).unlink(missing_ok=True)
                (folder / name).symlink_to(f"/dev/fd/{descriptor}")
            elif gone:
                path.unlink()
            os.write(descriptor, b"before\n")
            done = start(*TRAIN, "-o", name, stderr=subprocess.PIPE, pass_fds=[descriptor])
            assert done.returncode == 0, done.stderr
            os.write(descriptor, b"after\n")
        written = os.pread(descriptor, 1_000_000, 0)
        os.close(descriptor)
        one, rest = written.removeprefix(b"before\n").split(b"after\nbefore\n")
        assert superword.Tokenizer.from_bytes(one).vocab_size == 262
        assert rest == one + b"after\n"
        assert not [name for name in os.listdir(folder) if "deleted" in name]
    reading = os.open(folder / "m.superword", os.O_RDONLY)
    done = start(*TRAIN, "-o", f"/dev/fd/{reading}", stderr=subprocess.PIPE, pass_fds=[reading])
    os.close(reading)
    text = f"-o /dev/fd/{reading}: it is not open for writing (see superword train --help)"
    check_error(done, 2, text)


def test_a_model_that_cannot_be_written(start: Any, folder: Path) -> None:
    before = sorted(os.listdir(folder))
    arguments = (*TRAIN, "-o", "large.superword")
    wide = [arg for text in range(200) for arg in ("--special-tokens", f"<{text:050}>")]
    done = start(*arguments, *wide, stderr=subprocess.PIPE, preexec_fn=small_files_only)
    text = "large.superword: cannot be written: it would be larger than a file may be"
    check_error(done, 3, text)
    assert sorted(os.listdir(folder)) == before


def test_a_replaced_model_keeps_its_permissions(call: Run, folder: Path) -> None:
    path = folder / "private.superword"
    path.write_bytes(b"")
    for mode in (0o600, 0o644, 0o664):
        path.chmod(mode)
        assert call(*TRAIN, "-o", path.name).returncode == 0
        assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_link_to_nothing_gets_its_model(call: Run, folder: Path) -> None:
    link = folder / "link.superword"
    link.unlink(missing_ok=True)
    link.symlink_to("docs/../target.superword")
    assert call(*TRAIN, "-o", link.name).returncode == 0
    assert link.is_symlink()
    assert (folder / "target.superword").is_file()


# --- models and inputs that are read


def test_models_that_are_no_regular_files(call: Run, folder: Path) -> None:
    if not (folder / "pipe").exists():
        os.mkfifo(folder / "pipe")
    for name in ("pipe", "/dev/zero"):
        text = f"model file '{name}' cannot be read: it is no regular file; copy it into one"
        check_error(call("inspect", name), 4, text)


def test_a_model_larger_than_any(call: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_MODEL_BYTES", 100)
    text = (
        "model file 'm.superword' cannot be read: it has more than 100 bytes; if it is a model "
        "all the same, read it yourself and use Tokenizer.from_bytes"
    )
    check_error(call("inspect", "m.superword"), 4, text)


def test_limits_are_options(call: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for command in ("encode", "decode", "inspect"):
        done = call(command, "m.superword", "--max-token-bytes", "2")
        assert done.returncode == 4
        assert b"bytes, more than --max-token-bytes 2\n" in done.stderr
        done = call(command, "m.superword", "--max-total-bytes", "9")
        assert done.returncode == 4
        assert b"more than --max-total-bytes 9\n" in done.stderr
        roomy = ("--any-unicode", "--max-token-bytes", "99", "--max-total-bytes", "9999")
        assert call(command, "m.superword", *roomy).returncode == 0
    text = "x may cut: any_unicode=True loads it all the same"
    assert messages.in_own_words(text) == "x may cut: --any-unicode loads it all the same"


def test_empty_paths(call: Run) -> None:
    text = "FILE is an empty path; leave it out for standard input"
    check_error(call("encode", "m.superword", ""), 3, text)
    check_error(call("decode", "m.superword", ""), 3, text)
    check_error(call("inspect", ""), 2, "MODEL is an empty path (see superword inspect --help)")


def test_a_byte_order_mark_on_standard_input(call: Run) -> None:
    for more in ([], ["--lines"]):
        done = call("train", "-", "--vocab-size", "260", "-o", "b", *more, stdin=b"\xef\xbb\xbfa\n")
        assert done.returncode == 0
        text = b"standard input: starts with a byte order mark, which is kept as text"
        assert done.stderr.count(text) == 1
        assert re.search(rb"^notice +standard input: ", done.stderr, re.M)


def test_field_is_not_for_standard_input(call: Run) -> None:
    done = call("train", "-", "--vocab-size", "260", "-o", "b", "--field", "x")
    text = "--field is for .jsonl files, not for standard input (see superword train --help)"
    check_error(done, 2, text)


def test_a_working_folder_that_is_gone(start: Any, folder: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = "import os, sys; os.chdir(sys.argv[1]); os.rmdir(sys.argv[1])\n"
    command += "from superword import cli; sys.exit(cli.run(sys.argv[2:]))"
    for output in ("x", "-"):
        done = subprocess.run(
            [sys.executable, "-c", command, str(gone), "train", str(folder / "docs"),
             "--vocab-size", "260", "-o", output],
            env=environment("python"),
            capture_output=True,
            check=False,
        )  # fmt: skip
        gone.mkdir(exist_ok=True)
        if output == "-":
            assert done.returncode == 0, done.stderr
        else:
            assert done.returncode in (2, 3)
            assert b"standard output" not in done.stderr
            assert b"Traceback" not in done.stderr


# --- settings


@pytest.mark.parametrize("value", ["٣٠٠", " 300 ", "32_768", "0x12c", "", "3e2", "+300"])
@pytest.mark.parametrize(
    ("command", "option"),
    [
        (("train", "docs", "-o", "x"), "--vocab-size"),
        ((*TRAIN, "-o", "x"), "--min-count"),
        ((*TRAIN, "-o", "x"), "--threads"),
        (("inspect", "m.superword"), "--tokens"),
        (("decode", "m.superword"), "--max-token-bytes"),
    ],
)
def test_numbers_are_plain_digits(
    call: Run, command: tuple[str, ...], option: str, value: str
) -> None:
    text = f"Invalid value for '{option}': must be an integer, not '{value}'"
    done = call(*command, option, value)
    check_error(done, 2, f"{text} (see superword {command[0]} --help)")


@pytest.mark.parametrize(
    "arguments",
    [
        (*TRAIN, "-o", "x"),
        ("encode", "m.superword"),
        ("decode", "m.superword"),
        ("inspect", "m.superword"),
        ("parity", "m.superword", "docs"),
    ],
)
def test_rubbish_in_the_environment(
    call: Run, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPERWORD_THREADS", "many")
    check_error(call(*arguments), 2, "SUPERWORD_THREADS must be an integer, not 'many'")
    monkeypatch.delenv("SUPERWORD_THREADS")
    # `call` sets the backend once, at the start of the test
    monkeypatch.setenv("SUPERWORD_BACKEND", "c")
    text = "SUPERWORD_BACKEND must be one of auto, rust, python, not 'c'"
    check_error(call(*arguments), 2, text)


# --- what is said


def test_what_is_not_printable_is_escaped(call: Run) -> None:
    done = call("encode", "m.superword", "a\nb\x1b[2J\udcff\u202e")
    check_error(done, 3, "a\\nb\\x1b[2J\\xff\\u202e: there is no such file or folder")
    done = call("encode", "m.superword", "x" * 100_000)
    assert len(done.stderr) < 2100
    assert done.stderr.endswith("…\n".encode())


@pytest.mark.parametrize("option", ["--special-tokens", "--field"])
def test_text_that_is_not_of_the_locale(call: Run, option: str) -> None:
    done = call(*TRAIN, "-o", "x", option, "caf\udce9")
    assert done.returncode == 2
    assert done.stderr.decode().startswith(
        f"superword: Invalid value for '{option}': has bytes that are no utf-8, the encoding of "
        "this locale; "
    )


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (MemoryError(), 3, "the memory is used up"),
        (OSError(errno.EIO, ""), 3, "the system: the device reports an error"),
        (OSError(errno.EMFILE, "", "a.txt"), 3, "a.txt: too many files are open"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_errors_from_anywhere(
    call: Run, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, text: str
) -> None:
    def fail(*arguments: object) -> None:
        raise error

    monkeypatch.setattr("superword.tokenizer.read_model", fail)
    check_error(call("inspect", "m.superword"), code, text)


def test_an_internal_error(call: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("superword.tokenizer.read_model", lambda path: 1 / 0)
    done = call("inspect", "m.superword")
    assert done.returncode == 70
    assert b"ZeroDivisionError" in done.stderr
    assert done.stderr.endswith(
        b"superword: internal error: please report it with the lines above\n"
    )


# --- Ctrl-C


@pytest.mark.parametrize("delay", [0.02, 0.05, 0.08, 0.12, 0.2])
def test_interrupted_while_starting(backend_name: str, folder: Path, delay: float) -> None:
    # A module that takes long to import stands for a slow disk.
    script = f"""
import sys, time, os, threading, signal
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "click":
            threading.Timer({delay}, os.kill, (os.getpid(), signal.SIGINT)).start()
            time.sleep(5)
sys.meta_path.insert(0, Slow())
from superword.__main__ import main
sys.argv = ["superword", "inspect", "m.superword"]
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env=environment(backend_name),
        capture_output=True,
        check=False,
    )
    check_error(done, 130, "interrupted")


def test_the_entry_point_imports_nothing_slow() -> None:
    script = "import sys, superword.__main__; print([m for m in sys.modules if 'click' in m])"
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment("python"), capture_output=True, check=True
    )
    assert done.stdout == b"[]\n"
    root = Path(__file__).resolve().parents[2]
    assert 'superword = "superword.__main__:main"' in (root / "pyproject.toml").read_text()


def test_no_call_is_so_long_that_an_interrupt_waits(
    call: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = []
    whole = superword.Tokenizer.decode_bytes

    def decode(self: superword.Tokenizer, ids: Any) -> bytes:
        sizes.append(len(ids))
        return whole(self, ids)

    monkeypatch.setattr(superword.Tokenizer, "decode_bytes", decode)
    assert call("decode", "m.superword", stdin=b"9 " * 2_000_000).stdout == b"\t" * 2_000_000
    assert sum(sizes) == 2_000_000
    assert max(sizes) < 300_000


@pytest.mark.parametrize("place", [0, streams.ID_CHUNK - 1, streams.ID_CHUNK * 3 + 5])
def test_long_lines_of_ids(call: Run, model: superword.Tokenizer, place: int) -> None:
    words = [b"116"] * (streams.ID_CHUNK * 4)
    assert call("decode", "m.superword", stdin=b" ".join(words)).stdout == b"t" * len(words)
    text = b"t" * len(words)
    ids = call("encode", "m.superword", stdin=text).stdout
    assert ids == (" ".join(map(str, model.encode(text))) + "\n").encode()
    words[place] = b"999"
    done = call("decode", "m.superword", stdin=b"\t".join(words))
    text = f"line 1: id 999 at position {place} is not in the vocabulary (ids are 0 to "
    assert text in done.stderr.decode()
    assert (done.returncode, done.stdout) == (3, b"")
    words[place] = b"x"
    done = call("decode", "m.superword", stdin=b"\r".join(words))
    check_error(done, 3, "standard input: line 1: 'x' is no token id")
