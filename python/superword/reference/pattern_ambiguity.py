"""Patterns that could take exponential time are refused when they are read (SPEC section 3.3).

A matcher that goes back takes exponential time only where an unbounded repetition can read one and
the same text in two ways, for it then has 2^n ways to read it n times. That can be decided. The
positions of the sets in the outermost unbounded repetition are the states of an automaton (that of
Glushkov), an edge leads to each position that can come next, and as the repetition comes back to
its start, every state reaches every other one. So there are two ways exactly if two edges between
the same states exist, made by different parts of the pattern, or if two different edges from one
state can go on, reading the same text, until they meet in one state again.

What repeats possessively is taken as greedy, and a look-around as always true: both can only make
fewer ways. DESIGN.md has the proof.
"""

from __future__ import annotations

from superword.errors import SettingsError
from superword.reference.pattern_tree import (
    Choice,
    Look,
    Node,
    Repeat,
    Sequence,
    Set,
    is_nullable,
)
from superword.reference.unicode import Ranges

#: The most edges and pairs of edges that are looked at in one pattern.
MAX_PAIRS = 200_000

# The number of ways in which something is possible, of which only none, one and more matter
_Ways = dict[int, int]


def check_ambiguity(node: Node) -> None:
    """Refuse a pattern that matches the empty string or repeats something ambiguous.

    Args:
        node: the tree of a pattern.

    Raises:
        SettingsError: the reason, to follow the name of the setting.

    >>> from superword.reference.pattern_syntax import parse_pattern
    >>> check_ambiguity(parse_pattern("(?:a|b|ac)+"))
    >>> check_ambiguity(parse_pattern("a|b*"))
    Traceback (most recent call last):
    ...
    superword.errors.SettingsError: can match the empty string

    Source: SPEC 3.2, 3.3.
    """
    if is_nullable(node):
        raise SettingsError("can match the empty string")
    pairs = MAX_PAIRS
    for loop in _outermost_loops(node):
        pairs = _check_loop(loop, pairs)


def _outermost_loops(node: Node) -> list[Repeat]:
    match node:
        case Set():
            return []
        case Sequence(parts) | Choice(parts):
            return [loop for part in parts for loop in _outermost_loops(part)]
        case Repeat(body, _, most):
            if most is None:
                inside = [loop for look in _looks(body) for loop in _outermost_loops(look)]
                return [node, *inside]
            return _outermost_loops(body)
        case Look(body):
            return _outermost_loops(body)


def _looks(node: Node) -> list[Node]:
    """Return the bodies of the outermost look-arounds in a part."""
    match node:
        case Set():
            return []
        case Sequence(parts) | Choice(parts):
            return [look for part in parts for look in _looks(part)]
        case Repeat(body):
            return _looks(body)
        case Look(body):
            return [body]


def _check_loop(loop: Repeat, pairs: int) -> int:
    """Refuse an ambiguous repetition; return how many pairs are left to look at."""
    automaton = _Automaton(loop, pairs)
    automaton.add(Repeat(loop.body, 1, None, loop.how, loop.at))
    follow, pairs = automaton.follow, automaton.pairs
    if any(ways > 1 for edges in follow for ways in edges.values()):
        _refuse(loop)
    waiting = []
    seen = set()

    def visit(left: int, right: int) -> None:
        pair = (min(left, right), max(left, right))
        if pair not in seen and automaton.meet(left, right):
            seen.add(pair)
            waiting.append(pair)

    for edges in follow:
        after = sorted(edges)
        pairs -= len(after) * len(after)
        if pairs < 0:
            _too_large(loop)
        for index, left in enumerate(after):
            for right in after[:index]:
                visit(left, right)
    while waiting:
        one, two = waiting.pop()
        pairs -= len(follow[one]) * len(follow[two])
        if pairs < 0:
            _too_large(loop)
        for left in follow[one]:
            for right in follow[two]:
                if left == right:
                    _refuse(loop)
                visit(left, right)
    return pairs


def _refuse(loop: Repeat) -> None:
    raise SettingsError(
        f"at position {loop.at}: what is repeated without limit can read the same text in two "
        "ways, which may take exponential time"
    )


def _too_large(loop: Repeat) -> None:
    raise SettingsError(
        f"at position {loop.at}: what is repeated without limit is too large to be judged"
    )


class _Automaton:
    """The positions of the sets in a part of a pattern, and how often each can follow each."""

    def __init__(self, loop: Repeat, pairs: int) -> None:
        self.loop = loop
        self.pairs = pairs
        self.sets: list[int] = []  # the set of each position, as a number
        self.follow: list[_Ways] = []
        self._numbers: dict[Ranges, int] = {}
        self._by_number: list[Ranges] = []
        self._meet: dict[tuple[int, int], bool] = {}

    def add(self, node: Node) -> tuple[_Ways, _Ways, int]:
        """Add a part; return where it can start and end, and in how many ways it is empty."""
        match node:
            case Set(ranges):
                number = self._numbers.setdefault(ranges, len(self._numbers))
                if number == len(self._by_number):
                    self._by_number.append(ranges)
                self.sets.append(number)
                self.follow.append({})
                position = len(self.sets) - 1
                return {position: 1}, {position: 1}, 0
            case Sequence(parts):
                return self.join([(part, 1) for part in parts])
            case Choice(parts):
                first: _Ways = {}
                last: _Ways = {}
                empty = 0
                for part in parts:
                    starts, ends, ways = self.add(part)
                    _add(first, starts, 1)
                    _add(last, ends, 1)
                    empty = min(empty + ways, 2)
                return first, last, empty
            case Repeat(body, least, most):
                return self.repeat(body, least, most)
            case Look():
                return {}, {}, 1

    def repeat(self, body: Node, least: int, most: int | None) -> tuple[_Ways, _Ways, int]:
        if most is not None:
            # x{1,3} is x(?:x(?:x)?)?: from each copy on, all others may be missing in one way
            optional = [(body, 1)] * least + [(body, 0)] * (most - least)
            return self.join(optional)
        first, last, empty = self.join([(body, 1)] * max(least - 1, 0))
        starts, ends, _ = self.add(body)
        self.connect(ends, starts)
        self.connect(last, starts)
        _add(first, starts, empty)
        return first, ends, int(least == 0)

    def join(self, parts: list[tuple[Node, int]]) -> tuple[_Ways, _Ways, int]:
        """Add parts one after the other; from one with 0 on the rest may be left out."""
        first: _Ways = {}
        last: _Ways = {}
        empty = 1
        stops: _Ways = {}
        stop_empty = 0
        for part, needed in parts:
            if not needed:
                _add(stops, last, 1)
                stop_empty = min(stop_empty + empty, 2)
            starts, ends, ways = self.add(part)
            self.connect(last, starts)
            _add(first, starts, empty)
            after = dict(ends)
            _add(after, last, ways)
            last = after
            empty = min(empty * ways, 2)
        _add(last, stops, 1)
        return first, last, min(empty + stop_empty, 2)

    def connect(self, ends: _Ways, starts: _Ways) -> None:
        self.pairs -= len(ends) * len(starts)
        if self.pairs < 0:
            _too_large(self.loop)
        for end, ways in ends.items():
            _add(self.follow[end], starts, ways)

    def meet(self, left: int, right: int) -> bool:
        """Tell whether some character is in both sets."""
        key = (self.sets[left], self.sets[right])
        known = self._meet.get(key)
        if known is None:
            one, two = (self._by_number[number] for number in key)
            known = self._meet[key] = _overlap(one, two)
        return known


def _add(ways: _Ways, more: _Ways, times: int) -> None:
    if times:
        for position, count in more.items():
            ways[position] = min(ways.get(position, 0) + count * times, 2)


def _overlap(left: Ranges, right: Ranges) -> bool:
    one = two = 0
    while one < len(left) and two < len(right):
        if left[one][1] < right[two][0]:
            one += 1
        elif right[two][1] < left[one][0]:
            two += 1
        else:
            return True
    return False
