"""What a folder with a tokenizer for transformers holds, and what it may not hold."""

from __future__ import annotations

import json
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
PATTERNS = ("none", "bos", "eos", "bos_eos", "cls_sep", "cls_double_sep", "prefix_suffix")
# Files that would make transformers take another tokenizer where this class is not known to it
OTHERS = ("tokenizer.json", "tokenizer.model", "vocab.json", "vocab.txt", "tekken.json")
# What a file may not say: these come from the caller or from the folder itself
_NOT_FROM_A_FILE = {
    *("auto_map", "backend", "init_inputs", "model_file", "tokenizer", "vocab_file"),
    *("cache", "engine"),  # attributes of the class, which would be saved
}
_FLAGS = ("lstrip", "normalized", "rstrip", "single_word", "special")
_TOKEN_LISTS = ("additional_special_tokens", "extra_special_tokens")
_SWITCHES = (
    "add_bos_token",
    "add_eos_token",
    "clean_up_tokenization_spaces",
    "split_special_tokens",
    "token_type_ids_include_special_tokens",
)


def check_config(path: str) -> dict[str, Any]:
    """The settings in a `tokenizer_config.json`, without what a file may not say.

    Raises:
        ModelFormatError: it cannot be read, or is not what `save_pretrained` writes.
    """
    try:
        with open(path, encoding="utf-8") as file:
            config = json.load(file)
    except OSError as error:
        raise refused(path, f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise refused(path, "is no UTF-8") from None
    except RecursionError:
        raise refused(path, "is nested too deep") from None
    except ValueError as error:
        raise refused(path, f"is no JSON: {error}") from None
    if not isinstance(config, dict):
        raise refused(path, "must hold a JSON object")
    try:
        json.dumps(config, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise refused(path, "has a lone surrogate in a string") from None
    kept = {}
    for name, value in config.items():
        if value is None or name in _NOT_FROM_A_FILE or name.startswith("_"):
            continue
        needed = _needed(name, value)
        if needed is not None:
            raise refused(path, f"{name[:40]!r} must be {needed}")
        kept[name] = value
    return kept


def refused(path: str, reason: str) -> ModelFormatError:
    """The error of a file that cannot be used."""
    return ModelFormatError(f"file {path!r}: {reason}")


def _needed(name: str, value: Any) -> str | None:
    """What the value of a setting must be, if it is something else."""
    if name == "added_tokens_decoder":
        known = isinstance(value, dict) and all(map(_is_added_token, value.items()))
        return None if known else "an object of ids and added tokens"
    if name in ("padding_side", "truncation_side"):
        return None if value in ("left", "right") else "'left' or 'right'"
    if name == "special_tokens_pattern":
        return None if value in PATTERNS else f"one of {', '.join(PATTERNS)}"
    if name in _SWITCHES:
        return None if isinstance(value, bool) else "true or false"
    if name == "token_type_ids_pattern":
        return None if value in ("bert_style", "all_zeros") else "'bert_style' or 'all_zeros'"
    if name in ("model_max_length", "max_len"):
        known = isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0
        return None if known else "a number"
    if name in ("model_input_names", "chat_control_tokens"):
        known = isinstance(value, list) and all(isinstance(item, str) for item in value)
        return None if known and value else "a list of strings"
    if name == "processor_class":
        return None if isinstance(value, str) else "a string"
    if name == "chat_template":
        return None if _is_template(value) else "a string, or a list of objects name and template"
    if name == "model_specific_special_tokens":
        known = isinstance(value, dict) and "__type" not in value
        return None if known and all(map(_is_token, value.values())) else "an object of tokens"
    if name in _TOKEN_LISTS:
        if isinstance(value, dict):
            return _needed("model_specific_special_tokens", value)
        known = isinstance(value, list) and all(map(_is_token, value))
        return None if known else "a list of tokens"
    if name.endswith("_token") and name not in _SWITCHES:
        return None if _is_token(value) else "a token"
    return None


def _is_added_token(item: tuple[str, Any]) -> bool:
    number, token = item
    plain = number.isascii() and number.isdecimal() and len(number) < 12
    return plain and isinstance(token, dict) and _is_token({"__type": "AddedToken", **token})


def _is_token(value: Any) -> bool:
    if not isinstance(value, dict):
        return isinstance(value, str) and value != ""
    flags = {name: flag for name, flag in value.items() if name not in ("__type", "content")}
    return (
        value.get("__type") == "AddedToken"
        and isinstance(value.get("content"), str)
        and value["content"] != ""
        and all(name in _FLAGS and isinstance(flag, bool) for name, flag in flags.items())
    )


def _is_template(value: Any) -> bool:
    if isinstance(value, list):
        return all(
            isinstance(item, dict)
            and isinstance(item.get("name"), str)
            and isinstance(item.get("template"), str)
            for item in value
        )
    if isinstance(value, dict):
        return all(isinstance(item, str) for item in value.values())
    return isinstance(value, str)
