"""superword's encoding beside that of others, one thread each: `make bench-encode`.

Every measurement is a process of its own, pinned to one CPU: it loads the vocabulary, encodes the
same texts twice, then documents of 2,000 characters one by one. Where the vocabulary is the same,
the ids of every text are compared with ours. The table goes to standard output, table and JSON
lines (one for each run) to the output folder.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from compare import corpora
from compare.__main__ import ROOT, commit, last_cpu
from compare.encode import measure, shortcut, table, vocabularies
from compare.encode.adapters import ADAPTERS
from compare.encode.interface import Vocabulary
from compare.measure import ask, fits
from compare.table import about
from superword import backend

# MB that the vocabularies are trained on
TRAINED_ON = {"english": 100, "multi": 20}
# whose ids are the right ones
OURS = {"rust": "superword", "python": "superword-python"}
MODELS = ", ".join(map(str, vocabularies.MODELS))


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="compare.encode", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--corpus",
        default="english,multi",
        help=f"{', '.join(TRAINED_ON)}, or a .jsonl file with a text in each line",
    )
    parser.add_argument("--size", type=float, default=20, help="MB of its text to encode")
    parser.add_argument("--few", type=float, default=1, help="MB for superword-python")
    parser.add_argument("--models", default="", help=f"{MODELS}, or patterns, comma between")
    parser.add_argument("--vocab-size", type=int, help="tokens, of all models")
    parser.add_argument("--encoders", default="", help="names or patterns, comma between")
    parser.add_argument("--runs", type=int, default=1, help="the table has the least of them")
    parser.add_argument(
        "--shortcut",
        action="store_true",
        help="instead: encoding with the vocabulary shortcut and without it, in both backends",
    )
    parser.add_argument("--timeout", type=float, default=1800, help="seconds for a measurement")
    parser.add_argument("--cpu", type=int, default=last_cpu())
    parser.add_argument("--output", type=Path, default=ROOT / "target" / "bench")
    return parser.parse_args()


def refuse_unknown(options: argparse.Namespace) -> None:
    """Say which corpus, model or encoder is not known."""
    for corpus in options.corpus.split(","):
        if not corpus.endswith(".jsonl") and corpus not in TRAINED_ON:
            raise SystemExit(f"no corpus is called {corpus!r}: see --help")
    for pattern in listed(options.models):
        if not any(fits(str(job), [pattern]) for job in vocabularies.MODELS):
            raise SystemExit(f"no model is called {pattern!r}: there are {MODELS}")
    unknown = measure.unknown(ADAPTERS, listed(options.encoders))
    if unknown:
        names = ", ".join(adapter.name for adapter in ADAPTERS)
        raise SystemExit(f"no encoder is called {unknown[0]!r}: there are {names}")


def listed(text: str) -> list[str]:
    """The names in an option."""
    return text.split(",") if text else []


def lines(options: argparse.Namespace, corpus_name: str, log: TextIO) -> Iterator[str]:
    """Measure with one corpus; the lines of its tables."""
    corpus, folder = corpora.prepare(corpus_name, TRAINED_ON.get(corpus_name, 0))
    text = measure.Text(corpus, folder, options.size, options.few)
    rows: list[dict[str, Any]] = []
    gains: list[str] = []
    for job, usual in vocabularies.MODELS.items():
        if not fits(str(job), listed(options.models)):
            continue
        vocabulary = vocabularies.prepare(job, options.vocab_size or usual, corpus, folder)
        if options.shortcut:
            print(f"measuring the shortcut, {job}", file=sys.stderr)
            found = shortcut.measure(vocabulary, text, options.cpu, options.runs, options.timeout)
            for row in found:
                print(json.dumps({**row, "digests": None}), file=log, flush=True)
            gains += shortcut.table(vocabulary, found)
            continue
        rows += beside(options, vocabulary, text, log)
    pinned = "not pinned" if options.cpu is None else "pinned to one CPU"
    header = (
        f"Vocabularies are trained on all of it. One thread, {pinned}; figures are the best of"
        f" {options.runs} run(s), passes in MB per CPU second; superword at {commit()};"
        f" Python {sys.version.split()[0]}."
    )
    yield from about(corpus, header)
    yield from gains
    yield from table.markdown(rows)


def beside(
    options: argparse.Namespace, vocabulary: Vocabulary, text: measure.Text, log: TextIO
) -> Iterator[dict[str, Any]]:
    """Every encoder wanted with one vocabulary."""
    planned = list(measure.plan(ADAPTERS, listed(options.encoders), vocabulary.algorithm, text))
    if not planned:
        return
    most = max(megabytes for _, megabytes in planned)
    asked = measure.order("truth", vocabulary, text, most, options.cpu, encoder=OURS[backend()])
    answered = ask("compare.encode.worker", asked, options.timeout)
    if "reason" in answered:
        raise SystemExit(f"superword's own ids: {answered['reason']}")
    for adapter, megabytes in planned:
        name = f"{vocabulary.algorithm}/{vocabulary.pattern}"
        print(f"measuring {adapter.name} {name} {megabytes:g} MB", file=sys.stderr)
        runs = []
        for _ in range(options.runs):
            asked = measure.order("measure", vocabulary, text, megabytes, options.cpu)
            row = measure.run(adapter, asked, answered["truth"], options.timeout)
            print(json.dumps({**row, "corpus": text.corpus.name}), file=log, flush=True)
            runs.append(row)
        yield measure.best(runs)


def main() -> None:
    """Measure, print the tables, write tables and JSON lines."""
    options = arguments()
    refuse_unknown(options)
    options.output.mkdir(parents=True, exist_ok=True)
    stem = options.output / ("shortcut" if options.shortcut else "encode")
    parts = []
    with stem.with_suffix(".jsonl").open("w", encoding="utf-8") as log:
        for corpus in options.corpus.split(","):
            parts.append("\n".join(lines(options, corpus, log)) + "\n")
    text = "\n".join(parts)
    stem.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text, end="")


if __name__ == "__main__":
    main()
