"""The small interface that every adapter of an encoder has."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

# What an adapter's `encode` gives, which is in the table
LISTS = "lists"
ARRAYS = "flat array"


@dataclass(frozen=True)
class Vocabulary:
    """Where a vocabulary lies, in each form, and what it is: `compare.encode.vocabularies`."""

    folder: Path
    algorithm: str
    pattern: str
    size: int
    # the text it was trained on, for what can only train
    text: Path

    @property
    def model(self) -> Path:
        """The model file of superword."""
        return self.folder / "model.superword"

    @property
    def ranks(self) -> Path:
        """The rank file: a token in base64 and its rank in each line; only of plain BPE."""
        return self.folder / "ranks.tiktoken"

    @property
    def json(self) -> Path:
        """The tokenizer.json; only of plain BPE."""
        return self.folder / "tokenizer.json"


def nothing(vocabulary: Vocabulary, scratch: Path) -> None:
    """What an adapter prepares that needs no other form of the vocabulary."""


@dataclass(frozen=True)
class Loaded:
    """An encoder, ready.

    `encode` takes all texts and gives their ids in the fastest form that its package has for
    Python; `lists` turns that into the ids of each text. `ids` gives those of one text as a list;
    `truth` gives them too, by other means, where the vocabulary is not ours.
    """

    encode: Callable[[list[str]], Any]
    lists: Callable[[Any], Iterable[Sequence[int]]]
    ids: Callable[[str], list[int]]
    truth: Callable[[str], list[int]] | None = None


@dataclass(frozen=True)
class Adapter:
    """One encoder. Its packages are imported, those of its arrays too, before any clock starts.

    `prepare`, too, comes before: it may write what `load` reads into a folder of its own.
    `superwords`: takes models of superword. `slow`: is measured on little text, beside tokenizers.
    """

    name: str
    packages: tuple[str, ...]
    version: Callable[[], str]
    gives: str
    load: Callable[[Vocabulary, Path], Loaded]
    prepare: Callable[[Vocabulary, Path], None] = nothing
    superwords: bool = False
    slow: bool = False


def version_of(distribution: str) -> Callable[[], str]:
    """The version of an installed distribution."""
    return lambda: version(distribution)


def slices(ids: bytes, offsets: bytes) -> Iterable[Sequence[int]]:
    """The ids of each text out of flat ids (32 bits each) and where each begins and ends (64)."""
    flat, ends = array("I", ids), array("Q", offsets)
    return (flat[start:end] for start, end in pairwise(ends))
