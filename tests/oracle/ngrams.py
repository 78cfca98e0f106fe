"""Greedy n-gram splitting, by recounting with slices (SPEC section 7)."""

from collections import Counter


def frequent_ngrams(candidates, least, longest):
    """D: the n-grams of two or more that occur `least` times, size by size as Apriori counts."""
    known, found = {}, set()
    for size in range(1, longest + 1):
        counts = Counter()
        for candidate, count in candidates:
            for start in range(len(candidate) - size + 1):
                ngram = tuple(candidate[start : start + size])
                if size == 1 or (
                    known.get(ngram[:-1], 0) >= least and known.get(ngram[1:], 0) >= least
                ):
                    counts[ngram] += count
        known = counts
        added = {ngram for ngram, count in counts.items() if size > 1 and count >= least}
        if size > 1 and not added:
            break
        found |= added
    return found


def cut(candidate, ngrams):
    """All pieces of a candidate from left to right, single pretokens too."""
    pieces, start = [], 0
    while start < len(candidate):
        end = start + 1
        while end < len(candidate) and tuple(candidate[start : end + 1]) in ngrams:
            end += 1
        pieces.append(tuple(candidate[start:end]))
        start = end
    return pieces


def split(candidates, least, longest):
    """The pieces of two or more with their counts, in order."""
    ngrams = frequent_ngrams(candidates, least, longest)
    if not ngrams:
        return list(candidates)
    pieces = Counter()
    for candidate, count in candidates:
        for piece in cut(candidate, ngrams):
            if len(piece) > 1:
                pieces[piece] += count
    return sorted(pieces.items())
