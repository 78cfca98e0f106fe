"""The half of a `Tokenizer` that makes texts of ids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from superword import arguments
from superword.decode_stream import DecodeStream
from superword.errors import EncodingError, of_item

if TYPE_CHECKING:
    from superword._backend import Encoder

Errors = Literal["replace", "strict", "ignore"]


class Decoding:
    """What a `Tokenizer` does with ids."""

    __slots__ = ()
    _encoder: Encoder

    if TYPE_CHECKING:

        def __len__(self) -> int: ...

    def decode_bytes(self, ids: Sequence[int]) -> bytes:
        """The bytes of the ids' tokens, one after the other.

        Raises:
            EncodingError: an id is not of this model; the text names its position.

        >>> import superword
        >>> superword.train(["to be"], vocab_size=256).decode_bytes([116, 111])
        b'to'
        """
        return self._encoder.decode_bytes(arguments.ids(ids, len(self)))

    def decode(self, ids: Sequence[int], errors: Errors = "replace") -> str:
        """The text of the ids.

        Args:
            ids: any sequence of integers.
            errors: for ids that give no UTF-8: "replace" (U+FFFD), "ignore", or "strict", which
                raises `EncodingError`.

        >>> import superword
        >>> superword.train(["to be"], vocab_size=256).decode([116, 111])
        'to'
        """
        how = arguments.errors(errors)
        return arguments.decode_text(self.decode_bytes(ids), how)

    def decode_batch(self, batch: Iterable[Sequence[int]], errors: Errors = "replace") -> list[str]:
        """The text of each of several lists of ids, as `decode` gives it.

        >>> import superword
        >>> superword.train(["to be"], vocab_size=256).decode_batch([[116, 111], [98, 101]])
        ['to', 'be']
        """
        how = arguments.errors(errors)
        texts = []
        for number, ids in enumerate(arguments.id_lists(batch)):
            try:
                texts.append(arguments.decode_text(self.decode_bytes(ids), how))
            except EncodingError as error:
                raise of_item(error, number, f"item {number}: ") from None
        return texts

    def decode_stream(self, errors: Errors = "replace") -> DecodeStream:
        """A stream that makes text of ids as they come.

        Args:
            errors: as for `decode`.

        >>> import superword
        >>> stream = superword.train(["to be"], vocab_size=256).decode_stream()
        >>> stream.push(116) + stream.push([111]), stream.flush()
        ('to', b'')
        """
        return DecodeStream(self._stream_bytes, arguments.errors(errors))

    def _stream_bytes(self, ids: object) -> bytes:
        checked = arguments.id_or_ids(ids, len(self))
        return self._encoder.decode_bytes(checked)
