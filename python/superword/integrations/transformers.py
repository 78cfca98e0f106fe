"""A tokenizer class for transformers 5; importing this module makes `AutoTokenizer` know it.

>>> import superword
>>> from superword.integrations.transformers import SuperwordTokenizer
>>> engine = superword.train(["to be or not to be"], vocab_size=260, special_tokens=["<pad>"])
>>> tokenizer = SuperwordTokenizer(engine, pad_token="<pad>")
>>> tokenizer(["to be", "or not to be"], padding=True)["input_ids"]
[[258, 257, 260, 260, 260, 260, 260, 260], [111, 114, 259, 111, 116, 32, 258, 257]]
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from superword import ModelFormatError, SettingsError, SettingsTypeError, Tokenizer

try:  # the first import of it: the modules below take its names as they are
    from transformers import AutoTokenizer, PreTrainedConfig, PythonBackend  # noqa: F401
except ImportError as error:
    raise ImportError(
        "superword.integrations.transformers needs transformers 5; "
        f"pip install superword[transformers] ({error})"
    ) from error

from superword.integrations.encode_rows import RowEncoding
from superword.integrations.folder import (
    AUTO_MAP,
    CONFIG,
    MODEL,
    OTHERS,
    PATTERNS,
    STUB,
    STUB_TEXT,
    check_config,
    refused,
)
from superword.integrations.token_text import bytes_of
from superword.integrations.vocabulary import check_added, check_special

# Of `Tokenizer.load`: what `from_pretrained` takes besides
_LOADING = ("backend", "any_unicode", "max_token_bytes", "max_total_bytes")
_SAVED = (
    "clean_up_tokenization_spaces",
    "model_input_names",
    "padding_side",
    "special_tokens_pattern",
    "split_special_tokens",
    "token_type_ids_include_special_tokens",
    "token_type_ids_pattern",
    "truncation_side",
)


class SuperwordTokenizer(RowEncoding):
    """A superword tokenizer as transformers has them: `AutoTokenizer`, padding, chat templates.

    Args:
        tokenizer: the superword tokenizer; its special tokens are special tokens here, too. It is
            kept as the attribute `engine`.
        keywords: those of every tokenizer of transformers: `bos_token`, `pad_token`,
            `model_max_length`, `padding_side`, `chat_template`, `special_tokens_pattern` ("none",
            "bos", "eos", "bos_eos" …). A token that the model does not have is added behind all.

    The ids are those of `Tokenizer.encode` with all special tokens allowed: as everywhere in
    transformers, a special token that stands in a text becomes its id unless the call says
    `split_special_tokens=True`. Tokens are written as GPT-2's files have them, a character for
    each byte (`ĠtoĠbe`), special and added tokens as they are.

    Raises:
        SettingsError: a special token reads like an ordinary token, so that transformers, which
            knows tokens by their text, could not tell them apart.

    >>> import superword
    >>> engine = superword.train(["to be or not to be"], vocab_size=258, special_tokens=["<s>"])
    >>> tokenizer = SuperwordTokenizer(engine, bos_token="<s>", special_tokens_pattern="bos")
    >>> found = tokenizer("to be", return_offsets_mapping=True)
    >>> tokenizer.convert_ids_to_tokens(found["input_ids"]), found["offset_mapping"]
    (['<s>', 't', 'o', 'Ġbe'], [(0, 0), (0, 1), (1, 2), (2, 5)])
    >>> tokenizer.decode(found["input_ids"], skip_special_tokens=True)
    'to be'
    """

    vocab_files_names = {"model_file": MODEL}  # noqa: RUF012
    _auto_map = AUTO_MAP
    # Words (`is_split_into_words`) are encoded as they are given
    add_prefix_space = False

    def __init__(self, tokenizer: Tokenizer, **keywords: Any) -> None:
        if not isinstance(tokenizer, Tokenizer):
            kind = type(tokenizer).__name__
            raise SettingsTypeError(f"tokenizer must be a superword.Tokenizer, not {kind}")
        self.engine = tokenizer
        self.cache = {}
        keywords = _with_pattern(keywords)
        for name in ("is_local", "local_files_only"):  # of one call of `from_pretrained`
            keywords.pop(name, None)
        special = list(tokenizer.special_tokens)
        check_special(tokenizer)
        added = keywords.get("added_tokens_decoder", {})
        check_added(tokenizer, {number: token.content for number, token in added.items()})
        super().__init__(**keywords)
        self._add_tokens(
            [name for name in special if name not in self._added_tokens_encoder],
            special_tokens=True,
        )
        # `save_pretrained` saves what these names are set to, and leaves out all others.
        for name in _SAVED:
            self.init_kwargs.setdefault(name, None)

    # --- load and save

    @classmethod
    def from_pretrained(
        cls, pretrained_model_name_or_path: str | os.PathLike[str], *inputs: Any, **keywords: Any
    ) -> SuperwordTokenizer:
        """Load a folder that `save_pretrained` wrote, a repository of the hub, or a model file.

        Args:
            pretrained_model_name_or_path: the folder, the name of the repository, or the file.
            inputs: nothing.
            keywords: those of transformers; settings that take the place of the saved ones; and
                `backend`, `any_unicode`, `max_token_bytes`, `max_total_bytes` of `Tokenizer.load`.

        Raises:
            ModelFormatError: the model or the settings in the folder cannot be used.
        """
        parts = (pretrained_model_name_or_path, keywords.get("subfolder") or "", CONFIG)
        path = os.path.join(*parts)
        if os.path.isfile(path):
            check_config(path)  # before transformers reads it
        return super().from_pretrained(  # type: ignore[no-any-return]
            pretrained_model_name_or_path, *inputs, **keywords
        )

    @classmethod
    def _from_pretrained(
        cls,
        resolved_vocab_files: dict[str, str | None],
        pretrained_model_name_or_path: str,
        init_configuration: dict[str, Any],
        *init_inputs: Any,
        **keywords: Any,
    ) -> SuperwordTokenizer:
        name = pretrained_model_name_or_path
        loading = {key: keywords.pop(key) for key in _LOADING if key in keywords}
        # `vocab_file` is a file that was given instead of a folder
        key = "model_file" if "model_file" in resolved_vocab_files else "vocab_file"
        model = resolved_vocab_files.get(key)
        if model is None:
            raise ModelFormatError(f"folder {name!r} has no {MODEL}: it is no superword tokenizer")
        engine = Tokenizer.load(model, **loading)
        path = resolved_vocab_files.get("tokenizer_config_file")
        config = {} if path is None else check_config(path)
        for setting in config:
            if callable(getattr(cls, setting, None)):
                raise refused(str(path), f"{setting[:40]!r} is the name of a method")
        added = config.get("added_tokens_decoder", {})
        try:
            check_added(engine, {int(number): token["content"] for number, token in added.items()})
        except ModelFormatError as error:
            raise refused(str(path), str(error)) from None
        templates = {
            key: file
            for key, file in resolved_vocab_files.items()
            if key.startswith("chat_template")
        }
        return super()._from_pretrained(  # type: ignore[no-any-return]
            templates, name, config, tokenizer=engine, **keywords
        )

    def save_pretrained(
        self, save_directory: str | os.PathLike[str], *arguments: Any, **keywords: Any
    ) -> tuple[str, ...]:
        """Write all that `from_pretrained` needs into a folder, which is made if there is none.

        Args:
            save_directory: the folder. Next to what every tokenizer of transformers has there, it
                gets the model, `tokenizer.superword`, and `tokenization_superword.py`, with which
                `AutoTokenizer.from_pretrained(…, trust_remote_code=True)` finds this class.
            arguments, keywords: as in transformers.

        Raises:
            SettingsError: another tokenizer is in the folder: where superword is not imported,
                `AutoTokenizer` could take it without a word.
        """
        others = [name for name in OTHERS if os.path.exists(os.path.join(save_directory, name))]
        if others:
            raise SettingsError(
                f"folder {os.fspath(save_directory)!r} has the {others[0]} of another tokenizer, "
                "which AutoTokenizer could take instead; remove it or choose another folder"
            )
        return super().save_pretrained(save_directory, *arguments, **keywords)  # type: ignore[no-any-return]

    def save_vocabulary(
        self, save_directory: str, filename_prefix: str | None = None
    ) -> tuple[str, ...]:
        """Write the model file alone, `tokenizer.superword`; returns its path."""
        path = os.path.join(save_directory, _prefixed(MODEL, filename_prefix))
        self.engine.save(path)
        return (path,)

    def _save_pretrained(
        self, save_directory: str | os.PathLike[str], *arguments: Any, **keywords: Any
    ) -> tuple[str, ...]:
        files = super()._save_pretrained(save_directory, *arguments, **keywords)
        stub = os.path.join(save_directory, STUB)
        with open(stub, "wb") as file:
            file.write(STUB_TEXT)
        return (*files, stub)

    @classmethod
    def register_for_auto_class(cls, auto_class: str | type = "AutoTokenizer") -> None:
        """Do nothing: it would copy this module into each folder, where the stub is enough."""

    def __getstate__(self) -> dict[str, Any]:
        # What a call leaves behind is no part of the value
        return {**self.__dict__, "cache": {}, "deprecation_warnings": {}}

    # --- chats

    def apply_chat_template(
        self, *arguments: Any, return_assistant_tokens_mask: bool = False, **keywords: Any
    ) -> Any:
        """As in transformers; the mask of what the assistant wrote is there, too."""
        if not return_assistant_tokens_mask:
            return super().apply_chat_template(*arguments, **keywords)
        calling = dict(keywords.pop("tokenizer_kwargs", None) or {})
        wanted = calling.get("return_offsets_mapping")
        found = super().apply_chat_template(
            *arguments,
            return_assistant_tokens_mask=True,
            tokenizer_kwargs={**calling, "return_offsets_mapping": True},
            **keywords,
        )
        if not wanted:
            del found["offset_mapping"]
        return found

    # --- ids to texts

    def convert_tokens_to_string(self, tokens: Sequence[str]) -> str:
        """The text of tokens that are given as text."""
        parts = []
        for token in tokens:
            data = None if token in self._added_tokens_encoder else bytes_of(token)
            parts.append(token.encode() if data is None else data)
        return b"".join(parts).decode(errors="replace")

    def _decode(
        self,
        token_ids: int | Sequence[int],
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,
        **keywords: Any,
    ) -> str:
        ids = [token_ids] if isinstance(token_ids, int) else [int(i) for i in token_ids]
        if skip_special_tokens:
            special = set(self.all_special_ids)
            ids = [i for i in ids if i not in special]
        parts = []
        for own, group in groupby(ids, lambda i: i < len(self.engine)):
            if own:
                parts.append(self.engine.decode_bytes(list(group)))
            else:
                parts += [token.encode() for token in self.convert_ids_to_tokens(list(group))]
        text = b"".join(parts).decode(errors="replace")
        clean = clean_up_tokenization_spaces
        if self.clean_up_tokenization_spaces if clean is None else clean:
            text = self.clean_up_tokenization(text)
        return text


def _with_pattern(keywords: dict[str, Any]) -> dict[str, Any]:
    """Keywords with `special_tokens_pattern` in place of `add_bos_token` and `add_eos_token`."""
    kept = dict(keywords)
    wanted = {name: kept.pop(f"add_{name}_token", None) for name in ("bos", "eos")}
    pattern = kept.get("special_tokens_pattern")
    if pattern is None:
        kept["special_tokens_pattern"] = pattern = "none"
    if pattern not in PATTERNS:
        raise SettingsError(f"special_tokens_pattern must be one of {', '.join(PATTERNS)}")
    if any(value is not None for value in wanted.values()):
        there = [] if pattern == "none" else pattern.split("_")
        if set(there) - set(wanted):
            raise SettingsError(f"add_bos_token and add_eos_token exclude the pattern {pattern!r}")
        adds = [
            name for name, value in wanted.items() if value or (value is None and name in there)
        ]
        kept["special_tokens_pattern"] = "_".join(adds) or "none"
    return kept


def _prefixed(name: str, prefix: str | None) -> str:
    return f"{prefix}-{name}" if prefix else name


class _NoModel(PreTrainedConfig):  # type: ignore[misc]
    """The key under which `AutoTokenizer` keeps the class: no model has this configuration."""

    model_type = "superword"


AutoTokenizer.register(_NoModel, SuperwordTokenizer, exist_ok=True)
