"""What a folder with a tokenizer for transformers holds, and what it may not hold."""

from __future__ import annotations

import json
import os
from typing import Any

from superword import ModelFormatError

MODEL = "tokenizer.superword"
CONFIG = "tokenizer_config.json"
STUB = "tokenization_superword.py"
AUTO_MAP = {"AutoTokenizer": ["tokenization_superword.SuperwordTokenizer", None]}
STUB_TEXT = b'''"""The tokenizer class of this folder, from the package superword.

pip install superword[transformers]
"""

from superword.integrations.transformers import SuperwordTokenizer

__all__ = ["SuperwordTokenizer"]
'''
# What a file may not say: these come from the caller or from the folder itself
_NOT_FROM_A_FILE = ("auto_map", "backend", "init_inputs", "model_file", "tokenizer", "vocab_file")
_FLAGS = ("lstrip", "normalized", "rstrip", "single_word", "special")


def check_config(path: str) -> dict[str, Any]:
    """The settings in a `tokenizer_config.json`, without what a file may not say.

    Raises:
        ModelFormatError: it cannot be read, or is not what `save_pretrained` writes.
    """
    try:
        with open(path, encoding="utf-8") as file:
            config = json.load(file)
    except OSError as error:
        raise _refused(path, f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise _refused(path, "is no UTF-8") from None
    except (ValueError, RecursionError) as error:
        reason = (
            "is nested too deep" if isinstance(error, RecursionError) else f"is no JSON: {error}"
        )
        raise _refused(path, reason) from None
    if not isinstance(config, dict):
        raise _refused(path, "must hold a JSON object")
    for name in _NOT_FROM_A_FILE:
        config.pop(name, None)
    added = config.get("added_tokens_decoder", {})
    if not isinstance(added, dict):
        raise _refused(path, "added_tokens_decoder must be an object")
    for number, token in added.items():
        if not (number.isascii() and number.isdecimal() and len(number) < 12):
            raise _refused(path, f"added_tokens_decoder: {number[:40]!r} is no id")
        if not isinstance(token, dict) or not isinstance(token.get("content"), str):
            raise _refused(path, f"added_tokens_decoder: id {number} has no content")
        for name, value in token.items():
            if name != "content" and (name not in _FLAGS or not isinstance(value, bool)):
                raise _refused(path, f"added_tokens_decoder: id {number}: {name[:40]!r} is no flag")
    return config


def _refused(path: str, reason: str) -> ModelFormatError:
    return ModelFormatError(f"file {os.fspath(path)!r} {reason}")
