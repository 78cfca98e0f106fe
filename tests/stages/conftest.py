"""Random texts for the stages that read code points."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest

from superword.reference.scripts import classify

# Everything that a pattern or a rule names, and what case folding and joining make of it.
NAMED = (
    "sdmtlverSDMTLVERſ\u212akK'/ \r\n\t\x0b\x0c\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005"
    "\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\u200b\u200c\u200d\u2060\ufeff"
    "\u2019\u3006\u3031\u3032\u3033\u3034\u3035\u303c\u30fc\uff70\uff9e\uff9f\u0640\u0345\u0301"
    "\u0558\u088f\u0295\u2605\U0010ffff\0"
)
USUAL = "aAbzZ 's\n1.`{@["

RandomTexts = Callable[[int, int], Iterator[str]]


@pytest.fixture(scope="session")
def random_texts() -> RandomTexts:
    """Return a function (seed, number) -> texts over a few (script, category) pairs each.

    Each pair and each named character leads a text in its turn.
    """
    pairs: dict[tuple[str, str], list[str]] = {}
    for chars, first in ((range(0xD800), 0), (range(0xE000, 0x110000), 0xE000)):
        for code, (category, script, _, _) in zip(chars, classify(first, chars[-1]), strict=True):
            pairs.setdefault((script, category), []).append(chr(code))
    groups = [*pairs.values(), *([char] for char in NAMED)]

    def texts(seed: int, number: int) -> Iterator[str]:
        rng = random.Random(seed)
        for index in range(number):
            palette = [groups[index % len(groups)], *rng.choices(groups, k=rng.randrange(5))]
            # Long stretches of ASCII take the fast paths of the compiled backend.
            ascii_share = rng.randrange(9) / 8
            yield "".join(
                rng.choice(USUAL if rng.random() < ascii_share else rng.choice(palette))
                for _ in range(rng.randrange(1, 29))
            )

    return texts
