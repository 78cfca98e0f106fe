"""`train` and `train_from_counts`: what they pass on, report, warn of and refuse."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import superword
from superword import _backend
from superword.model import Model, Op

DOCUMENTS = ["to be or not to be", "that is the question", "", "to be is to do"]


class NoTruth:
    """What an array of numpy is when somebody compares it and asks for the truth."""

    def __bool__(self) -> bool:
        raise ValueError

    def __eq__(self, other: object) -> Any:
        return self

    __ne__ = __eq__
    __hash__ = None  # type: ignore[assignment]


class OddText(str):
    """Looks like another text to whoever asks its methods and not its memory."""

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Iterator[str]:
        return iter("x")

    def encode(self, *arguments: object) -> bytes:  # type: ignore[override]
        return b"x"


class OddBytes(bytes):
    """The same for bytes."""

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Iterator[int]:
        return iter(b"x")

    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = bytes.__hash__


def train(backend_name: str, documents: Any = DOCUMENTS, **settings: Any) -> superword.Tokenizer:
    return superword.train(documents, **{"vocab_size": 280, "backend": backend_name, **settings})


@pytest.mark.parametrize("algorithm", ["bpe", "superbpe", "boundless"])
def test_files_and_documents_give_the_same(
    backend_name: str, tmp_path: Path, algorithm: str
) -> None:
    settings: dict[str, Any] = {"algorithm": algorithm, "backend": backend_name, "vocab_size": 280}
    if algorithm == "superbpe":
        settings["regular_fraction"] = "19/20"
    lines = "".join(json.dumps({"text": text}) + "\n" for text in DOCUMENTS)
    (tmp_path / "a.jsonl").write_text(lines)
    (tmp_path / "b.jsonl").write_text(lines.replace('"text"', '"body"'))
    (tmp_path / "c.txt").write_text("".join(f"{text}\n" for text in DOCUMENTS))
    expected = superword.train(iter(DOCUMENTS), **settings)
    assert superword.train(files=tmp_path / "a.jsonl", **settings) == expected
    assert superword.train(files=[tmp_path / "b.jsonl"], field="body", **settings) == expected
    assert superword.train(files=str(tmp_path / "c*"), lines=True, **settings) == expected
    assert superword.train(reversed(DOCUMENTS), threads=2, **settings) == expected


def test_counting_by_hand_gives_the_same(backend_name: str) -> None:
    pretokens = [(b"to", 2), (b" be", 4), (b" or", 2), (b" not", 2), (b" to", 2)]
    run = (b"to", b" be", b" or", b" not", b" to", b" be")
    tokenizer = superword.train_from_counts(
        pretokens,
        [(run, 2)],
        documents=2,
        algorithm="boundless",
        vocab_size=270,
        backend=backend_name,  # type: ignore[arg-type]
    )
    texts = ["to be or not to be"] * 2
    assert tokenizer == train(backend_name, texts, algorithm="boundless", vocab_size=270)
    assert tokenizer.report.documents == 2


def test_subclasses_are_what_they_hold(backend_name: str) -> None:
    class TrueIndex:
        def __index__(self) -> bool:
            return True

    assert train(backend_name, [OddText(text) for text in DOCUMENTS]) == train(backend_name)
    special = train(backend_name, special_tokens=[OddText("<s>")]).special_tokens
    assert [type(token) for token in special] == [str]
    runs = [((b"to", b" be"), 2)]
    expected = superword.train_from_counts(
        [(b"to", 2), (b" be", 2)],
        runs,
        documents=1,
        algorithm="boundless",
        vocab_size=260,
        backend=backend_name,  # type: ignore[arg-type]
    )
    for kind in (OddBytes, bytearray, memoryview):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # an __index__ that gives a bool
            found = superword.train_from_counts(
                [(kind(b"to"), 2), (kind(b" be"), 2)],
                [((kind(b"to"), kind(b" be")), 2)],
                documents=TrueIndex(),  # type: ignore[arg-type]
                algorithm="boundless",
                vocab_size=260,
                backend=backend_name,  # type: ignore[arg-type]
            )
        assert found == expected
        assert type(found.report.documents) is int


LIMITS = (
    "the model has such long tokens that it loads only with higher limits: "
    "max_token_bytes={}, max_total_bytes={}"
)


def test_runs_with_pretokens_that_are_not_eligible(backend_name):
    """Counts made elsewhere may hold them: they cut the runs, with any number of threads."""
    names = [b"wa", b"xb", b".", b"yc", b"1"]
    pretokens = [(name, 90 - n) for n, name in enumerate(names)]
    runs = [((b"wa", b".", b"xb"), 40), ((b"wa", b"xb", b"1", b"yc"), 20), ((b"xb", b"yc"), 9)]
    models = {
        superword.train_from_counts(
            pretokens,
            runs,
            algorithm="boundless",
            vocab_size=259,
            threads=threads,
            backend=name,
        ).to_bytes()
        for name in {backend_name, "python"}
        for threads in (1, 2, 3)
    }
    assert len(models) == 1


def test_a_model_that_needs_higher_limits_says_which(
    backend_name: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Training a pretoken of 32 MiB takes the reference minutes: its model is made by hand."""
    module = _backend.load(backend_name)
    ops = [(97, 97), *((number, number) for number in range(256, 280))]
    model = Model(
        *("bpe", "bytes", "superword", "gpt2", "regular-first", (), module.UNICODE_VERSION),
        *(*[None] * 3, r"\p{L}", *[None] * 4, 1, 2**25, 1, 1),
        [Op("merge", *pair, 256 + n, 1) for n, pair in enumerate(ops)],
    )
    data = module.model_to_bytes(model)
    text = LIMITS.format(2**25, 2**26 - 2)
    monkeypatch.setattr(module, "train_counts", lambda *arguments: (data, "no_pairs", None))
    with pytest.warns(superword.SuperwordWarning) as caught:
        tokenizer = superword.train_from_counts([(b"a", 1)], vocab_size=300, backend=backend_name)
    assert [str(warning.message) for warning in caught] == [text]
    assert tokenizer.report.notices == (text,)
    name: Any = backend_name
    with pytest.raises(superword.ModelFormatError):
        superword.Tokenizer.from_bytes(data, backend=name)
    limits = {"max_token_bytes": 2**25, "max_total_bytes": 2**26 - 2}
    assert superword.Tokenizer.from_bytes(data, backend=name, **limits) == tokenizer
    for limit, value in limits.items():
        with pytest.raises(superword.ModelFormatError):
            superword.Tokenizer.from_bytes(data, backend=name, **{**limits, limit: value - 1})


@pytest.mark.usefixtures("both_backends")
def test_training_that_needs_higher_limits() -> None:
    # With Rust alone: the reference would take too long, the test before has its part.
    with pytest.warns(superword.SuperwordWarning) as caught:
        tokenizer = train("rust", ["a" * 2**25], vocab_size=300)
    assert [str(warning.message) for warning in caught] == [LIMITS.format(2**25, 2**26 - 2)]
    assert [warning.filename for warning in caught] == [__file__]
    assert tokenizer.report.notices == (LIMITS.format(2**25, 2**26 - 2),)


def test_the_report(backend_name: str) -> None:
    report = train(
        backend_name, algorithm="boundless", vocab_size=260, special_tokens=["<s>"], threads=1
    ).report
    assert (report.documents, report.bytes, report.pretokens) == (4, 52, 15)
    assert (report.tokens, report.asked, report.stop) == (260, 260, "vocab_size")
    assert report.tokens - 256 == report.merges + report.supermerges
    assert (report.special_tokens, report.threads, report.backend) == (1, 1, backend_name)
    assert [stage.name for stage in report.stages] == [
        "count",
        "merges",
        "candidates",
        "superwords",
        "load",
    ]
    assert all(stage.seconds >= 0 for stage in report.stages)
    assert not report.stopped_early
    assert report.stop_reason == "all tokens that were asked for are made"
    assert "stage candidates" in str(report)


def test_the_report_of_bpe_has_no_second_phase(backend_name: str) -> None:
    stages = [stage.name for stage in train(backend_name).report.stages]
    assert stages == ["count", "merges", "load"]


@pytest.mark.parametrize(
    ("settings", "stop", "why"),
    [
        ({"vocab_size": 5000}, "no_pairs", "no pair is left to merge"),
        (
            {"vocab_size": 5000, "min_count": 3},
            "min_count",
            "no pair is left that occurs min_count times",
        ),
        (
            {"vocab_size": 5000, "algorithm": "superbpe", "supermerges": 2},
            "no_pairs",  # of phase 1: all supermerges that were asked for are made
            "no pair is left to merge",
        ),
    ],
)
def test_training_that_stops_early(
    backend_name: str, settings: dict[str, Any], stop: str, why: str
) -> None:
    tokenizer = train(backend_name, **settings)
    report = tokenizer.report
    assert report.stop == stop
    assert report.stopped_early
    assert report.stop_reason == f"5,000 tokens asked for, {report.tokens} made: {why}"
    assert tokenizer.vocab_size == report.tokens == len(tokenizer)


@pytest.mark.parametrize("documents", [[], [""], iter(())])
def test_an_empty_corpus(backend_name: str, documents: Any) -> None:
    with pytest.warns(superword.SuperwordWarning) as caught:
        tokenizer = train(backend_name, documents, algorithm="boundless", special_tokens=["<s>"])
    text = "the corpus is empty: the model has the single bytes of its alphabet alone"
    assert [str(warning.message) for warning in caught] == [text]
    assert tokenizer.report.notices == (text,)
    assert (tokenizer.vocab_size, len(tokenizer)) == (256, 257)
    assert tokenizer.decode(tokenizer.encode("é")) == "é"


def test_warnings_point_at_the_caller(backend_name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"text": "to be"}\n')
    with pytest.warns(superword.SuperwordWarning) as caught:
        tokenizer = superword.train(
            files=[path, path],
            vocab_size=256,
            backend=backend_name,  # type: ignore[arg-type]
        )
    assert [warning.filename for warning in caught] == [__file__, __file__]
    assert tokenizer.report.notices == tuple(str(warning.message) for warning in caught)
    assert tokenizer.report.notices == (
        f"{path}: was reached twice and counts once",
        f"{path}: starts with a byte order mark, which is skipped",
    )


def test_a_warning_that_is_an_error_comes_before_the_work(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("to be")
    calls: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("error", superword.SuperwordWarning)
        with pytest.raises(superword.SuperwordWarning):
            superword.train(
                files=[path, path],
                vocab_size=256,
                backend="python",
                progress=lambda stage, done, total: calls.append(stage),
            )
    assert calls == []


def test_progress(backend_name: str, capfd: pytest.CaptureFixture[str]) -> None:
    calls: list[tuple[str, int, int]] = []
    train(backend_name, algorithm="boundless", progress=lambda *call: calls.append(call))
    assert list(dict.fromkeys(stage for stage, _, _ in calls)) == [
        "count",
        "merges",
        "candidates",
        "superwords",
    ]
    assert all(total == 0 or 0 <= done <= total for _, done, total in calls)
    train(backend_name, algorithm="boundless")
    assert capfd.readouterr() == ("", "")
    train(backend_name, algorithm="boundless", progress=True)
    out, err = capfd.readouterr()
    assert out == ""
    assert re.search(r"^superword: merges \d+ of 24$", err, re.M)


@pytest.mark.parametrize("stage", ["count", "merges", "candidates", "superwords"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError, UnicodeError])
def test_what_progress_raises_passes_through(
    backend_name: str, stage: str, error: type[BaseException]
) -> None:
    mine = error("mine")

    def progress(name: str, done: int, total: int) -> None:
        if name == stage:
            raise mine

    with pytest.raises(error) as caught:
        train(backend_name, algorithm="boundless", progress=progress)
    assert caught.value is mine


def test_what_the_iterable_raises_passes_through(backend_name: str) -> None:
    mine = UnicodeEncodeError("utf-8", "\ud800", 0, 1, "mine")

    def documents() -> Iterator[str]:
        yield "fine"
        raise mine

    with pytest.raises(UnicodeEncodeError) as caught:
        train(backend_name, documents())
    assert caught.value is mine


def test_a_lone_surrogate(backend_name: str) -> None:
    with pytest.raises(superword.InputError) as caught:
        train(backend_name, ["fine", "broken \udbc0 char"])
    assert str(caught.value) == (
        "item 1 of documents (counted from 0) has a lone surrogate at character 7; leave it out or "
        "replace it, for example with "
        "text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')"
    )


def test_the_first_item_at_fault_is_reported_whatever_its_fault(backend_name: str) -> None:
    for documents, text in (
        (["fine", "a\udbc0", None], "item 1 of documents (counted from 0) has a lone surrogate"),
        (["fine", None, "a\udbc0"], "item 1 of documents (counted from 0) must be a str"),
        (["a\udbc0"] * 5000 + [None], "item 0 of documents (counted from 0) has a lone surrogate"),
    ):
        with pytest.raises(superword.InputError) as caught:
            train(backend_name, documents)
        assert str(caught.value).startswith(text)


def test_items_of_a_wrong_type(backend_name: str, shared: Path) -> None:
    items = json.loads((shared / "cases/in/iter-types-01.json").read_text())["items"]
    with pytest.raises(TypeError) as caught:
        train(backend_name, items)
    assert type(caught.value) is superword.InputTypeError
    assert str(caught.value) == "item 2 of documents (counted from 0) must be a str, not NoneType"


@pytest.mark.parametrize(
    ("documents", "files", "text"),
    [
        (None, None, "train needs exactly one of documents and files, not neither"),
        (["a"], "a.txt", "train needs exactly one of documents and files, not both"),
    ],
)
def test_documents_or_files(documents: Any, files: Any, text: str) -> None:
    with pytest.raises(superword.SettingsError) as caught:
        superword.train(documents, files=files, vocab_size=256)
    assert str(caught.value) == text


@pytest.mark.parametrize("options", [{"field": "body"}, {"lines": True}])
def test_options_of_files_need_files(options: Any) -> None:
    with pytest.raises(superword.SettingsError) as caught:
        superword.train(["a"], vocab_size=256, **options)
    assert str(caught.value) == "field and lines are for files and have no meaning for documents"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"lines": 0}, "lines must be True or False, not int"),
        ({"lines": None}, "lines must be True or False, not NoneType"),
        ({"lines": NoTruth()}, "lines must be True or False, not NoTruth"),
        ({"field": 1}, "field must be a string, not int"),
        ({"field": None}, "field must be a string, not NoneType"),
        ({"field": NoTruth()}, "field must be a string, not NoTruth"),
    ],
)
def test_the_type_comes_before_the_truth(options: Any, text: str) -> None:
    for what in ({"documents": ["a"]}, {"files": "a.txt"}):
        with pytest.raises(superword.SettingsTypeError) as caught:
            superword.train(vocab_size=256, **what, **options)
        assert str(caught.value) == text


@pytest.mark.parametrize(("progress", "name"), [(False, "False"), (3, "int"), ("yes", "str")])
def test_what_progress_cannot_be(progress: Any, name: str) -> None:
    with pytest.raises(superword.SettingsTypeError) as caught:
        superword.train(["a"], vocab_size=256, progress=progress)
    assert str(caught.value) == (
        f"progress must be None, True or a callable (stage, done, total), not {name}"
    )


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (("x", None), "pretokens must be an iterable of pairs, not str"),
        ((3, None), "pretokens must be an iterable of pairs, not int"),
        (({b"a": 1}, None), "pretoken 0: must come as a pair, with its count second"),
        (([(b"a", 1), (b"a",)], None), "pretoken 1: must come as a pair, with its count second"),
        (([("a", 1)], None), "pretoken 0: must be bytes, not str"),
        (([(b"a", 1.0)], None), "pretoken 0: the count must be an integer, not float"),
        (([(b"a", True)], None), "pretoken 0: the count must be an integer, not bool"),
        (([(b"a", 0)], None), "pretoken 0: the count must be from 1 to 2^63 - 1"),
        (([(b"a", 2**63)], None), "pretoken 0: the count must be from 1 to 2^63 - 1"),
        (([(b"", 1)], None), "pretoken 0: is empty"),
        (([], b"x"), "runs must be an iterable of pairs, not bytes"),
        (([], [(b"ab", 1)]), "run 0: must be a tuple of bytes, not bytes"),
        (([], [((b"a", "b"), 1)]), "run 0: must hold bytes alone, not str"),
        (
            ([], [((b"a", b"b"), 1)]),
            "run 0: the pretoken 61 (hex) is not in the table of pretokens",
        ),
        (([(b"a", 1)], [((b"a",), 1)]), "run 0: needs at least two pretokens"),
    ],
)
def test_tables_that_cannot_be_used(backend_name: str, table: Any, text: str) -> None:
    with pytest.raises(superword.InputError) as caught:
        superword.train_from_counts(
            *table,
            vocab_size=256,
            backend=backend_name,  # type: ignore[arg-type]
        )
    assert str(caught.value) == text
    types = ("not str", "not int", "second", "not float", "not bool", "not bytes")
    assert isinstance(caught.value, superword.InputTypeError) == text.endswith(types)


@pytest.mark.parametrize(
    ("documents", "text"),
    [
        (-1, "the number of documents must be from 0 to 2^63 - 1"),
        ("1", "the number of documents must be an integer, not str"),
    ],
)
def test_a_number_of_documents_that_cannot_be(documents: Any, text: str) -> None:
    with pytest.raises(superword.InputError) as caught:
        superword.train_from_counts([], documents=documents, vocab_size=256, backend="python")
    assert str(caught.value) == text
