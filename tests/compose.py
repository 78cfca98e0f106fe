"""The stages of training composed by hand, with tokens as bytes: what tests compare."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import Any

from superword.settings import Settings, fraction_text

ALPHABETS = {
    "bytes": [bytes([b]) for b in range(256)],
    "utf8": [bytes([b]) for b in [*range(0xC0), *range(0xC2, 0xF5)]],
}


def settings_for(algorithm: str, vocab_size: int, supermerges: int = 0, **others: Any) -> Settings:
    """Resolved settings, as `train` would make them."""
    return Settings(algorithm, vocab_size, vocab_size - supermerges, supermerges, **others)


def has_letter(pretoken: bytes) -> bool:
    """What is eligible in the documents that tests make up."""
    return any(character.isalpha() for character in pretoken.decode())


def tables(documents: list[list[bytes]]) -> tuple[list[Any], list[Any]]:
    """Documents given as pretokens -> the tables of pretokens and of runs, both in order."""
    pretokens = Counter(pretoken for document in documents for pretoken in document)
    runs: Counter[tuple[bytes, ...]] = Counter()
    for document in documents:
        for joins, group in groupby(document, has_letter):
            run = tuple(group)
            if joins and len(run) > 1:
                runs[run] += 1
    return sorted(pretokens.items()), sorted(runs.items())


def spell(ops: Any, alphabet: str) -> tuple[list[Any], list[bytes]]:
    """Ops with bytes for creation numbers, and the vocabulary in order of (last) creation."""
    known, spelled = list(ALPHABETS[alphabet]), []
    vocabulary = dict.fromkeys(known)
    for kind, left, right, new, count in ops:
        spelled.append((kind, known[left], known[right], count))
        if kind == "delete":
            assert left == right == new
            assert count == 0
            vocabulary.pop(known[new], None)
            continue
        token = known[left] + known[right]
        if new == len(known):
            known.append(token)
        assert known[new] == token
        vocabulary.setdefault(token)
    assert len(set(known)) == len(known), "one byte string, one number"
    return spelled, list(vocabulary)


def train_tables(
    backend: Any, pretokens: list[Any], runs: list[Any], settings: Settings
) -> tuple[list[Any], str]:
    """Ops and the reason of the stop, stage by stage."""
    ops, stop = backend.train_merges(pretokens, settings)
    if settings.algorithm != "bpe":
        ops, last = add_superwords(backend, ops, pretokens, runs, settings)
        # all supermerges of SuperBPE are no full vocabulary where phase 1 ended early
        stop = stop if settings.algorithm == "superbpe" and last == "vocab_size" else last
    return [tuple(op) for op in ops], stop


def add_superwords(
    backend: Any, merges: Any, pretokens: list[Any], runs: list[Any], settings: Settings
) -> tuple[Any, str]:
    """Everything after phase 1."""
    if settings.algorithm == "bpe":
        return merges, "vocab_size"
    single = backend.single_token_pretokens(merges, pretokens, settings)
    candidates = backend.split_runs(runs, single)
    if settings.ngram_split:
        candidates = backend.split_ngrams(merges, candidates, settings)
    ops, stop = backend.train_superwords(merges, candidates, settings)
    return ops, stop


def model_tuple(backend: Any, counts: Any, settings: Settings, ops: Any) -> tuple[Any, ...]:
    """The model that training makes of these counts."""
    return (
        settings.algorithm,
        settings.alphabet,
        settings.rules,
        settings.scheme,
        settings.id_order,
        list(settings.special_tokens),
        backend.UNICODE_VERSION,
        settings.pattern,
        settings.script_pattern,
        settings.scripts,
        settings.eligible_pattern,
        None if settings.tau is None else fraction_text(settings.tau),
        settings.blow_up,
        settings.ngram_floor if settings.ngram_split else None,
        settings.ngram_max_length if settings.ngram_split else None,
        counts.documents,
        counts.bytes,
        counts.pretokens,
        counts.distinct_pretokens,
        ops,
    )


def train_documents(
    backend: Any, documents: list[list[bytes]], settings: Settings
) -> tuple[list[Any], list[bytes]]:
    """Documents given as pretokens -> spelled ops and the vocabulary."""
    ops, _ = train_tables(backend, *tables(documents), settings)
    return spell(ops, settings.alphabet)


def count_texts(backend: Any, texts: list[str], settings: Settings, threads: int = 1) -> Any:
    """The counts of some texts."""
    runs = settings.algorithm != "bpe"
    special = list(settings.special_tokens)
    return backend.count_documents([texts], settings.cutting, special, runs, threads)


def train_texts(backend: Any, texts: list[str], settings: Settings, threads: int = 1) -> bytes:
    """The artifact of some texts, by the fused call."""
    artifact, *_ = backend.train_counts(count_texts(backend, texts, settings, threads), settings)
    assert isinstance(artifact, bytes)
    return artifact
