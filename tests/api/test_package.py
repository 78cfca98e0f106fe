"""The names of the package, and what importing it costs."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import superword

ROOT = Path(__file__).resolve().parents[2]


def test_the_version_is_that_of_the_build() -> None:
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text())
    assert superword.__version__ == cargo["workspace"]["package"]["version"]


def test_every_public_name_is_there() -> None:
    assert superword.__all__ == sorted(superword.__all__)
    for name in superword.__all__:
        assert getattr(superword, name) is not None
        assert name in dir(superword)
    with pytest.raises(AttributeError, match=r"^module 'superword' has no attribute 'nothing'$"):
        superword.nothing  # noqa: B018


def test_errors_are_one_hierarchy() -> None:
    for name in superword.__all__:
        if name.endswith("Error"):
            error = getattr(superword, name)
            assert issubclass(error, superword.SuperwordError)
            assert issubclass(error, TypeError) == name.endswith("TypeError")
            if name not in ("SuperwordError", "BackendError"):
                assert issubclass(error, ValueError)


def test_importing_loads_nothing_else() -> None:
    code = (
        "import sys; before = set(sys.modules); import superword; "
        "print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sys.path))},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = [name for name in eval(done.stdout) if name.startswith("superword") or "click" in name]
    assert loaded == ["superword"]
