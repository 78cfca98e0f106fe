"""Which backend runs, and what is said when it cannot."""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder
from typing import Any

import pytest

import superword
from superword import _backend

EXTENSION, REFERENCE = "superword._core", "superword.reference"


class Broken(MetaPathFinder):
    """An import that fails in some way."""

    def __init__(self, name: str, error: Exception) -> None:
        self.name = name
        self.error = error

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> None:
        if fullname == self.name:
            raise self.error


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUPERWORD_BACKEND", raising=False)


def hide(monkeypatch: pytest.MonkeyPatch, name: str, error: Exception | None = None) -> None:
    """Make a module absent, or broken."""
    monkeypatch.setitem(sys.modules, name, None)
    if error is not None:
        monkeypatch.delitem(sys.modules, name)
        monkeypatch.setattr(sys, "meta_path", [Broken(name, error), *sys.meta_path])


def test_names(backend_name: str) -> None:
    module = _backend.load(backend_name)
    assert module.__name__ == {"rust": EXTENSION, "python": REFERENCE}[backend_name]
    assert _backend.name_of(module) == backend_name


def test_the_environment(monkeypatch: pytest.MonkeyPatch, backend_name: str) -> None:
    monkeypatch.setenv("SUPERWORD_BACKEND", backend_name)
    assert superword.backend() == backend_name
    assert superword.train(["a"], vocab_size=256).backend == backend_name


def test_what_is_asked_for_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPERWORD_BACKEND", "rubbish")
    assert superword.train(["a"], vocab_size=256, backend="python").backend == "python"
    with pytest.raises(superword.SettingsError) as caught:
        superword.backend()
    assert str(caught.value) == "SUPERWORD_BACKEND must be one of auto, rust, python, not 'rubbish'"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Rust", "backend must be one of auto, rust, python, not 'Rust'"),
        (None, "backend must be a string, not NoneType"),
    ],
)
def test_names_of_no_backend(name: Any, text: str) -> None:
    with pytest.raises(superword.SettingsError) as caught:
        superword.train(["a"], vocab_size=256, backend=name)
    assert str(caught.value) == text


def test_an_absent_extension(monkeypatch: pytest.MonkeyPatch) -> None:
    hide(monkeypatch, EXTENSION)
    assert superword.backend() == "python"
    assert superword.train(["a"], vocab_size=256).backend == "python"
    with pytest.raises(superword.BackendError) as caught:
        _backend.load("rust")
    assert str(caught.value) == (
        "backend 'rust' needs the extension, which is not installed; install a wheel of "
        "superword, build it with 'make build', or choose backend 'python'"
    )


@pytest.mark.parametrize(
    "error",
    [
        ImportError("undefined symbol", name=EXTENSION),
        ModuleNotFoundError("no", name="superword.other"),
        OSError("bad file"),
        SystemError("no"),
    ],
)
@pytest.mark.parametrize("name", ["auto", "rust"])
def test_a_broken_extension_is_never_passed_over(
    monkeypatch: pytest.MonkeyPatch, error: Exception, name: str
) -> None:
    hide(monkeypatch, EXTENSION, error)
    with pytest.raises(superword.BackendError) as caught:
        _backend.load(name)
    assert caught.value.__cause__ is error
    assert str(caught.value) == (
        "backend 'rust' is there but cannot be imported; install superword again, "
        "or choose backend 'python'"
    )
    assert _backend.load("python").__name__ == REFERENCE


def test_a_broken_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    hide(monkeypatch, REFERENCE, ImportError("no"))
    with pytest.raises(superword.BackendError) as caught:
        _backend.load("python")
    assert str(caught.value) == (
        "backend 'python' is there but cannot be imported; install superword again, "
        "or choose backend 'rust'"
    )
