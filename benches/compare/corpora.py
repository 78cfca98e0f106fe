"""The texts to train on: built once, kept outside the repository, the same in every run."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

from compare import packages

HELD_OUT_BYTES = 200_000
MEGABYTE = 1_000_000
# the files of the shared corpus folder that go into a kind of text, where the folder is present
SHARED = {"english": ("en.jsonl", "code.jsonl"), "multi": ("multi.jsonl", "lao_burmese.jsonl")}


@dataclass(frozen=True)
class Corpus:
    """A text and what it was made of. `sha256` is that of corpus.jsonl."""

    name: str
    bytes: int
    documents: int
    held_out_documents: int
    sha256: str
    sources: dict[str, int]
    missing: tuple[str, ...]


def cache_folder() -> Path:
    """Where corpora lie: SUPERWORD_BENCH_CACHE or the user's cache folder."""
    chosen = os.environ.get("SUPERWORD_BENCH_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "superword-bench"


def prepare(what: str, megabytes: int) -> tuple[Corpus, Path]:
    """A corpus and its folder: a kind of text cut to a size, or a .jsonl file whole."""
    cache = cache_folder()
    if what.endswith(".jsonl"):
        path = Path(what)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        name, limit = f"{path.stem}-{digest[:12]}", None
    else:
        name, limit = f"{what}-{megabytes}", megabytes * MEGABYTE
    folder = cache / name
    if not (folder / "about.json").is_file():
        print(f"building the corpus {name}", file=sys.stderr)
        missing: list[str] = []
        if limit is None:
            found: Iterable[tuple[str, str]] = ((path.name, text) for text in jsonl_texts(path))
        else:
            found = _collect(what, megabytes, cache / "packages", missing)
        build(name, found, limit, missing, folder)
    about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    return Corpus(**{**about, "missing": tuple(about["missing"])}), folder


def jsonl_texts(path: Path) -> Iterator[str]:
    """The documents of a .jsonl file."""
    with path.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            yield json.loads(line)["text"]


def _collect(
    kind: str, megabytes: int, downloads: Path, missing: list[str]
) -> Iterator[tuple[str, str]]:
    """(source, text) of every document that may go into a corpus of this size."""
    for least, names in packages.PACKAGES[kind]:
        if megabytes < least:
            break
        for name in names:
            package = packages.fetch(name, downloads)
            if package is None:
                missing.append(name)
                continue
            print(f"reading {name}", file=sys.stderr)
            for text in packages.documents(package):
                yield package.stem, text
    shared = os.environ.get("SUPERWORD_SHARED")
    for name in SHARED[kind]:
        path = Path(shared or "", "corpus", name)
        if shared and path.is_file():
            for text in jsonl_texts(path):
                yield f"shared {name}", text
        else:
            missing.append(f"shared {name}")


def build(
    name: str,
    found: Iterable[tuple[str, str]],
    limit: int | None,
    missing: list[str],
    folder: Path,
) -> None:
    """Write corpus.jsonl, corpus.txt, held_out.jsonl and about.json into a folder, all or nothing.

    Documents are ordered by the SHA-256 of their text, so the order rests on nothing else and each
    text occurs once. The first ones are held out; `limit` bytes of the others are the corpus. They
    pass through a file on the disk: a gigabyte need not fit into memory.
    """
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    places: dict[bytes, tuple[int, int, str]] = {}
    with (part / "spool").open("wb+") as spool:
        for source, text in found:
            data = text.encode("utf-8")
            digest = hashlib.sha256(data).digest()
            if digest not in places:
                places[digest] = (spool.tell(), len(data), source)
                spool.write(data)
        if len(places) < 2:
            raise SystemExit(f"{name}: no text could be had; give a .jsonl file with --corpus")
        total = sum(length for _, length, _ in places.values())
        held_out_bytes = min(HELD_OUT_BYTES, total // 20)
        order = iter(sorted(places))
        held_out_documents = taken = 0
        with (part / "held_out.jsonl").open("wb") as out:
            while taken < held_out_bytes or not held_out_documents:
                at, length, source = places[next(order)]
                out.write(_line(_piece(spool, at, length), source))
                held_out_documents += 1
                taken += length
        sources: Counter[str] = Counter()
        documents = size = 0
        whole = hashlib.sha256()
        with (part / "corpus.jsonl").open("wb") as jsonl, (part / "corpus.txt").open("wb") as plain:
            for digest in order:
                if limit is not None and size >= limit:
                    break
                at, length, source = places[digest]
                data = _piece(spool, at, length)
                line = _line(data, source)
                jsonl.write(line)
                whole.update(line)
                plain.write(data + b"\n")
                sources[source] += length
                size += length
                documents += 1
    (part / "spool").unlink()
    if limit is not None and size < limit:
        print(f"{name}: only {size:,} bytes could be had", file=sys.stderr)
    corpus = Corpus(
        name,
        size,
        documents,
        held_out_documents,
        whole.hexdigest(),
        dict(sorted(sources.items())),
        tuple(missing),
    )
    (part / "about.json").write_text(json.dumps(asdict(corpus), indent=1), encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    part.rename(folder)


def _piece(spool: BinaryIO, at: int, length: int) -> bytes:
    spool.seek(at)
    return spool.read(length)


def _line(data: bytes, source: str) -> bytes:
    record = {"text": data.decode("utf-8"), "source": source}
    return json.dumps(record, ensure_ascii=False).encode("utf-8") + b"\n"
