"""Tokens as text, in both directions."""

from itertools import product

from tokenizers.pre_tokenizers import ByteLevel

from superword.integrations.token_text import bytes_of, text_of


def test_every_token_has_a_text_of_its_own():
    tokens = [bytes(token) for length in (0, 1, 2) for token in product(range(256), repeat=length)]
    texts = [text_of(token) for token in tokens]
    assert len(set(texts)) == len(tokens)
    assert [bytes_of(text) for text in texts] == tokens


def test_it_is_the_text_of_other_libraries():
    every = bytes(range(256))
    assert sorted(ByteLevel.alphabet()) == sorted(text_of(every))
    text = "".join(map(chr, range(1, 0x800)))
    theirs = ByteLevel(add_prefix_space=False, use_regex=False).pre_tokenize_str(text)
    assert text_of(text.encode()) == "".join(piece for piece, _ in theirs)


def test_what_is_no_text_of_a_token():
    assert [bytes_of(text) for text in (" ", "to be", "\n", "日", "\u0144")] == [None] * 5
