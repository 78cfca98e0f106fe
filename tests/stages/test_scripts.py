"""Properties of code points, and chunks of one script."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

RandomTexts = Callable[[int, int], Iterator[str]]

CASES = json.loads(
    (Path(__file__).parents[1] / "cases" / "scripts.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_named_cases(backend: ModuleType, case: dict) -> None:
    assert backend.split_scripts(case["text"]) == [tuple(chunk) for chunk in case["chunks"]]


def test_every_scalar_value_but_no_surrogate_is_classified(backend: ModuleType) -> None:
    assert len(backend.classify(0, 0x10FFFF)) == 1_112_064
    assert backend.classify(0xD7FF, 0xE000) == [
        ("Cn", "Unknown", False, False),
        ("Co", "Unknown", False, False),
    ]
    assert backend.classify(5, 4) == []


def test_chunks_make_up_the_text_and_hold_one_real_script(
    backend: ModuleType, random_texts: RandomTexts
) -> None:
    for text in random_texts(31, 3_000):
        chunks = backend.split_scripts(text)
        assert "".join(chunk for _, chunk in chunks) == text
        for script, chunk in chunks:
            assert chunk
            real = {backend.classify(ord(char), ord(char))[0][1] for char in chunk}
            assert real - {"Common", "Inherited", "Unknown"} <= {script}


def test_both_backends_classify_alike(both_backends: tuple[ModuleType, ModuleType]) -> None:
    reference, extension = both_backends
    assert reference.classify(0, 0x10FFFF) == extension.classify(0, 0x10FFFF)


def test_both_backends_cut_chunks_alike(
    both_backends: tuple[ModuleType, ModuleType], random_texts: RandomTexts
) -> None:
    reference, extension = both_backends
    for text in random_texts(32, 20_000):
        assert reference.split_scripts(text) == extension.split_scripts(text), ascii(text)
