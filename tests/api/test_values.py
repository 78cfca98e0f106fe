"""What users hand over, made plain and printable."""

from __future__ import annotations

import sys
from typing import Any
from unittest.mock import Mock

import pytest

from superword.values import any_integer, as_bytes, as_path, as_text, printable, type_name


class Text(str):
    """A str that says it is another one."""

    def __str__(self) -> str:
        return "x"


class Data(bytes):
    """Bytes that say they are others."""

    def __getitem__(self, key: object) -> Any:
        return b"x"


class Array(bytearray):
    """A bytearray that says it is another one."""

    def __bytes__(self) -> bytes:
        return b"x"

    def __getitem__(self, key: object) -> Any:
        return b"x"


class Path:
    """What os.fspath gets from it is for the path to say."""

    def __init__(self, given: object) -> None:
        self.given = given

    def __fspath__(self) -> Any:
        return self.given


class Number(int):
    """An int that says it is another one."""

    def __index__(self) -> int:
        return 7

    def __int__(self) -> int:
        return 7


def test_what_is_plain_already_is_not_copied() -> None:
    text, data = "to be" * 3, b"to be" * 3
    assert as_text(text) is text
    assert as_bytes(data) is data


@pytest.mark.parametrize("value", [Data(b"ab"), Array(b"ab"), bytearray(b"ab"), memoryview(b"ab")])
def test_bytes(value: Any) -> None:
    found = as_bytes(value)
    assert (type(found), found) == (bytes, b"ab")
    assert as_text(value) is None


def test_texts_and_paths() -> None:
    for found in (as_text(Text("ab")), as_path(Text("ab")), as_path(Path(Text("ab")))):
        assert (type(found), found) == (str, "ab")
    for value in (b"ab", 3, None, Mock(spec=str), Mock(spec=bytes)):
        assert as_text(value) is None
        assert as_path(value) is None
        assert as_path(Path(value)) is None
    for value in ("ab", Text("ab"), 3, None, Mock(spec=bytes)):
        assert as_bytes(value) is None


def test_integers() -> None:
    found = any_integer("n", Number(3), ValueError)
    assert (type(found), found) == (int, 3)
    for value, name in ((True, "bool"), ("3", "str"), (3.0, "float")):
        with pytest.raises(KeyError, match=f"n must be an integer, not {name}"):
            any_integer("n", value, KeyError)


def test_whatever_is_shown_is_one_line_that_can_be_printed() -> None:
    for code in range(0x3000):
        assert printable(chr(code)).isprintable()
    assert printable("\n\r\t\0\x07\x85\u2028\ud800\U000e0001") == (
        r"\n\r\t\x00\x07\x85\u2028\ud800\U000e0001"
    )
    text = "é漢😀 \\n'"
    assert printable(text) is text
    assert printable(printable("\n")) == printable("\n")
    assert type_name(type("a\nb", (), {})()) == r"a\nb"
    assert printable(chr(sys.maxunicode)) == r"\U0010ffff"
