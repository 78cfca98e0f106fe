"""What all published files share: lines with a place to name, and how tokens are spelled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from superword.errors import ModelFormatError, SettingsError
from superword.reference.header import parse_number
from superword.reference.special_tokens import check_special_tokens
from superword.settings import MAX_COUNT

# The byte-to-character map of GPT-2: what is printable stands for itself, the rest follows U+00FF.
_SHOWN = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_HIDDEN = sorted(set(range(0x100)) - set(_SHOWN))
_CHARACTERS = {byte: chr(byte) for byte in _SHOWN} | {
    byte: chr(0x100 + place) for place, byte in enumerate(_HIDDEN)
}
_BYTES = {character: byte for byte, character in _CHARACTERS.items()}
# What some program may take for blank: White_Space and the separators U+001C to U+001F.
_BLANKS = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006"
    "\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)


class Lines:
    """The lines of a file one after the other, each known by its number and its section.

    >>> lines = Lines(b"a b\\n")
    >>> lines.next(), lines.number
    ('a b', 1)
    """

    def __init__(self, data: bytes) -> None:
        """Start before the first line."""
        self._data = data
        self._at = 0
        self.number = 0
        self.section = "header"

    def fail(self, reason: str) -> NoReturn:
        """Raise ModelFormatError for the line that was read last."""
        raise ModelFormatError(place(self.number, self.section, reason))

    def next(self) -> str:
        """The next line without its line end; raises ModelFormatError if there is none."""
        self.number += 1
        end = self._data.find(b"\n", self._at)
        if end < 0:
            cut = self._at < len(self._data)
            self.fail("the line has no line end" if cut else "the file ends here")
        line = self._data[self._at : end]
        self._at = end + 1
        try:
            return line.decode()
        except UnicodeDecodeError as error:
            self.fail(f"byte {error.start} of the line is not UTF-8")

    def title(self, title: str) -> None:
        """Read a line that must be this one."""
        if self.next() != title:
            self.fail(f"the line must be '{title}'")

    def announced(self) -> int:
        """Read how many lines follow; that they do is not known yet."""
        number = parse_number(self.next().encode())
        if number is None:
            self.fail("the line must be the number of the lines that follow")
        return number

    def row(self, form: str) -> list[str]:
        """Read a line of as many parts as `form`, which says what they are."""
        parts = self.next().split(" ")
        if len(parts) != form.count(" ") + 1:
            self.fail(f"the line must be '{form}'")
        return parts

    def integer(self, name: str, text: str) -> int:
        """A part of the line that is a number; the indices and counts of a file are no larger."""
        number = parse_number(text.encode())
        if number is None:
            self.fail(f"{name} must be a whole number")
        if number > MAX_COUNT:
            self.fail(f"{name} is above 2^63 - 1")
        return number

    def numbered(self, name: str, text: str, wanted: int) -> None:
        """A part of the line that must be this number."""
        number = self.integer(name, text)
        if number != wanted:
            self.fail(f"{name} must be {wanted}, not {number}")

    def flag(self, name: str, text: str) -> bool:
        """A part of the line that is 0 or 1."""
        if text not in ("0", "1"):
            self.fail(f"{name} must be 0 or 1")
        return text == "1"

    def token(self, text: str) -> bytes:
        """A part of the line that is a token."""
        if not text:
            self.fail("the token is empty")
        try:
            return bytes(map(_BYTES.__getitem__, text))
        except KeyError:
            wrong = next(place for place, char in enumerate(text) if char not in _BYTES)
            self.fail(f"character {wrong} of the token stands for no byte")

    def special_tokens(self, first: int) -> list[str]:
        """The rows `ID STRING` of special tokens, with ids from `first`."""
        tokens: list[str] = []
        for number in range(self.announced()):
            token_id, space, token = self.next().partition(" ")
            if not space:
                self.fail("the line must be 'ID STRING'")
            self.numbered("ID", token_id, first + number)
            tokens.append(token)
        try:
            check_published_special_tokens(tokens)
        except SettingsError as error:
            self.fail(str(error))
        return tokens

    def end(self) -> None:
        """Refuse anything more."""
        if self._at < len(self._data):
            self.number += 1
            self.fail("the file should end before this line")


def place(number: int, section: str, reason: str) -> str:
    """What is said of a line of a published file.

    Args:
        number: the line, from 1.
        section: the name of the section.
        reason: what is wrong.

    Returns:
        The text of the error.

    >>> place(7, "words merges", "the token is empty")
    'line 7, words merges: the token is empty'
    """
    return f"line {number}, {section}: {reason}"


def escape_token(token: bytes) -> str:
    """A token as published files write it.

    Args:
        token: any bytes.

    Returns:
        One character a byte, none of them blank.

    >>> escape_token(b" the\\n")
    '\u0120the\u010a'

    Source: golden files, FORMAT.
    """
    return token.decode("latin-1").translate(_CHARACTERS)


def check_published_special_tokens(special_tokens: Sequence[str]) -> None:
    """Refuse special tokens that a published file cannot hold.

    Args:
        special_tokens: the strings in the order of their ids.

    Raises:
        SettingsError: as for `check_special_tokens`; or one has a line end or a blank at its end,
            which the programs that read such a file would not read back.

    >>> check_published_special_tokens(["<|a b|>"])

    Source: SPEC 10.
    """
    check_special_tokens(special_tokens)
    for number, token in enumerate(special_tokens):
        if "\n" in token or "\r" in token:
            raise SettingsError(
                f"special token {number} has a line end, which a published file cannot hold"
            )
        if token[-1] in _BLANKS:
            raise SettingsError(
                f"special token {number} ends in a blank, which a published file cannot hold"
            )
