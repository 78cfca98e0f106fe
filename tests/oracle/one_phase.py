"""The encoder of the original one-phase program: each op once, over the whole document."""

from __future__ import annotations

from oracle.columns import replace

Op = tuple[str, bytes, bytes]  # "merge" or "supermerge", left, right


def encode(pretokens: list[bytes], ops: list[Op]) -> list[bytes]:
    """The tokens of a document given as pretokens."""
    text = b"".join(pretokens)
    document = [[bytes([byte]) for byte in pretoken] for pretoken in pretokens]
    for kind, left, right in ops:
        if left + right not in text:  # nothing to do
            continue
        if kind == "merge":
            document = [replace(part, left, right) for part in document]
            continue
        joined: list[list[bytes]] = []
        for part in document:
            # What this op has just made is longer than its parts: it is not taken again.
            if part == [right] and joined and joined[-1] == [left]:
                joined[-1] = [left + right]
            else:
                joined.append(part)
        document = joined
    return [token for part in document for token in part]
