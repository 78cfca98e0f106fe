"""Between the bytes of model files, of ours and published ones, and what a Tokenizer holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from superword.errors import ModelFormatError
from superword.files import write_model
from superword.model import Model
from superword.published import DROPPED, NO_TOTALS, is_published, is_published_name, with_columns
from superword.report import limits_notice, warn
from superword.settings import NO_LIMITS
from superword.values import printable

if TYPE_CHECKING:
    from superword._backend import Encoder


class Loaded(NamedTuple):
    """What a backend made of a model file."""

    data: bytes  # the artifact
    published: bytes | None  # the published file of version 2, if there is one
    encoder: Encoder
    model: Model  # without its ops
    notices: tuple[str, ...] = ()


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
        return _loaded(data, None, module.load_model(data, any_unicode, *limits))
    artifact: bytes = module.artifact_of_published(data, *limits)
    # The version without columns cannot be written.
    published = None if data.startswith(b"word ") else data
    loaded = module.load_model(artifact, any_unicode, *limits)
    return _loaded(artifact, published, loaded, (NO_TOTALS,))


def load_trained(
    module: ModuleType, data: bytes, published: bytes | None, notices: Iterable[str]
) -> Loaded:
    """Load what training made, whose limits are not those for files from elsewhere."""
    try:
        return _loaded(data, published, module.load_model(data), notices)
    except ModelFormatError:  # it passes a limit
        loaded = module.load_model(data, False, *NO_LIMITS)
        notice = limits_notice(Model(*module.model_from_bytes(data, False, *NO_LIMITS)))
        warn([notice])
        return _loaded(data, published, loaded, (*notices, notice))


def load_again(
    module: ModuleType, data: bytes, published: bytes | None, any_unicode: bool
) -> Loaded:
    """Load what was loaded in another process."""
    return _loaded(data, published, module.load_model(data, any_unicode, *NO_LIMITS))


def save(path: str, data: bytes, published: bytes | None) -> None:
    """Write the file that the name asks for; errors and warnings as of `Tokenizer.save`."""
    if not is_published_name(path):
        write_model(path, data)
        warn([DROPPED] if published is not None else [])
        return
    try:
        columns = with_columns(published)
    except ModelFormatError as error:
        raise ModelFormatError(
            f"model file '{printable(path)}' cannot be written: {error}"
        ) from None
    write_model(path, columns)


def _loaded(
    data: bytes,
    published: bytes | None,
    loaded: tuple[Encoder, Sequence[Any]],
    notices: Iterable[str] = (),
) -> Loaded:
    return Loaded(data, published, loaded[0], Model(*loaded[1]), tuple(notices))
