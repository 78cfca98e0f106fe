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
from superword.loading import load_trained, parts
from superword.progress import StageClock, resolve_progress
from superword.report import Candidates, Stage, warn
from superword.settings import (
    ELIGIBLE_PATTERN,
    MAX_COUNT,
    Cutting,
    Settings,
    resolve_settings,
    resolve_threads,
)
from superword.snapshots import cut_to_sizes, resolve_snapshots
from superword.tokenizer import Tokenizer
from superword.values import BYTES, BytesLike, any_integer, as_bytes, is_iterable, type_name

if TYPE_CHECKING:
    from superword._backend import Counts

Algorithm = Literal["bpe", "superbpe", "boundless"]
Rules = Literal["superword", "incremental"]
Alphabet = Literal["bytes", "utf8"]
IdOrder = Literal["regular-first", "creation", "gpt2"]
BlowUp = Literal["pair", "bytes"]
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
    scheme: str | None = None,
    pattern: str | None = None,
    script_pattern: str | None = None,
    scripts: Sequence[str] | None = None,
    eligible_pattern: str = r"\p{L}",
    rules: Rules | None = None,
    supermerges: int | None = None,
    regular_fraction: str | float | Fraction | None = None,
    min_count: int = 1,
    max_token_bytes: int | None = None,
    max_superword_pretokens: int | None = None,
    special_tokens: Sequence[str] = (),
    alphabet: Alphabet = "bytes",
    id_order: IdOrder = "regular-first",
    tau: str | float | Fraction | None = None,
    blow_up: BlowUp | None = None,
    ngram_split: bool = False,
    ngram_floor: int | None = None,
    ngram_max_length: int | None = None,
    snapshots: Sequence[int] = (),
    published: bool = False,
    field: str = "text",
    lines: bool = False,
    threads: int | None = None,
    backend: Backend = "auto",
    progress: ProgressArgument = None,
) -> Tokenizer:
    r"""Train a tokenizer on documents.

    Args:
        documents: any iterable of str; give this or `files`.
        files: a path, a glob or a folder, or a list of them: `.txt` and `.jsonl`, also `.gz` and
            `.zst` of both. A folder is walked in byte order of paths without its hidden files; a
            file reached twice counts once, with a warning.
        algorithm: "bpe" (merges inside pretokens), "superbpe" (then merges across them) or
            "boundless" (both kinds by count).
        vocab_size: tokens wanted, special ones not counted.
        scheme: how text is cut into pretokens: "gpt2", "gpt4", "gpt4o", "gpt4o-scripts" or
            "gpt4o-uniscript", the default; "none": not at all, a document is one pretoken (for
            "bpe", rules "incremental" and alphabet "bytes" alone).
        pattern: instead of `scheme`: a regular expression of the grammar in docs/formats.md, whose
            matches are the pretokens; so is each stretch between two of them.
        script_pattern: beside `pattern`: cuts the chunks of the scripts in `scripts`.
        scripts: long names of scripts; by default "Han", "Hiragana", "Katakana", "Khmer", "Lao",
            "Myanmar" and "Thai".
        eligible_pattern: what a pretoken must hold to be part of a superword; by default a letter,
            `\p{L}`.
        rules: "superword" (disjoint pair counts, ties by bytes) or, for "bpe" alone,
            "incremental" (overlapping pair counts, ties by ids); by default "superword", or
            "incremental" where the scheme is "none".
        supermerges: for "superbpe": how many of the tokens supermerges make.
        regular_fraction: for "superbpe", instead of `supermerges`: the share of `vocab_size` that
            regular merges fill, exact: "9/10", "0.9", Fraction(9, 10) or 0.9.
        min_count: the lowest count at which a pair is merged.
        max_token_bytes: the longest token in bytes; None for no limit.
        max_superword_pretokens: the longest superword in pretokens; None for no limit.
        special_tokens: strings that get ids of their own after all others; they cut documents.
        alphabet: "bytes" (256 single bytes) or "utf8" (the 243 that occur in UTF-8).
        id_order: "regular-first", "creation" or "gpt2" (creation, behind the 256 bytes in the
            order of GPT-2's vocabulary).
        tau: None, or the share of a token, above 0 and at most 1, that a regular merge must take
            to have it deleted (PickyBPE); exact, as `regular_fraction`.
        blow_up: with `tau`: what stands for a deleted token: "pair" (None; the two parts it was
            made of) or "bytes".
        ngram_split: for "superbpe" and "boundless": cut candidates for superwords where they are
            rare, before supermerges are learned.
        ngram_floor: with `ngram_split`: an n-gram rarer than this is cut, 15 if None; one rarer
            than the last regular merge is cut in any case.
        ngram_max_length: with `ngram_split`: the longest piece in pretokens, 30 if None.
        snapshots: smaller vocabulary sizes, ascending, to be had from the same run, each as
            training at that size would give it: `tokenizer.snapshots[size]`.
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
        PatternTooExpensiveError: a pattern takes too many steps on a text.
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
        pattern=pattern,
        script_pattern=script_pattern,
        scripts=scripts,
        eligible_pattern=eligible_pattern,
        rules=rules,
        supermerges=supermerges,
        regular_fraction=regular_fraction,
        min_count=min_count,
        max_token_bytes=max_token_bytes,
        max_superword_pretokens=max_superword_pretokens,
        special_tokens=special_tokens,
        alphabet=alphabet,
        id_order=id_order,
        tau=tau,
        blow_up=blow_up,
        ngram_split=ngram_split,
        ngram_floor=ngram_floor,
        ngram_max_length=ngram_max_length,
    )
    wanted = flag("published", published)
    sizes = resolve_snapshots(snapshots, settings, wanted)
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
    module = _backend_for(backend, settings, wanted)
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
        return _train_counts(module, counts, settings, sizes, wanted, count, clock, notices)
    finally:
        clock.close()


def train_from_counts(
    pretokens: Iterable[tuple[BytesLike, int]],
    runs: Iterable[tuple[Sequence[BytesLike], int]] | None = None,
    *,
    documents: int = 0,
    algorithm: Algorithm = "bpe",
    vocab_size: int,
    scheme: str | None = None,
    pattern: str | None = None,
    script_pattern: str | None = None,
    scripts: Sequence[str] | None = None,
    eligible_pattern: str = r"\p{L}",
    rules: Rules | None = None,
    supermerges: int | None = None,
    regular_fraction: str | float | Fraction | None = None,
    min_count: int = 1,
    max_token_bytes: int | None = None,
    max_superword_pretokens: int | None = None,
    special_tokens: Sequence[str] = (),
    alphabet: Alphabet = "bytes",
    id_order: IdOrder = "regular-first",
    tau: str | float | Fraction | None = None,
    blow_up: BlowUp | None = None,
    ngram_split: bool = False,
    ngram_floor: int | None = None,
    ngram_max_length: int | None = None,
    snapshots: Sequence[int] = (),
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
        algorithm, vocab_size and so on: as in `train`; `scheme` or `pattern`
            must be the one that cut the text.

    Returns:
        The tokenizer, with a `report`.

    Raises:
        InputError: a table cannot be used.
        PatternTooExpensiveError: `eligible_pattern` takes too many steps on a pretoken.
            Otherwise as `train`.

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
        pattern=pattern,
        script_pattern=script_pattern,
        scripts=scripts,
        eligible_pattern=eligible_pattern,
        rules=rules,
        supermerges=supermerges,
        regular_fraction=regular_fraction,
        min_count=min_count,
        max_token_bytes=max_token_bytes,
        max_superword_pretokens=max_superword_pretokens,
        special_tokens=special_tokens,
        alphabet=alphabet,
        id_order=id_order,
        tau=tau,
        blow_up=blow_up,
        ngram_split=ngram_split,
        ngram_floor=ngram_floor,
        ngram_max_length=ngram_max_length,
    )
    wanted = flag("published", published)
    sizes = resolve_snapshots(snapshots, settings, wanted)
    count = resolve_threads(threads)
    clock = StageClock(resolve_progress(progress))
    module = _backend_for(backend, settings, wanted)
    try:
        clock.begin("count")
        table = _table("pretoken", pretokens, _pretoken)
        counts: Counts = module.count_table(
            table,
            [] if runs is None else _table("run", runs, _run),
            _documents(documents),
        )
        if settings.algorithm != "bpe" and settings.cutting.eligible_pattern != ELIGIBLE_PATTERN:
            # here the rows are known; the default takes no steps
            module.check_eligible([pretoken for pretoken, _ in table], settings.cutting)
        warn(counts.notices)
        notices = [*counts.notices]
        return _train_counts(module, counts, settings, sizes, wanted, count, clock, notices)
    finally:
        clock.close()


def _backend_for(name: Backend, settings: Settings, published: bool) -> ModuleType:
    """The backend, once it has refused the settings that it alone can judge."""
    module = _backend.load(name)
    module.check_cutting(settings.cutting)
    if published:
        module.check_publishable(settings)
    return module


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


def _how_to_count(settings: Settings) -> tuple[Cutting, tuple[str, ...], bool]:
    """How to cut, special tokens, and whether runs are wanted."""
    return settings.cutting, settings.special_tokens, settings.algorithm != "bpe"


def _train_counts(
    module: ModuleType,
    counts: Counts,
    settings: Settings,
    sizes: Sequence[int],
    published: bool,
    threads: int,
    clock: StageClock,
    notices: list[str],
) -> Tokenizer:
    """Everything after counting."""
    if not counts.pretokens:
        notices.append(_EMPTY)
        warn([_EMPTY])
    clock.begin("merges")
    data, stop, candidates = module.train_counts(counts, settings, clock, threads)
    rows = module.publish(counts, settings, data, clock) if published else None
    clock.begin("load")
    loaded = load_trained(module, data, rows)
    more = [*loaded.notices]
    cuts: dict[int, bytes] = {}
    if sizes:
        clock.begin("snapshots")
        cuts, early = cut_to_sizes(module, data, loaded.encoder, settings, sizes)
        more += early
    warn(more)

    def small(cut: bytes) -> Tokenizer:
        return Tokenizer._make(parts(load_trained(module, cut)))

    snapshots = {size: small(cut) for size, cut in cuts.items()}

    def stages() -> tuple[Stage, ...]:
        clock.end()
        return tuple(Stage(name, seconds) for name, seconds in clock.seconds())

    values = parts(
        loaded,
        stages=stages,
        snapshots=snapshots,
        asked=settings.vocab_size,
        stop=stop,
        threads=threads,
        candidates=None if candidates is None else Candidates(*candidates),
        notices=(*notices, *more),
    )
    return Tokenizer._make(values)


def _table(name: str, rows: object, key: Callable[[str, object], _Key]) -> list[tuple[_Key, int]]:
    """A table of counts, checked row by row; what the values mean is for the backend to check."""
    if isinstance(rows, (str, *BYTES)) or not is_iterable(rows):
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
