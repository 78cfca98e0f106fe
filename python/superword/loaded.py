"""A model loaded with a backend, as a `Tokenizer` holds it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any

from superword import _backend
from superword.errors import ModelFormatError
from superword.model import Model
from superword.report import Stage, limits_notice, report_of
from superword.settings import NO_LIMITS

if TYPE_CHECKING:
    from superword._backend import Encoder


def load_trained(module: ModuleType, data: bytes) -> tuple[Any, list[str]]:
    """What `load_model` gives for a model of this process, and what a user should know of it."""
    try:
        return module.load_model(data), []
    except ModelFormatError:  # it passes a limit
        model = Model(*module.model_from_bytes(data, False, *NO_LIMITS))
        return module.load_model(data, False, *NO_LIMITS), [limits_notice(model)]


def parts(
    module: ModuleType,
    data: bytes,
    loaded: tuple[Encoder, Sequence[Any]],
    *,
    stages: Callable[[], tuple[Stage, ...]] = tuple,
    snapshots: Mapping[int, Any] = MappingProxyType({}),
    **trained: Any,
) -> dict[str, Any]:
    """What a `Tokenizer` holds of a model; `trained` is what only training knows, for its report.

    `stages` is asked once the encoder is ready, which takes a part of the time of training.
    """
    encoder, model = loaded[0], Model(*loaded[1])
    backend = _backend.name_of(module)
    report = report_of(model, encoder, len(data), backend, stages=stages(), **trained)
    tokens = report.tokens
    return {
        # Known from the model alone, so that equal tokenizers have equal pickles.
        "_any_unicode": model.unicode != module.UNICODE_VERSION,
        "_backend": report.backend,
        "_data": data,
        "_encoder": encoder,
        "_report": report,
        "_snapshots": MappingProxyType(dict(snapshots)),
        "_special": {token: tokens + i for i, token in enumerate(model.special_tokens)},
    }
