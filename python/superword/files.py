"""Reading a model file whole and writing one atomically, with the reasons in our own words."""

from __future__ import annotations

import contextlib
import errno
import os
import stat

_REASONS = {
    errno.ENOENT: "there is no such file or folder",
    errno.ENOTDIR: "a part of the path is no folder",
    errno.EISDIR: "it is a folder",
    errno.EACCES: "permission is denied",
    errno.EPERM: "permission is denied",
    errno.EROFS: "the disk is read-only",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ELOOP: "the links go round in a circle",
    errno.EMFILE: "too many files are open",
}


def reason(error: OSError | ValueError) -> str:
    """Why the system refused, in words that are the same on every platform.

    A ValueError is what Python raises itself for a name that no call to the system could hold.

    >>> reason(FileNotFoundError(2, "x"))
    'there is no such file or folder'
    """
    if isinstance(error, ValueError):
        return "no file can have this name"
    if error.errno in _REASONS:
        return _REASONS[error.errno]
    return f"the system reports error {error.errno}"


def write_atomically(path: str, data: bytes) -> None:
    """Write a file so that its name never holds half of it; an OSError leaves nothing behind.

    A link is followed, so that it stays one; what is no regular file (a pipe, a device) cannot be
    replaced and is written to. The permissions are those of any new file.
    """
    path = os.path.realpath(path)
    if _is_special(path):
        with open(path, "wb") as out:
            out.write(data)
        return
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, "")
    folder = os.path.dirname(path)
    temporary = os.path.join(folder, f".superword-{os.urandom(8).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, 0o666)
    try:
        with open(descriptor, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(folder)


def _is_special(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _sync_folder(folder: str) -> None:
    """Make the new name itself durable, where the system lets a folder be opened."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
