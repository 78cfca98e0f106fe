"""The look-ahead of a word fits exactly where the pretoken ends with the word."""

from __future__ import annotations

import itertools
import re
from functools import cache

import pytest
from export.models import SCHEMES

from superword.export.adversarial import Numbers
from superword.export.factors import in_one_pretoken
from superword.export.tails import look_ahead, tail_of
from superword.reference.patterns import format_set
from superword.reference.pretokenize import pretokenize

# of each class that some scheme knows, in several scripts
SMALL = "aAЯª\u0301א漢ー𝐚ก\u0e48's .1"
LARGE = SMALL + "яʼ𝐀t\nǅſSrevlR\u05b0\u0483カ\u3099\u0345λΛ가#/\r\u00a0２\u0903ｰ՛Աա᏿Ꮿ"


def texts(alphabet, length):
    return [
        "".join(found) for n in range(length + 1) for found in itertools.product(alphabet, repeat=n)
    ]


@cache
def compiled(tail, scheme):
    return re.compile(look_ahead(tail, scheme, format_set))


def words(alphabet, length, scheme):
    """All words of so many characters, each with its tail, as a compiled pattern."""
    found = {}
    for text in texts(alphabet, length):
        if text and pretokenize(text, scheme) == [text.encode()]:
            tail = tail_of(text, scheme)
            if tail is not None:
                found[text] = compiled(tail, scheme)
    return found


def ends(word, text, scheme):
    return pretokenize(word + text, scheme)[0] == word.encode()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_short_words_before_short_texts(scheme):
    behind = texts(SMALL, 2)
    known = words(SMALL, 2, scheme)
    assert len(known) > 40
    for word, ahead in known.items():
        for text in behind:
            assert (ahead.match(text) is not None) == ends(word, text, scheme), (word, text)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_long_words_before_long_texts(scheme):
    numbers = Numbers(7)
    behind = [
        "".join(LARGE[numbers.below(len(LARGE))] for _ in range(1 + numbers.below(5)))
        for _ in range(20_000)
    ]
    tried = 0
    for start, text in zip(behind[::2], behind[1::2], strict=True):
        word = pretokenize(start, scheme)[0].decode()
        tail = tail_of(word, scheme) if pretokenize(word, scheme) == [word.encode()] else None
        if tail is not None:
            ahead = compiled(tail, scheme)
            assert (ahead.match(text) is not None) == ends(word, text, scheme), (word, text)
            tried += 1
    assert tried > 1000


@pytest.mark.parametrize("scheme", SCHEMES)
def test_words_with_letters_have_a_tail(scheme):
    for text in texts(SMALL, 2):
        if pretokenize(text, scheme) == [text.encode()]:
            letter = any(char in text for char in "aAяЯªא漢ーʼ𝐀𝐚กst")
            assert (tail_of(text, scheme) is not None) >= letter, text


@pytest.mark.parametrize("scheme", SCHEMES)
def test_parts_of_pretokens(scheme):
    """What stands in a pretoken somewhere could stand in one."""
    for text in texts(SMALL[::2] + "s", 4):
        for piece in pretokenize(text, scheme):
            word = piece.decode()
            for start in range(len(word)):
                assert in_one_pretoken(word[start:], scheme), word


def test_what_is_no_part_of_a_pretoken():
    for scheme in SCHEMES:
        assert not in_one_pretoken("g the", scheme)
        assert not in_one_pretoken("1a", scheme)
    assert not in_one_pretoken("getValue", "gpt4o")
    assert in_one_pretoken("aя", "gpt4o")
    assert not in_one_pretoken("aя", "gpt4o-uniscript")
    assert in_one_pretoken("don't", "gpt4o")
    assert not in_one_pretoken("don't", "gpt4")
