"""One measurement of encoding in its own process: `python -m compare.encode.worker REQUEST RESULT`.

Clocks are the CPU seconds of this process, user and system, of all its threads.
"""

from __future__ import annotations

import gc
import importlib
import statistics
import time
from array import array
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from compare.corpora import MEGABYTE, jsonl_texts
from compare.encode.interface import Adapter, Loaded, Vocabulary
from compare.worker import answer, peak_bytes

# Characters of a document for the single call, and how many come before those that count
PIECE = 2000
WARM = 10
Result = TypeVar("Result")


def cut(folder: Path, megabytes: float) -> list[str]:
    """The first documents of a corpus, until they have so many MB."""
    texts, size = [], 0
    for text in jsonl_texts(folder / "corpus.jsonl"):
        if size >= megabytes * MEGABYTE:
            break
        texts.append(text)
        size += len(text.encode("utf-8"))
    return texts


def pieces(folder: Path) -> list[str]:
    """Documents of 2,000 characters out of the texts held out, which no encoder has seen."""
    text = "\n".join(jsonl_texts(folder / "held_out.jsonl"))
    whole = [text[at : at + PIECE] for at in range(0, len(text) - PIECE + 1, PIECE)]
    return whole or [text]


def digest(ids: Iterable[Sequence[int]]) -> list[str]:
    """A few bytes of hash for the ids of each text."""
    return [blake2b(array("I", item).tobytes(), digest_size=8).hexdigest() for item in ids]


def clocked(call: Callable[[], Result]) -> tuple[float, Result]:
    """The CPU seconds of a call and what it gives."""
    gc.collect()
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def single(loaded: Loaded, documents: list[str]) -> tuple[float, list[list[int]]]:
    """The median CPU seconds of one document, each encoded once, and the ids of all."""
    for text in documents[:WARM]:
        loaded.ids(text)
    times, ids = [], []
    for text in documents[WARM:] or documents:
        start = time.process_time_ns()
        found = loaded.ids(text)
        times.append(time.process_time_ns() - start)
        ids.append(found)
    return statistics.median(times) / 1e9, ids


def measure(
    adapter: Adapter, vocabulary: Vocabulary, texts: list[str], documents: list[str]
) -> dict[str, Any]:
    """Load, encode all texts twice, then single documents; digests of all ids."""
    with TemporaryDirectory() as folder:
        scratch = Path(folder)
        adapter.prepare(vocabulary, scratch)
        load_seconds, loaded = clocked(lambda: adapter.load(vocabulary, scratch))
        first_seconds, result = clocked(lambda: loaded.encode(texts))
        first = digest(loaded.lists(result))
        del result
        second_seconds, result = clocked(lambda: loaded.encode(texts))
        peak = peak_bytes()
        second = digest(loaded.lists(result))
        del result
        single_seconds, ids = single(loaded, documents)
        answered: dict[str, Any] = {
            "version": adapter.version(),
            "load_seconds": load_seconds,
            "first_seconds": first_seconds,
            "second_seconds": second_seconds,
            "single_seconds": single_seconds,
            "peak_bytes": peak,
            "digests": {"first": first, "second": second, "single": digest(ids)},
        }
        if loaded.truth is not None:
            answered["truth"] = truth(loaded.truth, texts, documents)
    return answered


def truth(
    encode: Callable[[str], list[int]], texts: list[str], documents: list[str]
) -> dict[str, list[str]]:
    """The digests that `measure` should give, one text at a time."""
    whole = digest(map(encode, texts))
    return {
        **{"first": whole, "second": whole},
        "single": digest(map(encode, documents[WARM:] or documents)),
    }


def shortcut(request: dict[str, Any], vocabulary: Vocabulary, texts: list[str]) -> dict[str, Any]:
    """The CPU seconds of a backend's encoder with the vocabulary shortcut or without it."""
    module = importlib.import_module(request["package"])
    model = module.model_from_bytes(vocabulary.model.read_bytes())
    encoder = module.Encoder(model, shortcut=request["shortcut"])
    encoder.encode("a", None)  # the first call compiles patterns
    seconds, ids = clocked(lambda: [encoder.encode(text, None) for text in texts])
    return {"seconds": seconds, "digests": digest(ids)}


def work(request: dict[str, Any]) -> dict[str, Any]:
    """The measurement asked for, or the reason why there is none."""
    from compare.encode.adapters import ADAPTERS

    known = {**request["vocabulary"], "folder": Path(request["vocabulary"]["folder"])}
    vocabulary = Vocabulary(**{**known, "text": Path(known["text"])})
    folder = Path(request["folder"])
    texts = cut(folder, request["megabytes"])
    size = {"bytes": sum(len(text.encode("utf-8")) for text in texts), "documents": len(texts)}
    if request["kind"] == "shortcut":
        return {**size, **shortcut(request, vocabulary, texts)}
    adapter = next(item for item in ADAPTERS if item.name == request["encoder"])
    try:
        for package in adapter.packages:
            importlib.import_module(package)
    except ImportError as error:
        return {"reason": f"not installed: {error}"}
    if request["kind"] == "truth":
        loaded = adapter.load(vocabulary, folder)
        return {**size, "truth": truth(loaded.ids, texts, pieces(folder))}
    return {**size, **measure(adapter, vocabulary, texts, pieces(folder))}


if __name__ == "__main__":
    answer(work)
