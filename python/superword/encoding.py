"""The half of a `Tokenizer` that makes ids of texts."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Literal

from superword import arguments
from superword.errors import EncodingTypeError, SuperwordError, of_item
from superword.settings import resolve_threads
from superword.values import BytesLike, as_bytes, as_text, type_name

if TYPE_CHECKING:
    from superword._backend import Encoder

Allowed = Literal["all"] | Collection[str]


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
        batch, wrong = arguments.texts(texts)
        allowed = arguments.allowed_special(allowed_special, self._special)
        count = resolve_threads(threads)
        try:
            ids = self._encoder.encode_batch(batch, allowed, count)
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
        return ids

    def _encode(self, value: object, allowed: list[int] | None) -> list[int]:
        text = as_text(value)
        if text is not None:
            try:
                return self._encoder.encode(text, allowed)
            except UnicodeEncodeError:
                raise arguments.surrogate_error(text) from None
        data = as_bytes(value)
        if data is None:
            raise EncodingTypeError(f"text must be str or bytes, not {type_name(value)}")
        return self._encoder.encode_bytes(data, allowed)
