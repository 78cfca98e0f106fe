"""What callers of a tokenizer of transformers hand over: texts, pairs, batches, words, ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from superword import EncodingError, EncodingTypeError


class Side(NamedTuple):
    """One of the two sequences of a row: texts, which are encoded one by one and joined, or ids."""

    texts: list[str]
    ids: list[int] | None


def rows_of(text: Any, pair: Any, words: bool) -> tuple[list[tuple[Side, Side | None]], bool]:
    """The rows, each of one sequence or two, and whether they are a batch.

    Args:
        text: a str or a list of ids; a list of these; with `words` a list of words, or of such.
        pair: None, or as `text`, for what stands second in each row.
        words: whether lists of str are words of one text.

    Raises:
        EncodingTypeError: a sequence is none of these.
        EncodingError: there are not as many second sequences as first ones.

    >>> rows_of(["to", ("be", "or")], None, False)
    ([(Side(texts=['to'], ids=None), None), \
(Side(texts=['be'], ids=None), Side(texts=['or'], ids=None))], True)
    """
    if not _is_batch(text, words):
        return [(_side(text, words), None if pair is None else _side(pair, words))], False
    pairs = [None] * len(text) if pair is None else pair
    if not isinstance(pairs, (list, tuple)) or len(pairs) != len(text):
        raise EncodingError("text_pair must be a batch as long as that of text")
    rows = []
    for first, second in zip(text, pairs, strict=True):
        if second is None and not words and isinstance(first, (list, tuple)):
            first, second = _pair(first)
        elif second is None and isinstance(first, tuple) and _is_pair(first):
            first, second = first
        rows.append((_side(first, words), None if second is None else _side(second, words)))
    return rows, True


def _is_batch(text: Any, words: bool) -> bool:
    if not isinstance(text, (list, tuple)):
        return False
    if not text:
        return not words
    return isinstance(text[0], (list, tuple) if words else (str, list, tuple))


def _is_pair(value: Sequence[Any]) -> bool:
    return len(value) == 2 and all(isinstance(one, (str, list, tuple)) for one in value)


def _pair(value: Sequence[Any]) -> tuple[Any, Any]:
    """An item of a batch that is a list: two sequences, one, or the ids of one."""
    if _is_pair(value):
        return value[0], value[1]
    if len(value) == 1 and not isinstance(value[0], int):
        return value[0], None
    if value and not isinstance(value[0], int):
        raise EncodingError(f"a row has one sequence or two, not {len(value)}")
    return value, None


def _side(value: Any, words: bool) -> Side:
    if isinstance(value, str):
        return Side([value], None)
    if isinstance(value, (list, tuple)):
        if value and all(isinstance(one, int) for one in value):
            return Side([], list(value))
        if not value or (words and all(isinstance(one, str) for one in value)):
            return Side(list(value), None)
    kind = type(value).__name__
    raise EncodingTypeError(
        f"a sequence must be a str, a list of ids or (is_split_into_words) of words, not {kind}"
    )
