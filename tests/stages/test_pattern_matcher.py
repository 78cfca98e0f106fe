"""Matching by a custom pattern: the pieces that another engine finds, and a limit of steps."""

import json
import re
import time
import tracemalloc
from pathlib import Path

import pytest
import regex
from hypothesis import given, settings
from pattern_strategies import PLAIN_HOWS, PLAIN_SETS, patterns, texts

from superword.errors import PatternTooExpensiveError, SettingsError
from superword.reference.pattern_steps import Steps
from superword.reference.patterns import NAMED_PATTERNS
from superword.reference.pretokenize import pretokenizer_of
from superword.settings import Cutting

CASES = json.loads((Path(__file__).parents[1] / "cases" / "pattern_syntax.json").read_text("utf-8"))
COSTLY = r"\s+\s+\s+x|\S"


def cut(backend, pattern, text):
    return [piece.decode() for piece in backend.pretokenize(text, Cutting(None, pattern))]


def with_gaps(compiled, text):
    """What another engine finds, and what stands between."""
    pieces, at = [], 0
    for match in compiled.finditer(text):
        pieces += [text[at : match.start()], match.group()]
        at = match.end()
    return [piece for piece in [*pieces, text[at:]] if piece]


@pytest.mark.parametrize("case", CASES["pieces"], ids=lambda case: case["name"])
def test_named_cases(backend, case):
    assert cut(backend, case["pattern"], case["text"]) == case["pieces"]


@given(pattern=patterns(), text=texts())
@settings(max_examples=3000)
def test_random_patterns(both_backends, pattern, text):
    reference, extension = both_backends
    try:
        pieces = cut(reference, pattern, text)
    except SettingsError:
        return
    assert cut(extension, pattern, text) == pieces
    assert "".join(pieces) == text
    # the engine reads the pattern as it was given, but for the end before a last newline
    given_pattern = pattern.replace("$", r"\Z")
    assert with_gaps(regex.compile(given_pattern), text) == pieces
    # and the canonical form
    assert with_gaps(regex.compile(reference.canonical_pattern(pattern)), text) == pieces
    eligible = Cutting("gpt2", eligible_pattern=pattern)
    found = {backend.is_eligible_text(text.encode(), eligible) for backend in both_backends}
    assert found == {regex.search(given_pattern, text) is not None}


@given(pattern=patterns(PLAIN_SETS, PLAIN_HOWS), text=texts())
@settings(max_examples=1000)
def test_a_third_engine(backend, pattern, text):
    """`re` has no classes by name, and its possessive groups were not always right."""
    try:
        pieces = cut(backend, pattern, text)
    except SettingsError:
        return
    assert with_gaps(re.compile(pattern.replace("$", r"\Z")), text) == pieces


@pytest.mark.parametrize("name", NAMED_PATTERNS)
def test_the_matcher_equals_the_scanners(backend, random_texts, name):
    """A group that is not needed makes no named pattern of it, but an alternative does."""
    pattern = NAMED_PATTERNS[name]
    never = f"{pattern}|\\U0010FFFE"
    texts = list(random_texts(45, 1_500))
    for first in range(0, len(texts), 15):  # a pattern is read anew for each
        text = "".join(texts[first : first + 15])
        assert cut(backend, never, text) == cut(backend, pattern, text), ascii(text)


@pytest.mark.parametrize("pattern", [COSTLY, r".*?.*?!|\S", r"(?:a| )*(?:a| )*x|\S"])
@pytest.mark.parametrize("text", [" " * 3000, " " * 100_000 + "a", "a " * 1000 + " " * 5000])
def test_a_costly_pattern_gives_up_soon(both_backends, pattern, text):
    """The same text from both, for both count steps alike; never a short result."""
    found = []
    for backend in both_backends:
        start = time.process_time()
        with pytest.raises(PatternTooExpensiveError) as caught:
            cut(backend, pattern, text)
        # the reference takes 1.6 s for the longest
        assert time.process_time() - start < 2 + len(text) / 25_000
        found.append(str(caught.value))
    assert found[0] == found[1]
    assert "the pattern is too expensive: no end after" in found[0]


def test_the_place_is_counted_from_the_start_of_the_text(backend):
    how = Cutting(None, COSTLY, r"\s+\s+\s+y|\S", ("Greek",))
    with pytest.raises(
        PatternTooExpensiveError, match=r"at position 4 of the text, before ' {20}'"
    ):
        backend.pretokenize("éaéβ" + " " * 3000 + "β", how)


# Look-arounds over all that follows, texts, and the steps for 3,000 of them, which a test of the
# compiled backend has, too
FAR = [
    (r"\d{1,3}(?=(?:\d{3})*(?:\D|$))|.", "7", 9_000),
    (r"(?=(?:a|b)*c)a|b", "ab", 51_002),
    (r"(?=\d+x)\d|.", "7", 24_376),
    (r"(?!.*?x)é|.", "é", 24_377),
    (r"(?=\d*7{2,}x)\d|.", "7", 30_378),
    (r"(?=.*7)\d|.", "7,", 27_755),
    (r"(?=[^,]*,++x)\d|.", "77,", 66_000),
    (r"(?=(?:\d\d)*+x)\d|.", "7", 39_006),
    (r"(?=(?:a\d*?|b+,)++x)[ab]|.", "a7bb,", 149_998),
    (r"(?=(?:\d\p{M}*)+x)\d|.", "7\u0301", 33_751),
    (r"(?=(?:..)*[^,]*,+x)\d|.", "777,77777,", 456_001),
]


@pytest.mark.parametrize(("pattern", "text", "expected"), FAR)
def test_looking_far_ahead_takes_linear_time(both_backends, pattern, text, expected):
    """What repeats in a look-around is looked at once, however far it reaches."""
    cutter = pretokenizer_of(Cutting(None, pattern))
    for times in (3_000, 6_000):
        steps = Steps(0, 10_000_000)
        pieces = cutter.pretokenize(text * times, steps)
        assert both_backends[1].pretokenize(text * times, Cutting(None, pattern)) == pieces
        taken = steps.limit - steps.left
        assert expected * times / 3_000 * 0.99 < taken < expected * times / 3_000 * 1.01
        assert times > 3_000 or taken == expected
    # no bound on how far: a square of this would be too much
    text *= 600_000 // len(text)
    assert b"".join(both_backends[1].pretokenize(text, Cutting(None, pattern))) == text.encode()


def test_what_is_remembered_is_in_proportion_to_the_text(both_backends):
    """A byte for each group and character, and what is being looked at, while it is."""
    cutter = pretokenizer_of(Cutting(None, "(?=(?:a|b)*c)a|b"))
    peaks = []
    for times in (5_000, 10_000):
        tracemalloc.start()
        cutter.pretokenize("ab" * times)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2.2 * peaks[0] < 2.2 * 300 * 10_000


LONG = [r".", r"\s+(?!\S)|\S+|\s", r"(?:\p{L}\p{M}*)+|[^\p{L}]", r"(?:[a ]b?)+|.", "(?:ab?)++|."]


@pytest.mark.parametrize("pattern", LONG)
@pytest.mark.parametrize("char", ["a", " ", "^", "\u0301"])
def test_a_million_equal_characters(backend, pattern, char):
    text = char * 1_000_000
    assert "".join(cut(backend, pattern, text)) == text


def test_a_deep_stack_is_no_recursion(backend):
    """Each of a million groups can be given back, and at the end all are."""
    text = "ab" * 200_000
    assert cut(backend, "(?:a|b)+c|[ab]+", text) == [text]


PUBLISHED = [
    *("tiny/ultimate_ss.boundless.greedy4", "tiny/wordlevel_ss.boundless.greedy4"),
    *("tiny/full.boundless.greedy4", "tiny/gpt2_ss.boundless.greedy4"),
]


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_patterns(both_backends, shared, tiny_corpus, name):
    """As the engine of their authors cuts, which reads the names of classes by itself."""
    config = json.loads((shared / "golden" / f"{name}.json").read_text("utf-8"))
    patterns = [config["main_regex"], config.get("script_specific_regex")]
    text = "\n".join(tiny_corpus)
    for char in "♪♭♯":  # their Extended_Pictographic differs from version to version
        text = text.replace(char, "")
    for pattern in filter(None, patterns):
        pieces = cut(both_backends[1], pattern, text)
        assert cut(both_backends[0], pattern, text) == pieces
        assert with_gaps(regex.compile(pattern), text) == pieces
