"""The Markdown of a comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from compare.corpora import MEGABYTE, Corpus

INPUTS = {
    "documents": "preloaded",
    "jsonl": "reads .jsonl",
    "text": "reads .txt",
    "program": "reads .jsonl, a program",
}


def best(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Of the runs of one measurement the one with the least user CPU; a failure comes first."""
    failed = [row for row in rows if not row["ok"]]
    return failed[0] if failed else min(rows, key=lambda row: float(row["user_seconds"]))


def markdown(rows: Sequence[dict[str, Any]], corpus: Corpus, header: str) -> str:
    """The corpus, then one table for each algorithm and pattern, then what gave no figures.

    The ratio is the user CPU beside superword's (the lowest of its rows in the same table).
    """
    parts = (about(corpus, header), _tables(rows), _python(rows), _notes(rows), _failures(rows))
    return "\n".join(line for part in parts for line in part) + "\n"


def about(corpus: Corpus, header: str) -> Iterator[str]:
    """What the text is and where it is from, and how it was measured."""
    yield f"Corpus {corpus.name}: {corpus.bytes:,} bytes of text in {corpus.documents:,} documents,"
    yield f"{corpus.held_out_documents:,} more held out; SHA-256 of corpus.jsonl"
    yield f"`{corpus.sha256}`."
    sources = (f"{name} {size / MEGABYTE:.2f} MB" for name, size in corpus.sources.items())
    yield f"From {', '.join(sources)}."
    if corpus.missing:
        yield f"Could not be had: {', '.join(corpus.missing)}."
    yield header


def _tables(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    groups: dict[tuple[str, str, int], list[dict[str, Any]]] = {}
    for row in rows:
        if row["ok"]:
            key = (row["algorithm"], row["pattern"], row["vocab_size"])
            groups.setdefault(key, []).append(row)
    for (algorithm, pattern, vocab_size), group in groups.items():
        ours = [row["user_seconds"] for row in group if row["trainer"] == "superword"]
        yield f"\n**{algorithm}, pattern {pattern}, {vocab_size:,} tokens**\n"
        yield "| trainer | version | input | user CPU s | wall s | MB per CPU s | peak MB | ratio |"
        yield "|---|---|---|---:|---:|---:|---:|---:|"
        for row in sorted(group, key=lambda row: float(row["user_seconds"])):
            # Without a tick of the clock there is no speed and no ratio.
            speed = "" if row["mb_per_second"] is None else f"{row['mb_per_second']:.1f}"
            ratio = f"{row['user_seconds'] / min(ours):.2f}" if ours and min(ours) else ""
            yield (
                f"| {cell(row['trainer'])} | {cell(row['version'])} | {INPUTS[row['input']]}"
                f"{', own clock' if row['clock'].startswith('its own') else ''}"
                f" | {row['user_seconds']:.2f} | {row['wall_seconds']:.2f}"
                f" | {speed} | {row['peak_bytes'] / MEGABYTE:.0f} | {ratio} |"
            )


def _python(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The pure-Python backend beside tokenizers' words by the same pattern.

    What tokenizers cannot train, with superwords, stands beside its words by the pattern gpt4o.
    """
    done = [row for row in rows if row["ok"] and row["user_seconds"]]
    theirs = {row["pattern"]: row for row in done if row["trainer"] == "tokenizers"}
    pairs = [
        (row, theirs[words])
        for row in done
        for words in [row["pattern"] if row["algorithm"] == "bpe" else "gpt4o"]
        if row["trainer"] == "superword-python" and words in theirs
    ]
    if pairs:
        yield "\n**superword-python beside tokenizers**\n"
        yield "| superword-python | user CPU s | tokenizers | user CPU s | ratio |"
        yield "|---|---:|---|---:|---:|"
    for row, other in pairs:
        yield (
            f"| {row['algorithm']}/{row['pattern']} | {row['user_seconds']:.2f}"
            f" | bpe/{other['pattern']} | {other['user_seconds']:.2f}"
            f" | {row['user_seconds'] / other['user_seconds']:.2f} |"
        )


def _notes(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        if row["ok"] and row.get("not_tried"):
            job = f"{row['algorithm']}/{row['pattern']}"
            yield (
                f"\n{cell(row['trainer'])}, {job}: its vocabulary has only those single bytes that"
                f" the corpus has. Of the texts held out {row['round_trips']} came back;"
                f" {row['not_tried']} it cannot spell."
            )


def _failures(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    failed = [row for row in rows if not row["ok"]]
    if failed:
        yield "\n**No figures**\n"
        yield "| trainer | version | job | input | reason |"
        yield "|---|---|---|---|---|"
    for row in failed:
        job = f"{row['algorithm']}/{row['pattern']}".strip("/")
        yield (
            f"| {cell(row['trainer'])} | {cell(row['version'])} | {cell(job)}"
            f" | {INPUTS[row['input']]} | {cell(row['reason'])} |"
        )


def cell(text: str) -> str:
    """One line that keeps to its column."""
    return " ".join(text.split()).replace("|", "\\|")[:200]
