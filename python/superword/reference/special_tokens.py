"""Special tokens: declared strings that cut a text before anything else sees it (SPEC 9.1)."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Iterator, Sequence

from superword.errors import EncodingError, SettingsError
from superword.reference.header import parse_number
from superword.settings import MAX_IDS


def check_special_tokens(special_tokens: Sequence[str]) -> None:
    """Refuse what cannot be a list of special tokens.

    Args:
        special_tokens: the strings in the order of their ids.

    Raises:
        SettingsError: one is empty, has a lone surrogate, or repeats an earlier one.

    >>> check_special_tokens(["<|a|>", "<|b|>"])

    Source: SPEC 9.1.
    """
    first: dict[str, int] = {}
    for index, token in enumerate(special_tokens):
        if not token:
            raise SettingsError(f"special token {index} is empty: it needs at least one character")
        for position, char in enumerate(token):
            if "\ud800" <= char <= "\udfff":
                raise SettingsError(
                    f"special token {index} has a lone surrogate at position {position}"
                )
        if token in first:
            raise SettingsError(
                f"special token {index} repeats special token {first[token]}: '{token}'"
            )
        first[token] = index


def check_special_ids(special_ids: Sequence[int], special_tokens: int) -> None:
    """Refuse what cannot be the ids of special tokens.

    Args:
        special_ids: the ids in the order of the tokens.
        special_tokens: how many there are.

    Raises:
        SettingsError: they do not ascend, are too large, or there is not one for each token.

    >>> check_special_ids([5, 9], 2)

    Source: SPEC 5.1.
    """
    if not special_ids or len(special_ids) != special_tokens:
        raise SettingsError("special_ids must be one number for each of the special tokens")
    if not all(map(operator.lt, special_ids, special_ids[1:])) or special_ids[-1] >= MAX_IDS:
        raise SettingsError("special_ids must ascend and be below 2^31 - 1")


def read_special_ids(digits: Iterable[str], special_tokens: int) -> tuple[int, ...]:
    """The ids of special tokens, from decimal digits.

    Args:
        digits: the ids in the order of the tokens.
        special_tokens: how many there are.

    Raises:
        SettingsError: one is no number, or as for `check_special_ids`.

    >>> read_special_ids(["5", "9"], 2)
    (5, 9)

    Source: SPEC 10.
    """
    numbers = []
    for text in digits:
        number = parse_number(text.encode())
        if number is None:
            raise SettingsError("special_ids must be whole numbers in decimal digits")
        numbers.append(number)
    check_special_ids(numbers, special_tokens)
    return tuple(numbers)


class SpecialTokens:
    """A checked list of special tokens, ready to cut texts.

    >>> list(SpecialTokens(["<s>"]).split("a<s>b"))
    [('a', None), ('<s>', 0), ('b', None)]
    """

    def __init__(self, special_tokens: Sequence[str]) -> None:
        """Check the list and prepare the search; raises SettingsError."""
        check_special_tokens(special_tokens)
        self._numbers = {token: index for index, token in enumerate(special_tokens)}
        # An alternation takes its first match, so longer tokens stand before their prefixes.
        longest_first = sorted(special_tokens, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first)))

    def split(self, text: str) -> Iterator[tuple[str, int | None]]:
        """Cut a text at the special tokens: leftmost first, then longest.

        Args:
            text: any text.

        Returns:
            The parts in order, each with the index of its special token, or None for an ordinary
            part; ordinary parts are never empty.

        Source: SPEC 9.1.
        """
        start = 0
        if self._numbers:  # the empty alternation would match everywhere
            for match in self._pattern.finditer(text):
                if start < match.start():
                    yield text[start : match.start()], None
                yield match.group(), self._numbers[match.group()]
                start = match.end()
        if start < len(text):
            yield text[start:], None


class Gate:
    """What one call does with the special tokens of a model."""

    def __init__(
        self, names: Sequence[str], every: SpecialTokens, allowed: Sequence[int] | None
    ) -> None:
        """Prepare the call.

        Args:
            names: the special tokens of the model.
            every: the same, ready to cut.
            allowed: the indices of those that are recognized, the others are refused; None: all
                are plain text.

        Raises:
            EncodingError: an index is not one of a special token.
        """
        for index in allowed or ():
            if index not in range(len(names)):
                raise EncodingError(
                    f"special token {index} cannot be allowed: the model has {len(names)}"
                )

        def choose(indices: Sequence[int]) -> SpecialTokens:
            if len(indices) == len(names):
                return every
            return SpecialTokens([names[index] for index in indices])

        self.allowed = [] if allowed is None else sorted(set(allowed))  # the numbers of `cut`
        refused = set() if allowed is None else set(range(len(names))) - set(allowed)
        self.cut = choose(self.allowed)  # cuts the text
        self._refused = choose(sorted(refused))  # is an error in what is left

    def find_refused(self, part: str) -> tuple[str, int] | None:
        """The first refused token in a part of a text, and where it starts."""
        at = 0
        for piece, index in self._refused.split(part):
            if index is not None:
                return piece, at
            at += len(piece)
        return None


def split_special_tokens(text: str, special_tokens: Sequence[str]) -> list[tuple[str, int | None]]:
    """Cut a text at the special tokens: leftmost first, then longest.

    Args:
        text: any text.
        special_tokens: the strings in the order of their ids.

    Returns:
        The parts in order, each with the index of its special token, or None for an ordinary
        part; ordinary parts are never empty.

    Raises:
        SettingsError: the list cannot be used (see `check_special_tokens`).

    >>> split_special_tokens("one<|end|>two", ["<|end|>"])
    [('one', None), ('<|end|>', 0), ('two', None)]

    Source: SPEC 9.1.
    """
    return list(SpecialTokens(special_tokens).split(text))
