"""Breaks the code in small ways, one at a time; the suite must notice every one.

`mutants.json` beside it has the changes: file, exact old text, new text, and what it breaks. An old
text that is not there exactly once is an error, so the list cannot go stale in silence. Each change
is made in a copy of the tree; for Rust the extension is built again in the copy. A change that does
not compile is an error as well: nobody needs tests to find it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
COPIED = ["python", "src", "rust", "tests", "Cargo.toml", "Cargo.lock", "pyproject.toml"]
# Fast, and enough: the oracles first, then real text
SUITE = [
    "tests/differential/test_merges.py",
    "tests/differential/test_superwords.py",
    "tests/differential/test_encoder.py",
    "tests/differential/test_prompts.py",
    "tests/theorems/test_counting.py",
    "tests/theorems/test_composition.py",
    "tests/differential/test_errors.py",
    "tests/reports",
    "tests/stages",
    "tests/api/test_snapshots.py",
    "tests/export/test_tails.py",
    "tests/export/test_conditions.py",
    "tests/golden",
]
SLOW = ["-k", "not small and not every_code_point and not one_phase_program and not committed"]
# An endless loop is a mutant that was noticed
SECONDS = 400


class Mutant(NamedTuple):
    """One change."""

    file: str
    old: str
    new: str
    breaks: str

    @property
    def language(self) -> str:
        """The backend that it breaks."""
        return "rust" if self.file.endswith(".rs") else "python"


class StaleError(Exception):
    """The list does not fit the code, or the suite fails without any change."""


def main() -> int:
    """Run the mutants; 1 if one survives, 2 if the list or the tree is not in order."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--language", choices=["python", "rust"], help="only these")
    parser.add_argument("--only", metavar="TEXT", help="only those whose description has it")
    parser.add_argument("--check", action="store_true", help="only check that the list fits")
    chosen = parser.parse_args()
    rows = json.loads((ROOT / "tools" / "mutants.json").read_text("utf-8"))
    mutants = [Mutant(**row) for row in rows]
    try:
        for mutant in mutants:
            mutated(ROOT, mutant)
        if chosen.check:
            print(f"{len(mutants)} mutants fit the code")
            return 0
        mutants = [m for m in mutants if chosen.language in (None, m.language)]
        mutants = [m for m in mutants if (chosen.only or "") in m.breaks]
        survivors = run(mutants)
    except StaleError as error:
        print(f"mutants: {error}", file=sys.stderr)
        return 2
    print(f"{len(mutants) - len(survivors)} of {len(mutants)} mutants were noticed")
    for mutant in survivors:
        print(f"SURVIVED: {mutant.file}: {mutant.breaks}")
    return 1 if survivors else 0


def run(mutants: list[Mutant]) -> list[Mutant]:
    """Try every mutant in a copy of the tree; those that the suite did not notice."""
    survivors = []
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        copy_tree(tree)
        for language in dict.fromkeys(m.language for m in mutants):
            prepare(tree, language)
            failure = failure_of(tree, language)
            if failure:
                raise StaleError(f"the suite fails on {language} without any change\n{failure}")
        for mutant in mutants:
            path = tree / mutant.file
            original = path.read_bytes()
            begin = time.monotonic()
            path.write_bytes(mutated(tree, mutant))
            prepare(tree, mutant.language)
            noticed = failure_of(tree, mutant.language) != ""
            path.write_bytes(original)
            word = "noticed " if noticed else "SURVIVED"
            seconds = time.monotonic() - begin
            print(f"{word} {seconds:4.0f} s  {mutant.file}: {mutant.breaks}", flush=True)
            if not noticed:
                survivors.append(mutant)
    return survivors


def mutated(tree: Path, mutant: Mutant) -> bytes:
    """The file with the change."""
    text = (tree / mutant.file).read_bytes()
    number = text.count(mutant.old.encode())
    if number != 1:
        raise StaleError(f"{mutant.file}: {mutant.breaks}: the old text is there {number} times")
    return text.replace(mutant.old.encode(), mutant.new.encode())


def copy_tree(tree: Path) -> None:
    """Copy what the suite needs, as new files: cargo would take old ones for what it has built."""
    ignored = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd", ".hypothesis", "target")
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=ignored, copy_function=shutil.copy)
        else:
            shutil.copy(source, tree / name)


def prepare(tree: Path, language: str) -> None:
    """Build the extension if it is what changed; Python needs nothing but no stale bytecode."""
    if language == "python":
        return
    environment = cargo_environment()
    target = Path(environment["CARGO_TARGET_DIR"])
    command = ["cargo", "build", "--quiet", "--locked", "--package", "superword-python"]
    command += ["--features", "extension-module"]
    built = subprocess.run(command, cwd=tree, env=environment, check=False)
    if built.returncode != 0:
        raise StaleError("the extension does not compile: see above")
    for name in ("lib_core.so", "lib_core.dylib"):
        if (target / "debug" / name).exists():
            shutil.copy2(target / "debug" / name, tree / "python/superword/_core.abi3.so")


def cargo_environment() -> dict[str, str]:
    """For a build of the copy, optimized a little, because tests take longer than builds."""
    environment = {
        "PYO3_PYTHON": sys.executable,
        **os.environ,
        "CARGO_TARGET_DIR": str(ROOT / "target" / "mutants"),
    }
    for profile in ("DEV", "TEST"):
        environment[f"CARGO_PROFILE_{profile}_OPT_LEVEL"] = "1"
    return environment


def failure_of(tree: Path, language: str) -> str:
    """How the suite fails, empty if it does not."""
    if language == "rust":
        # what only the core's own tests can reach, such as a hash that two sequences share
        command = ["cargo", "test", "--quiet", "--locked", "--package", "superword", "--lib"]
        failure = failure_of_command(command, tree, cargo_environment(), 101)
        if failure:
            return failure
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    command += [f"--backend={language}", *SLOW, *SUITE]
    environment = {**os.environ, "PYTHONPATH": str(tree / "python")}
    return failure_of_command(command, tree, environment, 1)


def failure_of_command(
    command: list[str], tree: Path, environment: dict[str, str], failed: int
) -> str:
    """How a command fails, empty if it does not; `failed` is the exit code of failed tests."""
    try:
        found = subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"no end after {SECONDS} seconds"
    output = found.stdout.decode()[-2000:] + found.stderr.decode()[-2000:]
    if found.returncode not in (0, failed):
        raise StaleError(f"{command[0]} ended with {found.returncode}:\n{output}")
    return output if found.returncode == failed else ""


if __name__ == "__main__":
    sys.exit(main())
