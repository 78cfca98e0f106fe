"""The grammar of custom patterns, and their canonical form."""

import json
import random
import re
from pathlib import Path

import pytest
import regex
from hypothesis import given
from pattern_strategies import patterns

from superword.errors import SettingsError
from superword.settings import Cutting

CASES = json.loads((Path(__file__).parents[1] / "cases" / "pattern_syntax.json").read_text("utf-8"))


def outcome(backend, pattern):
    """The canonical form, or the error of the pattern."""
    try:
        backend.check_cutting(Cutting(None, pattern))
        return backend.canonical_pattern(pattern)
    except SettingsError as error:
        return f"error: {error}"


@pytest.mark.parametrize("case", CASES["errors"], ids=lambda case: case["name"])
def test_errors(backend, case):
    with pytest.raises(SettingsError) as caught:
        backend.check_cutting(Cutting(None, case["pattern"]))
    assert str(caught.value) == case["error"]


@pytest.mark.parametrize("case", CASES["canonical"], ids=lambda case: ascii(case["pattern"]))
def test_canonical(backend, case):
    found = backend.canonical_pattern(case["pattern"])
    assert (found[: len(case["canonical"])], len(found)) == (case["canonical"], case["length"])
    # another engine reads it, and it is its own canonical form
    assert regex.compile(found)
    assert backend.canonical_pattern(found) == found


def test_classes_are_the_properties_of_the_tables(backend):
    """Every name that the grammar has, character by character."""
    rows = backend.classify(0, 0x10FFFF)
    codes = [code for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF]
    held = {r"\p{White_Space}": [], r"\p{Extended_Pictographic}": []}
    for code, (category, script, space, pictographic) in zip(codes, rows, strict=True):
        for name in (category, category[0], f"Script={script}"):
            held.setdefault(f"\\p{{{name}}}", []).append(code)
        if space:
            held[r"\p{White_Space}"].append(code)
        if pictographic:
            held[r"\p{Extended_Pictographic}"].append(code)
    assert len(held) > 200
    held |= {r"\s": held[r"\p{White_Space}"], r"\d": held[r"\p{Nd}"]}
    for pattern, wanted in held.items():
        found = [
            code
            for first, last in re.findall(
                r"\\[uU](\w+)(?:-\\[uU](\w+))?", backend.canonical_pattern(pattern)
            )
            for code in range(int(first, 16), int(last or first, 16) + 1)
        ]
        assert found == wanted, pattern


def test_folding_is_simple_case_folding(backend):
    """Beside another implementation of it; full folding, as of the sharp s, is not meant."""
    for code in [*range(0x41, 0x250), *range(0x370, 0x590, 3), *range(0x1E00, 0x2000, 5)]:
        folded = chr(code).casefold()
        if len(folded) == 1 and folded != chr(code):
            found = regex.compile(backend.canonical_pattern(f"(?i:\\u{code:04X})"))
            assert found.fullmatch(folded), hex(code)
    for word, others in {"s": "Sſ", "k": "K\u212a", "å": "Å\u212b", "ß": "ẞ", "θ": "Θϑϴ"}.items():
        wanted = sorted(map(ord, word + others))
        found = backend.canonical_pattern(f"(?i:{word})")
        assert found == "[" + "".join(f"\\u{code:04X}" for code in wanted) + "]"


@given(pattern=patterns())
def test_random_patterns(both_backends, pattern):
    one, two = (outcome(backend, pattern) for backend in both_backends)
    assert one == two


def test_rubbish(both_backends):
    """Any characters of the syntax: the same error or the same canonical form, and no crash."""
    choose = random.Random(5)
    pieces = [*r"()[]{}?*+|^$.-\&,:=!<>ab01 é", "(?:", "(?i:", r"\p{", "L}", r"\u00", "{1,", "[^"]
    accepted = 0
    for _ in range(20_000):
        pattern = "".join(choose.choices(pieces, k=choose.randint(1, 9)))
        one, two = (outcome(backend, pattern) for backend in both_backends)
        assert one == two, pattern
        accepted += not one.startswith("error")
    assert accepted > 500
