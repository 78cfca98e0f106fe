"""PickyBPE: BPE that deletes tokens, recounted before every step (SPEC section 5)."""

from collections import Counter

from oracle.bpe import BYTES, best_pair, count_pairs, replace_pair


def parts_of(token, ops, blow_up):
    """What stands for a deleted token: its bytes, or the parts of its earliest merge."""
    if blow_up == "bytes":
        return [bytes([b]) for b in token]
    return next(
        [left, right] for kind, left, right, *_ in ops if (kind, left + right) == ("merge", token)
    )


def blow(tokens, token, parts):
    """Every occurrence of a token replaced by its parts."""
    return [part for old in tokens for part in (parts if old == token else [old])]


def survivors(ops, alphabet=BYTES):
    """The vocabulary that ops leave, in order of (last) creation."""
    vocabulary = dict.fromkeys(alphabet)
    for kind, left, right, *_ in ops:
        if kind == "delete":
            vocabulary.pop(left, None)
        else:
            vocabulary.setdefault(left + right)
    return list(vocabulary)


def train_picky(pretokens, vocab_size, tau, blow_up, alphabet=BYTES, min_count=1, limit=None):
    """Ops, vocabulary in order of (last) creation, and the pretokens as lists of tokens at the end.

    A delete is written ("delete", token, token, 0).
    """
    ops, vocabulary = [], list(alphabet)
    words = [([bytes([b]) for b in pretoken], count) for pretoken, count in pretokens]
    while len(vocabulary) < vocab_size:
        best, count = best_pair(
            count_pairs(words),
            allowed=lambda pair: limit is None or len(pair[0] + pair[1]) <= limit,
        )
        if best is None or count < min_count:
            break
        before = Counter()
        for tokens, weight in words:
            for token in tokens:
                before[token] += weight
        ops.append(("merge", *best, count))
        words = [(replace_pair(tokens, *best), weight) for tokens, weight in words]
        if best[0] + best[1] not in vocabulary:
            vocabulary.append(best[0] + best[1])
        for token in dict.fromkeys(best):
            if len(token) > 1 and count >= tau * before[token]:
                parts = parts_of(token, ops, blow_up)
                ops.append(("delete", token, token, 0))
                words = [(blow(tokens, token, parts), weight) for tokens, weight in words]
                if token in vocabulary:
                    vocabulary.remove(token)
    return ops, vocabulary, words
