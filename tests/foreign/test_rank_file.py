"""Vocabularies of tiktoken: the same ids as that package gives, or refused by name."""

import base64
import json
import random

import pytest
import tiktoken
from tiktoken.load import load_tiktoken_bpe
from tiktoken_ext import openai_public

import superword
from superword import Tokenizer
from superword.errors import ModelFormatError, SettingsError, SettingsTypeError

# as tiktoken has them
CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
R50K = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
FIRST = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


@pytest.fixture(scope="module")
def ranks(tiny_corpus):
    """A vocabulary as OpenAI's are: the bytes in GPT-2's order, then 444 tokens."""
    tokenizer = superword.train(tiny_corpus, vocab_size=700, scheme="gpt4", id_order="gpt2")
    found = {tokenizer.token_bytes(number): number for number in range(700)}
    assert list(found)[:2] == [b"!", b'"']
    return found


def texts_of(ranks, count):
    rng = random.Random(count)
    parts = [token.decode("utf-8", "ignore") for token in ranks] + ["12345", "  ", "'LL", "\u2029"]
    return ["".join(rng.choices(parts, k=rng.randint(1, 12))) for _ in range(count)]


SPECIAL = {
    "as in cl100k": {"<|endoftext|>": 701, "<|fim|>": 702, "<|endofprompt|>": 720},
    "behind": {"<|endoftext|>": 700},
    "none": {},
}


@pytest.mark.parametrize(
    ("pattern", "special"),
    [(CL100K, "as in cl100k"), (R50K, "behind"), (FIRST, "none"), (CL100K, "behind")],
)
def test_the_same_ids(backend_name, ranks, tiny_corpus, pattern, special):
    chosen = SPECIAL[special]
    theirs = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=ranks, special_tokens=chosen)
    ours = Tokenizer.from_tiktoken(theirs, backend=backend_name)
    assert (ours.special_tokens, len(ours), ours.vocab_size) == (chosen, theirs.n_vocab, 700)
    texts = [*tiny_corpus[::2], *texts_of(ranks, 2500), "a<|endoftext|>b<|endofprompt|>"]
    expected = theirs.encode_batch(texts, num_threads=1, allowed_special="all")
    assert ours.encode_batch(texts, allowed_special="all") == expected
    assert ours.decode_batch(expected) == texts
    plain = theirs.encode_ordinary_batch(texts[-200:], num_threads=1)
    assert [ours.encode_ordinary(text) for text in texts[-200:]] == plain
    again = ours.to_tiktoken()
    assert (again._mergeable_ranks, again._special_tokens) == (ranks, chosen)


@pytest.mark.parametrize(
    "name", ["r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony"]
)
def test_what_openai_has(backend_name, ranks, tiny_corpus, monkeypatch, name):
    """Each encoding of the package with its pattern and special tokens, over our small ranks."""
    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", lambda *_, **__: dict(ranks))
    found = getattr(openai_public, name)()
    theirs = tiktoken.Encoding(**{**found, "explicit_n_vocab": None})
    special = dict(theirs._special_tokens)
    if name == "o200k_harmony":
        with pytest.raises(ModelFormatError, match=r"'<\|endofprompt\|>' and '<\|reserved_200018"):
            Tokenizer.from_tiktoken(theirs, backend=backend_name)
        del special["<|reserved_200018|>"]  # a second name of an id
    ours = Tokenizer.from_tiktoken(theirs, special_tokens=special, backend=backend_name)
    assert (ours.special_tokens, len(ours)) == (special, theirs.n_vocab)
    scheme = {"r": "gpt2", "p": "gpt2", "c": None, "o": "gpt4o"}[name[0]]
    assert ours.report.scheme == scheme
    texts = [*tiny_corpus[::4], *texts_of(ranks, 300), "".join(special)]
    expected = theirs.encode_batch(texts, num_threads=1, allowed_special="all")
    assert ours.encode_batch(texts, allowed_special="all") == expected


def test_a_special_token_in_the_middle(backend_name, ranks, tiny_corpus):
    """As in p50k: the tokens behind it have one id more."""
    moved = {token: rank + (rank >= 500) for token, rank in ranks.items()}
    special = {"<|endoftext|>": 500}
    theirs = tiktoken.Encoding("x", pat_str=R50K, mergeable_ranks=moved, special_tokens=special)
    ours = Tokenizer.from_tiktoken(theirs, backend=backend_name)
    assert (len(ours), ours.vocab_size, ours.token_bytes(500)) == (701, 700, b"<|endoftext|>")
    for text in [*tiny_corpus, "a<|endoftext|>b"]:
        expected = theirs.encode(text, allowed_special="all")
        assert ours.encode(text, allowed_special="all") == expected
    assert Tokenizer.from_tiktoken(ours.to_tiktoken(), backend=backend_name) == ours
    assert ours.truncated(600).special_tokens == special
    assert sorted(ours.next_tokens(b"")) == [n for n in range(701) if n != 500]


def test_unused_ids(backend_name, ranks):
    theirs = tiktoken.Encoding(
        "x", pat_str=R50K, mergeable_ranks=ranks, special_tokens=SPECIAL["as in cl100k"]
    )
    ours = Tokenizer.from_tiktoken(theirs, backend=backend_name)
    for call in (ours.decode, ours.decode_bytes):
        with pytest.raises(superword.errors.EncodingError, match="id 700 at position 1 is not in"):
            call([0, 700])
    with pytest.raises(superword.errors.EncodingError, match="id 700 is not in the vocabulary"):
        ours.token_bytes(700)
    assert ours.encode("<|fim|>!", allowed_special=["<|fim|>"]) == [702, 0]
    assert ours.token_to_id("<|endofprompt|>") == 720
    assert ours.token_to_id(b"<|endofprompt|>") is None


def written(folder, ranks, **beside):
    path = folder / "some.tiktoken"
    lines = [b"%b %d\n" % (base64.b64encode(token), rank) for token, rank in ranks.items()]
    path.write_bytes(b"".join(lines))
    if beside:
        (folder / "some.tiktoken.json").write_text(json.dumps(beside))
    return path


def test_files(backend_name, ranks, tmp_path):
    path = written(tmp_path, ranks)
    with pytest.raises(
        SettingsError, match=r"nothing says how .* cuts text: give scheme or pattern"
    ):
        Tokenizer.from_tiktoken(path)
    by_scheme = Tokenizer.from_tiktoken(path, scheme="gpt4", backend=backend_name)
    assert by_scheme == Tokenizer.from_tiktoken(str(path), pattern=FIRST)
    assert by_scheme.special_tokens == {}
    with_special = Tokenizer.from_tiktoken(path, scheme="gpt4", special_tokens={"<s>": 700})
    beside = written(tmp_path, ranks, pat_str=FIRST, special_tokens={"<s>": 700})
    assert Tokenizer.from_tiktoken(beside, backend=backend_name) == with_special
    assert Tokenizer.from_tiktoken(beside, special_tokens={}) == by_scheme


@pytest.mark.parametrize("algorithm", ["bpe", "superbpe"])
def test_an_export_gives_the_model_back(backend_name, tiny_corpus, tmp_path, algorithm):
    others = {"supermerges": 60} if algorithm == "superbpe" else {}
    tokenizer = superword.train(
        tiny_corpus, algorithm=algorithm, vocab_size=600, special_tokens=["<s>"], **others
    )
    path = tmp_path / "some.tiktoken"
    tokenizer.export("tiktoken", path, check=False)
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "some.tiktoken",
        "some.tiktoken.json",
        "some.tiktoken.superword",
    ]
    assert Tokenizer.from_tiktoken(path, backend=backend_name) == tokenizer
    found = tiktoken.Encoding(
        mergeable_ranks=load_tiktoken_bpe(str(path)),
        **json.loads((tmp_path / "some.tiktoken.json").read_text()),
    )
    assert (found.name, found.n_vocab) == ("some", 601)
    for text in tiny_corpus:
        assert found.encode_ordinary(text) == tokenizer.encode_ordinary(text)
    model = tmp_path / "some.tiktoken.superword"
    model.write_bytes(tokenizer.truncated(599).to_bytes())
    with pytest.raises(ModelFormatError, match="was not made of the model beside it"):
        Tokenizer.from_tiktoken(path)
    model.unlink()
    if algorithm == "bpe":
        alone = Tokenizer.from_tiktoken(path, backend=backend_name)
        assert (alone.report.scheme, alone.special_tokens) == ("gpt4o-uniscript", {"<s>": 600})
        assert alone.encode_batch(tiny_corpus) == tokenizer.encode_batch(tiny_corpus)
    else:
        with pytest.raises(ModelFormatError, match="the pattern cannot be read here"):
            Tokenizer.from_tiktoken(path)


BYTES = {bytes([byte]): byte for byte in range(256)}


@pytest.mark.parametrize(
    ("ranks", "special", "text"),
    [
        (
            {**BYTES, b"abc": 256},
            {},
            r"token b'abc' \(rank 256\) is not made of two tokens: .* 3, ",
        ),
        ({**BYTES, b"ab": 257}, {}, "id 256 is unused and token b'ab' behind it has id 257"),
        ({**BYTES, b"ab": 256}, {"<s>": 256}, "tokens '<s>' and b'ab' have the same id 256"),
        ({b"a": 0, b"b": 1, b"ab": 2}, {}, "the vocabulary lacks the single byte"),
        ({b"a": 0, b"ab": 2}, {}, "has the byte b'b', which is no token of its own"),
        ({**BYTES, b"a" * 5000: 256}, {}, "is longer than 4096 bytes"),
        ({**BYTES, b"ab": -1}, {}, "b'ab' has an id that cannot be one"),
        (
            {bytes([byte]): 255 - byte for byte in range(256)},
            {},
            "the first ordinary tokens must be the single bytes",
        ),
        (
            {bytes([byte]): byte + 1 for byte in range(256)} | {b"ab": 0},
            {},
            "the first ordinary tokens must be the single bytes",
        ),
    ],
)
def test_refused(ranks, special, text):
    class Encoding:
        _mergeable_ranks, _pat_str, _special_tokens = ranks, FIRST, special

    with pytest.raises(ModelFormatError, match=text):
        Tokenizer.from_tiktoken(Encoding())


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"\p{L}+", "the pattern may leave out text, which tiktoken drops"),
        (r"a?+a|[^a]", "may leave out text"),
        (r"(?=b)a|[^a]", "may leave out text"),
        ("^a", "the pattern cannot be read here: pattern at position 0"),
    ],
)
def test_patterns_that_are_refused(pattern, text):
    class Encoding:
        _mergeable_ranks, _pat_str, _special_tokens = BYTES, pattern, {}

    with pytest.raises(ModelFormatError, match=text):
        Tokenizer.from_tiktoken(Encoding())


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "there is no token in the file"),
        (b"YQ== 0\nYQ== 1\n", "line 2 repeats token b'a'"),
        (b"YQ==\n", "line 1 must be the bytes of a token in base64, a space, and its rank"),
        (b"YQ== 0\n\nYg==  1\n", "line 3 must be"),
        (b"YQ= 0\n", "line 1 must be"),
        (b"YQ== 99999999999\n", "line 1 must be"),
        (b"\xff\xfe", "line 1 must be"),
    ],
)
def test_files_that_are_damaged(tmp_path, data, text):
    path = tmp_path / "some.tiktoken"
    path.write_bytes(data)
    with pytest.raises(ModelFormatError, match=text) as caught:
        Tokenizer.from_tiktoken(path, scheme="gpt4")
    assert str(caught.value).startswith("model file '")


def test_arguments(ranks, tmp_path):
    theirs = tiktoken.Encoding("x", pat_str=R50K, mergeable_ranks=ranks, special_tokens={})
    with pytest.raises(
        SettingsTypeError, match=r"encoding must be a tiktoken\.Encoding or the path"
    ):
        Tokenizer.from_tiktoken(5)
    with pytest.raises(SettingsError, match="scheme and pattern are for a rank file only"):
        Tokenizer.from_tiktoken(theirs, scheme="gpt2")
    path = written(tmp_path, ranks)
    with pytest.raises(SettingsError, match="scheme and pattern exclude each other"):
        Tokenizer.from_tiktoken(path, scheme="gpt2", pattern="a")
    with pytest.raises(SettingsError, match="scheme must be one of gpt2, gpt4"):
        Tokenizer.from_tiktoken(path, scheme="cl100k")
    with pytest.raises(SettingsTypeError, match="pattern must be a string, not int"):
        Tokenizer.from_tiktoken(path, pattern=5)
    with pytest.raises(SettingsTypeError, match="special_tokens must hold str and int, not str"):
        Tokenizer.from_tiktoken(path, scheme="gpt2", special_tokens={"a": "b"})
    beside = written(tmp_path, ranks, special_tokens={})
    with pytest.raises(ModelFormatError, match="must be a JSON object with a pattern, pat_str"):
        Tokenizer.from_tiktoken(beside)


BYTES = {bytes([byte]): byte for byte in range(256)}


def encoding(special_tokens, pattern=r"[\s\S]"):
    return tiktoken.Encoding(
        "x", pat_str=pattern, mergeable_ranks=BYTES, special_tokens=special_tokens
    )


def test_special_tokens_that_tiktoken_finds_in_no_certain_order_are_refused():
    with pytest.raises(ModelFormatError, match="'<a>' is the beginning of '<a>b'"):
        Tokenizer.from_tiktoken(encoding({"<a>": 256, "<a>b": 257}))
    free = Tokenizer.from_tiktoken(encoding({"<a>": 256, "<a>b": 257}), special_tokens={})
    assert free.special_tokens == {}


def test_half_characters_are_refused(tmp_path):
    path = tmp_path / "r.tiktoken"
    ranks = b"".join(base64.b64encode(bytes([b])) + b" %d\n" % b for b in range(256))
    path.write_bytes(ranks)
    for arguments in ({"pattern": "\ud800"}, {"scheme": "gpt2", "special_tokens": {"\ud800": 256}}):
        with pytest.raises(SettingsError, match="lone surrogate at character 0"):
            Tokenizer.from_tiktoken(path, **arguments)
    (tmp_path / "r.tiktoken.json").write_text('{"pat_str": "\\ud800"}')
    with pytest.raises(ModelFormatError, match="half a character"):
        Tokenizer.from_tiktoken(path)
