"""Document BPE: the full scan, optimized Python and Rust beside each other, as one table.

Every measurement is a process of its own, and the programs of one job take turns, so that a slow
stretch of the machine meets all of them; a row has the median. User CPU seconds are those of the
call alone. What Python allocates is traced in separate runs, since tracing is slow.

The texts are those of the shared corpus where there is one (SUPERWORD_SHARED, ../shared), else the
demo corpus. `--quick` is for trying it out: a tenth of everything.
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
from collections.abc import Callable
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
# What is over in milliseconds is done so often in one process, and the median of these counts.
REPEATS = {"python": 3, "rust": 9}


def texts(job: str, quick: bool) -> tuple[str, str]:
    """The text to learn from and, for encoding, another one."""
    length = BYTES[job] // (10 if quick else 1)
    if FOLDER.is_dir():
        name = "en_fit_1950k.txt" if job == LARGE else "en_fit_82257.txt"
        learned, other = FOLDER / name, FOLDER / "eval/1_en_northanger_abbey.txt"
        return _start(learned.read_bytes(), length), _start(other.read_bytes(), length)
    lines = (ROOT / "examples/corpus/english.jsonl").read_text("utf-8").splitlines()
    whole = "\n".join(json.loads(line)["text"] for line in lines).encode()
    return _start(whole, length), _start(whole[-length:], length)


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


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="of each program; default: 3")
    parser.add_argument("--jobs", nargs="*", choices=list(BYTES), default=list(BYTES))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(*json.loads(options.measure))))
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
