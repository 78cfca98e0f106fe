"""Document BPE: the full scan, optimized Python and Rust beside each other, as one table.

Every measurement is a process of its own, and the programs of one job take turns, so that a slow
stretch of the machine meets all of them; a row has the median. User CPU seconds are those of the
call alone. What Python allocates is traced in separate runs, since tracing is slow.

The texts are those of the shared corpus where there is one (SUPERWORD_SHARED, ../shared), else the
demo corpus. `--quick` is for trying it out: a tenth of everything. `--recipes` fits the seven
recipes of the tests whole, by the full scan, too, which takes minutes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from superword import Tokenizer, document_bpe
from superword.reference import full_scan

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("SUPERWORD_SHARED") or ROOT.parent / "shared")
FOLDER = SHARED / "corpus/document_bpe"
FIT, ENCODE, LARGE = "fit", "encode", "fit, large"
BYTES = {FIT: 82_257, ENCODE: 50_000, LARGE: 1_950_000}
SIZES = {FIT: 4096, ENCODE: 2048, LARGE: 32_768}
PROGRAMS = {
    FIT: ["counter", "full scan", "python", "rust"],
    ENCODE: ["full scan", "python", "rust"],
    LARGE: ["python", "rust"],
}
# Each: (name, the texts, what parts them into documents, vocabulary size)
RECIPES = [
    ("english", ["en_fit_82257.txt"], None, 4096),
    ("many languages", ["multi_fit_82257.txt"], None, 4096),
    ("english, small", ["en_fit_82257.txt"], None, 2048),
    ("many languages, small", ["multi_fit_82257.txt"], None, 2048),
    ("both, one document each", ["en_fit_82257.txt", "multi_fit_82257.txt"], None, 1024),
    ("paragraphs", ["en_fit_82257.txt"], "\n\n", 1024),
    ("words, most of them again and again", ["en_fit_82257.txt"], " ", 512),
]
# What is over in milliseconds is done so often in one process, and the median of these counts.
REPEATS = {"python": 3, "rust": 9}


def texts(job: str, quick: bool) -> tuple[str, str]:
    """The text to learn from and, for encoding, another one."""
    length = BYTES[job] // (10 if quick else 1)
    if FOLDER.is_dir():
        name = "en_fit_1950k.txt" if job == LARGE else "en_fit_82257.txt"
        learned, other = FOLDER / name, FOLDER / "eval/1_en_northanger_abbey.txt"
        return _start(learned.read_bytes(), length), _start(other.read_bytes(), length)
    whole = _demo("english")
    return _start(whole, length), _start(whole[-length:], length)


def recipe_documents(recipe: str, quick: bool) -> tuple[list[str], int]:
    """The documents of a recipe, and its vocabulary size."""
    (found,) = [found for found in RECIPES if found[0] == recipe]
    _, names, parted, size = found
    length, size = (8000 // len(names), 256 + (size - 256) // 10) if quick else (82_257, size)
    wholes = []
    for name in names:
        path, demo = FOLDER / name, "english" if name.startswith("en") else "multilingual"
        wholes.append(_start(path.read_bytes() if path.exists() else _demo(demo), length))
    return [part for whole in wholes for part in (whole.split(parted) if parted else [whole])], size


def _demo(name: str) -> bytes:
    lines = (ROOT / f"examples/corpus/{name}.jsonl").read_text("utf-8").splitlines()
    return "\n".join(json.loads(line)["text"] for line in lines).encode()


def _start(data: bytes, length: int) -> str:
    return data[:length].decode(errors="ignore")


def counter_form(text: str, vocab_size: int) -> list[tuple[tuple[int, int], int]]:
    """Fitting in fifteen lines, the yardstick of the full scan."""
    ids, merges = list(text.encode()), []
    for new in range(256, vocab_size):
        counts = Counter(pairwise(ids))
        if not counts:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        merges.append((pair, counts[pair]))
        out, place = [], 0
        while place < len(ids):
            if place + 1 < len(ids) and (ids[place], ids[place + 1]) == pair:
                out.append(new)
                place += 2
            else:
                out.append(ids[place])
                place += 1
        ids = out
    return merges


def call(job: str, program: Any, quick: bool) -> Callable[[], object]:
    """The call to measure; what it needs is made ready here. It returns something to compare."""
    if job not in BYTES:
        documents, size = recipe_documents(job, quick)
        if program == "full scan":
            return lambda: full_scan.fit(documents, size)
        return lambda: document_bpe.fit(documents, size, backend=program).to_bytes()
    learned, other = texts(job, quick)
    size = SIZES[job] if not quick else 256 + (SIZES[job] - 256) // 10
    if job == ENCODE:
        tokenizer = document_bpe.fit([learned], size, backend="rust")
        if program == "full scan":
            artifact = tokenizer.to_bytes()
            return lambda: full_scan.encode(artifact, other)
        tokenizer = Tokenizer.from_bytes(tokenizer.to_bytes(), backend=program)
        return lambda: tokenizer.encode(other)
    if program == "counter":
        return lambda: counter_form(learned, size)
    if program == "full scan":
        return lambda: full_scan.fit([learned], size)
    return lambda: document_bpe.fit([learned], size, backend=program).to_bytes()


def measure(job: str, program: str, quick: bool, traced: bool) -> dict[str, Any]:
    """One program once, or as often as `REPEATS` says: seconds, bytes, what came out."""
    run = call(job, program, quick)
    if traced:
        tracemalloc.start()
        run()
        return {"traced": tracemalloc.get_traced_memory()[1]}
    seconds = []
    for _ in range(1 if job == LARGE else REPEATS.get(program, 1)):
        start = resource.getrusage(resource.RUSAGE_SELF).ru_utime
        found = run()
        seconds.append(resource.getrusage(resource.RUSAGE_SELF).ru_utime - start)
    result = hashlib.sha256(repr(found).encode()).hexdigest()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"seconds": statistics.median(seconds), "peak": peak, "result": result}


def in_a_process(job: str, program: str, quick: bool, traced: bool = False) -> dict[str, Any]:
    """`measure` in a fresh process."""
    command = [sys.executable, __file__, "--measure", json.dumps([job, program, quick, traced])]
    found = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    measured: dict[str, Any] = json.loads(found.stdout)
    return measured


def rows(job: str, runs: int, quick: bool) -> list[str]:
    """The rows of one job, its programs in turns."""
    programs = PROGRAMS[job]
    seconds: dict[str, list[float]] = {program: [] for program in programs}
    results: dict[str, str] = {}
    peaks: dict[str, float] = dict.fromkeys(programs, 0)
    for _ in range(runs):
        for program in programs:
            found = in_a_process(job, program, quick)
            print(f"{job}: {program}: {found['seconds']:.4f} s", file=sys.stderr, flush=True)
            seconds[program].append(float(found["seconds"]))
            peaks[program] = max(peaks[program], float(found["peak"]) / 2**20)
            results[program] = str(found["result"])
    results.pop("counter", None)  # which makes no artifact
    if len(set(results.values())) != 1:
        raise SystemExit(f"{job}: the programs do not agree: {results}")
    traced = {}
    for program in programs if job != LARGE else []:
        if program not in ("counter", "rust"):
            traced[program] = float(in_a_process(job, program, quick, True)["traced"]) / 2**20
    medians = {program: statistics.median(values) for program, values in seconds.items()}
    first = medians["full scan" if job != LARGE else "python"]
    return [
        f"| {job} | {program} | {median:.4f} | {min(seconds[program]):.4f} to "
        f"{max(seconds[program]):.4f} | {first / median:.2f} | "
        + (f"{traced[program]:.2f}" if program in traced else "")
        + f" | {peaks[program]:.0f} |"
        for program, median in medians.items()
    ]


def recipe_rows(quick: bool) -> Iterator[str]:
    """A row for each recipe, fitted once by all three, which must agree to the byte."""
    for recipe, *_ in RECIPES:
        documents, size = recipe_documents(recipe, quick)
        found = {}
        for program in ("full scan", "python", "rust"):
            found[program] = in_a_process(recipe, program, quick)
            print(f"{recipe}: {program}: {found[program]['seconds']:.4f} s", file=sys.stderr)
        results = {str(measured["result"]) for measured in found.values()}
        if len(results) != 1:
            raise SystemExit(f"{recipe}: the programs do not agree: {found}")
        scan, python, rust = (float(measured["seconds"]) for measured in found.values())
        texts = sum(len(document.encode()) for document in documents)
        yield (
            f"| {recipe} | {len(documents):,} | {texts:,} | {size:,} | {scan:.2f} | {python:.3f} | "
            f"{rust:.4f} | {results.pop()[:12]} |"
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="of each program; default: 3")
    parser.add_argument("--jobs", nargs="*", choices=list(BYTES), default=list(BYTES))
    parser.add_argument("--recipes", action="store_true", help="the seven recipes instead, once")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(*json.loads(options.measure))))
        return
    if options.recipes:
        print("| recipe | documents | bytes | tokens | full scan s | Python s | Rust s | SHA-256 |")
        print("|---|---:|---:|---:|---:|---:|---:|---|")
        for row in recipe_rows(options.quick):
            print(row, flush=True)
        return
    head = "| job | program | user CPU s | from, to | ratio | traced MiB | process MiB |"
    lines = [head, "|---|---|---:|---:|---:|---:|---:|"]
    for job in options.jobs:
        lines += rows(job, options.runs, options.quick)
    print("\n".join(lines))
    for job in options.jobs:
        learned, other = texts(job, options.quick)
        text = (other if job == ENCODE else learned).encode()
        print(f"{job}: {len(text):,} bytes, SHA-256 {hashlib.sha256(text).hexdigest()}")


if __name__ == "__main__":
    main()
