"""Bridges: where runs are cut for encoding changes no id, whatever the supermerges are."""

from compose import ALPHABETS
from differential.test_encoder import UNUSED
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.encode import encode

from superword.model import Model, Op
from superword.reference.bridges import bridges_of_ops

WORDS = [b" x", b" y", b" z", b"x"]


def model_of(backend, picks, last_merges):
    """A model of words and of supermerges of any two tokens, and its ops with bytes.

    Some of the ops are merges: their tokens are made by both kinds, some before and some after.
    """
    number = {token: n for n, token in enumerate(ALPHABETS["bytes"])}
    number |= {word: 256 + n for n, word in enumerate(WORDS[:3])}
    ops = [("merge", b" ", word[1:], 9) for word in WORDS[:3]]
    tokens = list(WORDS)
    for one, other in picks:
        left, right = tokens[one % len(tokens)], tokens[other % len(tokens)]
        ops.append(("supermerge", left, right, 1))
        tokens.append(left + right)
    for pick in last_merges:
        _, left, right, _ = ops[pick % len(ops)]
        ops.append(("merge", left, right, 1))
    numbered = []
    for kind, left, right, count in ops:
        new = number.setdefault(left + right, len(number))
        numbered.append((kind, number[left], number[right], new, count))
    model = ("superbpe", "bytes", "superword", "gpt2", "creation", [])
    return (*model, backend.UNICODE_VERSION, *UNUSED, 1, 40, 20, 2, numbered), ops


@settings(max_examples=400)
@given(
    picks=st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=14),
    last_merges=st.lists(st.integers(0, 30), max_size=3),
    texts=st.lists(
        st.lists(st.sampled_from(["x", " x", " y", " z", " xy", "."]), max_size=40).map("".join),
        max_size=4,
    ),
)
def test_what_is_cut_was_never_joined(backend, picks, last_merges, texts):
    model, ops = model_of(backend, picks, last_merges)
    encoder = backend.Encoder(model)
    for text in [*texts, "".join(texts), *texts]:
        tokens = [encoder.token_bytes(n) for n in encoder.encode(text, None)]
        assert tokens == encode(backend.pretokenize(text, "gpt2"), ops)


def test_a_token_that_is_made_in_two_ways_has_two_ends():
    # x+y z and x y+z give one token, and so does a merge
    ops = [
        Op("supermerge", 1, 2, 300, 1),
        Op("supermerge", 300, 3, 301, 1),
        Op("merge", 2, 3, 302, 1),
        Op("supermerge", 1, 302, 301, 1),
        Op("supermerge", 301, 301, 303, 1),
    ]
    twice = {(3, 1), (302, 1)}
    assert bridges_of_ops(ops) == {(1, 2), (2, 3), (1, 302), *twice}
    assert bridges_of_ops([*ops, Op("merge", 300, 3, 301, 1)]) == {
        (1, 2),
        (2, 3),
        (1, 302),
        *twice,
        *((last, 301) for last in (3, 302, 301)),
        (301, 1),
    }


def test_too_many_ends_are_not_worth_knowing(backend):
    """One byte string made of every start and every end: every place is taken for a bridge."""
    ops = [("merge", b"x", b"x", 1)]
    ops += [("merge", b"x" * n, b"x", 1) for n in range(2, 100)]
    ops += [("supermerge", b"x" * n, b"x" * (100 - n), 1) for n in range(1, 100)]
    ops += [("supermerge", b"x" * 100, b"x" * 100, 1)]
    number = {token: n for n, token in enumerate(ALPHABETS["bytes"])}
    numbered = []
    for kind, left, right, count in ops:
        new = number.setdefault(left + right, len(number))
        numbered.append((kind, number[left], number[right], new, count))
    assert bridges_of_ops([Op(*op) for op in numbered]) is None
    model = ("superbpe", "bytes", "superword", None, "creation", [], backend.UNICODE_VERSION)
    model += ("x{1,60}", *UNUSED[1:], 1, 40, 20, 2, numbered)
    encoder = backend.Encoder(model)
    for count in (100, 200, 259):
        text = "x" * count
        pretokens = backend.pretokenize(text, model_cutting(model))
        tokens = [encoder.token_bytes(n) for n in encoder.encode(text, None)]
        assert tokens == encode(pretokens, ops)


def model_cutting(model):
    """How a model cuts text."""
    return Model(*model).cutting
