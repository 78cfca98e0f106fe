"""The ids of texts in which added tokens stand, many texts at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from superword import Tokenizer
from superword.integrations.added_tokens import Added, Splitter

Offsets = list[tuple[int, int]]


class Found(NamedTuple):
    """The ids of a text and, where they were asked for, the characters that each stands for."""

    ids: list[int]
    offsets: Offsets | None


class TextIds:
    """Encodes texts with an engine, and with added tokens that the engine may not know.

    The texts between added tokens are encoded independently, as the engine does it between its
    own special tokens.

    >>> import superword
    >>> engine = superword.train(["to be or not to be"], vocab_size=258)
    >>> texts = TextIds(engine, [Added(258, "<s>", True)])
    >>> texts.encode(["to<s> be", " be"]), texts.encode_with_offsets("<s> be")
    ([[116, 111, 258, 257], [257]], ([258, 257], [(0, 3), (3, 6)]))
    """

    def __init__(self, engine: Tokenizer, added: Iterable[Added]) -> None:
        tokens = list(added)
        own = {Added(number, name, True) for name, number in engine.special_tokens.items()}
        self._engine = engine
        self._own = Splitter(own) if own else None
        # None: the engine cuts alike by itself
        self._all = None if set(tokens) == own else Splitter(tokens)
        self._ordinary = None if all(token.special for token in tokens) else self._all

    def encode(self, texts: Sequence[str], special: bool = True) -> list[list[int]]:
        """The ids of each text; with `special=False` special tokens are plain text."""
        splitter = self._all if special else self._ordinary
        if splitter is None and special:
            return self._engine.encode_batch(texts, allowed_special="all")
        if splitter is None:
            return self._plain(texts)
        pieces = [splitter.split(text, special) for text in texts]
        between = [
            text[piece.start : piece.end]
            for text, parts in zip(texts, pieces, strict=True)
            for piece in parts
            if piece.token_id is None
        ]
        ids = iter(self._plain(between))
        return [
            [
                token_id
                for piece in parts
                for token_id in (next(ids) if piece.token_id is None else (piece.token_id,))
            ]
            for parts in pieces
        ]

    def encode_with_offsets(self, text: str, special: bool = True) -> tuple[list[int], Offsets]:
        """The ids of a text, and the characters, from and to, that each of them stands for."""
        splitter = self._all if special else self._ordinary
        if splitter is None and special:
            found = self._engine.encode_with_offsets(text, allowed_special="all")
            return found.ids, found.char_offsets
        if splitter is None:
            return self._plain_with_offsets(text)
        ids: list[int] = []
        offsets: Offsets = []
        for start, end, token_id in splitter.split(text, special):
            if token_id is None:
                more, places = self._plain_with_offsets(text[start:end])
                ids += more
                offsets += [(start + first, start + last) for first, last in places]
            else:
                ids.append(token_id)
                offsets.append((start, end))
        return ids, offsets

    def _plain(self, texts: Sequence[str]) -> list[list[int]]:
        """All at once where no text holds a special token of the engine."""
        held = [self._holds_own(text) for text in texts]
        batch = iter(
            self._engine.encode_batch(
                [text for text, holds in zip(texts, held, strict=True) if not holds]
            )
        )
        return [
            self._engine.encode_ordinary(text) if holds else next(batch)
            for text, holds in zip(texts, held, strict=True)
        ]

    def _plain_with_offsets(self, text: str) -> tuple[list[int], Offsets]:
        if not self._holds_own(text):
            found = self._engine.encode_with_offsets(text)
            return found.ids, found.char_offsets
        ids = self._engine.encode_ordinary(text)
        letters = [place for place, letter in enumerate(text) for _ in letter.encode()]
        offsets = []
        start = 0
        for token_id in ids:
            end = start + len(self._engine.token_bytes(token_id))
            offsets.append((letters[start], letters[end - 1] + 1))
            start = end
        return ids, offsets

    def _holds_own(self, text: str) -> bool:
        return self._own is not None and self._own.holds(text)
