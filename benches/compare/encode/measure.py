"""Which measurements of encoding there are, and one of them: a fresh process on one CPU."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from compare.corpora import MEGABYTE, Corpus
from compare.encode.interface import Adapter, Vocabulary
from compare.measure import ask, fits

# what the slow encoders stand beside, on the text that they are measured with
BESIDE_SLOW = "tokenizers"
# the figures of a run; of several runs each is the least
FIGURES = ("load_seconds", "first_seconds", "second_seconds", "single_seconds", "peak_bytes")


@dataclass(frozen=True)
class Text:
    """What is encoded: the first MB of a corpus, whose files are in a folder."""

    corpus: Corpus
    folder: Path
    megabytes: float
    # for the slow encoders
    few: float


def plan(
    adapters: Iterable[Adapter], encoders: Sequence[str], algorithm: str, text: Text
) -> Iterator[tuple[Adapter, float]]:
    """The encoders wanted, by patterns of names, for a vocabulary, and the MB each gets."""
    fitting = [
        adapter
        for adapter in adapters
        if fits(adapter.name, encoders) and (algorithm == "bpe" or adapter.superwords)
    ]
    yield from ((adapter, text.megabytes) for adapter in fitting if not adapter.slow)
    if any(adapter.slow for adapter in fitting):
        for adapter in fitting:
            if adapter.slow or adapter.name == BESIDE_SLOW:
                yield adapter, text.few


def unknown(adapters: Iterable[Adapter], encoders: Sequence[str]) -> list[str]:
    """The patterns that fit no encoder."""
    names = [adapter.name for adapter in adapters]
    return [pattern for pattern in encoders if not any(fits(name, [pattern]) for name in names)]


def order(
    kind: str, vocabulary: Vocabulary, text: Text, megabytes: float, cpu: int | None, **more: Any
) -> dict[str, Any]:
    """What a worker is asked."""
    known = asdict(vocabulary)
    return {
        **{"kind": kind, "folder": str(text.folder), "megabytes": megabytes, "cpu": cpu},
        "vocabulary": {**known, "folder": str(known["folder"]), "text": str(known["text"])},
        **more,
    }


def run(
    adapter: Adapter, asked: dict[str, Any], truth: dict[str, list[str]], timeout: float
) -> dict[str, Any]:
    """One row: what was asked, and either figures or the reason why there are none."""
    result = ask("compare.encode.worker", {**asked, "encoder": adapter.name}, timeout)
    vocabulary = asked["vocabulary"]
    row = {
        **{"encoder": adapter.name, "version": "", "gives": adapter.gives},
        **{key: vocabulary[key] for key in ("algorithm", "pattern", "size")},
        **{"megabytes": asked["megabytes"], "cpu": asked["cpu"], "ok": "reason" not in result},
    }
    own = result.pop("truth", None)
    digests = result.pop("digests", {})
    row.update(result)
    if row["ok"]:
        row["own_vocabulary"] = own is not None
        row["differ"], row["compared"] = compare(digests, own or truth)
    return row


def compare(found: dict[str, list[str]], truth: dict[str, list[str]]) -> tuple[int, int]:
    """How many texts got other ids than they should, in any of the passes, and of how many.

    The truth may be of more texts: those of the corpus come in the same order.
    """
    passes = list(zip(found["first"], found["second"], truth["first"], strict=False))
    differ = sum(first != true or second != true for first, second, true in passes)
    singles = list(zip(found["single"], truth["single"], strict=True))
    differ += sum(ids != true for ids, true in singles)
    return differ, len(passes) + len(singles)


def best(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Of several runs each figure's least and the most texts that differ; a failure comes first."""
    failed = [row for row in runs if not row["ok"]]
    if failed:
        return failed[0]
    least = {figure: min(row[figure] for row in runs) for figure in FIGURES}
    return {**runs[0], **least, "differ": max(row["differ"] for row in runs)}


def speed(row: dict[str, Any], seconds: str) -> float | None:
    """MB per CPU second; a clock that did not tick says nothing about it."""
    took = row[seconds]
    return row["bytes"] / MEGABYTE / took if took else None
