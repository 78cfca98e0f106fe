r"""The scheme `gpt4o-uniscript` as one regular expression, the same for every dialect (SPEC 3.4).

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

Calls by name would make it smaller, but JavaScript has none, and fancy-regex only since tiktoken
0.14. Instead `gaps` matches what stands between two characters of one script once for all scripts.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from superword.export.code_points import both, category, characters, class_of, minus, scripts
from superword.export.gaps import across, run, same_behind
from superword.reference.patterns import JAPANESE_COMMON, LISTED_SCRIPTS, complement, union
from superword.reference.unicode import SCRIPT, WHITE_SPACE, Ranges

# Their words are tried first, then those of the next.
_FREQUENT = ("Latin", "Cyrillic", "Arabic", "Greek", "Hebrew", "Devanagari", "Hangul", "Bengali")
_NEXT = (
    *("Georgian", "Armenian"),
    *("Tamil", "Telugu", "Gujarati", "Kannada", "Malayalam", "Gurmukhi", "Oriya", "Sinhala"),
    *("Ethiopic", "Tibetan"),
)
_NO_SCRIPT = ""  # of words that hold shared letters alone
#: What may follow a word of Latin or shared letters.
CONTRACTION = "(?:'(?:[DMSTdmst\u017f]|[Rr][Ee]|[Vv][Ee]|[Ll][Ll]))?"


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
def uniscript_pattern() -> str:
    r"""Return the one pattern of `gpt4o-uniscript`: the same text for every dialect.

    >>> uniscript_pattern()[:5]
    ' ?(?:'

    Source: SPEC 3.4.
    """
    prefix = class_of(_shared().prefixes)
    letter = class_of(union(_shared().word, *(own.word for own in _real().values())))
    return "|".join(
        [
            _listed_letters(),
            f"{prefix}?(?:{_frequent_words()})",
            f"(?:{prefix}|{_real_prefixes()})?(?={letter})(?:{_any_words()})",
            _shared_words(),
            _numbers(),
            _others(),
            _spaces(),
        ]
    )


def _shared() -> Classes:
    return classes("Common", "Inherited")


@cache
def _real() -> dict[str, Classes]:
    """Return the classes of each real script, the frequent ones first."""
    first = (*_FREQUENT, *_NEXT)
    others = sorted(set(SCRIPT) - {"Common", "Inherited", *first})
    return {name: classes(name) for name in (*first, *others)}


def _both_parts(name: str) -> str:
    """Return the words of a script that begin with a real letter and have a second part."""
    own = _real()[name]
    upper = class_of(union(own.upper, _shared().upper))
    lower = class_of(union(own.lower, _shared().lower))
    if own.upper == own.lower:
        return f"{class_of(own.upper)}(?:{upper}*{lower}+)?"
    words = f"{class_of(own.upper)}{upper}*{lower}+|{class_of(own.lower)}{lower}*"
    return _contracted(name, words)


def _second_part(name: str) -> str:
    """Return what begins with a real letter of the second part of a word."""
    own = _real()[name].lower
    return _contracted(name, f"{class_of(own)}{class_of(union(own, _shared().lower))}*")


def _capitals(name: str) -> str:
    """Return the words of capitals alone that begin with a real one."""
    own = _real()[name].capitals
    return _contracted(name, f"{class_of(own)}{class_of(union(own, _shared().capitals))}*")


def _contracted(name: str, words: str) -> str:
    """Return words with what may follow them in Latin, the script of its letters."""
    return f"(?:{words}){CONTRACTION}" if name in ("Latin", _NO_SCRIPT) else words


def _frequent_words() -> str:
    """Return the words that begin with a real letter of a frequent script."""
    parts = []
    for name in _FREQUENT:
        parts.append(_both_parts(name))
        if _real()[name].capitals:
            parts.append(_capitals(name))
    return "|".join(parts)


def _any_words() -> str:
    """Return the words of every script, and those without a real letter."""
    shared = _shared()
    upper, lower, capitals = map(class_of, (shared.upper, shared.lower, shared.capitals))
    small = class_of(minus(shared.lower, shared.upper))
    # the frequent ones last: they are here only behind shared letters
    names = (*list(_real())[len(_FREQUENT) :], *_FREQUENT)
    cased = [name for name in names if _real()[name].upper != _real()[name].lower]
    # in a script without case all letters are alike, and only shared ones can begin the second part
    without = [name for name in names if _real()[name].word and name not in cased]
    alike = [class_of(_real()[name].word) for name in without]
    first = [
        *(_both_parts(name) for name in cased if name in _NEXT),
        f"{run(alike)}(?:{across(alike, f'{upper}+', 'gap1')})*"
        f"(?:{across(alike, f'{upper}*{small}{lower}*', 'gap2')}"
        f"(?:{across(alike, f'{lower}+', 'gap3')})*{lower}*|(?:{upper}*{lower}+)?)",
        *(_both_parts(name) for name in cased if name not in _NEXT),
    ]
    second = [
        *map(_second_part, cased),
        f"{run(alike)}(?:{across(alike, f'{lower}+', 'gap4')})*{lower}*",
    ]
    real = class_of(union(*(own.word for own in _real().values())))
    real_capital = class_of(union(*(own.capitals for own in _real().values())))
    alternatives = (
        f"{upper}*(?={real})(?:{'|'.join(first)})",
        f"{upper}*{small}{lower}*(?={real})(?:{'|'.join(second)})",
        _contracted(_NO_SCRIPT, f"{upper}*{lower}+"),
        f"{capitals}*(?={real_capital})(?:{'|'.join(map(_capitals, cased))})",
        _contracted(_NO_SCRIPT, f"{capitals}+"),
    )
    return "|".join(alternatives)


def _real_prefixes() -> str:
    """Return a real character that may stand before a word, if its script is the word's."""
    pairs = [
        (class_of(own.prefixes), class_of(own.word))
        for own in _real().values()
        if own.prefixes and own.word
    ]
    any_prefix = class_of(union(*(own.prefixes for own in _real().values())))
    return same_behind(pairs, any_prefix, f"{class_of(_shared().word)}*", "gap5")


def _shared_words() -> str:
    """Return a real character that may stand before a word, and shared letters."""
    marks = both(scripts(*LISTED_SCRIPTS), category("M"))
    prefixes = union(marks, *(own.prefixes for own in _real().values()))
    upper, lower = class_of(_shared().upper), class_of(_shared().lower)
    return f"{class_of(prefixes)}(?:{upper}*{lower}+|{upper}+)"


def _listed_letters() -> str:
    """Return alternative 1: a letter of a listed script, or of Japanese, and its marks."""
    shared = _shared().marks
    letters = {name: both(scripts(name), category("L")) for name in LISTED_SCRIPTS}
    marks = {name: _real()[name].marks for name in LISTED_SCRIPTS if _real()[name].marks}
    alone = union(*(letters[name] for name in LISTED_SCRIPTS if name not in marks))
    more = {name: class_of(union(own, shared)) for name, own in marks.items()}
    first_marks = "|".join(f"{class_of(own)}{more[name]}*" for name, own in marks.items())
    parts = [
        f"{class_of(alone)}{class_of(shared)}*",
        *(f"{class_of(letters[name])}{more[name]}*" for name in marks),
        f"{class_of(JAPANESE_COMMON)}{class_of(shared)}*(?:{first_marks})?",
    ]
    return f" ?(?:{'|'.join(parts)})"


def _numbers() -> str:
    """Return alternative 4: up to three numbers."""
    shared = class_of(_shared().numbers)
    sets = [class_of(own.numbers) for own in _real().values() if own.numbers]
    real = class_of(union(*(own.numbers for own in _real().values())))
    two = "|".join(f"{own}{{2}}" for own in sets)
    three = "|".join(f"{own}{{3}}" for own in sets)
    around = "|".join(f"{own}\\k<gap6>{own}" for own in sets)
    return (
        f"{shared}{{3}}|{shared}{{2}}{real}|{shared}(?={real})(?:{two}|{real}{shared}?)"
        f"|{shared}{{1,2}}|(?={real})(?:{three}|(?:{two}){shared}?"
        f"|(?={real}(?<gap6>{shared}))(?:{around})|{real}{shared}{{0,2}})"
    )


def _others() -> str:
    """Return alternative 5: what is neither a letter, nor a number, nor white space."""
    shared = class_of(_shared().other)
    sets = [class_of(own.other) for own in _real().values() if own.other]
    real = class_of(union(*(own.other for own in _real().values())))
    runs = f"{run(sets)}(?:{across(sets, f'{shared}+', 'gap7')})*{shared}*"
    return f" ?(?:{shared}|(?={real})){shared}*(?:(?={real}){runs})?[\\n\\r\\x2F]*"


def _spaces() -> str:
    """Return alternative 6: white space, seen with what follows it."""
    white = class_of(WHITE_SPACE)
    return f"{white}*[\\n\\r]+|{white}+(?!{class_of(complement(WHITE_SPACE))})|{white}+"
