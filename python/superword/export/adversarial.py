"""Texts made from a model itself, at which an export that is not exact shows.

They are the same in every run: a seed that is written down, and a generator of our own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from string import ascii_letters

from superword.export.exported_model import ExportedModel
from superword.reference.scripts import classify
from superword.reference.unicode import GENERAL_CATEGORY

SEED = 20_260_101
STRINGS = 100_000

# What can stand behind or before a word and change where it ends, by kinds
ODD = (
    (*"aAéÉßſǅªяЯλΛאبकก漢カー가ʼ𝐀𝐚",),
    ("\u0301", "\u0483", "\u05b0", "\u093e", "\u0e48", "\u3099", "\u200d", "\ufe0f"),
    ("'s", "'S", "'ſ", "'t", "'re", "'VE", "'ll", "'d", "'m", "'l", "'r", "'", "''", "’s", "’"),
    ("0", "1", "12", "123", "1234", "२", "²", "Ⅷ"),
    (" ", "  ", "   ", "\t", "\n", "\n\n", "\r\n", " \n", "\u00a0", "\u3000", "\u2028"),
    ("#", "_", "-", "--", ".", "...", ",", "/", "//", "(", ")", '"', "@", "$", "\\", "`", "\u0000"),
    ("🙂", "❤️", "\ufeff", "\U000e0001", "､", "。", "؟", "՛", "।"),
)
# (only of ASCII: what Python knows of other cases depends on its version)
_OTHER_CASE = str.maketrans(ascii_letters, ascii_letters.swapcase())


def texts_at_edges(model: ExportedModel) -> list[str]:
    """Return a superword before every character at which a class begins or ends, and those beside.

    A range in a pattern that is one character too short or too long shows at one of them.

    >>> from superword.settings import Cutting
    >>> texts = texts_at_edges(ExportedModel(Cutting(), [b"a", b" ", b"b"], {}, [], [], {}))
    >>> texts[0], texts[-1], len(texts) > 5000
    ('a\\x00', 'a\\U0010fffe', True)
    """
    made = {left + right for left, right in model.supermerges} or set(model.tokens)
    word = min(
        _texts(made), key=lambda text: (not text.replace(" ", "").isalpha(), text), default="a"
    )
    edges = {
        code
        for ranges in GENERAL_CATEGORY.values()
        for first, last in ranges
        for code in (first - 1, first, last, last + 1)
    }
    return [
        word + chr(code)
        for code in sorted(edges)
        if 0 <= code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF
    ]


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
    (100, [' b', ' a'])
    """
    numbers = Numbers(seed)
    superwords = _texts({left + right for left, right in model.supermerges})
    superword_set = set(superwords)
    parts = _texts({part for pair in model.supermerges for part in pair})
    words = [part for part in parts if part not in superword_set]
    tokens = _texts(model.tokens)
    # (a model without superwords is tried with its tokens)
    superwords, words = superwords or tokens, words or tokens
    # rare kinds of words come as often as others
    kinds_of_words: dict[tuple[str, ...], list[str]] = {}
    for word in words:
        kinds_of_words.setdefault(_kind(word), []).append(word)
    kinds = list(kinds_of_words.values())

    def any_of(items: Sequence[str]) -> str:
        return items[numbers.below(len(items))]

    def odd() -> str:
        return any_of(ODD[numbers.below(len(ODD))])

    def prefix(text: str) -> str:
        return text[: 1 + numbers.below(len(text))]

    for number in range(count):
        # each superword comes once before any comes again, and then in another case
        again, which = divmod(number, len(superwords))
        superword = superwords[which]
        kind = kinds[numbers.below(len(kinds))]
        match (which + again) % 8:
            case 0:  # the end of a superword before the start of a token
                yield superword + any_of(tokens)
            case 1:
                yield any_of(kind) + any_of(kind).lstrip(" ") + prefix(superword)
            case 2:
                yield prefix(superword) + odd() + any_of(kind)
            case 3:
                yield odd() + superword + prefix(any_of(superwords))
            case 4:
                yield any_of(words) + any_of(kind) + odd()
            case 5:
                yield "#" * (1 + numbers.below(2)) + superword.lstrip(" ") + any_of(words)
            case 6:
                yield superword.translate(_OTHER_CASE) + any_of(tokens) + any_of(kind)
            case _:
                some = (superwords, words, tokens, kind)
                for_each = range(2 + numbers.below(9))
                yield "".join(any_of(some[numbers.below(4)]) + odd() * (n % 2) for n in for_each)


def _kind(word: str) -> tuple[str, ...]:
    """Return the classes of the characters of a word, each stretch of one class once."""
    classes = [
        category + script
        for char in word
        for category, script, *_ in classify(ord(char), ord(char))
    ]
    return tuple(name for name, _ in groupby(classes))


def _texts(tokens: Sequence[bytes] | set[bytes]) -> list[str]:
    """Return the tokens that are text, in an order of their own."""
    found = []
    for token in sorted(tokens):
        try:
            found.append(token.decode())
        except UnicodeDecodeError:
            continue
    return found
