"""The parity check finds a difference of every kind, and none where there is none."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import superword
from superword import parity
from superword.corpus import Source, find_files

REFERENCE = importlib.import_module("superword.reference")


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> list[Source]:
    path = tmp_path_factory.mktemp("parity") / "a.txt"
    path.write_text("to be or not to be <s>\nthat is the question\nto be or not to be\n")
    return find_files(path, lines=True).sources


def model(sources: list[Source], algorithm: Any = "boundless", **settings: Any) -> bytes:
    return superword.train(
        files=sources[0][0],
        lines=True,
        algorithm=algorithm,
        special_tokens=["<s>"],
        backend="python",
        **{"vocab_size": 275, **settings},
    ).to_bytes()


def other(**changed: Any) -> ModuleType:
    """A second backend: the reference, with something changed."""
    module = ModuleType("superword._core")
    for name in REFERENCE.__all__:
        setattr(module, name, changed.get(name, getattr(REFERENCE, name)))
    return module


@pytest.mark.parametrize(
    ("algorithm", "settings"),
    [
        ("bpe", {"rules": "incremental", "alphabet": "utf8", "id_order": "creation"}),
        ("bpe", {"vocab_size": 256}),
        ("bpe", {"scheme": "none"}),
        ("superbpe", {"supermerges": 7}),
        ("boundless", {}),
        ("boundless", {"vocab_size": 5000}),
    ],
)
def test_equal_backends(sources: list[Source], algorithm: str, settings: dict[str, Any]) -> None:
    data = model(sources, algorithm, **settings)
    calls: list[str] = []
    result = parity.compare(
        REFERENCE, other(), data, sources, 1, lambda stage, done, total: calls.append(stage)
    )
    assert result.difference is None
    assert result.documents == 3
    # The settings that are read off a model make the same model from the same files.
    assert (result.model_bytes, result.ops) == (len(data), data.count(b"\n") - 2)
    tokenizer = superword.Tokenizer.from_bytes(data, backend="python")
    texts = [line for line in Path(sources[0][0]).read_text().split("\n") if line]
    assert result.ids == sum(map(len, tokenizer.encode_batch(texts, "all")))
    assert {"count", "merges", "encode"} <= set(calls)


class OtherEncoder(REFERENCE.Encoder):  # type: ignore[name-defined,misc]
    def encode(self, text: str, allowed: Any) -> list[int]:
        ids: list[int] = super().encode(text, allowed)
        return [*ids[:2], 7, *ids[3:]] if text.startswith("that") else ids


class LongerEncoder(REFERENCE.Encoder):  # type: ignore[name-defined,misc]
    def encode(self, text: str, allowed: Any) -> list[int]:
        return [*super().encode(text, allowed), 7]


def other_artifact(*arguments: Any) -> tuple[bytes, str, None]:
    data, stop, _ = REFERENCE.train_counts(*arguments)
    lines = data.split(b"\n")
    lines[2] = b"m 1 2 3"
    return b"\n".join(lines), stop, None


def other_stop(*arguments: Any) -> tuple[bytes, str, None]:
    return REFERENCE.train_counts(*arguments)[0], "min_count", None


def other_documents(source: Any, notices: list[str]) -> Iterator[str]:
    for text in REFERENCE.read_documents(source, notices):
        yield text.replace("question", "answer")


def fewer_documents(source: Any, notices: list[str]) -> Iterator[str]:
    yield next(REFERENCE.read_documents(source, notices))


def other_counts(sources: Any, *arguments: Any) -> Any:
    return REFERENCE.count_documents([["to be"]], *arguments)


def other_runs(sources: Any, scheme: str, special: Any, runs: bool, *arguments: Any) -> Any:
    return REFERENCE.count_files(sources, scheme, special, False, *arguments)


def no_counts(*arguments: Any) -> Any:
    raise superword.InputError("too tired")


def other_model(*arguments: Any) -> Any:
    return REFERENCE.model_from_bytes(*arguments)._replace(documents=4)


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        (
            {"Encoder": OtherEncoder},
            "the ids of document 1 of PATH (counted from 0): first difference at position 2: "
            "python has ",
        ),
        (
            {"Encoder": LongerEncoder},
            "the ids of document 0 of PATH (counted from 0): first difference at position ",
        ),
        (
            {"train_counts": other_artifact},
            "the artifact: first difference at position 2: python has b'm ",
        ),
        (
            {"train_counts": other_stop},
            "the reason to stop: first difference at position 0: python has 'vocab_size', "
            "rust has 'min_count'",
        ),
        (
            {"read_documents": other_documents},
            "document 1 of PATH (counted from 0): first difference at position 12: python has 'q', "
            "rust has 'a'",
        ),
        (
            {"read_documents": fewer_documents},
            "document 1 of PATH (counted from 0): first difference at position 0: python has ",
        ),
        (
            {"count_files": other_counts},
            "the counts: first difference at position 0: python has 3, rust has 1",
        ),
        (
            {"count_files": other_runs},
            "run_counts: first difference at position 0: python has ((b'that', ",
        ),
        (
            {"count_files": no_counts},
            "the counts: first difference at position 0: python has (3, ",
        ),
        (
            {"model_from_bytes": other_model},
            "the model: first difference at position 0: python has 3, rust has 4",
        ),
    ],
)
def test_differences(sources: list[Source], changed: dict[str, Any], text: str) -> None:
    result = parity.compare(REFERENCE, other(**changed), model(sources), sources, 1)
    assert result.difference is not None
    assert result.difference.replace(sources[0][0], "PATH").startswith(text)


def test_errors_that_are_the_same_are_raised(tmp_path: Path, sources: list[Source]) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "fine"}\n{"text": 3}\n')
    found = find_files(path).sources
    with pytest.raises(superword.InputError, match="line 2"):
        parity.compare(REFERENCE, other(), model(sources), found, 1)
    with pytest.raises(superword.ModelFormatError):
        parity.compare(REFERENCE, other(), b"", found, 1)


def test_both_backends_agree(
    both_backends: tuple[ModuleType, ModuleType], sources: list[Source]
) -> None:
    result = parity.compare(*both_backends, model(sources), sources, 2)
    assert result.difference is None
    assert result.documents == 3
