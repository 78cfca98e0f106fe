"""Properties of code points, and chunks of one script (SPEC sections 2 and 3.1)."""

from __future__ import annotations

from collections.abc import Mapping

from superword.reference.unicode import (
    EXTENDED_PICTOGRAPHIC,
    GENERAL_CATEGORY,
    SCRIPT,
    WHITE_SPACE,
    Ranges,
)

_COMMON, _INHERITED, _UNKNOWN = "Common", "Inherited", "Unknown"
_CODE_POINTS = 0x110000


def _per_code_point(names: list[str], ranges_of: Mapping[str, Ranges]) -> bytes:
    """Return one byte a code point: the index in `names`; the first name is the default."""
    table = bytearray(_CODE_POINTS)
    for index, name in enumerate(names):
        for first, last in ranges_of.get(name, ()):
            table[first : last + 1] = bytes([index]) * (last + 1 - first)
    return bytes(table)


_CATEGORIES = ["Cn", *GENERAL_CATEGORY]
_SCRIPTS = [_UNKNOWN, *SCRIPT]
_CATEGORY_OF = _per_code_point(_CATEGORIES, GENERAL_CATEGORY)
_SCRIPT_OF = _per_code_point(_SCRIPTS, SCRIPT)
_WHITE_SPACE_AT = _per_code_point(["", "yes"], {"yes": WHITE_SPACE})
_PICTOGRAPHIC_AT = _per_code_point(["", "yes"], {"yes": EXTENDED_PICTOGRAPHIC})


def classify(first: int, last: int) -> list[tuple[str, str, bool, bool]]:
    """Return the properties of the scalar values from `first` to `last` (both included).

    Each is (general category, script, White_Space, Extended_Pictographic); surrogates are left
    out. SPEC section 2.

    >>> classify(0x2604, 0x2605)
    [('So', 'Common', False, True), ('So', 'Common', False, False)]
    """
    return [
        (
            _CATEGORIES[_CATEGORY_OF[code]],
            _SCRIPTS[_SCRIPT_OF[code]],
            bool(_WHITE_SPACE_AT[code]),
            bool(_PICTOGRAPHIC_AT[code]),
        )
        for code in range(first, min(last, _CODE_POINTS - 1) + 1)
        if not 0xD800 <= code <= 0xDFFF
    ]


def script_of(char: str) -> str:
    """Return the script of a character by its long name; Unknown counts as Common.

    >>> script_of("a"), script_of("1"), script_of(chr(0xE000))
    ('Latin', 'Common', 'Common')
    """
    script = _SCRIPTS[_SCRIPT_OF[ord(char)]]
    return _COMMON if script == _UNKNOWN else script


def is_real(script: str) -> bool:
    """Tell whether a script is a real one: neither Common nor Inherited.

    >>> is_real("Latin"), is_real("Inherited")
    (True, False)
    """
    return script not in (_COMMON, _INHERITED)


def split_scripts(text: str) -> list[tuple[str, str]]:
    """Cut a text into chunks of one script: (script, chunk).

    Common goes with the chunk that follows, Inherited stays with what stands before it; the
    script is Common or Inherited where a text has no real one. SPEC section 3.1.

    >>> split_scripts("one, два")
    [('Latin', 'one'), ('Cyrillic', ', два')]
    """
    scripts = {char: script_of(char) for char in set(text)}
    if text and len(set(filter(is_real, scripts.values()))) < 2:  # nothing to cut
        script = next(filter(is_real, scripts.values()), scripts[text[0]])
        return [(script, text)]
    chunks = []
    start = firm = 0
    current = ""
    for at, char in enumerate(text):
        script = scripts[char]
        if script == current:
            firm = at + 1
        elif script == _INHERITED:
            current = current or _INHERITED
            firm = at + 1
        elif script == _COMMON:
            current = current or _COMMON
        else:
            if current and is_real(current):
                chunks.append((current, text[start:firm]))
                start = firm
            current = script
            firm = at + 1
    if text:
        chunks.append((current, text[start:]))
    return chunks
