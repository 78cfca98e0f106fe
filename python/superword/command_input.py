"""What commands are given: the environment, the model, special tokens, standard input."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from typing import Any, Literal

import click

from superword import _backend, by_line, streams
from superword.errors import EncodingError
from superword.settings import resolve_threads
from superword.tokenizer import Tokenizer


def check_environment(backend: str | None, threads: int | None = None) -> None:
    """Refuse rubbish in the environment, also where a command has no use for it."""
    if backend is None:
        _backend.load()
    if threads is None:
        resolve_threads(None)


def load_model(model: str, backend: str | None, limits: dict[str, Any]) -> Tokenizer:
    """The tokenizer of MODEL."""
    if not model:
        raise click.UsageError("MODEL is an empty path")
    return Tokenizer.load(model, backend=backend or "auto", **limits)  # type: ignore[arg-type]


def allowed_special(
    tokenizer: Tokenizer, given: tuple[str, ...], ordinary: bool
) -> by_line.Allowed:
    """Which special tokens become their ids; None: they are plain text."""
    if ordinary:
        if given:
            raise click.UsageError("--ordinary and --allowed-special exclude each other")
        return None
    allowed: Literal["all"] | Collection[str] = "all" if given == ("all",) else given
    try:
        tokenizer.encode("", allowed)  # an unknown name is an error before anything is read
    except EncodingError as error:
        raise click.UsageError(f"--{str(error).replace('_', '-', 1)}") from None
    return allowed


def wanted_progress(wanted: bool | None) -> Literal[True] | None:
    """What `progress` is: as the option says, or else whether standard error is a terminal."""
    terminal = sys.stderr is not None and sys.stderr.isatty()
    return True if wanted or (wanted is None and terminal) else None


def standard_input(lines: bool, notices: list[str]) -> Iterator[str]:
    """The documents of standard input; what is to be said of it goes to the notices."""
    with streams.open_input("-") as (stream, name):
        batches = streams.text_lines(stream, name) if lines else [[streams.read_all(stream, name)]]
        for number, texts in enumerate(batches):
            if number == 0 and texts[0].startswith("\ufeff"):
                notices.append(f"{name}: starts with a byte order mark, which is kept as text")
            yield from texts
