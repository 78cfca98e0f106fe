"""A file read in chunks, with what can go wrong said in our own words."""

from __future__ import annotations

from types import TracebackType

from superword.errors import InputError

CHUNK_BYTES = 64 * 1024


class FileInput:
    """A file with a look-ahead, for the container formats.

    `read_bytes` counts what was read; `place` is where whoever takes documents of it stands.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.place = path
        self.read_bytes = 0
        self._buffer = b""
        self._position = 0
        try:
            # unbuffered: this class has its own buffer
            self._file = open(path, "rb", buffering=0)  # noqa: SIM115
        except (OSError, ValueError) as error:
            raise file_error(path, error) from None

    def __enter__(self) -> FileInput:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()

    def peek(self, size: int) -> bytes:
        """Return the next `size` bytes, fewer only at the end of the file; they stay unread."""
        while len(self._buffer) - self._position < size and self._fill():
            pass
        return self._buffer[self._position : self._position + size]

    def take(self, size: int) -> bytes:
        """Return the next `size` bytes, fewer only at the end of the file."""
        taken = self.peek(size)
        self._position += len(taken)
        return taken

    def take_chunk(self) -> bytes:
        """Return what comes next, as much as is at hand; empty only at the end of the file."""
        return self.take(len(self._buffer) - self._position) or self.take(CHUNK_BYTES)

    def give_back(self, data: bytes) -> None:
        """Make `data`, the end of what was taken, the bytes that come next."""
        self._position -= len(data)

    def _fill(self) -> bool:
        try:
            chunk = self._file.read(CHUNK_BYTES) or b""
        except OSError as error:
            raise file_error(self.path, error) from None
        self.read_bytes += len(chunk)
        if chunk:
            self._buffer = self._buffer[self._position :] + chunk
            self._position = 0
        return bool(chunk)


def file_error(path: str, error: Exception) -> InputError:
    """Return the error for a file that the system does not let us read."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return InputError(f"{path}: there is no such file")
    if isinstance(error, PermissionError):
        return InputError(f"{path}: permission to read it is denied")
    if isinstance(error, IsADirectoryError):
        return InputError(f"{path}: is a folder, not a file")
    return InputError(f"{path}: cannot be read")
