"""`superword encode-files`: what `encode_file` does, with the words and exit codes of a command."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from cli.command import COMMAND, TEXT, Run, check_error, environment

import superword

OUTPUTS = ["out.meta.json", "out.npy", "out.offsets.npy"]


def read_arrays(folder: Path) -> list[list[int]]:
    ids, ends = np.load(folder / "out.npy"), np.load(folder / "out.offsets.npy")
    return [ids[a:b].tolist() for a, b in pairwise(ends)]


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("out*"))


def test_files(call: Run, folder: Path, model: superword.Tokenizer) -> None:
    done = call("encode-files", "m.superword", "docs", "-o", "out.npy", "--ordinary")
    texts = [TEXT, "to be or not to be", "to be"]
    lists = [model.encode_ordinary(text) for text in texts]
    assert (done.returncode, done.stdout) == (0, b"")
    assert read_arrays(folder) == lists
    lines = done.stderr.decode().splitlines()
    tokens, size = sum(map(len, lists)), sum(map(len, texts))
    assert lines[0].startswith(f"ids     {tokens} of 3 documents with {size} bytes, uint16, in 0.")
    assert lines[1:] == [
        f"file    {folder.resolve()}/out.npy",
        f"file    {folder.resolve()}/out.offsets.npy",
        f"file    {folder.resolve()}/out.meta.json",
    ]
    assert left(folder) == OUTPUTS


def test_parquet_with_special_tokens(call: Run, folder: Path, model: superword.Tokenizer) -> None:
    more = ["--allowed-special", "all", "--lines", "--dtype", "uint32", "--threads", "2"]
    done = call("encode-files", "m.superword", "docs/a.txt", "-o", "out.parquet", *more)
    assert done.returncode == 0
    rows = pq.read_table(folder / "out.parquet").column("ids")
    assert rows.to_pylist() == model.encode_batch(TEXT.splitlines(), "all")
    assert str(rows.type) == "list<element: uint32>"


def test_standard_input(call: Run, folder: Path, model: superword.Tokenizer) -> None:
    text = "to be\nor not\n"
    command = ["encode-files", "m.superword", "-", "-o", "out.npy"]
    assert call(*command, stdin=text.encode()).returncode == 0
    assert read_arrays(folder) == [model.encode(text)]
    assert call(*command, "--lines", stdin=text.encode()).returncode == 0
    assert read_arrays(folder) == model.encode_batch(text.splitlines())
    done = call(*command, "--lines", stdin=b"\xef\xbb\xbfto be")
    assert done.stderr.decode().startswith("notice  standard input: starts with a byte order mark")
    assert call(*command, "--lines", stdin=b"").returncode == 0
    assert read_arrays(folder) == []
    assert left(folder) == OUTPUTS


def test_errors(call: Run, folder: Path) -> None:
    def check(code: int, text: str, *arguments: str, stdin: bytes = b"") -> None:
        check_error(call("encode-files", *arguments, stdin=stdin), code, text)

    usage = " (see superword encode-files --help)"
    m, o = "m.superword", ["-o", "out.npy"]
    refused = (
        "special token '<s>' at position 8 is not allowed: name it in --allowed-special, or use "
        "--ordinary to take it as plain text"
    )
    check(3, f"docs/a.txt: line 2: {refused}", m, "docs", *o, "--lines")
    stdin = TEXT.encode()
    check(3, f"standard input: line 2: {refused}", m, "-", *o, "--lines", stdin=stdin)
    check(
        3,
        "standard input: " + refused.replace("position 8", "position 27"),
        *(m, "-", *o),
        stdin=stdin,
    )
    check(
        3,
        "standard input: line 2: byte 3 is not valid UTF-8; convert it to UTF-8 first (for "
        "example with iconv)",
        *(m, "-", *o, "--lines"),
        stdin=b"to\n\xff\n",
    )
    check(3, "none.txt: there is no such file or folder", m, "none.txt", *o)
    check(2, "-o must end in .npy or .parquet, not 'out'", m, "docs", "-o", "out")
    check(2, "-o is an empty path" + usage, m, "docs", "-o", "")
    check(2, "--dtype must be one of auto, uint16, uint32, not 'u2'", m, "docs", *o, "--dtype=u2")
    check(
        2,
        "- is standard input and cannot stand beside other files" + usage,
        *(m, "-", "docs", *o),
    )
    check(
        2,
        "- is standard input and cannot stand beside --field, which is for .jsonl files" + usage,
        *(m, "-", "--field", "x", *o),
    )
    check(
        2,
        "--ordinary and --allowed-special exclude each other" + usage,
        *(m, "docs", "--ordinary", "--allowed-special", "all", *o),
    )
    check(
        3,
        "no/out.npy: cannot be written: there is no such file or folder",
        *(m, "docs", "-o", "no/out.npy"),
    )
    assert left(folder) == []


def test_an_interrupted_command_goes_on(backend_name: str, folder: Path) -> None:
    """What standard error says, read by nobody later on, changes nothing."""
    lines = [json.dumps({"text": f"to be or not to be {n} " * 40}) for n in range(20_000)]
    text = "\n".join(lines[: 20_000 if backend_name == "rust" else 1_000])
    (folder / "big.jsonl").write_text(text)
    program = (
        "import sys; from superword import cli, encode_files, partial; "
        "partial._CHECKPOINT_SECONDS = 0; "
        "encode_files.BATCH_CHARACTERS = {'rust': 1 << 18, 'python': 1 << 14}; "
        "sys.exit(cli.run(sys.argv[1:]))"
    )
    options = ["big.jsonl", "-o", "out.npy", "--progress", "--threads", "2"]
    process = subprocess.Popen(
        [sys.executable, "-c", program, "encode-files", "m.superword", *options],
        cwd=folder,
        env=environment(backend_name),
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    with process:
        first = process.stderr.readline()
        while not (folder / "out.npy.partial" / "checkpoint").exists():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(5) == 130
        assert process.stderr.read() == b"superword: interrupted\n"
    assert first.startswith(b"superword: encode 0 of ")
    assert left(folder) == ["out.npy.partial"]
    done = subprocess.run(
        [*COMMAND, "encode-files", "m.superword", *options],
        cwd=folder,
        env=environment(backend_name),
        stderr=subprocess.PIPE,
        check=False,
    )
    assert done.returncode == 0
    assert b"\nresumed " in done.stderr
    assert left(folder) == OUTPUTS
    ids = [path.read_bytes() for path in sorted(folder.glob("out*"))]
    model = superword.Tokenizer.load(folder / "m.superword", backend="rust")
    model.encode_file(folder / "big.jsonl", folder / "out.npy")
    assert [path.read_bytes() for path in sorted(folder.glob("out*"))] == ids


def test_nobody_reads_what_it_says(backend_name: str, folder: Path) -> None:
    """A closed pipe as standard error: the files are there, and the exit code is 0."""
    process = subprocess.Popen(
        [*COMMAND, "encode-files", "m.superword", "docs/b.jsonl", "-o", "out.npy", "--progress"],
        cwd=folder,
        env=environment(backend_name),
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    process.stderr.close()
    assert process.wait(60) == 0
    assert left(folder) == OUTPUTS
