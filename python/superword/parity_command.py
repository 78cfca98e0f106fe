"""`superword parity`: whether both backends agree."""

from __future__ import annotations

import sys
from typing import Any

import click

from superword import _backend, command_input, messages, options, parity, streams
from superword.corpus import find_files
from superword.outcome import CHECK_FAILED
from superword.progress import ConsoleProgress
from superword.settings import resolve_threads


@click.command(name="parity", context_settings=options.CONTEXT)
@options.model
@click.argument("files", nargs=-1, required=True)
@options.field
@options.lines
@options.threads
@options.progress
@options.show_help
def check_parity(
    model: str,
    files: tuple[str, ...],
    field: str | None,
    lines: bool,
    threads: int | None,
    progress: bool | None,
    **limits: Any,
) -> None:
    """Check that both backends agree to the byte on FILES.

    Both train on FILES with the settings of MODEL (its number of tokens, no limits), and both
    encode every document with MODEL. Exit code 1 at the first difference.

    \b
    superword parity en.superword docs/*.jsonl
    """
    command_input.check_environment(None, threads)
    backends = (_backend.load("python"), _backend.load("rust"))
    data = command_input.load_model(model, "rust", limits).to_bytes()
    found = find_files(list(files), "text" if field is None else field, lines)
    console = ConsoleProgress(sys.stderr) if command_input.wanted_progress(progress) else None
    try:
        result = parity.compare(*backends, data, found.sources, resolve_threads(threads), console)
    finally:
        if console is not None:
            console.close()
    for notice in (*found.notices, *result.notices):
        messages.say(f"notice  {messages.one_line(notice)}")
    if result.difference is not None:
        messages.say(f"superword: parity: {messages.one_line(result.difference)}")
        raise click.exceptions.Exit(CHECK_FAILED)
    streams.write(
        f"equal: {result.ops:,} operations in a model of {result.model_bytes:,} bytes, "
        f"{result.documents:,} documents, {result.ids:,} ids\n".encode()
    )
