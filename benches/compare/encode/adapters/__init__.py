"""One module for each encoder that pip installs, and superword."""

from __future__ import annotations

from compare.encode.adapters import (
    fastokens,
    gigatoken,
    kitoken,
    quicktok,
    rustbpe,
    superword,
    tiktoken,
    tokenizers,
)

ADAPTERS = (
    superword.ADAPTER,
    fastokens.ADAPTER,
    gigatoken.ADAPTER,
    quicktok.ADAPTER,
    kitoken.ADAPTER,
    tiktoken.ADAPTER,
    rustbpe.ADAPTER,
    tokenizers.ADAPTER,
    superword.PYTHON_ADAPTER,
)
