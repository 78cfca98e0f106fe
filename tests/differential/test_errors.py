"""Bad inputs, as data: the same type and the same text from both backends."""

from __future__ import annotations

import gzip
import hashlib
import json
import pickle
import re
from pathlib import Path

import pytest

import superword

CASES = json.loads((Path(__file__).parents[1] / "errors.json").read_text("utf-8"))
DOCUMENTS = ["to be or not to be", "that is the question, to be <s> or not"]


def value(given):
    """What JSON cannot say: bytes as hex, tuples, special numbers, strings with lone surrogates."""
    if isinstance(given, list):
        return [value(item) for item in given]
    if not isinstance(given, dict):
        return given
    if "$bytes" in given:
        return bytes.fromhex(given["$bytes"])
    if "$pairs" in given:
        return [(value(key), value(count)) for key, count in given["$pairs"]]
    if "$tuple" in given:
        return tuple(value(given["$tuple"]))
    if "$repeat" in given:
        text, times, end = given["$repeat"]
        return text * times + end
    if "$set" in given:
        return set(value(given["$set"]))
    if "$object" in given:
        return object()
    return {key: value(item) for key, item in given.items()}


def content(given):
    """The bytes of a file."""
    found = value(given)
    return found.encode() if isinstance(found, str) else found


@pytest.fixture(scope="session")
def tokenizer(backend_name):
    return superword.train(
        DOCUMENTS,
        algorithm="boundless",
        vocab_size=280,
        special_tokens=["<s>", "<é>"],
        backend=backend_name,
    )


@pytest.fixture(scope="session")
def narrow(backend_name):
    return superword.train(DOCUMENTS, vocab_size=250, alphabet="utf8", backend=backend_name)


def damaged(data, case):
    """A model file with a change, and, unless the case says so, a hash that fits again."""
    body = data[: -len("sha256 \n") - 64]
    for old, new in case.get("replace", []):
        assert old.encode() in body, "nothing to replace: the case is stale"
        body = body.replace(old.encode(), content(new), 1)
    body = body[: len(body) + case["cut"]] if "cut" in case else body
    if case.get("hash", True):
        return body + f"sha256 {hashlib.sha256(body).hexdigest()}\n".encode()
    return body + data[len(data) - len("sha256 \n") - 64 :]


def act(case, backend_name, tokenizer, narrow, folder):
    """Does what the case says."""
    keywords = {"vocab_size": 300, "backend": backend_name} | value(case.get("keywords", {}))
    keywords = {k: v for k, v in keywords.items() if v != "$absent"}
    match case["do"]:
        case "train":
            arguments = value(case["documents"]) if "documents" in case else [DOCUMENTS]
            superword.train(*arguments, **keywords)
        case "count":
            superword.train_from_counts(
                value(case["pretokens"]), value(case.get("runs")), **keywords
            )
        case "file":
            path = folder / case["file"]
            data = content(case["content"])
            if case["file"].endswith(".gz") and not case.get("raw"):
                data = gzip.compress(data, mtime=0)
                data = data[: len(data) + case.get("cut", 0)]
            path.write_bytes(data)
            superword.train(files=[path], **keywords)
        case "files":
            superword.train(files=[str(folder / name) for name in case["files"]], **keywords)
        case "model":
            data = content(case["content"]) if "content" in case else tokenizer.to_bytes()
            data = data if "content" in case else damaged(data, case)
            more = value(case.get("keywords", {}))
            superword.Tokenizer.from_bytes(data, backend=backend_name, **more)
        case "load":
            path = folder / "broken.superword"
            path.write_bytes(content(case["content"]))
            superword.Tokenizer.load(path, backend=backend_name)
        case "call":
            chosen = narrow if case.get("model") == "narrow" else tokenizer
            method = getattr(chosen, case["method"])
            method(*value(case["arguments"]), **value(case.get("keywords", {})))
        case other:
            raise AssertionError(f"unknown: {other}")


def outcome(case, backend_name, tokenizer, narrow, folder):
    """Type and text of the error, without the folder of this run."""
    with pytest.raises(superword.SuperwordError) as caught:
        act(case, backend_name, tokenizer, narrow, folder)
    check_item(caught.value)
    return type(caught.value).__name__, str(caught.value).replace(f"{folder}", "{folder}")


ITEM = re.compile(
    r"(?:text|item|document) ([0-9]+)(?:: | of documents \(counted from 0\) )(.*)", re.S
)


def check_item(error):
    """What the text says of the item at fault, the attributes say, too."""
    match = ITEM.fullmatch(str(error))
    expected = (int(match[1]), match[2]) if match else (None, None)
    assert (error.index, error.detail) == expected


@pytest.mark.filterwarnings("ignore::superword.SuperwordWarning")
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_error(case, backend_name, tokenizer, narrow, tmp_path):
    found = outcome(case, backend_name, tokenizer, narrow, tmp_path)
    assert found == (case["type"], case["text"])
    assert issubclass(getattr(superword, case["type"]), ValueError)
    assert issubclass(getattr(superword, case["type"]), TypeError) == ("Type" in case["type"])


def test_the_item_at_fault(tokenizer, backend_name):
    for threads in (1, 2):
        with pytest.raises(superword.EncodingError) as caught:
            tokenizer.encode_batch(["a", "", "b <s>", "<s>"], threads=threads)
        check_item(caught.value)
        assert caught.value.index == 2
        assert caught.value.detail.startswith("special token '<s>' at position 2 is not allowed")
        again = pickle.loads(pickle.dumps(caught.value))
        assert (again.index, again.detail) == (2, caught.value.detail)
        costly = ["a", " " * 500, " " * 500]
        with pytest.raises(superword.PatternTooExpensiveError) as caught:
            superword.train(
                costly,
                vocab_size=256,
                pattern=r"\s+\s+\s+x|\S",
                threads=threads,
                backend=backend_name,
            )
        check_item(caught.value)
        assert caught.value.index == 1
    with pytest.raises(superword.EncodingError) as caught:
        tokenizer.encode("<s>")
    assert (caught.value.index, caught.value.detail) == (None, None)


def test_there_are_many():
    assert len(CASES) >= 60
    assert len({case["name"] for case in CASES}) == len(CASES)
    kinds = {case["do"] for case in CASES}
    assert kinds == {"train", "count", "file", "files", "model", "load", "call"}
