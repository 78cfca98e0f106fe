r"""The scheme `gpt4o-uniscript` as one regular expression that looks behind nothing (SPEC 3.4).

A pretoken holds characters of one real script and of Common and Inherited, which are called shared
here. The first real character decides which script it is. So each alternative of the scheme
becomes one alternative for each script, in which only that script and shared characters stand;
what comes before the first real character holds shared characters alone and is matched once for
all scripts.

For words of two parts, capitals and others (U) and small letters and others (L), with s and r for
shared and real, that is: `Us* (Ur U* L+ | Lr L*)`, `Us* ls Ls* Lr L*` (ls: a shared small letter,
so the second part has begun), `Us* Ls+` without a real letter, and the same for capitals alone.

Marks are never taken as the optional character before a word: they are letters of it already. Only
marks of listed scripts are not, and only shared letters can follow those.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from superword.export.code_points import both, category, characters, class_of, minus, scripts
from superword.export.dialects import Dialect, call, definition
from superword.export.gaps import across, run, same_behind
from superword.reference.patterns import JAPANESE_COMMON, LISTED_SCRIPTS, complement, union
from superword.reference.unicode import SCRIPT, WHITE_SPACE, Ranges

# Their words are tried first, and with one set instead of two.
_FREQUENT = ("Latin", "Cyrillic", "Arabic", "Greek", "Hebrew", "Devanagari", "Hangul", "Bengali")
_CONTRACTION = "(?:'(?:[DMSTdmst\u017f]|[Rr][Ee]|[Vv][Ee]|[Ll][Ll]))?"


class Pattern(NamedTuple):
    """A pattern in two parts: what calls need at the front, and the alternatives."""

    definitions: str
    main: str


class Classes(NamedTuple):
    """What one script, or all that is shared, has of each class of SPEC 3.4."""

    capitals: Ranges  # letters with a capital's case: Lu, Lt
    upper: Ranges  # what the first part of a word holds: capitals and what has no case
    lower: Ranges  # what the second part holds: small letters and what has no case
    numbers: Ranges
    marks: Ranges
    other: Ranges  # neither white space, nor a letter, nor a number
    prefixes: Ranges  # what may stand before a word, without marks and line ends

    @property
    def word(self) -> Ranges:
        """All letters and marks that words hold."""
        return union(self.upper, self.lower)


@cache
def classes(*names: str) -> Classes:
    """Return what the characters of these scripts have of each class."""
    within = scripts(*names)
    marks = both(category("M"), within)
    listed = union(scripts(*LISTED_SCRIPTS), JAPANESE_COMMON)
    word = minus(within, listed)
    caseless = union(category("Lm", "Lo"), category("M"))
    no_letter_or_number = minus(within, category("L", "N"))
    return Classes(
        capitals=both(category("Lu", "Lt"), word),
        upper=both(union(category("Lu", "Lt"), caseless), word),
        lower=both(union(category("Ll"), caseless), word),
        numbers=both(category("N"), within),
        marks=marks,
        other=minus(no_letter_or_number, WHITE_SPACE),
        prefixes=minus(no_letter_or_number, union(marks, characters("\r\n"))),
    )


@cache
def uniscript_pattern(dialect: Dialect) -> Pattern:
    r"""Return the one pattern of `gpt4o-uniscript`, to be joined as `definitions + main`.

    >>> pattern = uniscript_pattern("oniguruma")
    >>> pattern.definitions[:9], pattern.main[:5]
    ('(?<upper>', ' ?(?:')

    Source: SPEC 3.4.
    """
    return _Builder(dialect).pattern()


class _Builder:
    """Spells the alternatives in one dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self.calls = dialect != "javascript"  # JavaScript cannot call a part by its name
        self.possessive = "+" if self.calls else ""
        self.shared = classes("Common", "Inherited")
        names = [name for name in SCRIPT if name not in ("Common", "Inherited")]
        self.real = {name: classes(name) for name in names}
        frequent = [name for name in _FREQUENT if name in names]
        self.words = frequent + [n for n in names if self.real[n].word and n not in frequent]
        # Without calls, scripts that have no case share what stands between their letters.
        self.inline = {
            name
            for name in self.words
            if self.calls or self.real[name].upper != self.real[name].lower
        }

    def pattern(self) -> Pattern:
        """Return the whole."""
        shared = self.shared
        prefix = class_of(shared.prefixes)
        some = self.possessive
        letter = class_of(union(shared.word, *(own.word for own in self.real.values())))
        alternatives = [
            self.letters(),
            f"{prefix}?(?:{self.frequent_words()})",
            f"(?:{prefix}|{self.real_prefixes()})?{some}(?={letter})(?:{self.any_words()})",
            self.shared_words(),
            self.numbers(),
            self.others(),
            self.spaces(),
        ]
        kinds = ("upper", "lower", "word", "numbers", "other")
        definitions = [definition(kind, class_of(getattr(shared, kind))) for kind in kinds]
        return Pattern("".join(definitions) if self.calls else "", "|".join(alternatives))

    def also(self, own: Ranges, kind: str) -> str:
        """Return one character of `own` or of what shared characters have of a class."""
        shared: Ranges = getattr(self.shared, kind)
        if not self.calls:
            return class_of(union(own, shared))
        return f"(?:{class_of(own)}|{call(kind)})" if own else call(kind)

    def words_of(self, name: str, inline: bool) -> str:
        """Return the words of a script that begin with a real letter, second part included."""
        own = self.real[name]
        if inline:
            upper = class_of(union(own.upper, self.shared.upper))
            lower = class_of(union(own.lower, self.shared.lower))
        else:
            upper, lower = self.also(own.upper, "upper"), self.also(own.lower, "lower")
        if own.upper == own.lower:
            return f"{class_of(own.upper)}(?:{upper}*{lower}+)?"
        both_parts = f"{class_of(own.upper)}{upper}*{lower}+"
        small = f"{class_of(own.lower)}{lower}*"
        return self.contracted(name, f"{both_parts}|{small}")

    def contracted(self, name: str | None, words: str) -> str:
        """Return words with what may follow them; it is of the Latin script."""
        if name not in ("Latin", None):
            return words
        return f"(?:{words}){_CONTRACTION}"

    def capitals_of(self, name: str) -> str:
        """Return the words of capitals alone that begin with a real one."""
        own = self.real[name].capitals
        capitals = class_of(union(own, self.shared.capitals))
        return self.contracted(name, f"{class_of(own)}{capitals}*")

    def frequent_words(self) -> str:
        """Return the words that begin with a real letter of a frequent script."""
        parts = []
        for name in self.words[: len(_FREQUENT)]:
            parts.append(self.words_of(name, True))
            if self.real[name].capitals:
                parts.append(self.capitals_of(name))
        return "|".join(parts)

    def any_words(self) -> str:
        """Return the words of every script, and those without a real letter."""
        upper, lower = class_of(self.shared.upper), class_of(self.shared.lower)
        some = self.possessive
        small = class_of(minus(self.shared.lower, self.shared.upper))
        capitals = class_of(self.shared.capitals)
        cased = [name for name in self.words if self.real[name].capitals]
        first = [self.words_of(name, False) for name in self.words if name in self.inline]
        second = [
            self.contracted(name, f"{class_of(own)}{self.also(own, 'lower')}*")
            for name in self.words
            if name in self.inline and (own := self.real[name].lower)
        ]
        if not self.calls:
            sets = [class_of(self.real[n].word) for n in self.words if n not in self.inline]
            mixed = f"{upper}*{small}{lower}*"
            first.append(
                f"{run(sets)}(?:{across(sets, f'{upper}+', 'a')})*"
                f"(?:{across(sets, mixed, 'b')}(?:{across(sets, f'{lower}+', 'c')})*{lower}*"
                f"|(?:{upper}*{lower}+)?)"
            )
            second.append(f"{run(sets)}(?:{across(sets, f'{lower}+', 'd')})*{lower}*")
        real = class_of(union(*(self.real[name].word for name in self.words)))
        real_capital = class_of(union(*(self.real[name].capitals for name in cased)))
        alternatives = (
            f"{upper}*{some}(?={real})(?:{'|'.join(first)})",
            f"{upper}*{some}{small}{lower}*{some}(?={real})(?:{'|'.join(second)})",
            self.contracted(None, f"{upper}*{lower}+"),
            f"{capitals}*{some}(?={real_capital})(?:{'|'.join(map(self.capitals_of, cased))})",
            self.contracted(None, f"{capitals}+"),
        )
        return "|".join(alternatives)

    def real_prefixes(self) -> str:
        """Return a real character that may stand before a word, if its script is the word's."""
        letters = f"{self.also((), 'word')}*{self.possessive}"
        pairs = [
            (class_of(own.prefixes), class_of(own.word))
            for own in self.real.values()
            if own.prefixes and own.word
        ]
        any_prefix = class_of(union(*(own.prefixes for own in self.real.values())))
        if not self.calls:
            return f"(?={any_prefix}){same_behind(pairs, letters, 'e')}"
        parts = (f"{prefixes}(?={letters}{word})" for prefixes, word in pairs)
        return f"(?={any_prefix})(?:{'|'.join(parts)})"

    def shared_words(self) -> str:
        """Return a real character that may stand before a word, and shared letters."""
        listed = scripts(*LISTED_SCRIPTS)
        marks = both(listed, category("M"))
        prefixes = union(marks, *(own.prefixes for own in self.real.values()))
        upper, lower = class_of(self.shared.upper), class_of(self.shared.lower)
        return f"{class_of(prefixes)}(?:{upper}*{lower}+|{upper}+)"

    def letters(self) -> str:
        """Return alternative 1: a letter of a listed script, or of Japanese, and its marks."""
        shared = class_of(self.shared.marks)
        listed = {name: both(scripts(name), category("L")) for name in LISTED_SCRIPTS}
        with_marks = [name for name in LISTED_SCRIPTS if self.real[name].marks]
        without = union(*(listed[name] for name in LISTED_SCRIPTS if name not in with_marks))
        marks = {name: self.real[name].marks for name in with_marks}
        more = {name: class_of(union(marks[name], self.shared.marks)) for name in with_marks}
        first = "|".join(f"{class_of(marks[name])}{more[name]}*" for name in with_marks)
        parts = [f"{class_of(without)}{shared}*"]
        parts += [f"{class_of(listed[name])}{more[name]}*" for name in with_marks]
        parts.append(f"{class_of(JAPANESE_COMMON)}{shared}*(?:{first})?")
        return f" ?(?:{'|'.join(parts)})"

    def numbers(self) -> str:
        """Return alternative 4: up to three numbers."""
        shared = class_of(self.shared.numbers)
        real = [own.numbers for own in self.real.values() if own.numbers]
        any_real = class_of(union(*real))
        three = "|".join(f"{class_of(own)}{self.also(own, 'numbers')}{{0,2}}" for own in real)
        two = "|".join(f"{class_of(own)}{self.also(own, 'numbers')}?" for own in real)
        return (
            f"{shared}{{3}}|{shared}{{2}}{any_real}|{shared}(?={any_real})(?:{two})"
            f"|{shared}{{1,2}}|(?={any_real})(?:{three})"
        )

    def others(self) -> str:
        """Return alternative 5: what is neither a letter, nor a number, nor white space."""
        shared = class_of(self.shared.other)
        real = [own.other for own in self.real.values() if own.other]
        any_real = class_of(union(*real))
        if self.calls:
            runs = "|".join(f"{class_of(own)}{self.also(own, 'other')}*" for own in real)
        else:
            sets = [class_of(own) for own in real]
            runs = f"{run(sets)}(?:{across(sets, f'{shared}+', 'f')})*{shared}*"
        begin = f"(?:{shared}|(?={any_real})){shared}*"
        return f" ?{begin}{self.possessive}(?:(?={any_real})(?:{runs}))?[\\n\\r\\x2F]*"

    def spaces(self) -> str:
        """Return alternative 6: white space, seen with what follows it."""
        white = class_of(WHITE_SPACE)
        return f"{white}*[\\n\\r]+|{white}+(?!{class_of(complement(WHITE_SPACE))})|{white}+"
