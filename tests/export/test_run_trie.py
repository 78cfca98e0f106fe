"""The pattern of runs in every dialect: what tokenizers, tiktoken and node make of it."""

from __future__ import annotations

import itertools
import json
import time

import pytest
from export.engines import cut_by_javascript, cut_by_tokenizers
from export.models import SCHEMES, documents, model, tokenizer
from tokenizers import Tokenizer as Stock

from superword.export.adversarial import adversarial_texts
from superword.export.dialects import DIALECTS
from superword.export.run_trie import pattern
from superword.export.tokenizer_json import tokenizer_json
from superword.reference.pretokenize import pretokenize


@pytest.mark.parametrize("scheme", SCHEMES)
def test_javascript_cuts_as_oniguruma_does(scheme):
    texts = [*itertools.islice(adversarial_texts(model(scheme)), 3000), *documents()[::20]]
    regex = pattern(model(scheme), "javascript")
    assert len(regex.encode()) < 600_000
    (cuts,) = cut_by_javascript([(regex, texts)])
    assert cuts == cut_by_tokenizers(pattern(model(scheme)), texts)


def test_what_is_for_javascript_is_for_tokenizers_too():
    ours = tokenizer("gpt4o-uniscript")
    theirs = Stock.from_str(json.dumps(tokenizer_json(model("gpt4o-uniscript"), "javascript")))
    texts = list(itertools.islice(adversarial_texts(model("gpt4o-uniscript")), 2000))
    given = [encoding.ids for encoding in theirs.encode_batch(texts)]
    assert given == ours.encode_batch(texts, "all")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_pieces_are_whole_pretokens(scheme):
    """Each piece is one pretoken, or several that are words of superwords."""
    words = {word.decode() for pair in model(scheme).supermerges for word in pair}
    texts = documents()[::10]
    joined = 0
    for text, cut in zip(texts, cut_by_tokenizers(pattern(model(scheme)), texts), strict=True):
        rest = [piece.decode() for piece in pretokenize(text, scheme)]
        for piece in cut:
            inside = []
            while len("".join(inside)) < len(piece):
                inside.append(rest.pop(0))
            assert "".join(inside) == piece
            assert len(inside) == 1 or set(inside) <= words
            joined += len(inside) > 1
        assert not rest
    assert joined > 1000


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_model_without_superwords_needs_no_runs(dialect):
    plain = pattern(model("gpt4o", "bpe"), dialect)
    assert "?<t0>" not in plain
    assert len(plain) < len(pattern(model("gpt4o"), dialect))


UNITS = (
    " of the", " of", "a", "A", " ", "\n", "'s", "don't", "漢", "ー。", "ʼ ", "❤️ ", "1\u0301", "𝐀𝐚",
    "aʼ", "ʼA", "the", "THE", " i", "é", "#", "//", "中A", "\u0301", "aя",
)  # fmt: skip


@pytest.mark.parametrize("scheme", ["gpt4o", "gpt4o-uniscript"])
def test_long_stretches_take_linear_time(scheme):
    """Fifteen times the text in far less than 225 times the time."""
    regex = pattern(model(scheme))

    def seconds(unit, length):
        text = unit * (length // len(unit))
        start = time.process_time()
        cut_by_tokenizers(regex, [text])
        return time.process_time() - start

    for unit in UNITS:
        short = min(seconds(unit, 2000) for _ in range(2))
        assert seconds(unit, 30_000) < 75 * short, unit
