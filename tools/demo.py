"""Train BPE and BoundlessBPE on real text and show what superwords do: `make demo`.

Uses the public API alone. The models are written to `demo-out/`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import superword

ROOT = Path(__file__).resolve().parent.parent
VOCAB_SIZE = 16_384
SENTENCE = "The size of the file will be shown at the end of the line, and it can be changed later."
ALGORITHMS: dict[Literal["bpe", "boundless"], str] = {"bpe": "BPE", "boundless": "BoundlessBPE"}


def shown(token: bytes) -> str:
    """Return the token as quoted text, or as hex if it is not UTF-8.

    >>> shown(b" of the"), shown(bytes([255]))
    ("' of the'", 'ff')
    """
    try:
        return repr(token.decode("utf-8"))
    except UnicodeDecodeError:
        return token.hex()


def strongest_superwords(tokenizer: superword.Tokenizer, number: int) -> list[tuple[bytes, int]]:
    """Return the superwords with the highest counts, ties by bytes."""
    found: dict[bytes, int] = {}
    for op in tokenizer.ops:
        if op.kind == "supermerge":
            found[op.new] = max(op.count, found.get(op.new, 0))
    return sorted(found.items(), key=lambda item: (-item[1], item[0]))[:number]


def main() -> None:
    """Train both, print the reports, the superwords and one sentence in tokens."""
    files = sorted((ROOT / "examples" / "corpus").glob("*.jsonl"))
    out = ROOT / "demo-out"
    out.mkdir(exist_ok=True)
    tokenizers = {}
    for algorithm, name in ALGORITHMS.items():
        tokenizer = superword.train(files=files, algorithm=algorithm, vocab_size=VOCAB_SIZE)
        tokenizer.save(out / f"{algorithm}.superword")
        tokenizers[name] = tokenizer
        print(f"== {name}, {len(tokenizer):,} tokens, backend {tokenizer.backend}\n")
        print(f"{tokenizer.report}\n")

    print("== the twenty strongest superwords\n")
    for token, count in strongest_superwords(tokenizers["BoundlessBPE"], 20):
        print(f"{count:>8,}  {shown(token)}")

    print(f"\n== one sentence of {len(SENTENCE.encode())} bytes\n\n{SENTENCE}")
    for name, tokenizer in tokenizers.items():
        ids = tokenizer.encode(SENTENCE)
        assert tokenizer.decode(ids) == SENTENCE
        pieces = " ".join(shown(tokenizer.token_bytes(token_id)) for token_id in ids)
        print(f"\n{name}: {len(ids)} tokens\n{pieces}")


if __name__ == "__main__":
    main()
