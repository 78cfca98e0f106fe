"""Paths, globs, folders and iterables: what a user calls a corpus. Opens no file itself."""

from __future__ import annotations

import fnmatch
import glob
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from superword.errors import (
    InputError,
    InputTypeError,
    SettingsError,
    SettingsTypeError,
    SuperwordError,
    of_item,
)
from superword.files import reason
from superword.values import BYTES, as_path, as_text, is_iterable, printable, type_name

ENDINGS = {".txt": "text", ".jsonl": "jsonl"}
COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
_KNOWN = ", ".join(end + last for end in ENDINGS for last in ("", *COMPRESSIONS))

# A batch is large enough that crossing to the backend costs nothing per document, and small
# enough that Ctrl-C and progress come often and memory stays flat.
BATCH_DOCUMENTS = 4096
BATCH_CHARACTERS = 1 << 20

Source = tuple[str, str, str, str]  # path, kind, compression, field: as in `_core.pyi`


class Files(NamedTuple):
    """What `find_files` found."""

    sources: list[Source]
    notices: list[str]


def find_files(
    files: object,
    field: object = "text",
    lines: object = False,
    own: AbstractSet[str] = frozenset(),
) -> Files:
    """Resolve a path, glob or folder, or an iterable of them, to files in a defined order.

    Arguments come in the order given, the matches of a glob and the files of a folder in byte
    order of their paths. A path that exists is never read as a glob. Hidden files and folders
    inside a folder are left out. A file reached twice counts once, with a notice.

    Raises `InputError` for what matches nothing or has an unknown ending, `InputTypeError` for
    what is no path, `SettingsError` for field and lines.

    A glob: `*`, `?` and `[…]` match within one part of the path, `**` as a part of its own matches
    any number of folders; links are followed, by `**` into each folder once. Hidden names are
    matched only by a part that begins with a dot.

    `own` are real paths of what the caller writes: folders and globs are without what has such a
    path and an ending that cannot be read.
    """
    field, lines = check_options(field, lines)
    seen: dict[str, str] = {}  # real path -> the path under which it was reached first
    notices: list[str] = []
    sources: list[Source] = []
    for argument in _arguments(files):
        for path in _expand(argument, notices, own):
            real = os.path.normcase(os.path.realpath(path))
            if real in seen:
                again = "twice" if seen[real] == path else f"again as {printable(path)}"
                notices.append(f"{printable(seen[real])}: was reached {again} and counts once")
                continue
            seen[real] = path
            sources.append(_source(path, field, lines))
    return Files(sources, notices)


def check_options(field: object, lines: object) -> tuple[str, bool]:
    """How files are read: the name of the field, and whether each line is a document."""
    name = as_text(field)
    if name is None:
        raise SettingsTypeError(f"field must be a string, not {type_name(field)}")
    try:
        name.encode()
    except UnicodeEncodeError as error:
        raise SettingsError(f"field has a lone surrogate at character {error.start}") from None
    if type(lines) is not bool:
        raise SettingsTypeError(f"lines must be True or False, not {type_name(lines)}")
    return name, lines


class DocumentBatches:
    """The documents of an iterable in batches, checked; remembers the batch it gave last.

    Raises `InputTypeError` for what is no iterable of str and for the first item that is no str,
    but gives all items before it first: an error that a backend finds in them comes earlier.
    """

    def __init__(self, documents: object) -> None:
        if as_text(documents) is not None:
            raise InputTypeError(
                f"documents must be an iterable of strings, not one {type_name(documents)}; "
                "put it in a list: [text]"
            )
        if isinstance(documents, BYTES):
            raise InputTypeError(
                f"documents must be an iterable of strings, not one {type_name(documents)}"
            )
        if not is_iterable(documents):
            raise InputTypeError(
                f"documents must be an iterable of strings, not {type_name(documents)}"
            )
        self._documents: Iterable[object] = documents
        self._first = 0  # the number of the batch's first document, counted from 0
        self._batch: list[str] = []

    def __iter__(self) -> Iterator[list[str]]:
        documents = iter(self._documents)
        more = True
        while more:
            batch: list[str] = []
            failure: Exception | None = None
            try:
                more = self._fill(batch, documents)
            except Exception as error:  # ours or the iterable's own: what came before it is first
                failure = error
            if batch:
                self._first += len(self._batch)
                self._batch = batch
                yield batch
            if failure is not None:
                raise failure

    def _fill(self, batch: list[str], documents: Iterator[object]) -> bool:
        """Put the next documents into an empty batch; whether there may be more."""
        first = self._first + len(self._batch)
        size = 0
        for item in documents:
            text = item if type(item) is str else as_text(item)
            if text is None:
                error = InputTypeError(f"must be a str, not {type_name(item)}")
                raise _of_document(error, first + len(batch))
            batch.append(text)
            size += len(text)
            if len(batch) == BATCH_DOCUMENTS or size >= BATCH_CHARACTERS:
                return True
        return False

    def surrogate_error(self) -> SuperwordError | None:
        """The error for the first lone surrogate of the batch given last, if it has one.

        Backends see it when they want UTF-8; only here is the item's number known.
        """
        for number, text in enumerate(self._batch, self._first):
            try:
                text.encode()
            except UnicodeEncodeError as error:
                ours = InputError(
                    f"has a lone surrogate at character {error.start}; leave it out or replace "
                    "it, for example with "
                    "text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')"
                )
                return _of_document(ours, number)
        return None


def _of_document(error: SuperwordError, number: int) -> SuperwordError:
    return of_item(error, number, f"item {number} of documents (counted from 0) ")


def _arguments(files: object) -> list[str]:
    """The paths as plain strings."""
    if isinstance(files, (str, os.PathLike)):
        return [_path(files, "files")]
    if isinstance(files, BYTES) or not is_iterable(files):
        raise InputTypeError(f"files must be a path or a list of paths, not {type_name(files)}")
    paths = [_path(item, f"item {number} of files") for number, item in enumerate(files)]
    if not paths:
        raise InputError("files is empty: there is nothing to read")
    return paths


def _path(value: object, what: str) -> str:
    path = as_path(value)
    if path is None:
        raise InputTypeError(f"{what} must be a path as str or PathLike, not {type_name(value)}")
    if not path:
        raise InputError(f"{what} is an empty path")
    if "\0" in path:
        raise InputError(f"{what} has a NUL character, which no path can have")
    return path


def _expand(argument: str, notices: list[str], own: AbstractSet[str]) -> list[str]:
    """The files of one argument."""
    _check_name(argument)
    if os.path.lexists(argument):
        return _files_of(argument, notices, own)
    if not glob.has_magic(argument):
        raise InputError(f"{printable(argument)}: there is no such file or folder")
    matches = sorted(_matches(argument, notices, own), key=_order)
    if not matches:
        raise InputError(f"{printable(argument)}: matches no file")
    # A glob may match a folder and what is in it: one and the same path is no duplicate then.
    found: dict[str, str] = {}
    for match in matches:
        for path in _files_of(match, notices, own):
            found.setdefault(os.path.normpath(path), path)
    return list(found.values())


def _files_of(path: str, notices: list[str], own: AbstractSet[str]) -> list[str]:
    """The file itself, or all files of a folder in byte order of their paths."""
    if not os.path.isdir(path or os.curdir):
        return [path]
    found = sorted(_walk(path, notices, own), key=_order)
    if not found:
        raise InputError(
            f"{printable(path or os.curdir)}: the folder has no file to read "
            "(hidden ones are left out)"
        )
    return found


def _matches(pattern: str, notices: list[str], own: AbstractSet[str]) -> list[str]:
    """What a glob matches. Not `glob.glob`: its `**` never ends where links go in circles."""
    drive, rest = os.path.splitdrive(pattern.replace(os.altsep or os.sep, os.sep))
    inner = rest.lstrip(os.sep)
    parts: list[str] = []
    for part in inner.split(os.sep):
        if part != "**" or parts[-1:] != ["**"]:  # `**/**` is `**`
            parts.append(part)
    if parts[-2:] == ["**", ""]:
        parts.pop()
    # The folders (at the end: all matches) of the parts so far; the empty one is the working folder
    found = [drive + rest[: len(rest) - len(inner)]]
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        if part == "**":
            folders = [folder for folder in found if os.path.isdir(folder or os.curdir)]
            # At the end the folder stands for all that is in it.
            found = folders if last else [folder for folder, _ in _folders(folders, notices, own)]
        elif not part:  # two separators, or one at the end: a folder
            found = [os.path.join(path, "") if last else path for path in found]
            found = [path for path in found if not last or os.path.isdir(path)]
        elif not glob.has_magic(part):
            joined = [os.path.join(folder, part) for folder in found]
            found = list(filter(os.path.lexists if last else os.path.isdir, joined))
        else:
            hidden = part.startswith(".")
            found = [
                os.path.join(folder, name)
                for folder in found
                if os.path.isdir(folder or os.curdir)
                for name in fnmatch.filter(_names(folder), part)
                if (hidden or not name.startswith("."))
                and (last or os.path.isdir(os.path.join(folder, name)))
            ]
        found = list(dict.fromkeys(found))
    return [path for path in found if not _is_own(path, own)]


def _is_own(path: str, own: AbstractSet[str]) -> bool:
    # what can be read is not hidden: the caller would overwrite it
    is_unread = bool(own) and _ending(path)[0] not in ENDINGS
    return is_unread and os.path.normcase(os.path.realpath(path)) in own


def _walk(top: str, notices: list[str], own: AbstractSet[str]) -> Iterator[str]:
    """Every file under a folder that is not hidden."""
    for _, files in _folders([top], notices, own):
        yield from files


def _folders(
    tops: list[str], notices: list[str], own: AbstractSet[str]
) -> Iterator[tuple[str, list[str]]]:
    """Every folder under some, with its files, links followed, each once: so circles end."""
    seen: dict[str, str] = {}
    stack = tops[::-1]
    while stack:
        folder = stack.pop()
        real = os.path.realpath(folder)
        if real in seen:
            if os.path.normpath(folder) != os.path.normpath(seen[real]):
                notices.append(
                    f"{printable(seen[real] or os.curdir)}: the folder was reached again as "
                    f"{printable(folder)} and counts once"
                )
            continue
        seen[real] = folder
        paths = [os.path.join(folder, name) for name in _names(folder) if name[0] != "."]
        paths = [path for path in paths if not _is_own(path, own)]
        folders = [path for path in paths if os.path.isdir(path)]
        stack.extend(reversed(folders))
        known = set(folders)
        yield folder, [path for path in paths if path not in known]


def _names(folder: str) -> list[str]:
    """The names in a folder, in byte order."""
    try:
        return sorted(os.listdir(folder or os.curdir), key=os.fsencode)
    except OSError as error:
        raise InputError(f"{printable(folder or os.curdir)}: {reason(error)}") from None


def _order(path: str) -> bytes:
    return os.fsencode(path.replace(os.sep, "/"))


def _check_name(path: str) -> None:
    """Refuse a name under which the two backends would not open the same file."""
    # The reference takes the encoding of file names that Python found, the extension UTF-8.
    try:
        name = os.fsencode(path)
    except UnicodeEncodeError:
        name = None
    try:
        if path.encode() == name:
            return
    except UnicodeEncodeError:
        if name is None and re.search("[\ud800-\udc7f\udd00-\udfff]", path):
            raise InputError(
                f"{printable(path)}: a lone surrogate cannot be part of a path"
            ) from None
    shown = printable(path if name is None else name.decode("utf-8", "backslashreplace"))
    if name is not None and not _is_utf8(name):
        raise InputError(f"{shown}: the name of the file is not valid UTF-8; rename it")
    raise InputError(
        f"{shown}: this name cannot be used where the encoding of file names is "
        f"{sys.getfilesystemencoding()}; use a UTF-8 locale, or set PYTHONUTF8=1"
    )


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _source(path: str, field: str, lines: bool) -> Source:
    """The description of a file by which backends read it."""
    _check_name(path)
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        raise InputError(f"{printable(path)}: {reason(error)}") from None
    if not stat.S_ISREG(mode):  # a file may be read more than once
        raise InputError(f"{printable(path)}: is no regular file; copy it into one")
    ending, compression = _ending(path)
    if ending not in ENDINGS:
        raise InputError(f"{printable(path)}: has no known ending; known are {_KNOWN}")
    kind = "lines" if lines and ENDINGS[ending] == "text" else ENDINGS[ending]
    return (path, kind, compression, field)


def _ending(path: str) -> tuple[str, str]:
    """The ending that tells the kind of a file, and its compression."""
    stem, last = os.path.splitext(path.lower())
    compression = COMPRESSIONS.get(last, "none")
    return last if compression == "none" else os.path.splitext(stem)[1], compression
