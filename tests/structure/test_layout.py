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
ONLY_PYTHON = {"__init__": "the package"}
ONLY_RUST = {
    "lib": "the crate",
    "error": "superword.errors",
    "model": "superword.model",
    "settings": "superword.settings",
    "tables": "lists of tuples in Python",
}
# Public functions that one language has and the other has not, with the reason
FUNCTIONS_APART: dict[str, set[str]] = {}


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
    assert python == rust


STEMS = sorted(p.stem for p in REFERENCE.glob("*.py") if (CRATE / f"{p.stem}.rs").exists())


@pytest.mark.parametrize("stem", STEMS)
def test_twins_have_the_same_functions_in_the_same_order(stem):
    apart = FUNCTIONS_APART.get(stem, set())
    python = [name for name in python_functions(stem) if name not in apart]
    rust = [name for name in rust_functions(stem) if name not in apart]
    assert python == rust
    assert apart <= set(python_functions(stem)) ^ set(rust_functions(stem)), "a stale exception"


def test_modules_are_short():
    for path in [*ROOT.glob("python/**/*.py"), *CRATE.glob("*.rs"), *ROOT.glob("src/*.rs")]:
        if path.stem not in GENERATED:
            text = rust_part(path) if path.suffix == ".rs" else path.read_text("utf-8")
            assert len(text.splitlines()) <= LONGEST, path.relative_to(ROOT)


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
