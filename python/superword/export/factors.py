"""Which texts can stand inside one pretoken of a scheme (SPEC 3.2, 3.4)."""

from __future__ import annotations

import re
from functools import cache

from superword.export.tails import classes_of, contraction
from superword.reference.patterns import expand_pattern, format_set, union
from superword.reference.scripts import is_real, script_of


def in_one_pretoken(text: str, scheme: str) -> bool:
    """Tell whether some pretoken could hold this text, anywhere in it.

    It errs on the side of yes: of the pattern only the classes and their order are heeded.

    >>> in_one_pretoken("ing", "gpt4o"), in_one_pretoken("g the", "gpt4o")
    (True, False)
    >>> in_one_pretoken("don't", "gpt4o"), in_one_pretoken("don't", "gpt2")
    (True, False)
    >>> in_one_pretoken("aя", "gpt4o"), in_one_pretoken("aя", "gpt4o-uniscript")
    (True, False)
    """
    if scheme == "gpt4o-uniscript" and len(set(filter(is_real, map(script_of, text)))) > 1:
        return False
    return _parts(scheme).fullmatch(text) is not None


@cache
def _parts(scheme: str) -> re.Pattern[str]:
    """Return what matches the parts of pretokens."""
    # a contraction that is cut off behind: its letters alone are those of a word
    quote = f"(?:{contraction(scheme, format_set)}|'(?i:[rvl])?)"
    others = expand_pattern(r" ?\p{N}*| ?[^\s\p{L}\p{N}]*[\r\n/]*|\s*")
    if scheme == "gpt2":
        words = expand_pattern(r" ?\p{L}*")
        return re.compile(f"{quote}|{words}|{others}")
    if scheme == "gpt4":
        words = expand_pattern(r"[^\r\n\p{L}\p{N}]?\p{L}*")
        return re.compile(f"{quote}|{words}|{others}")
    classes = classes_of(scheme)
    lead = format_set(classes.lead)
    first = format_set(union(classes.upper, classes.caseless))
    second = format_set(union(classes.lower, classes.caseless))
    parts = [f"{lead}?{first}*{second}*{quote}?", others]
    if classes.listed:
        parts.append(f" ?{format_set(classes.listed)}?{format_set(classes.trailing)}*")
    return re.compile("|".join(parts))
