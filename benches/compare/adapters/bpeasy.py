"""bpeasy. It has no encoder: its vocabulary is tried with tiktoken's, as its manual says."""

from __future__ import annotations

from importlib.metadata import version

from compare.jobs import Adapter, Codec, Job, Source, Trained, bpe
from superword.reference.patterns import NAMED_PATTERNS

# A bound must be given; longer than any token that comes up.
MAX_TOKEN_LENGTH = 1 << 20


def _train(job: Job, source: Source, size: int) -> Trained:
    import bpeasy

    pattern = NAMED_PATTERNS[job.pattern]
    vocabulary = bpeasy.train_bpe(iter(source.documents), pattern, MAX_TOKEN_LENGTH, size)

    def round_trip(text: str) -> str:
        import tiktoken

        encoding = tiktoken.Encoding(
            "bpeasy", pat_str=pattern, mergeable_ranks=vocabulary, special_tokens={}
        )
        return str(encoding.decode(encoding.encode_ordinary(text)))

    return Codec(lambda: len(vocabulary), round_trip)


ADAPTER = Adapter(
    name="bpeasy",
    package="bpeasy",
    version=lambda: version("bpeasy"),
    jobs=bpe("gpt4o", "gpt2"),
    inputs=("documents",),
    train=_train,
)
