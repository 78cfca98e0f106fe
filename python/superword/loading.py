"""Between the bytes of model files, of ours and published ones, and what a `Tokenizer` holds."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from superword import _backend
from superword.errors import ModelFormatError, SettingsError
from superword.files import write_model
from superword.model import Model
from superword.published import DROPPED, NO_COLUMNS, NO_TOTALS, is_published, is_published_name
from superword.report import Stage, limits_notice, report_of, warn
from superword.settings import NO_LIMITS, Settings
from superword.values import printable

if TYPE_CHECKING:
    from superword._backend import Encoder


class Loaded(NamedTuple):
    """What a backend made of a model file."""

    module: ModuleType  # the backend
    data: bytes  # the artifact
    published: bytes | None  # the published file of version 2, if there is one
    encoder: Encoder
    model: Model  # without its ops
    notices: tuple[str, ...] = ()  # what a user should know


def load_bytes(
    module: ModuleType,
    data: bytes,
    any_unicode: bool,
    max_token_bytes: int | None,
    max_total_bytes: int | None,
) -> Loaded:
    """Load a model file of any kind; arguments and errors as of `Tokenizer.from_bytes`."""
    limits = max_token_bytes, max_total_bytes
    if not is_published(data):
        return _loaded(module, data, None, module.load_model(data, any_unicode, *limits))
    artifact: bytes = module.artifact_of_published(data, *limits)
    # The version without columns cannot be written.
    published = None if data.startswith(b"word ") else data
    loaded = module.load_model(artifact, any_unicode, *limits)
    return _loaded(module, artifact, published, loaded, (NO_TOTALS,))


def load_trained(module: ModuleType, data: bytes, published: bytes | None = None) -> Loaded:
    """Load what training made, whose limits are not those for files from elsewhere."""
    try:
        return _loaded(module, data, published, module.load_model(data))
    except ModelFormatError:  # it passes a limit
        loaded = module.load_model(data, False, *NO_LIMITS)
        model = Model(*module.model_from_bytes(data, False, *NO_LIMITS))
        return _loaded(module, data, published, loaded, (limits_notice(model),))


def load_again(
    module: ModuleType, data: bytes, any_unicode: bool, published: bytes | None = None
) -> Loaded:
    """Load what was loaded before, in another process."""
    return _loaded(module, data, published, module.load_model(data, any_unicode, *NO_LIMITS))


def load_cut(backend: str, data: bytes, vocab_size: int, any_unicode: bool) -> Loaded:
    """Cut an artifact and load what is left; errors as of `Tokenizer.truncated`."""
    module = _backend.load(backend)
    return load_again(module, module.truncate_model(data, vocab_size, any_unicode), any_unicode)


def _loaded(
    module: ModuleType,
    data: bytes,
    published: bytes | None,
    loaded: tuple[Encoder, Sequence[Any]],
    notices: tuple[str, ...] = (),
) -> Loaded:
    return Loaded(module, data, published, loaded[0], Model(*loaded[1]), notices)


def parts(
    loaded: Loaded,
    *,
    stages: Callable[[], tuple[Stage, ...]] = tuple,
    snapshots: Mapping[int, Any] = MappingProxyType({}),
    **trained: Any,
) -> dict[str, Any]:
    """What a `Tokenizer` holds of a model; `trained` is what only training knows, for its report.

    `stages` is asked once the encoder is ready, which takes a part of the time of training.
    """
    module, data, published, encoder, model, notices = loaded
    known = {"backend": _backend.name_of(module), "notices": notices, **trained}
    report = report_of(model, encoder, len(data), stages=stages(), **known)
    usual = range(report.tokens, report.tokens + len(model.special_tokens))
    special_ids = usual if model.special_ids is None else model.special_ids
    return {
        # Known from the model alone: equal tokenizers must not differ in it.
        "_any_unicode": model.unicode != module.UNICODE_VERSION,
        "_backend": report.backend,
        "_data": data,
        "_encoder": encoder,
        "_published": published,
        "_report": report,
        "_snapshots": MappingProxyType(dict(snapshots)),
        "_special": dict(zip(model.special_tokens, special_ids, strict=True)),
    }


@contextlib.contextmanager
def of_file(path: str) -> Iterator[None]:
    """Name the file in errors of what it holds."""
    try:
        yield
    except ModelFormatError as error:
        raise ModelFormatError(f"model file '{printable(path)}': {error}") from None


def published_file(backend: str, data: bytes, published: bytes | None) -> bytes:
    """The published file of a tokenizer; `ModelFormatError` says why it has none."""
    if published is not None:
        return published
    module = _backend.load(backend)
    model = Model(*module.model_from_bytes(data, True, *NO_LIMITS))
    settings = Settings(
        model.algorithm,
        vocab_size=0,  # what such a file cannot say does not depend on sizes
        regular_vocab_size=0,
        supermerges=0,
        scheme=model.scheme,
        pattern=model.pattern,
        script_pattern=model.script_pattern,
        scripts=None if model.scripts is None else tuple(model.scripts),
        rules=model.rules,
        id_order=model.id_order,
        special_tokens=tuple(model.special_tokens),
        tau=None if model.tau is None else Fraction(model.tau),
        blow_up=model.blow_up,
    )
    try:
        module.check_publishable(settings)
    except SettingsError as error:
        raise ModelFormatError(str(error)) from None
    raise ModelFormatError(NO_COLUMNS)


def save(backend: str, path: str, data: bytes, published: bytes | None) -> None:
    """Write the file that the name asks for; errors and warnings as of `Tokenizer.save`."""
    if not is_published_name(path):
        write_model(path, data)
        warn([DROPPED] if published is not None else [])
        return
    try:
        columns = published_file(backend, data, published)
    except ModelFormatError as error:
        raise ModelFormatError(
            f"model file '{printable(path)}' cannot be written: {error}"
        ) from None
    write_model(path, columns)
