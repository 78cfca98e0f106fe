"""What the repetitions of look-arounds have found in a text, by the places from which they go on.

Nothing is given back into a look-around from outside, and it is asked for no more than whether it
finds what it looks for. So what it finds from a repetition on depends on the place alone, and no
place need be looked at twice. A group has a byte for each character of the text. A set has the last
of its runs that was read, no more: if something is found after the first characters of a run, then
from each place before too, so one place tells those from which it is found from the others.
"""

from __future__ import annotations

from superword.reference.pattern_program import Program

#: What is known of a group at a place, where 0 is nothing: from there on the look-around finds what
#: it looks for, or does not; that later may be behind the atom in which the group is.
FOUND, FAILS, FAILS_LATER = 1, 2, 3

# Where a run of characters starts, the first of its places from which nothing is found, and where
# it ends; there is something to find from the end, too
_Run = tuple[int, int, int, int]
_NONE: _Run = (-1, -1, -1, FAILS)


class Memory:
    """What is known of one text, by the numbers of groups and of sets."""

    def __init__(self, program: Program, length: int) -> None:
        self.groups = _Groups(length)
        self.runs = [_NONE] * program.stretches


class _Groups(dict[int, bytearray]):
    """For each place what is known of a group; made where the group is met."""

    def __init__(self, length: int) -> None:
        super().__init__()
        self._length = length

    def __missing__(self, number: int) -> bytearray:
        places = self[number] = bytearray(self._length + 1)
        return places
