"""Texts are cut at added tokens as the `tokenizers` library cuts them."""

import random
import re

import pytest
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers

import superword
from superword.integrations.added_tokens import Added, Piece, Splitter
from superword.integrations.token_text import text_of
from superword.integrations.transformers import SuperwordTokenizer

TOKENS = [
    AddedToken("<s>", special=True, normalized=False),
    AddedToken("<s>a", special=True, normalized=False, lstrip=True),
    AddedToken("ab", special=False, normalized=True, single_word=True),
    AddedToken("b<", special=False, normalized=False, rstrip=True),
    AddedToken("a b", special=False, normalized=True, lstrip=True, rstrip=True),
    AddedToken("éb", special=False, normalized=True, single_word=True, lstrip=True),
    AddedToken("aba", special=True, normalized=True),
]
PARTS = [*"ab<s>é \n_1-", "<s>", "ab", "a b", "\u00a0", "²", "Ⓐ", "\u0301", "\u200d", "\x1d", "日"]


def byte_level(tokens):
    """Byte-level BPE without merges in `tokenizers`, with added tokens."""
    vocabulary = {text_of(bytes([byte])): byte for byte in range(256)}
    tokenizer = Tokenizer(models.BPE(vocabulary, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    for token in tokens:
        (tokenizer.add_special_tokens if token.special else tokenizer.add_tokens)([token])
    return tokenizer


def test_as_in_tokenizers():
    chance = random.Random(1)
    engine = superword.train(["to be"], vocab_size=256)
    differing = 0
    for _ in range(40):
        chosen = [token for token in TOKENS if chance.random() < 0.6]
        ours = SuperwordTokenizer(engine)
        for token in chosen:
            ours.add_tokens([token])
        theirs = byte_level(chosen)
        texts = ["".join(chance.choices(PARTS, k=chance.randrange(14))) for _ in range(60)]
        for text in texts:
            for split in (False, True):
                theirs.encode_special_tokens = split
                expected = theirs.encode(text)
                found = ours(text, split_special_tokens=split, return_offsets_mapping=True)
                assert found["input_ids"] == expected.ids, (text, chosen)
                assert found["offset_mapping"] == expected.offsets, (text, chosen)
                assert ours(text, split_special_tokens=split)["input_ids"] == expected.ids
                differing += split and expected.ids != ours(text)["input_ids"]
    assert differing > 100


def test_a_token_that_is_ordinary_too():
    engine = superword.train(["to be"], vocab_size=256)
    ours = SuperwordTokenizer(engine)
    assert ours.add_tokens(["b", "éé", ""]) == 1
    assert (len(ours), ours.convert_tokens_to_ids("b")) == (257, ord("b"))
    assert ours("abéé")["input_ids"] == [97, 98, 256]
    assert ours.decode([97, 98, 256]) == "abéé"


def test_a_token_that_would_be_taken_for_another():
    """The byte E9 is written é, and the token of a blank and t Ġt."""
    engine = superword.train([" to to"], vocab_size=258)
    ours = SuperwordTokenizer(engine)
    for name, token in (("é", b"\xe9"), ("Ġt", b" t")):
        expected = f"token '{name}' cannot be added: the ordinary token {token!r} is written like"
        with pytest.raises(superword.SettingsError, match=re.escape(expected)):
            ours.add_tokens([name])
    assert len(ours) == 258


def test_a_special_token_that_would_be_taken_for_another():
    engine = superword.train(["to be"], vocab_size=256, special_tokens=["t"])
    with pytest.raises(superword.SettingsError, match="special token 't' is written like"):
        SuperwordTokenizer(engine)


@pytest.mark.parametrize(
    ("text", "special", "pieces"),
    [
        ("", True, []),
        ("ab", True, [Piece(0, 2, None)]),
        ("<s>", True, [Piece(0, 3, 7)]),
        ("<s>", False, [Piece(0, 3, None)]),
        (" \n <s> b", True, [Piece(0, 3, None), Piece(3, 7, 7), Piece(7, 8, None)]),
        ("x<x>", False, [Piece(0, 1, None), Piece(1, 4, 8)]),
    ],
)
def test_pieces(text, special, pieces):
    splitter = Splitter([Added(7, "<s>", True, rstrip=True), Added(8, "<x>", False)])
    assert splitter.split(text, special) == pieces


def test_long_texts_take_time_in_proportion():
    """White space before and behind tokens is looked at once."""
    splitter = Splitter([Added(7, "<s>", True, lstrip=True, rstrip=True)])
    pieces = splitter.split(" " * 300_000 + "x" + " <s>" * 100_000)
    assert pieces[:2] == [Piece(0, 300_001, None), Piece(300_001, 300_006, 7)]
    assert len(pieces) == 100_001
