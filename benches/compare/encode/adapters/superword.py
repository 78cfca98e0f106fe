"""superword itself, in both backends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from compare.encode.interface import ARRAYS, LISTS, Adapter, Loaded, Vocabulary
from superword import Tokenizer, __version__


def _rust(vocabulary: Vocabulary, scratch: Path) -> Loaded:
    tokenizer = Tokenizer.load(vocabulary.model, backend="rust")
    return Loaded(
        lambda texts: tokenizer.encode_batch(texts, output="numpy", threads=1),
        _lists,
        tokenizer.encode,
    )


def _lists(flat: Any) -> Iterable[Sequence[int]]:
    ids, offsets = flat
    return (ids[start:end].tolist() for start, end in pairwise(offsets))


def _python(vocabulary: Vocabulary, scratch: Path) -> Loaded:
    tokenizer = Tokenizer.load(vocabulary.model, backend="python")
    return Loaded(
        lambda texts: tokenizer.encode_batch(texts, threads=1),
        lambda lists: lists,
        tokenizer.encode,
    )


def _version() -> str:
    return __version__


ADAPTER = Adapter(
    name="superword",
    packages=("superword._core", "numpy"),
    version=_version,
    gives=ARRAYS,
    load=_rust,
    superwords=True,
)
PYTHON_ADAPTER = Adapter(
    name="superword-python",
    packages=("superword.reference",),
    version=_version,
    gives=LISTS,
    load=_python,
    superwords=True,
    slow=True,
)
