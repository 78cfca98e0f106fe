r"""The first line of a model file: the small JSON dialect that the writer writes (SPEC 10).

One object with ascending keys and no blanks; values are strings, whole numbers from 0 to 2^63 - 1
and lists of strings; escapes stand only for `"`, `\` and U+0000 to U+001F, each in one form. The
reader accepts exactly that, so one header has one spelling.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NoReturn

from superword.errors import ModelFormatError
from superword.settings import MAX_COUNT

Value = int | str | Sequence[str]

_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_ESCAPES = {chr(code): f"\\u{code:04x}" for code in range(0x20)} | _SHORT
_UNESCAPES = {escape.encode(): char for char, escape in _ESCAPES.items()}
_ESCAPED = re.compile(r'["\\\x00-\x1f]')
_PLAIN = re.compile(rb'[^"\\\x00-\x1f]*')
_DIGITS = re.compile(rb"[0-9]+")


def header_to_bytes(fields: Mapping[str, Value]) -> bytes:
    """The one spelling of a header, without a line end.

    Args:
        fields: key to string, whole number or list of strings.

    Returns:
        UTF-8 bytes.

    >>> header_to_bytes({"b": 1, "a": ["é"]}).decode()
    '{"a":["é"],"b":1}'

    Source: SPEC 10.
    """
    pairs = (f"{_string(key)}:{_value(value)}" for key, value in sorted(fields.items()))
    return ("{" + ",".join(pairs) + "}").encode()


def _value(value: Value) -> str:
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return _string(value)
    return "[" + ",".join(map(_string, value)) + "]"


def _string(text: str) -> str:
    return '"' + _ESCAPED.sub(lambda match: _ESCAPES[match.group()], text) + '"'


def header_from_bytes(line: bytes) -> dict[str, Value]:
    """Read a header, the exact inverse of `header_to_bytes`.

    Args:
        line: the first line of the file without its line end.

    Returns:
        The fields; lists as lists of strings.

    Raises:
        ModelFormatError: anything that the writer would not write, with its byte offset.

    >>> header_from_bytes(b'{"a":["x"],"b":1}')
    {'a': ['x'], 'b': 1}

    Source: SPEC 10.
    """
    try:
        line.decode()
    except UnicodeDecodeError as error:
        raise ModelFormatError(f"byte {error.start}: this is not UTF-8") from None
    cursor = _Cursor(line)
    fields: dict[str, Value] = {}
    last: str | None = None
    cursor.expect(b"{", "'{'")
    while True:
        start = cursor.at
        key = cursor.string()
        if last is not None and key <= last:
            cursor.fail(start, f"the key '{key}' stands twice or not in ascending order")
        last = key
        cursor.expect(b":", "':'")
        fields[key] = cursor.value()
        if not cursor.skip(b","):
            break
    cursor.expect(b"}", "',' or '}'")
    if cursor.at < len(line):
        cursor.fail(cursor.at, "nothing may follow the object")
    return fields


class _Cursor:
    """A place in a line of valid UTF-8."""

    def __init__(self, line: bytes) -> None:
        self.line = line
        self.at = 0

    def fail(self, at: int, reason: str) -> NoReturn:
        raise ModelFormatError(f"byte {at}: {reason}")

    def skip(self, what: bytes) -> bool:
        found = self.line.startswith(what, self.at)
        if found:
            self.at += len(what)
        return found

    def expect(self, what: bytes, name: str) -> None:
        if not self.skip(what):
            self.fail(self.at, f"expected {name}")

    def value(self) -> Value:
        if self.line.startswith(b'"', self.at):
            return self.string()
        if self.skip(b"["):
            return self.strings()
        return self.number()

    def strings(self) -> list[str]:
        out: list[str] = []
        if self.skip(b"]"):
            return out
        while True:
            out.append(self.string())
            if not self.skip(b","):
                break
        self.expect(b"]", "',' or ']'")
        return out

    def number(self) -> int:
        match = _DIGITS.match(self.line, self.at)
        if match is None:
            self.fail(self.at, "expected a string, a whole number or a list of strings")
        value = parse_number(match.group())
        if value is None:
            self.fail(self.at, "a number has no leading zeros")
        if value > MAX_COUNT:
            self.fail(self.at, "the number is above 2^63 - 1")
        self.at = match.end()
        return value

    def string(self) -> str:
        self.expect(b'"', "a string")
        parts = []
        while True:
            match = _PLAIN.match(self.line, self.at)
            assert match is not None  # it matches the empty string
            parts.append(match.group().decode())
            self.at = match.end()
            if self.skip(b'"'):
                return "".join(parts)
            if self.at == len(self.line):
                self.fail(self.at, "the string does not end")
            if not self.line.startswith(b"\\", self.at):
                self.fail(self.at, "a control character must be escaped")
            length = 6 if self.line.startswith(b"\\u", self.at) else 2
            char = _UNESCAPES.get(self.line[self.at : self.at + length])
            if char is None:
                self.fail(self.at, "this escape is not one that the format uses")
            parts.append(char)
            self.at += length


def parse_number(digits: bytes) -> int | None:
    """A whole number in its one spelling.

    Args:
        digits: what should be ASCII digits.

    Returns:
        The number (anything above 2^63 - 1 as 2^63), or None if this is no plain decimal number.

    >>> parse_number(b"120"), parse_number(b"012"), parse_number(b"")
    (120, None, None)

    Source: SPEC 10.
    """
    if _DIGITS.fullmatch(digits) is None or (digits.startswith(b"0") and len(digits) > 1):
        return None
    # Twenty digits are above the bound; Python refuses to convert thousands of them.
    return min(int(digits), MAX_COUNT + 1) if len(digits) < 20 else MAX_COUNT + 1
