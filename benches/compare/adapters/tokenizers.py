"""Hugging Face tokenizers. Its own byte-level pattern is GPT-2's; others go through a split."""

from __future__ import annotations

from importlib.metadata import version

from compare.jobs import Adapter, Codec, Job, Source, Trained, bpe
from superword.reference.patterns import NAMED_PATTERNS


def _train(job: Job, source: Source, size: int) -> Trained:
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    if job.pattern == "gpt2":
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    else:
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Split(Regex(NAMED_PATTERNS[job.pattern]), "isolated"),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train_from_iterator(source.documents, trainer)
    return Codec(
        tokenizer.get_vocab_size,
        lambda text: str(tokenizer.decode(tokenizer.encode(text).ids)),
    )


ADAPTER = Adapter(
    name="tokenizers",
    package="tokenizers",
    version=lambda: version("tokenizers"),
    jobs=bpe("gpt4o", "gpt2"),
    inputs=("documents",),
    train=_train,
)
