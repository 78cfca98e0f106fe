"""The settings of training: names, defaults, validation. The only place with defaults."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that training needs to know, already validated and resolved.

    Both backends read these attributes; `rust/src/settings.rs` has the same fields.
    """

    algorithm: str  # "bpe", "superbpe" or "boundless"
    vocab_size: int  # ordinary tokens wanted in all
    regular_vocab_size: int  # ordinary tokens at which phase 1 stops
    supermerges: int  # tokens that supermerges may add (superbpe; otherwise 0)
    scheme: str = "gpt4o-uniscript"
    rules: str = "superword"
    min_count: int = 1
    max_token_bytes: int | None = None
    max_superword_pretokens: int | None = None
    special_tokens: tuple[str, ...] = ()
    alphabet: str = "bytes"
    id_order: str = "regular-first"
