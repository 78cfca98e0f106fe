"""The command line."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import click

from superword import (
    by_line,
    command_input,
    display,
    export_commands,
    messages,
    model_output,
    options,
    parity_command,
    streams,
)
from superword.corpus import find_files
from superword.encode_files import encode_texts
from superword.errors import (
    EncodingError,
    PatternTooExpensiveError,
    SuperwordError,
    SuperwordWarning,
)
from superword.ids_output import DTYPES
from superword.outcome import outcome
from superword.published import DROPPED, is_published_name
from superword.report import warn
from superword.settings import resolve_threads
from superword.training import train as train_tokenizer


def run(arguments: Sequence[str]) -> int:
    """Run the command line; the exit code."""
    streams.use_buffers()
    code, message = outcome(cli, arguments)
    streams.settle()
    if message:
        messages.say(f"superword: {messages.one_line(message)}")
    messages.settle()
    return code


@click.group(context_settings=options.CONTEXT, no_args_is_help=False)
@options.show_version
@options.show_help
def cli() -> None:
    """Train and run superword tokenizers: BPE, SuperBPE and BoundlessBPE.

    \b
    superword train docs/*.jsonl --algorithm boundless --vocab-size 32768 -o en.superword
    superword encode en.superword < file.txt > ids.txt
    superword decode en.superword < ids.txt
    superword encode-files en.superword docs/*.jsonl -o docs.npy
    superword inspect en.superword --superwords 50
    superword truncate en.superword --vocab-size 8192 -o small.superword
    superword convert en.model en.superword
    superword parity en.superword docs/*.jsonl
    superword export en.superword --to huggingface en/
    superword check en/

    Exit codes: 0 done, 1 a check failed, 2 usage, 3 a file cannot be read or written or its content
    not be used, 4 a model file cannot be read or is none, 70 internal error, 130 interrupted.
    """


@cli.command(context_settings=options.CONTEXT)
@click.argument("files", nargs=-1, required=True)
@options.output
@options.settings
@options.snapshots
@options.field
@options.lines
@options.threads
@options.backend
@options.progress
@options.show_help
def train(files: tuple[str, ...], output: str, progress: bool | None, **given_options: Any) -> None:
    """Train a tokenizer on FILES and write it to MODEL.

    FILES are paths, globs and folders: .txt and .jsonl, also .gz and .zst of both. A single - is
    standard input: one document of text, or one a line with --lines.

    \b
    superword train docs/*.jsonl --vocab-size 32768 -o en.superword
    superword train books/ --algorithm boundless --vocab-size 65536 -o books.superword
    superword train books/ --scheme gpt4o --vocab-size 65536 -o books.model
    cat *.md | superword train - --lines --vocab-size 8192 -o notes.superword
    superword train docs/ --vocab-size 32768 --snapshots 8192,16384 -o en.superword

    With --snapshots the model of each smaller size goes beside MODEL: en.8192.superword.
    """
    command_input.check_environment(given_options["backend"], given_options["threads"])
    by_lines = bool(given_options["lines"])
    snapshots = model_output.snapshot_outputs(output, given_options["snapshots"] or ())
    outputs = [output, *snapshots.values()]
    for name in outputs:
        model_output.check_output(name)
    # What was not given is left to the defaults of the library.
    given = {name: value for name, value in given_options.items() if value not in (None, ())}
    given["progress"] = command_input.wanted_progress(progress)
    given["published"] = is_published_name(output)
    notices: list[str] = []
    if "-" in files:
        if len(files) > 1:
            raise click.UsageError("- is standard input and cannot stand beside other files")
        if "field" in given:
            raise click.UsageError("--field is for .jsonl files, not for standard input")
        for name in outputs:
            if model_output.is_standard_input(name):
                raise click.UsageError(f"-o {name}: is what standard input reads")
        given.pop("lines", None)
        given["documents"] = command_input.standard_input(by_lines, notices)
    else:
        given["files"] = list(files)
        sources = find_files(list(files), given.get("field", "text")).sources
        for name in outputs:
            model_output.check_inputs(name, sources)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuperwordWarning)  # the report has all of them
        try:
            tokenizer = train_tokenizer(**given)
        except SuperwordError as error:
            if "documents" in given:
                raise by_line.in_training(error, streams.STANDARD_INPUT, by_lines) from None
            raise
    # First of all the model: hours of work must not end with a report that nobody takes.
    model_output.write_model(output, tokenizer.to_bytes(given["published"]))
    for size, name in snapshots.items():
        model_output.write_model(name, tokenizer.snapshots[size].to_bytes())
    known = tokenizer.report
    messages.say(str(dataclasses.replace(known, notices=(*notices, *known.notices))))


@cli.command(context_settings=options.CONTEXT)
@options.model
@click.argument("file", default="-")
@options.lines
@options.allowed_special
@options.ordinary
@options.threads
@options.backend
@options.show_help
def encode(
    model: str,
    file: str,
    lines: bool,
    allowed_special: tuple[str, ...],
    ordinary: bool,
    threads: int | None,
    backend: str | None,
    **limits: Any,
) -> None:
    """Encode FILE (default: standard input): one line of space-separated ids per document.

    The input is one document, with --lines each of its lines. A special token in the text is an
    error unless it is allowed or --ordinary is given.

    \b
    superword encode en.superword < file.txt > ids.txt
    superword encode en.superword questions.txt --lines --allowed-special all
    """
    command_input.check_environment(backend, threads)
    tokenizer = command_input.load_model(model, backend, limits)
    allowed = command_input.allowed_special(tokenizer, allowed_special, ordinary)
    count = resolve_threads(threads)
    with streams.open_input(file) as (stream, name):
        if not lines:
            text = streams.read_all(stream, name)
            try:
                ids = (
                    tokenizer.encode_ordinary(text)
                    if allowed is None
                    else tokenizer.encode(text, allowed)
                )
            except (EncodingError, PatternTooExpensiveError) as error:
                raise type(error)(f"{name}: {error}") from None
            streams.write_ids([ids])
            return
        by_line.encode(tokenizer, stream, name, allowed, count)


@cli.command(name="encode-files", context_settings=options.CONTEXT)
@options.model
@click.argument("files", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="OUT",
    help="The file of ids to write: NAME.npy or NAME.parquet.",
)
@click.option(
    "--dtype", metavar="NAME", default="auto", help=f"One of {', '.join(DTYPES)}; default: auto."
)
@options.allowed_special
@options.ordinary
@options.field
@options.lines
@options.threads
@options.backend
@options.progress
@options.show_help
def encode_files(
    model: str,
    files: tuple[str, ...],
    output: str,
    dtype: str,
    allowed_special: tuple[str, ...],
    ordinary: bool,
    field: str | None,
    lines: bool,
    threads: int | None,
    backend: str | None,
    progress: bool | None,
    **limits: Any,
) -> None:
    """Encode the documents of FILES into one file of ids.

    FILES are those of train: paths, globs and folders of .txt and .jsonl, also .gz and .zst. A
    single - is standard input: one document of text, or one a line with --lines.

    NAME.npy has the ids of all documents in one row, as numpy.load(…, mmap_mode="r") reads it;
    where documents end stands in NAME.offsets.npy, what it all is in NAME.meta.json. NAME.parquet
    has a row for each document. auto takes 16 bits an id if the model has at most 65,536 ids.

    \b
    superword encode-files en.superword docs/*.jsonl -o docs.npy
    superword encode-files en.superword books/ --ordinary -o books.parquet
    zcat notes.gz | superword encode-files en.superword - --lines -o notes.npy

    Nothing stands under the final name before all is done. An interrupted command, given again,
    goes on where it was (folder OUT.partial; not with standard input).
    """
    command_input.check_environment(backend, threads)
    if "-" in files and (len(files) > 1 or field is not None):
        what = "other files" if len(files) > 1 else "--field, which is for .jsonl files"
        raise click.UsageError(f"- is standard input and cannot stand beside {what}")
    if not output:
        raise click.UsageError("-o is an empty path")
    tokenizer = command_input.load_model(model, backend, limits)
    allowed = command_input.allowed_special(tokenizer, allowed_special, ordinary)
    shown = command_input.wanted_progress(progress)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuperwordWarning)  # the report has all of them
        if "-" not in files:
            report = tokenizer.encode_file(
                files,
                output,
                dtype=dtype,  # type: ignore[arg-type]
                allowed_special=allowed,
                field="text" if field is None else field,
                lines=lines,
                threads=threads,
                progress=shown,
            )
        else:
            notices: list[str] = []
            report = encode_texts(
                tokenizer._job(output, dtype, allowed, threads, shown),
                command_input.standard_input(lines, notices),
                lambda number: by_line.place(streams.STANDARD_INPUT, number, lines),
            )._replace(notices=tuple(notices))
    messages.say(str(report))


@cli.command(context_settings=options.CONTEXT)
@options.model
@click.argument("file", default="-")
@click.option("--lines", is_flag=True, help="End every document with a line feed.")
@options.backend
@options.show_help
def decode(model: str, file: str, lines: bool, backend: str | None, **limits: Any) -> None:
    """Decode FILE (default: standard input): each line is the ids of one document.

    Writes the documents' bytes exactly, one after the other.

    \b
    superword decode en.superword < ids.txt > file.txt
    """
    command_input.check_environment(backend)
    tokenizer = command_input.load_model(model, backend, limits)
    with streams.open_input(file) as (stream, name):
        by_line.decode(tokenizer, stream, name, b"\n" if lines else b"")


@cli.command(context_settings=options.CONTEXT)
@options.model
@click.option("--superwords", type=options.Integer(1), metavar="N", help="The N strongest.")
@click.option("--tokens", type=options.Integer(1), metavar="N", help="N tokens of any kind.")
@click.option("--deletions", type=options.Integer(1), metavar="N", help="The first N deletes.")
@options.backend
@options.show_help
def inspect(
    model: str,
    superwords: int | None,
    tokens: int | None,
    deletions: int | None,
    backend: str | None,
    **limits: Any,
) -> None:
    """Show what a model is, or a table of its strongest tokens or of what was deleted.

    The table has id, text, kind, count and parents, by count and then bytes. Text stands in double
    quotes; partial characters are hex in angle brackets, invisible ones are escaped. Of a long
    token stand the beginning, the length and the id. The table of deletes has the number of the
    op, the token, the count and the parents of the merge that used it up, and the id of the token
    if a later merge made it again.

    \b
    superword inspect en.superword
    superword inspect en.superword --superwords 50
    """
    given = [
        f"--{name}"
        for name, value in (
            ("superwords", superwords),
            ("tokens", tokens),
            ("deletions", deletions),
        )
        if value
    ]
    if len(given) > 1:
        raise click.UsageError(f"{given[0]} and {given[1]} exclude each other")
    command_input.check_environment(backend)
    tokenizer = command_input.load_model(model, backend, limits)
    lines: Iterable[str]
    if superwords:
        lines = display.table_lines(display.superword_rows(tokenizer, superwords))
    elif tokens:
        lines = display.table_lines(display.token_rows(tokenizer, tokens))
    elif deletions:
        lines = display.deletion_lines(display.deletion_rows(tokenizer, deletions))
    else:
        lines = [str(tokenizer.report)]
    for line in lines:
        streams.write(f"{line}\n".encode())


@cli.command(context_settings=options.CONTEXT)
@options.model
@click.option(
    "--vocab-size", type=options.Integer(), required=True, help="Tokens to keep, without special."
)
@options.output
@options.backend
@options.show_help
def truncate(model: str, vocab_size: int, output: str, backend: str | None, **limits: Any) -> None:
    """Cut MODEL to fewer tokens: the model that training at that size would have given.

    \b
    superword truncate en.superword --vocab-size 8192 -o en.8192.superword
    superword truncate en.superword --vocab-size 8192 -o - | sha256sum
    """
    command_input.check_environment(backend)
    model_output.check_output(output)
    tokenizer = command_input.load_model(model, backend, limits)
    small = tokenizer.truncated(vocab_size)
    model_output.write_model(output, small.to_bytes(is_published_name(output)))


@cli.command(context_settings=options.CONTEXT)
@options.model
@click.argument("output")
@options.backend
@options.show_help
def convert(model: str, output: str, backend: str | None, **limits: Any) -> None:
    """Write MODEL to OUTPUT in the format that its name asks for.

    NAME.superword is our format, also for - (standard output); NAME.model the published one, which
    only a model has that comes from such a file, or was trained with -o NAME.model. What MODEL is
    its first line says.

    \b
    superword convert en.model en.superword
    superword convert en.model - | sha256sum
    """
    command_input.check_environment(backend)
    published = is_published_name(output)
    known = published or output in ("", "-") or output.lower().endswith(".superword")
    if not known:
        raise click.UsageError(f"{output}: must end in .superword or .model, or be -")
    model_output.check_output(output, "")
    tokenizer = command_input.load_model(model, backend, limits)
    data = tokenizer.to_bytes(published)
    model_output.write_model(output, data)
    warn([DROPPED] if tokenizer.publishable and not published else [])


for _command in (*export_commands.COMMANDS, parity_command.check_parity):
    cli.add_command(_command)


if __name__ == "__main__":  # `python -m superword.cli` is `python -m superword`
    from superword.__main__ import main

    main()
