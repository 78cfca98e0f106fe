"""gigatoken's trainer. What it returns is a table, tried with tiktoken's encoder."""

from __future__ import annotations

from importlib.metadata import version

from compare.jobs import Adapter, Codec, Job, Source, Trained, bpe
from superword.reference.patterns import NAMED_PATTERNS


def _train(job: Job, source: Source, size: int) -> Trained:
    import gigatoken

    files = gigatoken.JsonlFileSource([str(source.path)])
    vocabulary, _ = gigatoken.train_bpe(files, size, [])

    def round_trip(text: str) -> str:
        import tiktoken

        encoding = tiktoken.Encoding(
            "gigatoken",
            pat_str=NAMED_PATTERNS[job.pattern],
            mergeable_ranks={token: rank for rank, token in vocabulary.items()},
            special_tokens={},
        )
        return str(encoding.decode(encoding.encode_ordinary(text)))

    return Codec(lambda: len(vocabulary), round_trip)


ADAPTER = Adapter(
    name="gigatoken",
    package="gigatoken",
    version=lambda: version("gigatoken"),
    jobs=bpe("gpt2"),
    inputs=("jsonl",),
    train=_train,
)
