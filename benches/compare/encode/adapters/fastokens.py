"""fastokens. From the tokenizer.json: from a rank file it cuts by GPT-2's pattern more slowly."""

from __future__ import annotations

from pathlib import Path

from compare.encode.interface import ARRAYS, Adapter, Loaded, Vocabulary, slices, version_of


def _load(vocabulary: Vocabulary, scratch: Path) -> Loaded:
    import fastokens

    tokenizer = fastokens.Tokenizer.from_file(str(vocabulary.json))
    return Loaded(
        tokenizer.encode_batch_flat,
        lambda flat: slices(*flat),
        lambda text: tokenizer.encode_ordinary(text).ids,
    )


ADAPTER = Adapter(
    name="fastokens",
    packages=("fastokens",),
    version=version_of("fastokens"),
    gives=ARRAYS,
    load=_load,
)
