"""The look-ahead behind a word that says: the pretoken ends exactly here (SPEC 3.2, 3.4).

What follows a word can make its pretoken longer, or even shorter. For a text that begins with a
word which is a pretoken by itself, this says what must not follow. There are few such tails: the
pattern of pretokens knows a character only by its class. DESIGN.md has the derivation.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from superword.export.code_points import both, category, characters, class_of, minus, scripts
from superword.reference.patterns import (
    JAPANESE_COMMON,
    LISTED_SCRIPTS,
    complement,
    format_set,
    union,
)
from superword.reference.scripts import is_real, script_of
from superword.reference.unicode import SCRIPT, Ranges

SCHEMES = ("gpt2", "gpt4", "gpt4o", "gpt4o-uniscript")

Spell = Callable[[Ranges], str]


class Tail(NamedTuple):
    """Of which kind a word is: words of one kind have the same tail."""

    kind: str  # contraction, letters, lower, caseless, upper or listed
    script: str | None  # the real script of the word, where the scheme heeds it


class Classes(NamedTuple):
    """The classes of characters of a scheme, as far as words are about them."""

    lead: Ranges  # what may stand before the letters of a word
    upper: Ranges  # only in the first part of a word
    lower: Ranges  # only in the second part
    caseless: Ranges  # in both
    listed: Ranges  # letters that are words by themselves
    trailing: Ranges  # what may follow those


def tail_of(word: str, scheme: str) -> Tail | None:
    """Return of which kind a word is that is a pretoken by itself; None if it is of no known one.

    >>> tail_of(" word", "gpt4o"), tail_of("don't", "gpt4o-uniscript")
    (Tail(kind='lower', script=None), Tail(kind='contraction', script=None))
    >>> tail_of(" ΑΒΓ", "gpt4o-uniscript"), tail_of("123", "gpt4o")
    (Tail(kind='upper', script='Greek'), None)
    """
    found = _word_pattern(scheme).fullmatch(word)
    if found is None or found.lastgroup is None:
        return None
    kind = found.lastgroup
    if scheme != "gpt4o-uniscript" or kind == "contraction":
        return Tail(kind, None)
    real = {script for script in map(script_of, word) if is_real(script)}
    return Tail(kind, min(real, default=None)) if len(real) < 2 else None


def look_ahead(tail: Tail, scheme: str, spell: Spell = class_of) -> str:
    """Return the look-ahead of a kind of words: it fails where the pretoken does not end here.

    `spell` returns a set of code points as the engine wants it.

    >>> look_ahead(Tail("contraction", None), "gpt4o")
    ''
    >>> look_ahead(Tail("letters", None), "gpt2")[:12]
    '(?![A-Za-zªµ'
    """
    if tail.kind == "contraction":
        return ""
    if tail.kind == "letters":
        return f"(?!{spell(category('L'))})"
    classes = classes_of(scheme)
    world = _world(tail.script)
    upper, lower, caseless = (
        both(part, world) for part in (classes.upper, classes.lower, classes.caseless)
    )
    if tail.kind == "listed":
        return f"(?!{spell(both(classes.trailing, world))})"
    second = spell(union(lower, caseless))
    contracts = tail.script in (None, "Latin")
    quote = f"|{contraction(scheme, spell)}" if contracts else ""
    if tail.kind == "lower":
        return f"(?!{second}{quote})"
    if tail.kind == "upper":
        return f"(?!{spell(union(upper, lower, caseless))}{quote})"
    if scheme != "gpt4o-uniscript" or tail.script is not None:
        return f"(?!{_many(upper, spell)}{second}{quote})"
    # Of no real script so far: the first real one decides which characters can go on.
    neutral = scripts("Common", "Inherited")
    more = [
        spell(both(upper, SCRIPT[script]))
        + _many(both(upper, _world(script)), spell)
        + spell(both(union(lower, caseless), _world(script)))
        for script in sorted(SCRIPT)
        if is_real(script) and both(upper, SCRIPT[script])
    ]
    return f"(?!{_many(both(upper, neutral), spell)}(?:{'|'.join([second, *more])}){quote})"


def contraction(scheme: str, spell: Spell = class_of) -> str:
    """Return the pattern of contractions of a scheme, in explicit sets.

    >>> contraction("gpt2")
    "'(?:[dmst]|re|ve|ll)"
    >>> contraction("gpt4o")
    "'(?:[DMSTdmstſ]|[Rr][Ee]|[Vv][Ee]|[Ll][Ll])"
    """

    def letters(text: str) -> str:
        if scheme == "gpt2":
            return "".join(text)
        return "".join(spell(characters(char + char.upper())) for char in text)

    single = "dmst" if scheme == "gpt2" else "DMSTdmst\u017f"
    return f"'(?:{spell(characters(single))}|{letters('re')}|{letters('ve')}|{letters('ll')})"


def _many(ranges: Ranges, spell: Spell) -> str:
    return f"{spell(ranges)}*" if ranges else ""


def _world(script: str | None) -> Ranges:
    """Return what a word of this script can hold."""
    if script is None:
        return complement(())
    return scripts("Common", "Inherited", script)


@cache
def classes_of(scheme: str) -> Classes:
    """Return the classes of a scheme.

    >>> classes_of("gpt4o").listed, len(classes_of("gpt4o-uniscript").listed) > 20
    ((), True)
    """
    lead = minus(complement(category("L", "N")), characters("\r\n"))
    caseless = category("Lm", "Lo", "M")
    words = complement(())
    listed: Ranges = ()
    trailing: Ranges = ()
    if scheme == "gpt4o-uniscript":
        taken_out = union(scripts(*LISTED_SCRIPTS), JAPANESE_COMMON)
        words = complement(taken_out)
        listed = both(category("L"), taken_out)
        trailing = both(category("M"), scripts("Common", "Inherited", *LISTED_SCRIPTS))
    return Classes(
        lead,
        both(category("Lu", "Lt"), words),
        both(category("Ll"), words),
        both(caseless, words),
        listed,
        trailing,
    )


@cache
def _word_pattern(scheme: str) -> re.Pattern[str]:
    """Return what matches a word, the kind being the name of the group that takes part."""
    quote = contraction(scheme, format_set)
    letters = format_set(category("L"))
    if scheme == "gpt2":
        return re.compile(f"(?P<contraction>{quote})|(?P<letters> ?{letters}+)")
    classes = classes_of(scheme)
    lead = f"{format_set(classes.lead)}?"
    if scheme == "gpt4":
        return re.compile(f"(?P<contraction>{quote})|(?P<letters>{lead}{letters}+)")
    upper, lower, caseless = (
        format_set(part) for part in (classes.upper, classes.lower, classes.caseless)
    )
    first = format_set(union(classes.upper, classes.caseless))
    second = format_set(union(classes.lower, classes.caseless))
    word = format_set(union(classes.upper, classes.lower, classes.caseless))
    parts = [
        f"(?P<contraction>{lead}{word}+{quote})",
        f"(?P<lower>{lead}{first}*{lower}{second}*)",
        f"(?P<caseless>{lead}{first}*{caseless})",
        f"(?P<upper>{lead}{upper}+)",
    ]
    if classes.listed:
        parts.insert(
            0, f"(?P<listed> ?{format_set(classes.listed)}{format_set(classes.trailing)}*)"
        )
    return re.compile("|".join(parts))
