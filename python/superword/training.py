"""`train`: counting followed by training from counts. Composes stages, holds no algorithm."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from types import ModuleType
from typing import TYPE_CHECKING, Literal, TypeVar

from superword import _backend
from superword.arguments import flag
from superword.corpus import DocumentBatches, check_options, find_files
from superword.errors import InputError, InputTypeError, SettingsError
from superword.loading import load_trained
from superword.progress import StageClock, resolve_progress
from superword.report import Stage, warn
from superword.settings import (
    MAX_COUNT,
    Settings,
    resolve_settings,
    resolve_threads,
)
from superword.tokenizer import Tokenizer
from superword.values import BYTES, BytesLike, any_integer, as_bytes, type_name

if TYPE_CHECKING:
    from superword._backend import Counts

Algorithm = Literal["bpe", "superbpe", "boundless"]
Rules = Literal["superword", "incremental"]
Alphabet = Literal["bytes", "utf8"]
IdOrder = Literal["regular-first", "creation"]
Backend = Literal["auto", "rust", "python"]
ProgressArgument = Callable[[str, int, int], object] | bool | None
Path = str | os.PathLike[str]
_Key = TypeVar("_Key")

_EMPTY = "the corpus is empty: the model has the single bytes of its alphabet alone"


def train(
    documents: Iterable[str] | None = None,
    *,
    files: Path | Iterable[Path] | None = None,
    algorithm: Algorithm = "bpe",
    vocab_size: int,
    scheme: str = "gpt4o-uniscript",
    rules: Rules = "superword",
    supermerges: int | None = None,
    regular_fraction: str | float | Fraction | None = None,
    min_count: int = 1,
    max_token_bytes: int | None = None,
    max_superword_pretokens: int | None = None,
    special_tokens: Sequence[str] = (),
    alphabet: Alphabet = "bytes",
    id_order: IdOrder = "regular-first",
    published: bool = False,
    field: str = "text",
    lines: bool = False,
    threads: int | None = None,
    backend: Backend = "auto",
    progress: ProgressArgument = None,
) -> Tokenizer:
    """Train a tokenizer on documents.

    Args:
        documents: any iterable of str; give this or `files`.
        files: a path, a glob or a folder, or a list of them: `.txt` and `.jsonl`, also `.gz` and
            `.zst` of both. A folder is walked in byte order of paths without its hidden files; a
            file reached twice counts once, with a warning.
        algorithm: "bpe" (merges inside pretokens), "superbpe" (then merges across them) or
            "boundless" (both kinds by count).
        vocab_size: tokens wanted, special ones not counted.
        scheme: how text is cut into pretokens: "gpt2", "gpt4", "gpt4o", "gpt4o-scripts" or
            "gpt4o-uniscript".
        rules: "superword" (disjoint pair counts, ties by bytes) or, for "bpe" alone,
            "incremental" (overlapping pair counts, ties by ids).
        supermerges: for "superbpe": how many of the tokens supermerges make.
        regular_fraction: for "superbpe", instead of `supermerges`: the share of `vocab_size` that
            regular merges fill, exact: "9/10", "0.9", Fraction(9, 10) or 0.9.
        min_count: the lowest count at which a pair is merged.
        max_token_bytes: the longest token in bytes; None for no limit.
        max_superword_pretokens: the longest superword in pretokens; None for no limit.
        special_tokens: strings that get ids of their own after all others; they cut documents.
        alphabet: "bytes" (256 single bytes) or "utf8" (the 243 that occur in UTF-8).
        id_order: "regular-first" or "creation".
        published: whether to look at the corpus again, after training, for what a published
            `.model` file says of it, so that the tokenizer can be saved as one.
        field: for `files`: the name of the document in a `.jsonl` line.
        lines: for `files`: whether each line of a `.txt` file is a document.
        threads: None for SUPERWORD_THREADS or else all CPUs this process may use.
        backend: "rust", "python", or "auto": SUPERWORD_BACKEND, or else Rust where installed.
        progress: None, True (standard error), or a callable (stage, done, total); what it raises
            ends the training.

    Returns:
        The tokenizer, with a `report`.

    Raises:
        SettingsError: a setting cannot be used.
        InputError: a document or file cannot be used.
        TrainingError: a count would pass 2**63 - 1.
        BackendError: the backend is not installed.

    >>> import superword
    >>> tokenizer = superword.train(["a rose is a rose is a rose"], vocab_size=260)
    >>> [tokenizer.token_bytes(i) for i in range(256, 260)]
    [b' r', b' ro', b' ros', b' rose']

    Source: SPEC sections 3, 4 and 8.
    """
    settings = resolve_settings(
        algorithm=algorithm,
        vocab_size=vocab_size,
        scheme=scheme,
        rules=rules,
        supermerges=supermerges,
        regular_fraction=regular_fraction,
        min_count=min_count,
        max_token_bytes=max_token_bytes,
        max_superword_pretokens=max_superword_pretokens,
        special_tokens=special_tokens,
        alphabet=alphabet,
        id_order=id_order,
    )
    if (documents is None) == (files is None):
        raise SettingsError(
            "train needs exactly one of documents and files, "
            f"not {'neither' if files is None else 'both'}"
        )
    field, lines = check_options(field, lines)
    if files is None and (field != "text" or lines):
        raise SettingsError("field and lines are for files and have no meaning for documents")
    count = resolve_threads(threads)
    clock = StageClock(resolve_progress(progress))
    module = _backend.load(backend)
    published = _published(module, published, settings)
    try:
        if files is not None:
            found = find_files(files, field, lines)
            warn(found.notices)
            clock.begin("count")
            counts: Counts = module.count_files(
                found.sources, *_how_to_count(settings), count, clock
            )
            notices = [*found.notices, *counts.notices]
        else:
            clock.begin("count")
            counts = _count_documents(module, DocumentBatches(documents), settings, count, clock)
            notices = [*counts.notices]
        warn(counts.notices)
        return _train_counts(module, counts, settings, count, clock, notices, published)
    finally:
        clock.close()


def train_from_counts(
    pretokens: Iterable[tuple[BytesLike, int]],
    runs: Iterable[tuple[Sequence[BytesLike], int]] | None = None,
    *,
    documents: int = 0,
    algorithm: Algorithm = "bpe",
    vocab_size: int,
    scheme: str = "gpt4o-uniscript",
    rules: Rules = "superword",
    supermerges: int | None = None,
    regular_fraction: str | float | Fraction | None = None,
    min_count: int = 1,
    max_token_bytes: int | None = None,
    max_superword_pretokens: int | None = None,
    special_tokens: Sequence[str] = (),
    alphabet: Alphabet = "bytes",
    id_order: IdOrder = "regular-first",
    published: bool = False,
    threads: int | None = None,
    backend: Backend = "auto",
    progress: ProgressArgument = None,
) -> Tokenizer:
    """Train a tokenizer on counts that were made elsewhere.

    Args:
        pretokens: (bytes, count) of every distinct pretoken.
        runs: (tuple of bytes, count) of every distinct maximal run of two or more consecutive
            eligible pretokens; only "superbpe" and "boundless" use them.
        documents: how many documents were counted, for the model's totals.
        algorithm, vocab_size and so on: as in `train`; `scheme` must be the one that cut the text.

    Returns:
        The tokenizer, with a `report`.

    Raises:
        InputError: a table cannot be used. Otherwise as `train`.

    >>> import superword
    >>> tokenizer = superword.train_from_counts([(b"rose", 3), (b" is", 2)], vocab_size=258)
    >>> tokenizer.token_bytes(257)
    b'ose'

    Source: SPEC sections 4, 6 and 8.
    """
    settings = resolve_settings(
        algorithm=algorithm,
        vocab_size=vocab_size,
        scheme=scheme,
        rules=rules,
        supermerges=supermerges,
        regular_fraction=regular_fraction,
        min_count=min_count,
        max_token_bytes=max_token_bytes,
        max_superword_pretokens=max_superword_pretokens,
        special_tokens=special_tokens,
        alphabet=alphabet,
        id_order=id_order,
    )
    count = resolve_threads(threads)
    clock = StageClock(resolve_progress(progress))
    module = _backend.load(backend)
    published = _published(module, published, settings)
    try:
        clock.begin("count")
        counts: Counts = module.count_table(
            _table("pretoken", pretokens, _pretoken),
            [] if runs is None else _table("run", runs, _run),
            _documents(documents),
        )
        warn(counts.notices)
        return _train_counts(module, counts, settings, count, clock, [*counts.notices], published)
    finally:
        clock.close()


def _count_documents(
    module: ModuleType,
    batches: DocumentBatches,
    settings: Settings,
    threads: int,
    clock: StageClock,
) -> Counts:
    try:
        counts: Counts = module.count_documents(batches, *_how_to_count(settings), threads, clock)
    except UnicodeEncodeError as error:
        ours = batches.surrogate_error()
        if ours is None:  # it is the iterable that raised it
            raise
        raise ours from error
    return counts


def _how_to_count(settings: Settings) -> tuple[str, tuple[str, ...], bool]:
    """Scheme, special tokens, and whether runs are wanted."""
    return settings.scheme, settings.special_tokens, settings.algorithm != "bpe"


def _train_counts(
    module: ModuleType,
    counts: Counts,
    settings: Settings,
    threads: int,
    clock: StageClock,
    notices: list[str],
    published: bool,
) -> Tokenizer:
    """Everything after counting."""
    if not counts.pretokens:
        notices.append(_EMPTY)
        warn([_EMPTY])
    clock.begin("merges")
    data, stop = module.train_counts(counts, settings, clock, threads)
    rows = module.publish(counts, settings, data, clock) if published else None

    def stages() -> tuple[Stage, ...]:
        clock.end()
        return tuple(Stage(name, seconds) for name, seconds in clock.seconds())

    clock.begin("load")
    return Tokenizer._make(
        module,
        load_trained(module, data, rows, notices),
        asked=settings.vocab_size,
        stop=stop,
        threads=threads,
        stages=stages,
    )


def _published(module: ModuleType, value: object, settings: Settings) -> bool:
    """Whether a published file is wanted, which is refused for settings it cannot hold."""
    wanted = flag("published", value)
    if wanted:
        module.check_publishable(settings)
    return wanted


def _table(name: str, rows: object, key: Callable[[str, object], _Key]) -> list[tuple[_Key, int]]:
    """A table of counts, checked row by row; what the values mean is for the backend to check."""
    if isinstance(rows, (str, *BYTES)) or not isinstance(rows, Iterable):
        raise InputTypeError(f"{name}s must be an iterable of pairs, not {type_name(rows)}")
    table = []
    for number, row in enumerate(rows):
        what = f"{name} {number}"
        if not isinstance(row, (tuple, list)) or len(row) != 2:
            raise InputTypeError(f"{what}: must come as a pair, with its count second")
        count = any_integer(f"{what}: the count", row[1], InputTypeError)
        if not 1 <= count <= MAX_COUNT:
            raise InputError(f"{what}: the count must be from 1 to 2^63 - 1")
        table.append((key(what, row[0]), count))
    return table


def _pretoken(what: str, value: object) -> bytes:
    pretoken = as_bytes(value)
    if pretoken is None:
        raise InputTypeError(f"{what}: must be bytes, not {type_name(value)}")
    return pretoken


def _run(what: str, value: object) -> tuple[bytes, ...]:
    if not isinstance(value, (tuple, list)):
        raise InputTypeError(f"{what}: must be a tuple of bytes, not {type_name(value)}")
    run = []
    for item in value:
        pretoken = as_bytes(item)
        if pretoken is None:
            raise InputTypeError(f"{what}: must hold bytes alone, not {type_name(item)}")
        run.append(pretoken)
    return tuple(run)


def _documents(value: object) -> int:
    number = any_integer("the number of documents", value, InputTypeError)
    if not 0 <= number <= MAX_COUNT:
        raise InputError("the number of documents must be from 0 to 2^63 - 1")
    return number
