"""JSON lines: named cases through both backends, and Python's `json` as an oracle."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from superword.errors import InputError
from superword.reference.json_line import text_of_line

CASES = json.loads((Path(__file__).parent.parent / "cases/json_line.json").read_bytes())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_case(backend: ModuleType, tmp_path: Path, case: dict[str, str]) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(case["line"].encode())
    documents = backend.read_documents((str(path), "jsonl", "none", case["field"]), [])
    if "text" in case:
        assert list(documents) == [case["text"]]
    else:
        with pytest.raises(InputError) as error:
            list(documents)
        assert str(error.value) == f"{path}: line 1: {case['error']}"


def refuse(value: Any) -> Any:
    raise ValueError(value)


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key twice")
    for key, _ in pairs:
        key.encode()  # refuses lone surrogates
    return dict(pairs)


def oracle(line: str) -> dict[str, Any]:
    """What Python's `json` says of a line, with its extensions switched off."""
    value = json.loads(
        line,
        parse_constant=refuse,
        parse_int=lambda _: 0,
        parse_float=lambda _: 0,
        object_pairs_hook=unique,
    )
    if not isinstance(value, dict):
        raise ValueError("not an object")
    json.dumps(value, ensure_ascii=False).encode()
    return value


def check_against_oracle(line: str) -> None:
    try:
        value = oracle(line)
    except ValueError:
        with pytest.raises(InputError, match=r"^column \d+: "):
            text_of_line(line, "text")
        return
    text = value.get("text")
    if isinstance(text, str):
        assert text_of_line(line, "text") == text
    else:
        with pytest.raises(InputError, match=r"^the (object has no field|field) 'text'"):
            text_of_line(line, "text")


PIECES = (
    *('{"text":', '"text"', '"a"', ":", ",", "1", "-", ".", "e", "+", "0", "[", "]", "{", "}"),
    *(" ", "\t", "\r", '"', "\\u", "d83d", "\\ude00", "\\n", "\\x", "\x01", "é", "NaN"),
    *("-Infinity", "true", "nul", "null", "\ufeff", "٣", "\xa0"),
)


@given(st.lists(st.sampled_from(PIECES), max_size=16).map("".join))
@example('{"text":"\\ud83d\\ude00"}')
def test_pieces_of_json_against_the_oracle(line: str) -> None:
    check_against_oracle(line)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.just("text"), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text() | st.just("text"), VALUES), st.booleans(), st.data())
def test_altered_objects_against_the_oracle(
    value: dict[str, Any], ascii_only: bool, data: st.DataObject
) -> None:
    try:
        line = json.dumps(value, ensure_ascii=ascii_only, allow_nan=False)
    except ValueError:
        return  # an infinite float
    check_against_oracle(line)
    at = data.draw(st.integers(0, len(line)))
    width = data.draw(st.integers(0, 2))
    piece = data.draw(st.sampled_from(("", *PIECES)))
    check_against_oracle(line[:at] + piece + line[at + width :])


def test_columns_of_long_lines_are_exact() -> None:
    line = '{"a":"' + "é" * 100_000 + '","text":"x"'
    with pytest.raises(InputError) as error:
        text_of_line(line, "text")
    assert str(error.value) == f"column {len(line.encode()) + 1}: expected ',' or '}}'"
