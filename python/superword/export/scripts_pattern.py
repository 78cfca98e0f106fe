r"""The scheme `gpt4o-scripts` as one regular expression, for Oniguruma alone (SPEC 3.1, 3.2).

A chunk ends behind a real or Inherited character where the next real one, behind Common alone, has
another script than the last real one before. To see that, a pattern must look behind through any
number of Common and Inherited characters, which no other engine can; and where it looks there is
quadratic in the length of such a stretch.

So five alternatives come first that need not look, because what they match cannot be cut and ends
by itself: words of one script, letters of the listed scripts, and numbers, other characters and
white space that are Common. All else is for the last part, in which every step asks whether a cut
is there.
"""

from __future__ import annotations

from functools import cache

from superword.export.code_points import both, category, characters, class_of, minus, scripts
from superword.export.dialects import call, definition
from superword.export.uniscript_pattern import CONTRACTION
from superword.reference.patterns import LISTED_SCRIPTS, complement, union
from superword.reference.unicode import SCRIPT, WHITE_SPACE, Ranges

_END = "\\z"
_LETTERS = category("L")
_MARKS = category("M")
_NUMBERS = category("N")
_CAPITALS = category("Lu", "Lt")
_CASELESS = union(category("Lm", "Lo"), _MARKS)
_UPPER = union(_CAPITALS, _CASELESS)
_LOWER = union(category("Ll"), _CASELESS)
_WORD = union(_LETTERS, _MARKS)
_OTHER = complement(union(_LETTERS, _NUMBERS, WHITE_SPACE))
_PREFIX = complement(union(_LETTERS, _NUMBERS, characters("\r\n")))
_COMMON = scripts("Common")
_SHARED = scripts("Common", "Inherited")
_REAL = complement(_SHARED)
_LISTED = scripts(*LISTED_SCRIPTS)
_LINE_ENDS = "[\\n\\r]"

# What is called by name; the names of sets and conditions
_SETS: dict[str, Ranges] = {
    "common": _COMMON,
    "shared": _SHARED,
    "real": _REAL,
    "letter": _LETTERS,
    "mark": _MARKS,
    "number": _NUMBERS,
    "upper": _UPPER,
    "lower": _LOWER,
    "word": _WORD,
    "other": _OTHER,
    "prefix": _PREFIX,
}


@cache
def scripts_pattern() -> str:
    """Return the one pattern of `gpt4o-scripts`, for Oniguruma.

    >>> scripts_pattern()[:10]
    '(?<common>'

    Source: SPEC 3.1, 3.2.
    """
    definitions = [definition(name, class_of(ranges)) for name, ranges in _SETS.items()]
    definitions += [definition("joined", _joined()), definition("listed", _listed())]
    return "".join(definitions) + "|".join([*_without_cuts(), *_with_cuts()])


def _joined() -> str:
    """Return the condition that no chunk ends here; the cheap reasons come first."""
    common, shared, real = call("common"), call("shared"), call("real")
    same = "|".join(
        f"{own}(?<={own}{shared}*{own})"
        for own in map(class_of, (SCRIPT[name] for name in _real_scripts()))
    )
    # atomic: one reason is enough, and where a word gives letters back no other is sought
    return f"(?>(?<={common})|(?!{common}*+{real})|(?<!{real}{shared}*)|(?={common}*+(?:{same})))"


def _listed() -> str:
    """Return the condition that the chunk here is of a listed script.

    It is that of the next real character if Common alone stands before it, otherwise that of the
    last one, and if there is none, that of the first one.
    """
    common, shared, real = call("common"), call("shared"), call("real")
    inherited, listed = class_of(scripts("Inherited")), class_of(_LISTED)
    return (
        f"(?={common}*+(?:{listed}|(?={inherited}|{_END})"
        f"(?:(?<={listed}{shared}*)|(?<!{real}{shared}*)(?={shared}*{listed}))))"
    )


def _real_scripts() -> list[str]:
    return [name for name in SCRIPT if name not in ("Common", "Inherited")]


def _without_cuts() -> list[str]:
    """Return the alternatives that need not look for cuts."""
    space = class_of(WHITE_SPACE)
    common_number = class_of(both(_NUMBERS, _COMMON))
    common_other = class_of(both(_OTHER, _COMMON))
    no_word = f"(?!{class_of(_PREFIX)}?{class_of(_WORD)})"
    # white space that is not Common: where it is, a chunk may end
    real_space = class_of(both(WHITE_SPACE, _REAL))
    words = [_word(name) for name in _real_scripts() if name not in LISTED_SCRIPTS]
    prefix = class_of(minus(both(_PREFIX, _COMMON), _MARKS))
    return [
        f"{prefix}?(?:{'|'.join(filter(None, words))})",
        f" ?(?:{'|'.join(map(_listed_letter, LISTED_SCRIPTS))})(?!{call('mark')})",
        f"{common_number}{{3}}|{common_number}{{1,2}}(?!{call('number')})",
        f"{no_word} ?{common_other}+(?!{call('other')})[\\n\\r\\x2F]*",
        f"{no_word}(?! ?{call('other')}|{space}*{real_space})(?:{_spaces(space)})",
    ]


def _word(name: str) -> str:
    """Return the words of a script that end before another letter or mark."""
    within = scripts(name)
    own = both(_WORD, within)
    if not own:
        return ""
    stop = class_of(both(_WORD, _SHARED))
    lower, capitals = both(_LOWER, within), both(_CAPITALS, within)
    small = both(category("Ll"), within)
    if own == lower:
        words = f"{class_of(own)}++(?!{stop})"
    else:
        # nothing is given back: where a part could end earlier, another letter follows
        words = (
            f"(?:{class_of(capitals)}*+{class_of(small)}{class_of(lower)}*+(?!{stop})"
            f"|{class_of(capitals)}++(?!{class_of(union(lower, both(_WORD, _SHARED)))})"
            f"|{class_of(lower)}++(?!{class_of(union(capitals, both(_WORD, _SHARED)))}))"
        )
    return words + CONTRACTION if name == "Latin" else words


def _listed_letter(name: str) -> str:
    within = scripts(name)
    marks = both(_MARKS, within)
    return class_of(both(_LETTERS, within)) + (f"{class_of(marks)}*" if marks else "")


def _spaces(space: str) -> str:
    return f"{space}*{_LINE_ENDS}+|{space}+(?!{class_of(complement(WHITE_SPACE))})|{space}+"


def _with_cuts() -> list[str]:
    """Return the alternatives of SPEC 3.2 with the question for a cut at each step."""
    joined = call("joined")
    letter, mark, number = call("letter"), call("mark"), call("number")
    upper, lower, other, prefix = call("upper"), call("lower"), call("other"), call("prefix")
    space = class_of(WHITE_SPACE)
    # between the two letters of a contraction is no cut: both are Latin
    before = f"(?:{prefix}{joined})?"
    after = CONTRACTION.replace("(?:'", f"(?:{joined}'{joined}", 1)
    both_parts = f"{before}(?:{upper}{joined})*{lower}(?:{joined}{lower})*{after}"
    capitals = f"{before}{upper}(?:{joined}{upper})*(?:{joined}{lower})*{after}"
    is_word = f"(?={prefix}?{call('word')})"
    listed = call("listed")
    run = f"{space}(?:{joined}{space})*"
    return [
        f"{is_word}(?:(?={listed})(?: {joined})?{letter}(?:{joined}{mark})*"
        f"|(?!{listed})(?:{both_parts}|{capitals}))",
        f"{number}(?:{joined}{number}){{0,2}}",
        f"(?: {joined})?{other}(?:{joined}{other})*(?:{joined}[\\n\\r\\x2F])*",
        f"(?:{space}{joined})*{_LINE_ENDS}(?:{joined}{_LINE_ENDS})*",
        f"{run}(?:(?!{class_of(complement(WHITE_SPACE))})|(?!{joined}))",
        run,
    ]
