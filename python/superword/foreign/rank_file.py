"""tiktoken's vocabularies: ranks, of which each token's two parts are found again."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping

from superword.errors import ModelFormatError
from superword.export.ranks import Joined
from superword.foreign.vocabulary import check_sizes, shown
from superword.reference.replay import encode_pretoken

_LINE = re.compile(rb"([A-Za-z0-9+/]+={0,2}) (0|[1-9][0-9]{0,9})\r?")


def read_ranks(data: bytes) -> dict[bytes, int]:
    r"""The ranks of a `.tiktoken` file: a line a token, its bytes in base64 and its rank.

    Args:
        data: the bytes of the file.

    Returns:
        The rank of each token.

    Raises:
        ModelFormatError: a line is no such line, or repeats a token; it is named.

    >>> read_ranks(b"YQ== 0\nYmM= 1\n")
    {b'a': 0, b'bc': 1}
    """
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        match = _LINE.fullmatch(line)
        token = _decoded(match[1]) if match else None
        if match is None or not token:
            raise ModelFormatError(
                f"line {number} must be the bytes of a token in base64, a space, and its rank"
            )
        if token in ranks:
            raise ModelFormatError(f"line {number} repeats token {shown(token)}")
        ranks[token] = int(match[2])
    if not ranks:
        raise ModelFormatError("there is no token in the file")
    return ranks


def _decoded(text: bytes) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        return None


def merges_of_ranks(ranks: Mapping[bytes, int]) -> list[tuple[bytes, bytes]]:
    """For each token of more than one byte, in the order of ranks, the two it is made of.

    They are what merging its bytes by the ranks below its own ends in. If that is two parts for
    every token, then merging these pairs in order gives the same for every text as merging by
    ranks does, and as taking a whole piece that is a token at once: `superword.export.ranks` has
    the proof.

    Args:
        ranks: the rank of each token, a number of its own.

    Returns:
        The pairs.

    Raises:
        ModelFormatError: some token ends otherwise, so no list of merges says the same.

    >>> merges_of_ranks({b"a": 0, b"b": 1, b"ab": 2, b"abb": 7})
    [(b'a', b'b'), (b'ab', b'b')]
    """
    check_sizes(ranks)
    tokens = sorted(ranks, key=lambda token: (len(token) > 1, ranks[token]))
    alphabet = sum(len(token) == 1 for token in tokens)
    places = {token[0]: place for place, token in enumerate(tokens[:alphabet])}
    joined = Joined(tokens, alphabet)
    merges = []
    for place in range(alphabet, len(tokens)):
        token = tokens[place]
        missing = set(token).difference(places)
        if missing:
            raise ModelFormatError(
                f"token {shown(token)} has the byte {shown(bytes([min(missing)]))}, which is no "
                "token of its own"
            )
        found = encode_pretoken([places[byte] for byte in token], joined)
        if len(found) != 2:
            parts = ", ".join(shown(tokens[part]) for part in found[:8])
            raise ModelFormatError(
                f"token {shown(token)} (rank {ranks[token]}) is not made of two tokens: merging "
                f"its bytes by the ranks below its own ends in {len(found)}, {parts}"
                f"{', …' if len(found) > 8 else ''}. A text that is this token gives its id, "
                "and merging never does: no list of merges says the same"
            )
        merges.append((tokens[found[0]], tokens[found[1]]))
        joined.add(place)
    return merges
