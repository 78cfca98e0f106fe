"""What the vocabulary shortcut gains in each backend, and Rust beside Python: `--shortcut`.

The paper on BoundlessBPE has these ratios in its Figure 7.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from compare.corpora import MEGABYTE
from compare.encode.interface import Vocabulary
from compare.encode.measure import Text, order
from compare.measure import ask

BACKENDS = {"Rust": "superword._core", "Python": "superword.reference"}


def measure(
    vocabulary: Vocabulary, text: Text, cpu: int | None, runs: int, timeout: float
) -> list[dict[str, Any]]:
    """One row for each run: a fresh encoder of a backend, with the shortcut or without it."""
    rows = []
    for run in range(runs):
        for backend, package in BACKENDS.items():
            for shortcut in (True, False):
                asked = order(
                    "shortcut", vocabulary, text, text.few, cpu, package=package, shortcut=shortcut
                )
                row = {"backend": backend, "shortcut": shortcut, "run": run}
                rows.append({**row, **ask("compare.encode.worker", asked, timeout)})
    return rows


def table(vocabulary: Vocabulary, rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The least seconds of each kind and their ratios, or the reason of the first that failed."""
    failed = next((row for row in rows if "reason" in row), None)
    if failed is not None:
        yield f"\n{failed['backend']}, {vocabulary.algorithm}: no figures, {failed['reason']}"
        return
    if len({tuple(row["digests"]) for row in rows}) != 1:
        raise SystemExit("the encoders give different ids with the shortcut and without it")
    with_, without = (
        {
            backend: min(
                row["seconds"]
                for row in rows
                if row["backend"] == backend and row["shortcut"] is shortcut
            )
            for backend in BACKENDS
        }
        for shortcut in (True, False)
    )
    megabytes = rows[0]["bytes"] / MEGABYTE
    yield (
        f"\n**the vocabulary shortcut, {vocabulary.algorithm}, pattern {vocabulary.pattern},"
        f" {vocabulary.size:,} tokens, {megabytes:.1f} MB**\n"
    )
    yield "| | with, CPU s | without, CPU s | without / with |"
    yield "|---|---:|---:|---:|"
    for backend in BACKENDS:
        yield (
            f"| {backend} | {with_[backend]:.3f} | {without[backend]:.3f}"
            f" | {ratio(without[backend], with_[backend])} |"
        )
    yield (
        f"| Python / Rust | {ratio(with_['Python'], with_['Rust'])}"
        f" | {ratio(without['Python'], without['Rust'])} | |"
    )


def ratio(seconds: float, others: float) -> str:
    """How many times as long; nothing if a clock did not tick."""
    return f"{seconds / others:.2f}" if others else ""
