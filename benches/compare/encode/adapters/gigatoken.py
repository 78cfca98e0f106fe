"""gigatoken, with one thread: `parallel=False` keeps to the thread that calls."""

from __future__ import annotations

from pathlib import Path

from compare.encode.interface import ARRAYS, Adapter, Loaded, Vocabulary, version_of

# Its names of patterns
PATTERNS = {"gpt2": "gpt2", "gpt4": "gpt4", "gpt4o": "o200k"}


def _load(vocabulary: Vocabulary, scratch: Path) -> Loaded:
    import gigatoken

    pattern = PATTERNS[vocabulary.pattern]
    tokenizer = gigatoken.Tokenizer.from_tiktoken(vocabulary.ranks, pattern)
    return Loaded(
        lambda texts: tokenizer.encode_batch(texts, parallel=False),
        lambda rows: (row.tolist() for row in rows),
        lambda text: tokenizer.encode(text).tolist(),
    )


ADAPTER = Adapter(
    name="gigatoken",
    packages=("gigatoken", "awkward"),
    version=version_of("gigatoken"),
    gives=ARRAYS,
    load=_load,
)
