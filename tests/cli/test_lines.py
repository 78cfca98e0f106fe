"""Texts and ids line by line: what stands before a line at fault is written, then it is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cli.command import Run, check_error, lines_of

import superword
from superword import streams

NO_UTF8 = "is not valid UTF-8; convert it to UTF-8 first (for example with iconv)"


def test_input_that_is_no_utf8(call: Run, folder: Path) -> None:
    done = call("encode", "m.superword", stdin=b"caf\xe9")
    check_error(done, 3, f"standard input: byte 3 {NO_UTF8}")
    assert done.stdout == b""
    (folder / "bad.txt").write_bytes(b"fine\nfine\nb\xe2\x80\n")
    done = call("encode", "m.superword", "bad.txt", "--lines")
    check_error(done, 3, f"bad.txt: line 3: byte 11 {NO_UTF8}")


@pytest.fixture
def costly(folder: Path, backend_name: str) -> str:
    tokenizer = superword.train(
        ["a"],
        vocab_size=256,
        pattern=r"\s+\s+\s+x|\S",
        special_tokens=["<s>"],
        backend=backend_name,  # type: ignore[arg-type]
    )
    tokenizer.save(folder / "costly.superword")
    return "costly.superword"


TOO_EXPENSIVE = (
    "the pattern is too expensive: no end after {} steps, at position {} of the text, before "
    f"'{' ' * 20}'; simplify the pattern, or cut the text"
)


@pytest.mark.parametrize("more", [[], ["--threads", "2"], ["--ordinary"]])
def test_the_line_of_a_costly_text_is_named(
    call: Run, folder: Path, costly: str, more: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    blanks = " " * 500
    steps = 2_000_000 + 100 * len(blanks)
    if more == ["--ordinary"]:
        steps += 400
    else:
        more = [*more, "--allowed-special", "all"]
    lines = ["b"] * 70 + ["", f"a<s>{blanks}", "b", blanks]
    text = "\n".join(lines).encode() + b"\n\xff\n"
    (folder / "costly.txt").write_bytes(text)
    what = f"line 72: {TOO_EXPENSIVE.format(steps, 4)}"
    check_error(call("encode", costly, "costly.txt", "--lines", *more), 3, f"costly.txt: {what}")
    done = call("encode", costly, "--lines", *more, stdin=text)
    check_error(done, 3, f"standard input: {what}")
    # what comes in pieces, too; the ids of those before are written
    monkeypatch.setattr(streams, "_CHUNK", 100)
    done = call("encode", costly, "--lines", *more, stdin=b"b\n" * 100 + text)
    check_error(done, 3, f"standard input: {what.replace('72', '172')}")
    assert done.stdout.startswith(b"98\n" * 100)
    done = call("encode", costly, *more, stdin=f"a<s>{blanks}".encode())
    check_error(done, 3, f"standard input: {TOO_EXPENSIVE.format(steps, 4)}")


REFUSED = (
    "special token '<s>' at position 1 is not allowed: name it in --allowed-special, or use "
    "--ordinary to take it as plain text"
)
GOOD = ["b", "", "b b", "b"]


@pytest.mark.parametrize("chunk", [1 << 20, 3])
@pytest.mark.parametrize("more", [[], ["--threads", "2"], ["--ordinary"]])
@pytest.mark.parametrize(
    ("bad", "text"),
    [
        (b"b<s>", REFUSED),
        (b" " * 500, TOO_EXPENSIVE.format(2_050_000, 0)),
        (b"b\xe9", "byte 10 " + NO_UTF8),
    ],
    ids=["special", "costly", "bytes"],
)
def test_lines_before_one_at_fault_are_written(
    call: Run,
    folder: Path,
    costly: str,
    bad: bytes,
    text: str,
    more: list[str],
    chunk: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One rule for every kind of error, whatever comes in one piece with it."""
    monkeypatch.setattr(streams, "_CHUNK", chunk)
    lines = [*(line.encode() for line in GOOD), bad]
    expected = lines_of(superword.Tokenizer.load(folder / costly).encode_batch(GOOD))
    if more == ["--ordinary"] and bad == b"b<s>":
        done = call("encode", costly, "--lines", *more, stdin=b"\n".join(lines))
        assert (done.returncode, done.stdout.count(b"\n")) == (0, 5)
        return
    for rest in (b"", b"\n", b"\nb\nb", b"\n\xff\nb<s>\n" + b" " * 500):
        done = call("encode", costly, "--lines", *more, stdin=b"\n".join(lines) + rest)
        check_error(done, 3, f"standard input: line 5: {text}")
        assert done.stdout == expected


@pytest.mark.parametrize("bad", [b"x", b"99 9999", b"1 -1"])
@pytest.mark.parametrize("more", [[], ["--lines"]])
def test_documents_before_ids_at_fault_are_written(call: Run, bad: bytes, more: list[str]) -> None:
    for rest in (b"", b"\n116\nx"):
        done = call("decode", "m.superword", *more, stdin=b"116 98\n\n116\n" + bad + rest)
        assert done.returncode == 3
        assert done.stderr.startswith(b"superword: standard input: line 4: ")
        assert done.stdout == (b"tb\n\nt\n" if more else b"tbt")


def test_the_line_that_uses_up_the_memory(call: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        whole = getattr(superword.Tokenizer, name)

        def method(self: superword.Tokenizer, given: Any, *more: Any) -> Any:
            if given in ("zz", [122, 122]) or (type(given) is list and "zz" in given):
                raise MemoryError
            return whole(self, given, *more)

        monkeypatch.setattr(superword.Tokenizer, name, method)

    for name in ("encode", "encode_ordinary", "encode_batch", "decode_bytes"):
        fail(name)
    text = "standard input: line 3: the memory is used up"
    for more in ([], ["--ordinary"]):
        done = call("encode", "m.superword", "--lines", *more, stdin=b"t\nb\nzz\nt\n")
        check_error(done, 3, text)
        assert done.stdout == b"116\n98\n"
    done = call("decode", "m.superword", "--lines", stdin=b"116\n98\n122 122\n116")
    check_error(done, 3, text)
    assert done.stdout == b"t\nb\n"


def test_the_first_line_at_fault_of_standard_input(call: Run) -> None:
    """A later one that is no text is read already."""
    blanks = " " * 500
    options = ("--vocab-size", "260", "-o", "x", "--no-progress", "--pattern", r"\s+\s+\s+x|\S")
    text = f"a\n{blanks}\n".encode() + b"\xff\n"
    done = call("train", "-", "--lines", *options, stdin=text)
    check_error(done, 3, f"standard input: line 2: {TOO_EXPENSIVE.format(2_050_000, 0)}")
    for threads in ("1", "2"):
        many = b"a\n" * 5000 + text
        done = call("train", "-", "--lines", "--threads", threads, *options, stdin=many)
        check_error(done, 3, f"standard input: line 5002: {TOO_EXPENSIVE.format(2_050_000, 0)}")
    done = call("train", "-", *options, stdin=blanks.encode())
    check_error(done, 3, f"standard input: {TOO_EXPENSIVE.format(2_000_000 + 100 * 500, 0)}")
    done = call("train", "-", "--lines", *options, stdin=text[2:].replace(b" ", b"b"))
    assert b"standard input: line 2: byte 501 is not valid UTF-8" in done.stderr
