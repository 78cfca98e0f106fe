"""Custom patterns through the public names: training, the model file, encoding, reports."""

import gzip
import json
import pickle
import re
import signal
import time

import pytest

import superword
from superword import parity
from superword.reference.patterns import NAMED_PATTERNS
from superword.settings import SCRIPTS, Cutting

DOCUMENTS = ["to be or not to be", "漢字 and かな, 12 times: to be! ", "αβ γδ αβ γδ"] * 3


@pytest.fixture
def train(backend_name):
    def run(documents=DOCUMENTS, **keywords):
        return superword.train(documents, vocab_size=300, backend=backend_name, **keywords)

    return run


def header(tokenizer):
    return json.loads(tokenizer.to_bytes().split(b"\n")[0])


def with_named(name):
    """The settings that say what a scheme says, as patterns."""
    if name != "gpt4o-scripts":
        return {"pattern": NAMED_PATTERNS[name]}
    return {"pattern": NAMED_PATTERNS["gpt4o"], "script_pattern": NAMED_PATTERNS["gpt4o-script"]}


@pytest.mark.parametrize("name", ["gpt2", "gpt4", "gpt4o", "gpt4o-scripts"])
def test_a_named_pattern_cuts_as_its_scheme_and_keeps_its_string(train, name):
    by_pattern = train(algorithm="boundless", **with_named(name))
    by_scheme = train(algorithm="boundless", scheme=name)
    assert by_pattern.ops == by_scheme.ops
    found = header(by_pattern)
    assert found.pop("pattern") == with_named(name)["pattern"]
    if name == "gpt4o-scripts":
        assert found.pop("script_pattern") == NAMED_PATTERNS["gpt4o-script"]
        assert found.pop("scripts") == list(SCRIPTS)
    assert found | {"scheme": name} == header(by_scheme)


def test_the_model_file_and_copies(train, backend_name):
    how = {
        "pattern": r"\p{L}+|\d",
        "script_pattern": r"\p{L}",
        "scripts": ["Hiragana", "Han", "Han"],
        "eligible_pattern": "[a-z]|α",
    }
    tokenizer = train(algorithm="boundless", special_tokens=["<s>"], **how)
    found = header(tokenizer)
    assert "scheme" not in found
    assert {name: found[name] for name in how} == how | {"scripts": ["Han", "Hiragana"]}
    for again in (
        superword.Tokenizer.from_bytes(tokenizer.to_bytes(), backend=backend_name),
        pickle.loads(pickle.dumps(tokenizer)),
    ):
        assert again == tokenizer
        for text in [*DOCUMENTS, "", "<s>", "??", "漢 字a1\n"]:
            ids = again.encode_ordinary(text)
            assert again.decode(ids) == text
            assert ids == tokenizer.encode_ordinary(text)
    report = tokenizer.report
    assert (report.scheme, report.pattern) == (None, how["pattern"])
    assert (report.script_pattern, report.scripts) == (how["script_pattern"], ("Han", "Hiragana"))
    shown = str(report)
    assert "boundless, a pattern, backend" in shown
    assert r"\p{L} for Han, Hiragana" in shown
    assert "[a-z]|α" in shown


def test_what_is_eligible_decides_what_joins(train):
    """By default spaces alone join nothing; a pattern can let them, or keep letters from it."""
    text = ["1 2 1 2 a b a b"] * 20
    how = {"algorithm": "boundless", "pattern": r"\d|[a-z]| "}
    usual = train(text, **how)
    digits = train(text, eligible_pattern=r"[\d ]", **how)
    assert not [op for op in usual.ops if op.kind == "supermerge"]
    joined = {op.new for op in digits.ops if op.kind == "supermerge"}
    assert b"1 2 " in joined
    assert not [token for token in joined if b"a" in token]


def test_counts_made_elsewhere(backend_name):
    """The pattern is kept for encoding; what is eligible counts in training already."""
    table = [(b"1", 9), (b"2", 9)]
    runs = [((b"1", b"2"), 9)]
    keywords = {"algorithm": "boundless", "vocab_size": 257, "pattern": r"\d|\D+"}
    for eligible, joined in ((r"\d", [b"12"]), (r"\p{L}", [])):
        tokenizer = superword.train_from_counts(
            table, runs, backend=backend_name, eligible_pattern=eligible, **keywords
        )
        assert [op.new for op in tokenizer.ops] == joined
    assert tokenizer.encode("12") == [49, 50]


def test_a_text_that_is_too_expensive_is_named(train):
    tokenizer = train(["a"], pattern=r"\s+\s+\s+x|\S")
    with pytest.raises(superword.PatternTooExpensiveError, match=r"^the pattern is too expensive"):
        tokenizer.encode("a" + " " * 3000)
    with pytest.raises(superword.PatternTooExpensiveError, match=r"^text 1: the pattern is too"):
        tokenizer.encode_batch(["a", "a" + " " * 3000, "b"])
    assert issubclass(superword.PatternTooExpensiveError, ValueError)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_file_that_is_too_expensive(train, tmp_path, threads):
    path = tmp_path / "a.txt"
    path.write_text("a" + " " * 3000, "utf-8")
    text = f"^{re.escape(str(path))}: the pattern .* at position 1 of the text"
    with pytest.raises(superword.PatternTooExpensiveError, match=text):
        train(None, files=[path], pattern=r"\s+\s+\s+x|\S", threads=threads)


def test_no_work_before_a_bad_pattern(backend_name):
    def documents():
        raise AssertionError("a document was read")
        yield ""

    for keywords in (
        {"pattern": "a*"},
        {"eligible_pattern": "(a)"},
        {"pattern": "a", "scheme": ""},
    ):
        with pytest.raises(superword.SettingsError):
            superword.train(documents(), vocab_size=300, backend=backend_name, **keywords)


def test_parity(both_backends, tmp_path):
    """What `superword parity` does, with patterns."""
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in DOCUMENTS), "utf-8")
    tokenizer = superword.train(
        files=[path],
        algorithm="boundless",
        vocab_size=290,
        pattern=r"[^\s\p{L}]| ?\p{L}+",
        script_pattern=r"\p{L}",
        eligible_pattern=r"\p{L}|\d",
    )
    source = (str(path), "jsonl", "none", "text")
    found = parity.compare(*both_backends, tokenizer.to_bytes(), [source], 2)
    assert (found.difference, found.documents) == (None, 9)


def test_an_expensive_eligible_pattern(backend_name):
    """It is asked where superwords are wanted alone, and named in the error."""
    settings = {"vocab_size": 258, "eligible_pattern": "a+a+a+c", "backend": backend_name}
    assert superword.train(["a" * 2600 + "b"], **settings).vocab_size == 258
    with pytest.raises(superword.PatternTooExpensiveError) as caught:
        superword.train(["a" * 2600 + "b"], algorithm="boundless", **settings)
    assert str(caught.value) == (
        "document 0: the eligible pattern is too expensive: no end after 124040 steps, at "
        "position 0 of the pretoken, before 'aaaaaaaaaaaaaaaaaaaa'; simplify the pattern, or cut "
        "the text"
    )


COSTLY = r"\s+\s+\s+x|\S"
BLANKS = " " * 500


def too_expensive(position, whole=BLANKS, place=""):
    """The error for a text of a call, at a position."""
    steps = 1_000_000 + 40 * len(whole)
    return (
        f"{place}the pattern is too expensive: no end after {steps} steps, at position {position} "
        f"of the text, before '{' ' * 20}'; simplify the pattern, or cut the text"
    )


def refused(call, *arguments, **keywords):
    with pytest.raises(superword.PatternTooExpensiveError) as caught:
        call(*arguments, **keywords)
    return str(caught.value)


def broken():
    yield from ["a", f"<s>é{BLANKS}", "b"]
    raise ZeroDivisionError


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(
    "documents",
    [
        ["a", f"<s>é{BLANKS}", "b"],
        ["a", f"<s>é{BLANKS}", f"b{BLANKS}"],
        ["a", f"<s>é{BLANKS}", "b\ud800"],
        ["a", f"<s>é{BLANKS}", "b", 7],
        ["a", f"<s>é{BLANKS}", *["b" * 1000] * 5000, "b\ud800"],
    ],
    ids=["alone", "another", "surrogate", "no str", "far"],
)
def test_the_first_document_at_fault_is_named(train, documents, threads):
    """A backend that reads ahead meets the error of a later one before."""
    settings = {"pattern": COSTLY, "special_tokens": ["<s>"], "threads": threads}
    expected = too_expensive(4, documents[1], "document 1: ")
    assert refused(train, documents, **settings) == expected
    assert refused(train, broken(), **settings) == expected
    if len(documents) == 4:
        with pytest.raises(superword.InputTypeError, match=r"^item 0 of documents"):
            train([7, *documents], **settings)
        with pytest.raises(superword.InputError, match=r"^item 1 of documents .* surrogate"):
            train(["a", "\ud800", *documents], **settings)
    with pytest.raises(ZeroDivisionError):
        train((text for text in ["a", "", *broken()]), pattern=r"\S", threads=threads)


@pytest.mark.parametrize("threads", [1, 3])
def test_the_file_and_the_line_are_named(train, tmp_path, threads):
    settings = {"pattern": COSTLY, "special_tokens": ["<s>"], "threads": threads}
    text = f"<s>é{BLANKS}"
    line = json.dumps({"text": text})
    jsonl = f'\ufeff\n{{"text": "a"}}\n \n{line}\n{{"text": 5}}\n'.encode()
    files = {
        "a.txt": (f"\ufeff{text}".encode(), False, ": ", 5),
        "b.txt": (f"a\n\n{text}\n".encode() + b"\xff\n", True, ": line 3: ", 4),
        "c.jsonl": (jsonl, False, ": line 4: ", 4),
        "d.jsonl.gz": (gzip.compress(jsonl), False, ": line 4: ", 4),
    }
    bad = tmp_path / "z.txt"
    bad.write_bytes(b"\xff")
    for name, (content, lines, place, position) in files.items():
        path = tmp_path / name
        path.write_bytes(content)
        paths = [path, bad]
        found = refused(train, None, files=paths, lines=lines, **settings)
        whole = content.decode() if name == "a.txt" else text  # a mark of the order is in it
        assert found == too_expensive(position, whole, f"{path}{place}")
        with pytest.raises(superword.InputError, match="byte 0 is not valid UTF-8"):
            train(None, files=paths[::-1], lines=lines, **settings)
    # a stream that is damaged is that error, whatever it holds
    path.write_bytes(files["d.jsonl.gz"][0][:-9])
    with pytest.raises(superword.InputError, match="the gzip stream is truncated or damaged"):
        train(None, files=[path], **settings)


@pytest.mark.parametrize("threads", [1, 2])
def test_the_place_is_that_in_the_text_of_the_call(train, threads):
    tokenizer = train(["a"], pattern=COSTLY, special_tokens=["<s>", "é"])
    text = f"aé<s>ü{BLANKS}"
    assert refused(tokenizer.encode, text, "all") == too_expensive(6, text)
    assert refused(tokenizer.encode_ordinary, text) == too_expensive(6, text)
    # of bytes in bytes, also behind those that are no UTF-8
    data = b"\xff\xfe" + text.encode()
    whole = f"??{text}"
    assert refused(tokenizer.encode, data, "all") == too_expensive(10, whole)
    assert refused(tokenizer.encode_ordinary, data) == too_expensive(10, whole)
    for batch in (["a", text, text], ["a", text, "\ud800"], ["a", text, 7]):
        found = refused(tokenizer.encode_batch, batch, "all", threads)
        assert found == too_expensive(6, text, "text 1: ")
    with pytest.raises(superword.EncodingError, match=r"^text 0: the text has a lone surrogate"):
        tokenizer.encode_batch(["\ud800", text], "all", threads)


def test_a_piece_is_cut_before_it_is_judged(train):
    """Whatever number of pretokens stands between what cannot be judged and what cannot be cut."""
    settings = {"algorithm": "boundless", "pattern": r"a+|\s+\s+\s+x|\S"}
    settings["eligible_pattern"] = "a+a+a+c"
    costly = "a" * 2600
    for between in ("b" * 3, "b" * 300):
        text = f"{costly}{between}{BLANKS}"
        found = refused(train, ["a", text], **settings)
        assert found == too_expensive(len(text) - len(BLANKS), text, "document 1: ")
        found = refused(train, ["a", f"{costly}{between}"], **settings)
        assert found.startswith("document 1: the eligible pattern is too expensive")


class AlarmError(Exception):
    pass


@pytest.mark.parametrize("where", ["count", "file", "judge", "cut"])
def test_an_interrupt_is_seen_while_a_pretoken_is_judged(
    backend_name, both_backends, where, tmp_path
):
    """A search of a few seconds: the alarm must be seen in one, as Ctrl-C would be."""
    text = "a" * 6_000_000
    settings = {"vocab_size": 300, "algorithm": "boundless", "eligible_pattern": "a+a+a+c"}
    settings |= {"backend": backend_name, "threads": 1, "pattern": "a+"}
    path = tmp_path / "a.txt"
    path.write_text(text)
    backend = both_backends[backend_name == "rust"]
    call = {
        "count": lambda: superword.train([text], **settings),
        "file": lambda: superword.train(files=[path], **settings | {"threads": 2}),
        "judge": lambda: backend.is_eligible_text(
            text.encode(), Cutting("gpt2", eligible_pattern="a+a+a+c")
        ),
        "cut": lambda: backend.pretokenize(text, Cutting(None, "a+a+a+c")),
    }[where]

    def ring(*_):
        raise AlarmError

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        start = time.process_time()
        with pytest.raises(AlarmError):
            call()
        assert time.process_time() - start < 1.5
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("group", [r"\p{N}", r"(?:\p{N}\p{M}*)"])
def test_looking_ahead_over_all_digits_is_linear(both_backends, group):
    """As the published word-level patterns do: 2,000 digits were too many once."""
    how = Cutting(None, rf"{group}{{1,3}}(?=(?:{group}{{3}})*(?:\P{{N}}|$))|\P{{N}}")
    for digits in (1, 2, 3, 4, 60_001):
        text = f"{'7' * digits} x"
        expected = [text[:digits][::-1][at : at + 3] for at in range(0, digits, 3)][::-1]
        for backend in both_backends:
            found = [piece.decode() for piece in backend.pretokenize(text, how)]
            assert found == [*expected, " ", "x"]


TENTH = " " * 100  # takes COSTLY 960,000 steps


@pytest.mark.parametrize("threads", [1, 2])
def test_the_steps_of_a_text_are_those_of_all_its_pieces(train, tmp_path, threads):
    """Special tokens, scripts and what is no UTF-8 cut a text, but give it no more steps."""
    costly = {"pattern": COSTLY, "special_tokens": ["<s>"]}
    tokenizer = train([TENTH, TENTH], threads=threads, **costly)  # each document has its own
    assert tokenizer.encode_batch([TENTH] * 3, threads=threads) == [tokenizer.encode(TENTH)] * 3
    text = f"{TENTH}<s>{TENTH}"
    expected = too_expensive(104, text)
    assert refused(tokenizer.encode, text, "all") == expected
    assert refused(train, [text], threads=threads, **costly) == f"document 0: {expected}"
    data = TENTH.encode() + b"\xff" + TENTH.encode()
    assert refused(tokenizer.encode, data) == too_expensive(102, f"{TENTH}?{TENTH}")
    path = tmp_path / "a.txt"
    path.write_text(text, "utf-8")
    found = refused(train, None, files=[path], threads=threads, **costly)
    assert found == f"{path}: {expected}"
    # a longer text has more of them, wherever it is long
    text += f"<s>{'a' * 30_000}"
    assert tokenizer.decode(tokenizer.encode(text, "all")) == text


def test_the_steps_of_a_text_are_those_of_all_its_chunks(both_backends):
    how = Cutting(None, COSTLY, r"\s+\s+\s+y|\S", ("Greek",))
    text = f"a{TENTH}β{TENTH}"
    for backend in both_backends:
        assert len(backend.pretokenize(text[:102], how)) == 3
        found = refused(backend.pretokenize, text, how)
        assert found == too_expensive(103, text)


def test_a_row_that_is_too_expensive_is_named(backend_name):
    """The first one, whatever becomes of it; and for superwords alone."""
    costly = b"a" * 2600
    table = [(b"ab", 9), (b"b\xff", 1), (costly + b"b", 1), (costly, 50), (b"b", 9)]
    settings = {"vocab_size": 258, "eligible_pattern": "a+a+a+c", "backend": backend_name}
    assert superword.train_from_counts(table, **settings).vocab_size == 258
    for algorithm in ({"algorithm": "superbpe", "supermerges": 1}, {"algorithm": "boundless"}):
        for rows, number, steps in ((table, 2, 124_040), (table[3:], 0, 124_000)):
            found = refused(superword.train_from_counts, rows, **algorithm, **settings)
            assert found == (
                f"pretoken {number}: the eligible pattern is too expensive: no end after {steps} "
                "steps, at position 0 of the pretoken, before 'aaaaaaaaaaaaaaaaaaaa'; simplify "
                "the pattern, or cut the text"
            )
    with pytest.raises(superword.InputError, match="pretoken 5: is empty"):
        superword.train_from_counts([*table, (b"", 1)], algorithm="boundless", **settings)
