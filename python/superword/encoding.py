"""The half of a `Tokenizer` that makes ids of texts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Literal, TypeVar

from superword import arguments
from superword.encoded import OffsetEncoding
from superword.errors import EncodingTypeError, SuperwordError, of_item
from superword.settings import resolve_threads
from superword.values import BytesLike, as_bytes, as_text, type_name

if TYPE_CHECKING:
    from superword._backend import Encoder

Allowed = Literal["all"] | Collection[str]
_T = TypeVar("_T")


class Encoding:
    """What a `Tokenizer` does with texts."""

    __slots__ = ()
    _encoder: Encoder
    _special: dict[str, int]

    def encode(self, text: str | BytesLike, allowed_special: Allowed = ()) -> list[int]:
        """The ids of a text, or of bytes of any kind.

        Args:
            text: a str, or bytes (also bytearray, memoryview): their UTF-8 stretches as text,
                every other byte by itself.
            allowed_special: the special tokens that become their ids, or "all"; any other that
                stands in the text is an error, so that no untrusted text makes one.

        Raises:
            EncodingError: a special token stands in the text and is not allowed, or the text has
                a lone surrogate; the text of the error names the position.
            PatternTooExpensiveError: a custom pattern takes too many steps on the text; the
                position, too, counts from the beginning of the text (of bytes in bytes).

        >>> import superword
        >>> tokenizer = superword.train(["to be or not to be"], vocab_size=258)
        >>> tokenizer.encode("to be")
        [116, 111, 257]
        >>> tokenizer.decode_bytes(tokenizer.encode(b"\\xff be"))
        b'\\xff be'

        Source: SPEC section 9.
        """
        return self._encode(text, arguments.allowed_special(allowed_special, self._special))

    def encode_ordinary(self, text: str | BytesLike) -> list[int]:
        """The ids of a text in which special tokens are plain text.

        >>> import superword
        >>> tokenizer = superword.train(["to be"], vocab_size=256, special_tokens=["be"])
        >>> tokenizer.encode_ordinary("be")
        [98, 101]
        """
        return self._encode(text, None)

    def encode_batch(
        self,
        texts: Iterable[str],
        allowed_special: Allowed = (),
        threads: int | None = None,
    ) -> list[list[int]]:
        """The ids of each text, as `encode` gives them, computed in threads.

        >>> import superword
        >>> tokenizer = superword.train(["to be or not to be"], vocab_size=258)
        >>> tokenizer.encode_batch(["to be", " be"])
        [[116, 111, 257], [257]]
        """
        allowed = arguments.allowed_special(allowed_special, self._special)
        return self._batch(self._encoder.encode_batch, texts, allowed, resolve_threads(threads))

    def encode_with_offsets(
        self, text: str | BytesLike, allowed_special: Allowed = ()
    ) -> OffsetEncoding:
        """The ids of a text, and where each of them stands in it.

        `byte_offsets` are (start, end) in the bytes of the UTF-8 text: each starts where the one
        before ended. `char_offsets` are (start, end) in characters, as slices of a str have them:
        tokens inside one character each cover that character. A byte that is no UTF-8 counts as
        one character. Special tokens have offsets too.

        Args, errors: as for `encode`.

        >>> import superword
        >>> tokenizer = superword.train(["to be or not to be"], vocab_size=258)
        >>> found = tokenizer.encode_with_offsets("é be")
        >>> found.ids, found.byte_offsets
        ([195, 169, 257], [(0, 1), (1, 2), (2, 5)])
        >>> found.char_offsets
        [(0, 1), (0, 1), (1, 4)]
        """
        allowed = arguments.allowed_special(allowed_special, self._special)
        encoder = self._encoder
        return OffsetEncoding(
            *_of_text_or_bytes(text, allowed, encoder.encode_offsets, encoder.encode_bytes_offsets)
        )

    def count_tokens(self, text: str | BytesLike, allowed_special: Allowed = ()) -> int:
        """How many ids `encode` gives, without a list of them; args, errors as there.

        >>> import superword
        >>> superword.train(["to be or not to be"], vocab_size=258).count_tokens("to be")
        3
        """
        allowed = arguments.allowed_special(allowed_special, self._special)
        encoder = self._encoder
        return _of_text_or_bytes(text, allowed, encoder.count, encoder.count_bytes)

    def count_tokens_batch(
        self,
        texts: Iterable[str],
        allowed_special: Allowed = (),
        threads: int | None = None,
    ) -> list[int]:
        """How many ids each text has; otherwise as `encode_batch`.

        >>> import superword
        >>> tokenizer = superword.train(["to be or not to be"], vocab_size=258)
        >>> tokenizer.count_tokens_batch(["to be", " be"])
        [3, 1]
        """
        allowed = arguments.allowed_special(allowed_special, self._special)
        return self._batch(self._encoder.count_batch, texts, allowed, resolve_threads(threads))

    def _batch(
        self,
        call: Callable[[list[str], list[int], int], list[_T]],
        texts: object,
        allowed: list[int],
        threads: int,
    ) -> list[_T]:
        """What a call of the encoder gives for each of several texts."""
        batch, wrong = arguments.texts(texts)
        try:
            found = call(batch, allowed, threads)
        except UnicodeEncodeError:
            # The first text at fault, which may be one before that.
            for number, text in enumerate(batch):
                try:
                    self._encode(text, allowed)
                except SuperwordError as error:
                    raise of_item(error, number, f"text {number}: ") from None
            raise
        if wrong is not None:  # the texts before it are good
            raise wrong
        return found

    def _encode(self, value: object, allowed: list[int] | None) -> list[int]:
        encoder = self._encoder
        return _of_text_or_bytes(value, allowed, encoder.encode, encoder.encode_bytes)


def _of_text_or_bytes(
    value: object,
    allowed: list[int] | None,
    of_text: Callable[[str, list[int] | None], _T],
    of_bytes: Callable[[bytes, list[int] | None], _T],
) -> _T:
    text = as_text(value)
    if text is not None:
        try:
            return of_text(text, allowed)
        except UnicodeEncodeError:
            raise arguments.surrogate_error(text) from None
    data = as_bytes(value)
    if data is None:
        raise EncodingTypeError(f"text must be str or bytes, not {type_name(value)}")
    return of_bytes(data, allowed)
