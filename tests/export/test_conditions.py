"""What a pattern of runs cannot be exact for is refused, with an example."""

from __future__ import annotations

import itertools
import json

import pytest
from tokenizers import Tokenizer as Stock

import superword
from superword.errors import NotExactError
from superword.export.conditions import Whole, plan_of
from superword.export.exported_model import ExportedModel, exported_model
from superword.export.tokenizer_json import tokenizer_json
from superword.exported_folder import model_of
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


def test_words_that_a_merge_crosses_are_looked_up_whole():
    """In `i'th` the regular merges of its bytes would make `th`."""
    documents = [
        *["the that this then path with them"] * 40,
        *[" i'th", "1 i'th"] * 10,
        *[" h.g h.g h.g h.g"] * 20,
        *["h.g"] * 60,
        *[" so i't. so i't!"] * 4,
    ]
    ours = superword.train(documents, algorithm="boundless", vocab_size=300)
    found = model_of(ours)
    assert plan_of(found).whole == [Whole(" i't", "h", (".g",))]
    theirs = Stock.from_str(json.dumps(tokenizer_json(found)))
    words = [" i't", "h", ".g", " h", " path", " with", " so", "x", " ", ".", "i't"]
    texts = ["".join(some) for n in range(1, 5) for some in itertools.product(words, repeat=n)]
    given = [encoding.ids for encoding in theirs.encode_batch(texts)]
    assert given == ours.encode_batch(texts)
    assert ours.token_to_id(" i'th") in ours.encode(" path so i'th h")
    assert ours.token_to_id(" so i't") in ours.encode(" path so i't h")


def test_words_that_a_merge_crosses_and_another_supermerge_needs():
    documents = ["the that this then path with them"] * 40 + [" i'th day", "1 i'th", "i'th."] * 10
    ours = superword.train(documents, algorithm="boundless", vocab_size=310)
    assert refusal(model_of(ours)).startswith(
        "a regular merge crosses from ' i't' to 'h', which the supermerge of "
    )


def test_words_that_must_not_go_on_behind_some():
    """A regular merge crosses from `you` to `'une`, but not from others."""
    documents = [
        *[" you's. you'm. you't. you'd."] * 30,
        *["1 see you. see you"] * 20,
        *[" dit'une fois", "voit'une fois", "1'une fois"] * 8,
    ]
    ours = superword.train(documents, algorithm="boundless", vocab_size=330)
    found = model_of(ours)
    assert list(plan_of(found).guarded) == [(("u",), ["'une"])]
    theirs = Stock.from_str(json.dumps(tokenizer_json(found)))
    words = [" you", "'une", " dit", "voit", " fois", " see", "'s", "x", " ", ".", "1"]
    texts = ["".join(some) for n in range(1, 5) for some in itertools.product(words, repeat=n)]
    given = [encoding.ids for encoding in theirs.encode_batch(texts)]
    assert given == ours.encode_batch(texts)
    assert ours.token_to_id("'une fois") in ours.encode(" see you'une fois")
