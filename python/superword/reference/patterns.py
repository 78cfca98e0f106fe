"""The named patterns, and their classes as explicit ranges (SPEC sections 3.2 and 3.4).

An engine never sees a class by name: engines disagree about more than 17,000 code points.
"""

from __future__ import annotations

from collections.abc import Iterable

from superword.reference.unicode import GENERAL_CATEGORY, SCRIPT, WHITE_SPACE, Ranges

NAMED_PATTERNS = {
    "gpt2": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "gpt4": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}"
        r"| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
    ),
    "gpt4o": (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "gpt4o-script": (
        r" ?\p{L}\p{M}*|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}
# The scripts that are cut letter by letter.
LISTED_SCRIPTS = ("Han", "Hiragana", "Katakana", "Thai", "Myanmar", "Khmer", "Lao")
# Japanese letters whose script is Common.
JAPANESE_COMMON: Ranges = (
    (0x3006, 0x3006),
    (0x3031, 0x3035),
    (0x303C, 0x303C),
    (0x30FC, 0x30FC),
    (0xFF70, 0xFF70),
    (0xFF9E, 0xFF9F),
)
# Simple case folding 17.0 joins one more character to one of the letters of the contractions.
_FOLDS_TO_ASCII = {"s": 0x017F}
_SURROGATES = (0xD800, 0xDFFF)


def expand_pattern(pattern: str) -> str:
    r"""Return a named pattern with every class, set and `(?i:` group as explicit ranges.

    `pattern` is one of `NAMED_PATTERNS` or a part of one: this is no parser of custom patterns.
    SPEC sections 3.2 and 3.3.

    >>> expand_pattern(r"[\r\n]*(?i:'s)")
    "[\\u000A\\u000D]*(?:'[\\u0053\\u0073\\u017F])"
    """
    out = []
    at = 0
    fold = False
    while at < len(pattern):
        char = pattern[at]
        if pattern.startswith("(?i:", at):
            out.append("(?:")
            at += 4
            fold = True
        elif char == "[":
            ranges, at = _read_set(pattern, at, fold)
            out.append(format_set(ranges))
        elif char == "\\" or (fold and _is_ascii_letter(char)):
            ranges, at = _read_item(pattern, at, fold)
            out.append(format_set(ranges))
        else:
            fold = fold and char != ")"
            out.append(char)
            at += 1
    return "".join(out)


def uniscript_patterns() -> tuple[str, str]:
    """Return the two patterns of `gpt4o-uniscript`: alternatives 1 to 5, and 6. SPEC section 3.4.

    >>> uniscript_patterns()[1] == expand_pattern(r"\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+")
    True
    """
    listed = union(*(SCRIPT[name] for name in LISTED_SCRIPTS))
    taken_out = complement(union(listed, JAPANESE_COMMON))
    marks = _category("M")
    letter = format_set(union(intersection(_category("L"), listed), JAPANESE_COMMON))
    trailing = format_set(intersection(marks, union(SCRIPT["Common"], SCRIPT["Inherited"], listed)))
    caseless = union(_category("Lm"), _category("Lo"), marks)
    upper = format_set(intersection(union(_category("Lu"), _category("Lt"), caseless), taken_out))
    lower = format_set(intersection(union(_category("Ll"), caseless), taken_out))
    prefix = expand_pattern(r"[^\r\n\p{L}\p{N}]?")
    contraction = expand_pattern("(?i:'s|'t|'re|'ve|'m|'ll|'d)?")
    rest = expand_pattern(r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*")
    return (
        f" ?{letter}{trailing}*"
        f"|{prefix}{upper}*{lower}+{contraction}"
        f"|{prefix}{upper}+{lower}*{contraction}"
        f"|{rest}",
        expand_pattern(r"\s*[\r\n]+|\s+(?!\S)|\s+"),
    )


def format_set(ranges: Ranges) -> str:
    r"""Return a set of explicit ranges that both engines read alike: nothing in it is special.

    >>> format_set(((0x41, 0x5A), (0x1F600, 0x1F600)))
    '[\\u0041-\\u005A\\U0001F600]'
    """

    def escape(code: int) -> str:
        return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"

    return "".join(
        ["["] + [escape(a) if a == b else f"{escape(a)}-{escape(b)}" for a, b in ranges] + ["]"]
    )


def union(*parts: Ranges) -> Ranges:
    """Return the ranges of what is in any of the parts, ascending.

    >>> union(((5, 7),), ((1, 2), (8, 9)))
    ((1, 2), (5, 9))
    """
    merged: list[tuple[int, int]] = []
    for first, last in sorted(item for part in parts for item in part):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return tuple(merged)


def complement(ranges: Ranges) -> Ranges:
    """Return the ranges of the scalar values that are not in `ranges` (ascending).

    >>> complement(((0, 0xD7FE), (0xE001, 0x10FFFF)))
    ((55295, 55295), (57344, 57344))
    """
    gaps = []
    start = 0
    for first, last in union(ranges, (_SURROGATES,)):
        if start < first:
            gaps.append((start, first - 1))
        start = last + 1
    if start <= 0x10FFFF:
        gaps.append((start, 0x10FFFF))
    return tuple(gaps)


def intersection(left: Ranges, right: Ranges) -> Ranges:
    """Return the ranges of what is in both.

    >>> intersection(((1, 5), (8, 9)), ((4, 8),))
    ((4, 5), (8, 8))
    """
    return complement(union(complement(left), complement(right)))


def _category(name: str) -> Ranges:
    """Return a general category, or the union of those that start with one letter."""
    return union(*_categories(name))


def _categories(name: str) -> Iterable[Ranges]:
    return (ranges for short, ranges in GENERAL_CATEGORY.items() if short.startswith(name))


def _read_set(pattern: str, at: int, fold: bool) -> tuple[Ranges, int]:
    """Read the set that starts at `at`; return its ranges and where it ends."""
    at += 1
    negated = pattern[at] == "^"
    at += negated
    items = []
    while pattern[at] != "]":
        item, at = _read_item(pattern, at, fold)
        items.append(item)
    ranges = union(*items)
    return (complement(ranges) if negated else ranges), at + 1


def _read_item(pattern: str, at: int, fold: bool) -> tuple[Ranges, int]:
    """Read the class or the literal at `at`; return its ranges and where it ends."""
    char = pattern[at]
    if char != "\\":
        codes = {ord(char)}
        if fold and _is_ascii_letter(char):
            codes = {ord(char.lower()), ord(char.upper())}
            codes.update(code for ascii_, code in _FOLDS_TO_ASCII.items() if ascii_ == char)
        return union(tuple((code, code) for code in codes)), at + 1
    kind = pattern[at + 1]
    if kind == "p":
        end = pattern.index("}", at)
        return _category(pattern[at + 3 : end]), end + 1
    classes: dict[str, Ranges] = {
        "s": WHITE_SPACE,
        "S": complement(WHITE_SPACE),
        "r": ((0x0D, 0x0D),),
        "n": ((0x0A, 0x0A),),
    }
    return classes[kind], at + 2


def _is_ascii_letter(char: str) -> bool:
    return "a" <= char <= "z" or "A" <= char <= "Z"
