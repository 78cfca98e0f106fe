"""Settings: what is resolved, and every error text."""

from __future__ import annotations

import dataclasses
import inspect
import os
from collections.abc import Callable
from fractions import Fraction
from typing import Any
from unittest.mock import Mock

import pytest

import superword
from superword.settings import Settings, resolve_settings, resolve_threads

SPECIAL = "special_tokens must be a sequence of strings, not "


class Index:
    """What numpy's integers are to us: no int, but usable as one."""

    def __index__(self) -> int:
        return 300


def test_the_defaults_are_the_same_everywhere() -> None:
    fields = {field.name: field.default for field in dataclasses.fields(Settings)}
    signatures: list[Callable[..., Any]] = [
        superword.train,
        superword.train_from_counts,
        resolve_settings,
    ]
    for function in signatures:
        parameters = inspect.signature(function).parameters
        for name, default in fields.items():
            # None there: these two cannot be given without ngram_split, and a scheme that is given
            # excludes a pattern; without a scheme there are other rules
            if name in ("ngram_floor", "ngram_max_length", "rules", "scheme"):
                assert parameters[name].default is None
            elif name in parameters and default is not dataclasses.MISSING:
                assert parameters[name].default == default, (function, name)
    assert resolve_settings(algorithm="bpe", vocab_size=256).scheme == fields["scheme"]


def test_train_takes_the_names_of_its_documentation() -> None:
    names = """documents files algorithm vocab_size scheme pattern
        script_pattern scripts eligible_pattern rules supermerges regular_fraction
        min_count max_token_bytes max_superword_pretokens special_tokens alphabet id_order tau
        blow_up ngram_split ngram_floor ngram_max_length snapshots published field lines
        threads backend progress"""
    assert list(inspect.signature(superword.train).parameters) == names.split()


@pytest.mark.parametrize(
    ("given", "regular", "added"),
    [
        ({"algorithm": "bpe", "vocab_size": 300}, 300, 0),
        ({"algorithm": "boundless", "vocab_size": 300}, 300, 0),
        ({"algorithm": "bpe", "vocab_size": 243, "alphabet": "utf8"}, 243, 0),
        ({"algorithm": "bpe", "vocab_size": Index()}, 300, 0),
        ({"algorithm": "superbpe", "vocab_size": 300, "supermerges": 44}, 256, 44),
        ({"algorithm": "superbpe", "vocab_size": 300, "supermerges": 0}, 300, 0),
        ({"algorithm": "superbpe", "vocab_size": 1000, "regular_fraction": "9/10"}, 900, 100),
        ({"algorithm": "superbpe", "vocab_size": 1000, "regular_fraction": "0.9"}, 900, 100),
        ({"algorithm": "superbpe", "vocab_size": 1000, "regular_fraction": 0.9}, 900, 100),
        (
            {"algorithm": "superbpe", "vocab_size": 1000, "regular_fraction": Fraction(1, 3)},
            333,
            667,
        ),
        ({"algorithm": "superbpe", "vocab_size": 1000, "regular_fraction": 1}, 1000, 0),
        ({"algorithm": "superbpe", "vocab_size": 1000, "regular_fraction": "0.01"}, 256, 744),
        # 0.29 as a binary fraction is a little less: floor(0.29 * 100) would be 28
        ({"algorithm": "superbpe", "vocab_size": 10000, "regular_fraction": 0.29}, 2900, 7100),
    ],
)
def test_sizes(given: dict[str, Any], regular: int, added: int) -> None:
    settings = resolve_settings(**given)
    assert (settings.regular_vocab_size, settings.supermerges) == (regular, added)
    assert settings.vocab_size == regular + added
    assert type(settings.vocab_size) is int


@pytest.mark.parametrize(
    ("given", "kind", "text"),
    [
        ({"algorithm": "BPE"}, "", "algorithm must be one of bpe, superbpe, boundless, not 'BPE'"),
        ({"algorithm": None}, "Type", "algorithm must be a string, not NoneType"),
        ({"vocab_size": "300"}, "Type", "vocab_size must be an integer, not str"),
        ({"vocab_size": True}, "Type", "vocab_size must be an integer, not bool"),
        ({"vocab_size": 300.0}, "Type", "vocab_size must be an integer, not float"),
        ({"vocab_size": -1}, "", "vocab_size must be at least 0, not -1"),
        (
            {"vocab_size": 255},
            "",
            "vocab_size must be at least 256, the single bytes of alphabet 'bytes', not 255",
        ),
        (
            {"vocab_size": 242, "alphabet": "utf8"},
            "",
            "vocab_size must be at least 243, the single bytes of alphabet 'utf8', not 242",
        ),
        ({"vocab_size": 2**31}, "", "vocab_size must be at most 2147483647, not 2147483648"),
        (
            {"vocab_size": 2**31 - 1, "special_tokens": ["a"]},
            "",
            "vocab_size must be at most 2147483646, not 2147483647",
        ),
        ({"vocab_size": 10**5000}, "", "vocab_size must be at most 2147483647"),
        (
            {"scheme": "gpt5"},
            "",
            "scheme must be one of gpt2, gpt4, gpt4o, gpt4o-scripts, gpt4o-uniscript, none, "
            "not 'gpt5'",
        ),
        (
            {"scheme": "a\nb\u2028\ud800\x00é"},
            "",
            "scheme must be one of gpt2, gpt4, gpt4o, gpt4o-scripts, gpt4o-uniscript, none, "
            r"not 'a\nb\u2028\ud800\x00é'",
        ),
        ({"special_tokens": ["\n"] * 2}, "", r"special token 1 repeats special token 0: '\n'"),
        ({"special_tokens": memoryview(b"ab")}, "Type", SPECIAL + "memoryview"),
        ({"special_tokens": [Mock(spec=str)]}, "Type", "special token 0 must be a str, not Mock"),
        ({"rules": "x"}, "", "rules must be one of superword, incremental, not 'x'"),
        (
            {"rules": "incremental", "algorithm": "boundless"},
            "",
            "rules 'incremental' need algorithm 'bpe', not 'boundless'",
        ),
        (
            {"scheme": "none", "algorithm": "boundless"},
            "",
            "scheme 'none' needs algorithm 'bpe', not 'boundless'",
        ),
        (
            {"scheme": "none", "rules": "superword"},
            "",
            "scheme 'none' needs rules 'incremental', not 'superword'",
        ),
        (
            {"scheme": "none", "alphabet": "utf8"},
            "",
            "scheme 'none' needs alphabet 'bytes', not 'utf8'",
        ),
        ({"scheme": "none", "tau": "1/2"}, "", "tau needs rules 'superword', not 'incremental'"),
        ({"alphabet": "x"}, "", "alphabet must be one of bytes, utf8, not 'x'"),
        ({"id_order": "x"}, "", "id_order must be one of regular-first, creation, gpt2, not 'x'"),
        (
            {"id_order": "gpt2", "alphabet": "utf8"},
            "",
            "id_order 'gpt2' needs alphabet 'bytes', not 'utf8'",
        ),
        ({"min_count": 0}, "", "min_count must be at least 1, not 0"),
        ({"min_count": 2**63}, "", f"min_count must be at most {2**63 - 1}, not {2**63}"),
        ({"min_count": None}, "Type", "min_count must be an integer, not NoneType"),
        ({"max_token_bytes": 0}, "", "max_token_bytes must be at least 1, not 0"),
        ({"max_token_bytes": "9"}, "Type", "max_token_bytes must be an integer, not str"),
        (
            {"max_superword_pretokens": 0},
            "",
            "max_superword_pretokens must be at least 1, not 0",
        ),
        (
            {"special_tokens": "<s>"},
            "Type",
            "special_tokens must be a sequence of strings, not one str; put it in a list: [token]",
        ),
        (
            {"special_tokens": {"<s>"}},
            "Type",
            "special_tokens must be a sequence of strings, not set",
        ),
        (
            {"special_tokens": b"<s>"},
            "Type",
            "special_tokens must be a sequence of strings, not bytes",
        ),
        ({"special_tokens": ["a", 3]}, "Type", "special token 1 must be a str, not int"),
        (
            {"special_tokens": [""]},
            "",
            "special token 0 is empty: it needs at least one character",
        ),
        ({"special_tokens": ["a", "b", "a"]}, "", "special token 2 repeats special token 0: 'a'"),
        (
            {"special_tokens": ["ab\udc00"]},
            "",
            "special token 0 has a lone surrogate at position 2",
        ),
        ({"supermerges": 3}, "", "supermerges needs algorithm 'superbpe', not 'bpe'"),
        (
            {"regular_fraction": 0.5, "algorithm": "boundless"},
            "",
            "regular_fraction needs algorithm 'superbpe', not 'boundless'",
        ),
        (
            {"algorithm": "superbpe"},
            "",
            "algorithm 'superbpe' needs exactly one of supermerges and regular_fraction, "
            "not neither",
        ),
        (
            {"algorithm": "superbpe", "supermerges": 1, "regular_fraction": 0.5},
            "",
            "algorithm 'superbpe' needs exactly one of supermerges and regular_fraction, not both",
        ),
        (
            {"algorithm": "superbpe", "supermerges": 45},
            "",
            "supermerges must be at most 44, not 45",
        ),
        (
            {"algorithm": "superbpe", "supermerges": -1},
            "",
            "supermerges must be at least 0, not -1",
        ),
        (
            {"algorithm": "superbpe", "supermerges": "1"},
            "Type",
            "supermerges must be an integer, not str",
        ),
    ],
)
def test_errors(given: dict[str, Any], kind: str, text: str) -> None:
    expected = {"": superword.SettingsError, "Type": superword.SettingsTypeError}[kind]
    with pytest.raises(superword.SettingsError) as caught:
        resolve_settings(**{"algorithm": "bpe", "vocab_size": 300, **given})
    assert (type(caught.value), str(caught.value)) == (expected, text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "must be above 0 and at most 1, not 0"),
        ("0.0", "must be above 0 and at most 1, not '0.0'"),
        (1.5, "must be above 0 and at most 1, not 1.5"),
        (-0.5, "must be above 0 and at most 1, not -0.5"),
        (float("nan"), "must be above 0 and at most 1, not nan"),
        (float("inf"), "must be above 0 and at most 1, not inf"),
        (Fraction(4, 3), "must be above 0 and at most 1, not 4/3"),
        pytest.param(10**5000, "must be above 0 and at most 1, not this", id="huge"),
        ("90%", "must look like 9/10 or 0.9, not '90%'"),
        ("1e-1", "must look like 9/10 or 0.9, not '1e-1'"),
        ("٩/10", "must look like 9/10 or 0.9, not '٩/10'"),
        ("9/10\n", r"must look like 9/10 or 0.9, not '9/10\n'"),
        ("\ud800\x07", r"must look like 9/10 or 0.9, not '\ud800\x07'"),
        ("1/0", "must not have 0 below the line, as in '1/0'"),
        (True, "must be a string, a Fraction or a float, not bool"),
        ([1, 2], "must be a string, a Fraction or a float, not list"),
    ],
)
def test_fraction_errors(value: object, text: str) -> None:
    with pytest.raises(superword.SettingsError) as caught:
        resolve_settings(algorithm="superbpe", vocab_size=300, regular_fraction=value)
    assert str(caught.value) == f"regular_fraction {text}"
    assert isinstance(caught.value, TypeError) == (isinstance(value, (bool, list)))


def test_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUPERWORD_THREADS", raising=False)
    assert 1 <= resolve_threads(None) <= (os.cpu_count() or 1)
    assert resolve_threads(5) == 5
    monkeypatch.setenv("SUPERWORD_THREADS", "3")
    assert resolve_threads(None) == 3
    assert resolve_threads(2) == 2
    monkeypatch.setenv("SUPERWORD_THREADS", "")
    assert resolve_threads(None) >= 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("many", "SUPERWORD_THREADS must be an integer, not 'many'"),
        ("-1", "SUPERWORD_THREADS must be an integer, not '-1'"),
        ("3\n", r"SUPERWORD_THREADS must be an integer, not '3\n'"),
        ("\udcff", r"SUPERWORD_THREADS must be an integer, not '\xff'"),
        ("0", "SUPERWORD_THREADS must be at least 1, not 0"),
        ("1025", "SUPERWORD_THREADS must be at most 1024, not 1025"),
    ],
)
def test_rubbish_in_the_environment(
    monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    monkeypatch.setenv("SUPERWORD_THREADS", text)
    with pytest.raises(superword.SettingsError) as caught:
        resolve_threads(None)
    assert str(caught.value) == message
    assert resolve_threads(1) == 1


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (0, "threads must be at least 1, not 0"),
        (1025, "threads must be at most 1024, not 1025"),
        (1.0, "threads must be an integer, not float"),
        (True, "threads must be an integer, not bool"),
    ],
)
def test_thread_errors(value: object, message: str) -> None:
    with pytest.raises(superword.SettingsError) as caught:
        resolve_threads(value)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("given", "tau"),
    [
        ("9/10", Fraction(9, 10)),
        ("18/20", Fraction(9, 10)),
        ("0.90", Fraction(9, 10)),
        (0.9, Fraction(9, 10)),
        (Fraction(1, 3), Fraction(1, 3)),
        (1, Fraction(1)),
        ("1", Fraction(1)),
        (f"1/{2**63 - 1}", Fraction(1, 2**63 - 1)),
    ],
)
def test_tau(given: Any, tau: Fraction) -> None:
    settings = resolve_settings(algorithm="bpe", vocab_size=300, tau=given)
    assert (settings.tau, settings.blow_up) == (tau, "pair")
    settings = resolve_settings(algorithm="bpe", vocab_size=300, tau=given, blow_up="bytes")
    assert (settings.tau, settings.blow_up) == (tau, "bytes")


def test_without_tau_nothing_is_deleted() -> None:
    settings = resolve_settings(algorithm="bpe", vocab_size=300)
    assert (settings.tau, settings.blow_up) == (None, None)
