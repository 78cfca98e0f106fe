"""rustbpe."""

from __future__ import annotations

from importlib.metadata import version

from compare.jobs import Adapter, Codec, Job, Source, Trained, bpe
from superword.reference.patterns import NAMED_PATTERNS


def _train(job: Job, source: Source, size: int) -> Trained:
    import rustbpe

    tokenizer = rustbpe.Tokenizer()
    tokenizer.train_from_iterator(iter(source.documents), size, pattern=NAMED_PATTERNS[job.pattern])
    return Codec(
        lambda: int(tokenizer.vocab_size),
        lambda text: str(tokenizer.decode(tokenizer.encode(text))),
    )


ADAPTER = Adapter(
    name="rustbpe",
    package="rustbpe",
    version=lambda: version("rustbpe"),
    jobs=bpe("gpt4o", "gpt2"),
    inputs=("documents",),
    train=_train,
)
