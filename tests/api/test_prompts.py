"""Texts that go on: streams of ids, offsets, counts, pairs, safe prefixes."""

import random
from typing import Any

import pytest

import superword

BYTES = bytes([*b"a\xe2\x82\xac\xf0\x9f\x98\x80\xed\xa0\xff\xc3\xa9\xe0\x80\xf4\x90\xc0"])
PHRASES = ["by the way", "on the other hand", "at the end of the day", "as well as"]
DOCUMENTS = [
    f"{one}, he said that {other} it was the first of the {third}."
    for one in PHRASES
    for other in PHRASES
    for third in ("month", "year", "day's work", "two things that matter")
]


@pytest.fixture(scope="module")
def small(backend_name):
    return superword.train(["to be"], vocab_size=257, special_tokens=["<s>"], backend=backend_name)


@pytest.fixture(scope="module")
def trained(backend_name):
    """A model in which most tokens are superwords."""
    return superword.train(
        DOCUMENTS,
        algorithm="superbpe",
        vocab_size=500,
        supermerges=120,
        special_tokens=["<s>"],
        backend=backend_name,
    )


# --- streams


@pytest.mark.parametrize("errors", ["replace", "ignore", "strict"])
def test_a_stream_gives_what_one_call_gives(small, errors):
    rng = random.Random(3)
    stream = small.decode_stream(errors)
    for _ in range(4000):
        ids = rng.choices(BYTES, k=rng.randrange(9))
        pieces = []
        try:
            expected = small.decode(ids, errors)
        except superword.EncodingError:
            expected = None
        try:
            for number in ids:
                pieces.append(stream.push(number if rng.random() < 0.5 else [number]))
            pieces.append(stream.flush().decode("utf-8", errors))
        except (superword.EncodingError, UnicodeDecodeError):
            stream.flush()
            pieces = None
        assert expected == (None if pieces is None else "".join(pieces))


def test_a_stream_says_what_was_cut_and_begins_anew(small):
    stream = small.decode_stream()
    assert [stream.push(list("é€".encode()[:4])), stream.flush()] == ["é", "€".encode()[:2]]
    assert [stream.push([0xAC]), stream.flush()] == ["\ufffd", b""]
    assert [stream.push([]), stream.push([257, 256]), stream.flush()] == ["", "<s> b", b""]
    assert stream.flush() == b""


def test_an_error_leaves_a_stream_as_it_was(small):
    stream = small.decode_stream("strict")
    assert stream.push([*b"ab", 0xE2, 0x82]) == "ab"
    with pytest.raises(superword.EncodingError) as caught:
        stream.push([97, 0xFF])
    assert str(caught.value) == (
        "the ids give no valid UTF-8: byte 2 of the stream is wrong; "
        "use decode_bytes, or errors='replace'"
    )
    with pytest.raises(superword.EncodingError, match="byte 5 of the stream"):
        stream.push([0xAC, 0xFF])
    for wrong in ([97, 258], 258, -1, True, 1.5, "a", None, [None], {1, 2}):
        with pytest.raises(superword.EncodingError):
            stream.push(wrong)
    assert [stream.push([0xAC]), stream.flush()] == ["€", b""]


def test_what_a_stream_takes_for_ids(small):
    class Scalar:
        """As tensors and numpy's scalars."""

        def __init__(self, value):
            self.value = value

        def tolist(self):
            return self.value

    class Index:
        def __index__(self):
            return 98

    stream = small.decode_stream()
    given = [97, Scalar(97), Scalar([97, 98]), Index(), [Index()], (97,), range(97, 99), iter([99])]
    assert [stream.push(ids) for ids in given] == ["a", "a", "ab", "b", "b", "a", "ab", "c"]
    with pytest.raises(superword.EncodingError, match="errors must be one of"):
        small.decode_stream("surrogateescape")


# --- offsets and counts


def test_offsets(trained):
    text = "as well as 👍 by the way<s>é"
    found = trained.encode_with_offsets(text, allowed_special="all")
    assert found.ids == trained.encode(text, allowed_special="all")
    assert isinstance(found, superword.OffsetEncoding)
    slices = [text[first:last] for first, last in found.char_offsets]
    assert slices[0] == "as well as"
    assert slices.count("👍") == 4  # one for each byte
    assert slices[-3:] == ["<s>", "é", "é"]
    data = text.encode()
    assert b"".join(data[first:last] for first, last in found.byte_offsets) == data
    assert trained.encode_with_offsets("") == ([], [], [])
    of_bytes = trained.encode_with_offsets(b"a\xff\xe2\x82\xacb")
    assert of_bytes.char_offsets == [(0, 1), (1, 2), (2, 3), (2, 3), (2, 3), (3, 4)]
    assert of_bytes.byte_offsets == [(n, n + 1) for n in range(6)]


def test_counts(trained):
    texts = [*DOCUMENTS, "", "é👍"]
    expected = [len(ids) for ids in trained.encode_batch(texts)]
    assert trained.count_tokens_batch(iter(texts), threads=2) == expected
    assert [trained.count_tokens(text) for text in texts] == expected
    assert trained.count_tokens(b"\xff by the way") == len(trained.encode(b"\xff by the way"))
    assert trained.count_tokens("<s>", {"<s>"}) == 1


# --- what goes on


def pairs():
    """Contexts and continuations: each document cut at each blank, which goes either way."""
    for document in DOCUMENTS[::3]:
        for place, char in enumerate(document):
            if char == " ":
                yield document[:place], document[place:]
                yield document[: place + 1], document[place + 1 :]


def test_slicing_at_the_length_of_the_context_is_wrong(trained):
    """What the guide says; `encode_pair` has none of it."""
    no_prefix = empty = 0
    for context, continuation in pairs():
        whole, alone = trained.encode(context + continuation), trained.encode(context)
        no_prefix += whole[: len(alone)] != alone
        empty += not whole[len(alone) :]
        found = trained.encode_pair(context, continuation)
        assert found.context == alone
        assert found.continuation == trained.encode(continuation) != []
        assert trained.decode(found.context) == context
        assert trained.decode(found.continuation) == continuation
    assert no_prefix > 100
    assert empty > 0


def test_the_example_of_the_guide(backend_name):
    documents = [f"by the way, {who} ran as well as {other}." for who in "abc" for other in "defgh"]
    tok = superword.train(
        documents, algorithm="superbpe", vocab_size=400, supermerges=60, backend=backend_name
    )
    whole, context = tok.encode("a ran as well as b"), tok.encode("a ran as well")
    assert whole[: len(context)] != context
    pair = tok.encode_pair("a ran as well", " as b")
    assert [tok.decode(part) for part in pair] == ["a ran as well", " as b"]
    ids, rest = tok.safe_prefix("by the way, a ran as we")
    assert tok.decode(ids) == "by the way,"
    assert rest == " a ran as we"
    assert {tok.token_bytes(number) for number in tok.next_tokens(rest)} >= {b" ", b" a"}


def test_a_pair_with_special_tokens(trained):
    found = trained.encode_pair("<", "s><s>", "all")
    assert found == ([60], [115, 62, trained.special_tokens["<s>"]])
    with pytest.raises(superword.EncodingError) as caught:
        trained.encode_pair("fine", "no <s>")
    assert str(caught.value).startswith("continuation: special token '<s>' at position 3 is not")
    assert trained.encode_pair(b"\xff", "") == ([255], [])


def test_safe_prefixes_of_prompts(trained):
    kept = total = 0
    for prompt, continuation in pairs():
        ids, rest = trained.safe_prefix(prompt)
        assert trained.decode(ids) + rest == prompt
        whole = trained.encode(prompt + continuation)
        assert whole[: len(ids)] == ids
        assert whole[len(ids)] in trained.next_tokens(rest)
        kept += len(prompt) - len(rest)
        total += len(prompt)
    assert kept > total / 4


WRONG: list[tuple[str, tuple[Any, ...], str]] = [
    ("encode_with_offsets", (3,), "text must be str or bytes, not int"),
    ("count_tokens", (None,), "text must be str or bytes, not NoneType"),
    ("count_tokens_batch", ("abc",), "texts must be an iterable of strings, not str"),
    ("count_tokens_batch", (["a", 3],), "text 1: must be a str, not int"),
    ("encode_pair", ("a", 3), "continuation: text must be str or bytes, not int"),
    ("safe_prefix", (b"a",), "text must be str, not bytes"),
    ("next_tokens", (3,), "rest must be str or bytes, not int"),
    ("encode_with_offsets", ("a", "<s>"), "allowed_special must be 'all' or a collection"),
    ("safe_prefix", ("a<s>",), "special token '<s>' at position 1 is not allowed"),
    ("count_tokens_batch", (["a", "<s>"],), "text 1: special token '<s>' at position 0 is not"),
]


@pytest.mark.parametrize(("method", "given", "text"), WRONG)
def test_wrong_arguments(small, method, given, text):
    with pytest.raises(superword.EncodingError) as caught:
        getattr(small, method)(*given)
    assert str(caught.value).startswith(text)
