"""Reading a model file whole and writing one atomically, with the reasons in our own words."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat

from superword.errors import ModelFormatError
from superword.values import printable

# The most bytes of a model file that are read: what is larger is something else, or made to hurt.
MAX_MODEL_BYTES = 2**32

_REASONS = {
    "ENOENT": "there is no such file or folder",
    "ENOTDIR": "a part of the path is no folder",
    "EISDIR": "it is a folder",
    "EACCES": "permission is denied",
    "EPERM": "permission is denied",
    "EROFS": "the disk is read-only",
    "ENOSPC": "the disk is full",
    "EDQUOT": "the disk quota is used up",
    "EFBIG": "it would be larger than a file may be",
    "ENAMETOOLONG": "the name is too long",
    "EBADF": "it is not open for writing",
    "ELOOP": "the links go round in a circle",
    "EMFILE": "too many files are open",
    "ENFILE": "too many files are open",
    "EAGAIN": "it is non-blocking and not ready",
    "EPIPE": "nobody reads it any more",
    "ENXIO": "nothing is at its other end",
    "EIO": "the device reports an error",
    "EINVAL": "the system does not support this",
    "ETXTBSY": "it is in use",
}
_BY_NUMBER = {getattr(errno, name): text for name, text in _REASONS.items() if hasattr(errno, name)}


def reason(error: OSError | ValueError) -> str:
    """Why the system refused, in words that are the same on every platform.

    A ValueError is what Python raises itself for a name that no call to the system could hold.

    >>> reason(FileNotFoundError(2, "x"))
    'there is no such file or folder'
    """
    if isinstance(error, ValueError):
        return "no file can have this name"
    return _BY_NUMBER.get(error.errno or 0, f"the system reports error {error.errno}")


def read_model(path: str) -> bytes:
    """The bytes of a model file.

    Raises `ModelFormatError` for what cannot be read, is no regular file (a pipe or a device may
    have no end) or is larger than any model.
    """
    shown = printable(path)
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        # Non-blocking: opening a pipe must not wait for its writer only to be refused.
        with open(os.open(path, flags), "rb") as file:
            status = os.fstat(file.fileno())
            if stat.S_ISDIR(status.st_mode):
                raise IsADirectoryError(errno.EISDIR, "")
            if not stat.S_ISREG(status.st_mode):
                raise ModelFormatError(
                    f"model file '{shown}' cannot be read: it is no regular file; copy it into one"
                )
            # (a size given to read() would be asked for at once, whatever the file has)
            if status.st_size > MAX_MODEL_BYTES:
                raise ModelFormatError(
                    f"model file '{shown}' cannot be read: it has more than {MAX_MODEL_BYTES} "
                    "bytes; if it is a model all the same, read it yourself and use "
                    "Tokenizer.from_bytes"
                )
            return file.read()
    except ModelFormatError:
        raise
    except (OSError, ValueError) as error:
        raise ModelFormatError(f"model file '{shown}' cannot be read: {reason(error)}") from None


def write_model(path: str, data: bytes) -> None:
    """Write a model file, whole or not at all; raises `ModelFormatError`, which names it."""
    try:
        write_atomically(path, data)
    except (OSError, ValueError) as error:
        raise ModelFormatError(
            f"model file '{printable(path)}' cannot be written: {reason(error)}"
        ) from None


def write_atomically(path: str, data: bytes) -> None:
    """Write a file so that its name never holds half of it; an OSError leaves nothing behind.

    A link is followed, so that it stays one, and what it points to is made if it is not there.
    What is no regular file (a pipe, a device) cannot be replaced and is written to, and so is an
    open descriptor by its name (/dev/fd/5), where it stands. A file that is replaced keeps its
    permissions; a new one has those of any new file.
    """
    descriptor = _descriptor(path)
    if descriptor is not None:
        with open(os.dup(descriptor), "wb") as out:
            out.write(data)
        return
    target = regular_target(path)
    if target is None:
        with open(path, "wb") as out:
            out.write(data)
        return
    descriptor, temporary = _open_beside(target)
    try:
        with open(descriptor, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        replace_file(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def replace_file(source: str, target: str) -> None:
    """Give a flushed file its final name, and the permissions of the file that it replaces."""
    keep_mode(source, target)
    os.replace(source, target)
    _sync_folder(os.path.dirname(target))


def keep_mode(source: str, target: str) -> None:
    """Give a file the permissions of another one, if that is there."""
    with contextlib.suppress(FileNotFoundError):
        os.chmod(source, stat.S_IMODE(os.stat(target).st_mode) & 0o777)


def check_writable(path: str) -> None:
    """Raise the OSError that `write_atomically` would raise at its start; changes nothing."""
    descriptor = _descriptor(path)
    if descriptor is not None:
        os.write(descriptor, b"")  # an error where it is not open for writing
        return
    target = regular_target(path)
    if target is None:
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, "")
        return
    descriptor, temporary = _open_beside(target)
    os.close(descriptor)
    os.unlink(temporary)


_MOST_LINKS = 40


def _descriptor(path: str) -> int | None:
    """The open descriptor of this process that a path names, by links or by itself, or None.

    The file behind it is not the answer: whoever opened it may go on to write to it, may have begun
    in its middle, and its name may be gone.
    """
    descriptors = re.compile(rf"/dev/fd|/proc/{os.getpid()}(/task/[0-9]+)?/fd")
    for _ in range(_MOST_LINKS):
        folder, name = os.path.split(os.path.abspath(path))
        folder = os.path.realpath(folder)
        if descriptors.fullmatch(folder) and re.fullmatch("[0-9]{1,9}", name):
            return int(name)
        try:
            path = os.path.join(folder, os.readlink(os.path.join(folder, name)))
        except OSError:
            return None
    return None


def regular_target(path: str) -> str | None:
    """The regular file to replace or to make, links followed; None for a pipe or a device."""
    # The path itself is asked first: /dev/stdout and the like lead to no name that could be opened.
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        if os.path.basename(path) in ("", os.curdir, os.pardir):
            raise  # it names a folder
        return os.path.realpath(path)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "")
    return os.path.realpath(path) if stat.S_ISREG(mode) else None


def _open_beside(target: str) -> tuple[int, str]:
    """A new temporary file in the folder of the target: its descriptor and its path."""
    temporary = os.path.join(os.path.dirname(target), f".superword-{os.urandom(8).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    return os.open(temporary, flags, 0o666), temporary


def _sync_folder(folder: str) -> None:
    """Make the new name itself durable, where the system lets a folder be opened."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
