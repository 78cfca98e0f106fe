"""One measurement, in a process of its own: `python -m compare.worker REQUEST.json RESULT.json`.

The result goes to a file: trainers print what they like.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from compare import programs
from compare.corpora import jsonl_texts
from compare.jobs import Adapter, Job, Source, Trained

CHUNK = 1 << 20


def peak_bytes() -> int:
    """The most memory this process has held.

    Linux starts ru_maxrss of a process with the peak of the one that started it, so its own record
    comes first; elsewhere ru_maxrss is all there is.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        for line in status.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def measure(adapter: Adapter, job: Job, source: Source, vocab_size: int) -> dict[str, Any]:
    """Train once, with the clocks around nothing else, then check the result."""
    gc.collect()
    before_bytes = peak_bytes()
    wall = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_SELF)
    trained = adapter.train(job, source, vocab_size)
    after = resource.getrusage(resource.RUSAGE_SELF)
    wall = time.perf_counter() - wall
    return {
        "user_seconds": after.ru_utime - before.ru_utime,
        "system_seconds": after.ru_stime - before.ru_stime,
        "wall_seconds": wall,
        "peak_bytes": peak_bytes(),
        "before_bytes": before_bytes,
        "vocab_size": trained.vocab_size(),
        **_check(trained, source),
    }


def _check(trained: Trained, source: Source) -> dict[str, Any]:
    """Whether the texts held out come back; those that the tokens cannot spell are counted."""
    not_tried = number = 0
    for number, text in enumerate(jsonl_texts(source.path.with_name("held_out.jsonl")), 1):
        if not trained.has(text.encode("utf-8")):
            not_tried += 1
        elif trained.round_trip(text) != text:
            return {"reason": f"held-out document {number} did not come back"}
    if not_tried == number:
        return {"reason": "every held-out document has a byte that the vocabulary lacks"}
    return {"round_trips": number - not_tried, "not_tried": not_tried}


def load(folder: Path, wanted: str) -> Source:
    """The training text in the form wanted; a file is read once, into the page cache."""
    if wanted == "documents":
        path = folder / "corpus.jsonl"
        return Source(list(jsonl_texts(path)), path)
    path = folder / ("corpus.txt" if wanted == "text" else "corpus.jsonl")
    with path.open("rb") as file:
        while file.read(CHUNK):
            pass
    return Source([], path)


def work(request: dict[str, Any]) -> dict[str, Any]:
    """The measurement asked for, or the reason why there is none."""
    folder, vocab_size = Path(request["folder"]), int(request["vocab_size"])
    if request["input"] == "program":
        result = programs.run(
            Path(request["program"]), folder / "corpus.jsonl", folder / "held_out.jsonl", vocab_size
        )
    else:
        from compare.adapters import ADAPTERS

        adapter = next(item for item in ADAPTERS if item.name == request["trainer"])
        try:
            importlib.import_module(adapter.package)
        except ImportError as error:
            return {"reason": f"not installed: {error}"}
        job = Job(request["algorithm"], request["pattern"])
        version = adapter.version()
        result = measure(adapter, job, load(folder, request["input"]), vocab_size)
        result["version"] = version
    if "reason" not in result and result["vocab_size"] != vocab_size:
        result["reason"] = f"reached {result['vocab_size']:,} tokens of {vocab_size:,}"
    return result


def answer(work: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Pin this process before it loads anything of a peer, do the work, write the result.

    The command line names the file of the request and that of the result.
    """
    request = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    if request["cpu"] is not None:
        os.sched_setaffinity(0, {request["cpu"]})
    try:
        result = work(request)
    except BaseException as error:  # a panic of a peer is no Exception
        result = {"reason": f"{type(error).__name__}: {error}"}
    Path(sys.argv[2]).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    answer(work)
