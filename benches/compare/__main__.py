"""superword beside other trainers, one thread each: `make bench-compare`.

Every measurement is a process of its own, pinned to one CPU, that trains once and then shows that
the job was done: the vocabulary has the size asked for, and text held out comes back from its ids.
The table goes to standard output, table and JSON lines (one for each run) to the output folder.
User CPU is that of the training call; peak memory is that of the process, with the Python
interpreter and the text where it is preloaded.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from compare import corpora, measure, programs, table
from compare.adapters import ADAPTERS

ROOT = Path(__file__).resolve().parents[2]


def last_cpu() -> int | None:
    """The last CPU this process may use; None where a process cannot be pinned."""
    return max(os.sched_getaffinity(0)) if hasattr(os, "sched_setaffinity") else None


def commit() -> str:
    """What superword was built from, as far as git knows."""
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.decode().strip()


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="compare", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--corpus",
        default="english",
        help=f"{', '.join(corpora.SHARED)}, or a .jsonl file with a text in each line",
    )
    parser.add_argument("--size", type=int, default=10, help="MB of text: 10, 100, 1000")
    parser.add_argument("--vocab-size", type=int, default=32768)
    parser.add_argument("--trainers", default="", help="names or patterns, comma between")
    parser.add_argument("--jobs", default="", help="such as bpe/gpt2 or boundless/*")
    parser.add_argument("--runs", type=int, default=1, help="the table has the least of them")
    parser.add_argument("--timeout", type=float, default=1800, help="seconds for a measurement")
    parser.add_argument("--cpu", type=int, default=last_cpu())
    parser.add_argument("--output", type=Path, default=ROOT / "target" / "bench")
    return parser.parse_args()


def main() -> None:
    """Measure, print the table, write table and JSON lines."""
    options = arguments()
    if not options.corpus.endswith(".jsonl") and options.corpus not in corpora.SHARED:
        raise SystemExit(f"no corpus is called {options.corpus!r}: see --help")
    corpus, folder = corpora.prepare(options.corpus, options.size)
    peers = programs.find(os.environ.get("SUPERWORD_PEERS"))
    trainers, jobs = (text.split(",") if text else [] for text in (options.trainers, options.jobs))
    options.output.mkdir(parents=True, exist_ok=True)
    stem = options.output / f"compare-{corpus.name}-{options.vocab_size}"
    rows = []
    with stem.with_suffix(".jsonl").open("w", encoding="utf-8") as lines:
        for request in measure.plan(ADAPTERS, peers, trainers, jobs):
            job = f"{request['algorithm']}/{request['pattern']}".strip("/")
            print(f"measuring {request['trainer']} {job} {request['input']}", file=sys.stderr)
            runs = []
            for _ in range(options.runs):
                run = measure.run(
                    request, corpus, folder, options.vocab_size, options.cpu, options.timeout
                )
                print(json.dumps(run, ensure_ascii=False), file=lines, flush=True)
                runs.append(run)
            rows.append(table.best(runs))
    if not rows:
        raise SystemExit("no trainer and job fit --trainers and --jobs")
    pinned = "not pinned" if options.cpu is None else "pinned to one CPU"
    header = (
        f"One thread, {pinned}; the least user CPU of {options.runs} run(s); "
        f"superword at {commit()}; Python {sys.version.split()[0]}."
    )
    text = table.markdown(rows, corpus, header)
    stem.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text, end="")


if __name__ == "__main__":
    main()
