"""Texts longer than a block of 64 bytes, which Rust cuts otherwise than short ones."""

import random

import pytest

from superword import _core, reference
from superword.settings import SCHEMES

PIECES = [
    *"aT \n\t/'\u017f\u20191é漢я.\x00\xa0\u0301\u0e01",
    *("  ", "\r\n", "'s", "'LL", "12", "()", "don't", "word", "WORD", "x/\n/"),
]
LENGTHS = (15, 16, 17, 63, 64, 65, 127, 128, 129, 400)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_long_texts_of_few_kinds(scheme):
    choose = random.Random(scheme)
    for round_ in range(600):
        kinds = choose.choices(PIECES, k=choose.randint(1, 6))
        text = "".join(choose.choices(kinds, k=400))[: LENGTHS[round_ % len(LENGTHS)]]
        place = choose.randint(0, len(text))
        text = text[:place] + choose.choice(("", "é", "漢", "\u0301")) + text[place:]
        expected = reference.pretokenize(text, scheme)
        assert _core.pretokenize(text, scheme) == expected, repr(text)
