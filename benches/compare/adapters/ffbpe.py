"""ffbpe, with the exact counts of its default: no window, no cut-off, no bigram selection."""

from __future__ import annotations

from importlib.metadata import version

from compare.jobs import Adapter, Codec, Job, Source, Trained, bpe
from superword.reference.patterns import NAMED_PATTERNS


def _train(job: Job, source: Source, size: int) -> Trained:
    from ffbpe import BpeTrainer, PreTokenizer

    pattern = NAMED_PATTERNS[job.pattern]
    counter = PreTokenizer([], pat_str=pattern).word_counter()
    # no thread that reads ahead: one thread for all
    counter.add_source(source.documents, prefetch=0)
    trainer = BpeTrainer([], unit="byte")
    trainer.add_word_counter(counter)
    trainer.train(size)
    model = trainer.validate_model()

    def round_trip(text: str) -> str:
        encoder = model.encoder(pat_str=pattern)
        return str(encoder.decode(encoder.encode(text)))

    return Codec(lambda: len(model.vocab), round_trip)


ADAPTER = Adapter(
    name="ffbpe",
    package="ffbpe",
    version=lambda: version("ffbpe"),
    jobs=bpe("gpt4o", "gpt2"),
    inputs=("documents",),
    train=_train,
)
