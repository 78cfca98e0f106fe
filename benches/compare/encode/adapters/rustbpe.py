"""rustbpe, which loads nothing: it trains its own vocabulary on the text that ours comes from.

Its ids are compared with those that tiktoken gives by its ranks, as its manual says.
"""

from __future__ import annotations

from pathlib import Path

from compare.corpora import jsonl_texts
from compare.encode.interface import LISTS, Adapter, Loaded, Vocabulary, version_of
from superword.reference.patterns import NAMED_PATTERNS


def _load(vocabulary: Vocabulary, scratch: Path) -> Loaded:
    import rustbpe
    import tiktoken

    pattern = NAMED_PATTERNS[vocabulary.pattern]
    tokenizer = rustbpe.Tokenizer()
    tokenizer.train_from_iterator(jsonl_texts(vocabulary.text), vocabulary.size, pattern=pattern)
    encoding = tiktoken.Encoding(
        "rustbpe",
        pat_str=pattern,
        mergeable_ranks={bytes(token): rank for token, rank in tokenizer.get_mergeable_ranks()},
        special_tokens={},
    )
    return Loaded(
        tokenizer.batch_encode, lambda lists: lists, tokenizer.encode, encoding.encode_ordinary
    )


ADAPTER = Adapter(
    name="rustbpe",
    packages=("rustbpe", "tiktoken"),
    version=version_of("rustbpe"),
    gives=LISTS,
    load=_load,
)
