"""Counting: how often each pretoken occurs, and each run of pretokens that could join.

Counts form a commutative monoid: the parts of a corpus, counted apart in any partition and merged,
give the same as the whole at once.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import final

from superword.errors import InputError, PatternTooExpensiveError, TrainingError, of_item
from superword.reference.documents import MAX_DOCUMENT_BYTES, documents_of_file
from superword.reference.file_input import FileInput
from superword.reference.pretokenize import Pretokenizer, pretokenizer_of
from superword.reference.special_tokens import SpecialTokens
from superword.settings import MAX_COUNT, Cutting

_Progress = Callable[[str, int, int], None] | None
_Source = tuple[str, str, str, str]
_PretokenCounts = list[tuple[bytes, int]]  # named, because a class below has a member `bytes`
_RunCounts = list[tuple[tuple[bytes, ...], int]]


@final
class Counts:
    """What training needs to know of a corpus. Made by the functions of this module only."""

    __slots__ = (
        "_bytes",
        "_documents",
        "_notices",
        "_pretoken_counts",
        "_pretokens",
        "_run_counts",
    )

    def __init__(
        self,
        documents: int,
        pretokens: Mapping[bytes, int],
        runs: Mapping[tuple[bytes, ...], int],
        notices: Sequence[str] = (),
    ) -> None:
        self._documents = _checked(documents)
        self._pretokens = _checked(sum(pretokens.values()))
        self._bytes = _checked(sum(len(p) * n for p, n in pretokens.items()))
        self._notices = list(notices)
        self._pretoken_counts = sorted(pretokens.items())
        self._run_counts = sorted(runs.items())

    @property
    def documents(self) -> int:
        """How many documents there are, empty ones too."""
        return self._documents

    @property
    def bytes(self) -> int:
        """The UTF-8 bytes of all pretokens."""
        return self._bytes

    @property
    def pretokens(self) -> int:
        """How many pretokens there are."""
        return self._pretokens

    @property
    def distinct_pretokens(self) -> int:
        """How many different pretokens there are."""
        return len(self._pretoken_counts)

    @property
    def notices(self) -> list[str]:
        """What a user should know about the files, in their order."""
        return list(self._notices)

    def pretoken_counts(self) -> _PretokenCounts:
        """Each different pretoken with its count, ascending by bytes."""
        return list(self._pretoken_counts)

    def run_counts(self) -> _RunCounts:
        """Each different run with its count, ascending by the tuple of pretokens."""
        return list(self._run_counts)


class _IsEligible(dict[bytes, bool]):
    """Whether pretokens may be part of a run; each is looked at once."""

    def __init__(self, pretokenizer: Pretokenizer) -> None:
        super().__init__()
        self._pretokenizer = pretokenizer

    def __missing__(self, pretoken: bytes) -> bool:
        answer = self[pretoken] = self._pretokenizer.is_eligible(pretoken)
        return answer


class _Counter:
    """The growing tables while documents are counted."""

    def __init__(self, cutting: str | Cutting, special_tokens: Sequence[str], runs: bool) -> None:
        self.documents = 0
        self.pretokens: Counter[bytes] = Counter()
        self.runs: Counter[tuple[bytes, ...]] = Counter()
        self._pretokenizer = pretokenizer_of(cutting)
        self._special_tokens = SpecialTokens(special_tokens)
        self._with_runs = runs
        self._is_eligible = _IsEligible(self._pretokenizer)

    def add(self, document: str) -> None:
        """Count one document: no pretoken and no run crosses the place of a special token."""
        self.documents += 1
        at = 0
        for piece, special in self._special_tokens.split(document):
            if special is None:
                pretokens = self._pretokenizer.pretokenize(piece, at)
                self.pretokens.update(pretokens)
                if self._with_runs:
                    self._add_runs(pretokens)
            at += len(piece)

    def _add_runs(self, pretokens: list[bytes]) -> None:
        for eligible, group in groupby(pretokens, self._is_eligible.__getitem__):
            if eligible:
                run = tuple(group)
                if len(run) > 1:
                    self.runs[run] += 1


def count_documents(
    batches: Iterable[list[str]],
    cutting: str | Cutting,
    special_tokens: Sequence[str],
    runs: bool,
    threads: int,
    progress: _Progress = None,
) -> Counts:
    """Count the pretokens, and if `runs` the runs, of documents that come in batches.

    `cutting` is the name of a scheme, or says how text is cut and what is eligible. A run is a
    maximal sequence of two or more consecutive eligible pretokens, in one document and between
    special tokens. `threads` is there for the contract of both backends: here one
    thread does the work. Calls `progress("count", bytes done, 0)`. Raises, for the first document
    with one of these, InputError for more than 4 GiB - 1 bytes, PatternTooExpensiveError where a
    pattern takes too many steps, and what the batches raise.
    Source: SPEC 3.2 and 6.

    >>> counts = count_documents([["to be or", "not to be"]], "gpt2", [], False, 1)
    >>> counts.pretoken_counts()
    [(b' be', 2), (b' or', 1), (b' to', 1), (b'not', 1), (b'to', 1)]
    """
    counter = _Counter(cutting, special_tokens, runs)
    done = 0
    for batch in batches:
        for document in batch:
            size = len(document.encode())
            number = counter.documents
            check_document_size(size, number)
            try:
                counter.add(document)
            except PatternTooExpensiveError as error:
                raise of_item(error, number, f"document {number}: ") from None
            done += size
            if progress:
                progress("count", done, 0)
    return Counts(counter.documents, counter.pretokens, counter.runs)


def count_files(
    sources: Sequence[_Source],
    cutting: str | Cutting,
    special_tokens: Sequence[str],
    runs: bool,
    threads: int,
    progress: _Progress = None,
) -> Counts:
    """Count the pretokens, and if `runs` the runs, of the documents of files.

    `sources` as for `read_documents`, everything else as for `count_documents`; the error reported
    is that of the first file with one. Calls `progress("count", bytes read, bytes of all files)`,
    the last 0 if it cannot be known. Source: SPEC 3.0, 3.2 and 6.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "a.jsonl")
    ...     with open(path, "w") as file:
    ...         _ = file.write('{"text": "to be"}')
    ...     counts = count_files([(path, "jsonl", "none", "text")], "gpt2", [], True, 1)
    >>> counts.run_counts()
    [((b'to', b' be'), 1)]
    """
    counter = _Counter(cutting, special_tokens, runs)
    notices: list[str] = []
    total = _bytes_of_files([source[0] for source in sources])
    done = 0
    for source in sources:
        with FileInput(source[0]) as file:
            documents = documents_of_file(file, source, notices)
            for document in documents:
                try:
                    counter.add(document)
                except PatternTooExpensiveError as error:
                    documents.throw(error)  # there it is known where the document stands
                if progress:
                    progress("count", done + file.read_bytes, total)
            done += file.read_bytes
    if progress:
        progress("count", done, total)
    return Counts(counter.documents, counter.pretokens, counter.runs, notices)


def count_table(
    pretokens: Sequence[tuple[bytes, int]],
    runs: Sequence[tuple[tuple[bytes, ...], int]],
    documents: int,
) -> Counts:
    """Return the counts that a user brings as tables; equal entries are added up.

    Raises InputError naming the entry (numbered from 0) for an empty pretoken, a count that is not
    from 1 to 2**63 - 1, a run of fewer than two pretokens or of one that is not in the table, and
    for a pretoken that the runs hold more often than its count says; TrainingError if a sum passes
    2**63 - 1. Source: SPEC 6.

    >>> count_table([(b"a", 2), (b"b", 1), (b"a", 1)], [((b"a", b"b"), 1)], 1).pretoken_counts()
    [(b'a', 3), (b'b', 1)]
    """
    if not 0 <= documents <= MAX_COUNT:
        raise InputError("the number of documents must be from 0 to 2^63 - 1")
    pretoken_counts: dict[bytes, int] = {}
    for index, (pretoken, count) in enumerate(pretokens):
        if not pretoken:
            raise InputError(f"pretoken {index}: is empty")
        _check_count("pretoken", index, count)
        pretoken_counts[pretoken] = _checked(pretoken_counts.get(pretoken, 0) + count)
    run_counts: dict[tuple[bytes, ...], int] = {}
    for index, (run, count) in enumerate(runs):
        if len(run) < 2:
            raise InputError(f"run {index}: needs at least two pretokens")
        _check_count("run", index, count)
        for pretoken in run:
            if pretoken not in pretoken_counts:
                raise InputError(
                    f"run {index}: the pretoken {pretoken.hex()} (hex) is not in the table of "
                    "pretokens"
                )
        run_counts[run] = _checked(run_counts.get(run, 0) + count)
    in_runs: Counter[bytes] = Counter()
    for run, count in run_counts.items():
        for pretoken in run:
            in_runs[pretoken] += count
    for pretoken in sorted(in_runs):
        if in_runs[pretoken] > pretoken_counts[pretoken]:
            raise InputError(
                f"the runs hold the pretoken {pretoken.hex()} (hex) more often than its count, "
                f"{pretoken_counts[pretoken]}"
            )
    return Counts(documents, pretoken_counts, run_counts)


def merge_counts(parts: Sequence[Counts]) -> Counts:
    """Return the counts of the whole from those of its parts; no part gives the empty counts.

    Raises TrainingError if a count would pass 2**63 - 1.

    >>> part = count_table([(b"a", 2)], [], 1)
    >>> merge_counts([part, part]).pretoken_counts()
    [(b'a', 4)]
    """
    pretokens: Counter[bytes] = Counter()
    runs: Counter[tuple[bytes, ...]] = Counter()
    for part in parts:
        pretokens.update(dict(part.pretoken_counts()))
        runs.update(dict(part.run_counts()))
    notices = [notice for part in parts for notice in part.notices]
    return Counts(sum(part.documents for part in parts), pretokens, runs, notices)


def check_document_size(size: int, index: int) -> None:
    """Refuse document number `index` (from 0) if its `size` in bytes is over the limit."""
    if size > MAX_DOCUMENT_BYTES:
        error = InputError(
            f"is longer than {MAX_DOCUMENT_BYTES} bytes, the most for one document; split it"
        )
        raise of_item(error, index, f"document {index}: ")


def _check_count(what: str, index: int, count: int) -> None:
    if not 1 <= count <= MAX_COUNT:
        raise InputError(f"{what} {index}: the count must be from 1 to 2^63 - 1")


def _checked(count: int) -> int:
    if count > MAX_COUNT:
        raise TrainingError("a count would pass 2^63 - 1")
    return count


def _bytes_of_files(paths: Sequence[str]) -> int:
    """Return the size of all files, 0 if one of them has no size that can be known."""
    total = 0
    for path in paths:
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            return 0
        if not stat.S_ISREG(status.st_mode):
            return 0
        total += status.st_size
    return total
