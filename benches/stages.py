"""CPU seconds of each stage in both backends, on text of this repository: `make bench`.

Each figure is the least of several runs in one process with one thread; the last column is how many
times longer the reference takes. Use them as ratios: machines differ, and so do minutes.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from superword.corpus import find_files
from superword.settings import Settings, resolve_settings

ROOT = Path(__file__).resolve().parent.parent
BACKENDS = {"rust": "superword._core", "python": "superword.reference"}
SCHEME = "gpt4o-uniscript"
Result = TypeVar("Result")


def cpu(call: Callable[[], Result], runs: int) -> tuple[float, Result]:
    """The least CPU seconds of some runs, and the result."""
    best = float("inf")
    for _ in range(runs):
        start = time.process_time()
        result = call()
        best = min(best, time.process_time() - start)
    return best, result


def stages(
    module: ModuleType, files: list[Path], settings: Settings, runs: int
) -> Iterator[tuple[str, float]]:
    """Each stage in turn, fed with what the one before gave: (name, CPU seconds)."""
    sources = find_files(files, "text", False).sources
    seconds, texts = cpu(
        lambda: [text for source in sources for text in module.read_documents(source, [])], runs
    )
    yield "read documents", seconds
    seconds, _ = cpu(lambda: [module.pretokenize(text, SCHEME) for text in texts], runs)
    yield "pretokenize", seconds
    seconds, counts = cpu(lambda: module.count_files(sources, SCHEME, (), True, 1), runs)
    yield "read and count", seconds
    pretokens, found = counts.pretoken_counts(), counts.run_counts()
    seconds, (ops, _) = cpu(lambda: module.train_merges(pretokens, settings), runs)
    yield "phase 1", seconds
    seconds, single = cpu(lambda: module.single_token_pretokens(ops, pretokens, settings), runs)
    yield "single-token pretokens", seconds
    seconds, candidates = cpu(lambda: module.split_runs(found, single), runs)
    yield "candidates", seconds
    seconds, _ = cpu(lambda: module.train_superwords(ops, candidates, settings), runs)
    yield "phase 2", seconds
    seconds, (artifact, *_) = cpu(lambda: module.train_counts(counts, settings), runs)
    yield "counts to artifact, all of it", seconds
    seconds, model = cpu(lambda: module.model_from_bytes(artifact), runs)
    yield "read the artifact", seconds
    seconds, encoder = cpu(lambda: module.Encoder(model), runs)
    yield "prepare the encoder", seconds
    seconds, ids = cpu(lambda: [encoder.encode(text, None) for text in texts], runs)
    yield "encode", seconds
    plain = module.Encoder(model, shortcut=False)
    seconds, _ = cpu(lambda: [plain.encode(text, None) for text in texts], runs)
    yield "encode without the shortcut", seconds
    seconds, _ = cpu(lambda: [encoder.decode_bytes(item) for item in ids], runs)
    yield "decode", seconds


def main() -> None:
    """Measure and print one Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="default: examples/corpus/*.jsonl")
    parser.add_argument("--vocab-size", type=int, default=8192)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    files = arguments.files or sorted((ROOT / "examples" / "corpus").glob("*.jsonl"))
    settings = resolve_settings(algorithm="boundless", vocab_size=arguments.vocab_size)
    columns = {}
    for name, module in BACKENDS.items():
        print(f"measuring {name}", file=sys.stderr)
        runs = list(stages(importlib.import_module(module), files, settings, arguments.runs))
        columns[name] = dict(runs)
    print(f"boundless, {arguments.vocab_size:,} tokens, {sum(f.stat().st_size for f in files):,}")
    print("bytes of files\n")
    print("| stage | Rust, CPU s | Python, CPU s | ratio |")
    print("|---|---:|---:|---:|")
    for stage, rust in columns["rust"].items():
        python = columns["python"][stage]
        print(f"| {stage} | {rust:.4f} | {python:.3f} | {python / max(rust, 1e-9):.0f} |")


if __name__ == "__main__":
    main()
