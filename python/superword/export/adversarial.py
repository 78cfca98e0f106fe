"""Texts made from a model itself, at which an export that is not exact shows.

They are the same in every run: a seed that is written down, and a generator of our own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from string import ascii_letters

from superword.export.exported_model import ExportedModel

SEED = 20_260_101
STRINGS = 100_000

# What can stand behind or before a word and change where it ends: letters of each case and of
# several scripts, marks, contractions and what looks like one, digits, white space, signs
ODD = (
    "a", "A", "é", "É", "ß", "ſ", "ǅ", "ʼ", "ª", "я", "Я", "λ", "Λ", "א", "ب", "क", "ก", "漢",
    "カ", "ー", "가", "𝐀", "𝐚", "\u0301", "\u0483", "\u05b0", "\u0e48", "\u200d", "\ufe0f",
    "'s", "'S", "'ſ", "'t", "'re", "'VE", "'ll", "'d", "'l", "'r", "'", "’s", "’", "`",
    "0", "1", "12", "123", "1234", "२", "²", " ", "  ", "   ", "\t", "\n", "\n\n", "\r\n", " \n",
    "\u00a0", "\u3000", "\u2028", "#", "##", "_", "-", "--", ".", "...", ",", "/", "//", "(", ")",
    "\"", "@", "$", "\\", "🙂", "❤️", "\u0000", "\ufeff", "\U000e0001",
)  # fmt: skip

# (only of ASCII: what Python knows of other cases depends on its version)
_OTHER_CASE = str.maketrans(ascii_letters, ascii_letters.swapcase())


class Numbers:
    """Numbers that look random and are the same everywhere (the generator is SplitMix64)."""

    def __init__(self, seed: int) -> None:
        """Begin at a seed."""
        self._state = seed

    def below(self, limit: int) -> int:
        """Return the next number, from 0 to below the limit.

        >>> numbers = Numbers(1)
        >>> [numbers.below(100) for _ in range(5)]
        [65, 19, 90, 35, 61]
        """
        mask = (1 << 64) - 1
        self._state = (self._state + 0x9E3779B97F4A7C15) & mask
        value = self._state
        value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & mask
        value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & mask
        return (value ^ (value >> 31)) % limit


def adversarial_texts(
    model: ExportedModel, count: int = STRINGS, seed: int = SEED
) -> Iterator[str]:
    """Give texts at which a wrong export shows, from the tokens of the model.

    Args:
        model: what was exported.
        count: how many texts.
        seed: which ones.

    >>> from superword.settings import Cutting
    >>> model = ExportedModel(Cutting(), [b"a", b" ", b"b"], {}, [], [], {})
    >>> len(list(adversarial_texts(model, 100))), list(adversarial_texts(model, 2))
    (100, [' b', ' @a'])
    """
    numbers = Numbers(seed)
    superwords = _texts({left + right for left, right in model.supermerges})
    superword_set = set(superwords)
    parts = _texts({part for pair in model.supermerges for part in pair})
    words = [part for part in parts if part not in superword_set]
    tokens = _texts(model.tokens)
    # (a model without superwords is tried with its tokens)
    superwords, words = superwords or tokens, words or tokens

    def any_of(items: Sequence[str]) -> str:
        return items[numbers.below(len(items))]

    def prefix(text: str) -> str:
        return text[: 1 + numbers.below(len(text))]

    for number in range(count):
        # each superword comes once before any comes again, and each time with other company
        superword = superwords[number // 8 % len(superwords)]
        match number % 8:
            case 0:  # the end of a superword before the start of a token
                yield superword + any_of(tokens)
            case 1:
                yield superword + any_of(ODD) + any_of(words)
            case 2:
                yield prefix(superword) + any_of(ODD)
            case 3:
                yield any_of(ODD) + superword + prefix(any_of(superwords))
            case 4:
                yield any_of(words) + any_of(words) + any_of(ODD)
            case 5:
                yield "#" * (1 + numbers.below(2)) + superword.lstrip() + any_of(words)
            case 6:
                yield superword.translate(_OTHER_CASE) + any_of(tokens) + any_of(words)
            case _:
                kinds = (superwords, words, tokens, ODD)
                yield "".join(any_of(kinds[numbers.below(4)]) for _ in range(2 + numbers.below(9)))


def _texts(tokens: Sequence[bytes] | set[bytes]) -> list[str]:
    """Return the tokens that are text, in an order of their own."""
    found = []
    for token in sorted(tokens):
        try:
            found.append(token.decode())
        except UnicodeDecodeError:
            continue
    return found
