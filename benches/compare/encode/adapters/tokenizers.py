"""Hugging Face tokenizers, by its batch that computes no offsets."""

from __future__ import annotations

from pathlib import Path

from compare.encode.interface import LISTS, Adapter, Loaded, Vocabulary, version_of


def _load(vocabulary: Vocabulary, scratch: Path) -> Loaded:
    import tokenizers

    tokenizer = tokenizers.Tokenizer.from_file(str(vocabulary.json))
    return Loaded(
        lambda texts: [encoding.ids for encoding in tokenizer.encode_batch_fast(texts)],
        lambda lists: lists,
        lambda text: tokenizer.encode(text).ids,
    )


ADAPTER = Adapter(
    name="tokenizers",
    packages=("tokenizers",),
    version=version_of("tokenizers"),
    gives=LISTS,
    load=_load,
)
