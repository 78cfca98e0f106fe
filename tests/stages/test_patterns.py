"""The named patterns, and their classes as explicit ranges."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from superword.reference.patterns import (
    JAPANESE_COMMON,
    LISTED_SCRIPTS,
    NAMED_PATTERNS,
    complement,
    expand_pattern,
    format_set,
    intersection,
    union,
    uniscript_patterns,
)
from superword.reference.scripts import classify

SCALARS = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x110000))))
PROPERTIES = classify(0, 0x10FFFF)


def test_both_languages_expand_to_the_same_text() -> None:
    """The digests are compared with the Rust side by its own test."""
    path = Path(__file__).parents[1] / "cases" / "patterns.json"
    cases = json.loads(path.read_text(encoding="utf-8"))
    expanded = [*map(expand_pattern, NAMED_PATTERNS.values()), *uniscript_patterns()]
    digests = [hashlib.sha256(pattern.encode()).hexdigest() for pattern in expanded]
    assert digests == [case["sha256"] for case in cases]


@pytest.mark.parametrize("pattern", [*NAMED_PATTERNS.values(), *uniscript_patterns()])
def test_no_class_is_left_to_an_engine(pattern: str) -> None:
    expanded = expand_pattern(pattern) if "\\u" not in pattern else pattern
    outside = re.sub(r"\[(\\u[0-9A-F]{4}|\\U[0-9A-F]{8}|-)*\]", "", expanded)
    assert re.fullmatch(r"[ '?*+|(){}:!0-9,sdmtlver]*", outside), outside
    assert not re.search(r"\\[psS]|\(\?i", expanded)


@pytest.mark.parametrize(
    ("set_", "wanted"),
    [
        (r"\p{L}", lambda category, space: category[0] == "L"),
        (r"\p{Lu}", lambda category, space: category == "Lu"),
        (r"[\p{N}\p{M}]", lambda category, space: category[0] in "NM"),
        (r"\s", lambda category, space: space),
        (r"\S", lambda category, space: not space),
        (r"[^\s\p{L}\p{N}]", lambda category, space: not space and category[0] not in "LN"),
    ],
)
def test_the_engine_reads_a_set_as_the_tables_have_it(set_: str, wanted) -> None:  # type: ignore[no-untyped-def]
    found = re.findall(expand_pattern(set_), SCALARS)
    assert found == [
        char
        for char, (category, _, space, _) in zip(SCALARS, PROPERTIES, strict=True)
        if wanted(category, space)
    ]


def test_the_letters_of_contractions_are_all_that_fold_to_them() -> None:
    group = expand_pattern("(?i:[sdmt]|ll|ve|re)")
    letters = set(re.findall(group, SCALARS))
    assert letters == set("sdmtSDMT\u017f")
    assert expand_pattern("(?i:ve)") == r"(?:[\u0056\u0076][\u0045\u0065])"
    assert expand_pattern("(?:ve)") == "(?:ve)"


def test_the_japanese_letters_are_common_letters() -> None:
    codes = [code for first, last in JAPANESE_COMMON for code in range(first, last + 1)]
    assert len(codes) == 11
    assert {classify(code, code)[0][:2] for code in codes} == {("Lo", "Common"), ("Lm", "Common")}
    assert {script for _, script, _, _ in PROPERTIES} > set(LISTED_SCRIPTS)


def test_range_arithmetic() -> None:
    assert union() == ()
    assert union(((1, 3), (7, 9)), ((4, 4), (8, 12))) == ((1, 4), (7, 12))
    assert complement(()) == ((0, 0xD7FF), (0xE000, 0x10FFFF))
    assert complement(complement(((5, 9),))) == ((5, 9),)
    assert intersection(((1, 5),), ((6, 9),)) == ()
    assert format_set(((0x5D, 0x5D), (0xFFFF, 0x10000))) == r"[\u005D\uFFFF-\U00010000]"
