"""gigabpe. It reads files and writes a tokenizer.json, which tokenizers reads for the check."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

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
        return frozenset(byte for byte, char in _byte_letters().items() if char in vocabulary)

    return Codec(
        lambda: int(tokenizer().get_vocab_size()),
        lambda text: str(tokenizer().decode(tokenizer().encode(text).ids)),
        single_bytes,
    )


def _byte_letters() -> dict[int, str]:
    """The letter for each byte in byte-level files: itself if printable, else one from U+0100."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    letters = {byte: chr(byte) for byte in printable}
    return letters | {byte: chr(0x100 + place) for place, byte in enumerate(others)}


ADAPTER = Adapter(
    name="gigabpe",
    package="gigabpe",
    version=lambda: version("gigabpe"),
    jobs=bpe("gpt2"),
    inputs=("text",),
    train=_train,
)
