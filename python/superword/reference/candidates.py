"""From runs of pretokens to candidates for supermerges. Source: SPEC section 6."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from superword.errors import TrainingError
from superword.model import Op
from superword.reference.deletions import RegularOps
from superword.reference.pretokenize import pretokenizer_of
from superword.reference.vocabulary import vocabulary_of_ops
from superword.settings import MAX_COUNT, Settings

_Progress = Callable[[str, int, int], None] | None


def single_token_pretokens(
    ops: Sequence[tuple[str, int, int, int, int]],
    pretokens: Sequence[tuple[bytes, int]],
    settings: Settings,
    progress: _Progress = None,
) -> list[tuple[bytes, int]]:
    """Return the eligible pretokens, in the order given, each with the one token it becomes.

    Eligible: the text has a match of the eligible pattern, and the ops of phase 1 reduce it to one
    token that is in the vocabulary at their end. Calls
    `progress("candidates", pretokens done, pretokens)`. Raises ModelFormatError if the ops do not
    fit together. SPEC section 6.

    >>> ops, settings = [Op("merge", 97, 98, 256, 3)], Settings("bpe", 257, 257, 0)
    >>> single_token_pretokens(ops, [(b"ab", 3), (b"abc", 1), (b"!", 2)], settings)
    [(b'ab', 256)]
    """
    regular = [Op(*op) for op in ops]
    vocabulary = vocabulary_of_ops(regular, settings.alphabet)
    numbers = vocabulary.numbers
    encoder = RegularOps(regular, vocabulary, settings.blow_up)
    pretokenizer = pretokenizer_of(settings.cutting)
    out = []
    for index, (pretoken, _) in enumerate(pretokens):
        if progress is not None:
            progress("candidates", index, len(pretokens))
        # To be in the vocabulary is necessary; that it is sufficient is a theorem which fails as
        # soon as tokens are deleted, so what remains is encoded.
        number = numbers.get(pretoken)
        if number is None or not pretokenizer.is_eligible(pretoken):
            continue
        if encoder.encode([numbers[bytes([byte])] for byte in pretoken]) == [number]:
            out.append((pretoken, number))
    if progress is not None:
        progress("candidates", len(pretokens), len(pretokens))
    return out


def split_runs(
    runs: Sequence[tuple[tuple[bytes, ...], int]],
    single: Sequence[tuple[bytes, int]],
    progress: _Progress = None,
) -> list[tuple[tuple[int, ...], int]]:
    """Cut runs at what is not eligible; return the pieces of two or more tokens with their counts.

    `single` comes from `single_token_pretokens`. The pieces are distinct and ascend by their
    creation numbers. Calls `progress("candidates", runs done, runs)`. Raises TrainingError if a
    count would pass 2^63 - 1. SPEC section 6.

    >>> split_runs([((b"a", b"b", b"cd", b"a"), 2), ((b"a", b"b"), 1)], [(b"a", 97), (b"b", 98)])
    [((97, 98), 3)]
    """
    number = dict(single)
    counts: dict[tuple[int, ...], int] = {}
    for index, (run, count) in enumerate(runs):
        if progress is not None:
            progress("candidates", index, len(runs))
        piece: list[int] = []
        for token in (*map(number.get, run), None):
            if token is not None:
                piece.append(token)
                continue
            if len(piece) > 1:
                key = tuple(piece)
                counts[key] = counts.get(key, 0) + count
                if counts[key] > MAX_COUNT:
                    raise TrainingError("a count would pass 2^63 - 1")
            piece = []
    if progress is not None:
        progress("candidates", len(runs), len(runs))
    return sorted(counts.items())
