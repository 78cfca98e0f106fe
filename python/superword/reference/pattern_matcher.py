"""Matching by a program: backtracking with a stack of its own and a limit of steps.

Recursion never grows with the text. A step is an instruction, a return to an earlier choice, or a
few characters that are read together; both backends count alike, so they give up at the same
places. What has been given up is an error, never a shorter result.

A look-around that reads far, as over all digits that follow, would read the same text again at
each place where it begins. What its repetitions found is remembered (`pattern_memory`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from superword.reference.pattern_memory import FAILS, FAILS_LATER, FOUND, Memory
from superword.reference.pattern_program import (
    ATOM,
    ATOM_END,
    CHOICE,
    LOOK,
    LOOK_END,
    PEEK,
    RECALL,
    SET,
    SPAN,
    SPAN_LAZY,
    STRETCH,
    Program,
    bits_of,
    class_of,
)
from superword.reference.pattern_steps import PRETOKEN_STEPS, Steps, too_expensive

#: So many characters that are read together are one step.
SPAN_SHIFT = 3

# What else a frame of the stack can be beside an instruction: a place to give characters back to
_GIVE_BACK = -1
_Frame = tuple[Any, ...]


class Matcher:
    """A program and the classes of the characters that were met; it serves any number of texts.

    >>> from superword.reference.pattern_program import compile_pattern
    >>> from superword.reference.pattern_syntax import parse_pattern
    >>> from superword.reference.pattern_steps import Steps
    >>> matcher = Matcher(compile_pattern(parse_pattern("[a-z]+")))
    >>> list(matcher.pieces("ab 12 cd!", Steps(9))), matcher.search("12")
    (['ab', ' 12 ', 'cd', '!'], False)
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._code = list(map(_ready, program.code))
        self._start = program.start
        self._first = _letters(program.first)
        self._end = chr(program.n_classes)
        self._class_letters = _ClassLetters(program)

    def pieces(
        self, text: str, steps: Steps, start: int = 0, length: Callable[[str], int] = len
    ) -> Iterator[str]:
        """Cut a text: every match is a piece, and so is every stretch between two of them.

        Args:
            text: the text; look-around sees nothing else.
            steps: what the text of the call has left.
            start: where it stands in the text of the call, for the error.
            length: what measures texts, in the units of `start`.

        Raises:
            PatternTooExpensiveError: the steps are used up.

        Source: SPEC 3.2.
        """
        match = self._matches(text, steps, start, length)
        unmatched = at = 0
        while at < len(text):
            end = match(at)
            if end < 0:
                at += 1
                continue
            if unmatched < at:
                yield text[unmatched:at]
            yield text[at:end]
            unmatched = at = end
        if unmatched < at:
            yield text[unmatched:]

    def search(self, text: str) -> bool:
        """Tell whether there is a match anywhere in a text; errors as for `pieces`."""
        match = self._matches(text, Steps(len(text), PRETOKEN_STEPS), None)
        return any(match(at) >= 0 for at in range(len(text)))

    def _matches(
        self, text: str, steps: Steps, start: int | None, length: Callable[[str], int] = len
    ) -> Callable[[int], int]:
        """Return what finds the end of the match at a place, -1 where there is none.

        `start` is where the text stands in that of the call, None for a pretoken to be judged.
        """
        letters = text.translate(self._class_letters) + self._end
        first = self._first
        memory = Memory(self._program, len(text))

        def match(at: int) -> int:
            if letters[at] not in first:
                steps.left -= 1
                end = -1
            else:
                end, steps.left = self._match(letters, at, steps.left, memory)
            if steps.left < 0:
                raise too_expensive(steps, text, at, start, length)
            return end

        return match

    def _match(self, letters: str, at: int, steps: int, memory: Memory) -> tuple[int, int]:
        """Return the end of the match at `at`, -1 if there is none, and how many steps are left."""
        code = self._code
        groups, runs = memory.groups, memory.runs
        stack: list[_Frame] = []
        barriers: list[int] = []  # the places in the stack of look-arounds and atoms
        now: _Frame = code[self._start]
        while steps >= 0:
            steps -= 1
            kind = now[0]
            if kind == SET:
                if letters[at] in now[1]:
                    at += 1
                    now = code[now[2]]
                    continue
            elif kind == SPAN:
                _, span, least, most, keeps, then = now
                start = at
                at = span(letters, at, at + most).end()
                count = at - start
                steps -= count >> SPAN_SHIFT
                if count >= least:
                    if count > least and not keeps:
                        stack.append((_GIVE_BACK, then, at, start + least))
                    now = code[then]
                    continue
            elif kind == CHOICE:
                targets = now[1][letters[at]]
                if targets:
                    if len(targets) > 1:
                        stack.append((CHOICE, targets, 1, at))
                    now = code[targets[0]]
                    continue
            elif kind == PEEK:
                if letters[at] in now[1]:
                    now = code[now[2]]
                    continue
            elif kind == LOOK:
                _, body, behind, negative, then = now
                if at >= behind:
                    barriers.append(len(stack))
                    stack.append((LOOK, negative, then, at))
                    at -= behind
                    now = code[body]
                    continue
                if negative:
                    now = code[then]
                    continue
            elif kind == LOOK_END:
                barrier = barriers.pop()
                while stack[barrier][0] == ATOM:
                    barrier = barriers.pop()
                at = stack[barrier][3]
                for frame in reversed(stack[barrier:]):
                    if frame[0] == RECALL:
                        frame[1][frame[2]] = FOUND
                    elif frame[0] == STRETCH:
                        _, (_, _, number, *_), first, last, end, _ = frame
                        runs[number] = first, last + 1, end, FOUND
                del stack[barrier:]
                if not now[1]:
                    now = code[now[2]]
                    continue
            elif kind == RECALL:
                _, number, found, then = now
                places = groups[number]
                known = places[at]
                if not known:
                    stack.append((RECALL, places, at, FAILS))
                    now = code[then]
                    continue
                if known == FOUND:
                    now = code[found]
                    continue
                if known == FAILS_LATER:
                    _end_atom(stack, barriers)
            elif kind == STRETCH:
                _, span, number, keeps, found, then = now
                start, nothing, end, known = runs[number]
                first = at
                if not start <= first <= end:
                    joins = first < start
                    at = span(letters, first, start if joins else len(letters)).end()
                    steps -= (at - first) >> SPAN_SHIFT
                    joins = joins and at == start
                    if not joins:
                        end = at
                    nothing = nothing if joins and nothing > start else first
                    if nothing == first and not (joins and keeps):
                        at -= joins  # from the run that is known nothing is found
                        stack.append((STRETCH, now, first, at, end, FAILS))
                        now = code[then]
                        continue
                    runs[number] = first, nothing, end, known
                if first < nothing:
                    if known == FOUND:
                        now = code[found]
                        continue
                    _end_atom(stack, barriers)
            elif kind == ATOM:
                barriers.append(len(stack))
                stack.append((ATOM,))
                now = code[now[1]]
                continue
            elif kind == ATOM_END:
                _end_atom(stack, barriers)
                now = code[now[1]]
                continue
            elif kind == SPAN_LAZY:
                _, span, least, most, accepted, then = now
                end = span(letters, at, at + least).end()
                steps -= (end - at) >> SPAN_SHIFT
                if end - at == least:
                    if most > least:
                        stack.append((SPAN_LAZY, accepted, most - least, end, then))
                    at = end
                    now = code[then]
                    continue
            else:  # MATCH
                return at, steps
            # Nothing matches here: go back to where there is something left to try
            while steps >= 0:
                if not stack:
                    return -1, steps
                steps -= 1
                frame = stack.pop()
                kind = frame[0]
                if kind == CHOICE:
                    _, targets, index, at = frame
                    if index + 1 < len(targets):
                        stack.append((CHOICE, targets, index + 1, at))
                    now = code[targets[index]]
                    break
                if kind == _GIVE_BACK:
                    _, then, at, low = frame
                    at -= 1
                    if at > low:
                        stack.append((_GIVE_BACK, then, at, low))
                    now = code[then]
                    break
                if kind == SPAN_LAZY:
                    _, accepted, more, at, then = frame
                    if letters[at] in accepted:
                        at += 1
                        if more > 1:
                            stack.append((SPAN_LAZY, accepted, more - 1, at, then))
                        now = code[then]
                        break
                    continue
                if kind == RECALL:
                    frame[1][frame[2]] = frame[3]
                    continue
                if kind == STRETCH:
                    _, instruction, first, at, end, known = frame
                    _, _, number, keeps, _, then = instruction
                    if known == FAILS_LATER:
                        runs[number] = first, at + 1, end, known
                        continue
                    if at > first and not keeps:
                        at -= 1
                        stack.append((STRETCH, instruction, first, at, end, FAILS))
                        now = code[then]
                        break
                    runs[number] = first, first, end, FAILS
                    continue
                barriers.pop()
                if kind == LOOK:
                    _, negative, then, at = frame
                    if negative:
                        now = code[then]
                        break
        return -1, steps


def _end_atom(stack: list[_Frame], barriers: list[int]) -> None:
    """Forget what could be given back into an atom, but not what is to be remembered of it."""
    barrier = barriers.pop()
    stack[barrier:] = [
        (*frame[:-1], FAILS_LATER) for frame in stack[barrier:] if frame[0] in (RECALL, STRETCH)
    ]


class _ClassLetters(dict[int, str]):
    """The letter that stands for the class of a code point; each is looked up once."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self._program = program

    def __missing__(self, code: int) -> str:
        letter = self[code] = chr(class_of(self._program, code))
        return letter


def _letters(mask: int) -> str:
    """Return the letters of some classes: a class is the character of the same number."""
    return "".join(map(chr, bits_of(mask)))


def _ready(instruction: _Frame) -> _Frame:
    """Return an instruction with strings for masks, and with scanners for repeated sets."""
    kind = instruction[0]
    if kind in (SET, PEEK):
        _, mask, then = instruction
        return kind, _letters(mask), then
    if kind == CHOICE:
        return kind, {chr(found): targets for found, targets in enumerate(instruction[1])}
    if kind == STRETCH:
        _, mask, *others = instruction
        return kind, _scanner(mask), *others
    if kind in (SPAN, SPAN_LAZY):
        _, mask, least, most, *others = instruction
        if kind == SPAN_LAZY:
            others = [_letters(mask), *others]
        return kind, _scanner(mask), least, most or 1 << 62, *others
    return instruction


def _scanner(mask: int) -> Callable[..., Any]:
    """Return what reads characters of some classes, as many as there are."""
    return re.compile(f"[{re.escape(_letters(mask))}]*").match
