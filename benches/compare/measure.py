"""Which measurements there are, and one of them: a fresh process, one thread, one CPU."""

from __future__ import annotations

import fnmatch
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from compare.corpora import MEGABYTE, Corpus
from compare.jobs import Adapter

ONE_THREAD = {
    "RAYON_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "SUPERWORD_THREADS": "1",
}
# what a row has if its measurement gave nothing
EMPTY = {"version": "", "clock": "training alone"}


def plan(
    adapters: Iterable[Adapter],
    peers: Iterable[Path],
    trainers: Sequence[str],
    jobs: Sequence[str],
) -> Iterator[dict[str, Any]]:
    """The measurements wanted, as requests; `trainers` and `jobs` are patterns of names.

    What a program does is not known before it has run, so `jobs` does not choose among programs.
    """
    for adapter in adapters:
        wanted = adapter.name in trainers if adapter.by_request else fits(adapter.name, trainers)
        for job in adapter.jobs:
            if wanted and fits(str(job), jobs):
                for kind in adapter.inputs:
                    yield {
                        "trainer": adapter.name,
                        "algorithm": job.algorithm,
                        "pattern": job.pattern,
                        "input": kind,
                    }
    for path in peers:
        if fits(path.name, trainers):
            yield {
                "trainer": path.name,
                "algorithm": "",
                "pattern": "",
                "input": "program",
                "program": str(path.resolve()),
            }


def fits(name: str, patterns: Sequence[str]) -> bool:
    """Whether a name is wanted; all are where there are no patterns."""
    return not patterns or any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def run(
    request: dict[str, Any],
    corpus: Corpus,
    folder: Path,
    vocab_size: int,
    cpu: int | None,
    timeout: float,
) -> dict[str, Any]:
    """One row: the request, the corpus, and either figures or the reason why there are none."""
    order = {**request, "folder": str(folder), "vocab_size": vocab_size, "cpu": cpu}
    result = ask("compare.worker", order, timeout)
    row = {**EMPTY, **request, "wanted_vocab_size": vocab_size, "cpu": cpu}
    row.pop("program", None)
    named = result.pop("name", None)
    row.update(result, corpus=corpus.name, corpus_sha256=corpus.sha256, bytes=corpus.bytes)
    if named:
        row["trainer"] = named
    row["ok"] = "reason" not in row
    if row["ok"]:
        # A clock that did not tick says nothing about speed.
        seconds = row["user_seconds"]
        row["mb_per_second"] = corpus.bytes / MEGABYTE / seconds if seconds else None
    return row


def ask(worker: str, order: dict[str, Any], timeout: float) -> dict[str, Any]:
    """What a module run in a process of its own answers to an order, or the reason why it did not.

    The order is a file; the answer, too, since trainers and encoders print what they like.
    """
    with TemporaryDirectory() as scratch:
        asked, answer = Path(scratch, "request.json"), Path(scratch, "result.json")
        asked.write_text(json.dumps(order), encoding="utf-8")
        process = subprocess.Popen(
            [sys.executable, "-m", worker, str(asked), str(answer)],
            env={**os.environ, **ONE_THREAD},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            _, errors = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return {"reason": f"longer than {timeout:.0f} s"}
        if answer.is_file():
            result: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
            return result
        last = errors.decode(errors="replace").strip().splitlines()[-1:]
        return {"reason": f"ended with status {process.returncode}: {' '.join(last)}"}
