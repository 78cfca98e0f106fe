"""Patterns as other programs write them: which of them mean what one of ours does.

tiktoken's engine reads a pattern of our grammar as we do, but drops text that no alternative
matches, so only patterns that leave nothing out are taken from there. Oniguruma, the engine of
`tokenizers`, reads some patterns of our grammar otherwise: these are refused. Each engine has the
properties of its own version of Unicode, ours are of 17.0: a character that was assigned in between
may be cut otherwise.
"""

from __future__ import annotations

import contextlib
import re

from superword.errors import ModelFormatError, NotExactError, SettingsError
from superword.export.code_points import minus
from superword.export.dialects import Dialect
from superword.export.named_patterns import pattern_of
from superword.reference.pattern_syntax import parse_pattern
from superword.reference.pattern_tree import (
    POSSESSIVE,
    Choice,
    Node,
    Repeat,
    Sequence,
    Set,
    is_nullable,
)
from superword.reference.patterns import NAMED_PATTERNS
from superword.reference.pretokenize import check_cutting
from superword.reference.unicode import Ranges
from superword.settings import SCHEMES, Cutting

#: Spellings of the pattern of a scheme, beside its own.
_SPELLINGS = {
    # GPT-2's own, and that of r50k and p50k
    r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+""": "gpt2",
    r"""'s|'t|'re|'ve|'m|'ll|'d| ?[\p{L}]+| ?[\p{N}]+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+""": "gpt2",
    (
        r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++"""
        r"""|\s++$|\s+(?!\S)|\s"""
    ): "gpt2",
    # the first one of cl100k, which is Llama 3's
    (
        r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"""
        r"""| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"""
    ): "gpt4",
}
_NAMES = {**{NAMED_PATTERNS[name]: name for name in ("gpt2", "gpt4", "gpt4o")}, **_SPELLINGS}

# Of Oniguruma: `{1,3}+` repeats again, `$` is the end of any line, and a group that ignores case
# takes a ligature for the letters it is made of.
_OTHERWISE = re.compile(r"(?P<interval>\}\+)|(?P<end>\$)|(?P<case>\(\?i:)")
_WHY = {
    "interval": "'}+' repeats once more there, here it gives nothing back",
    "end": "'$' is the end of any line there, here that of the text",
    "case": "'(?i:' takes ligatures for their letters there",
}
# What `tokenizers` takes for a contraction, in any of its spellings: no ligature is among them.
_PART = r"'?(?:\[sdmt\]|s|t|re|ve|m|ll|d)"
_CONTRACTIONS = re.compile(rf"\(\?i:{_PART}(?:\|{_PART})*\)")
_LAST = 0x10FFFF


def cutting_of_tiktoken(pattern: str) -> Cutting:
    r"""How a pattern of tiktoken cuts.

    Args:
        pattern: the pattern.

    Raises:
        ModelFormatError: it is not of our grammar, or may leave out text.

    >>> cutting_of_tiktoken(r"[0-9]|[^0-9]+").pattern
    '[0-9]|[^0-9]+'
    """
    name = _NAMES.get(pattern) or _exported(pattern, ("fancy",))
    if name is not None:
        return Cutting(name)
    cutting = _custom(pattern)
    if not leaves_nothing(parse_pattern(pattern)):
        raise ModelFormatError(
            "the pattern may leave out text, which tiktoken drops and this program does not: end "
            "it with |[^a]|a"
        )
    return cutting


def cutting_of_oniguruma(pattern: str, drops: bool) -> Cutting:
    r"""How a pattern of `tokenizers` cuts.

    Args:
        pattern: the pattern.
        drops: whether text that it leaves out is dropped.

    Raises:
        ModelFormatError: it is not of our grammar, means something else there, or drops text.

    >>> cutting_of_oniguruma(r"[0-9]|[^0-9]+", False).pattern
    '[0-9]|[^0-9]+'
    """
    name = _NAMES.get(pattern) or _exported(pattern, ("oniguruma", "javascript"))
    if name is not None:
        return Cutting(name)
    # (an escaped character is none of these)
    bare = _CONTRACTIONS.sub("", re.sub(r"\\[pP]\{\w+\}|\\.", "x", pattern))
    found = _OTHERWISE.search(bare)
    if found is not None and found.lastgroup is not None:
        raise ModelFormatError(
            f"the pattern means something else to tokenizers: {_WHY[found.lastgroup]}"
        )
    cutting = _custom(pattern)
    if drops and not leaves_nothing(parse_pattern(pattern)):
        raise ModelFormatError("the pattern may leave out text, which is dropped (Removed)")
    return cutting


def _exported(pattern: str, dialects: tuple[Dialect, ...]) -> str | None:
    """The scheme whose pattern our export writes so: with explicit ranges, never classes."""
    if r"\p" in pattern:
        return None
    for scheme in SCHEMES:
        for dialect in dialects:
            with contextlib.suppress(NotExactError):
                if pattern_of(Cutting(scheme), dialect) == pattern:
                    return scheme
    return None


def _custom(pattern: str) -> Cutting:
    cutting = Cutting(None, pattern)
    try:
        check_cutting(cutting)
    except SettingsError as error:
        raise ModelFormatError(f"the pattern cannot be read here: {error}") from None
    return cutting


def leaves_nothing(node: Node) -> bool:
    r"""Whether a pattern surely matches at every character, so that it leaves out no text.

    That is so if for every character some alternative matches that one character, whatever stands
    around it: one set, or a part that repeats it, beside parts that may be empty and give back what
    they took.

    >>> leaves_nothing(parse_pattern(r" ?\S+|\s+(?!\S)|\s+")), leaves_nothing(parse_pattern("a|b"))
    (True, False)
    """
    alternatives = node.parts if isinstance(node, Choice) else (node,)
    covered = sorted(pair for part in alternatives for pair in _sure(part))
    reached = -1
    for first, last in covered:
        if first > reached + 1 and not _are_surrogates(reached + 1, first - 1):
            return False
        reached = max(reached, last)
    return reached >= _LAST


def _are_surrogates(first: int, last: int) -> bool:
    return first >= 0xD800 and last <= 0xDFFF


def _sure(node: Node) -> Ranges:
    """The characters at which an alternative matches, whatever stands around them."""
    parts = node.parts if isinstance(node, Sequence) else (node,)
    needed = [part for part in parts if not is_nullable(part)]
    if len(needed) != 1:
        return ()
    core = needed[0]
    while isinstance(core, Repeat) and core.least == 1:
        core = core.body
    if not isinstance(core, Set):
        return ()
    sure = core.ranges
    before = True
    for part in parts:
        if part is needed[0]:
            before = False
        elif not isinstance(part, Repeat) or part.least > 0:
            return ()
        elif before and part.how == POSSESSIVE:  # it keeps what it takes
            sure = minus(sure, part.body.ranges) if isinstance(part.body, Set) else ()
    return sure
