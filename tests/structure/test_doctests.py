"""Every example in a docstring runs and prints what it says; every public call has one."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import superword

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(superword.__path__, "superword.")
    if module.name not in ("superword._core", "superword.__main__")
)
# Properties of one word; and `save`, which the example of `load` shows
PLAIN = {"backend", "report", "ops", "special_tokens", "vocab_size", "save"}


def run(name):
    return doctest.testmod(importlib.import_module(name))


@pytest.mark.parametrize("name", ["superword", *MODULES])
def test_the_examples(name):
    assert run(name).failed == 0


def test_there_are_many():
    assert sum(run(name).attempted for name in MODULES) > 120


def test_every_public_call_has_one():
    public = [superword.train, superword.train_from_counts, superword.backend, superword.Tokenizer]
    for name, member in vars(superword.Tokenizer).items():
        if not name.startswith("_") and name not in PLAIN:
            public.append(member)
    without = [getattr(x, "__name__", x) for x in public if ">>> " not in (inspect.getdoc(x) or "")]
    assert without == []
