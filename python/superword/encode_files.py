"""`Tokenizer.encode_file`: documents of files to one file of ids, in bounded memory."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import ExitStack, closing
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

import superword
from superword._backend import name_of
from superword.ahead import ahead
from superword.corpus import Source, find_files
from superword.errors import EncodingError, InputError, SuperwordError
from superword.files import reason
from superword.ids_output import IdsOutput
from superword.partial import Position, working_folder
from superword.report import warn
from superword.token_arrays import Flat
from superword.values import printable

if TYPE_CHECKING:
    from superword._backend import Encoder
    from superword.progress import StageClock

# How much text is encoded at once: enough for all threads, and in the reference little enough that
# progress comes every second. A document counts as some more characters than it has, so that a
# batch is never many empty ones.
BATCH_CHARACTERS = {"rust": 1 << 24, "python": 1 << 20}
_DOCUMENT_CHARACTERS = 64


class EncodedFile(NamedTuple):
    """What `encode_file` has written."""

    paths: tuple[str, ...]  # the file of ids first; for .npy then offsets, and what is known
    dtype: str  # "uint16" or "uint32"
    documents: int
    tokens: int
    bytes: int  # of the documents, in UTF-8
    resumed: int  # documents that an earlier call had done
    seconds: float  # of this call
    notices: tuple[str, ...]  # what a user should know

    def __str__(self) -> str:
        lines = [f"notice  {notice}" for notice in self.notices]
        if self.resumed:
            lines.append(f"resumed {self.resumed:,} documents were done already")
        lines.append(
            f"ids     {self.tokens:,} of {self.documents:,} documents with {self.bytes:,} bytes, "
            f"{self.dtype}, in {self.seconds:.1f} s"
        )
        return "\n".join([*lines, *(f"file    {printable(path)}" for path in self.paths)])


class Job(NamedTuple):
    """One tokenizer, and how it is used."""

    backend: ModuleType
    encoder: Encoder
    model: bytes  # the model file
    ids: int  # how many the model has, special tokens too
    allowed: list[int] | None
    threads: int
    clock: StageClock
    output: IdsOutput


class Batch(NamedTuple):
    """Some documents, and where those behind them stand."""

    texts: list[str]
    parts: list[tuple[int, int, int]]  # the first text of a file, the file, its number there
    source: int
    within: int
    read: int  # bytes of the files read so far
    notices: tuple[str, ...]


Batches = Generator[Batch, None, None]


def encode_files(job: Job, files: object, field: object, lines: object) -> EncodedFile:
    """Encode the documents of files; `files`, `field` and `lines` as `train` has them."""
    found = find_files(files, field, lines, job.output.own)
    job.output.check_inputs(found.sources)
    statuses = [_status(path) for path, *_ in found.sources]
    sizes = [size for size, _ in statuses]
    same: dict[str, object] = {
        "another model": _fingerprint(job),
        "another version of superword": superword.__version__,
        "another dtype": job.output.kind,
        "other special tokens allowed": job.allowed,
        "other files": [
            [os.path.abspath(source[0]), *source[1:], *status]
            for source, status in zip(found.sources, statuses, strict=True)
        ],
    }

    def place(source: int, within: int) -> str:
        documents = job.backend.read_documents(found.sources[source], [])
        for _ in range(within + 1):
            next(documents)
        return str(documents.place)

    def batches(start: Position) -> Batches:
        return ahead(_file_batches(job.backend, found.sources, sizes, start))

    return _encode(job, same, batches, place, sum(sizes), found.notices)


def encode_texts(job: Job, texts: Iterable[str], place: Callable[[int], str]) -> EncodedFile:
    """Encode texts that come only once, as those of standard input; `place` names one of them."""

    def batches(start: Position) -> Batches:
        return _text_batches(texts, BATCH_CHARACTERS[name_of(job.backend)])

    return _encode(job, None, batches, lambda _, number: place(number), 0, [])


def _encode(
    job: Job,
    same: dict[str, object] | None,
    batches: Callable[[Position], Batches],
    place: Callable[[int, int], str],
    total: int,
    notices: Sequence[str],
) -> EncodedFile:
    began = time.monotonic()
    clock, output = job.clock, job.output
    warn(notices)
    try:
        with working_folder(output.path, same, output.kind) as partial, ExitStack() as waiting:
            warn(partial.notices)
            start = partial.position
            clock("encode", 0, total)
            for batch in waiting.enter_context(closing(batches(start))):
                flat = _encode_batch(job, batch, place, output.most_ids)
                known = partial.position
                fresh = [notice for notice in batch.notices if notice not in known.notices]
                warn(fresh)
                position = Position(
                    batch.source,
                    batch.within,
                    known.documents + len(batch.texts),
                    known.tokens + len(flat[0]) // 4,
                    known.bytes + sum(map(_utf8_length, batch.texts)),
                    notices=(*known.notices, *fresh),
                )
                partial.append(flat, position)
                clock("encode", batch.read, total)
            known = partial.position
            clock("write", 0, known.documents)
            output.write(
                partial,
                _fingerprint(job),
                job.ids,
                lambda done: clock("write", done, known.documents),
            )
            told = (*notices, *partial.notices, *known.notices)
            seconds = time.monotonic() - began
            return EncodedFile(
                output.paths, output.kind, *known[2:5], start.documents, seconds, told
            )
    finally:
        clock.close()


def _encode_batch(
    job: Job, batch: Batch, place: Callable[[int, int], str], most: int | None
) -> Flat:
    try:
        flat = job.encoder.encode_flat(batch.texts, job.allowed, job.threads)
        if most is not None and len(flat[0]) // 4 > most:
            ends = memoryview(flat[1]).cast("Q")
            for number in range(len(batch.texts)):
                if ends[number + 1] - ends[number] > most:
                    ours = EncodingError(
                        f"has more than {most} ids, the most of a row of Parquet; write .npy"
                    )
                    ours.index, ours.detail = number, str(ours)
                    raise ours
    except SuperwordError as error:
        if error.index is None:
            raise
        first, source, number = [part for part in batch.parts if part[0] <= error.index][-1]
        where = place(source, number + error.index - first)
        detail = str(error.detail).replace("use encode_ordinary", "give None there")
        raise type(error)(f"{where}: {detail}") from None
    return flat


def _file_batches(
    backend: ModuleType, sources: Sequence[Source], sizes: Sequence[int], start: Position
) -> Batches:
    """The documents of files from a place on; those before an error come before it."""
    texts: list[str] = []
    parts: list[tuple[int, int, int]] = []
    notices: list[str] = []
    size = 0
    failure: SuperwordError | None = None
    most = BATCH_CHARACTERS[name_of(backend)]
    read = sum(sizes[: start.source])
    source, done = start.source, start.within  # where the next document stands
    while source < len(sources) and failure is None:
        number = 0
        try:
            documents = backend.read_documents(sources[source], notices)
            for text in documents:
                number += 1
                if number <= done:
                    continue
                if not parts or parts[-1][1] != source:
                    parts.append((len(texts), source, done))
                done = number
                texts.append(text)
                size += len(text) + _DOCUMENT_CHARACTERS
                if size >= most:
                    so_far = read + documents.read_bytes
                    yield Batch(texts, parts, source, done, so_far, tuple(notices))
                    texts, parts, size = [], [], 0
        except SuperwordError as error:
            failure = error
        else:
            read += sizes[source]
            source, done = source + 1, 0
    # also without documents: an empty file may have a notice
    yield Batch(texts, parts, source, done, read, tuple(notices))
    if failure is not None:
        raise failure


def _text_batches(texts: Iterable[str], most: int) -> Batches:
    """The same for texts of no file; what is read is their characters."""
    batch: list[str] = []
    number = size = read = 0
    documents = iter(texts)
    failure: SuperwordError | None = None
    while True:
        try:
            text = next(documents, None)
        except SuperwordError as error:
            text, failure = None, error
        if text is not None:
            batch.append(text)
            size += len(text) + _DOCUMENT_CHARACTERS
            read += len(text)
        if batch and (text is None or size >= most):
            yield Batch(batch, [(0, 0, number)], 0, 0, read, ())
            number += len(batch)
            batch, size = [], 0
        if text is None:
            break
    if failure is not None:
        raise failure


def _status(path: str) -> tuple[int, int]:
    """The size of a file, and when it changed."""
    try:
        status = os.stat(path)
    except OSError as error:
        raise InputError(f"{printable(path)}: {reason(error)}") from None
    return status.st_size, status.st_mtime_ns


def _fingerprint(job: Job) -> str:
    return hashlib.sha256(job.model).hexdigest()


def _utf8_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())
