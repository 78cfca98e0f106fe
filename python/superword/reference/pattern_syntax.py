"""The grammar of custom patterns (SPEC section 3.3).

A pattern becomes a small tree in which every class is a list of explicit ranges: nothing after the
parser knows a class by name. `$` is a look-ahead that no character follows.
"""

from __future__ import annotations

import string
from typing import NoReturn

from superword.errors import SettingsError
from superword.reference.pattern_classes import class_ranges, fold_ranges
from superword.reference.pattern_tree import (
    GREEDY,
    LAZY,
    POSSESSIVE,
    Choice,
    Look,
    Node,
    Repeat,
    Sequence,
    Set,
    expanded_size,
    fixed_width,
    is_nullable,
    print_tree,
)
from superword.reference.patterns import complement, union
from superword.reference.unicode import WHITE_SPACE, Ranges

#: The longest pattern in characters, the deepest nesting of groups, the most repetitions, and the
#: most sets once every group that repeats has been written out.
MAX_LENGTH, MAX_DEPTH, MAX_TIMES, MAX_SIZE = 4096, 50, 1000, 4096

_ALL = complement(())
_ESCAPES = {"r": 0x0D, "n": 0x0A, "t": 0x09, "f": 0x0C, "v": 0x0B}
_HEX_DIGITS = {"u": 4, "U": 8}
_MUST_BE_ESCAPED = "]{}"
_QUANTIFIERS = {"*": (0, None), "+": (1, None), "?": (0, 1)}


def parse_pattern(pattern: str) -> Node:
    r"""Read a pattern of the grammar.

    Args:
        pattern: the pattern, as a user gave it.

    Returns:
        The tree.

    Raises:
        SettingsError: what is not in the grammar, by its position in characters; the text is to
            follow the name of the setting.

    >>> parse_pattern(r"[^\S\n]+$").parts[1].negative
    True
    >>> parse_pattern("a|*")
    Traceback (most recent call last):
    ...
    superword.errors.SettingsError: at position 2: a repetition has nothing to repeat

    Source: SPEC 3.3.
    """
    if len(pattern) > MAX_LENGTH:
        raise SettingsError(f"has {len(pattern)} characters, at most {MAX_LENGTH} are allowed")
    if not pattern:
        raise SettingsError("is empty")
    parser = _Parser(pattern)
    node = parser.choice(0, False)
    if parser.at < len(pattern):
        parser.closes_nothing()
    if expanded_size(node) > MAX_SIZE:
        raise SettingsError(f"is too large: written out it has more than {MAX_SIZE} sets")
    return node


def canonical_pattern(pattern: str) -> str:
    r"""Return the one spelling of a pattern, with nothing but explicit ranges in it.

    Two patterns with the same canonical form mean the same. Every engine reads it alike.

    >>> canonical_pattern("(?i:'s)+?")
    '(?:[\\u0027][\\u0053\\u0073\\u017F]){1,}?'

    Source: SPEC 3.3.
    """
    return print_tree(parse_pattern(pattern))


class _Parser:
    """A place in a pattern."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0

    def fail(self, at: int, reason: str) -> NoReturn:
        raise SettingsError(f"at position {at}: {reason}")

    def closes_nothing(self) -> NoReturn:
        self.fail(self.at, "')' closes no group: escape it to mean itself")

    def peek(self) -> str:
        """The next character, "" at the end."""
        return self.pattern[self.at : self.at + 1]

    def skip(self, what: str) -> bool:
        found = self.pattern.startswith(what, self.at)
        if found:
            self.at += len(what)
        return found

    def choice(self, depth: int, fold: bool) -> Node:
        parts: list[Node] = []
        while True:
            part = self.sequence(depth, fold)
            parts += part.parts if isinstance(part, Choice) else (part,)
            if not self.skip("|"):
                return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def sequence(self, depth: int, fold: bool) -> Node:
        parts: list[Node] = []
        while self.peek() not in ("", "|", ")"):
            part = self.repetition(depth, fold)
            parts += part.parts if isinstance(part, Sequence) else (part,)
        if not parts:
            if depth == 0 and self.peek() == ")":
                self.closes_nothing()
            self.fail(self.at, "an empty alternative is not in the grammar: repeat with ? instead")
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def repetition(self, depth: int, fold: bool) -> Node:
        node = self.atom(depth, fold)
        start = self.at
        times = self.times()
        if times is None:
            return node
        least, most = times
        how = LAZY if self.skip("?") else POSSESSIVE if self.skip("+") else GREEDY
        if self.peek() in ("*", "+", "?", "{"):
            self.fail(self.at, "a repetition cannot be repeated: put a group (?:…) around it")
        if isinstance(node, Look):
            self.fail(start, "a look-around cannot be repeated")
        if most != 1 and is_nullable(node):
            self.fail(start, "what is repeated can match the empty string")
        if (least, most) == (1, 1) and (how != POSSESSIVE or isinstance(node, Set)):
            return node
        return Repeat(node, least, most, how, start)

    def times(self) -> tuple[int, int | None] | None:
        """Read how often something repeats, if it does."""
        start = self.at
        char = self.peek()
        if char in _QUANTIFIERS:
            self.at += 1
            return _QUANTIFIERS[char]
        if not self.skip("{"):
            return None
        least = self.number(start)
        most: int | None = least
        if self.skip(","):
            most = None if self.peek() == "}" else self.number(start)
        if not self.skip("}"):
            self.bad_times(start)
        if most is not None and most < max(least, 1):
            self.fail(start, "a repetition must end at 1 or more and not below its start")
        return least, most

    def number(self, start: int) -> int:
        first = self.at
        while self.peek() in tuple(string.digits):
            self.at += 1
        digits = self.pattern[first : self.at]
        if not digits:
            self.bad_times(start)
        if len(digits) > 9 or int(digits) > MAX_TIMES:
            self.fail(start, f"a repetition has at most {MAX_TIMES} times")
        return int(digits)

    def bad_times(self, start: int) -> NoReturn:
        self.fail(start, "a repetition is {2}, {2,} or {2,5}: escape '{' to mean itself")

    def atom(self, depth: int, fold: bool) -> Node:
        start = self.at
        char = self.peek()
        if char == "(":
            return self.group(depth, fold)
        if char == "[":
            return self.set(fold)
        if char in ("*", "+", "?", "{"):
            self.fail(start, "a repetition has nothing to repeat")
        if char in _MUST_BE_ESCAPED:
            self.fail(start, f"'{char}' must be escaped to mean itself")
        if char == "^":
            self.fail(start, "'^' is not in the grammar")
        if char == "\\":
            item = self.escape(fold)
            ranges = item if isinstance(item, tuple) else ((item, item),)
            if isinstance(item, int) and fold:
                ranges = fold_ranges(ranges)
            return self.set_of(start, ranges)
        self.at += 1
        if char == "$":
            return Look(Set(_ALL), None, True)
        if char == ".":
            return Set(complement(((0x0A, 0x0A),)))
        ranges = ((ord(char), ord(char)),)
        return Set(fold_ranges(ranges) if fold else ranges)

    def group(self, depth: int, fold: bool) -> Node:
        start = self.at
        if depth == MAX_DEPTH:
            self.fail(start, f"groups are nested more than {MAX_DEPTH} deep")
        opening = next(
            (o for o in ("(?:", "(?i:", "(?=", "(?!", "(?<=", "(?<!") if self.skip(o)), None
        )
        if opening is None:
            if self.skip("(?"):
                self.fail(start, f"'(?{self.peek()}' is not in the grammar")
            self.fail(start, "'(' must be escaped to mean itself; a group is (?:…)")
        body = self.choice(depth + 1, fold or opening == "(?i:")
        if not self.skip(")"):
            self.fail(start, "this group is not closed")
        if opening in ("(?:", "(?i:"):
            return body
        width = None
        if "<" in opening:
            width = fixed_width(body)
            if width is None:
                self.fail(start, "a look-behind needs matches of one length")
        return Look(body, width, opening.endswith("!"))

    def escape(self, fold: bool) -> int | Ranges:
        """Read an escape: a code point, or the ranges of a class."""
        start = self.at
        self.at += 1
        char = self.peek()
        if not char:
            self.fail(start, "a backslash at the end escapes nothing")
        self.at += 1
        if char in _ESCAPES:
            return _ESCAPES[char]
        if char in _HEX_DIGITS:
            return self.code_point(start, _HEX_DIGITS[char])
        if char in ("s", "S"):
            return WHITE_SPACE if char == "s" else complement(WHITE_SPACE)
        if char in ("d", "D"):
            digits = class_ranges("Nd") or ()
            return digits if char == "d" else complement(digits)
        if char in ("p", "P"):
            return self.property(start, char == "P", fold)
        if char not in string.punctuation and char != " ":
            self.fail(start, f"'\\{char}' is not in the grammar")
        return ord(char)

    def code_point(self, start: int, length: int) -> int:
        digits = self.pattern[self.at : self.at + length]
        if len(digits) < length or not set(digits) <= set(string.hexdigits):
            self.fail(start, f"this escape needs {length} hexadecimal digits")
        code = int(digits, 16)
        if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            self.fail(start, f"U+{code:04X} is no character")
        self.at += length
        return code

    def property(self, start: int, negated: bool, fold: bool) -> Ranges:
        end = self.pattern.find("}", self.at)
        if self.peek() != "{" or end < 0:
            self.fail(
                start, f"a class is \\{'P' if negated else 'p'}{{…}}, with its name in braces"
            )
        name = self.pattern[self.at + 1 : end]
        ranges = class_ranges(name)
        if ranges is None:
            self.fail(start, f"the class '{name}' is not in the grammar")
        if fold:
            self.fail(start, "(?i:…) holds no \\p and no \\P: put the class outside")
        self.at = end + 1
        return complement(ranges) if negated else ranges

    def set(self, fold: bool) -> Set:
        start = self.at
        self.at += 1
        negated = self.skip("^")
        first = self.at
        literals: list[tuple[int, int]] = []
        classes: list[Ranges] = []
        while not (self.peek() == "]" and self.at > first):
            char = self.peek()
            if not char:
                self.fail(start, "this set is not closed")
            if char in ("[", "]"):
                self.fail(self.at, f"'{char}' must be escaped to mean itself in a set")
            if char == "-" and self.at > first and not self.pattern.startswith("-]", self.at):
                self.fail(self.at, "'-' must be escaped to mean itself inside a set")
            low = self.set_item(fold)
            if not isinstance(low, int):
                classes.append(low)
                continue
            high = low
            if self.peek() == "-" and not self.pattern.startswith("-]", self.at):
                self.refuse_twice("-")
                self.at += 1
                place = self.at
                if self.peek() in ("[", "]", ""):
                    self.fail(place, "this range has no end")
                end = self.set_item(fold)
                if not isinstance(end, int):
                    self.fail(place, "a range ends in a character, not in a class")
                high = end
                if high < low:
                    self.fail(place, "this range ends before it begins")
            literals.append((low, high))
        self.at += 1
        ranges = union(tuple(literals))
        if fold:
            ranges = fold_ranges(ranges)
        ranges = union(ranges, *classes)
        # in a negated set surrogates are out by themselves
        return self.set_of(start, complement(ranges if negated else complement(ranges)))

    def set_item(self, fold: bool) -> int | Ranges:
        """Read a character or a class of a set."""
        char = self.peek()
        if char == "\\":
            return self.escape(fold)
        if char in ("&", "-", "|", "~"):
            self.refuse_twice(char)
        self.at += 1
        return ord(char)

    def refuse_twice(self, char: str) -> None:
        """Refuse two of a character in a set: some engines have an operator of that name."""
        if self.pattern.startswith(char * 2, self.at):
            self.fail(self.at, f"'{char * 2}' in a set is not in the grammar: escape both")

    def set_of(self, start: int, ranges: Ranges) -> Set:
        if not ranges:
            self.fail(start, "this set holds no character")
        return Set(ranges)
