"""The comparison with other trainers: superword and programs that stand in for others."""

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from compare import table as tables

ROOT = Path(__file__).resolve().parents[2]
VOCAB_SIZE = 336  # nine tenths of it, SuperBPE's regular part, make whole words
TRAINERS = {"rust": "superword", "python": "superword-python"}
WORDS = ["".join(letters) for letters in itertools.product("klm", "aeiou")]
ROTATED = [WORDS[at:] + WORDS[:at] for at in range(10)]
TEXTS = [f"{' '.join(words)} {''.join(words)} {''.join(words[::-1])} ünï |\n" for words in ROTATED]
# What the stand-in does is in its file name
PROGRAM = """#!{python}
import hashlib, json, sys
corpus, size, held_out = sys.argv[1:]
name = sys.argv[0].rpartition("/")[2]
lines = open(held_out, encoding="utf-8").read().splitlines()
text = "".join(json.loads(line)["text"] + "\\n" for line in lines)
if name == "crashes":
    sys.exit(3)
said = {{
    "name": name, "version": "7", "algorithm": "bpe", "pattern": "gpt4o",
    "vocab_size": int(size) - (name == "stops-early"),
    "decoded_sha256": hashlib.sha256((text + "x" * (name == "lossy")).encode()).hexdigest(),
}}
if name == "own-clock":
    said |= {{"user_seconds": 1.5, "wall_seconds": 2.5}}
print("noise before the last line")
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def compared(tmp_path_factory, backend_name):
    """(rows of the JSON lines, the table) of one run without a network."""
    folder = tmp_path_factory.mktemp(f"compare-{backend_name}")
    corpus = folder / "tiny.jsonl"
    corpus.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS), "utf-8")
    peers = folder / "peers"
    peers.mkdir()
    for name in ("crashes", "faithful", "lossy", "own-clock", "stops-early"):
        (peers / name).write_text(PROGRAM.format(python=sys.executable), "utf-8")
        (peers / name).chmod(0o755)
    (peers / "notes.txt").write_text("no program", "utf-8")
    absent = folder / "absent"
    absent.mkdir()
    (absent / "rustbpe.py").write_text("raise ImportError('no such package here')", "utf-8")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "compare", "--corpus", str(corpus)),
            *("--vocab-size", str(VOCAB_SIZE), "--output", str(folder / "out"), "--runs", "2"),
            *("--trainers", f"{TRAINERS[backend_name]},rustbpe,*s*,faithful,own-clock"),
            *("--jobs", "bpe/gpt4o,boundless/*,superbpe/*"),
        ],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(
                [str(absent), str(ROOT / "python"), str(ROOT / "benches")]
            ),
            "SUPERWORD_BENCH_CACHE": str(folder / "cache"),
            "SUPERWORD_PEERS": str(peers),
        },
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    (lines,) = (folder / "out").glob("*.jsonl")
    (table,) = (folder / "out").glob("*.md")
    assert table.read_text("utf-8") == done.stdout
    return [json.loads(line) for line in lines.read_text("utf-8").splitlines()], done.stdout


def rows_of(rows, trainer):
    return [row for row in rows if row["trainer"] == trainer]


def test_superword_is_measured(compared, backend_name):
    rows, table = compared
    ours = rows_of(rows, TRAINERS[backend_name])
    inputs = ["documents", "jsonl"] if backend_name == "rust" else ["documents"]
    jobs = ["bpe/gpt4o", "boundless/gpt4o-uniscript", "boundless/gpt4o-scripts"]
    jobs.append("superbpe/gpt4o-uniscript")
    assert [(f"{row['algorithm']}/{row['pattern']}", row["input"]) for row in ours] == [
        (job, kind) for job in jobs for kind in inputs for _ in range(2)
    ]
    for row in ours:
        assert row["ok"], row
        assert row["vocab_size"] == VOCAB_SIZE
        assert row["user_seconds"] >= 0
        assert row["wall_seconds"] > 0
        assert row["peak_bytes"] >= row["before_bytes"] > 1_000_000
        assert row["bytes"] == len("".join(TEXTS).encode()) * 9 // 10
        assert (row["round_trips"], row["not_tried"]) == (1, 0)
    assert f"**boundless, pattern gpt4o-scripts, {VOCAB_SIZE} tokens**" in table


def test_a_program_is_measured(compared):
    rows, table = compared
    faithful, _ = rows_of(rows, "faithful")
    assert faithful["ok"]
    assert (faithful["version"], faithful["clock"]) == ("7", "the whole program")
    assert faithful["user_seconds"] >= 0
    assert faithful["wall_seconds"] > 0
    assert faithful["peak_bytes"] > 1_000_000
    own, _ = rows_of(rows, "own-clock")
    assert (own["user_seconds"], own["wall_seconds"]) == (1.5, 2.5)
    assert "| own-clock | 7 | reads .jsonl, a program, own clock | 1.50 | 2.50 |" in table
    assert "notes.txt" not in table


def test_what_fails_is_listed_with_its_reason(compared):
    rows, table = compared
    reasons = {
        "crashes": "the program ended with status 3",
        "lossy": "the held-out text did not come back",
        "stops-early": f"reached {VOCAB_SIZE - 1} tokens of {VOCAB_SIZE}",
        "rustbpe": "not installed: no such package here",
    }
    failures = table.partition("**No figures**")[2]
    for trainer, reason in reasons.items():
        first, second = rows_of(rows, trainer)
        assert reason in first["reason"]
        assert reason in second["reason"]
        (line,) = [line for line in failures.splitlines() if line.startswith(f"| {trainer} |")]
        assert reason in line


def test_the_table_says_what_was_used(compared):
    rows, table = compared
    (sha256,) = {row["corpus_sha256"] for row in rows}
    assert sha256 in table
    assert f"{rows[0]['bytes']:,} bytes of text in 9 documents" in " ".join(table.split())
    assert "From tiny.jsonl" in table
    assert "One thread, pinned to one CPU; the least user CPU of 2 run(s)" in table


def test_a_clock_that_did_not_tick_gives_no_speed_and_no_ratio():
    row = {
        **{"ok": True, "algorithm": "bpe", "pattern": "gpt2", "vocab_size": 300, "version": "1"},
        **{"input": "jsonl", "clock": "the call", "wall_seconds": 0.01, "peak_bytes": 2_000_000},
    }
    rows = [
        {**row, "trainer": "superword", "user_seconds": 0.0, "mb_per_second": None},
        {**row, "trainer": "other", "user_seconds": 0.5, "mb_per_second": 2.0},
    ]
    lines = list(tables._tables(rows))
    assert lines[-2:] == [
        "| superword | 1 | reads .jsonl | 0.00 | 0.01 |  | 2 |  |",
        "| other | 1 | reads .jsonl | 0.50 | 0.01 | 2.0 | 2 |  |",
    ]


def test_the_pure_python_backend_stands_beside_tokenizers():
    def row(trainer, algorithm, pattern, seconds):
        ok = seconds is not None
        return {
            **{"trainer": trainer, "algorithm": algorithm, "pattern": pattern},
            **{"user_seconds": seconds, "ok": ok},
        }

    rows = [
        row("superword-python", "bpe", "gpt4o", 1.2),
        row("superword-python", "bpe", "gpt2", 0.9),
        row("superword-python", "boundless", "gpt4o-uniscript", 2.4),
        row("superword", "bpe", "gpt4o", 0.1),
        row("tokenizers", "bpe", "gpt4o", 0.8),
        row("tokenizers", "bpe", "gpt2", None),
    ]
    assert list(tables._python(rows))[-2:] == [
        "| bpe/gpt4o | 1.20 | bpe/gpt4o | 0.80 | 1.50 |",
        "| boundless/gpt4o-uniscript | 2.40 | bpe/gpt4o | 0.80 | 3.00 |",
    ]
    assert not list(tables._python(rows[:-2]))
    assert not list(tables._python(rows[3:]))
