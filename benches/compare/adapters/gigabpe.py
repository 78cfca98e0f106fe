"""gigabpe. It reads files and writes a tokenizer.json, which tokenizers reads for the check."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from compare.byte_letters import byte_letters
from compare.jobs import Adapter, Codec, Job, Source, Trained, bpe


def _train(job: Job, source: Source, size: int) -> Trained:
    import gigabpe

    with TemporaryDirectory() as folder:
        output = Path(folder) / "tokenizer.json"
        gigabpe.train_tokenizer(
            [str(source.path)], size, str(output), pretokenizer="bytelevel", threads=1
        )
        written = output.read_text(encoding="utf-8")

    @cache
    def tokenizer() -> Any:
        from tokenizers import Tokenizer

        return Tokenizer.from_str(written)

    @cache
    def single_bytes() -> frozenset[int]:
        # its alphabet is what the corpus has; it takes no other
        vocabulary = tokenizer().get_vocab()
        return frozenset(byte for byte, char in byte_letters().items() if char in vocabulary)

    return Codec(
        lambda: int(tokenizer().get_vocab_size()),
        lambda text: str(tokenizer().decode(tokenizer().encode(text).ids)),
        single_bytes,
    )


ADAPTER = Adapter(
    name="gigabpe",
    package="gigabpe",
    version=lambda: version("gigabpe"),
    jobs=bpe("gpt2"),
    inputs=("text",),
    train=_train,
)
