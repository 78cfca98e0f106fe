"""Superword tokenizers: train and run BPE, SuperBPE and BoundlessBPE.

>>> import superword
>>> tokenizer = superword.train(["to be or not to be"], algorithm="boundless", vocab_size=262)
>>> tokenizer.decode(tokenizer.encode("not to be"))
'not to be'
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from superword import document_bpe
    from superword._backend import backend
    from superword.decode_stream import DecodeStream
    from superword.encoded import OffsetEncoding, PairEncoding, SafePrefix
    from superword.errors import (
        BackendError,
        EncodingError,
        EncodingTypeError,
        InputError,
        InputTypeError,
        ModelFormatError,
        PatternTooExpensiveError,
        SettingsError,
        SettingsTypeError,
        SuperwordError,
        SuperwordWarning,
        TrainingError,
    )
    from superword.op import Op
    from superword.report import Report, Stage
    from superword.tokenizer import Tokenizer
    from superword.training import train, train_from_counts

__version__ = "0.1.0"  # that of Cargo.toml; a test compares them

__all__ = [
    "BackendError",
    "DecodeStream",
    "EncodingError",
    "EncodingTypeError",
    "InputError",
    "InputTypeError",
    "ModelFormatError",
    "OffsetEncoding",
    "Op",
    "PairEncoding",
    "PatternTooExpensiveError",
    "Report",
    "SafePrefix",
    "SettingsError",
    "SettingsTypeError",
    "Stage",
    "SuperwordError",
    "SuperwordWarning",
    "Tokenizer",
    "TrainingError",
    "__version__",
    "backend",
    "document_bpe",
    "train",
    "train_from_counts",
]

# Where each public name lives. Imported on first use: `import superword` alone costs nothing.
_HOMES = {
    "backend": "_backend",
    "DecodeStream": "decode_stream",
    "OffsetEncoding": "encoded",
    "PairEncoding": "encoded",
    "SafePrefix": "encoded",
    "Op": "op",
    "Report": "report",
    "Stage": "report",
    "Tokenizer": "tokenizer",
    "train": "training",
    "train_from_counts": "training",
} | {name: "errors" for name in __all__ if name.endswith(("Error", "Warning"))}


def __getattr__(name: str) -> object:
    if name == "document_bpe":
        return importlib.import_module("superword.document_bpe")
    if name not in _HOMES:
        raise AttributeError(f"module 'superword' has no attribute '{name}'")
    value: object = getattr(importlib.import_module(f"superword.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
