"""SuperBPE and BoundlessBPE on a phase 1 with deletions (SPEC sections 6 and 8)."""

from collections import Counter

from oracle.bpe import BYTES, best_pair, count_pairs, replace_pair
from oracle.picky import train_picky
from oracle.picky_encode import encode_pretoken
from oracle.superbpe import candidates


def phase_1(documents, vocab_size, tau, blow_up, eligible, alphabet, **limits):
    """The ops of phase 1, its vocabulary, and the candidates."""
    pretokens = Counter(pretoken for document in documents for pretoken in document)
    ops, vocabulary, _ = train_picky(
        sorted(pretokens.items()), vocab_size, tau, blow_up, alphabet, **limits
    )
    single = {p for p in pretokens if encode_pretoken(p, ops, blow_up, alphabet) == [p]}
    return ops, vocabulary, candidates(documents, single, eligible)


def train_superbpe(
    documents, regular_vocab_size, supermerges, tau, blow_up, eligible, alphabet=BYTES, **limits
):
    """Ops, and vocabulary in order of (last) creation."""
    ops, vocabulary, runs = phase_1(
        documents, regular_vocab_size, tau, blow_up, eligible, alphabet, **limits
    )
    wanted = len(vocabulary) + supermerges
    while len(vocabulary) < wanted:
        best, count = best_pair(count_pairs((run, 1) for run in runs))
        if best is None or count < limits.get("min_count", 1):
            break
        ops.append(("supermerge", *best, count))
        if best[0] + best[1] not in vocabulary:
            vocabulary.append(best[0] + best[1])
        runs = [replace_pair(run, *best) for run in runs]
    return ops, vocabulary


def train_boundless(documents, vocab_size, tau, blow_up, eligible, alphabet=BYTES, **limits):
    """Ops, and vocabulary in order of (last) creation."""
    waiting, _, runs = phase_1(documents, vocab_size, tau, blow_up, eligible, alphabet, **limits)
    ops, vocabulary = [], list(alphabet)
    while True:
        while waiting and waiting[0][0] == "delete":
            ops.append(waiting.pop(0))
            if ops[-1][1] in vocabulary:
                vocabulary.remove(ops[-1][1])
        if len(vocabulary) >= vocab_size:
            break
        totals = count_pairs((run, 1) for run in runs)
        known = lambda pair: vocabulary.count(pair[0]) and vocabulary.count(pair[1])  # noqa: E731
        best, count = best_pair(totals) if waiting else best_pair(totals, allowed=known)
        wins = best is not None and count >= limits.get("min_count", 1) and known(best)
        if wins and (not waiting or count > waiting[0][3]):
            ops.append(("supermerge", *best, count))
            runs = [replace_pair(run, *best) for run in runs]
        elif waiting:
            ops.append(waiting.pop(0))
        else:
            break
        if ops[-1][1] + ops[-1][2] not in vocabulary:
            vocabulary.append(ops[-1][1] + ops[-1][2])
    return ops, vocabulary
