"""Phase 1: regular merges, inside pretokens. Source: SPEC section 4."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from superword.errors import InputError
from superword.model import Op
from superword.reference.pairs import Pairs
from superword.reference.tokens import Tokens, alphabet_tokens
from superword.settings import Settings


def train_merges(
    pretokens: Sequence[tuple[bytes, int]],
    settings: Settings,
    progress: Callable[[str, int, int], None] | None = None,
) -> tuple[list[Op], str]:
    """Merge the best pair again and again, to `settings.regular_vocab_size` tokens.

    `pretokens` are distinct (bytes, count). Returns the ops and why they end: "vocab_size",
    "min_count" (pairs are left, but rarer) or "no_pairs". Raises InputError for a byte that the
    alphabet lacks, TrainingError if a count could pass 2^63 - 1. SPEC section 4.

    >>> settings = Settings("bpe", 258, 258, 0)
    >>> train_merges([(b"abab", 2), (b"b", 9)], settings)[0][1]
    Op(kind='merge', left=256, right=256, new=257, count=2)
    """
    tokens = Tokens(settings.alphabet)
    number = byte_tokens(pretokens, settings.alphabet)
    sequences = (([number[byte] for byte in pretoken], count) for pretoken, count in pretokens)
    pairs = Pairs(tokens, sequences, settings.rules, settings.max_token_bytes, None)
    size = len(tokens)
    ops: list[Op] = []
    while True:
        if progress is not None:
            progress("merges", len(tokens) - size, settings.regular_vocab_size - size)
        if len(tokens) >= settings.regular_vocab_size:
            return ops, "vocab_size"
        pair = pairs.best()
        if pair is None:
            return ops, "no_pairs"
        if pairs.counts[pair] < settings.min_count:
            return ops, "min_count"
        new, count = pairs.merge(pair)
        ops.append(Op("merge", *pair, new, count))


def byte_tokens(pretokens: Sequence[tuple[bytes, int]], alphabet: str) -> dict[int, int]:
    """Return the token of every byte of an alphabet.

    Raises InputError for the first byte of the pretokens that the alphabet lacks.

    >>> byte_tokens([("é".encode(), 1)], "utf8")[0xC3]
    193
    """
    number = {token[0]: number for number, token in enumerate(alphabet_tokens(alphabet))}
    for pretoken, _ in pretokens:
        for byte in pretoken:
            if byte not in number:
                raise InputError(
                    f"pretoken {pretoken.hex()} has the byte {byte:02x}, which is not in the"
                    f" alphabet '{alphabet}'; use the alphabet 'bytes'"
                )
    return number
