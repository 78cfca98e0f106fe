"""A pattern made ready for matching: instructions over classes of characters.

All characters that are in the same sets of a pattern are one class, and the end of a text is a
class of its own. The instructions know classes alone, in bit masks. Each has the instruction that
comes next, and what can come next is known where it is made: so a choice has, for every class of
the character at hand, only the alternatives that can begin with it, and a repetition whose
characters cannot be what follows never gives one back.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, NamedTuple

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
)
from superword.reference.unicode import Ranges

# The kinds of instructions; what else each has stands in `_Compiler`
SET, SPAN, SPAN_LAZY, CHOICE, PEEK, LOOK, LOOK_END, ATOM, ATOM_END, MATCH = range(10)
# Repetitions in look-arounds: of a group, and of a set
RECALL, STRETCH = range(10, 12)

Instruction = tuple[Any, ...]


class Program(NamedTuple):
    """A compiled pattern."""

    code: list[Instruction]
    start: int  # the first instruction
    first: int  # the classes with which a match can begin, as bits
    class_starts: list[int]  # where stretches of code points of one class begin, ascending
    classes: list[int]  # the class of each stretch
    n_classes: int  # of characters; the end of a text is the next one
    groups: int  # how many groups repeat in look-arounds
    stretches: int  # and how many sets


def compile_pattern(node: Node) -> Program:
    """Make a tree ready for matching.

    Args:
        node: the tree of a pattern that cannot match the empty string.

    Returns:
        The program.

    >>> from superword.reference.pattern_syntax import parse_pattern
    >>> program = compile_pattern(parse_pattern("[a-z]+"))
    >>> program.n_classes, [class_of(program, ord(c)) for c in "Aaz"]
    (2, [0, 1, 1])

    Source: SPEC 3.2, 3.3.
    """
    compiler = _Compiler(_sets(node))
    everything = (2 << compiler.n_classes) - 1
    end = compiler.emit(MATCH)
    start = compiler.node(node, end, everything)
    return Program(
        compiler.code,
        start,
        compiler.first(node, everything),
        compiler.class_starts,
        compiler.classes,
        compiler.n_classes,
        compiler.groups,
        compiler.stretches,
    )


def class_of(program: Program, code: int) -> int:
    """Return the class of a code point."""
    return program.classes[bisect_right(program.class_starts, code) - 1]


def bits_of(mask: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set, ascending.

    >>> list(bits_of(0b1101))
    [0, 2, 3]
    """
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _sets(node: Node) -> list[Ranges]:
    """Return every set of a pattern, in order, those that repeat too."""
    match node:
        case Set(ranges):
            return [ranges]
        case Sequence(parts) | Choice(parts):
            return [ranges for part in parts for ranges in _sets(part)]
        case Repeat(body) | Look(body):
            return _sets(body)


class _Compiler:
    """Makes instructions from the end to the start, so that each knows what follows."""

    def __init__(self, sets: list[Ranges]) -> None:
        self.code: list[Instruction] = []
        # the end of the look-around whose parts are made, but for atoms in atoms; and whether those
        # of an atom are
        self.look_end: int | None = None
        self.in_atom = False
        self.groups = self.stretches = 0
        numbers: dict[Ranges, int] = {}
        for ranges in sets:
            numbers.setdefault(ranges, len(numbers))
        changes = {0: 0}
        for ranges, number in numbers.items():
            for first, last in ranges:
                for code in (first, last + 1):
                    changes[code] = changes.get(code, 0) ^ (1 << number)
        self.class_starts = sorted(changes)
        known: dict[int, int] = {}
        self.classes = []
        holding = 0
        for code in self.class_starts:
            holding ^= changes[code]
            self.classes.append(known.setdefault(holding, len(known)))
        self.n_classes = len(known)
        masks = [0] * len(numbers)
        for holding, found in known.items():
            for number in bits_of(holding):
                masks[number] |= 1 << found
        self._masks = {ranges: masks[number] for ranges, number in numbers.items()}

    def emit(self, *instruction: object) -> int:
        self.code.append(instruction)
        return len(self.code) - 1

    def node(self, node: Node, then: int, follow: int) -> int:
        """Make the instructions of a part, after which `then` comes; return the first one.

        `follow` has the classes that can stand where the part ends.
        """
        match node:
            case Set(ranges):
                return self.emit(SET, self._masks[ranges], then)
            case Sequence(parts):
                for part in reversed(parts):
                    then, follow = self.node(part, then, follow), self.first(part, follow)
                return then
            case Choice(parts):
                return self.choice(
                    [(self.node(part, then, follow), self.first(part, follow)) for part in parts]
                )
            case Repeat():
                return self.repeat(node, then, follow)
            case Look():
                return self.look(node, then)

    def choice(self, targets: list[tuple[int, int]]) -> int:
        """Make a choice among (instruction, the classes with which it can begin)."""
        table = [
            tuple(target for target, first in targets if first >> found & 1)
            for found in range(self.n_classes + 1)
        ]
        return self.emit(CHOICE, table)

    def repeat(self, node: Repeat, then: int, follow: int) -> int:
        body, least, most, how, _ = node
        if isinstance(body, Set):
            mask = self._masks[body.ranges]
            keeps = how == POSSESSIVE or self.is_final(mask, then, follow)
            if most is None and self.look_end is not None and not (self.in_atom and how == LAZY):
                then = self.stretch(mask, keeps, then)
                return self.emit(SPAN, mask, least, least, True, then) if least else then
            if how == LAZY:
                return self.emit(SPAN_LAZY, mask, least, most, then)
            return self.emit(SPAN, mask, least, most, keeps, then)
        if how == POSSESSIVE:
            end = self.emit(ATOM_END, then)
            everything = (2 << self.n_classes) - 1
            outer = self.look_end, self.in_atom
            self.look_end, self.in_atom = None if self.in_atom else self.look_end, True
            start = self.repeat(node._replace(how=GREEDY), end, everything)
            self.look_end, self.in_atom = outer
            return self.emit(ATOM, start)

        def again_or_not(again: tuple[int, int], stop: tuple[int, int]) -> list[tuple[int, int]]:
            return [stop, again] if how == LAZY else [again, stop]

        first = self.first(body, follow)
        marked = self.marked(body) if (least, most, how) == (1, None, GREEDY) else 0
        if marked and self.is_final(marked, then, follow):
            # x and its marks, again and again: x, and then any of both
            if self.look_end is not None:
                return self.emit(SET, first, self.stretch(marked, True, then))
            return self.emit(SET, first, self.emit(SPAN, marked, 0, None, True, then))
        if most is None:
            choice = loop = self.emit(CHOICE)
            if self.look_end is not None:
                loop = self.emit(RECALL, self.groups, self.look_end, choice)
                self.groups += 1
            again = self.node(body, loop, first | follow)
            self.choice(again_or_not((again, first), (then, follow)))
            self.code[choice] = self.code.pop()
            then, follow = loop, first | follow
        else:
            stop = (then, follow)
            for _ in range(most - least):
                begins = self.first(body, follow)
                again = self.node(body, then, follow)
                then = self.choice(again_or_not((again, begins), stop))
                follow = begins | stop[1]
        for _ in range(least):
            then, follow = self.node(body, then, follow), self.first(body, follow)
        return then

    def stretch(self, mask: int, keeps: bool, then: int) -> int:
        """Make a repetition of a set in a look-around.

        That asks alone whether there is some way to its end, so what repeats just before the end
        need not be read.
        """
        if then == self.look_end:
            return then
        self.stretches += 1
        return self.emit(STRETCH, mask, self.stretches - 1, keeps, self.look_end, then)

    def is_final(self, mask: int, then: int, follow: int) -> bool:
        """Tell whether a greedy repetition of these classes need never give one back.

        That is so if what follows begins with none of them, or if there is nothing left to match.
        """
        return not mask & follow or self.code[then][0] in (MATCH, LOOK_END, ATOM_END)

    def marked(self, body: Node) -> int:
        """Return the classes of both sets of `xy*`; none for any other part."""
        match body:
            case Sequence((Set(x), Repeat(Set(y), 0, None, how))) if how != LAZY:
                return self._masks[x] | self._masks[y]
        return 0

    def look(self, node: Look, then: int) -> int:
        body, behind, negative = node
        if behind is None and isinstance(body, Set):
            return self.emit(PEEK, self.peeked(body, negative), then)
        end = self.emit(LOOK_END, negative, then)
        outer = self.look_end, self.in_atom
        self.look_end, self.in_atom = end, False
        start = self.node(body, end, (2 << self.n_classes) - 1)
        self.look_end, self.in_atom = outer
        return self.emit(LOOK, start, behind or 0, negative, then)

    def peeked(self, body: Set, negative: bool) -> int:
        """Return the classes that may come where one set must or must not; the end is one."""
        mask = self._masks[body.ranges]
        return ((2 << self.n_classes) - 1) ^ mask if negative else mask

    def first(self, node: Node, follow: int) -> int:
        """Return the classes with which a part can begin, if what follows begins with `follow`."""
        match node:
            case Set(ranges):
                return self._masks[ranges]
            case Sequence(parts):
                for part in reversed(parts):
                    follow = self.first(part, follow)
                return follow
            case Choice(parts):
                found = 0
                for part in parts:
                    found |= self.first(part, follow)
                return found
            case Repeat(body, least):
                return self.first(body, follow) | (0 if least else follow)
            case Look(body, behind, negative):
                if behind is None and isinstance(body, Set):
                    return self.peeked(body, negative) & follow
                return follow
