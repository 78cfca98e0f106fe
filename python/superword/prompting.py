"""The part of a `Tokenizer` for texts that go on: contexts, prompts and what may follow them."""

from __future__ import annotations

from superword import arguments
from superword.encoded import PairEncoding, SafePrefix
from superword.encoding import Allowed, Encoding
from superword.errors import EncodingTypeError, SuperwordError
from superword.values import BytesLike, as_bytes, as_text, type_name


class Prompting(Encoding):
    """What a `Tokenizer` does with a text that goes on."""

    __slots__ = ()

    def encode_pair(
        self,
        context: str | BytesLike,
        continuation: str | BytesLike,
        allowed_special: Allowed = (),
    ) -> PairEncoding:
        """The ids of a context and of its continuation, cut where one ends and the other begins.

        Each is encoded as if a special token stood between them. So the ids of the context are
        the same before every continuation, each part decodes to exactly its text, and a
        continuation that is not empty has ids. Slicing `encode(context + continuation)` at
        `len(encode(context))` promises none of that: a token can reach across.

        Args:
            context: what stands before, a str or bytes.
            continuation: what follows it, a str or bytes.
            allowed_special: as for `encode`, in both.

        Raises:
            EncodingError: as for `encode`; it names the part, and the position is that in it.

        >>> import superword
        >>> tokenizer = superword.train(["to be or not to be"], vocab_size=258)
        >>> tokenizer.encode("to be"), tokenizer.encode_pair("to b", "e")
        ([116, 111, 257], PairEncoding(context=[116, 111, 256], continuation=[101]))
        """
        allowed = arguments.allowed_special(allowed_special, self._special)
        parts = []
        for name, text in (("context", context), ("continuation", continuation)):
            try:
                parts.append(self._encode(text, allowed))
            except SuperwordError as error:
                raise type(error)(f"{name}: {error}") from None
        return PairEncoding(*parts)

    def safe_prefix(self, text: str, allowed_special: Allowed = ()) -> SafePrefix:
        """The ids with which the ids of a text begin however it goes on, and the rest of it.

        For every s, `encode(text + s)` begins with these ids; they and the rest together are the
        text. A model that goes on after the ids sees what it saw in training; what it writes must
        begin with the rest, or be the beginning of it (`next_tokens`). With a custom pattern or the
        scheme "none" special tokens alone settle anything: the rest is all behind the last one.

        Args:
            text: a str.
            allowed_special: as for `encode`. One that begins at the end of the text is in the
                rest: s may complete it.

        Raises:
            EncodingError: as for `encode`.

        >>> import superword
        >>> tokenizer = superword.train(["to be or not to be"], vocab_size=258)
        >>> tokenizer.safe_prefix("not to be")
        SafePrefix(ids=[110, 111, 116, 32, 116, 111], rest=' be')
        """
        allowed = arguments.allowed_special(allowed_special, self._special)
        plain = as_text(text)
        if plain is None:
            raise EncodingTypeError(f"text must be str, not {type_name(text)}")
        try:
            return SafePrefix(*self._encoder.safe_prefix(plain, allowed))
        except UnicodeEncodeError:
            raise arguments.surrogate_error(plain) from None

    def next_tokens(self, rest: str | BytesLike) -> list[int]:
        """The ids of the ordinary tokens that may come where a text goes on with this rest.

        They are those whose bytes begin with the rest, and those with which the rest begins; all
        of them for an empty rest.

        >>> import superword
        >>> tokenizer = superword.train(["to be or not to be"], vocab_size=258)
        >>> [tokenizer.token_bytes(number) for number in tokenizer.next_tokens(" b")]
        [b' ', b' b', b' be']
        """
        text = as_text(rest)
        data = as_bytes(rest) if text is None else arguments.utf8(text)
        if data is None:
            raise EncodingTypeError(f"rest must be str or bytes, not {type_name(rest)}")
        return self._encoder.next_tokens(data)
