"""What is measured: the small interface that every adapter has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

# documents: the text lies in memory as a list of str before the clock starts.
# jsonl, text: the trainer reads the file itself while the clock runs (the file is in the page
# cache). program: another program as a whole, its start, its reading and its own check included.
Input = Literal["documents", "jsonl", "text", "program"]


@dataclass(frozen=True)
class Job:
    """An algorithm and how text is cut for it."""

    algorithm: str
    pattern: str

    def __str__(self) -> str:
        return f"{self.algorithm}/{self.pattern}"


@dataclass(frozen=True)
class Source:
    """The training text in the form that a measurement asked for; the other one is empty."""

    documents: list[str]
    path: Path


class Trained(Protocol):
    """What a training gave."""

    def vocab_size(self) -> int:
        """Tokens reached, single bytes included."""

    def round_trip(self, text: str) -> str:
        """Encode and decode."""

    def has(self, data: bytes) -> bool:
        """Whether every one of these bytes is a token: no in trainers that keep only bytes seen."""


@dataclass(frozen=True)
class Adapter:
    """One trainer. `package` is imported before the clock starts."""

    name: str
    package: str
    version: Callable[[], str]
    jobs: tuple[Job, ...]
    inputs: tuple[Input, ...]
    train: Callable[[Job, Source, int], Trained]
    by_request: bool = False


@dataclass(frozen=True)
class Codec:
    """A `Trained` made of functions."""

    size: Callable[[], int]
    there_and_back: Callable[[str], str]
    single_bytes: Callable[[], frozenset[int]] = lambda: frozenset(range(256))

    def vocab_size(self) -> int:
        """Tokens reached."""
        return self.size()

    def round_trip(self, text: str) -> str:
        """Encode and decode."""
        return self.there_and_back(text)

    def has(self, data: bytes) -> bool:
        """Whether every one of these bytes is a token."""
        return self.single_bytes().issuperset(data)


def bpe(*patterns: str) -> tuple[Job, ...]:
    """Plain BPE with each of some patterns."""
    return tuple(Job("bpe", pattern) for pattern in patterns)
