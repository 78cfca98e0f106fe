"""`superword export` and `superword check`: a model for other programs, with the same ids."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

import click

from superword import _backend, command_input, messages, options, streams
from superword.corpus import find_files
from superword.exported_folder import MODEL_FILE, check_folder, write_folder
from superword.exported_ranks import MODEL, write_ranks
from superword.exporting import FORMATS
from superword.outcome import CHECK_FAILED
from superword.progress import ConsoleProgress


@click.command(name="export", context_settings=options.CONTEXT)
@options.model
@click.argument("output", metavar="OUTPUT")
@click.option("--to", metavar="NAME", required=True, help=f"One of {', '.join(FORMATS)}.")
@click.option(
    "--javascript", is_flag=True, help="A pattern that JavaScript reads too (transformers.js)."
)
@click.option("--no-check", is_flag=True, help="Write it without comparing ids.")
@options.backend
@options.progress
@options.show_help
def export(
    model: str,
    output: str,
    to: str,
    javascript: bool,
    no_check: bool,
    backend: str | None,
    progress: bool | None,
    **limits: Any,
) -> None:
    """Write MODEL to OUTPUT for other programs, which then give exactly its ids.

    huggingface: a folder with a stock tokenizer.json, which tokenizers, transformers and what is
    built on them load without any code of ours, tokenizer_config.json, and the model itself as
    model.superword. If it is there, files of these names are replaced in it.

    tiktoken: a rank file, and beside it the pattern and the special tokens as OUTPUT.json and the
    model itself as OUTPUT.superword.

    Before anything is written under its name it is checked as superword check does. What cannot be
    exact is refused with an example, exit code 1.

    \b
    superword export en.superword --to huggingface en/
    superword export en.superword --to tiktoken en.tiktoken
    """
    command_input.check_environment(backend)
    if to not in FORMATS:
        raise click.UsageError(f"--to must be one of {', '.join(FORMATS)}, not '{to}'")
    if not output:
        raise click.UsageError("OUTPUT is an empty path")
    if javascript and to != "huggingface":
        raise click.UsageError("--javascript is for --to huggingface only")
    tokenizer = command_input.load_model(model, backend, limits)
    console = _console(progress)
    try:
        if to == "tiktoken":
            checked = write_ranks(tokenizer, output, not no_check, console)
        else:
            checked = write_folder(tokenizer, output, javascript, not no_check, console)
    finally:
        if console is not None:
            console.close()
    if checked is not None:
        messages.say(str(checked))


@click.command(name="check", context_settings=options.CONTEXT)
@click.argument("folder", metavar="DIR")
@click.option(
    "--text",
    "files",
    multiple=True,
    metavar="FILES",
    callback=options.text,
    help="Texts to compare, too: a file, glob or folder as of train; may be given repeatedly.",
)
@click.option(
    "--strings",
    type=options.Integer(0),
    metavar="N",
    help="Texts to make from the model; default: 100000.",
)
@options.field
@options.lines
@options.backend
@options.progress
@options.show_help
def check(
    folder: str,
    files: tuple[str, ...],
    strings: int | None,
    field: str | None,
    lines: bool,
    backend: str | None,
    progress: bool | None,
) -> None:
    """Check that an exported DIR gives the ids of its model.

    DIR is loaded as users load it, with what is installed of tokenizers and transformers
    (AutoTokenizer), a rank file instead of a folder with tiktoken. Compared are sample texts in
    many languages, the texts of --text, and texts made from the model, at which a wrong export
    shows; they are the same every time. Exit code 1, with the first differences, if anything
    differs.

    \b
    superword check en/
    superword check en/ --text docs/*.jsonl
    """
    command_input.check_environment(backend)
    if not folder:
        raise click.UsageError("DIR is an empty path")
    found = find_files(list(files), "text" if field is None else field, lines) if files else None
    is_folder = os.path.isdir(folder)
    model = os.path.join(folder, MODEL_FILE) if is_folder else folder + MODEL
    tokenizer = command_input.load_model(model, backend, {})
    module = _backend.load(tokenizer.backend)

    def texts() -> Iterator[str]:
        for source in found.sources if found else ():
            yield from module.read_documents(source, found.notices if found else [])

    console = _console(progress)
    try:
        checked = check_folder(tokenizer, folder, texts(), strings, console)
    finally:
        if console is not None:
            console.close()
    for notice in found.notices if found else ():
        messages.say(f"notice  {messages.one_line(notice)}")
    if not checked.is_exact:
        messages.say(f"superword: check: {messages.one_line(folder)}: not exact")
        for line in str(checked).split("\n"):
            messages.say(messages.one_line(line))
        raise click.exceptions.Exit(CHECK_FAILED)
    streams.write(f"{checked}\n".encode())


def _console(progress: bool | None) -> ConsoleProgress | None:
    return ConsoleProgress(sys.stderr) if command_input.wanted_progress(progress) else None


COMMANDS = (export, check)
