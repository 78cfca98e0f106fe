"""The part of a `Tokenizer` for vocabularies that other programs made."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, cast

from superword import _backend, arguments
from superword.errors import ModelFormatError, NotExactError, SettingsError, SettingsTypeError
from superword.exported_folder import MODEL_FILE
from superword.exported_ranks import ARGUMENTS, MODEL
from superword.files import read_model
from superword.loading import load_bytes, of_file, parts
from superword.report import warn
from superword.settings import one_of
from superword.values import as_path, as_text, printable, type_name

if TYPE_CHECKING:
    import tiktoken

    from superword.foreign.vocabulary import Foreign
    from superword.settings import Cutting
    from superword.tokenizer import Tokenizer

Backend = Literal["auto", "rust", "python"]
SCHEMES = ("gpt2", "gpt4", "gpt4o", "gpt4o-uniscript", "none")
_TOKENIZER_JSON = "tokenizer.json"
_NO_TOTALS = "the file does not say how large the corpus was, and how often what was merged"


class Importing:
    """How a `Tokenizer` comes from what other programs made."""

    __slots__ = ()

    @classmethod
    def from_tiktoken(
        cls,
        encoding: tiktoken.Encoding | str | os.PathLike[str],
        *,
        scheme: str | None = None,
        pattern: str | None = None,
        special_tokens: Mapping[str, int] | None = None,
        backend: Backend = "auto",
    ) -> Tokenizer:
        """A tokenizer with exactly the ids of a tiktoken vocabulary; needs no tiktoken.

        Beside a rank file `FILE` its pattern and special tokens are read from `FILE.json` (the
        arguments of `tiktoken.Encoding`), where they are not given. If the model itself stands
        there as `FILE.superword`, as `export` writes it, that is what is loaded.

        Args:
            encoding: a `tiktoken.Encoding`, or the path of a rank file.
            scheme: for a rank file, how its vocabulary cuts text: "gpt2", "gpt4", "gpt4o", …
            pattern: the same by a pattern, as tiktoken has it.
            special_tokens: the special tokens and their ids, in place of those that are there.
            backend: as for `load`.

        Raises:
            ModelFormatError: the file is damaged, or has what cannot be represented, by name.
            SettingsError: nothing says how text is cut, or what says it cannot be used.

        >>> import superword
        >>> tokenizer = superword.train(["to be or not to be"], vocab_size=258, scheme="gpt4o")
        >>> again = superword.Tokenizer.from_tiktoken(tokenizer.to_tiktoken())
        >>> again.encode("to be") == tokenizer.encode("to be")
        True

        Source: docs/export.md.
        """
        from superword.foreign import rank_file
        from superword.foreign.vocabulary import Foreign

        path = as_path(encoding)
        if path is None:
            if scheme is not None or pattern is not None:
                raise SettingsError("scheme and pattern are for a rank file only")
            ranks, text, special = _of_encoding(encoding, special_tokens)
            cutting = _cutting(None, text)
            merges = rank_file.merges_of_ranks(ranks)
            return _made(cls, Foreign(ranks, merges, special, cutting), backend)
        is_alone = (scheme, pattern, special_tokens) != (None, None, None)
        path = arguments.path(path)
        data = read_model(path)
        with of_file(path):
            if not is_alone and os.path.exists(path + MODEL):
                return _own_ranks(_tokenizer(cls).load(path + MODEL, backend=backend), path, data)
            text, special = _beside(path, scheme, pattern, special_tokens)
            cutting = _cutting(scheme, text)
            ranks = rank_file.read_ranks(data)
            merges = rank_file.merges_of_ranks(ranks)
            return _made(cls, Foreign(ranks, merges, special, cutting), backend)

    @classmethod
    def from_huggingface(
        cls,
        path: str | os.PathLike[str],
        *,
        special_tokens: bool = True,
        backend: Backend = "auto",
    ) -> Tokenizer:
        """A tokenizer with exactly the ids of a byte-level BPE `tokenizer.json`; needs no package.

        Added tokens become special tokens: `encode` with `allowed_special="all"` gives the ids of
        `tokenizers` without `add_special_tokens`. A folder that `export` wrote gives the model that
        was exported.

        Args:
            path: a `tokenizer.json`, or a folder with one.
            special_tokens: False leaves out the added tokens: their text is ordinary text.
            backend: as for `load`.

        Raises:
            ModelFormatError: the file is damaged, or has what cannot be represented, by name.

        Source: docs/export.md.
        """
        from superword.foreign.tokenizer_json import read_tokenizer_json

        where = arguments.path(path)
        with_special = arguments.flag("special_tokens", special_tokens)
        folder = where if os.path.isdir(where) else os.path.dirname(where)
        name = os.path.join(where, _TOKENIZER_JSON) if os.path.isdir(where) else where
        data = read_model(name)
        own = os.path.join(folder, MODEL_FILE)
        with of_file(name):
            if with_special and os.path.exists(own):
                return _own_json(_tokenizer(cls).load(own, backend=backend), own, data)
            found = read_tokenizer_json(data, with_special)
            made = _made(cls, found.foreign, backend, found.notices)
        warn(found.notices)
        return made


def _tokenizer(cls: type[Importing]) -> type[Tokenizer]:
    """The class that this is a part of."""
    return cast("type[Tokenizer]", cls)


def _made(
    cls: type[Importing], foreign: Foreign, backend: Backend, notices: tuple[str, ...] = ()
) -> Tokenizer:
    from superword.foreign.vocabulary import model_of

    module = _backend.load(backend)
    data = module.model_to_bytes(model_of(foreign))
    loaded = load_bytes(module, data, False, None, None)
    return _tokenizer(cls)._make(parts(loaded._replace(notices=(_NO_TOTALS, *notices))))


def _of_encoding(
    encoding: object, special_tokens: Mapping[str, int] | None
) -> tuple[dict[bytes, int], str, dict[str, int]]:
    """What a `tiktoken.Encoding` is made of, by its attributes."""
    names = "_mergeable_ranks", "_pat_str", "_special_tokens"
    ranks, pattern, special = (getattr(encoding, name, None) for name in names)
    if not isinstance(ranks, Mapping) or not isinstance(pattern, str):
        raise SettingsTypeError(
            "encoding must be a tiktoken.Encoding or the path of a rank file, "
            f"not {type_name(encoding)}"
        )
    chosen = special if special_tokens is None else special_tokens
    pattern = _check_text("pattern", pattern)
    return _ids("_mergeable_ranks", ranks, bytes), pattern, _special(chosen)


def _ids(name: str, value: object, kind: type[Any]) -> dict[Any, int]:
    """Tokens and their ids, as plain values."""
    if not isinstance(value, Mapping):
        raise SettingsTypeError(f"{name} must be a mapping, not {type_name(value)}")
    found = dict(value)
    for token, token_id in found.items():
        if type(token) is not kind or type(token_id) is not int:
            raise SettingsTypeError(
                f"{name} must hold {kind.__name__} and int, "
                f"not {type_name(token)} and {type_name(token_id)}"
            )
        if isinstance(token, str):
            _check_text(name, token)
    return found


def _check_text(name: str, text: str) -> str:
    """Refuse half a character."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise SettingsError(f"{name} has a lone surrogate at character {error.start}") from None
    return text


def _special(value: object) -> dict[str, int]:
    """The special tokens of a vocabulary of tiktoken, of which it finds one alone."""
    from superword.export.ranks import check_special_tokens

    found = _ids("special_tokens", value, str)
    try:
        check_special_tokens([*found])
    except NotExactError as error:
        raise ModelFormatError(f"{error}; special_tokens={{}} loads it without them") from None
    return found


def _cutting(scheme: str | None, pattern: str) -> Cutting:
    """How a vocabulary of tiktoken cuts text."""
    from superword.foreign.patterns import cutting_of_tiktoken
    from superword.settings import Cutting

    if scheme is not None:
        return Cutting(one_of("scheme", scheme, SCHEMES))
    return cutting_of_tiktoken(pattern)


def _beside(
    path: str, scheme: str | None, pattern: str | None, special: Mapping[str, int] | None
) -> tuple[str, dict[str, int]]:
    """The pattern and the special tokens of a rank file: as given, or from the file beside it."""
    from superword.foreign.strict_json import parsed

    if scheme is not None and pattern is not None:
        raise SettingsError("scheme and pattern exclude each other: give one of them")
    text = None if pattern is None else as_text(pattern)
    if pattern is not None and text is None:
        raise SettingsTypeError(f"pattern must be a string, not {type_name(pattern)}")
    found: Any = {}
    if os.path.exists(path + ARGUMENTS):
        with of_file(path + ARGUMENTS):
            found = parsed(read_model(path + ARGUMENTS))
            if not isinstance(found, dict) or not isinstance(found.get("pat_str"), str):
                raise ModelFormatError("it must be a JSON object with a pattern, pat_str")
            _ids("special_tokens", found.get("special_tokens", {}), str)
    elif scheme is None and text is None:
        raise SettingsError(
            f"nothing says how '{printable(path)}' cuts text: give scheme or pattern, or put "
            f"pat_str and special_tokens beside it, in '{printable(path + ARGUMENTS)}'"
        )
    tokens = found.get("special_tokens", {}) if special is None else special
    own = found.get("pat_str", "") if text is None else _check_text("pattern", text)
    return own, _special(tokens)


def _own_ranks(tokenizer: Tokenizer, path: str, data: bytes) -> Tokenizer:
    """The model that stands beside a rank file, if the files were made of it."""
    from superword.exported_ranks import files_of
    from superword.foreign.strict_json import parsed

    beside = path + ARGUMENTS
    found = parsed(read_model(beside)) if os.path.exists(beside) else None
    name = found.get("name") if isinstance(found, dict) else None
    files = files_of(tokenizer, name if isinstance(name, str) else "")
    if files[""] != data or (found is not None and parsed(files[ARGUMENTS]) != found):
        raise ModelFormatError(
            f"it was not made of the model beside it, '{printable(path + MODEL)}': take that away "
            "to load the file alone"
        )
    return tokenizer


def _own_json(tokenizer: Tokenizer, path: str, data: bytes) -> Tokenizer:
    """The model that stands beside a `tokenizer.json`, if the file was made of it."""
    from superword.export.tokenizer_json import tokenizer_json
    from superword.exported_folder import model_of
    from superword.foreign.strict_json import parsed

    found = parsed(data)
    exported = model_of(tokenizer)
    for dialect in ("oniguruma", "javascript"):
        if tokenizer_json(exported, dialect) == found:
            return tokenizer
    raise ModelFormatError(
        f"it was not made of the model beside it, '{printable(path)}': take that away to load the "
        "file alone"
    )
