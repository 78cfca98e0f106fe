"""Sets of code points, and how every engine reads them."""

from __future__ import annotations

import itertools
import random

import pytest
from export.engines import NODE, cut_by, cut_by_javascript, cut_by_tiktoken, cut_by_tokenizers

from superword.export.code_points import both, class_of, escape, literal, minus
from superword.export.dialects import DIALECTS, Dialect
from superword.reference.patterns import complement, union
from superword.reference.unicode import Ranges

EDGES = [0, 0x7F, 0x80, 0xD7FE, 0xD7FF, 0xE000, 0xE001, 0xFFFF, 0x10000, 0x10FFFF]
CODES = sorted({*EDGES, *range(0x80), *range(0x2FE, 0x312), 0xF000, 0x12345})


def random_ranges(rng: random.Random) -> Ranges:
    ends = sorted(rng.sample(CODES, 8))
    pairs = zip(ends[::2], ends[1::2], strict=True)
    return minus(union(tuple(pairs)), ((0xD800, 0xDFFF),))


def inside(ranges: Ranges) -> set[int]:
    """Which of `CODES` are in these ranges."""
    return {code for code in CODES if any(first <= code <= last for first, last in ranges)}


def test_arithmetic() -> None:
    rng = random.Random(1)
    for _ in range(300):
        left, right = random_ranges(rng), random_ranges(rng)
        assert inside(both(left, right)) == inside(left) & inside(right)
        assert inside(minus(left, right)) == inside(left) - inside(right)
        assert both(left, right) == union(both(left, right))  # ascending, and as few as can be


def test_every_engine_reads_a_set_alike() -> None:
    rng = random.Random(2)
    sets = [random_ranges(rng) for _ in range(60)]
    sets += [((0xD7FF, 0xD7FF), (0xE000, 0xE000)), ((0x100, 0xD7FF), (0xE000, 0xF000))]
    # of a set and what it leaves out, one is spelled as a negated set
    sets += [complement(ranges) for ranges in sets]
    text = "".join(map(chr, CODES))
    jobs = []
    for ranges in sets:
        own = class_of(ranges)
        jobs.append((f"{own}+|(?:(?!{own})[\\x00-\U0010ffff])+", [text]))
    assert any(job[0].startswith("[^") for job in jobs)
    cuts = []
    for ranges in sets:
        found = inside(ranges)
        groups = itertools.groupby(text, key=lambda char: ord(char) in found)
        cuts.append(["".join(group) for _, group in groups])
    by_javascript = cut_by_javascript(jobs) if NODE else [[cut] for cut in cuts]
    for (pattern, texts), cut, other in zip(jobs, cuts, by_javascript, strict=True):
        assert cut_by_tokenizers(pattern, texts) == [cut], pattern
        assert cut_by_tiktoken(pattern, texts, [cut]) == [cut], pattern
        assert other == [cut], pattern


@pytest.mark.parametrize(
    "dialect",
    [pytest.param(d, marks=pytest.mark.node if d == "javascript" else ()) for d in DIALECTS],
)
def test_every_engine_reads_a_literal_alike(dialect: Dialect) -> None:
    text = "".join(chr(code) for code in [*range(0x100), 0x300, 0x2028, 0xFEFF, *EDGES])
    pattern = "|".join(escape(ord(char)) for char in text)
    assert cut_by(dialect, pattern, [text], [list(text)]) == [list(text)]
    assert cut_by(dialect, literal(text), [text], [[text]]) == [[text]]
