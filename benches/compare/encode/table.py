"""The Markdown of a comparison of encoders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from compare.corpora import MEGABYTE
from compare.encode.measure import BESIDE_SLOW, speed
from compare.table import cell


def markdown(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """One table for each vocabulary and size of text, then ratios, then what gave no figures."""
    groups: dict[tuple[str, str, int, float], list[dict[str, Any]]] = {}
    for row in rows:
        if row["ok"]:
            key = (row["algorithm"], row["pattern"], row["size"], row["megabytes"])
            groups.setdefault(key, []).append(row)
    for (algorithm, pattern, size, _), group in groups.items():
        megabytes = group[0]["bytes"] / MEGABYTE
        yield f"\n**{algorithm}, pattern {pattern}, {size:,} tokens, {megabytes:.1f} MB of text**\n"
        yield (
            "| encoder | version | gives | load CPU s | first pass | second pass"
            " | 2,000 characters, µs | peak MB | ids |"
        )
        yield "|---|---|---|---:|---:|---:|---:|---:|---|"
        yield from (
            f"| {cell(row['encoder'])} | {cell(row['version'])} | {row['gives']}"
            f" | {row['load_seconds']:.2f} | {_speed(row, 'first_seconds')}"
            f" | {_speed(row, 'second_seconds')} | {row['single_seconds'] * 1e6:.1f}"
            f" | {row['peak_bytes'] / MEGABYTE:.0f} | {_ids(row)} |"
            for row in sorted(group, key=lambda row: float(row["first_seconds"]))
        )
        yield from _beside(group)
    yield from _slow(rows)
    yield from _failures(rows)


def _speed(row: dict[str, Any], seconds: str) -> str:
    found = speed(row, seconds)
    return "" if found is None else f"{found:.{1 if found >= 10 else 2}f}"


def _ids(row: dict[str, Any]) -> str:
    whose = "tiktoken's by its own vocabulary" if row["own_vocabulary"] else "equal"
    if row["differ"]:
        whose = f"{row['differ']:,} of {row['compared']:,} documents differ"
        whose += ", own vocabulary" if row["own_vocabulary"] else ""
    return whose


def _beside(group: Sequence[dict[str, Any]]) -> Iterator[str]:
    """superword beside the best of the others whose ids are right, figure by figure."""
    ours = next((row for row in group if row["encoder"] == "superword"), None)
    exact = [row for row in group if row is not ours and not row["differ"] and row["version"]]
    if ours is None or not exact:
        return
    parts = []
    for figure, name in (
        ("first_seconds", "first pass"),
        ("second_seconds", "second pass"),
        ("single_seconds", "2,000 characters"),
    ):
        best = min(exact, key=lambda row: float(row[figure]))
        if best[figure]:
            parts.append(f"{name} {ours[figure] / best[figure]:.2f} ({best['encoder']})")
    yield f"\nsuperword's time beside the best exact one of the others: {', '.join(parts)}."


def _slow(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """superword-python beside tokenizers on the same text.

    Superwords, which tokenizers does not know, stand beside its words by the pattern gpt4o.
    """
    done = [row for row in rows if row["ok"] and row["first_seconds"]]
    ours = [row for row in done if row["encoder"] == "superword-python"]
    pairs = [
        (row, other)
        for row in ours
        for other in done
        if other["encoder"] == BESIDE_SLOW and other["megabytes"] == row["megabytes"]
        if other["pattern"] == (row["pattern"] if row["algorithm"] == "bpe" else "gpt4o")
    ]
    if pairs:
        yield f"\n**superword-python beside {BESIDE_SLOW}, MB per CPU s**\n"
        yield f"| superword-python | first | second | {BESIDE_SLOW} | first | second | ratio |"
        yield "|---|---:|---:|---|---:|---:|---:|"
    for row, other in pairs:
        yield (
            f"| {row['algorithm']}/{row['pattern']} | {_speed(row, 'first_seconds')}"
            f" | {_speed(row, 'second_seconds')} | bpe/{other['pattern']}"
            f" | {_speed(other, 'first_seconds')} | {_speed(other, 'second_seconds')}"
            f" | {other['first_seconds'] / row['first_seconds']:.2f} |"
        )


def _failures(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    failed = [row for row in rows if not row["ok"]]
    if failed:
        yield "\n**No figures**\n"
        yield "| encoder | vocabulary | reason |"
        yield "|---|---|---|"
    for row in failed:
        job = f"{row['algorithm']}/{row['pattern']}"
        yield f"| {cell(row['encoder'])} | {cell(job)} | {cell(row['reason'])} |"
