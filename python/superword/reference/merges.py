"""Phase 1: regular merges, inside pretokens. Source: SPEC section 4."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from superword.errors import InputError
from superword.model import Op
from superword.reference.deletions import is_used_up
from superword.reference.incremental import merge_incremental
from superword.reference.pairs import Pairs
from superword.reference.vocabulary import Vocabulary, alphabet_tokens
from superword.settings import Settings

_Progress = Callable[[str, int, int], None] | None


def train_merges(
    pretokens: Sequence[tuple[bytes, int]],
    settings: Settings,
    progress: _Progress = None,
) -> tuple[list[Op], str]:
    """Merge the best pair again and again, to `settings.regular_vocab_size` tokens.

    `pretokens` are distinct (bytes, count). Returns the ops and why they end: "vocab_size",
    "min_count" (pairs are left, but rarer) or "no_pairs". Raises InputError for a byte that the
    alphabet lacks, TrainingError if a count could pass 2^63 - 1. SPEC section 4.

    >>> settings = Settings("bpe", 258, 258, 0)
    >>> train_merges([(b"abab", 2), (b"b", 9)], settings)[0][1]
    Op(kind='merge', left=256, right=256, new=257, count=2)
    """
    vocabulary = Vocabulary(settings.alphabet)
    wanted = settings.regular_vocab_size - len(vocabulary)
    number = byte_tokens(pretokens, settings.alphabet)
    sequences = (([number[byte] for byte in pretoken], count) for pretoken, count in pretokens)
    longest = settings.max_token_bytes
    if settings.rules == "incremental":
        tokens = len(vocabulary)
        return merge_incremental(sequences, tokens, wanted, settings.min_count, longest, progress)
    pairs = Pairs(vocabulary, sequences, longest, None, settings.blow_up)
    return merge_best("merge", wanted, pairs, settings.min_count, progress, settings.tau)


def merge_best(
    kind: str,
    wanted: int,
    pairs: Pairs,
    min_count: int,
    progress: _Progress,
    tau: Fraction | None = None,
) -> tuple[list[Op], str]:
    """Merge the best pair again and again, until `wanted` tokens are added.

    `kind` is that of the ops, "merge" or "supermerge". With `tau` a merge is followed by the
    deletes of what it uses up. Returns the ops and why they end.

    >>> pairs = Pairs(Vocabulary("bytes"), [(b"abc", 2)], None, None)
    >>> merge_best("merge", 9, pairs, 3, None)
    ([], 'min_count')
    """
    size = pairs.vocabulary.size
    ops: list[Op] = []
    while True:
        added = pairs.vocabulary.size - size
        if progress is not None:
            progress("merges" if kind == "merge" else "superwords", added, wanted)
        if added >= wanted:
            return ops, "vocab_size"
        pair = pairs.best()
        if pair is None:
            return ops, "no_pairs"
        if pairs.counts[pair] < min_count:
            return ops, "min_count"
        before = [pairs.standing[token] for token in pair] if tau is not None else []
        op = pairs.merge(pair, kind)
        ops.append(op)
        if tau is not None:
            for token, standing in dict(zip(pair, before, strict=True)).items():
                is_byte = len(pairs.vocabulary.tokens[token]) == 1
                if not is_byte and is_used_up(op.count, standing, tau):
                    ops.append(pairs.delete(token))


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
