"""BoundlessBPE in two phases, by recounting: the normative result (SPEC section 8)."""

from collections import Counter

from oracle.bpe import BYTES, best_pair, count_pairs, replace_pair, train_bpe
from oracle.superbpe import candidates


def train_two_phase(documents, vocab_size, eligible=lambda pretoken: True, alphabet=BYTES):
    """Ops and vocabulary in order of creation."""
    pretokens = Counter(pretoken for document in documents for pretoken in document)
    merges, _, words = train_bpe(sorted(pretokens.items()), vocab_size, "superword", alphabet)
    single = {tokens[0] for tokens, _ in words if len(tokens) == 1}
    runs = candidates(documents, single, eligible)
    vocabulary, ops, replayed = list(alphabet), [], 0
    while len(vocabulary) < vocab_size:
        best, super_count = best_pair(count_pairs((run, 1) for run in runs))
        regular_count = merges[replayed][3] if replayed < len(merges) else 0
        if super_count > regular_count:
            op = ("supermerge", *best, super_count)
            runs = [replace_pair(run, *best) for run in runs]
        elif regular_count:
            op = merges[replayed]
            replayed += 1
        else:
            break
        ops.append(op)
        if op[1] + op[2] not in vocabulary:
            vocabulary.append(op[1] + op[2])
    return ops, vocabulary
