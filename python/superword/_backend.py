"""Finds the backend: the compiled extension, or the reference in pure Python."""

from __future__ import annotations

import importlib
import os
from types import ModuleType
from typing import TYPE_CHECKING

from superword.errors import BackendError, SettingsError
from superword.settings import one_of
from superword.values import printable

if TYPE_CHECKING:
    from superword._core import Counts as Counts
    from superword._core import Encoder as Encoder

NAMES = ("auto", "rust", "python")
_MODULES = {"rust": "superword._core", "python": "superword.reference"}


def load(name: object = "auto") -> ModuleType:
    """The module of a backend, "auto", "rust" or "python"; all have the names of `_core.pyi`.

    "auto" is what SUPERWORD_BACKEND says, else the extension, else, only if there is none, the
    reference: an extension that is there and does not work is a `BackendError`, so that nobody
    trains for days with the slow one unawares.

    >>> load("python").__name__
    'superword.reference'
    """
    name = one_of("backend", name, NAMES)
    if name == "auto":
        name = os.environ.get("SUPERWORD_BACKEND", "") or "auto"
        if name not in NAMES:
            raise SettingsError(
                f"SUPERWORD_BACKEND must be one of {', '.join(NAMES)}, not '{printable(name)}'"
            )
    if name == "auto":
        return _extension() or _reference()
    if name == "python":
        return _reference()
    extension = _extension()
    if extension is None:
        raise BackendError(
            "backend 'rust' needs the extension, which is not installed; install a wheel of "
            "superword, build it with 'make build', or choose backend 'python'"
        )
    return extension


def name_of(module: ModuleType) -> str:
    """The name by which users know a backend module, "rust" or "python"."""
    return "rust" if module.__name__ == _MODULES["rust"] else "python"


def backend() -> str:
    """What backend="auto" runs: "rust" or "python".

    >>> backend() in ("rust", "python")
    True
    """
    return name_of(load())


def _extension() -> ModuleType | None:
    """The extension, or None if it is absent."""
    # Not `from superword import _core`: its ImportError would have the name of the package.
    try:
        return importlib.import_module(_MODULES["rust"])
    except ModuleNotFoundError as error:
        if error.name == _MODULES["rust"]:
            return None
        raise _broken("rust") from error
    except Exception as error:
        raise _broken("rust") from error


def _reference() -> ModuleType:
    try:
        return importlib.import_module(_MODULES["python"])
    except Exception as error:
        raise _broken("python") from error


def _broken(name: str) -> BackendError:
    other = "python" if name == "rust" else "rust"
    return BackendError(
        f"backend '{name}' is there but cannot be imported; install superword again, "
        f"or choose backend '{other}'"
    )
