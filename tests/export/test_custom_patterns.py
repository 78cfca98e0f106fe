"""Custom patterns for other engines, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from export.engines import NODE, cut_by, cut_by_javascript, cut_by_tiktoken, cut_by_tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from pattern_strategies import LETTERS, patterns

from superword.errors import NotExactError, SuperwordError
from superword.export.dialects import DIALECTS, Dialect
from superword.export.named_patterns import pattern_of
from superword.reference.patterns import NAMED_PATTERNS
from superword.reference.pretokenize import pretokenize
from superword.settings import Cutting

CASES = json.loads((Path(__file__).parents[1] / "cases/pattern_syntax.json").read_text("utf-8"))
TEXTS = [
    "",
    "aabbAkK1. \n\u212aéÉ\u0301😀\u0345",
    "It's 12,345.67 ABC aaab\r\n\r\n  x!!é",
    "ab ab\n\nabab 😀😁😂 k\u212aK ſs 'S 'll",
    "\U0010ffff\0\u3000-]^[\\",
]


def of_dialects(pattern: str) -> dict[Dialect, str]:
    """The pattern in every dialect that takes it."""
    found: dict[Dialect, str] = {}
    for dialect in DIALECTS:
        try:
            found[dialect] = pattern_of(Cutting(None, pattern), dialect)
        except NotExactError:
            continue
    return found


def check(pairs: Iterable[tuple[str, list[str]]]) -> int:
    """Every engine cuts the texts of each pattern as superword does; return how many there were."""
    jobs = []
    wanted = []
    for pattern, texts in pairs:
        try:
            cuts = [[p.decode() for p in pretokenize(t, Cutting(None, pattern))] for t in texts]
        except SuperwordError:
            continue  # not a pattern, or a costly one
        spelled = of_dialects(pattern)
        if "oniguruma" in spelled:
            assert cut_by_tokenizers(spelled["oniguruma"], texts) == cuts, pattern
        assert cut_by_tiktoken(spelled["fancy"], texts, cuts) == cuts, pattern
        if "javascript" in spelled:
            jobs.append((spelled["javascript"], texts))
            wanted.append((pattern, cuts))
    if NODE:  # else test_there_is_node is deselected, which is counted
        for (pattern, cuts), found in zip(wanted, cut_by_javascript(jobs), strict=True):
            assert found == cuts, pattern
    return len(wanted)


def test_the_cases_of_the_grammar() -> None:
    assert check((case["pattern"], TEXTS) for case in CASES["canonical"]) > 20
    assert check((case["pattern"], [case["text"]]) for case in CASES["pieces"]) > 20


@settings(max_examples=8)
@given(st.lists(patterns(), min_size=30, max_size=40), st.lists(st.text(LETTERS), max_size=6))
def test_random_patterns(given_patterns: list[str], texts: list[str]) -> None:
    check((pattern, [*texts, LETTERS]) for pattern in given_patterns)


def test_what_no_alternative_matches() -> None:
    """`Split` and JavaScript keep it as pieces of its own, as superword does; tiktoken drops it."""
    text = "12ab--c!"
    cut = ["12", "ab", "--", "c", "!"]
    assert [piece.decode() for piece in pretokenize(text, Cutting(None, "[a-z]+"))] == cut
    assert cut_by_tokenizers("[a-z]+", [text]) == [cut]
    if NODE:
        assert cut_by_javascript([("[a-z]+", [text])]) == [[cut]]
    assert cut_by_tiktoken("[a-z]+", [text], [cut]) == [["ab", "c"]]
    spelled = pattern_of(Cutting(None, "[a-z]+"), "fancy")
    assert cut_by_tiktoken(spelled, [text], [cut]) == [cut]


def test_a_named_pattern_given_as_one_and_no_pattern_at_all() -> None:
    for dialect in DIALECTS:
        given_pattern = Cutting(None, NAMED_PATTERNS["gpt4o"])
        assert pattern_of(given_pattern, dialect) == pattern_of(Cutting("gpt4o"), dialect)
        if dialect == "javascript" and not NODE:
            continue
        whole = pattern_of(Cutting("none"), dialect)
        assert cut_by(dialect, whole, TEXTS, [[t] if t else [] for t in TEXTS]) == [
            [t] if t else [] for t in TEXTS
        ]


SCRIPT_PATTERN = Cutting(None, "[a-z]+", "[a-z]", ("Thai",))


@pytest.mark.parametrize(
    ("cutting", "dialect", "text"),
    [
        (
            Cutting(None, "(?<=a(?=b))b"),
            "oniguruma",
            "pattern: oniguruma has no look-ahead and no $ in a look-behind",
        ),
        (
            Cutting(None, "(?<=a$)b|c"),
            "oniguruma",
            "pattern: oniguruma has no look-ahead and no $ in a look-behind",
        ),
        (
            Cutting(None, "(?<=(?:ab){2}+c)b|c"),
            "javascript",
            "pattern: javascript has no possessive repetition in a look-behind",
        ),
        (
            Cutting("gpt4o-scripts"),
            "fancy",
            "gpt4o-scripts looks behind through any number of characters, which fancy cannot: "
            "train with gpt4o-uniscript, which needs no look-behind",
        ),
        (
            SCRIPT_PATTERN,
            "oniguruma",
            "script_pattern: no one pattern means the same as two on chunks of scripts: train with "
            "gpt4o-uniscript, which needs no chunks",
        ),
    ],
    ids=["look-ahead", "end", "possessive", "scripts", "script-pattern"],
)
def test_what_cannot_be_exported(cutting: Cutting, dialect: Dialect, text: str) -> None:
    with pytest.raises(NotExactError) as caught:
        pattern_of(cutting, dialect)
    assert str(caught.value) == text
