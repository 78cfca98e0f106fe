"""The vocabulary of a superword tokenizer, with added tokens, as transformers asks for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from transformers import AddedToken, PythonBackend

from superword import EncodingError, ModelFormatError, SettingsError, SettingsTypeError, Tokenizer
from superword.integrations.added_tokens import Added
from superword.integrations.text_ids import TextIds
from superword.integrations.token_text import bytes_of, text_of


class Vocabulary(PythonBackend):  # type: ignore[misc]
    """The half of `SuperwordTokenizer` that knows tokens."""

    engine: Tokenizer
    # What can be made again. `datasets` leaves an attribute of this name out of fingerprints.
    cache: dict[str, TextIds]
    total_vocab_size = 0

    @property
    def vocab_size(self) -> int:
        """How many ordinary tokens there are; `len` counts special and added ones, too."""
        return self.engine.vocab_size

    def get_vocab(self) -> dict[str, int]:
        """The id of every token, added ones too, by its text."""
        engine = self.engine
        ordinary = engine.next_tokens(b"")  # all of them
        vocabulary = {text_of(engine.token_bytes(i)): i for i in ordinary}
        return {**vocabulary, **engine.special_tokens, **self._added_tokens_encoder}

    def __len__(self) -> int:
        if not self.total_vocab_size:
            self._update_total_vocab_size()
        return self.total_vocab_size

    def _update_total_vocab_size(self) -> None:
        known = len(self.engine)
        self.total_vocab_size = known + sum(i >= known for i in self._added_tokens_decoder)
        self.cache.clear()

    def _update_trie(self, unique_no_split_tokens: list[str] | None = None) -> None:
        """Texts are cut by `TextIds`, not by the trie."""

    def _add_tokens(
        self, new_tokens: Sequence[str | AddedToken] | None, special_tokens: bool = False
    ) -> int:
        size = before = len(self)
        named = set(self.all_special_tokens)
        for new in new_tokens or ():
            if isinstance(new, str) and new in self._added_tokens_encoder:
                continue
            token = self._added_token(new, special_tokens or new in named)
            if not token.content:
                continue
            number = self._id_of_text(token.content)
            if number is None:
                number, size = size, size + 1
            if token.special and token.content not in named:
                named.add(token.content)
                self._extra_special_tokens.append(token)
            self._added_tokens_decoder[number] = token
            self._added_tokens_encoder[token.content] = number
        self._update_total_vocab_size()
        return size - before

    def _added_token(self, new: str | AddedToken, special: bool) -> AddedToken:
        if isinstance(new, str):
            # A name that was given with flags keeps them.
            for token in (*self._special_tokens_map.values(), *self._extra_special_tokens):
                if isinstance(token, AddedToken) and token.content == new:
                    return self._added_token(token, True)
            return AddedToken(new, normalized=not special, special=special)
        if not isinstance(new, AddedToken):
            raise SettingsTypeError(
                f"a token must be a str or AddedToken, not {type(new).__name__}"
            )
        if special:
            new.__setstate__({"special": True, "normalized": new.normalized})
        return new

    def _id_of_text(self, text: str) -> int | None:
        """The id of a token that is there, special, added or ordinary."""
        number = self._added_tokens_encoder.get(text)
        return own_id(self.engine, text) if number is None else number

    def _convert_token_to_id(self, token: str) -> int | None:
        number = self.engine.special_tokens.get(token)
        data = bytes_of(token) if number is None else None
        if data is not None:
            number = self.engine.token_to_id(data)
        if number is None and self.unk_token not in (None, token):
            return self.unk_token_id  # type: ignore[no-any-return]
        return number

    def _convert_id_to_token(self, index: int) -> str:
        if index >= len(self.engine):
            raise EncodingError(f"token id {index} is not of this tokenizer: 0 to {len(self) - 1}")
        return text_of(self.engine.token_bytes(index))

    def _texts(self) -> TextIds:
        if "texts" not in self.cache:
            self.cache["texts"] = TextIds(
                self.engine,
                [
                    Added(i, t.content, t.special, t.normalized, t.lstrip, t.rstrip, t.single_word)
                    for i, t in self._added_tokens_decoder.items()
                ],
            )
        return self.cache["texts"]


def own_id(engine: Tokenizer, text: str) -> int | None:
    """The id of the model's token with this text, special or ordinary.

    Raises:
        SettingsError: the text stands for an ordinary token of other bytes.
    """
    number = engine.special_tokens.get(text)
    data = bytes_of(text) if number is None else None
    if data is None:
        return number
    number = engine.token_to_id(data)
    if number is not None and data != text.encode():
        raise SettingsError(
            f"token {text!r} cannot be added: the ordinary token {data!r} is written like that"
        )
    return number


def check_special(engine: Tokenizer) -> None:
    """`SettingsError` if a special token of the model is written like an ordinary one."""
    for name in engine.special_tokens:
        data = bytes_of(name)
        if data is not None and engine.token_to_id(data) is not None:
            raise SettingsError(
                f"special token {name!r} is written like the ordinary token {data!r}, "
                "and transformers knows tokens by their text; name it otherwise"
            )


def check_added(engine: Tokenizer, added: Mapping[int, str]) -> None:
    """Refuse added tokens that were saved with an id that they would not be given again.

    Raises:
        ModelFormatError: such an id, or a token that cannot be added.

    >>> import superword
    >>> check_added(superword.train(["to be"], vocab_size=257), {257: "<s>", 98: "b"})
    """
    expected = len(engine)
    texts = set()
    for number, text in sorted(added.items()):
        try:
            own = own_id(engine, text)
        except SettingsError as error:
            raise ModelFormatError(str(error)) from None
        if own is None:
            own, expected = expected, expected + 1
        if number != own:
            raise ModelFormatError(f"added token {text!r} has id {number} and not {own}")
        if text in texts:
            raise ModelFormatError(f"added token {text!r} is there twice")
        texts.add(text)
