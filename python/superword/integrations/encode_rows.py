"""Texts to rows of ids, as transformers asks for them: pairs, truncation, padding, offsets."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

from transformers import BatchEncoding
from transformers.tokenization_utils_base import TruncationStrategy
from transformers.utils import PaddingStrategy

from superword import EncodingError, EncodingTypeError
from superword.integrations.frame import Frame, frame_of, shortened
from superword.integrations.rows import Side, rows_of
from superword.integrations.text_ids import Found
from superword.integrations.vocabulary import Vocabulary

Sides = tuple[Found, Found | None]


class Wanted(NamedTuple):
    """How a row is cut, and what is said of it besides its ids."""

    truncation: TruncationStrategy
    max_length: int | None
    stride: int
    added: bool  # special tokens
    types: bool
    special_mask: bool
    overflowing: bool


class _Encoded(BatchEncoding):  # type: ignore[misc]
    """What encoding gives; with the one thing that chats ask of what was encoded."""

    @property
    def encodings(self) -> list[Any] | None:
        """The offsets of each row, for the mask of `apply_chat_template`."""
        if "offset_mapping" not in self:
            return None
        found = self["offset_mapping"]
        one = len(found) == 0 or isinstance(found[0], tuple)
        return [SimpleNamespace(offsets=row) for row in ([found] if one else found)]


class RowEncoding(Vocabulary):
    """The part of `SuperwordTokenizer` that encodes."""

    def tokenize(
        self,
        text: str,
        pair: str | None = None,
        add_special_tokens: bool = False,
        **keywords: Any,
    ) -> list[str]:
        """The tokens of a text, or of two, as text."""
        ids = self.encode(text, pair, add_special_tokens=add_special_tokens, **keywords)
        return self.convert_ids_to_tokens(ids)  # type: ignore[no-any-return]

    def _tokenize(self, text: str, **keywords: Any) -> list[str]:
        return self.tokenize(text, split_special_tokens=True)

    def _encode_plus(self, text: Any, text_pair: Any = None, **keywords: Any) -> BatchEncoding:
        if keywords.pop("sanitize_control_tokens", False):
            if keywords.pop("return_offsets_mapping", False):
                raise EncodingError("sanitize_control_tokens excludes return_offsets_mapping")
            # Chats marked by transformers: it cuts them, and comes back for each piece.
            return super()._encode_plus(text, text_pair, sanitize_control_tokens=True, **keywords)
        return self._encode_rows(text, text_pair, **keywords)

    def _encode_rows(
        self,
        text: Any,
        text_pair: Any,
        *,
        add_special_tokens: bool = True,
        padding_strategy: PaddingStrategy = PaddingStrategy.DO_NOT_PAD,
        truncation_strategy: TruncationStrategy = TruncationStrategy.DO_NOT_TRUNCATE,
        max_length: int | None = None,
        stride: int = 0,
        is_split_into_words: bool = False,
        pad_to_multiple_of: int | None = None,
        padding_side: str | None = None,
        return_tensors: Any = None,
        return_token_type_ids: bool | None = None,
        return_attention_mask: bool | None = None,
        return_overflowing_tokens: bool = False,
        return_special_tokens_mask: bool = False,
        return_offsets_mapping: bool = False,
        return_length: bool = False,
        verbose: bool = True,
        split_special_tokens: bool | None = None,
    ) -> BatchEncoding:
        pairs, batched = rows_of(text, text_pair, is_split_into_words)
        plain = self.split_special_tokens if split_special_tokens is None else split_special_tokens
        wanted = Wanted(
            truncation_strategy,
            max_length,
            stride,
            add_special_tokens,
            _or(return_token_type_ids, "token_type_ids" in self.model_input_names),
            return_special_tokens_mask,
            # rows of several lengths are no tensor
            return_overflowing_tokens and not return_tensors,
        )
        found = self._encode_sides(
            [side for pair in pairs for side in pair if side is not None],
            not plain,
            return_offsets_mapping,
        )
        kinds = {other is not None for _, other in pairs}
        frames = {kind: self._frame(kind, add_special_tokens) for kind in kinds}
        rows = []
        for _, other in pairs:
            sides = next(found), None if other is None else next(found)
            rows.append(self._row(sides, frames[other is not None], wanted))
            self._eventual_warn_about_too_long_sequence(rows[-1]["input_ids"], max_length, verbose)
        if padding_strategy == PaddingStrategy.LONGEST:
            max_length = max((len(row["input_ids"]) for row in rows), default=0)
            padding_strategy = PaddingStrategy.MAX_LENGTH
        with_mask = _or(return_attention_mask, "attention_mask" in self.model_input_names)
        for row in rows:
            if with_mask:
                row["attention_mask"] = [1] * len(row["input_ids"])
            if padding_strategy != PaddingStrategy.DO_NOT_PAD:
                self._pad(
                    row,
                    max_length=max_length,
                    padding_strategy=padding_strategy,
                    pad_to_multiple_of=pad_to_multiple_of,
                    padding_side=padding_side,
                    return_attention_mask=with_mask,
                )
            if return_length:
                row["length"] = len(row["input_ids"])
        if not batched:
            return _Encoded(rows[0], tensor_type=return_tensors, prepend_batch_axis=True)
        names = rows[0] if rows else self.model_input_names
        columns = {name: [row[name] for row in rows] for name in names}
        return _Encoded(columns, tensor_type=return_tensors)

    def _row(self, sides: Sides, frame: Frame, wanted: Wanted) -> dict[str, Any]:
        """What is said of a row, but for its padding."""
        row: dict[str, Any] = {}
        size = frame.size + sum(len(side.ids) for side in sides if side is not None)
        over: list[int] = []
        excess = 0
        if (
            wanted.truncation != TruncationStrategy.DO_NOT_TRUNCATE
            and wanted.max_length is not None
        ):
            excess = max(0, size - wanted.max_length)
        if excess:
            longest = wanted.truncation == TruncationStrategy.LONGEST_FIRST
            if wanted.overflowing and longest and sides[1] is not None:
                raise EncodingError(  # in the words of transformers, which its tests ask for
                    "Not possible to return overflowing tokens for pair of sequences with the "
                    "`longest_first`. Please select another truncation strategy than "
                    "`longest_first`, for instance `only_second` or `only_first`."
                )
            sides, over = self._truncated(sides, excess, wanted)
            left = frame.size + sum(len(side.ids) for side in sides if side is not None)
            if left > wanted.max_length:  # type: ignore[operator]
                raise EncodingError(
                    f"truncation '{wanted.truncation.value}' leaves {left} tokens where max_length "
                    f"is {wanted.max_length}: what it may cut is too short"
                )
        first, second = sides[0], sides[1] or Found([], [])
        row["input_ids"] = frame.ids(first.ids, second.ids)
        if wanted.types and wanted.added:
            row["token_type_ids"] = self.create_token_type_ids_from_sequences(
                first.ids, None if sides[1] is None else second.ids
            )
        elif wanted.types:
            row["token_type_ids"] = [0] * len(row["input_ids"])
        if wanted.special_mask:
            zeros = [0] * len(first.ids), [0] * len(second.ids)
            row["special_tokens_mask"] = frame.around(*zeros, 1)
        if first.offsets is not None:
            row["offset_mapping"] = frame.around(first.offsets, second.offsets or [], (0, 0))
        if wanted.overflowing:
            row["overflowing_tokens"] = over
            row["num_truncated_tokens"] = excess
        return row

    def _frame(self, pair: bool, add_special_tokens: bool) -> Frame:
        if not add_special_tokens:
            return Frame([], [], [])
        row = self.build_inputs_with_special_tokens([-1], [-2] if pair else None)
        if None in row:
            raise EncodingError(
                f"special_tokens_pattern '{self.special_tokens_pattern}' "
                "needs a token that is not set"
            )
        return frame_of(row)

    def _encode_sides(
        self, sides: list[Side], special: bool, with_offsets: bool
    ) -> Iterator[Found]:
        """The ids of each sequence, and where they stand; all texts are encoded at once."""
        texts = [text for side in sides for text in side.texts]
        encoder = self._texts()
        if with_offsets and any(side.ids is not None for side in sides):
            raise EncodingTypeError("return_offsets_mapping needs texts, not ids")
        found: Iterator[Found]
        if with_offsets:
            found = (Found(*encoder.encode_with_offsets(text, special)) for text in texts)
        else:
            found = (Found(ids, None) for ids in encoder.encode(texts, special))
        for side in sides:
            if side.ids is not None:
                yield Found(side.ids, None)
            elif len(side.texts) == 1:
                yield next(found)
            else:
                parts = [next(found) for _ in side.texts]
                places = [place for part in parts for place in part.offsets or ()]
                ids = [number for part in parts for number in part.ids]
                yield Found(ids, places if with_offsets else None)

    def _truncated(self, row: Sides, excess: int, wanted: Wanted) -> tuple[Sides, list[int]]:
        """Both sequences without `excess` ids, and those that were cut off."""
        # `truncate_sequences` takes slices, of whatever it is given.
        first = _with_places(row[0])
        second = None if row[1] is None else _with_places(row[1])
        kept: list[Any]
        if wanted.truncation == TruncationStrategy.LONGEST_FIRST and second is not None:
            # As there, but for a warning with each row
            sizes = shortened(len(first), len(second), excess)
            left = self.truncation_side == "left"
            kept = [
                side[len(side) - size :] if left else side[:size]
                for side, size in zip((first, second), sizes, strict=True)
            ]
            over: list[Any] = []
        else:
            *kept, over = self.truncate_sequences(
                first, second, excess, wanted.truncation, wanted.stride
            )
        one, two = [
            Found(
                [i for i, _ in side or ()],
                None if row[0].offsets is None else [place for _, place in side or ()],
            )
            for side in kept
        ]
        return (one, None if row[1] is None else two), [number for number, _ in over]

    def _pad(self, encoded_inputs: Any, *arguments: Any, **keywords: Any) -> Any:
        before = len(encoded_inputs[self.model_input_names[0]])
        row = super()._pad(encoded_inputs, *arguments, **keywords)
        if "offset_mapping" in row:
            padding = [(0, 0)] * (len(row[self.model_input_names[0]]) - before)
            left = (keywords.get("padding_side") or self.padding_side) == "left"
            found = list(row["offset_mapping"])
            row["offset_mapping"] = padding + found if left else found + padding
        return row


def _or(value: bool | None, otherwise: bool) -> bool:
    return otherwise if value is None else value


def _with_places(found: Found) -> list[Any]:
    return list(zip(found.ids, found.offsets or found.ids, strict=True))
