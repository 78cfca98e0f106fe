"""What published files say of the corpus, and the file of a training (SPEC 10).

Two columns are in no artifact: how often each token stands in the corpus at the end, and whether
an op made some whole pretoken (of supermerges: some whole candidate) one token.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from superword.errors import TrainingError
from superword.model import Op
from superword.reference.candidates import single_token_pretokens, split_runs
from superword.reference.counts import Counts
from superword.reference.deletions import Parts, parts_of_ops
from superword.reference.merges import byte_tokens, train_merges
from superword.reference.model_file import model_from_bytes, model_to_bytes
from superword.reference.ngram_split import split_ngrams
from superword.reference.one_phase_file import one_phase_from_bytes
from superword.reference.published_file import published_from_bytes, published_to_bytes
from superword.reference.published_model import model_of_published, published_of_model
from superword.reference.vocabulary import Vocabulary, vocabulary_of_ops
from superword.settings import MAX_COUNT, NO_LIMITS, Settings

_Progress = Callable[[str, int, int], None] | None
_END = -1  # between two sequences, and what stands where a merge took the right part away


def publish(
    counts: Counts, settings: Settings, artifact: bytes, progress: _Progress = None
) -> bytes:
    """The published file of a training.

    Args:
        counts: what was trained on.
        settings: the settings of the training.
        artifact: what the training gave.
        progress: called with (stage, done, total).

    Returns:
        The bytes of the file.

    Raises:
        SettingsError: as for `check_publishable`.
        TrainingError: a count would pass 2^63 - 1.

    >>> from superword.reference.counts import count_table
    >>> from superword.reference.training import train_counts
    >>> counts = count_table([(b"ab", 3)], [], 1)
    >>> settings = Settings("bpe", 300, 300, 0, scheme="gpt2")
    >>> publish(counts, settings, train_counts(counts, settings)[0]).split(b"\\n")[259]
    b'256 ab 3 0'

    Source: SPEC 10; golden files, FORMAT.
    """
    model = model_from_bytes(artifact, True, *NO_LIMITS)
    pretokens = counts.pretoken_counts()
    candidates: Sequence[tuple[tuple[int, ...], int]] = []
    if settings.algorithm != "bpe":
        # What is a candidate depends on all of phase 1, also on ops that the model has not.
        ops = train_merges(pretokens, settings, progress)[0]
        single = single_token_pretokens(ops, pretokens, settings, progress)
        candidates = split_runs(counts.run_counts(), single, progress)
        if settings.ngram_split:
            candidates = _with_singles(
                candidates, split_ngrams(ops, candidates, settings, progress)
            )
        made = vocabulary_of_ops(ops, settings.alphabet).tokens
        known = vocabulary_of_ops(model.ops, settings.alphabet).numbers
        # No op of the model has a token that the model lacks: any number beyond will do.
        number = [known.get(token, len(known)) for token in made]
        candidates = [(tuple(number[token] for token in run), n) for run, n in candidates]
    token_counts, flags = published_columns(model.ops, pretokens, candidates, settings, progress)
    return published_to_bytes(published_of_model(model, token_counts, flags))


def _with_singles(
    whole: Sequence[tuple[tuple[int, ...], int]], pieces: Sequence[tuple[tuple[int, ...], int]]
) -> list[tuple[tuple[int, ...], int]]:
    """The pieces of split candidates with those of one pretoken, which such files count, too."""
    left: defaultdict[int, int] = defaultdict(int)
    for sign, sequences in ((1, whole), (-1, pieces)):
        for tokens, count in sequences:
            for token in tokens:
                left[token] += sign * count
    return [*pieces, *(((token,), count) for token, count in sorted(left.items()) if count)]


def artifact_of_published(
    data: bytes,
    max_token_bytes: int | None = None,
    max_total_bytes: int | None = None,
) -> bytes:
    """The artifact of a published file of any version.

    Args:
        data: the bytes of the file.
        max_token_bytes: the longest token in bytes; None = 16 MiB.
        max_total_bytes: the bytes of everything the ops make, in all; None = 256 MiB.

    Returns:
        The bytes of the artifact, with 0 for what the file does not hold.

    Raises:
        ModelFormatError: the file is damaged or contradicts itself, or a limit is passed.

    >>> artifact_of_published(b"word v2")
    Traceback (most recent call last):
    ...
    superword.errors.ModelFormatError: line 1, header: the line has no line end

    Source: SPEC 10; golden files, FORMAT.
    """
    limits = max_token_bytes, max_total_bytes
    if data.startswith(b"word "):
        return model_to_bytes(one_phase_from_bytes(data, *limits))
    return model_to_bytes(model_of_published(published_from_bytes(data), *limits))


def published_columns(
    ops: Sequence[tuple[str, int, int, int, int]],
    pretokens: Sequence[tuple[bytes, int]],
    candidates: Sequence[tuple[tuple[int, ...], int]],
    settings: Settings,
    progress: _Progress = None,
) -> tuple[list[int], list[bool]]:
    """Replay all ops on the corpus and see what is left and what became whole.

    Args:
        ops: those of the model, in its creation numbers.
        pretokens: distinct (bytes, count).
        candidates: sequences of creation numbers with counts; for "bpe" not used.
        settings: the settings of the training.
        progress: called with ("publish", ops done, ops).

    Returns:
        By creation number, how often the token stands at the end: in the pretokens for "bpe",
        otherwise in the candidates. By op, whether it made some pretoken, or if it is a supermerge
        some candidate, one token; a delete makes none.

    Raises:
        TrainingError: a count would pass 2^63 - 1.
        ModelFormatError: the ops do not fit together.

    >>> ops, settings = [Op("merge", 97, 98, 256, 3)], Settings("bpe", 257, 257, 0)
    >>> counts, flags = published_columns(ops, [(b"ab", 2), (b"abc", 1)], [], settings)
    >>> counts[99], counts[256], flags
    (1, 3, [True])

    Source: golden files, FORMAT.
    """
    every = [Op(*op) for op in ops]
    made = vocabulary_of_ops(every, settings.alphabet)
    number = byte_tokens(pretokens, settings.alphabet)
    parts = parts_of_ops(every, made, settings.blow_up)
    texts = (([number[byte] for byte in text], n) for text, n in pretokens)
    words = _Replay(texts, every, "merge", made, parts)
    runs = _Replay(candidates, every, "supermerge", made, {})
    flags = []
    for index, op in enumerate(every):
        if progress is not None:
            progress("publish", index, len(every))
        if op.kind == "delete":
            words.delete(op.new)
            flags.append(False)
        else:
            flags.append((runs if op.kind == "supermerge" else words).merge(op))
    if progress is not None:
        progress("publish", len(every), len(every))
    return (words if settings.algorithm == "bpe" else runs).token_counts(len(made)), flags


class _Replay:
    """All sequences in one row, and where the pairs stand that ops will merge.

    A token stands at the slot of its first item: where one is deleted, there is room for its parts.
    """

    def __init__(
        self,
        sequences: Iterable[tuple[Sequence[int], int]],
        ops: Sequence[Op],
        kind: str,
        vocabulary: Vocabulary,
        parts: Parts,
    ) -> None:
        self._vocabulary = vocabulary
        self._parts = parts
        self._wanted = {(op.left, op.right) for op in ops if op.kind == kind}
        self._slots: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        self._homes: dict[int, list[int]] = {token: [] for token in parts}  # where they may stand
        self._tokens = [_END]
        self._sequence = [0]  # by slot, the sequence; a slot between two belongs to none
        self._lengths: list[int] = []
        self._counts: list[int] = []
        for tokens, count in sequences:
            self._tokens += [*tokens, _END]
            self._sequence += [len(self._lengths)] * (len(tokens) + 1)
            self._lengths.append(len(tokens))
            self._counts.append(count)
        self._left = list(range(-1, len(self._tokens) - 1))
        self._right = list(range(1, len(self._tokens) + 1))
        for slot, pair in enumerate(pairwise(self._tokens)):
            if pair in self._wanted:
                self._slots[pair].append(slot)

    def merge(self, op: Op) -> bool:
        """Replace the pair of an op everywhere, left to right; whether a sequence became whole."""
        tokens, left, right = self._tokens, self._left, self._right
        whole = False
        for slot in sorted(self._slots.pop((op.left, op.right), ())):
            after = right[slot]
            if tokens[slot] != op.left or tokens[after] != op.right:
                continue
            tokens[slot], tokens[after] = op.new, _END
            right[slot] = right[after]
            left[right[slot]] = slot
            self._note_pair(left[slot])
            self._note(slot)
            sequence = self._sequence[slot]
            self._lengths[sequence] -= 1
            whole = whole or self._lengths[sequence] == 1
        return whole

    def delete(self, token: int) -> None:
        """Put the parts of a token in its place, wherever it stands."""
        tokens, left, right, parts = self._tokens, self._left, self._right, self._parts[token]
        homes, self._homes[token] = self._homes[token], []
        for slot in homes:
            if tokens[slot] != token:
                continue
            before, start, end = left[slot], slot, right[slot]
            for part in parts:
                tokens[start], left[start] = part, before
                before, start = start, start + len(self._vocabulary.tokens[part])
                right[before] = start
            left[end] = before
            self._lengths[self._sequence[slot]] += len(parts) - 1
            self._note_pair(left[slot])
            start = slot
            while start != end:
                self._note(start)
                start = right[start]

    def _note(self, slot: int) -> None:
        """A token now stands here."""
        self._note_pair(slot)
        if self._tokens[slot] in self._homes:
            self._homes[self._tokens[slot]].append(slot)

    def _note_pair(self, slot: int) -> None:
        pair = self._tokens[slot], self._tokens[self._right[slot]]
        if pair in self._wanted:
            self._slots[pair].append(slot)

    def token_counts(self, size: int) -> list[int]:
        """By creation number, how often each token stands; others are left out."""
        counts = [0] * size
        for slot, token in enumerate(self._tokens):
            if 0 <= token < size:
                counts[token] += self._counts[self._sequence[slot]]
                if counts[token] > MAX_COUNT:
                    raise TrainingError("a count would pass 2^63 - 1")
        return counts
