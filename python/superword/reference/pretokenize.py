"""Documents to pretokens, by the named schemes or by patterns (SPEC sections 3.2 to 3.4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import accumulate
from operator import itemgetter

from superword.errors import SettingsError
from superword.reference.pattern_ambiguity import check_ambiguity
from superword.reference.pattern_matcher import Matcher
from superword.reference.pattern_program import compile_pattern
from superword.reference.pattern_steps import Steps
from superword.reference.pattern_syntax import canonical_pattern, parse_pattern
from superword.reference.pattern_tree import Node, print_tree
from superword.reference.patterns import (
    LISTED_SCRIPTS,
    NAMED_PATTERNS,
    expand_pattern,
    uniscript_patterns,
)
from superword.reference.scripts import classify, is_real, script_of, split_scripts
from superword.reference.unicode import SCRIPT
from superword.settings import DEFAULT_SCHEME, ELIGIBLE_PATTERN, SCHEMES, Cutting, one_of

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_Kind = tuple[str, bool, bool, bool]
_FIRST_STAND_IN = 0x250
# Texts up to so many characters are cut in one call, which Ctrl-C must wait for.
_ONE_CALL = 1 << 15


class Pretokenizer:
    """What cuts text into pretokens and tells which of them are eligible, ready for use.

    >>> from superword.settings import Cutting
    >>> pretokenizer = Pretokenizer(Cutting(None, "[a-z]+", eligible_pattern="[b-d]"))
    >>> pretokenizer.pretokenize("ab 12 cd!")
    [b'ab', b' 12 ', b'cd', b'!']
    >>> pretokenizer.is_eligible(b"ab"), pretokenizer.is_eligible(b"a")
    (True, False)
    """

    def __init__(self, cutting: Cutting) -> None:
        """Read the patterns and make them ready.

        Raises:
            SettingsError: a scheme, a pattern or a script cannot be used.

        Source: SPEC 3.2, 3.3, 6.
        """
        self._eligible: Matcher | None = None
        if cutting.eligible_pattern != ELIGIBLE_PATTERN:
            node = _tree("eligible_pattern", cutting.eligible_pattern)
            self._eligible = Matcher(compile_pattern(node))
        self._scheme: str | None = DEFAULT_SCHEME
        self._listed: frozenset[str] | None = None  # None where the whole text is one chunk
        if cutting.pattern is None:
            self._scheme = one_of("scheme", cutting.scheme or DEFAULT_SCHEME, SCHEMES)
            return
        self._scheme = None
        self._pattern = _cut_by("pattern", cutting.pattern)
        self._script_pattern = self._pattern
        if cutting.script_pattern is None:
            if isinstance(self._pattern, str) and self._pattern in SCHEMES:
                self._scheme = self._pattern
            return
        self._script_pattern = _cut_by("script_pattern", cutting.script_pattern)
        self._listed = frozenset(map(_script, cutting.scripts or ()))
        named = (self._pattern, self._script_pattern) == ("gpt4o", "gpt4o-script")
        if named and self._listed == frozenset(LISTED_SCRIPTS):
            self._scheme = "gpt4o-scripts"

    @property
    def scheme(self) -> str | None:
        """The named scheme by which it cuts, None where patterns do that mean no such one."""
        return self._scheme

    def pretokenize(
        self,
        text: str,
        steps: Steps | None = None,
        start: int = 0,
        length: Callable[[str], int] = len,
    ) -> list[bytes]:
        """Cut a text into pretokens, as UTF-8 bytes; their concatenation is the text.

        `steps` are what the text of the call has left, if this is a piece of it, and `start` is
        where it stands there, in the units in which `length` measures.

        Raises:
            PatternTooExpensiveError: a pattern takes too many steps.

        Source: SPEC 3.1 to 3.4.
        """
        text.encode()  # a lone surrogate is an error, not a gap between two matches
        pieces = self.pieces(text, steps or Steps(len(text)), start, length)
        return list(map(str.encode, pieces))

    def pieces(
        self, text: str, steps: Steps, start: int, length: Callable[[str], int]
    ) -> list[str]:
        """Cut a text without lone surrogates into pretokens, as strings.

        Args, errors: as for `pretokenize`.
        """
        if self._scheme == "none":
            return [text] if text else []
        plain = _plain(text)
        if self._scheme == "gpt4o-uniscript":
            pieces = _uniscript_pieces(text, plain)
        elif self._scheme == "gpt4o-scripts":
            pieces = _chunk_pieces(text, plain)
        elif self._scheme is not None:
            pieces = _matches(_named(self._scheme), plain, 0, len(plain))
        else:
            return self._custom_pieces(text, plain, steps, start, length)
        return pieces if plain == text else _cut_like(text, pieces)

    def is_eligible(self, pretoken: bytes) -> bool:
        """Tell whether a pretoken may be part of a superword; what is no text may not.

        Raises:
            PatternTooExpensiveError: the pattern takes too many steps.

        Source: SPEC 6.
        """
        try:
            text = pretoken.decode()
        except UnicodeDecodeError:
            return False
        if self._eligible is not None:
            return self._eligible.search(text)
        return _letter().search(_plain(text)) is not None

    def _custom_pieces(
        self, text: str, plain: str, steps: Steps, at: int, length: Callable[[str], int]
    ) -> list[str]:
        """Return the pieces by patterns: each chunk by the one for its script."""
        chunks = [("", text)] if self._listed is None else split_scripts(text)
        pieces: list[str] = []
        begin = 0
        for script, chunk in chunks:
            listed = self._listed is not None and script in self._listed
            cut_by = self._script_pattern if listed else self._pattern
            end = begin + len(chunk)
            if isinstance(cut_by, str):
                pieces += _cut_like(chunk, _matches(_named(cut_by), plain, begin, end))
            else:
                pieces += cut_by.pieces(chunk, steps, at, length)
            at += length(chunk)
            begin = end
        return pieces


def check_cutting(cutting: str | Cutting) -> None:
    """Refuse a scheme, a pattern or a script that cannot be used.

    Raises:
        SettingsError: what it is, with its position in a pattern.

    >>> check_cutting(Cutting(None, "a*"))
    Traceback (most recent call last):
    ...
    superword.errors.SettingsError: pattern can match the empty string

    Source: SPEC 3.2, 3.3.
    """
    pretokenizer_of(cutting)


def pretokenize(text: str, cutting: str | Cutting) -> list[bytes]:
    """Cut a text into pretokens, as UTF-8 bytes; their concatenation is the text.

    `cutting` is the name of a scheme, or says how to cut. Errors as for `Pretokenizer`. SPEC
    sections 3.1 to 3.4.

    >>> pretokenize("To be, or not?", "gpt4o-uniscript")
    [b'To', b' be', b',', b' or', b' not', b'?']
    """
    return pretokenizer_of(cutting).pretokenize(text)


def is_eligible_text(pretoken: bytes, cutting: str | Cutting | None = None) -> bool:
    r"""Tell whether a pretoken may be part of a superword: by default if it holds a letter (\p{L}).

    What is no UTF-8 may not. Errors as for `Pretokenizer`. SPEC section 6.

    >>> is_eligible_text(b" be"), is_eligible_text(b"42"), is_eligible_text(b"a\xff")
    (True, False, False)
    """
    return pretokenizer_of(cutting or DEFAULT_SCHEME).is_eligible(pretoken)


@lru_cache(maxsize=16)
def pretokenizer_of(cutting: str | Cutting) -> Pretokenizer:
    """Return what cuts in this way; errors as for `Pretokenizer`."""
    return Pretokenizer(Cutting(cutting) if isinstance(cutting, str) else Cutting(*cutting))


def _cut_by(name: str, pattern: str) -> Matcher | str:
    """Return what matches a pattern, or the name of the named one that means the same."""
    node = _tree(name, pattern)
    canonical = print_tree(node)
    for known, named in NAMED_PATTERNS.items():
        if canonical == _canonical(named):
            return known
    return Matcher(compile_pattern(node))


def _tree(name: str, pattern: str) -> Node:
    """Return the tree of a pattern; errors begin with the name of the setting."""
    try:
        node = parse_pattern(pattern)
        check_ambiguity(node)
    except SettingsError as error:
        raise SettingsError(f"{name} {error}") from None
    return node


@cache
def _canonical(pattern: str) -> str:
    return canonical_pattern(pattern)


def _script(name: str) -> str:
    if name not in SCRIPT:
        raise SettingsError(f"scripts: '{name}' is not the long name of a script")
    return name


@cache
def _letter() -> re.Pattern[str]:
    return _compiled(expand_pattern(r"\p{L}"))


def _compiled(expanded: str) -> re.Pattern[str]:
    """Compile a pattern for texts without characters beyond U+FFFF.

    The engine has a bit for each character up to U+FFFF, but goes through the ranges beyond that
    one by one whenever a character is not in a set: with them it takes ten times as long.
    """
    expanded = re.sub(r"(?<!-)\\U\w{8}(?:-\\U\w{8})?", "", expanded)
    expanded = re.sub(r"-\\U\w{8}", r"-\\uFFFF", expanded)
    return re.compile(expanded)


def _plain(text: str) -> str:
    """Return a text with a stand-in for each character beyond U+FFFF.

    Every named pattern cuts it at the same places.
    """
    if _ASTRAL.search(text) is None:
        return text
    return _ASTRAL.sub(lambda match: _stand_in(match[0]), text)


@lru_cache(maxsize=1 << 12)
def _stand_in(char: str) -> str:
    ((category, script, white_space, _),) = classify(ord(char), ord(char))
    return _stand_ins()[_kind(category, script, white_space)]


@cache
def _stand_ins() -> dict[_Kind, str]:
    """Return for each kind the first character behind those that patterns name."""
    codes = [*range(_FIRST_STAND_IN, 0xD800), *range(0xE000, 0x10000)]
    properties = classify(_FIRST_STAND_IN, 0xFFFF)
    firsts = dict(zip(reversed(properties), reversed(codes), strict=True))
    stand_ins: dict[_Kind, str] = {}
    for (category, script, white_space, _), code in sorted(firsts.items(), key=itemgetter(1)):
        stand_ins.setdefault(_kind(category, script, white_space), chr(code))
    return stand_ins


def _kind(category: str, script: str, white_space: bool) -> _Kind:
    """Return all that named patterns can tell from a character that they do not name."""
    return category, white_space, script in LISTED_SCRIPTS, script in ("Common", "Inherited")


def _cut_like(text: str, pieces: list[str]) -> list[str]:
    """Cut a text into pieces of the lengths that these have."""
    ends = list(accumulate(map(len, pieces)))
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]


@cache
def _named(name: str) -> re.Pattern[str]:
    return _compiled(expand_pattern(NAMED_PATTERNS[name]))


@cache
def _uniscript(inside: bool) -> re.Pattern[str]:
    """Compile the pattern of `gpt4o-uniscript` for a part of a text, `inside` or at its end.

    A part inside ends before a real code point, where the look-ahead sees no white space.
    """
    bounded, unbounded = uniscript_patterns()
    if inside:
        unbounded = expand_pattern(r"\s*[\r\n]+|\s+(?=\s)|\s+")
    return _compiled(f"{bounded}|{unbounded}")


def _matches(pattern: re.Pattern[str], text: str, start: int, end: int) -> list[str]:
    """Return the matches of a pattern in a part of a text: every named one leaves no gap.

    Ctrl-C is only seen between steps of Python, so a long part is not cut in one.
    """
    if end - start <= _ONE_CALL:
        return pattern.findall(text, start, end)
    return [match[0] for match in pattern.finditer(text, start, end)]


def _chunk_pieces(text: str, plain: str) -> list[str]:
    """Return the pieces of `gpt4o-scripts`, with stand-ins: each chunk by the script's pattern."""
    pieces = []
    at = 0
    for script, chunk in split_scripts(text):
        name = "gpt4o-script" if script in LISTED_SCRIPTS else "gpt4o"
        pieces += _matches(_named(name), plain, at, at + len(chunk))
        at += len(chunk)
    return pieces


def _uniscript_pieces(text: str, plain: str) -> list[str]:
    """Return the pieces of `gpt4o-uniscript`, with stand-ins.

    Each stretch is read as a part that ends where a second script begins. Alternative 6 would read
    the whole text, but from inside a stretch no white space reaches beyond its part.
    """
    pieces: list[str] = []
    at = 0
    for last, limit in _script_limits(text):
        pieces += _matches(_uniscript(limit < len(text)), plain, at, limit)
        at = limit
        while at - len(pieces[-1]) > last:  # begins in the next stretch
            at -= len(pieces.pop())
    return pieces


def _script_limits(text: str) -> Iterator[tuple[int, int]]:
    """Yield (last, limit) for each stretch of positions that read the same script first.

    For the positions up to `last` (and after the stretch before) the first real code point at or
    after them has a script s, and the first later one of a real script other than s is at `limit`.
    """
    reals = {char: script_of(char) for char in set(text) if is_real(script_of(char))}
    if len(set(reals.values())) > 1:
        current = ""
        last = 0
        for at, char in enumerate(text):
            if char in reals:
                if current and reals[char] != current:
                    yield last, at
                current = reals[char]
                last = at
    if text:
        yield len(text), len(text)
