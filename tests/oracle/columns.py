"""What published files say of the corpus, by replaying one op after the other everywhere."""

from __future__ import annotations

from oracle.picky import blow, parts_of

Sequence = list[bytes]


def replace(sequence: Sequence, left: bytes, right: bytes) -> Sequence:
    """One pass from left to right."""
    out: Sequence = []
    at = 0
    while at < len(sequence):
        if sequence[at : at + 2] == [left, right]:
            out.append(left + right)
            at += 2
        else:
            out.append(sequence[at])
            at += 1
    return out


def replay(
    ops: list[tuple[str, bytes, bytes]], sequences: list[tuple[Sequence, int]], blow_up: str | None
) -> tuple[list[bool], dict[bytes, int]]:
    """By merge whether it made some sequence whole; by token how often it stands at the end.

    Ops are (kind, left, right), of a delete its token twice.
    """
    flags = []
    for kind, left, right in ops:
        if kind == "delete":
            parts = parts_of(left, ops, blow_up)
            sequences[:] = [(blow(before, left, parts), n) for before, n in sequences]
            continue
        flag = False
        for index, (before, count) in enumerate(sequences):
            after = replace(before, left, right)
            flag = flag or (len(before) > 1 and len(after) == 1)
            sequences[index] = after, count
        flags.append(flag)
    counts: dict[bytes, int] = {}
    for sequence, count in sequences:
        for token in sequence:
            counts[token] = counts.get(token, 0) + count
    return flags, counts
