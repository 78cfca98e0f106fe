"""A vocabulary with ids from elsewhere, as a model that gives exactly these ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from superword.errors import ModelFormatError
from superword.model import Model, Op
from superword.reference.final_ids import gpt2_place
from superword.reference.unicode import UNICODE_VERSION
from superword.reference.vocabulary import alphabet_tokens
from superword.settings import MAX_IDS, Cutting
from superword.values import printable

#: The longest token, and all together: many times those of any vocabulary in use. (Of a token of n
#: bytes up to n merges are looked up, each by up to n bytes.)
MAX_TOKEN_BYTES = 4096
MAX_TOTAL_BYTES = 1 << 26

_LONGEST_SHOWN = 60  # bytes of a token, in an error


class Foreign(NamedTuple):
    """What a file of another program says."""

    tokens: Mapping[bytes, int]  # the ordinary tokens and their ids
    merges: Sequence[tuple[bytes, bytes]]
    special_tokens: Mapping[str, int]
    cutting: Cutting


def model_of(foreign: Foreign) -> Model:
    """The model that encodes as the file says, with its ids.

    Args:
        foreign: tokens, merges in the order of their ranks, special tokens, pattern.

    Returns:
        A model of algorithm "bpe", with counts of 0.

    Raises:
        ModelFormatError: there is no such model; the text names the token, the merge or the id.

    Source: SPEC 5.1, 9.
    """
    special = sorted(foreign.special_tokens.items(), key=lambda item: item[1])
    tokens = _in_order(foreign.tokens, special)
    alphabet, id_order = _alphabet(tokens)
    ops = _ops(foreign, alphabet, tokens)
    size = len(tokens)
    ids = [token_id for _, token_id in special]
    cutting = foreign.cutting
    return Model(
        algorithm="bpe",
        alphabet=alphabet,
        rules="incremental" if cutting.scheme == "none" else "superword",
        scheme=cutting.scheme,
        id_order=id_order,
        special_tokens=tuple(token for token, _ in special),
        unicode=UNICODE_VERSION,
        pattern=cutting.pattern,
        script_pattern=cutting.script_pattern,
        scripts=cutting.scripts,
        eligible_pattern=cutting.eligible_pattern,
        tau=None,
        blow_up=None,
        ngram_floor=None,
        ngram_max_length=None,
        documents=0,
        bytes=0,
        pretokens=0,
        distinct_pretokens=0,
        ops=ops,
        special_ids=None if ids == list(range(size, size + len(ids))) else tuple(ids),
    )


def check_sizes(tokens: Iterable[bytes]) -> None:
    """Refuse a vocabulary on which work would take too long; raises ModelFormatError."""
    total = 0
    for token in tokens:
        total += len(token)
        if len(token) > MAX_TOKEN_BYTES:
            raise ModelFormatError(f"token {shown(token)} is longer than {MAX_TOKEN_BYTES} bytes")
        if total > MAX_TOTAL_BYTES:
            raise ModelFormatError(f"the tokens have more than {MAX_TOTAL_BYTES} bytes in all")


def shown(token: bytes | str) -> str:
    """A token as a literal, on one line and not too long.

    >>> shown(b"a b"), shown("<s>")
    ("b'a b'", "'<s>'")
    """
    if isinstance(token, str):
        return f"'{printable(token[:_LONGEST_SHOWN])}{'…' if len(token) > _LONGEST_SHOWN else ''}'"
    more = f"… ({len(token)} bytes)" if len(token) > _LONGEST_SHOWN else ""
    return f"{token[:_LONGEST_SHOWN]!r}{more}"


def _in_order(tokens: Mapping[bytes, int], special: Sequence[tuple[str, int]]) -> list[bytes]:
    """The ordinary tokens by id, once it is clear that they have all ids that are free."""
    owners: dict[int, str] = {}
    every = [(shown(token), token_id) for token, token_id in special]
    every += [(shown(token), token_id) for token, token_id in tokens.items()]
    for name, token_id in every:
        if not 0 <= token_id < MAX_IDS:
            raise ModelFormatError(f"token {name} has an id that cannot be one")
        if owners.setdefault(token_id, name) is not name:
            raise ModelFormatError(
                f"tokens {owners[token_id]} and {name} have the same id {token_id}"
            )
    ordered = sorted(tokens, key=tokens.__getitem__)
    taken = {token_id for _, token_id in special}
    free = 0
    for token in ordered:
        while free in taken:
            free += 1
        if tokens[token] != free:
            raise ModelFormatError(
                f"id {free} is unused and token {shown(token)} behind it has id {tokens[token]}: "
                "ids may be unused only behind all ordinary tokens"
            )
        free += 1
    return ordered


def _alphabet(tokens: Sequence[bytes]) -> tuple[str, str]:
    """The alphabet with which a vocabulary begins, and the order of ids that goes with it."""
    in_order = alphabet_tokens("bytes")
    begin = list(tokens[:256])
    if begin == in_order:
        return "bytes", "creation"
    if begin == sorted(in_order, key=lambda byte: gpt2_place(byte[0])):
        return "bytes", "gpt2"
    utf8 = alphabet_tokens("utf8")
    if begin[: len(utf8)] == utf8:
        return "utf8", "creation"
    missing = set(in_order).difference(tokens)
    if missing:
        raise ModelFormatError(
            f"the vocabulary lacks the single byte {shown(min(missing))}: it must have all 256, or "
            "the 243 that occur in UTF-8"
        )
    raise ModelFormatError(
        "the first ordinary tokens must be the single bytes, in their own order or in that of "
        "GPT-2's vocabulary: here they stand otherwise"
    )


def _ops(foreign: Foreign, alphabet: str, tokens: Sequence[bytes]) -> list[Op]:
    """The merges as ops, once it is clear that they make the tokens in the order of their ids."""
    numbers = {token: number for number, token in enumerate(alphabet_tokens(alphabet))}
    size = len(numbers)
    ops: list[Op] = []
    pairs: dict[tuple[bytes, bytes], int] = {}
    for place, (left, right) in enumerate(foreign.merges):
        name = merge_name(place, left, right)
        for part in (left, right):
            if part not in numbers:
                raise ModelFormatError(
                    f"{name}: {shown(part)} is made by no merge before it, and merges must stand "
                    "in the order in which they can be applied"
                )
        earlier = pairs.setdefault((left, right), place)
        if earlier != place:
            raise ModelFormatError(f"{name} repeats merge {earlier}")
        new = numbers.setdefault(left + right, len(numbers))
        if new >= size and (new >= len(tokens) or tokens[new] != left + right):
            raise ModelFormatError(
                f"{name} makes token {shown(left + right)} (id {foreign.tokens[left + right]}), "
                f"and the next id belongs to "
                f"{shown(tokens[new]) if new < len(tokens) else 'none'}: ids must be in the order "
                "of the merges"
            )
        ops.append(Op("merge", numbers[left], numbers[right], new, 0))
    if len(numbers) < len(tokens):
        token = tokens[len(numbers)]
        raise ModelFormatError(
            f"token {shown(token)} (id {foreign.tokens[token]}) is made by no merge: no text would "
            "ever give its id"
        )
    return ops


def merge_name(place: int, left: bytes, right: bytes) -> str:
    """How an error names a merge.

    >>> merge_name(7, b"a", b"b")
    "merge 7 (b'a' and b'b')"
    """
    return f"merge {place} ({shown(left)} and {shown(right)})"
