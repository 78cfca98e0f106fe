"""Training has no cliff, nor has encoding: what is hard in some way costs about as much as its
length.

A text of 16 kB and one of 64 times as much are trained on in a process of their own, to a token for
every 4 bytes. A linear step takes 64 times as long and a quadratic one 4,096 times; the bound lies
between at 512, and nothing counts as less than 4 ms. So neither the machine nor its load decides.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cliffs import CASES

ROOT = Path(__file__).resolve().parents[2]
SMALL, TIMES = 16_000, 64
SLOWER = 8  # for each byte
LEAST_SECONDS = 0.004
MOST_BYTES = 250  # of memory, for a byte of text; a quarter of a token is a part of it
SCRIPT = """
import json, pathlib, sys
from cliffs import CASES, measure
name, job, folder, *sizes = sys.argv[1:]
(case,) = [case for case in CASES if case.name == name]
for size in map(int, sizes):
    request = {
        "path": str(case.write(size, pathlib.Path(folder))), "algorithm": job,
        "vocab_size": 256 + size // 4, "scheme": case.scheme, "memory_limit": 4 << 30,
    }
    print(json.dumps(measure(request)))
"""


def algorithms(case):
    """Where a text is cut, phase 1 is a part of boundless."""
    return ["bpe"] if case.scheme == "none" else ["boundless"]


JOBS = [(case, job) for case in CASES for job in case.jobs(algorithms(case))]


@pytest.mark.rust
@pytest.mark.parametrize(("case", "job"), JOBS, ids=[f"{case.name}, {job}" for case, job in JOBS])
def test_growth_is_linear(case, job, tmp_path, both_backends):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, case.name, job, tmp_path, str(SMALL), str(SMALL * TIMES)],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT / "python"), str(ROOT / "benches")]),
        },
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    small, large = map(json.loads, done.stdout.splitlines())
    most = SLOWER * TIMES * max(small["seconds"], LEAST_SECONDS)
    assert large["seconds"] < most, (small, large)
    assert large["bytes"] < MOST_BYTES * SMALL * TIMES, (small, large)
