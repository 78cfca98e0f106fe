"""Custom patterns through the public names: training, the model file, encoding, reports."""

import json
import pickle

import pytest

import superword
from superword import parity
from superword.reference.patterns import NAMED_PATTERNS
from superword.settings import SCRIPTS

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
    with pytest.raises(superword.PatternTooExpensiveError, match="at position 1 of the text"):
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
        "the eligible pattern is too expensive: no end after 2260100 steps, at position 0 of the "
        "pretoken, before 'aaaaaaaaaaaaaaaaaaaa'; simplify the pattern, or cut the text"
    )
