"""BoundlessBPE in ONE phase, from its definition, over raw documents (SPEC section 12.2).

Regular merges and supermerges compete from the first step on, counted in the documents as they
stand. A document is a list of pretokens; `eligible` says which of them may be part of a superword.
"""

from collections import Counter

from oracle.bpe import BYTES, best_pair, count_pairs, replace_pair
from oracle.picky import blow, parts_of


def stretches(document):
    """The maximal stretches of neighbours that are whole tokens now, as lists of tokens."""
    found = [[]]
    for tokens, may_join in document:
        if may_join and len(tokens) == 1:
            found[-1].append(tokens[0])
        else:
            found.append([])
    return found


def supermerge(document, left, right):
    """Join two neighbouring whole tokens wherever they meet, from left to right."""
    result, position = [], 0
    while position < len(document):
        if document[position : position + 2] == [([left], True), ([right], True)]:
            result.append(([left + right], True))
            position += 2
        else:
            result.append(document[position])
            position += 1
    return result


def train_boundless(
    documents,
    vocab_size,
    eligible=lambda pretoken: True,
    alphabet=BYTES,
    tau=None,
    blow_up="pair",
    by_ids=False,
):
    """Ops and vocabulary in order of creation; with `tau` as PickyBPE deletes (section 5).

    `by_ids` breaks ties by ids, as no rule set for superwords does.
    """
    vocabulary, ops = list(alphabet), []
    corpus = [[([bytes([b]) for b in p], eligible(p)) for p in document] for document in documents]
    while len(vocabulary) < vocab_size:
        inside = [(tokens, 1) for document in corpus for tokens, _ in document]
        across = [(stretch, 1) for document in corpus for stretch in stretches(document)]
        known = vocabulary if by_ids else None
        regular, regular_count = best_pair(count_pairs(inside), known)
        joined, super_count = best_pair(count_pairs(across), known)
        if regular is None and joined is None:
            break
        if super_count > regular_count:
            pair = joined
            ops.append(("supermerge", *pair, super_count))
            corpus = [supermerge(document, *pair) for document in corpus]
        else:
            pair = regular
            before = Counter(token for tokens, _ in inside for token in tokens)
            ops.append(("merge", *pair, regular_count))
            corpus = [[(replace_pair(t, *pair), may) for t, may in doc] for doc in corpus]
            for token in dict.fromkeys(pair):
                if tau is not None and len(token) > 1 and regular_count >= tau * before[token]:
                    parts = parts_of(token, ops, blow_up)
                    ops.append(("delete", token, token, 0))
                    corpus = [[(blow(t, token, parts), may) for t, may in doc] for doc in corpus]
                    vocabulary = [known for known in vocabulary if known != token]
        if pair[0] + pair[1] not in vocabulary:
            vocabulary.append(pair[0] + pair[1])
    return ops, vocabulary
