"""Text from ids that come one after the other."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence
from typing import final

from superword.errors import EncodingError


@final
class DecodeStream:
    r"""Makes text of ids as they come; it comes from `Tokenizer.decode_stream`.

    A token can end inside a character. Such a character is held back until it is complete, so
    pieces never have U+FFFD for what merely goes on in the next token. A stream is for one thread
    at a time.

    >>> import superword
    >>> stream = superword.train(["to be"], vocab_size=256).decode_stream()
    >>> [stream.push(byte) for byte in "é!".encode()]
    ['', 'é', '!']
    >>> stream.push([116, 0xE2, 0x82]), stream.flush()
    ('t', b'\xe2\x82')
    """

    __slots__ = ("_bytes_of", "_decoder", "_pushed")

    def __init__(self, bytes_of: Callable[[object], bytes], errors: str) -> None:
        self._bytes_of = bytes_of
        # Held back is only what can become a character: what is wrong is treated at once, as in
        # one call for the whole.
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors)
        self._pushed = 0

    def push(self, ids: int | Sequence[int]) -> str:
        """The text that is complete with these ids; may be empty.

        All pieces, and `flush().decode(errors=…)` at the end, joined are `decode` of all ids.

        Args:
            ids: one id, or any sequence of them.

        Raises:
            EncodingError: an id is not of this model, or, with errors="strict", the ids give no
                UTF-8; the stream is then as it was before the call.

        >>> import superword
        >>> superword.train(["to be"], vocab_size=256).decode_stream().push([116, 111])
        'to'
        """
        data = self._bytes_of(ids)
        try:
            text = self._decoder.decode(data)
        except UnicodeDecodeError as error:
            start = self._pushed - len(self._decoder.getstate()[0]) + error.start
            raise EncodingError(
                f"the ids give no valid UTF-8: byte {start} of the stream is wrong; "
                "use decode_bytes, or errors='replace'"
            ) from None
        self._pushed += len(data)
        return text

    def flush(self) -> bytes:
        """End the text: the bytes of the character that was cut, or b"" if none was.

        The stream then begins anew.
        """
        cut = self._decoder.getstate()[0]
        self._decoder.reset()
        self._pushed = 0
        return cut
