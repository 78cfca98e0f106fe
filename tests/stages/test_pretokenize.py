"""Documents to pretokens."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
import regex

from superword.errors import SettingsError
from superword.reference.patterns import uniscript_patterns

RandomTexts = Callable[[int, int], Iterator[str]]

CASES = json.loads(
    (Path(__file__).parents[1] / "cases" / "pretokenize.json").read_text(encoding="utf-8")
)
# Another engine than that of the reference, which reads the same ranges.
BOUNDED, UNBOUNDED = map(regex.compile, uniscript_patterns())
SCHEMES = ("gpt2", "gpt4", "gpt4o", "gpt4o-scripts", "gpt4o-uniscript")
NOT_REAL = {"Common", "Inherited", "Unknown"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_named_cases(backend: ModuleType, case: dict) -> None:
    pieces = backend.pretokenize(case["text"], case["scheme"])
    assert [piece.decode() for piece in pieces] == case["pretokens"]


@pytest.mark.parametrize("scheme", [*SCHEMES, "none"])
def test_nothing_is_lost(backend: ModuleType, random_texts: RandomTexts, scheme: str) -> None:
    assert backend.pretokenize("", scheme) == []
    for text in random_texts(41, 2_000):
        pieces = backend.pretokenize(text, scheme)
        assert b"".join(pieces) == text.encode(), ascii(text)
        assert all(pieces)


@pytest.mark.parametrize("scheme", ["gpt4o-scripts", "gpt4o-uniscript"])
def test_no_pretoken_holds_two_real_scripts(
    backend: ModuleType, random_texts: RandomTexts, scheme: str
) -> None:
    for text in random_texts(42, 5_000):
        for piece in backend.pretokenize(text, scheme):
            scripts = {backend.classify(ord(c), ord(c))[0][1] for c in piece.decode()}
            assert len(scripts - NOT_REAL) <= 1, ascii(text)


def by_truncation(backend: ModuleType, text: str) -> list[bytes]:
    """Return the pretokens of `gpt4o-uniscript` as SPEC section 3.4 words them."""
    scripts = [backend.classify(ord(char), ord(char))[0][1] for char in text]
    pieces = []
    at = 0
    while at < len(text):
        real = [i for i in range(at, len(text)) if scripts[i] not in NOT_REAL]
        limit = next((i for i in real if scripts[i] != scripts[real[0]]), len(text))
        match = BOUNDED.match(text[at:limit]) or UNBOUNDED.match(text[at:])
        assert match is not None
        pieces.append(match.group().encode())
        at += match.end()
    return pieces


def test_uniscript_is_its_definition_by_truncation(
    backend: ModuleType, random_texts: RandomTexts
) -> None:
    for text in random_texts(43, 5_000):
        pieces = backend.pretokenize(text, "gpt4o-uniscript")
        assert pieces == by_truncation(backend, text), ascii(text)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_character_beyond_ffff_changes_nothing_before_it(
    backend: ModuleType, scheme: str
) -> None:
    """The reference cuts texts with such characters in another way than those without."""
    scalars = map(chr, (*range(0xD800), *range(0xE000, 0x10000)))
    text = "".join(f"a{char}b  {char}1" for char in scalars) + "\n"
    pieces = backend.pretokenize(text, scheme)
    assert b"".join(pieces) == text.encode()
    assert backend.pretokenize(text + "\U0001f600", scheme) == [*pieces, "\U0001f600".encode()]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_lone_surrogate_is_an_error(backend: ModuleType, scheme: str) -> None:
    with pytest.raises(UnicodeEncodeError):
        backend.pretokenize("a\ud800 b", scheme)


LONG = [
    *((scheme, char, 1_000_000) for scheme in SCHEMES for char in " \n"),
    *((scheme, char, 300_000) for scheme in SCHEMES for char in "aA1"),
    *((scheme, char, 300_000) for scheme in SCHEMES[3:] for char in "漢ー/\u0301"),
]


@pytest.mark.parametrize(("scheme", "char", "length"), LONG, ids=ascii)
def test_time_is_linear(backend: ModuleType, scheme: str, char: str, length: int) -> None:
    start = time.process_time()
    pieces = backend.pretokenize(char * length, scheme)
    assert time.process_time() - start < 60, "quadratic work would take much longer"
    assert b"".join(pieces) == char.encode() * length


def test_an_unknown_scheme_is_named_with_the_known_ones(backend: ModuleType) -> None:
    with pytest.raises(SettingsError) as caught:
        backend.pretokenize("a", "gpt5")
    assert str(caught.value) == (
        "scheme must be one of gpt2, gpt4, gpt4o, gpt4o-scripts, gpt4o-uniscript, none, not 'gpt5'"
    )


@pytest.mark.parametrize(
    ("pretoken", "eligible"),
    [
        (b" be", True),
        ("漢".encode(), True),
        ("1ª".encode(), True),
        ("\u0301".encode(), False),
        (b"42", False),
        (b" ", False),
        (b"", False),
        ("Ⅻ".encode(), False),
        (b"\xe6\xbc", False),
        (b"a\xff", False),
        (b"\xed\xa0\x80a", False),
    ],
)
def test_eligible_is_what_holds_a_letter(
    backend: ModuleType, pretoken: bytes, eligible: bool
) -> None:
    assert backend.is_eligible_text(pretoken) is eligible


@pytest.mark.parametrize("scheme", SCHEMES)
def test_both_backends_agree_on_random_texts(
    both_backends: tuple[ModuleType, ModuleType], random_texts: RandomTexts, scheme: str
) -> None:
    reference, extension = both_backends
    for text in random_texts(44, 20_000):
        expected = reference.pretokenize(text, scheme)
        assert extension.pretokenize(text, scheme) == expected, ascii(text)
        for piece in expected:
            assert extension.is_eligible_text(piece) is reference.is_eligible_text(piece)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_both_backends_agree_beyond_ffff(
    both_backends: tuple[ModuleType, ModuleType], scheme: str
) -> None:
    """The last one before, and one of each category and script, before and behind others."""
    reference, extension = both_backends
    codes = [*range(0x10000, 0x20000), 0x20000, *range(0xE0000, 0xE0200), 0x10FFFF]
    chars = {extension.classify(code, code)[0]: chr(code) for code in codes}
    assert len(chars) > 300
    every = [
        f"a{c} {c}b1{c}'s{c}\u0301A{c}\n{c}/{c}{c}ー漢{c}  {c}" for c in ("\uffff", *chars.values())
    ]
    for text in (*every, "".join(every)):
        expected = reference.pretokenize(text, scheme)
        assert extension.pretokenize(text, scheme) == expected, ascii(text)
        for piece in expected:
            assert extension.is_eligible_text(piece) is reference.is_eligible_text(piece)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", ["en", "multi", "code", "lao_burmese"])
def test_both_backends_agree_on_real_text(
    both_backends: tuple[ModuleType, ModuleType], shared: Path, scheme: str, name: str
) -> None:
    reference, extension = both_backends
    size = 0
    with (shared / "corpus" / f"{name}.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            text = json.loads(line)["text"]
            assert extension.pretokenize(text, scheme) == reference.pretokenize(text, scheme)
            size += len(text)
            if size > 200_000:
                break
    assert size > 50_000
