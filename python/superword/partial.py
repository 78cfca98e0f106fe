"""The folder beside an output of `encode_file` that holds what is done until all of it is.

It has the two arrays as they grow and a checkpoint, which says how much of them counts. Whatever
ends a call, the same call goes on from the checkpoint. What does not fit it is never taken: data
are flushed before the checkpoint that counts them, and it has their check sums.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from io import FileIO
from typing import Any, NamedTuple

from superword import npy
from superword.errors import InputError
from superword.files import keep_mode, reason, replace_file, write_atomically
from superword.values import printable

try:
    import fcntl
except ImportError:  # not on this system: two calls at once are the user's affair there
    fcntl = None  # type: ignore[assignment]

IDS, OFFSETS, META, WHOLE = "ids.npy", "offsets.npy", "meta.json", "whole.parquet"
_CHECKPOINT, _LOCK = "checkpoint", "lock"
_CHECKPOINT_SECONDS = 2.0
_CHUNK = 1 << 20
_TRIES = 100  # to make the folder, while other calls remove it
_FIRST = bytes(8)  # the first offset


class Position(NamedTuple):
    """How far the work has come. The check sums are CRC-32, of what stands behind the headers."""

    source: int = 0  # the file whose document is next
    within: int = 0  # how many documents of it are done
    documents: int = 0
    tokens: int = 0
    bytes: int = 0  # of the documents, in UTF-8
    ids_sum: int = 0
    offsets_sum: int = zlib.crc32(_FIRST)
    notices: tuple[str, ...] = ()  # of the files read so far


def working_path(target: str) -> str:
    """Where the folder of an output stands."""
    return f"{target}.partial"


@contextlib.contextmanager
def working_folder(target: str, job: Mapping[str, Any] | None, kind: str) -> Iterator[Partial]:
    """The folder of an output, held against other calls.

    `job` is what must be equal for a call to go on where another one ended; None: none can. `kind`
    is that of the ids. The folder stays if the work fails after a checkpoint. What the system
    refuses is an `InputError` that names the output.
    """
    path = working_path(target)
    with writing(target):
        lock = _locked(path, target)
    try:
        with ExitStack() as stack:
            with writing(target):
                ids, offsets = (
                    stack.enter_context(open_file(path, name)) for name in (IDS, OFFSETS)
                )
                partial = Partial(path, target, job, kind, ids, offsets)
            yield partial
        _remove(path)
    except BaseException:
        if not os.path.exists(os.path.join(path, _CHECKPOINT)):
            _remove(path)
        raise
    finally:
        os.close(lock)


@contextlib.contextmanager
def writing(target: str) -> Iterator[None]:
    """What the system refuses while an output is written, in our words."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{printable(target)}: cannot be written: {reason(error)}") from None


class Partial:
    """The arrays as they grow."""

    def __init__(
        self,
        path: str,
        target: str,
        job: Mapping[str, Any] | None,
        kind: str,
        ids: FileIO,
        offsets: FileIO,
    ) -> None:
        self._path = path
        self.kind = kind
        self.position = Position()
        self.notices: list[str] = []  # what a user should know of an earlier call
        self._target = target
        self._job = job
        self._saved = time.monotonic()
        self._ids = ids
        self._offsets = offsets
        self._resume()

    def append(self, flat: tuple[bytearray, bytearray], position: Position) -> None:
        """Add ids and offsets of `encode_flat`; `position` is that behind them, without sums."""
        ids = npy.ids_data(self.kind, flat[0])
        offsets = npy.offsets_data(flat[1], self.position.tokens)
        with writing(self._target):
            write_all(self._ids, ids)
            write_all(self._offsets, offsets)
        self.position = position._replace(
            ids_sum=zlib.crc32(ids, self.position.ids_sum),
            offsets_sum=zlib.crc32(offsets, self.position.offsets_sum),
        )
        if self._job is not None and time.monotonic() - self._saved >= _CHECKPOINT_SECONDS:
            with writing(self._target):
                self._save()

    def finish(self) -> None:
        """Write what the arrays need to be whole: their headers, and flush them."""
        known = self.position
        for file, kind, length in (
            (self._ids, self.kind, known.tokens),
            (self._offsets, "int64", known.documents + 1),
        ):
            with writing(self._target):
                file.seek(0)
                write_all(file, npy.header(kind, length))
                os.fsync(file.fileno())

    def path_of(self, name: str) -> str:
        """The path of a file of the folder."""
        return os.path.join(self._path, name)

    def write(self, name: str, data: bytes) -> None:
        """Write another file into the folder."""
        with writing(self._target):
            write_atomically(self.path_of(name), data)

    def publish(self, moves: Mapping[str, str]) -> None:
        """Give files of the folder their final names, the first of them last.

        The old file of that name goes before any other changes: old and new are never mixed.
        """
        (main, target), *others = moves.items()
        with writing(target):
            if others:
                keep_mode(self.path_of(main), target)
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(target)
            for name, final in (*others, (main, target)):
                replace_file(self.path_of(name), final)

    def _save(self) -> None:
        for file in (self._ids, self._offsets):
            os.fsync(file.fileno())
        text = json.dumps({"job": self._job, "position": self.position}).encode()
        check = f"{zlib.crc32(text):08x}\n".encode()
        write_atomically(self.path_of(_CHECKPOINT), check + text)
        self._saved = time.monotonic()

    def _resume(self) -> None:
        """Go on behind the checkpoint, or begin anew if there is none that fits."""
        refused = ""
        found = self._checkpoint()
        if found is not None:
            refused = self._misfit(found)
            if not refused:
                return
            self.notices.append(f"{printable(self._path)}: {refused}; it is begun anew")
        self.position = Position()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path_of(_CHECKPOINT))
        for file in (self._ids, self._offsets):
            file.truncate(0)
            file.seek(0)
            write_all(file, bytes(npy.HEADER_BYTES))
        write_all(self._offsets, _FIRST)

    def _checkpoint(self) -> dict[str, Any] | None:
        """What the checkpoint says; without a job the folder of another one counts as no work."""
        if self._job is None:
            return None
        try:
            with open(self.path_of(_CHECKPOINT), "rb") as file:
                check, _, text = file.read().partition(b"\n")
        except FileNotFoundError:
            return None
        found: dict[str, Any] = {}
        if check == f"{zlib.crc32(text):08x}".encode():
            found = json.loads(text)
        return found

    def _misfit(self, found: dict[str, Any]) -> str:
        """Why the checkpoint is not taken; empty if it is, with the arrays behind it cut off."""
        if not found:
            return "its checkpoint is damaged"
        # as it comes back from JSON
        job = json.loads(json.dumps(self._job))
        different = [name for name in job if found["job"].get(name) != job[name]]
        if different:
            return f"it was made with {different[0]}"
        known = Position._make(found["position"])
        known = known._replace(notices=tuple(known.notices))
        for file, length, size, check in (
            (self._ids, known.tokens, npy.SIZES[self.kind], known.ids_sum),
            (self._offsets, known.documents + 1, 8, known.offsets_sum),
        ):
            end = npy.HEADER_BYTES + length * size
            if _sum(file, npy.HEADER_BYTES, end) != check:
                return "what it holds is damaged"
            file.truncate(end)
            file.seek(end)
        self.position = known
        return ""


def open_file(folder: str, name: str) -> FileIO:
    """A file of the folder for reading and writing, made if it is not there; without a buffer."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
    return open(os.open(os.path.join(folder, name), flags, 0o666), "r+b", buffering=0)


def write_all(file: FileIO, data: bytes | bytearray) -> None:
    """Write all of it: one call to the system may take a part."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]


def _sum(file: FileIO, first: int, end: int) -> int | None:
    """The check sum of a part of a file; None if the file is shorter."""
    file.seek(first)
    left, check = end - first, 0
    while left:
        data = file.read(min(left, _CHUNK))
        if not data:
            return None
        left -= len(data)
        check = zlib.crc32(data, check)
    return check


def _locked(path: str, target: str) -> int:
    """Make the folder and hold its lock; the descriptor."""
    for _ in range(_TRIES):
        with contextlib.suppress(FileExistsError):
            os.mkdir(path)
        name = os.path.join(path, _LOCK)
        try:
            lock = os.open(name, os.O_RDWR | os.O_CREAT, 0o666)
        except FileNotFoundError:
            continue  # another call has just ended and removed the folder
        try:
            if fcntl is not None:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(lock), os.stat(name)):
                return lock
        except BlockingIOError:
            os.close(lock)
            raise InputError(
                f"{printable(target)}: another call is writing it ({printable(path)})"
            ) from None
        except FileNotFoundError:
            pass  # as above
        except OSError:
            return lock  # a file system without locks
        os.close(lock)
    raise FileNotFoundError(errno.ENOENT, "")


def _remove(path: str) -> None:
    """Remove what calls leave in the folder, and the folder if nothing else is in it."""
    left = [name for name in os.listdir(path) if name.startswith(".superword-")]
    for name in (_CHECKPOINT, IDS, OFFSETS, META, WHOLE, *left, _LOCK):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(path, name))
    with contextlib.suppress(OSError):
        os.rmdir(path)
