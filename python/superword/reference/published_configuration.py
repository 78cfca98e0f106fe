r"""The configuration of a section of a published file: JSON on one line, in one order.

Read is any JSON of that order (a number may be `1.0` or `1`, a control character escaped in either
way); written is what Python's `json` writes, as the published program does.
"""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from superword.errors import ModelFormatError

_NUMBER = re.compile(rb"(?:0|[1-9][0-9]{0,29})(?:\.[0-9]{1,30})?")
_PLAIN = re.compile(rb'[^"\\\x00-\x1f]*')
_HEX = re.compile(rb"[0-9A-Fa-f]{4}")
_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNESCAPES = {escape.encode(): char for char, escape in _SHORT.items()} | {b"\\/": "/"}


class Configuration(NamedTuple):
    """What a section says of how it was trained; the names are those of the file."""

    tau: str  # decimal, as it stands; "1.1" is no deletions
    is_super: bool
    superbpe_mode: bool
    blowup: bool
    main_regex: str
    script_specific_regex: str | None
    script_specific_scripts: tuple[str, ...] | None
    merge_pattern: str | None


def configuration_to_line(configuration: Configuration) -> str:
    r"""The line of a configuration.

    Args:
        configuration: the values.

    Returns:
        The line without its line end, ASCII alone.

    >>> values = Configuration("1.1", False, False, False, "\\s+|é", None, ("Lao",), None)
    >>> configuration_to_line(values)[:60]
    '{"tau": 1.1, "is_super": false, "superbpe_mode": false, "blo'

    Source: golden files, FORMAT.
    """
    parts = [f'"tau": {configuration.tau}']
    for name, value in zip(Configuration._fields[1:], configuration[1:], strict=True):
        if value is None or isinstance(value, bool):
            written = {None: "null", True: "true", False: "false"}[value]
        elif isinstance(value, str):
            written = _string(value)
        else:
            written = "[" + ", ".join(map(_string, value)) + "]"
        parts.append(f'"{name}": {written}')
    return "{" + ", ".join(parts) + "}"


def _string(text: str) -> str:
    out = []
    for char in text:
        code = ord(char)
        if char in _SHORT:
            out.append(_SHORT[char])
        elif 0x20 <= code < 0x7F:
            out.append(char)
        elif code < 0x10000:
            out.append(f"\\u{code:04x}")
        else:
            code -= 0x10000
            out.append(f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}")
    return '"' + "".join(out) + '"'


def configuration_from_line(line: str) -> Configuration:
    r"""Read a configuration.

    Args:
        line: the line without its line end.

    Returns:
        The values.

    Raises:
        ModelFormatError: it is not what such a file has, with the byte of the line.

    >>> values = Configuration("1", False, False, True, "\\s", "\u2603\\", (), None)
    >>> configuration_from_line(configuration_to_line(values)) == values
    True

    Source: golden files, FORMAT.
    """
    cursor = _Cursor(line.encode())
    cursor.expect('{"tau": ')
    tau = cursor.decimal()
    cursor.expect(', "is_super": ')
    is_super = cursor.flag()
    cursor.expect(', "superbpe_mode": ')
    superbpe_mode = cursor.flag()
    cursor.expect(', "blowup": ')
    blowup = cursor.flag()
    cursor.expect(', "main_regex": ')
    main = cursor.string()
    cursor.expect(', "script_specific_regex": ')
    script = cursor.optional_string()
    cursor.expect(', "script_specific_scripts": ')
    scripts = None if cursor.skip("null") else cursor.strings()
    cursor.expect(', "merge_pattern": ')
    eligible = cursor.optional_string()
    cursor.expect("}")
    cursor.end()
    return Configuration(tau, is_super, superbpe_mode, blowup, main, script, scripts, eligible)


def pattern_from_line(line: str) -> str:
    r"""Read a line that is one JSON string.

    Args:
        line: the line without its line end.

    Returns:
        The string.

    Raises:
        ModelFormatError: it is not that, with the byte of the line.

    >>> pattern_from_line('"\\\\s+"')
    '\\s+'

    Source: golden files, FORMAT.
    """
    cursor = _Cursor(line.encode())
    text = cursor.string()
    cursor.end()
    return text


class _Cursor:
    """A place in a line of valid UTF-8."""

    def __init__(self, line: bytes) -> None:
        self.line = line
        self.at = 0

    def fail(self, reason: str) -> NoReturn:
        raise ModelFormatError(f"byte {self.at} of the line: {reason}")

    def skip(self, what: str) -> bool:
        found = self.line.startswith(what.encode(), self.at)
        if found:
            self.at += len(what)
        return found

    def expect(self, what: str) -> None:
        if not self.skip(what):
            self.fail(f"expected '{what}'")

    def end(self) -> None:
        if self.at < len(self.line):
            self.fail("nothing may follow")

    def flag(self) -> bool:
        if self.skip("true"):
            return True
        if not self.skip("false"):
            self.fail("expected true or false")
        return False

    def decimal(self) -> str:
        match = _NUMBER.match(self.line, self.at)
        if match is None:
            self.fail("expected a decimal number")
        self.at = match.end()
        return match.group().decode()

    def strings(self) -> tuple[str, ...]:
        self.expect("[")
        if self.skip("]"):
            return ()
        out = [self.string()]
        while self.skip(", "):
            out.append(self.string())
        self.expect("]")
        return tuple(out)

    def optional_string(self) -> str | None:
        return None if self.skip("null") else self.string()

    def string(self) -> str:
        self.expect('"')
        parts = []
        while True:
            match = _PLAIN.match(self.line, self.at)
            assert match is not None  # it matches the empty string
            parts.append(match.group().decode())
            self.at = match.end()
            if self.skip('"'):
                return "".join(parts)
            if self.at == len(self.line):
                self.fail("the string does not end")
            if not self.line.startswith(b"\\", self.at):
                self.fail("a control character must be escaped")
            parts.append(self.escape())

    def escape(self) -> str:
        """The character of the escape at this place."""
        short = _UNESCAPES.get(self.line[self.at : self.at + 2])
        if short is not None:
            self.at += 2
            return short
        code = self.unit(self.at)
        if code is None:
            self.fail("this is no escape of JSON")
        if not 0xD800 <= code < 0xE000:
            self.at += 6
            return chr(code)
        low = self.unit(self.at + 6)
        if code >= 0xDC00 or low is None or not 0xDC00 <= low < 0xE000:
            self.fail("the escape is a lone surrogate")
        self.at += 12
        return chr(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00))

    def unit(self, at: int) -> int | None:
        """The code unit of an escape `\\uXXXX`, or None."""
        digits = self.line[at + 2 : at + 6]
        if not self.line.startswith(b"\\u", at) or _HEX.fullmatch(digits) is None:
            return None
        return int(digits, 16)
