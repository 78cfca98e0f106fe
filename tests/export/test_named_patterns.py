"""Patterns for other engines cut every text as superword does."""

from __future__ import annotations

import itertools

import pytest
from export.engines import cut_by

from superword.export.dialects import DIALECTS, Dialect
from superword.export.named_patterns import pattern_of
from superword.reference.pretokenize import pretokenize
from superword.settings import Cutting

# one or more of each kind of character that some scheme tells from others
REPRESENTATIVES = (
    "asAяЯ\u0483\u0482א\u05be\u05b0\u0967漢カก\u0e48\u0e51\u0e4f \n\t.'1\u02bc𝐚𝐀\U0001d165/\u0301"
    "\u200d\u1680\u1681"
)
# what contractions and the ends of lines are made of
NAMED = "'lLrReEvVsSſtdmKa 1\r\n/."
SCHEMES = ["gpt2", "gpt4", "gpt4o", "gpt4o-uniscript"]


def expected(texts: list[str], cutting: str | Cutting) -> list[list[str]]:
    return [[piece.decode() for piece in pretokenize(text, cutting)] for text in texts]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("alphabet", [REPRESENTATIVES, NAMED], ids=["classes", "named"])
def test_all_short_texts(scheme: str, dialect: Dialect, alphabet: str) -> None:
    texts = ["".join(x) for n in (1, 2, 3) for x in itertools.product(alphabet, repeat=n)]
    wanted = expected(texts, scheme)
    assert cut_by(dialect, pattern_of(Cutting(scheme), dialect), texts, wanted) == wanted
