"""Special tokens: named cases of `tests/cases/special_tokens.json`, and any list and text."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from superword.errors import SettingsError

CASES = json.loads(
    (Path(__file__).parent.parent / "cases" / "special_tokens.json").read_text("utf-8")
)


def by_name(case: dict[str, Any]) -> str:
    return str(case["name"])


@pytest.mark.parametrize("case", CASES["split"], ids=by_name)
def test_split(backend: ModuleType, case: dict[str, Any]) -> None:
    parts = backend.split_special_tokens(case["text"], case["special_tokens"])
    assert [list(part) for part in parts] == case["parts"]


@pytest.mark.parametrize("case", CASES["errors"], ids=by_name)
def test_errors(backend: ModuleType, case: dict[str, Any]) -> None:
    with pytest.raises(SettingsError) as caught:
        backend.split_special_tokens("text", case["special_tokens"])
    assert str(caught.value) == case["error"]


def split_slowly(text: str, special_tokens: list[str]) -> list[tuple[str, int | None]]:
    """At each place the longest token that stands there; what is between is ordinary."""
    parts: list[tuple[str, int | None]] = []
    ordinary, place = "", 0
    while place < len(text):
        here = [token for token in special_tokens if text.startswith(token, place)]
        if here:
            token = max(here, key=len)
            parts += [(ordinary, None)] if ordinary else []
            parts.append((token, special_tokens.index(token)))
            ordinary, place = "", place + len(token)
        else:
            ordinary, place = ordinary + text[place], place + 1
    return parts + ([(ordinary, None)] if ordinary else [])


@given(
    st.text("ab|é", max_size=30),
    st.lists(st.text("ab|é", min_size=1, max_size=4), unique=True, max_size=6),
)
@settings(deadline=None)
def test_equals_the_plain_search(backend: ModuleType, text: str, special_tokens: list[str]) -> None:
    assert backend.split_special_tokens(text, special_tokens) == split_slowly(text, special_tokens)
