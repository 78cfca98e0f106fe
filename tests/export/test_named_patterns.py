"""Patterns for other engines cut every text as superword does."""

from __future__ import annotations

import itertools
import json
import os
import random
from functools import cache
from pathlib import Path

import pytest
from export.engines import cut_by

from superword.export.dialects import DIALECTS, Dialect
from superword.export.named_patterns import pattern_of
from superword.reference.pretokenize import pretokenize
from superword.reference.scripts import classify
from superword.settings import Cutting

# one or more of each kind of character that some scheme tells from others
REPRESENTATIVES = (
    "asAяЯ\u0483\u0482א\u05be\u05b0\u0967漢カก\u0e48\u0e51\u0e4f \n\t.'1\u02bc𝐚𝐀\U0001d165/\u0301"
    "\u200d\u1680\u1681"
)
# the same for what cuts without regard to scripts
FEWER = "aAяǅ漢\u02bc1१.'/ \n\t\u0301\u200d\u1680"
# what contractions and the ends of lines are made of
NAMED = "'lLrReEvVsSſtdmKa 1\r\n/."
# shared characters of each kind, and Latin letters: what stands beside those of another script
BESIDE = " \n.'1\u02bc𝐚𝐀\u0301aA"
OTHERS = "яЯא\u05be漢カก\u0e48\u1680"
CONTEXT = "a{0}B.{0}1{0}\n {0}\u02bc{0}я{0}𝐀{0}"
DIALECTS_OF: dict[str, tuple[Dialect, ...]] = {
    "gpt2": DIALECTS,
    "gpt4": DIALECTS,
    "gpt4o": DIALECTS,
    "gpt4o-uniscript": DIALECTS,
    "gpt4o-scripts": ("oniguruma",),
}
every_scheme = pytest.mark.parametrize("scheme", DIALECTS_OF)


def check(scheme: str, texts: list[str]) -> None:
    """Every engine cuts the texts as superword does."""
    wanted = [[piece.decode() for piece in pretokenize(text, scheme)] for text in texts]
    for dialect in DIALECTS_OF[scheme]:
        found = cut_by(dialect, pattern_of(Cutting(scheme), dialect), texts, wanted)
        for text, cut, other in zip(texts, wanted, found, strict=True):
            assert cut == other, f"{dialect}: {text[:100]!a}"


def strings(alphabet: str, *lengths: int) -> list[str]:
    return ["".join(x) for n in lengths for x in itertools.product(alphabet, repeat=n)]


@cache
def kinds() -> dict[str, list[str]]:
    """The first and the last character of each script and general category, by script."""
    found: dict[str, dict[str, list[str]]] = {}
    codes = itertools.chain(range(0xD800), range(0xE000, 0x110000))
    for code, (category, script, _, _) in zip(codes, classify(0, 0x10FFFF), strict=True):
        ends = found.setdefault(script, {}).setdefault(category, [])
        ends[1:] = [chr(code)]
    return {script: sorted({*itertools.chain(*ends.values())}) for script, ends in found.items()}


def edges() -> list[str]:
    """The first and the last character of every stretch with the same properties."""
    codes = [*range(0xD800), *range(0xE000, 0x110000)]
    found = []
    for _, group in itertools.groupby(
        zip(codes, classify(0, 0x10FFFF), strict=True), key=lambda item: item[1]
    ):
        first, *others = group
        found += [chr(first[0]), *(chr(code) for code, _ in others[-1:])]
    return found


def documents(path: Path, characters: int) -> list[str]:
    """The beginnings of the first documents of a file."""
    texts = []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            texts.append(json.loads(line)["text"][:4000])
            characters -= len(texts[-1])
            if characters < 0:
                break
    return texts


@every_scheme
def test_all_short_texts(scheme: str) -> None:
    alphabet = FEWER if scheme in ("gpt2", "gpt4", "gpt4o") else REPRESENTATIVES
    check(scheme, strings(alphabet, 1, 2, 3) + strings(NAMED, 2, 3))


@pytest.mark.long
@pytest.mark.parametrize("first", REPRESENTATIVES, ids=ascii)
def test_all_texts_of_four_characters(first: str) -> None:
    """All 1,048,576 of them, for the default scheme: about ten minutes."""
    check("gpt4o-uniscript", [first + text for text in strings(REPRESENTATIVES, 3)])


@every_scheme
def test_the_edges_of_every_range(scheme: str) -> None:
    texts = [CONTEXT.format(char) for char in edges()]
    assert len(texts) > 6000
    check(scheme, texts)


@pytest.mark.parametrize("scheme", ["gpt4o-uniscript", "gpt4o-scripts"])
def test_texts_of_every_script(scheme: str) -> None:
    rng = random.Random(8)
    texts = []
    for chars in kinds().values():
        own = "".join(chars)
        texts += [a + b + rng.choice(own + BESIDE) for a in own for b in BESIDE]
        texts += ["".join(rng.choices(own + BESIDE + OTHERS, k=12)) for _ in range(20)]
    check(scheme, texts)


@pytest.mark.long
def test_all_texts_of_every_script() -> None:
    """Up to three characters of one script and of those that stand beside it; half an hour."""
    for chars in kinds().values():
        check("gpt4o-uniscript", strings("".join(chars[:12]) + BESIDE, 1, 2, 3))


@every_scheme
def test_real_texts(scheme: str, tiny_corpus: list[str]) -> None:
    check(scheme, tiny_corpus)


@pytest.mark.shared
@every_scheme
def test_corpora(scheme: str, shared: Path) -> None:
    for name in ("multi", "code", "lao_burmese", "en"):
        check(scheme, documents(shared / f"corpus/{name}.jsonl", 20_000))


STRETCHES = [
    *(
        "a",
        "A",
        "aA",
        "a\u02bc",
        "\u02bcA",
        "\u02bc",
        "\u02bc ",
        "。ー",
        "ー",
        "❤\ufe0f",
        "1\u0301",
    ),
    *("1", "1a", "𝐀", "𝐚", "𝐀𝐚", "\u0301", "\u05be\u02bc", "אa", "漢", "カー", "ก\u0e48", "\u0e48"),
    *("\u0e4f", " ", "\n", " \n", "\r\n", "/", "'s", "a's", ".", "-\n", "\u1680\u1681", "1٣", "aя"),
    *("a.я", "\ua838", "\ua800𝐀𝐚", "\u02b0A", "क॥", "\uaa80\uaade\u02bc", "\U000e0100", "\ue000"),
]


def test_long_stretches() -> None:
    """No engine gives up."""
    check("gpt4o-uniscript", [(text * 10_000)[:20_000] for text in STRETCHES])


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["gpt4o", "gpt4o-uniscript"])
@pytest.mark.parametrize("text", STRETCHES, ids=ascii)
def test_time_in_proportion_to_the_length(scheme: str, text: str) -> None:
    """Four times the length takes at most eight times as long; a minute and a half."""
    seconds: dict[Dialect, list[float]] = {dialect: [] for dialect in DIALECTS}
    for length in (20_000, 40_000, 80_000):
        stretch = (text * length)[:length]
        cut = [piece.decode() for piece in pretokenize(stretch, scheme)]
        for dialect in DIALECTS:
            pattern = pattern_of(Cutting(scheme), dialect)
            before = sum(os.times()[:4])
            assert cut_by(dialect, pattern, [stretch], [cut]) == [cut]
            seconds[dialect].append(sum(os.times()[:4]) - before)
    for dialect, (short, _, long) in seconds.items():
        assert long < 8 * short + 0.5, f"{dialect}: {seconds[dialect]}"


def test_sizes() -> None:
    """Bytes of UTF-8, which a tokenizer.json holds; what needs no groups is one text for all."""
    sizes = {
        (scheme, dialect): len(pattern_of(Cutting(scheme), dialect).encode())
        for scheme, dialects in DIALECTS_OF.items()
        for dialect in dialects
    }
    assert sizes["gpt4o-uniscript", "oniguruma"] < 270_000
    assert sizes["gpt4o-scripts", "oniguruma"] < 260_000
    for scheme in ("gpt2", "gpt4o", "gpt4o-uniscript"):
        assert len({pattern_of(Cutting(scheme), dialect) for dialect in DIALECTS}) == 1
    assert sizes["gpt4o", "oniguruma"] < 50_000
