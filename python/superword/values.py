"""What users hand over, made plain: exact str, bytes and int, whatever their classes override.

Backends look at the memory of a value or call its methods, each in its own way: a subclass could
look different to each. And user text made printable, for messages of one line.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable
from typing import Any, TypeGuard

BytesLike = bytes | bytearray | memoryview
BYTES = (bytes, bytearray, memoryview)


def as_text(value: object) -> str | None:
    """The value as an exact str, or None if it is no str.

    >>> as_text("to be"), as_text(b"to be")
    ('to be', None)
    """
    if type(value) is str:
        return value
    # Not isinstance: an object may claim any __class__.
    return str.__str__(value) if issubclass(type(value), str) else None


def as_bytes(value: object) -> bytes | None:
    """The value as exact bytes, or None if it is not bytes, bytearray or memoryview.

    >>> as_bytes(bytearray(b"to")), as_bytes("to")
    (b'to', None)
    """
    kind = type(value)
    if kind is bytes:
        return value  # type: ignore[return-value]
    if issubclass(kind, bytes):
        return bytes.__getitem__(value, slice(None))  # type: ignore[call-overload, no-any-return]
    if issubclass(kind, bytearray):
        return bytes(bytearray.__getitem__(value, slice(None)))  # type: ignore[call-overload]
    return memoryview.tobytes(value) if kind is memoryview else None  # type: ignore[arg-type]


def as_path(value: object) -> str | None:
    """A path as an exact str, or None if it is no str and no PathLike that gives one.

    >>> import pathlib
    >>> as_path(pathlib.Path("a.txt")), as_path(b"a.txt")
    ('a.txt', None)
    """
    try:
        return as_text(os.fspath(value))  # type: ignore[call-overload]
    except TypeError:
        return None


def is_iterable(value: object) -> TypeGuard[Iterable[Any]]:
    """Whether a loop can go over it; an array without dimensions only looks as if.

    >>> is_iterable([]), is_iterable(5)
    (True, False)
    """
    try:
        iter(value)  # type: ignore[call-overload]
    except TypeError:
        return False
    return True


def any_integer(name: str, value: object, error: type[Exception]) -> int:
    """The value as an exact int; a bool is no int, numpy's integers are. Raises `error`."""
    if type(value) is bool:
        raise error(f"{name} must be an integer, not bool")
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise error(f"{name} must be an integer, not {type_name(value)}") from None


def type_name(value: object) -> str:
    """The name of a value's type, for messages.

    >>> type_name(None), type_name(3.5)
    ('NoneType', 'float')
    """
    return printable(type(value).__name__)


def printable(text: str) -> str:
    r"""A text as one line that any stream can print: what is not printable is escaped.

    >>> print(printable("to\nbe\ud800é"), printable("\udcff"))
    to\nbe\ud800é \xff
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    if "\udc80" <= char <= "\udcff":  # a byte that is no UTF-8, as Python passes paths on
        return f"\\x{ord(char) - 0xDC00:02x}"
    return char.encode("unicode_escape").decode()
