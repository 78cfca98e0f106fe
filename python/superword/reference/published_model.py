"""Published rows and models: what each says in the other's terms (SPEC 10, 13).

A model says less than the rows do (no counts of tokens, no flags of merges) and, of its corpus,
more. The rows name tokens by their bytes; regular merges and supermerges stand apart in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from superword.errors import ModelFormatError
from superword.model import Model, Op, Published, PublishedOps
from superword.reference.final_ids import final_order
from superword.reference.published_configuration import (
    Configuration,
    configuration_from_line,
    configuration_to_line,
)
from superword.reference.published_lines import place
from superword.reference.published_ops import OpReader, alphabet_of_tokens, id_order_of_tokens
from superword.reference.published_settings import (
    NO_DELETIONS,
    configuration_of_model,
    cutting_of_patterns,
    deletions_of_configuration,
)
from superword.reference.unicode import UNICODE_VERSION
from superword.reference.vocabulary import vocabulary_of_ops
from superword.settings import Cutting

_ALGORITHMS = {"word": "bpe", "boundless": "boundless", "superbpe": "superbpe"}
_KINDS = {algorithm: kind for kind, algorithm in _ALGORITHMS.items()}


def model_of_published(
    published: Published,
    max_token_bytes: int | None = None,
    max_total_bytes: int | None = None,
) -> Model:
    """The model that published rows describe.

    Args:
        published: what `published_from_bytes` read.
        max_token_bytes: the longest token in bytes; None = 16 MiB.
        max_total_bytes: the bytes of everything the ops make, in all; None = 256 MiB.

    Returns:
        The model. Its totals of the corpus, which the rows do not hold, are 0.

    Raises:
        ModelFormatError: the rows contradict each other or a limit is passed, with the line and
            the section.

    Source: SPEC 8, 10; golden files, FORMAT.
    """
    published = Published(*published)
    words = PublishedOps(*published.words)
    supers = None if published.superwords is None else PublishedOps(*published.superwords)
    lines = _first_lines(published)
    tokens = [token for token, _, _ in published.vocabulary]
    section, line = "vocabulary", lines["vocabulary"] - 1
    try:
        alphabet = alphabet_of_tokens(tokens)
        section, line = "words", lines["words"]
        configuration = configuration_from_line(words.configuration)
        cutting = _cutting(configuration)
        tau, blow_up = deletions_of_configuration(configuration.tau, configuration.blowup)
        if supers is not None:
            section, line = "superwords", lines["superwords"]
            _check_superwords(words, supers, published.kind)
        if tau is None and words.deletions:
            section, line = "words deletions", lines["words deletions"]
            raise ModelFormatError(f"nothing is deleted where tau is {NO_DELETIONS}")
    except ModelFormatError as error:
        raise ModelFormatError(place(line, section, str(error))) from None
    reader = OpReader(alphabet, max_token_bytes, max_total_bytes)
    regular = _steps("words", words, lines)
    added = [] if supers is None else _steps("superwords", supers, lines)
    for step in _in_order_of_training(regular, added, published.kind, reader):
        try:
            reader.add(step.kind, step.left, step.right, step.count)
        except ModelFormatError as error:
            raise ModelFormatError(place(step.line, step.section, str(error))) from None
    try:
        id_order = id_order_of_tokens(reader.ops, reader.vocabulary, tokens)
    except ModelFormatError as error:
        raise ModelFormatError(place(lines["vocabulary"] - 1, "vocabulary", str(error))) from None
    _check_kinds(published, reader, lines["vocabulary"])
    return Model(
        algorithm=_ALGORITHMS[published.kind],
        alphabet=alphabet,
        rules="superword",
        scheme=cutting.scheme,
        id_order=id_order,
        special_tokens=tuple(published.special_tokens),
        unicode=UNICODE_VERSION,
        pattern=cutting.pattern,
        script_pattern=cutting.script_pattern,
        scripts=cutting.scripts,
        eligible_pattern=cutting.eligible_pattern,
        tau=tau,
        blow_up=blow_up,
        ngram_floor=None,  # which no such file says
        ngram_max_length=None,
        documents=0,
        bytes=0,
        pretokens=0,
        distinct_pretokens=0,
        ops=reader.ops,
    )


def published_of_model(
    model: Model, token_counts: Sequence[int], flags: Sequence[bool]
) -> Published:
    """The published rows of a model.

    Args:
        model: a model.
        token_counts: by creation number, how often each token stands in the corpus at the end.
        flags: by op, whether it made some pretoken or candidate whole.

    Returns:
        The rows.

    Raises:
        ModelFormatError: the ops do not fit together.
        SettingsError: as for `check_publishable`.

    Source: SPEC 10; golden files, FORMAT.
    """
    model = Model(*model)
    first = configuration_of_model(model)
    second = first._replace(
        tau=NO_DELETIONS,
        is_super=True,
        superbpe_mode=model.algorithm == "superbpe",
        blowup=False,
    )
    ops = [Op(*op) for op in model.ops]
    tokens = vocabulary_of_ops(ops, model.alphabet).tokens
    words, added = _Section([], []), _Section([], [])
    superwords: set[int] = set()
    regular = None  # the last one before this op
    for op, flag in zip(ops, flags, strict=True):
        section = added if op.kind == "supermerge" else words
        index = len(section.merges) + len(section.deletions)
        if op.kind == "delete":
            # The published program deletes what was left and right of the merge twice (SPEC 13).
            is_both = regular is not None and regular.left == regular.right == op.new
            section.deletions.extend((index + n, tokens[op.new]) for n in range(1 + is_both))
            continue
        section.merges.append((index, tokens[op.left], tokens[op.right], op.count, flag))
        if op.kind == "merge":
            regular = op
        else:
            superwords.add(op.new)
    return Published(
        _KINDS[model.algorithm],
        [
            (tokens[number], token_counts[number], number in superwords)
            for number in final_order(ops, len(tokens), model.id_order)
        ],
        list(model.special_tokens),
        PublishedOps(configuration_to_line(first), *words),
        None if model.algorithm == "bpe" else PublishedOps(configuration_to_line(second), *added),
    )


class _Section(NamedTuple):
    """The rows of a section of ops, as they are added."""

    merges: list[tuple[int, bytes, bytes, int, bool]]
    deletions: list[tuple[int, bytes]]


class _Step(NamedTuple):
    """A row of merges or deletions, and where it stands."""

    section: str
    line: int
    kind: str
    left: bytes
    right: bytes
    count: int  # type: ignore[assignment]  # hides tuple.count


def _first_lines(published: Published) -> dict[str, int]:
    """The line of the first row of each section; of a section of ops, of its configuration too."""
    line = 4
    lines = {"vocabulary": line}
    line += len(published.vocabulary) + 2
    lines["special_tokens"] = line
    line += len(published.special_tokens)
    for section, ops in (("words", published.words), ("superwords", published.superwords)):
        if ops is not None:
            _, merges, deletions = ops
            lines[section] = line + 1
            lines[f"{section} merges"] = line + 4
            lines[f"{section} deletions"] = line + 6 + len(merges)
            line += 6 + len(merges) + len(deletions)
    return lines


def _cutting(words: Configuration) -> Cutting:
    """How the configuration of the regular merges cuts text."""
    if words.is_super or words.superbpe_mode:
        raise ModelFormatError("is_super and superbpe_mode must be false")
    return cutting_of_patterns(
        words.main_regex,
        words.script_specific_regex,
        words.script_specific_scripts,
        words.merge_pattern,
    )


def _check_superwords(words: PublishedOps, superwords: PublishedOps, kind: str) -> None:
    """Refuse a configuration of the supermerges that does not fit that of the regular merges."""
    first = configuration_from_line(words.configuration)
    second = configuration_from_line(superwords.configuration)
    if second.tau != NO_DELETIONS or not second.is_super or second.blowup:
        raise ModelFormatError("tau must be 1.1, is_super true and blowup false")
    mode = kind == "superbpe"
    if second.superbpe_mode != mode:
        raise ModelFormatError(f"superbpe_mode must be {str(mode).lower()} for the kind {kind}")
    if second[4:] != first[4:]:
        raise ModelFormatError("the patterns are not those of the section words")


def _steps(section: str, ops: PublishedOps, lines: dict[str, int]) -> list[_Step]:
    """The merges and deletions of a section by their common index, which must have no gap.

    A delete that repeats the one before it (SPEC 13) does nothing, and is left out.
    """
    steps = []
    merges, deletions = f"{section} merges", f"{section} deletions"
    kind = "merge" if section == "words" else "supermerge"
    merged = deleted = 0
    for index in range(len(ops.merges) + len(ops.deletions)):
        if merged < len(ops.merges) and ops.merges[merged][0] == index:
            _, left, right, count, _ = ops.merges[merged]
            steps.append(_Step(merges, lines[merges] + merged, kind, left, right, count))
            merged += 1
        elif deleted < len(ops.deletions) and ops.deletions[deleted][0] == index:
            token = ops.deletions[deleted][1]
            if not steps or (steps[-1].kind, steps[-1].left) != ("delete", token):
                line = lines[deletions] + deleted
                steps.append(_Step(deletions, line, "delete", token, token, 0))
            deleted += 1
        else:
            name, row = (merges, merged) if merged < len(ops.merges) else (deletions, deleted)
            reason = f"no merge and no deletion before this line has the index {index}"
            raise ModelFormatError(place(lines[name] + row, name, reason))
    return steps


def _in_order_of_training(
    regular: Sequence[_Step], added: Sequence[_Step], kind: str, reader: OpReader
) -> Iterator[_Step]:
    """Regular merges and supermerges as training took them; `reader` has those before.

    BoundlessBPE takes the supermerge if its count is strictly higher and its parts are in the
    vocabulary, so the order of both kinds together follows from their counts.
    """
    done = 0
    for step in regular:
        while (
            kind == "boundless"
            and step.kind == "merge"
            and done < len(added)
            and added[done].count > step.count
            and reader.knows(added[done].left)
            and reader.knows(added[done].right)
        ):
            yield added[done]
            done += 1
        yield step
    yield from added[done:]


def _check_kinds(published: Published, reader: OpReader, first: int) -> None:
    """Refuse a column IS_SUPER that no ops could give; what both kinds make may be either."""
    kinds: dict[int, set[str]] = {}
    for op in reader.ops:
        kinds.setdefault(op.new, set()).add(op.kind)
    for row, (token, _, is_super) in enumerate(published.vocabulary):
        made = kinds.get(reader.vocabulary.numbers[token], set())
        if ("supermerge" if is_super else "merge") not in made and (is_super or made):
            what = "no supermerge makes" if is_super else "only supermerges make"
            raise ModelFormatError(place(first + row, "vocabulary", f"{what} the token"))
