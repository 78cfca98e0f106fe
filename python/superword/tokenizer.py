"""The tokenizer that users hold: load, save, encode, decode, look inside."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NoReturn, final

from superword import _backend, arguments
from superword.decoding import Decoding
from superword.errors import EncodingTypeError
from superword.exporting import Exporting
from superword.files import read_model
from superword.importing import Importing
from superword.loading import load_again, load_bytes, load_cut, of_file, parts, published_file, save
from superword.op import Op
from superword.prompting import Prompting
from superword.report import Report
from superword.settings import MAX_IDS, integer, optional_integer
from superword.values import BytesLike, as_bytes, as_text, type_name

if TYPE_CHECKING:
    from superword._backend import Encoder


@final
class Tokenizer(Prompting, Decoding, Exporting, Importing):
    """A trained tokenizer: immutable, comparable, and usable from many threads.

    It comes from `superword.train`, `Tokenizer.load` or `Tokenizer.from_bytes`. Two tokenizers are
    equal when their models are, whichever backend runs them; `len(tokenizer)` counts all ids,
    special tokens too, and those that a vocabulary from elsewhere leaves unused. Pickling stores
    the model alone: it is loaded with the backend of the process that unpickles it.

    >>> import superword
    >>> tokenizer = superword.train(["to be or not to be"], vocab_size=260, special_tokens=["<s>"])
    >>> len(tokenizer), tokenizer.vocab_size
    (261, 260)
    >>> tokenizer.decode(tokenizer.encode("be<s>to", allowed_special="all"))
    'be<s>to'
    """

    __slots__ = (
        "__weakref__",
        "_any_unicode",
        "_backend",
        "_data",
        "_encoder",
        "_published",
        "_report",
        "_snapshots",
        "_special",
    )
    _any_unicode: bool
    _backend: str
    _data: bytes
    _encoder: Encoder
    _published: bytes | None
    _report: Report
    _snapshots: Mapping[int, Tokenizer]
    _special: dict[str, int]

    def __new__(cls, *arguments: object, **keywords: object) -> Tokenizer:
        """Refuse: there is no tokenizer without a model."""
        raise TypeError("use superword.train, Tokenizer.load or Tokenizer.from_bytes")

    def __init_subclass__(cls, **keywords: object) -> None:
        raise TypeError("Tokenizer cannot be subclassed")

    # --- load and save

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        backend: Literal["auto", "rust", "python"] = "auto",
        any_unicode: bool = False,
        max_token_bytes: int | None = None,
        max_total_bytes: int | None = None,
    ) -> Tokenizer:
        """Load a model file, ours or a published `.model` file: the first line says which.

        Args:
            path: the file.
            backend: "rust", "python", or "auto": SUPERWORD_BACKEND, or else Rust where installed.
            any_unicode: load a model of another Unicode version all the same: texts with
                characters that changed since may then give other ids than where it was trained.
            max_token_bytes: refuse a model with a longer token.
            max_total_bytes: refuse a model whose tokens have more bytes together.

        Raises:
            ModelFormatError: the file cannot be read or is not a model; the text names the file.

        >>> import os, superword, tempfile
        >>> tokenizer = superword.train(["to be"], vocab_size=258)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     tokenizer.save(os.path.join(folder, "small.superword"))
        ...     Tokenizer.load(os.path.join(folder, "small.superword")) == tokenizer
        True

        Source: SPEC section 10.
        """
        name = arguments.path(path)
        data = read_model(name)
        with of_file(name):
            return cls.from_bytes(
                data,
                backend=backend,
                any_unicode=any_unicode,
                max_token_bytes=max_token_bytes,
                max_total_bytes=max_total_bytes,
            )

    @classmethod
    def from_bytes(
        cls,
        data: BytesLike,
        *,
        backend: Literal["auto", "rust", "python"] = "auto",
        any_unicode: bool = False,
        max_token_bytes: int | None = None,
        max_total_bytes: int | None = None,
    ) -> Tokenizer:
        """Load a model from the bytes of its file; otherwise as `load`.

        >>> import superword
        >>> tokenizer = superword.train(["to be"], vocab_size=258)
        >>> Tokenizer.from_bytes(tokenizer.to_bytes()) == tokenizer
        True
        """
        plain = arguments.model_data(data)
        any_unicode = arguments.flag("any_unicode", any_unicode)
        longest = optional_integer("max_token_bytes", max_token_bytes)
        limits = longest, optional_integer("max_total_bytes", max_total_bytes)
        return cls._make(parts(load_bytes(_backend.load(backend), plain, any_unicode, *limits)))

    def to_bytes(self, published: bool = False) -> bytes:
        """The bytes of the model file; the same from both backends.

        Args:
            published: a published `.model` file instead, or `ModelFormatError` if this tokenizer
                is not `publishable`.

        >>> import superword
        >>> superword.train(["to be"], vocab_size=257).to_bytes().splitlines()[1]
        b'm 32 98 1'

        Source: SPEC section 10.
        """
        wanted = arguments.flag("published", published)
        return published_file(self._backend, self._data, self._published) if wanted else self._data

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file: whole, or, after an error, not at all.

        A name that ends in `.model` gets a published file, as `to_bytes(published=True)` gives it;
        any other ours, with a warning if that drops what only the published file holds. A file
        that is there is replaced. Raises `ModelFormatError`, with the name, if that cannot be done.
        """
        save(self._backend, arguments.path(path), self._data, self._published)

    @classmethod
    def _make(cls, values: Mapping[str, Any]) -> Tokenizer:
        """Put one together from what `loading.parts` gives."""
        self = object.__new__(cls)
        for name, value in values.items():
            object.__setattr__(self, name, value)
        return self

    def truncated(self, vocab_size: int) -> Tokenizer:
        """The tokenizer that training at a smaller size would have given, to the byte.

        Everything else stays: special tokens, the order of ids, the totals of the corpus; for
        "superbpe" all regular tokens, so that supermerges alone are cut off.

        Args:
            vocab_size: ordinary tokens to keep, not more than there are.

        Raises:
            SettingsError: the model has fewer tokens or cannot be cut so far, or it was trained
                with n-gram splitting or deletions, where a smaller size has other operations.

        >>> import superword
        >>> tokenizer = superword.train(["to be or not to be"], vocab_size=262)
        >>> small = superword.train(["to be or not to be"], vocab_size=258)
        >>> tokenizer.truncated(258).to_bytes() == small.to_bytes()
        True

        Source: SPEC section 12.4.
        """
        size = integer("vocab_size", vocab_size, 0, MAX_IDS)
        return self._make(parts(load_cut(self._backend, self._data, size, self._any_unicode)))

    # --- look inside

    @property
    def vocab_size(self) -> int:
        """How many ordinary tokens there are; special ones come on top."""
        return self._report.tokens

    @property
    def special_tokens(self) -> dict[str, int]:
        """The special tokens and their ids, in a dict of the caller's own."""
        return dict(self._special)

    @property
    def ops(self) -> tuple[Op, ...]:
        """Every operation of training in order, tokens as bytes; made anew on each access.

        >>> import superword
        >>> superword.train(["to be"], vocab_size=257).ops
        (Op(kind='merge', left=b' ', right=b'b', new=b' b', count=1),)
        """
        return tuple(Op(*op) for op in self._encoder.op_tokens())

    @property
    def report(self) -> Report:
        """What training did; of a loaded model, what its file tells."""
        return self._report

    @property
    def snapshots(self) -> Mapping[int, Tokenizer]:
        """The smaller sizes that `train` was asked for; none in a loaded model.

        >>> import superword
        >>> tokenizer = superword.train(["to be"], vocab_size=259, snapshots=[257])
        >>> tokenizer.snapshots[257] == tokenizer.truncated(257)
        True
        """
        return self._snapshots

    @property
    def publishable(self) -> bool:
        """Whether it was loaded from a published `.model` file or trained with `published=True`.

        >>> import superword
        >>> superword.train(["to be"], vocab_size=256, scheme="gpt2", published=True).publishable
        True
        """
        return self._published is not None

    @property
    def backend(self) -> str:
        """What runs this tokenizer: "rust" or "python"."""
        return self._backend

    def token_bytes(self, token_id: int) -> bytes:
        """The bytes of a token; for a special token the UTF-8 of its name.

        >>> import superword
        >>> superword.train(["to be"], vocab_size=256).token_bytes(116)
        b't'
        """
        return self._encoder.token_bytes(arguments.token_id(token_id, len(self)))

    def token_to_id(self, token: BytesLike | str) -> int | None:
        """The id of a token, or None.

        Bytes mean an ordinary token; a str means the special token of that name, or else the
        ordinary token of its UTF-8 bytes.

        >>> import superword
        >>> tokenizer = superword.train(["to be"], vocab_size=256, special_tokens=["t"])
        >>> tokenizer.token_to_id(b"t"), tokenizer.token_to_id("t"), tokenizer.token_to_id("to")
        (116, 256, None)
        """
        name = as_text(token)
        if name is not None and name in self._special:
            return self._special[name]
        data = as_bytes(token) if name is None else arguments.utf8(name)
        if data is None:
            raise EncodingTypeError(f"token must be bytes or str, not {type_name(token)}")
        token_id = self._encoder.token_id(data)
        # A backend knows special tokens by their bytes too.
        return None if token_id in self._special.values() else token_id

    def is_superword(self, token_id: int) -> bool:
        """Whether some supermerge of the model makes this token.

        >>> import superword
        >>> tokenizer = superword.train(["to be to be"], algorithm="boundless", vocab_size=300)
        >>> [i for i in range(256, len(tokenizer)) if tokenizer.is_superword(i)] != []
        True
        """
        return self._encoder.is_superword(arguments.token_id(token_id, len(self)))

    # --- a value like any other

    def __len__(self) -> int:
        last = next(reversed(self._special.values()), -1)
        return max(self._report.tokens + len(self._special), last + 1)

    def __eq__(self, other: object) -> bool:
        return self._data == other._data if isinstance(other, Tokenizer) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._data)

    def __repr__(self) -> str:
        return (
            f"<superword.Tokenizer {self._report.algorithm}: {self.vocab_size} tokens, "
            f"{len(self._special)} special, backend {self._backend}>"
        )

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a Tokenizer cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("a Tokenizer cannot be changed")

    def __copy__(self) -> Tokenizer:
        return self

    def __deepcopy__(self, memo: object) -> Tokenizer:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickle, (self._data, self._any_unicode, self._published)


def _unpickle(data: bytes, any_unicode: bool, published: bytes | None = None) -> Tokenizer:
    return Tokenizer._make(parts(load_again(_backend.load(), data, any_unicode, published)))
