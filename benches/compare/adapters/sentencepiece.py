"""sentencepiece's BPE, lossless: no normalization, spaces kept, bytes for unknown characters.

It cuts at spaces in its own way and trains on characters, line by line.
"""

from __future__ import annotations

from importlib.metadata import version
from io import BytesIO

from compare.jobs import Adapter, Codec, Job, Source, Trained, bpe

# Longer lines would be left out without a word
MAX_LINE_BYTES = 1 << 30


def _train(job: Job, source: Source, size: int) -> Trained:
    import sentencepiece

    model = BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        input=str(source.path),
        model_writer=model,
        model_type="bpe",
        vocab_size=size,
        byte_fallback=True,
        character_coverage=1.0,
        normalization_rule_name="identity",
        add_dummy_prefix=False,
        remove_extra_whitespaces=False,
        max_sentence_length=MAX_LINE_BYTES,
        num_threads=1,
        minloglevel=2,
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    return Codec(
        lambda: int(processor.vocab_size()),
        lambda text: str(processor.decode(processor.encode(text))),
    )


ADAPTER = Adapter(
    name="sentencepiece",
    package="sentencepiece",
    version=lambda: version("sentencepiece"),
    jobs=bpe("own"),
    inputs=("text",),
    train=_train,
)
