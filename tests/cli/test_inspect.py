"""What `superword inspect` shows: every token, readable, and no two alike."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cli.command import Run

import superword
from superword import _backend
from superword.display import (
    deletion_lines,
    deletion_rows,
    display_token,
    short_token,
    superword_rows,
    table_lines,
    token_rows,
)


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        (b"to", '"to"'),
        (b" to be ", '" to be "'),
        (b"", ""),
        ("é漢😀".encode(), '"é漢😀"'),
        (b"\xe2\x80", "<e2 80>"),
        (b"a\xe2\x80", '"a"<e2 80>'),
        (b"\x80a\xff\xfe", '<80>"a"<ff fe>'),
        (b'"\\<e2>', r'"\"\\<e2>"'),
        (b"\n\r\t\0\x7f", r'"\n\r\t\u{0}\u{7f}"'),
        ("\u00a0\u3000\u200b\u202e\ufeff".encode(), r'"\u{a0}\u{3000}\u{200b}\u{202e}\u{feff}"'),
        ("e\u0301".encode(), r'"e\u{301}"'),
        ("\u0301".encode(), r'"\u{301}"'),
        ("\u212b".encode(), r'"\u{212b}"'),
        ("ไม่".encode(), '"ไม่"'),
        (b"\\u{301}", r'"\\u{301}"'),
    ],
)
def test_display(token: bytes, shown: str) -> None:
    assert display_token(token) == shown


def test_different_tokens_never_look_the_same() -> None:
    parts = [b"a", b" ", b'"', b"<", b">", b"\\", b"\xe2", b"\x80", b"\n", "é".encode(), b"e2"]
    parts += ["\u0301".encode(), b"u{301}"]
    tokens = {b"".join(chosen) for n in range(4) for chosen in itertools.product(parts, repeat=n)}
    assert len({display_token(token) for token in tokens}) == len(tokens)


@pytest.fixture
def tokenizer(backend_name: str) -> superword.Tokenizer:
    return superword.train(
        ["to be or not to be"] * 2 + ["to be"],
        algorithm="boundless",
        vocab_size=275,
        special_tokens=["<s>"],
        backend=backend_name,  # type: ignore[arg-type]
    )


def test_superwords_come_by_count_and_then_bytes(tokenizer: superword.Tokenizer) -> None:
    rows = superword_rows(tokenizer, 100)
    strength = [(-int(row[3]), tokenizer.token_bytes(int(row[0]))) for row in rows]
    assert strength == sorted(strength)
    assert {row[2] for row in rows} == {"supermerge"}
    assert len(rows) == tokenizer.report.superwords
    assert superword_rows(tokenizer, 2) == rows[:2]
    (row,) = (row for row in rows if row[1] == '"to be"')
    assert row[3:] == ("3", '"to" + " be"')


def test_all_tokens_are_listed_once(tokenizer: superword.Tokenizer) -> None:
    rows = token_rows(tokenizer, 10_000)
    assert sorted(int(row[0]) for row in rows) == list(range(len(tokenizer)))
    assert len({row[1] for row in rows}) == len(rows)
    assert rows[-1] == (str(len(tokenizer) - 1), '"<s>"', "special", "", "")
    assert rows[-2] == ("255", "<ff>", "byte", "", "")


def test_the_table() -> None:
    rows = [("7", '"漢"', "merge", "10", '"a" + "b"'), ("300", '"ab"', "byte", "", "")]
    assert list(table_lines(rows)) == [
        " id  text  kind   count  parents",
        '  7  "漢"  merge     10  "a" + "b"',
        '300  "ab"  byte',
    ]


def test_long_tokens_keep_the_table_narrow(backend_name: str) -> None:
    documents = ["ab" * 5000, "\u200b" * 500, "漢" * 500]
    tokenizer = superword.train(documents, vocab_size=300, backend=backend_name)  # type: ignore[arg-type]
    lines = list(table_lines(token_rows(tokenizer, 1000)))
    assert max(map(len, lines)) < 400
    assert len(set(lines)) == len(tokenizer) + 1
    assert any(" bytes, id " in line for line in lines)


def test_short_tokens() -> None:
    assert short_token(b"to be", 7) == '"to be"'
    shown = short_token("é".encode() * 100, 7)
    assert shown == f'"{"é" * 20}"… (200 bytes, id 7)'
    assert short_token(b"a" + "漢".encode() * 100, 7).startswith(f'"a{"漢" * 13}"… (301 bytes')
    assert len(short_token(b"\xff" * 100, 8)) < 90
    assert len(short_token("\u200b".encode() * 100, 9)) < 90


def test_inspect(tokenizer: superword.Tokenizer, tmp_path: Path, backend_name: str) -> None:
    path = tmp_path / "m.superword"
    tokenizer.save(path)

    def inspect(*arguments: str) -> str:
        package = str(Path(superword.__file__).resolve().parents[1])
        done = subprocess.run(
            [sys.executable, "-m", "superword", "inspect", str(path), *arguments],
            env={**os.environ, "PYTHONPATH": package, "PYTHONIOENCODING": "ascii"},
            capture_output=True,
            check=False,
        )
        return (done.stdout or done.stderr).decode()

    name = ("--backend", backend_name)
    assert inspect(*name) == f"{superword.Tokenizer.load(path, backend=backend_name).report}\n"  # type: ignore[arg-type]
    table = "\n".join(table_lines(superword_rows(tokenizer, 3))) + "\n"
    assert inspect("--superwords", "3", *name) == table
    table = "\n".join(table_lines(token_rows(tokenizer, 999))) + "\n"
    assert inspect("--tokens", "999", *name) == table
    assert inspect("--tokens", "9", "--superwords", "9") == (
        "superword: --superwords and --tokens exclude each other (see superword inspect --help)\n"
    )
    assert inspect("--superwords", "0").startswith("superword: Invalid value for '--superwords'")


def test_patterns_are_shown_as_they_can_be_given_again(
    call: Run, folder: Path, backend_name: str
) -> None:
    """Characters that cannot be seen as the grammar writes them; long patterns whole."""
    documents = ["\x1ba b\x1b\n漢c\x0b\u3000\U000e0001 1 2\u200b"] * 3
    for pattern in (
        "\x1b[a-z]|\n|[\u3000\U000e0001]+",
        " ?[^\\s]+| ",
        "a\\\\ |b\\ ",
        "(?i:\x0bA)|\t|\r|\f|\u200b|é",
        "|".join(map(chr, range(0x4E00, 0x4E00 + 2000))),
    ):
        options = ("--vocab-size", "262", "--algorithm", "boundless", "--no-progress")
        given = ("--pattern", pattern, "--script-pattern", pattern, "--eligible-pattern", pattern)
        (folder / "a.txt").write_text(documents[0], "utf-8", newline="")
        done = call("train", "a.txt", "-o", "a.superword", *options, *given)
        assert done.returncode == 0, done.stderr
        shown = call("inspect", "a.superword").stdout.decode()
        assert all(char == "\n" or char.isprintable() for char in shown)
        rows = dict(re.findall("^(.*?)  +(.*)$", shown, re.M))
        found = [rows["pattern"], rows["script pattern"].rpartition(" for ")[0], rows["eligible"]]
        assert found == [found[0]] * 3
        assert found[0] == found[0].strip()
        backend = _backend.load(backend_name)  # type: ignore[arg-type]
        assert backend.canonical_pattern(found[0]) == backend.canonical_pattern(pattern)
        given = tuple(found[0] if part == pattern else part for part in given)
        assert call("train", "a.txt", "-o", "b.superword", *options, *given).returncode == 0
        one, two = ((folder / f"{name}.superword").read_bytes() for name in "ab")
        assert one.split(b"\n")[1:-2] == two.split(b"\n")[1:-2]


def test_settings_of_training_are_shown(call: Run, folder: Path) -> None:
    options = ("--vocab-size", "270", "--algorithm", "boundless", "--no-progress")
    given = ("--tau", "0.9", "--blow-up", "bytes", "--ngram-split", "--ngram-floor", "2")
    assert call("train", "docs", "-o", "t.superword", *options, *given).returncode == 0
    shown = call("inspect", "t.superword").stdout.decode()
    assert re.search("^deletions +tau 9/10, blow-up bytes$", shown, re.M)
    assert re.search("^n-grams +split, floor 2, at most 30 pretokens$", shown, re.M)
    report = superword.Tokenizer.load(folder / "t.superword").report
    assert (report.tau, report.blow_up) == ("9/10", "bytes")
    shown = call("inspect", "m.superword").stdout.decode()
    assert not re.search("^(deletions|n-grams) ", shown, re.M)


def test_the_public_case_of_readable_listings(backend_name: str, shared: Path) -> None:
    text = (shared / "cases/in/readable-01.txt").read_text(encoding="utf-8")
    tokenizer = superword.train(
        text.splitlines(),
        algorithm="boundless",
        vocab_size=350,
        backend=backend_name,  # type: ignore[arg-type]
    )
    rows = token_rows(tokenizer, 1000)
    assert len({row[1] for row in rows}) == len(rows) == len(tokenizer)
    assert any(row[1] == '"Γεια σου κόσμε"' for row in rows)


def test_deletions(backend_name: str) -> None:
    found = superword.train(
        ["hugging hugs hug"] * 5,
        vocab_size=262,
        tau="9/10",
        backend=backend_name,  # type: ignore[arg-type]
    )
    rows = deletion_rows(found, 100)
    ops = found.ops
    assert [int(row[0]) for row in rows] == [i for i, op in enumerate(ops) if op.kind == "delete"]
    assert rows
    for index, text, count, by, again in rows:
        deleted = ops[int(index)].new
        merge = next(op for op in reversed(ops[: int(index)]) if op.kind == "merge")
        assert deleted in (merge.left, merge.right)
        assert text == display_token(deleted)
        assert count == str(merge.count)
        assert by == f"{display_token(merge.left)} + {display_token(merge.right)}"
        assert again == str(
            "" if found.token_to_id(deleted) is None else found.token_to_id(deleted)
        )
    assert deletion_rows(found, 1) == rows[:1]
    lines = list(deletion_lines(rows))
    assert lines[0].split() == ["op", "text", "count", "removed", "by", "id"]
    assert len(lines) == len(rows) + 1
    # what is deleted is in no table of tokens
    shown = {row[1] for row in token_rows(found, 1000)}
    assert not shown & {row[1] for row in rows if not row[4]}
    assert f", {len(rows)} deletions" in str(found.report)
    assert found.report.deletions == len(rows)
