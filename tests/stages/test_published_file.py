"""Published files of version 2 as rows, and back to the same bytes."""

from __future__ import annotations

import gzip
import json

import pytest
from golden.published import read_model
from hypothesis import given
from hypothesis import strategies as st

from superword.errors import ModelFormatError

CONFIGURATION = (
    '{"tau": 1.1, "is_super": false, "superbpe_mode": false, "blowup": true, '
    '"main_regex": "\\\\s", "script_specific_regex": null, "script_specific_scripts": null, '
    '"merge_pattern": "\\\\p{L}"}'
)
WORD = f"""BoundlessBPE v2 word
vocabulary
2
0 a 4 0
1 ĠĊ 0 1
special_tokens
1
2 <|a b|>
words
{CONFIGURATION}
merges
1
0 a Ġ 7 1
deletions
1
1 aĠ
"""
SUPER = WORD.replace("v2 word", "v2 boundless") + WORD[WORD.index("words\n") :].replace(
    "words", "superwords"
).replace("1\n1 aĠ\n", "0\n")


def test_rows(backend):
    words = (CONFIGURATION, [(0, b"a", b" ", 7, True)], [(1, b"a ")])
    rows = ("word", [(b"a", 4, False), (b" \n", 0, True)], ["<|a b|>"], words, None)
    assert backend.published_from_bytes(WORD.encode()) == rows
    assert backend.published_to_bytes(rows) == WORD.encode()
    found = backend.published_from_bytes(SUPER.encode())
    assert found[:4] == ("boundless", *rows[1:4])
    assert found[4] == (CONFIGURATION, words[1], [])
    assert backend.published_to_bytes(found) == SUPER.encode()


def test_every_model_of_the_repository(backend, data):
    paths = sorted(data.glob("golden/t*y/*.model*"))
    assert len(paths) == 33
    for path in paths:
        read = path.read_bytes()
        content = gzip.decompress(read) if path.suffix == ".gz" else read
        kind, vocabulary, special, words, superwords = backend.published_from_bytes(content)
        assert backend.published_to_bytes((kind, vocabulary, special, words, superwords)) == content
        other = read_model(path)
        assert (kind, special) == (other.kind, other.special_tokens)
        assert [row[0] for row in vocabulary] == other.vocabulary
        assert {row[0] for row in vocabulary if row[2]} == other.superwords
        assert [row[1:4] for row in words[1]] == [op for op in other.regular if op[0] != "delete"]
        deleted = [op[1] for op in other.regular if op[0] == "delete"]
        assert set(deleted) == {row[1] for row in words[2]}
        assert [row[1:4] for row in (superwords or ("", []))[1]] == other.supermerges


BYTES = st.binary(min_size=1, max_size=6)
COUNTS = st.integers(0, 2**63 - 1)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=6)


@st.composite
def sections(draw, deletions=True):
    """Merges and deletions with indices that ascend, and a configuration as Python writes it."""
    values = {
        "tau": draw(st.sampled_from([1, 1.0, 1.1, 0.9, 0.123])),
        "is_super": draw(st.booleans()),
        "superbpe_mode": draw(st.booleans()),
        "blowup": draw(st.booleans()),
        "main_regex": draw(TEXTS),
        "script_specific_regex": draw(st.none() | TEXTS),
        "script_specific_scripts": draw(st.none() | st.lists(TEXTS, max_size=2)),
        "merge_pattern": draw(st.none() | TEXTS),
    }
    indices = st.lists(COUNTS, unique=True, max_size=3).map(sorted)
    merges = [
        (i, draw(BYTES), draw(BYTES), draw(COUNTS), draw(st.booleans())) for i in draw(indices)
    ]
    gone = [(i, draw(BYTES)) for i in draw(indices)] if deletions else []
    return json.dumps(values, ensure_ascii=draw(st.booleans())), merges, gone


SPECIAL = st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), min_size=1, max_size=5)


@st.composite
def files(draw):
    kind = draw(st.sampled_from(["word", "boundless", "superbpe"]))
    vocabulary = draw(st.lists(st.tuples(BYTES, COUNTS, st.booleans()), max_size=4))
    special = draw(st.lists(SPECIAL.filter(lambda s: s == s.rstrip()), unique=True, max_size=2))
    superwords = None if kind == "word" else draw(sections(deletions=False))
    return kind, vocabulary, special, draw(sections()), superwords


@given(rows=files())
def test_what_is_written_is_read(both_backends, rows):
    written = {backend.published_to_bytes(rows) for backend in both_backends}
    (data,) = written
    for backend in both_backends:
        assert backend.published_from_bytes(data) == rows


@pytest.mark.parametrize("token", ["a ", "a\t", "a\x1c", "a\x85", "a\u3000", "a\nb", "a\rb"])
def test_special_tokens_that_would_not_be_read_back(backend, token):
    number = "ends in a blank" if "b" not in token else "has a line end"
    reason = f"special token 1 {number}, which a published file cannot hold"
    rows = ("word", [], ["<s>", token], ("{}", [], []), None)
    with pytest.raises(ModelFormatError) as caught:
        backend.published_to_bytes(rows)
    assert str(caught.value) == reason
    if "\n" not in token:
        text = WORD.replace("1\n2 <|a b|>", f"2\n2 <s>\n3 {token}")
        with pytest.raises(ModelFormatError) as caught:
            backend.published_from_bytes(text.encode())
        assert str(caught.value) == f"line 9, special_tokens: {reason}"


DAMAGED = [
    ("BoundlessBPE v2 word", "BoundlessBPE v3 word", "line 1, header: the line must begin with "
     "'BoundlessBPE v2', the one version that is read"),
    ("v2 word", "v2 words", "line 1, header: the kind must be word, boundless or superbpe"),
    ("vocabulary\n", "Vocabulary\n", "line 2, vocabulary: the line must be 'vocabulary'"),
    ("y\n2\n", "y\n02\n", "line 3, vocabulary: the line must be the number of the lines that "
     "follow"),
    ("y\n2\n", "y\n9223372036854775807\n", "line 6, vocabulary: the line must be "
     "'ID TOKEN COUNT IS_SUPER'"),
    ("0 a 4 0", "0 a 4", "line 4, vocabulary: the line must be 'ID TOKEN COUNT IS_SUPER'"),
    ("0 a 4 0", "0 a 4 0 ", "line 4, vocabulary: the line must be 'ID TOKEN COUNT IS_SUPER'"),
    ("0 a 4 0", "00 a 4 0", "line 4, vocabulary: ID must be a whole number"),
    ("0 a 4 0", "1 a 4 0", "line 4, vocabulary: ID must be 0, not 1"),
    ("0 a 4 0", "0 a 9223372036854775808 0", "line 4, vocabulary: COUNT is above 2^63 - 1"),
    ("0 a 4 0", "0 a -4 0", "line 4, vocabulary: COUNT must be a whole number"),
    ("0 a 4 0", "0 a 4 2", "line 4, vocabulary: IS_SUPER must be 0 or 1"),
    ("0 a 4 0", "0  4 0", "line 4, vocabulary: the token is empty"),
    ("0 a 4 0", "0 aŅ 4 0", "line 4, vocabulary: character 1 of the token stands for no byte"),
    ("0 a 4 0", "0 a\xad 4 0", "line 4, vocabulary: character 1 of the token stands for no byte"),
    ("2 <|a b|>", "2", "line 8, special_tokens: the line must be 'ID STRING'"),
    ("2 <|a b|>", "3 <s>", "line 8, special_tokens: ID must be 2, not 3"),
    ("2 <|a b|>", "2 ", "line 8, special_tokens: special token 0 is empty: it needs at least one "
     "character"),
    ("1\n2 <|a b|>", "2\n2 a\n3 a", "line 9, special_tokens: special token 1 repeats special "
     "token 0: 'a'"),
    ("words\n", "word\n", "line 9, words: the line must be 'words'"),
    ('{"tau": 1.1', '{"tau": 1.1e0', "line 10, words: byte 11 of the line: expected ', "
     "\"is_super\": '"),
    ('{"tau": 1.1', '{"tau": -1', "line 10, words: byte 8 of the line: expected a decimal number"),
    ('"blowup": true', '"blowup": null', "line 10, words: byte 66 of the line: expected true or "
     "false"),
    ('"main_regex": "', '"main_regex": "\\ud800', "line 10, words: byte 87 of the line: the escape "
     "is a lone surrogate"),
    ('{L}"}', '{L}"} ', "line 10, words: byte 183 of the line: nothing may follow"),
    ("merges", "merge", "line 11, words merges: the line must be 'merges'"),
    ("0 a Ġ 7 1", "0 a Ġ 7 x", "line 13, words merges: FLAG must be 0 or 1"),
    ("1\n0 a Ġ 7 1", "2\n3 a Ġ 7 1\n3 a Ġ 7 1", "line 14, words merges: INDEX must be above that "
     "of the line before"),
    ("1\n1 aĠ", "2\n1 aĠ\n0 a", "line 17, words deletions: INDEX must be above that of the line "
     "before"),
    ("1\n1 aĠ\n", "2\n1 aĠ\n", "line 17, words deletions: the file ends here"),
    ("1\n1 aĠ\n", "1\n1 aĠ", "line 16, words deletions: the line has no line end"),
    ("1\n1 aĠ\n", "1\n1 aĠ\n\n", "line 17, words deletions: the file should end before this line"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "reason"), DAMAGED)
def test_a_damaged_line_is_named(backend, old, new, reason):
    assert WORD.count(old) >= 1, "nothing to replace: the case is stale"
    with pytest.raises(ModelFormatError) as caught:
        backend.published_from_bytes(WORD.replace(old, new, 1).encode())
    assert str(caught.value) == reason


def test_bytes_that_are_no_text(backend):
    with pytest.raises(ModelFormatError) as caught:
        backend.published_from_bytes(WORD.encode().replace(b"<|a", b"<|\xe2\x82"))
    assert str(caught.value) == "line 8, special_tokens: byte 4 of the line is not UTF-8"


def test_no_superword_is_ever_deleted(backend):
    text = SUPER.removesuffix("0\n") + "1\n1 aĠ\n"
    with pytest.raises(ModelFormatError) as caught:
        backend.published_from_bytes(text.encode())
    reason = "line 23, superwords deletions: no superword is ever deleted: the number must be 0"
    assert str(caught.value) == reason
