"""Twins, sizes of modules, and what must not be in a tracked file."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "python/superword/reference"
CRATE = ROOT / "rust/src"
LONGEST = 450
GENERATED = {"unicode"}

# Stems that one language has and the other has not, with the reason
ONLY_PYTHON = {
    "__init__": "the package",
    "full_scan": "document BPE in its plainest form, which the others are held to",
    "incremental": "the rules `incremental`: Rust's pairs know both sets of rules",
    "single_tokens": "Rust encodes every token when a model is loaded",
    "rows": "rows in pieces, so that signals are seen: Rust calls the progress callback",
}
ONLY_RUST = {
    "lib": "the crate",
    "error": "superword.errors",
    "model": "superword.model",
    "settings": "superword.settings",
    "tables": "lists of tuples in Python",
    "cache": "what sequences became: a dict in Python",
    "encode_batch": "several texts on threads: one after the other in Python",
    "encode_text": "a batch of pretokens at a time: one after the other in Python",
    "pruning": "what of the runs can matter: Python takes all",
    "run_stream": "runs as they come: Python counts them",
    "runs": "how runs are kept: Python counts them",
    "json_string": "strings of JSON, 64 bytes at a time: regular expressions in Python",
    "scanner": "documents to batches of pretokens: a list in Python",
    "keys": "how tables find sequences: a dict in Python",
    "tally": "a Counter in Python",
    "feeds": "threads: what a job reads",
    "workers": "threads: one pass over the documents",
    "parallel": "threads: independent items",
    "both_phases": "threads: phase 2 beside phase 1",
    "pair_table": "two dicts in Python",
    "pair_counts": "counting all pairs at once; Python's pairs count stretches",
    "sides": "the neighbours of a merge's places, as flat lists",
    "blow_up": "what a delete does at its places: in Python's pairs",
    "homes": "how often tokens stand and where: in Python's pairs",
    "polynomial": "the hash of long tokens: all are stored in full in Python",
    "token_order": "how tokens compare that are not stored in full",
    "ticker": "when to report: Python reports at every step",
}
# Functions that other modules use in one language alone, with the reason
APART = {
    "arena": {"check_size": "private in Rust"},
    "bridges": {"filter_of_ops": "a set in Python"},
    "candidates": {
        "single_tokens_above": "Python takes all",
        "in_tokens": "Python cuts when it knows the tokens",
        "candidate_rows": "Python cuts when it knows the tokens",
    },
    "counts": {"check_document_size": "Rust checks where it reads"},
    "decompress": {"gzip_chunks": "one reader in Rust", "zstd_chunks": "one reader in Rust"},
    "documents": {"documents_of_file": "an iterator in Rust", "too_long": "a length in Python"},
    "file_input": {"file_error": "private in Rust"},
    "merges": {
        "train_vocabulary": "Python makes the vocabulary again",
        "first_floor": "Python counts all pairs",
    },
    "pattern_program": dict.fromkeys(["has", "bits_of"], "a mask is a number in Python"),
    "patterns": {"ranges_where": "Python has ranges"},
    "pretokenize": {
        "pretokenize": "a method of Pretokenizer in Rust",
        "check_cutting": "Pretokenizer::new in Rust",
        "pretokenizer_of": "a memory of those in use; Rust keeps none",
    },
    "published_lines": {"at": "an except clause in Python"},
    "replay": {"push": "a function within another in Python"},
    "scripts": {
        "is_real": "a method in Rust",
        "eight_bytes": "the fast path over ASCII",
        "lowest_bits": "the fast path over ASCII",
        "code_point_at": "the fast path over ASCII",
    },
    "superwords": {
        "replay_merges": "private in Rust",
        "count_pairs_of": "threads share it in Rust alone",
        "train_superwords_above": "Python cuts nothing",
    },
    "unicode": {"record_index": "Python has ranges"},
    "vocabulary": {"alphabet_tokens": "Alphabet::tokens in Rust"},
}


def tracked():
    """The files of the repository."""
    found = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    return [ROOT / name for name in found.stdout.decode().split("\0") if name]


def rust_part(path):
    """A Rust file without its unit tests."""
    return path.read_text("utf-8").partition("#[cfg(test)]")[0]


def python_functions(stem):
    """The public functions of a module of the reference, in order."""
    tree = ast.parse((REFERENCE / f"{stem}.py").read_text("utf-8"))
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    return [name for name in names if not name.startswith("_")]


def rust_functions(stem):
    """The public free functions of a module of the crate, in order."""
    return re.findall(r"^pub(?:\(crate\))? fn (\w+)", rust_part(CRATE / f"{stem}.rs"), re.M)


def test_every_stage_has_its_twin():
    python = {path.stem for path in REFERENCE.glob("*.py")} - set(ONLY_PYTHON)
    rust = {path.stem for path in CRATE.glob("*.rs")} - set(ONLY_RUST)
    assert python == rust, sorted(python ^ rust)
    assert set(APART) <= python


STEMS = sorted(p.stem for p in REFERENCE.glob("*.py") if (CRATE / f"{p.stem}.rs").exists())


@pytest.mark.parametrize("stem", STEMS)
def test_twins_have_the_same_functions_in_the_same_order(stem):
    python, rust = python_functions(stem), rust_functions(stem)
    assert [name for name in python if name in rust] == [name for name in rust if name in python]
    assert set(python) ^ set(rust) <= set(APART.get(stem, {}))


def test_modules_are_short():
    for path in [*ROOT.glob("python/**/*.py"), *CRATE.glob("*.rs"), *ROOT.glob("src/*.rs")]:
        if path.stem not in GENERATED:
            text = rust_part(path) if path.suffix == ".rs" else path.read_text("utf-8")
            assert len(text.splitlines()) <= LONGEST, path.relative_to(ROOT)


def test_one_module_is_unsafe():
    files = [*CRATE.rglob("*.rs"), *ROOT.glob("src/*.rs")]
    using = {path.name for path in files if "unsafe" in path.read_text("utf-8")}
    assert using == {"masks.rs"}


def test_no_file_names_a_machine():
    """Paths of a machine, in any text file; the place of the shared material is conftest's."""
    machine = re.compile(rb"/(?:home|Users|root|tmp/wt-|work)/\w|[A-Z]:\\\\Users")
    for path in tracked():
        if path.is_file() and path.suffix not in (".gz", ".zst", ".png"):
            if "tests/data" in path.as_posix():
                continue
            found = machine.search(path.read_bytes())
            assert found is None, f"{path.relative_to(ROOT)}: {found.group()!r}"


def test_test_data_is_small():
    size = sum(path.stat().st_size for path in tracked() if path.is_file())
    assert size < 8_000_000
    data = [p for p in tracked() if "/tests/data/" in p.as_posix() or "/demo/" in p.as_posix()]
    assert sum(path.stat().st_size for path in data) <= 4_000_000
