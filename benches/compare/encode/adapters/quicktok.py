"""quicktok, of the distribution quicktok-v1: the one called quicktok is another program."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from compare.encode.interface import ARRAYS, Adapter, Loaded, Vocabulary, version_of

NAME = "own"


def _prepare(vocabulary: Vocabulary, scratch: Path) -> None:
    import quicktok

    # refuses patterns that it does not know
    quicktok.import_tokenizer(str(vocabulary.json), NAME, str(scratch))


def _load(vocabulary: Vocabulary, scratch: Path) -> Loaded:
    import quicktok

    encoder = quicktok.Tokenizer(NAME, str(scratch))
    return Loaded(
        lambda texts: encoder.encode_batch(texts, 1),
        lambda flat: (flat[0][a:b].tolist() for a, b in pairwise(flat[1])),
        encoder.encode_ordinary,
    )


ADAPTER = Adapter(
    name="quicktok",
    packages=("quicktok", "numpy"),
    version=version_of("quicktok-v1"),
    gives=ARRAYS,
    load=_load,
    prepare=_prepare,
)
