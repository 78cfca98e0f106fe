"""What a pattern of runs cannot be exact for is refused, with an example."""

from __future__ import annotations

import pytest

from superword.errors import NotExactError
from superword.export.conditions import plan_of
from superword.export.exported_model import ExportedModel, exported_model
from superword.op import Op
from superword.settings import Cutting

BYTES = [bytes([byte]) for byte in range(256)]


def made(merges, supermerges, scheme="gpt4o", special=None):
    """A model written by hand: pairs of texts."""
    tokens = list(BYTES)
    both = [
        [(left.encode(), right.encode()) for left, right in pairs]
        for pairs in (merges, supermerges)
    ]
    for left, right in both[0] + both[1]:
        if left + right not in tokens:
            tokens.append(left + right)
    return ExportedModel(Cutting(scheme), tokens, special or {}, *both, {})


def spelled(*words):
    """The merges that make words from the left."""
    return list(
        dict.fromkeys((word[:end], word[end]) for word in words for end in range(1, len(word)))
    )


def refusal(found):
    with pytest.raises(NotExactError) as caught:
        plan_of(found)
    return str(caught.value)


def test_deletions_are_refused():
    ops = [Op("merge", b"a", b"b", b"ab", 1), Op("delete", b"ab", b"ab", b"ab", 0)]
    with pytest.raises(NotExactError, match="deletes tokens, 'ab' for one"):
        exported_model(Cutting(), [*BYTES, b"ab"], {}, ops)


@pytest.mark.parametrize(
    ("found", "text"),
    [
        # " b" crosses from "a" to … nothing: a word that is made in two ways
        (made(spelled("ab"), [("a", "b")]), "'ab' is made by a regular merge and by a supermerge"),
        (
            made(spelled(" b", " c"), [("a", " b"), ("a b", " c"), (" b", " c"), ("a", " b c")]),
            "",
        ),
        (
            made(
                spelled(" b", " c", " d"),
                [("a", " b"), ("a b", " c"), ("a b c", " d"), (" b", " c"), ("a", " b c")],
            ),
            "'a b c' is made in two ways, and 'a b c d' of it before the second",
        ),
        (made(spelled(" b"), [("1", " b")]), "'1', which is part of a supermerge, has no letters"),
        (made(spelled("a b"), [("a b", "c")]), "'a b' is part of a supermerge and no pretoken"),
        (made([], [("a", "b")]), "'a' and 'b' could be made inside one pretoken"),
        (made([], [("a", "b")], "gpt4o-scripts"), "the scheme gpt4o-scripts"),
    ],
)
def test_each_condition(found, text):
    if text:
        assert text in refusal(found)
    else:
        plan_of(found)
