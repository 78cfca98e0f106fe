"""One module for each trainer that pip installs, and superword."""

from __future__ import annotations

from compare.adapters import (
    bpeasy,
    ffbpe,
    gigabpe,
    gigatoken,
    rustbpe,
    sentencepiece,
    superword,
    tokenizers,
)

ADAPTERS = (
    superword.ADAPTER,
    superword.PYTHON_ADAPTER,
    tokenizers.ADAPTER,
    rustbpe.ADAPTER,
    bpeasy.ADAPTER,
    ffbpe.ADAPTER,
    gigabpe.ADAPTER,
    gigatoken.ADAPTER,
    sentencepiece.ADAPTER,
)
