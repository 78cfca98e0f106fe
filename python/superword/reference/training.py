"""From counts to the artifact: the stages of training one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from superword.model import Model
from superword.reference.candidates import single_token_pretokens, split_runs
from superword.reference.counts import Counts
from superword.reference.merges import train_merges
from superword.reference.model_file import model_to_bytes
from superword.reference.ngram_split import split_ngrams
from superword.reference.superwords import train_superwords
from superword.reference.unicode import UNICODE_VERSION
from superword.settings import Settings, fraction_text


def train_counts(
    counts: Counts,
    settings: Settings,
    progress: Callable[[str, int, int], None] | None = None,
    threads: int = 1,
) -> tuple[bytes, str, tuple[int, int, int, int] | None]:
    """Train on counts: phase 1, the candidates and phase 2 as the algorithm asks.

    Args:
        counts: what counting the documents gave.
        settings: validated settings.
        progress: called with (stage, done, total).
        threads: for the compiled backend; this one works alone.

    Returns:
        The artifact; why training stopped ("vocab_size", "no_pairs" or "min_count"); with n-gram
        splitting how many candidates there are, distinct and in all, before and after it.

    Raises:
        TrainingError: a count would pass 2^63 - 1.

    >>> from superword.reference.counts import count_table
    >>> counts = count_table([(b"ab", 3)], [], 1)
    >>> artifact, stop, _ = train_counts(counts, Settings("bpe", 300, 300, 0))
    >>> artifact.split(b"\\n")[1], stop
    (b'm 97 98 3', 'no_pairs')

    Source: SPEC 4, 6, 7, 8, 10.
    """
    pretokens = counts.pretoken_counts()
    ops, stop = train_merges(pretokens, settings, progress)
    numbers = None
    if settings.algorithm != "bpe":
        single = single_token_pretokens(ops, pretokens, settings, progress)
        candidates = split_runs(counts.run_counts(), single, progress)
        if settings.ngram_split:
            whole = candidates
            candidates = split_ngrams(ops, whole, settings, progress)
            numbers = (*_distinct_and_all(whole), *_distinct_and_all(candidates))
        ops, last = train_superwords(ops, candidates, settings, progress)
        # SuperBPE can add all its supermerges to a phase 1 that ended early.
        if settings.algorithm != "superbpe" or last != "vocab_size":
            stop = last
    model = Model(
        algorithm=settings.algorithm,
        alphabet=settings.alphabet,
        rules=settings.rules,
        scheme=settings.scheme,
        id_order=settings.id_order,
        special_tokens=settings.special_tokens,
        unicode=UNICODE_VERSION,
        pattern=settings.pattern,
        script_pattern=settings.script_pattern,
        scripts=settings.scripts,
        eligible_pattern=settings.eligible_pattern,
        tau=None if settings.tau is None else fraction_text(settings.tau),
        blow_up=settings.blow_up,
        ngram_floor=settings.ngram_floor if settings.ngram_split else None,
        ngram_max_length=settings.ngram_max_length if settings.ngram_split else None,
        documents=counts.documents,
        bytes=counts.bytes,
        pretokens=counts.pretokens,
        distinct_pretokens=counts.distinct_pretokens,
        ops=ops,
    )
    return model_to_bytes(model), stop, numbers


def _distinct_and_all(candidates: Sequence[tuple[tuple[int, ...], int]]) -> tuple[int, int]:
    return len(candidates), sum(count for _, count in candidates)
