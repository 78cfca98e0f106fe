"""Phase 1: regular merges, inside pretokens. Source: SPEC section 4."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from superword.errors import InputError
from superword.model import Op
from superword.reference.pairs import Pairs
from superword.reference.tokens import Tokens
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
    sequences = pretoken_tokens(pretokens, settings.alphabet, tokens)
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


def pretoken_tokens(
    pretokens: Sequence[tuple[bytes, int]], alphabet: str, tokens: Tokens
) -> list[tuple[list[int], int]]:
    """Return the pretokens as sequences of single-byte tokens.

    Raises InputError for the first byte that the alphabet lacks.

    >>> pretoken_tokens([(b"ab", 3)], "bytes", Tokens("bytes"))
    [([97, 98], 3)]
    """
    number = [tokens.numbers.get(bytes([byte])) for byte in range(256)]
    out = []
    for pretoken, count in pretokens:
        sequence = [token for byte in pretoken if (token := number[byte]) is not None]
        if len(sequence) != len(pretoken):
            byte = next(byte for byte in pretoken if number[byte] is None)
            raise InputError(
                f"pretoken {pretoken.hex()} has the byte {byte:02x}, which is not in the alphabet"
                f" '{alphabet}'; use the alphabet 'bytes'"
            )
        out.append((sequence, count))
    return out
