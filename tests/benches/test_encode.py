"""The comparison with other encoders: superword and stand-ins for the packages of others."""

import argparse
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from compare.encode import __main__ as command
from compare.encode import measure, shortcut, table, worker
from compare.encode.adapters import ADAPTERS
from compare.encode.interface import Vocabulary, slices

ROOT = Path(__file__).resolve().parents[2]
ENCODERS = {"rust": "superword", "python": "superword-python"}
WORDS = ["".join(letters) for letters in itertools.product("klm", "aeiou")]
ROTATED = [WORDS[at:] + WORDS[:at] for at in range(10)]
TEXTS = [f"{' '.join(words)} {''.join(words)} {''.join(words[::-1])} ünï |\n" for words in ROTATED]
VOCAB_SIZE = 300
# What other packages do with the files of a vocabulary, as plainly as can be
STAND_INS = {
    "replay.py": """
from superword.reference import pretokenize
def replay(text, ids, rank):
    out = []
    for pretoken in pretokenize(text, "gpt2"):
        parts = [bytes([byte]) for byte in pretoken]
        while True:
            ranks = [rank(left, right) for left, right in zip(parts, parts[1:])]
            known = [r for r in ranks if r is not None]
            if not known:
                break
            at = ranks.index(min(known))
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        out += [ids[part] for part in parts]
    return out
""",
    "tiktoken.py": """
from replay import replay
class Encoding:
    def __init__(self, name, *, pat_str, mergeable_ranks, special_tokens):
        self.ranks = mergeable_ranks
    def encode_ordinary(self, text):
        return replay(text, self.ranks, lambda left, right: self.ranks.get(left + right))
    def encode_ordinary_batch(self, texts, num_threads):
        return [self.encode_ordinary(text) for text in texts]
""",
    "tokenizers.py": """
import json
from types import SimpleNamespace
from compare.byte_letters import byte_letters
from replay import replay
BYTES = {letter: byte for byte, letter in byte_letters().items()}
def token(spelled):
    return bytes(BYTES[letter] for letter in spelled)
class Tokenizer:
    @classmethod
    def from_file(cls, path):
        self = cls()
        read = json.load(open(path, encoding="utf-8"))
        assert read["pre_tokenizer"]["type"] == "ByteLevel" and read["pre_tokenizer"]["use_regex"]
        self.ids = {token(spelled): number for spelled, number in read["model"]["vocab"].items()}
        merges = read["model"]["merges"]
        self.ranks = {tuple(map(token, pair)): rank for rank, pair in enumerate(merges)}
        return self
    def encode(self, text):
        ids = replay(text, self.ids, lambda left, right: self.ranks.get((left, right)))
        return SimpleNamespace(ids=ids)
    def encode_batch_fast(self, texts):
        return [self.encode(text) for text in texts]
""",
    # right in the first pass and wrong in the second, for texts with this letter first
    "kitoken.py": """
from tokenizers import Tokenizer
class Kitoken:
    @classmethod
    def from_tokenizers_file(cls, path):
        self = cls()
        self.tokenizer, self.calls = Tokenizer.from_file(path), 0
        return self
    def encode(self, text):
        return self.tokenizer.encode(text).ids
    def encode_all(self, texts):
        self.calls += 1
        wrong = self.calls > 1
        return [self.encode(text)[: -1 if wrong and text[0] == "k" else None] for text in texts]
""",
    # of another vocabulary, and not even that
    "rustbpe.py": """
class Tokenizer:
    def train_from_iterator(self, texts, size, pattern):
        assert sum(len(text) for text in texts) > 100
    def get_mergeable_ranks(self):
        return [(list(token), token[0]) for token in [bytes([byte]) for byte in range(256)]]
    def encode(self, text):
        return list(text.encode())
    def batch_encode(self, texts):
        return [self.encode(text)[:-1] for text in texts]
""",
    "fastokens.py": """
class Tokenizer:
    @classmethod
    def from_file(cls, path):
        raise ValueError("this pattern | is not known")
""",
    "quicktok.py": "raise ImportError('no such package here')",
}


def environment(folder, backend_name):
    path = os.pathsep.join([str(folder / "packages"), str(ROOT / "python"), str(ROOT / "benches")])
    return {
        **os.environ,
        "PYTHONPATH": path,
        "SUPERWORD_BENCH_CACHE": str(folder / "cache"),
        "SUPERWORD_BACKEND": backend_name,
    }


def run(folder, backend_name, *arguments):
    return subprocess.run(
        [
            *(sys.executable, "-m", "compare.encode", "--corpus", str(folder / "tiny.jsonl")),
            *("--vocab-size", str(VOCAB_SIZE), "--output", str(folder / "out"), *arguments),
        ],
        cwd=folder,
        env=environment(folder, backend_name),
        capture_output=True,
        check=False,
        encoding="utf-8",
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory, backend_name):
    """A corpus and the stand-ins."""
    folder = tmp_path_factory.mktemp(f"encode-{backend_name}")
    lines = (json.dumps({"text": text}) + "\n" for text in TEXTS)
    (folder / "tiny.jsonl").write_text("".join(lines), "utf-8")
    packages = folder / "packages"
    for name, text in STAND_INS.items():
        distribution = name.removesuffix(".py")
        about = packages / f"{distribution}-7.dist-info" / "METADATA"
        about.parent.mkdir(parents=True)
        about.write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 7\n", "utf-8")
        (packages / name).write_text(text, "utf-8")
    return folder


@pytest.fixture(scope="module")
def compared(folder, backend_name):
    """(rows of the JSON lines, the table) of one run of two models."""
    others = "tiktoken,tokenizers,kitoken,rustbpe,fastokens,quick*"
    names = f"{ENCODERS[backend_name]},{others}"
    models = "bpe/gpt2,boundless/*"
    done = run(folder, backend_name, "--models", models, "--encoders", names)
    assert done.returncode == 0, done.stderr
    written = folder / "out" / "encode.md"
    assert written.read_text("utf-8") == done.stdout
    lines = (folder / "out" / "encode.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines], done.stdout


def rows_of(rows, encoder):
    return [row for row in rows if row["encoder"] == encoder]


def test_superword_is_measured(compared, backend_name):
    rows, text = compared
    ours = rows_of(rows, ENCODERS[backend_name])
    assert [row["algorithm"] for row in ours] == ["bpe", "boundless"]
    for row in ours:
        assert row["ok"], row
        assert (row["differ"], row["compared"], row["documents"]) == (0, 10, 9)
        assert row["bytes"] == len("".join(TEXTS).encode()) * 9 // 10
        assert row["peak_bytes"] > 1_000_000
        for figure in ("load_seconds", "first_seconds", "second_seconds", "single_seconds"):
            assert 0 < row[figure] < 60
    assert f"**bpe, pattern gpt2, {VOCAB_SIZE} tokens, 0.0 MB of text**" in text
    assert f"**boundless, pattern gpt4o-uniscript, {VOCAB_SIZE} tokens, 0.0 MB of text**" in text
    assert "bytes of text in 9 documents" in " ".join(text.split())
    assert "figures are the best of 1 run(s), passes in MB per CPU second" in text


def test_both_files_of_a_vocabulary_give_our_ids(compared):
    rows, text = compared
    for encoder in ("tiktoken", "tokenizers"):
        for row in rows_of(rows, encoder):
            assert (row["ok"], row["version"]) == (True, "7")
            assert (row["algorithm"], row["differ"], row["compared"]) == ("bpe", 0, 10)
        assert f"| {encoder} | 7 | lists |" in text
    assert text.count("| equal |") >= 4


def test_other_ids_are_counted_in_every_pass(compared):
    rows, text = compared
    wrong = sum(text[0] == "k" for text in TEXTS)
    (row,) = rows_of(rows, "kitoken")
    assert wrong - 1 <= row["differ"] <= wrong
    assert f"{row['differ']} of 10 documents differ |" in text
    (row,) = rows_of(rows, "rustbpe")
    assert (row["own_vocabulary"], row["differ"]) == (True, 9)
    assert "| 9 of 10 documents differ, own vocabulary |" in text


def test_what_fails_is_listed_with_its_reason(compared):
    rows, text = compared
    assert rows_of(rows, "quicktok")[0]["reason"] == "not installed: no such package here"
    failures = text.partition("**No figures**")[2]
    assert "| quicktok | bpe/gpt2 | not installed: no such package here |" in failures
    assert "| fastokens | bpe/gpt2 | ValueError: this pattern \\| is not known |" in failures


def test_a_vocabulary_is_trained_once(compared, folder, backend_name):
    vocabularies = folder / "cache" / "vocabularies"
    before = {path: path.stat().st_mtime_ns for path in vocabularies.rglob("*")}
    assert {path.name for path in before if path.is_file()} == {
        *("model.superword", "ranks.tiktoken", "tokenizer.json"),
    }
    done = run(folder, backend_name, "--encoders", "fastokens")
    assert done.returncode == 0, done.stderr
    assert "training bpe/gpt4o" in done.stderr
    assert "training bpe/gpt2" not in done.stderr
    assert (
        before.items()
        <= {path: path.stat().st_mtime_ns for path in vocabularies.rglob("*")}.items()
    )


@pytest.mark.rust
def test_the_shortcut_is_measured_in_both_backends(tmp_path, both_backends):
    lines = (json.dumps({"text": text}) + "\n" for text in TEXTS)
    (tmp_path / "tiny.jsonl").write_text("".join(lines), "utf-8")
    done = run(tmp_path, "rust", "--shortcut", "--models", "boundless/*")
    assert done.returncode == 0, done.stderr
    text = done.stdout
    assert text == (tmp_path / "out" / "shortcut.md").read_text("utf-8")
    assert "**the vocabulary shortcut, boundless, pattern gpt4o-uniscript, 300 tokens" in text
    (python,) = [line for line in text.splitlines() if line.startswith("| Python |")]
    with_, without = (float(cell) for cell in python.split(" | ")[1:3])
    assert 0 < with_ < 60 > without > 0


def options(**given):
    return argparse.Namespace(**{"corpus": "english", "models": "", "encoders": "", **given})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"corpus": "english,englsh"}, "no corpus is called 'englsh'"),
        ({"models": "bpe/*,bpe/gpt3"}, "no model is called 'bpe/gpt3': there are bpe/gpt2, "),
        ({"encoders": "super*,fasttokens"}, "no encoder is called 'fasttokens': there are super"),
    ],
)
def test_names_that_are_not_known_are_refused(given, said):
    command.refuse_unknown(options(corpus="english,multi,own.jsonl", models="bpe/*,boundless/*"))
    with pytest.raises(SystemExit, match=r"there are|see --help") as caught:
        command.refuse_unknown(options(**given))
    assert str(caught.value).startswith(said)


def planned(encoders, algorithm):
    text = SimpleNamespace(megabytes=20, few=1)
    return [
        (adapter.name, megabytes)
        for adapter, megabytes in measure.plan(ADAPTERS, encoders, algorithm, text)
    ]


def test_slow_encoders_get_little_text_and_tokenizers_beside_them():
    assert planned(["superword*"], "boundless") == [("superword", 20), ("superword-python", 1)]
    assert planned([], "boundless") == [("superword", 20), ("superword-python", 1)]
    few = [("tokenizers", 1), ("superword-python", 1)]
    assert planned(["superword*", "tok*"], "bpe") == [("superword", 20), ("tokenizers", 20), *few]
    everything = planned([], "bpe")
    assert everything[-2:] == few
    assert dict(everything[:-2]) == {a.name: 20 for a in ADAPTERS if not a.slow}
    assert planned(["tiktoken"], "bpe") == [("tiktoken", 20)]


def test_ids_are_compared_text_by_text():
    truth = {"first": ["a", "b", "c"], "second": ["a", "b", "c"], "single": ["d"]}
    assert measure.compare({**truth}, truth) == (0, 4)
    few = {"first": ["a", "b"], "second": ["x", "b"], "single": ["d"]}
    assert measure.compare(few, truth) == (1, 3)
    assert measure.compare({**few, "first": ["a", "x"]}, truth) == (2, 3)
    assert measure.compare({**few, "second": ["a", "b"], "single": ["x"]}, truth) == (1, 3)


def row(encoder="superword", megabytes=20.0, seconds=2.0, **more):
    return {
        **{"ok": True, "encoder": encoder, "version": "1", "gives": "lists", "algorithm": "bpe"},
        **{"pattern": "gpt4o", "size": 300, "megabytes": megabytes, "bytes": int(megabytes * 1e6)},
        **{"load_seconds": 0.5, "first_seconds": seconds, "second_seconds": seconds / 2},
        **{"single_seconds": seconds / 1e5, "peak_bytes": 2_000_000, "own_vocabulary": False},
        **{"differ": 0, "compared": 5, **more},
    }


def test_the_best_of_several_runs_is_taken_figure_by_figure():
    runs = [row(seconds=3.0, load_seconds=0.1), row(seconds=1.0, differ=2)]
    best = measure.best(runs)
    assert (best["first_seconds"], best["load_seconds"], best["differ"]) == (1.0, 0.1, 2)
    failed = {"ok": False, "reason": "no"}
    assert measure.best([*runs, failed]) is failed


def test_the_table_has_the_fastest_first_and_ratios_to_what_is_exact():
    rows = [
        row(),
        row("slow", seconds=8.0),
        row("exact", seconds=1.0, single_seconds=4e-5),
        row("wrong", seconds=0.1, differ=3),
        row("idle", seconds=0.0, own_vocabulary=True, differ=1),
    ]
    lines = list(table.markdown(rows))
    assert lines[-6:] == [
        "| idle | 1 | lists | 0.50 |  |  | 0.0 | 2 | 1 of 5 documents differ, own vocabulary |",
        "| wrong | 1 | lists | 0.50 | 200.0 | 400.0 | 1.0 | 2 | 3 of 5 documents differ |",
        "| exact | 1 | lists | 0.50 | 20.0 | 40.0 | 40.0 | 2 | equal |",
        "| superword | 1 | lists | 0.50 | 10.0 | 20.0 | 20.0 | 2 | equal |",
        "| slow | 1 | lists | 0.50 | 2.50 | 5.00 | 80.0 | 2 | equal |",
        "\nsuperword's time beside the best exact one of the others: first pass 2.00 (exact),"
        " second pass 2.00 (exact), 2,000 characters 0.50 (exact).",
    ]
    assert "beside the best" not in "".join(table.markdown(rows[1:]))
    assert "beside the best" not in "".join(table.markdown([rows[0], rows[3]]))


def test_the_pure_python_backend_stands_beside_tokenizers_on_the_same_text():
    rows = [
        row("tokenizers", seconds=4.0),
        row("tokenizers", 1.0, 0.5),
        row("superword-python", 1.0, 0.25),
        row("superword-python", 1.0, 1.0, algorithm="boundless", pattern="gpt4o-uniscript"),
    ]
    lines = list(table._slow(rows))
    assert lines[-2:] == [
        "| bpe/gpt4o | 4.00 | 8.00 | bpe/gpt4o | 2.00 | 4.00 | 2.00 |",
        "| boundless/gpt4o-uniscript | 1.00 | 2.00 | bpe/gpt4o | 2.00 | 4.00 | 0.50 |",
    ]
    assert not list(table._slow(rows[:2]))
    assert not list(table._slow(rows[2:]))


def test_ratios_of_the_shortcut():
    vocabulary = Vocabulary(Path(), "boundless", "gpt4o-uniscript", 300, Path())
    seconds = {("Rust", True): 0.5, ("Rust", False): 0.75}
    seconds |= {("Python", True): 1.0, ("Python", False): 3.0}
    rows = [
        {
            **{"backend": backend, "shortcut": flag, "seconds": found + later},
            **{"digests": ["a"], "bytes": 1_000_000},
        }
        for later in (1.0, 0.0)
        for (backend, flag), found in seconds.items()
    ]
    assert list(shortcut.table(vocabulary, rows))[-3:] == [
        "| Rust | 0.500 | 0.750 | 1.50 |",
        "| Python | 1.000 | 3.000 | 3.00 |",
        "| Python / Rust | 2.00 | 4.00 | |",
    ]
    with pytest.raises(SystemExit, match="different ids"):
        list(shortcut.table(vocabulary, [*rows, {**rows[0], "digests": ["b"]}]))
    failed = [*rows, {"backend": "Rust", "reason": "longer than 5 s"}]
    assert list(shortcut.table(vocabulary, failed)) == [
        "\nRust, boundless: no figures, longer than 5 s"
    ]


def test_flat_ids_are_cut_at_their_offsets():
    ids = b"".join(number.to_bytes(4, sys.byteorder) for number in (7, 70_000, 9))
    offsets = b"".join(number.to_bytes(8, sys.byteorder) for number in (0, 2, 2, 3))
    assert [list(part) for part in slices(ids, offsets)] == [[7, 70_000], [], [9]]


def test_documents_for_the_single_call_come_from_the_texts_held_out(tmp_path):
    texts = ["a" * 2500, "ü" * 2500]
    lines = (json.dumps({"text": text}) + "\n" for text in texts)
    (tmp_path / "held_out.jsonl").write_text("".join(lines), "utf-8")
    assert worker.pieces(tmp_path) == ["a" * 2000, "a" * 500 + "\n" + "ü" * 1499]
    (tmp_path / "held_out.jsonl").write_text('{"text": "short"}\n', "utf-8")
    assert worker.pieces(tmp_path) == ["short"]
