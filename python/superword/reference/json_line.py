"""One line of a .jsonl file: a strict RFC 8259 parser that returns the string of one field.

An own parser, because the JSON libraries of the two languages accept different inputs (NaN, lone
surrogates, duplicate keys, depth). One pass; the first error in the line is the one reported.
"""

from __future__ import annotations

import re

from superword.errors import InputError

MAX_DEPTH = 64

_SPACE = re.compile(r"[ \t\n\r]*")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_LITERAL = re.compile(r"true|false|null")
_NOT_A_NUMBER = re.compile(r"NaN|-?Infinity")
_HEX = re.compile(r"[0-9A-Fa-f]{4}")
_ESCAPES = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
}


def text_of_line(line: str, field: str) -> str:
    """Return the string that the JSON object in `line` has under the key `field`.

    `line` comes without its line feed. Raises InputError with the column, in bytes and counted
    from 1, and the reason. Source: SPEC 3.0.

    >>> text_of_line('{"id": 7, "text": "to be"}', "text")
    'to be'
    """
    at = _skip_space(line, 0)
    if not line.startswith("{", at):
        raise _error(line, at, "expected '{': each line must be one JSON object")
    at, text, found = _object(line, at, 1, field)
    at = _skip_space(line, at)
    if at < len(line):
        raise _error(line, at, "there is text after the object")
    if not found:
        raise InputError(f"the object has no field '{field}'")
    if text is None:
        raise InputError(f"the field '{field}' is not a string")
    return text


def _value(line: str, at: int, depth: int) -> tuple[int, str | None]:
    """Parse the value at `at`; return where it ends, and its text if it is a string."""
    first = line[at : at + 1]
    if first == '"':
        return _string(line, at)
    if first in ("{", "["):
        if depth == MAX_DEPTH:
            raise _error(line, at, f"nested more than {MAX_DEPTH} deep")
        if first == "{":
            return _object(line, at, depth + 1, None)[0], None
        return _array(line, at, depth + 1), None
    if match := _NUMBER.match(line, at) or _LITERAL.match(line, at):
        return match.end(), None
    if _NOT_A_NUMBER.match(line, at):
        raise _error(line, at, "JSON has no NaN and no Infinity")
    raise _error(line, at, "expected a value")


def _object(line: str, at: int, depth: int, field: str | None) -> tuple[int, str | None, bool]:
    """Parse the object at `at`; return its end, the text of `field` and whether it has one."""
    text: str | None = None
    keys: set[str] = set()
    at = _skip_space(line, at + 1)
    if line.startswith("}", at):
        return at + 1, None, False
    while True:
        if not line.startswith('"', at):
            raise _error(line, at, "expected a key in double quotes")
        start = at
        at, key = _string(line, at)
        if key in keys:
            raise _error(line, start, "this key is there twice in one object")
        keys.add(key)
        at = _skip_space(line, at)
        if not line.startswith(":", at):
            raise _error(line, at, "expected ':' after a key")
        at, value = _value(line, _skip_space(line, at + 1), depth)
        if key == field:
            text = value
        at = _skip_space(line, at)
        if line.startswith("}", at):
            return at + 1, text, field in keys
        if not line.startswith(",", at):
            raise _error(line, at, "expected ',' or '}'")
        at = _skip_space(line, at + 1)


def _array(line: str, at: int, depth: int) -> int:
    """Parse the array at `at`; return where it ends."""
    at = _skip_space(line, at + 1)
    if line.startswith("]", at):
        return at + 1
    while True:
        at = _skip_space(line, _value(line, at, depth)[0])
        if line.startswith("]", at):
            return at + 1
        if not line.startswith(",", at):
            raise _error(line, at, "expected ',' or ']'")
        at = _skip_space(line, at + 1)


def _string(line: str, at: int) -> tuple[int, str]:
    """Parse the string whose opening quote is at `at`; return where it ends, and its text."""
    start = at
    pieces: list[str] = []
    at += 1
    while True:
        end = _plain_end(line, at)
        pieces.append(line[at:end])
        at = end
        if at == len(line):
            raise _error(line, start, "this string is not closed")
        if line[at] == '"':
            return at + 1, "".join(pieces)
        if line[at] != "\\":
            raise _error(line, at, "a control character in a string must be escaped")
        at, character = _escape(line, at)
        pieces.append(character)


def _escape(line: str, at: int) -> tuple[int, str]:
    """Parse the escape whose backslash is at `at`; return where it ends, and its character."""
    letter = line[at + 1 : at + 2]
    if letter in _ESCAPES:
        return at + 2, _ESCAPES[letter]
    if letter != "u":
        raise _error(line, at, "JSON has no such escape")
    unit = _code_unit(line, at)
    if not 0xD800 <= unit <= 0xDFFF:
        return at + 6, chr(unit)
    if unit <= 0xDBFF and line.startswith("\\u", at + 6):
        low = _code_unit(line, at + 6)
        if 0xDC00 <= low <= 0xDFFF:
            return at + 12, chr(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
    raise _error(line, at, "this escape gives a lone surrogate, which is no text")


def _code_unit(line: str, at: int) -> int:
    """Return the number in the four hexadecimal digits after the `\\u` at `at`."""
    digits = _HEX.match(line, at + 2)
    if digits is None:
        raise _error(line, at, "\\u needs four hexadecimal digits")
    return int(digits.group(), 16)


def _plain_end(line: str, at: int) -> int:
    """Return where the characters that stand for themselves in a string end."""
    match = _PLAIN.match(line, at)
    return match.end() if match else at


def _skip_space(line: str, at: int) -> int:
    """Return the first position at or after `at` that is not JSON white space."""
    match = _SPACE.match(line, at)
    return match.end() if match else at


def _error(line: str, at: int, reason: str) -> InputError:
    column = len(line[:at].encode()) + 1
    return InputError(f"column {column}: {reason}")
