"""Files "word v1" of the original one-phase program, which are read and not written (SPEC 10).

Its encoder applies each op once, in the order of all ops and over the whole document; ours applies
supermerges when all pretokens are done. Both give the same ids if every making of a token stands
before its first use, so other files are refused. So are those with deletions: the file does not
say into which parts a deleted token falls, and keeps its id.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from superword.errors import ModelFormatError
from superword.model import Model
from superword.reference.published_configuration import pattern_from_line
from superword.reference.published_lines import Lines, place
from superword.reference.published_ops import OpReader, alphabet_of_tokens, id_order_of_tokens
from superword.reference.published_settings import cutting_of_patterns
from superword.reference.unicode import UNICODE_VERSION

_HEADER = "word v1"
_VOCABULARY = 3  # the line with its size


def one_phase_from_bytes(
    data: bytes,
    max_token_bytes: int | None = None,
    max_total_bytes: int | None = None,
) -> Model:
    r"""Read a file "word v1".

    Args:
        data: the bytes of the file.
        max_token_bytes: the longest token in bytes; None = 16 MiB.
        max_total_bytes: the bytes of everything the ops make, in all; None = 256 MiB.

    Returns:
        The model, "boundless" if it has supermerges, else "bpe". What the file does not hold, the
        counts of the ops and the totals of the corpus, is 0.

    Raises:
        ModelFormatError: the file is damaged, a limit is passed, or its encoder would give other
            ids; with the line and the section.

    >>> one_phase_from_bytes(b"word v1\n3\n")
    Traceback (most recent call last):
    ...
    superword.errors.ModelFormatError: line 2, pattern: byte 0 of the line: expected '"'

    Source: golden files, FORMAT.
    """
    lines = Lines(data)
    lines.title(_HEADER)
    lines.section = "pattern"
    pattern = lines.next()
    try:
        cutting = cutting_of_patterns(pattern_from_line(pattern), None, None, None)
    except ModelFormatError as error:
        lines.fail(str(error))
    lines.section = "vocabulary"
    tokens = []
    for number in range(lines.announced()):
        token_id, token = lines.row("ID TOKEN")
        lines.numbered("ID", token_id, number)
        tokens.append(lines.token(token))
    lines.section = "special tokens"
    special = lines.special_tokens(len(tokens))
    merges = _rows(lines, "word merges")
    _no_rows(lines, "word deletions")
    supermerges = _rows(lines, "supermerges")
    _no_rows(lines, "super deletions")
    lines.end()
    try:
        alphabet = alphabet_of_tokens(tokens)
    except ModelFormatError as error:
        raise ModelFormatError(place(_VOCABULARY, "vocabulary", str(error))) from None
    reader = OpReader(alphabet, max_token_bytes, max_total_bytes)
    _add_ops(merges, supermerges, reader)
    try:
        id_order = id_order_of_tokens(reader.ops, reader.vocabulary, tokens)
    except ModelFormatError as error:
        raise ModelFormatError(place(_VOCABULARY, "vocabulary", str(error))) from None
    return Model(
        algorithm="boundless" if supermerges else "bpe",
        alphabet=alphabet,
        rules="superword",
        scheme=cutting.scheme,
        id_order=id_order,
        special_tokens=tuple(special),
        unicode=UNICODE_VERSION,
        pattern=cutting.pattern,
        script_pattern=None,
        scripts=None,
        eligible_pattern=cutting.eligible_pattern,
        tau=None,
        blow_up=None,
        ngram_floor=None,
        ngram_max_length=None,
        documents=0,
        bytes=0,
        pretokens=0,
        distinct_pretokens=0,
        ops=reader.ops,
    )


class _Row(NamedTuple):
    """A merge, and where it stands."""

    section: str
    line: int
    index: int  # type: ignore[assignment]  # hides tuple.index
    left: bytes
    right: bytes


def _rows(lines: Lines, section: str) -> list[_Row]:
    lines.section = section
    rows: list[_Row] = []
    for _ in range(lines.announced()):
        index, left, right = lines.row("INDEX LEFT RIGHT")
        number = lines.integer("INDEX", index)
        if rows and number <= rows[-1].index:
            lines.fail("INDEX must be above that of the line before")
        rows.append(_Row(section, lines.number, number, lines.token(left), lines.token(right)))
    return rows


def _no_rows(lines: Lines, section: str) -> None:
    lines.section = section
    if lines.announced():
        lines.fail(
            "a model with deletions cannot be used: the file does not say into which parts a "
            "deleted token falls, and such a token keeps its id"
        )


def _add_ops(merges: Sequence[_Row], supermerges: Sequence[_Row], reader: OpReader) -> None:
    """Add the ops of both kinds in the order of their common index, which must have no gap."""
    used: set[int] = set()
    rows = sorted([*merges, *supermerges], key=lambda row: row.index)
    for index, row in enumerate(rows):
        try:
            if row.index != index:
                raise ModelFormatError(
                    f"INDEX must be {index}, the next one of merges and supermerges together"
                )
            kind = "merge" if row.section == "word merges" else "supermerge"
            reader.add(kind, row.left, row.right, 0)
            op = reader.ops[-1]
            if op.new in used:
                raise ModelFormatError(
                    "the token is made again after it was used: the program that wrote the file "
                    "would encode otherwise"
                )
            used.update((op.left, op.right))
        except ModelFormatError as error:
            raise ModelFormatError(place(row.line, row.section, str(error))) from None
