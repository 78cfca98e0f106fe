"""SuperBPE: BPE first, then merges of whole pretokens, recounted every time (SPEC section 8)."""

from collections import Counter

from oracle.bpe import BYTES, best_pair, count_pairs, replace_pair, train_bpe


def candidates(documents, single, eligible=lambda pretoken: True):
    """Maximal runs of two or more neighbours that are eligible and end as one token."""
    runs = []
    for document in documents:
        run = []
        for pretoken in [*document, None]:
            if pretoken is not None and eligible(pretoken) and pretoken in single:
                run.append(pretoken)
                continue
            if len(run) > 1:
                runs.append(run)
            run = []
    return runs


def train_superbpe(
    documents,
    regular_vocab_size,
    supermerges,
    eligible=lambda pretoken: True,
    alphabet=BYTES,
    min_count=1,
    max_ops=None,
    limit_bytes=None,
    limit_pretokens=None,
    by_ids=False,
):
    """Ops and vocabulary in order of creation; `max_ops` stops after that many supermerge ops.

    `by_ids` breaks ties between supermerges by ids, as no rule set does.
    """
    pretokens = Counter(pretoken for document in documents for pretoken in document)
    ops, vocabulary, words = train_bpe(
        sorted(pretokens.items()), regular_vocab_size, "superword", alphabet, min_count, limit_bytes
    )
    single = {tokens[0] for tokens, _ in words if len(tokens) == 1}
    runs = candidates(documents, single, eligible)
    lengths = dict.fromkeys(vocabulary, 1)  # pretokens in a token, as it was first made

    def allowed(pair):
        if limit_bytes is not None and len(pair[0] + pair[1]) > limit_bytes:
            return False
        return limit_pretokens is None or lengths[pair[0]] + lengths[pair[1]] <= limit_pretokens

    wanted, done = len(vocabulary) + supermerges, 0
    while len(vocabulary) < wanted and (max_ops is None or done < max_ops):
        totals = count_pairs((run, 1) for run in runs)
        best, count = best_pair(totals, vocabulary if by_ids else None, allowed)
        if best is None or count < min_count:
            break
        done += 1
        ops.append(("supermerge", *best, count))
        lengths.setdefault(best[0] + best[1], lengths[best[0]] + lengths[best[1]])
        if best[0] + best[1] not in vocabulary:
            vocabulary.append(best[0] + best[1])
        runs = [replace_pair(run, *best) for run in runs]
    return ops, vocabulary
