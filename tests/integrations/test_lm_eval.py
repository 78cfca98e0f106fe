"""Contexts and continuations for the evaluation harness; the harness itself needs not be there."""

import pytest

from superword.integrations.lm_eval import BoundaryCut, encode_pair
from superword.integrations.transformers import SuperwordTokenizer


class Model:
    """What the harness calls, and how it cuts: the whole, sliced at the length of the context."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def tok_encode(self, string, add_special_tokens=None):
        return self.tokenizer.encode(string, add_special_tokens=add_special_tokens is not False)

    def _encode_pair(self, context, continuation):
        before = self.tok_encode(context)
        return before, self.tok_encode(context + continuation)[len(before) :]


class CutModel(BoundaryCut, Model):
    pass


PAIRS = [
    ("a ran as well", " as b"),
    ("by the", " way"),
    ("a ran ", "as"),
    ("by \n", "the way"),
    ("  ", "by"),
    ("naï", "ve"),
    ("a<s>", "b"),
    ("a", ""),
]


@pytest.mark.parametrize(("context", "continuation"), PAIRS)
def test_each_part_keeps_its_text(engine, context, continuation):
    model = CutModel(SuperwordTokenizer(engine, bos_token="<s>", add_bos_token=True))
    before, behind = model._encode_pair(context, continuation)
    kept = context.rstrip() or context
    assert before == [engine.special_tokens["<s>"], *engine.encode(kept, "all")]
    assert engine.decode(behind) == context[len(kept) :] + continuation
    assert encode_pair(engine, context, continuation) == (before[1:], behind)
    pair = engine.encode_pair(kept, context[len(kept) :] + continuation, "all")
    assert (pair.context, pair.continuation) == (before[1:], behind)


def test_why(engine):
    """What the harness does by itself loses the continuation to a superword."""
    usual, cut = Model(SuperwordTokenizer(engine)), CutModel(SuperwordTokenizer(engine))
    lost = [pair for pair in PAIRS if pair[1] and not usual._encode_pair(*pair)[1]]
    assert ("by the", " way") in lost
    assert all(cut._encode_pair(*pair)[1] for pair in PAIRS if pair[1])
