"""Models that are trained in a moment and have superwords of every kind."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import superword
from superword.export.exported_model import ExportedModel
from superword.exported_folder import model_of

SCHEMES = ("gpt2", "gpt4", "gpt4o", "gpt4o-uniscript")
CORPUS = Path(__file__).resolve().parents[2] / "examples/corpus"


@cache
def documents() -> list[str]:
    """Texts of the demonstration: English, code, many languages."""
    found = []
    for name in ("english", "code", "multilingual"):
        lines = (CORPUS / f"{name}.jsonl").read_text("utf-8").splitlines()
        found += [json.loads(line)["text"] for line in lines]
    return found


@cache
def tokenizer(scheme: str, algorithm: str = "boundless", size: int = 6000) -> superword.Tokenizer:
    """A model of these texts."""
    return superword.train(
        documents(),
        algorithm=algorithm,
        vocab_size=size,
        scheme=scheme,
        special_tokens=["<s>", "<|end|>"],
        **({"supermerges": size // 3} if algorithm == "superbpe" else {}),
    )


@cache
def model(scheme: str, algorithm: str = "boundless", size: int = 6000) -> ExportedModel:
    """The same as plain values."""
    return model_of(tokenizer(scheme, algorithm, size))
