"""Phase 2: supermerges, over candidates made of whole pretokens. Source: SPEC section 8."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from superword.model import Op
from superword.reference.merges import merge_best
from superword.reference.pairs import Pairs
from superword.reference.vocabulary import alphabet_tokens, vocabulary_of_ops
from superword.settings import Settings

_Progress = Callable[[str, int, int], None] | None


def train_superwords(
    ops: Sequence[tuple[str, int, int, int, int]],
    candidates: Sequence[tuple[tuple[int, ...], int]],
    settings: Settings,
    progress: _Progress = None,
) -> tuple[list[Op], str]:
    """Return the ops of the final model, supermerges among them, and why they end.

    `ops` are those of phase 1, `candidates` sequences of its creation numbers. SuperBPE takes all
    of `ops` and then supermerges; BoundlessBPE replays them against the supermerges. In the result
    creation numbers follow the final order. Why: "vocab_size" (as many tokens as were asked of
    this phase), "min_count" (supermerges are left, but rarer) or "no_pairs". Raises
    ModelFormatError if the ops do not fit together, TrainingError if a count could pass 2^63 - 1.
    SPEC section 8.

    >>> settings = Settings("boundless", 258, 258, 0)
    >>> ops, why = train_superwords([Op("merge", 97, 98, 256, 2)], [((97, 99), 3)], settings)
    >>> [tuple(op) for op in ops], why
    ([('supermerge', 97, 99, 256, 3), ('merge', 97, 98, 257, 2)], 'vocab_size')
    """
    regular = [Op(*op) for op in ops]
    vocabulary = vocabulary_of_ops(regular, settings.alphabet)
    limits = settings.max_token_bytes, settings.max_superword_pretokens
    pairs = Pairs(vocabulary, candidates, *limits)
    alphabet = len(alphabet_tokens(settings.alphabet))
    if settings.algorithm == "superbpe":
        wanted = settings.supermerges
        added, why = merge_best("supermerge", wanted, pairs, settings.min_count, progress)
        final = [*regular, *added]
    else:
        final, why = replay_merges(regular, pairs, alphabet, settings, progress)
    return renumber(final, alphabet), why


def replay_merges(
    ops: Sequence[Op], pairs: Pairs, alphabet: int, settings: Settings, progress: _Progress
) -> tuple[list[Op], str]:
    """BoundlessBPE: of the best supermerge and the next regular merge, the more frequent one."""
    final: list[Op] = []
    put_off: list[tuple[int, int]] = []  # pairs with a part outside the vocabulary
    vocabulary = set(range(alphabet))  # numbers of phase 1 stand for bytes here, made or not yet
    replayed = 0
    while True:
        while replayed < len(ops) and ops[replayed].kind == "delete":
            final.append(ops[replayed])
            vocabulary.discard(ops[replayed].new)
            replayed += 1
        if progress is not None:
            progress("superwords", len(vocabulary) - alphabet, settings.vocab_size - alphabet)
        if len(vocabulary) >= settings.vocab_size:
            return final, "vocab_size"
        regular = ops[replayed] if replayed < len(ops) else None
        pair = pairs.best()
        count = 0 if pair is None else pairs.counts[pair]
        # A part that is not in the vocabulary, not yet or not any more, gives way. Without deletes
        # it cannot happen when `ops` and the candidates come from the same corpus.
        known = pair is not None and vocabulary.issuperset(pair)
        if (
            pair is not None
            and known
            and count >= settings.min_count
            and (regular is None or count > regular.count)
        ):
            op = pairs.merge(pair, "supermerge")
            if op.new not in vocabulary:
                pairs.take_back([pair for pair in put_off if op.new in pair])
        elif regular is not None:
            op = regular
            replayed += 1
        elif pair is not None and not known:
            pairs.put_off(pair)
            put_off.append(pair)
            continue
        else:
            return final, "no_pairs" if pair is None else "min_count"
        final.append(op)
        vocabulary.add(op.new)


def renumber(ops: Sequence[Op], alphabet: int) -> list[Op]:
    """Give every token the number that follows from the order of `ops`.

    >>> renumber([Op("merge", 97, 98, 300, 2), Op("merge", 300, 98, 299, 1)], 256)[1][1:4]
    (256, 98, 257)
    """
    number = {old: old for old in range(alphabet)}
    out = []
    for kind, left, right, new, count in ops:
        out.append(
            Op(kind, number[left], number[right], number.setdefault(new, len(number)), count)
        )
    return out
