"""A stock `tokenizer.json`, and the `tokenizer_config.json` that lets transformers read it."""

from __future__ import annotations

from functools import cache
from typing import Any

from superword.errors import NotExactError
from superword.export.conditions import plan_of
from superword.export.dialects import Dialect
from superword.export.exported_model import ExportedModel, ordinary_ids, shown
from superword.export.named_patterns import pattern_of
from superword.export.run_trie import run_pattern
from superword.values import printable


@cache
def byte_letters() -> tuple[str, ...]:
    """Return the character by which the byte-level alphabet of these files writes each byte.

    >>> byte_letters()[0x20], byte_letters()[0x41]
    ('Ġ', 'A')
    """
    seen = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    return tuple(chr(byte if byte in seen else next(others)) for byte in range(0x100))


def as_letters(token: bytes) -> str:
    """Return a token in the byte-level alphabet.

    >>> as_letters(b"to be")
    'toĠbe'
    """
    letters = byte_letters()
    return "".join(letters[byte] for byte in token)


def _decoded(letters: str) -> bytes | None:
    """Return what a ByteLevel decoder makes of a text, if all of it is of its alphabet."""
    byte_of = {letter: byte for byte, letter in enumerate(byte_letters())}
    found = [byte_of.get(letter) for letter in letters]
    return None if None in found else bytes(byte for byte in found if byte is not None)


def tokenizer_json(model: ExportedModel, dialect: Dialect = "oniguruma") -> dict[str, Any]:
    """Return the content of `tokenizer.json`: BPE behind a Split and a ByteLevel, our ids.

    Args:
        model: what is exported.
        dialect: the engine that is to read the pattern.

    Raises:
        NotExactError: no such file gives the same ids for every text.
    """
    tokens = dict(zip(ordinary_ids(model), model.tokens, strict=True))
    vocabulary = {as_letters(token): number for number, token in tokens.items()}
    for name, number in model.special_tokens.items():
        if vocabulary.get(name, number) != number:
            raise NotExactError(
                f"the special token '{printable(name)}' would be taken for the token "
                f"{shown(tokens[vocabulary[name]])}, which the byte-level alphabet writes "
                "alike; train with another name for it"
            )
        if _decoded(name) not in (None, name.encode()):
            raise NotExactError(
                f"the special token '{printable(name)}' would be decoded as other bytes, since it "
                "is what the byte-level alphabet writes for them; train with another name for it"
            )
    size = len(tokens)
    if list(model.special_tokens.values()) != list(range(size, size + len(model.special_tokens))):
        # what is not in the vocabulary gets the next free ids, whatever the file says
        vocabulary |= model.special_tokens
    plan = plan_of(model) if model.supermerges else None
    if plan is None:
        pattern = pattern_of(model.cutting, dialect)
    else:
        pattern = run_pattern(plan, model.counts, dialect)
    byte_level = {"add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": number,
                "content": name,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for name, number in model.special_tokens.items()
        ],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {
                    "type": "Split",
                    "pattern": {"Regex": pattern},
                    "behavior": "Isolated",
                    "invert": False,
                },
                {"type": "ByteLevel", **byte_level},
            ],
        },
        "post_processor": None,
        "decoder": {"type": "ByteLevel", **byte_level},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            # looks up first what it then need not merge
            "ignore_merges": plan is not None and bool(plan.whole),
            "vocab": vocabulary,
            # pairs, so that nothing inside a token can be taken for the border between two
            "merges": [
                [as_letters(left), as_letters(right)]
                for left, right in (*model.merges, *model.supermerges)
            ],
        },
    }


def tokenizer_config() -> dict[str, Any]:
    """Return the content of `tokenizer_config.json`.

    It names the generic class: a class made for one family of models would put its own
    pre-tokenizer and decoder in place of those of `tokenizer.json`.

    >>> tokenizer_config()["tokenizer_class"]
    'PreTrainedTokenizerFast'
    """
    return {"clean_up_tokenization_spaces": False, "tokenizer_class": "PreTrainedTokenizerFast"}
