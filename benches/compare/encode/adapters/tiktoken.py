"""tiktoken. Its arrays, one call for each text, take as long as its lists of a batch, or longer."""

from __future__ import annotations

from pathlib import Path

from compare.encode.interface import LISTS, Adapter, Loaded, Vocabulary, version_of
from compare.encode.vocabularies import read_ranks
from superword.reference.patterns import NAMED_PATTERNS


def _load(vocabulary: Vocabulary, scratch: Path) -> Loaded:
    import tiktoken

    encoding = tiktoken.Encoding(
        "own",
        pat_str=NAMED_PATTERNS[vocabulary.pattern],
        mergeable_ranks=read_ranks(vocabulary.ranks),
        special_tokens={},
    )
    return Loaded(
        lambda texts: encoding.encode_ordinary_batch(texts, num_threads=1),
        lambda lists: lists,
        encoding.encode_ordinary,
    )


ADAPTER = Adapter(
    name="tiktoken",
    packages=("tiktoken",),
    version=version_of("tiktoken"),
    gives=LISTS,
    load=_load,
)
