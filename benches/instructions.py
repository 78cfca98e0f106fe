"""Instructions of each stage of the compiled core, beside the recorded ones: `make instructions`.

Callgrind counts them: they hardly move with what else the machine does (hash seeds move them by up
to half a percent), so a stage that grows by more than 5 % fails. They do move with the compiler,
the C library and what the processor can do; the baseline names these, and only equal ones are
compared. `--update` records the baseline.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BASELINE = Path(__file__).with_suffix(".json")
# The program's function around the measured work; see rust/benches/instructions.rs.
MEASURED = "*instructions::measured*"
MOST_GROWTH = 0.05


class UnmeasurableError(Exception):
    """Something that counting needs is not there."""


def main() -> int:
    """Count, print the table; 1 if a stage grew or has no baseline, 2 if nothing can be counted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stages", nargs="*", help="names or patterns; default: all")
    parser.add_argument("--update", action="store_true", help="record what is counted now")
    parser.add_argument(
        "--if-comparable",
        action="store_true",
        help="count only where the baseline was made, and say so in one line elsewhere",
    )
    options = parser.parse_args()
    if options.update and options.stages:
        parser.error("--update records all stages")
    try:
        here = environment()
        recorded = {} if options.update else json.loads(BASELINE.read_text(encoding="utf-8"))
        apart = differences(recorded.get("environment", here), here)
        if apart and options.if_comparable:
            print(f"instruction counts NOT CHECKED, the baseline is of another place: {apart}")
            return 0
        found, sizes = count(options.stages)
    except (UnmeasurableError, OSError) as error:
        print(f"instruction counts NOT CHECKED: {error}")
        return 0 if options.if_comparable else 2
    if options.update:
        record = {"environment": here, "profile": profile(), "instructions": found}
        BASELINE.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        print(f"recorded {len(found)} stages in {BASELINE.relative_to(ROOT)}")
        return 0
    before = chosen(recorded["instructions"], options.stages)
    print(table(before, found, sizes))
    if recorded["profile"] != profile():
        print("\nthe release profile in Cargo.toml is not that of the baseline")
    if apart:
        print(f"\nnot judged, the baseline is of another place: {apart}")
        return 0
    wrong = complaints(before, found)
    print("\n" + "\n".join(wrong) if wrong else "\nno stage grew by more than 5 %")
    return 1 if wrong else 0


def environment() -> dict[str, str]:
    """What moves the counts beside our code."""
    rustc = _said("rustc", "-vV")
    host = re.search(r"^host: (.*)$", rustc, re.M)
    cpu = Path("/proc/cpuinfo")
    flags = set(cpu.read_text(encoding="utf-8").split()) if cpu.is_file() else set()
    return {
        "rustc": rustc.splitlines()[0],
        "target": host[1] if host else "unknown",
        "rustflags": os.environ.get("RUSTFLAGS", ""),
        "libc": " ".join(platform.libc_ver()),
        "valgrind": _said("valgrind", "--version").strip(),
        "vectors": next((name for name in ("avx2", "avx", "ssse3") if name in flags), "unknown"),
    }


def profile() -> dict[str, Any]:
    """The settings of the optimized build."""
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    return dict(manifest["profile"]["release"])


def differences(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """In what two environments differ, in words; empty if in nothing."""
    names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    return "; ".join(f"{name} {before.get(name)!r}, here {now.get(name)!r}" for name in names)


def chosen(stages: Iterable[str] | Mapping[str, int], patterns: list[str]) -> Any:
    """Those of some stages that a pattern wants, in the same kind of container."""
    wanted = [
        name
        for name in stages
        if not patterns or any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
    ]
    return {name: stages[name] for name in wanted} if isinstance(stages, Mapping) else wanted


def table(before: Mapping[str, int], now: Mapping[str, int], sizes: Mapping[str, int]) -> str:
    """A Markdown table of all stages; `sizes` are the bytes of text that each is about."""
    lines = ["| stage | baseline | now | change | now, per byte |", "|---|---:|---:|---:|---:|"]
    for name in {**before, **now}:
        old, new = before.get(name), now.get(name)
        change = f"{new / old - 1:+.1%}" if old and new else ""
        cells = ("" if number is None else f"{number:,}" for number in (old, new))
        per_byte = f"{new / sizes[name]:.1f}" if new else ""
        lines.append(f"| {name} | {' | '.join(cells)} | {change} | {per_byte} |")
    return "\n".join(lines)


def complaints(before: Mapping[str, int], now: Mapping[str, int]) -> list[str]:
    """What is wrong with the counts, one line each."""
    out = []
    for name in {**before, **now}:
        if name not in before or name not in now:
            where = "in the program" if name in before else "in the baseline"
            out.append(f"{name}: not {where}; record the baseline: make instructions ARGS=--update")
        elif now[name] > before[name] * (1 + MOST_GROWTH):
            growth = now[name] / before[name] - 1
            out.append(
                f"{name}: {growth:.1%} more instructions; mend it, or record the baseline in the "
                "commit that gives the reason: make instructions ARGS=--update"
            )
    return out


def count(patterns: list[str]) -> tuple[dict[str, int], dict[str, int]]:
    """The instructions of each wanted stage, and the bytes of text that it is about."""
    program = build()
    stages = chosen(_said(str(program)).split(), patterns)
    with (
        TemporaryDirectory() as folder,
        ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool,
    ):
        files = [Path(folder, str(number)) for number in range(len(stages))]
        counted = pool.map(count_stage, repeat(program), stages, files)
        counts = dict(zip(stages, counted, strict=True))
    return {name: counts[name][0] for name in stages}, {name: counts[name][1] for name in stages}


def build() -> Path:
    """The program that runs one stage, built as the extension is."""
    command = ["cargo", "bench", "--no-run", "--locked", "-p", "superword"]
    command += ["--bench", "instructions", "--message-format=json-render-diagnostics"]
    built = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=False)
    if built.returncode:
        raise SystemExit("the program that runs the stages does not compile")
    messages = [json.loads(line) for line in built.stdout.splitlines()]
    (program,) = [message["executable"] for message in messages if message.get("executable")]
    return Path(program)


def count_stage(program: Path, stage: str, file: Path) -> tuple[int, int]:
    """The instructions of one stage, what it needs from others left out, and its bytes of text."""
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={file}"]
    command += [f"--toggle-collect={MEASURED}", str(program), stage]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"{stage}: {done.stderr.decode(errors='replace')}")
    return instructions(file.read_text(encoding="utf-8")), int(done.stdout)


def instructions(profile: str) -> int:
    """The sum in what callgrind wrote."""
    sums = re.findall(r"^totals: (\d+)$", profile, re.M)
    if len(sums) != 1 or int(sums[0]) == 0:
        raise SystemExit(f"callgrind did not find the function {MEASURED}: nothing was counted")
    return int(sums[0])


def _said(*command: str) -> str:
    if not shutil.which(command[0]):
        raise UnmeasurableError(f"{command[0]} is not installed")
    return subprocess.run(command, check=True, capture_output=True).stdout.decode()


if __name__ == "__main__":
    sys.exit(main())
