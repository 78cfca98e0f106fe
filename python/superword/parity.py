"""Whether two backends agree to the byte: documents, artifact, token ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

from superword._backend import name_of
from superword.corpus import Source
from superword.errors import SuperwordError
from superword.model import Model
from superword.progress import Progress
from superword.settings import ALPHABETS, NO_LIMITS, Settings, resolve_settings
from superword.values import printable

if TYPE_CHECKING:
    from superword._backend import Counts, Encoder

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Agreement:
    """What was compared, and the first difference in words, if there is one."""

    documents: int = 0
    ids: int = 0
    model_bytes: int = 0
    ops: int = 0
    notices: tuple[str, ...] = ()
    difference: str | None = None


class _DifferenceError(Exception):
    """The first difference, in words."""


def compare(
    first: ModuleType,
    second: ModuleType,
    data: bytes,
    sources: Sequence[Source],
    threads: int,
    progress: Progress | None = None,
) -> Agreement:
    """Train and encode with both backends and compare to the byte.

    Both train on the files with the settings of a model, and both encode every document with the
    model itself, special tokens as such. An error counts as a result: if both raise the same, it
    is raised here.

    Args:
        first, second: backend modules after the contract `_core.pyi`.
        data: the bytes of a model file; that it keeps to limits is for who loads it to check.
        sources: files as `corpus.find_files` gives them.
        threads: for counting.
        progress: called with (stage, done, total).

    Returns:
        The numbers of what was compared and the first difference.

    Raises:
        SuperwordError: the model or a file cannot be used, with either backend.
    """
    both = (first, second)
    try:
        model = _same(
            both,
            lambda module: Model(*module.model_from_bytes(data, True, *NO_LIMITS)),
            "the model",
        )
        ops, size, notices = _compare_training(both, model, sources, threads, progress)
        documents, ids = _compare_encoding(both, model, sources, progress)
    except _DifferenceError as error:
        return Agreement(difference=str(error))
    return Agreement(documents, ids, size, ops, notices)


def settings_of(model: Model) -> Settings:
    """The settings that train a model like this one on other documents."""
    regular: set[int] = set()  # what is left of what merges have made
    superwords: set[int] = set()  # what supermerges have added to that
    for kind, _, _, token, _ in model.ops:
        if kind == "delete":
            regular.discard(token)
            superwords.discard(token)
        elif kind == "merge":
            regular.add(token)
            superwords.discard(token)
        elif token not in regular:
            superwords.add(token)
    return resolve_settings(
        algorithm=model.algorithm,
        vocab_size=ALPHABETS[model.alphabet] + len(regular | superwords),
        supermerges=len(superwords) if model.algorithm == "superbpe" else None,
        scheme=model.scheme,
        pattern=model.pattern,
        script_pattern=model.script_pattern,
        scripts=model.scripts,
        eligible_pattern=model.eligible_pattern,
        rules=model.rules,
        alphabet=model.alphabet,
        id_order=model.id_order,
        special_tokens=model.special_tokens,
        tau=model.tau,
        blow_up=model.blow_up,
        ngram_split=model.ngram_floor is not None,
        ngram_floor=model.ngram_floor,
        ngram_max_length=model.ngram_max_length,
    )


def _compare_training(
    both: tuple[ModuleType, ModuleType],
    model: Model,
    sources: Sequence[Source],
    threads: int,
    progress: Progress | None,
) -> tuple[int, int, tuple[str, ...]]:
    """Compare counts and artifacts; the ops and bytes of the artifact, and the notices."""
    settings = settings_of(model)
    how = (settings.cutting, settings.special_tokens, settings.algorithm != "bpe", threads)
    counts: dict[ModuleType, Counts] = {}

    def count(module: ModuleType) -> tuple[object, ...]:
        result = counts[module] = module.count_files(sources, *how, progress)
        totals = (result.documents, result.bytes, result.pretokens, result.distinct_pretokens)
        return (*totals, result.notices)

    _same(both, count, "the counts")
    for what in ("pretoken_counts", "run_counts"):
        _same(both, lambda module, what=what: getattr(counts[module], what)(), what)  # type: ignore[misc]
    trained: dict[ModuleType, tuple[bytes, str, object]] = {}

    def train(module: ModuleType) -> bytes:
        trained[module] = module.train_counts(counts[module], settings, progress)
        return trained[module][0]

    data = _same(both, train, "the artifact")
    _same(both, lambda module: [trained[module][1]], "the reason to stop")
    _same(both, lambda module: [trained[module][2]], "the numbers of candidates")
    return data.count(b"\n") - 2, len(data), tuple(counts[both[0]].notices)


def _compare_encoding(
    both: tuple[ModuleType, ModuleType],
    model: Model,
    sources: Sequence[Source],
    progress: Progress | None,
) -> tuple[int, int]:
    """Compare the documents and their ids; how many there are."""
    encoders: dict[ModuleType, Encoder] = {module: module.Encoder(model) for module in both}
    allowed = range(len(model.special_tokens))
    documents = ids = 0
    for source in sources:
        readers = [_read(module, source) for module in both]
        for number, texts in enumerate(zip_longest(*readers)):
            place = f"document {number} of {printable(source[0])} (counted from 0)"
            text = dict(zip(both, texts, strict=True))
            _same(both, lambda module, text=text: text[module], place)  # type: ignore[misc]
            found = _same(
                both,
                lambda module, text=text: encoders[module].encode(text[module], list(allowed)),  # type: ignore[misc]
                f"the ids of {place}",
            )
            documents += 1
            ids += len(found)
            if progress is not None:
                progress("encode", documents, 0)
    return documents, ids


def _read(module: ModuleType, source: Source) -> Iterator[object]:
    """The documents; an error is the last of them, so that both backends' can be compared."""
    try:
        yield from module.read_documents(source, [])
    except SuperwordError as error:
        yield error


def _same(
    both: tuple[ModuleType, ModuleType], call: Callable[[ModuleType], _Result], what: str
) -> _Result:
    """The result of a call, if it is the same from both; if both raise the same, raises it."""
    results: list[object] = []
    for module in both:
        try:
            results.append(call(module))
        except SuperwordError as error:
            results.append(error)
    one, two = results
    if one != two and _plain(one) != _plain(two):
        names = [name_of(module) for module in both]
        raise _DifferenceError(_describe(one, two, names, what))
    if isinstance(one, SuperwordError):
        raise one
    return one  # type: ignore[return-value]


def _plain(value: object) -> object:
    """A value that compares: errors by type and text, ops and models as plain tuples."""
    if isinstance(value, SuperwordError):
        return (type(value).__name__, str(value))
    if isinstance(value, tuple):
        return tuple(_plain(item) for item in value)
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _describe(one: object, two: object, names: Sequence[str], what: str) -> str:
    """The first difference of two results in words."""
    if isinstance(one, tuple) and isinstance(two, tuple):
        for left, right in zip(one, two, strict=False):
            if _plain(left) != _plain(right):
                return _describe(left, right, names, what)
    rows = (_rows(one), _rows(two))
    for position, (left, right) in enumerate(zip_longest(*rows)):
        if left != right:
            return (
                f"{what}: first difference at position {position}: "
                f"{names[0]} has {_show(left)}, {names[1]} has {_show(right)}"
            )
    return f"{what}: the types differ"


def _rows(value: object) -> Sequence[object]:
    """What to compare one by one: the lines of an artifact, the items of a list."""
    if isinstance(value, bytes):
        return value.split(b"\n")
    return value if isinstance(value, (list, str)) else [_plain(value)]


def _show(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 100 else text[:100] + "..."
