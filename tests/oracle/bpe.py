"""BPE over a table of pretokens, recounted from scratch before every merge (SPEC section 4)."""

from collections import Counter

BYTES = [bytes([b]) for b in range(256)]
UTF8 = [bytes([b]) for b in [*range(0xC0), *range(0xC2, 0xF5)]]


def count_pairs(sequences, overlapping=False):
    """How often each pair of neighbours occurs in (sequence, weight) pairs."""
    totals = Counter()
    for tokens, weight in sequences:
        position = 0
        while position < len(tokens) - 1:
            pair = (tokens[position], tokens[position + 1])
            totals[pair] += weight
            # in x x x the second x is used up, unless overlapping pairs count too
            used_up = tokens[position : position + 3] == [pair[0]] * 3 and not overlapping
            position += 2 if used_up else 1
    return totals


def replace_pair(tokens, left, right):
    """Join left and right wherever they meet, from left to right, without overlap."""
    result, position = [], 0
    while position < len(tokens):
        if tokens[position : position + 2] == [left, right]:
            result.append(left + right)
            position += 2
        else:
            result.append(tokens[position])
            position += 1
    return result


def best_pair(totals, vocabulary=None, allowed=lambda pair: True):
    """The pair with the highest count; ties by bytes, or by id if a vocabulary is given."""
    number = {token: n for n, token in enumerate(vocabulary or [])}
    pairs = [pair for pair in totals if totals[pair] > 0 and allowed(pair)]
    if not pairs:
        return None, 0
    if vocabulary is None:
        best = min(pairs, key=lambda pair: (-totals[pair], pair))
    else:
        best = min(pairs, key=lambda p: (-totals[p], number[p[0]], number[p[1]]))
    return best, totals[best]


def train_bpe(pretokens, vocab_size, rules="superword", alphabet=BYTES, min_count=1, limit=None):
    """Ops, vocabulary in order of creation, and the pretokens as lists of tokens at the end."""
    vocabulary, ops = list(alphabet), []
    words = [([bytes([b]) for b in pretoken], count) for pretoken, count in pretokens]
    incremental = rules == "incremental"
    while len(vocabulary) < vocab_size:
        totals = count_pairs(words, overlapping=incremental)
        best, count = best_pair(
            totals,
            vocabulary if incremental else None,
            lambda pair: limit is None or len(pair[0] + pair[1]) <= limit,
        )
        if best is None or count < min_count:
            break
        ops.append(("merge", *best, count))
        if best[0] + best[1] not in vocabulary:
            vocabulary.append(best[0] + best[1])
        words = [(replace_pair(tokens, *best), weight) for tokens, weight in words]
    return ops, vocabulary, words
