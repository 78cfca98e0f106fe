"""The command line."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Literal, NoReturn, TypeVar

import click

import superword
from superword import _backend, display, parity, streams
from superword.corpus import find_files
from superword.errors import (
    BackendError,
    EncodingError,
    ModelFormatError,
    SettingsError,
    SuperwordError,
    SuperwordWarning,
)
from superword.files import reason
from superword.progress import ConsoleProgress
from superword.settings import (
    ALGORITHMS,
    ALPHABETS,
    ID_ORDERS,
    RULES,
    SCHEMES,
    Settings,
    resolve_threads,
)
from superword.tokenizer import Tokenizer
from superword.training import train as train_tokenizer
from superword.values import printable

CHECK_FAILED, USAGE, INPUT, MODEL, INTERRUPTED = 1, 2, 3, 4, 130

_Command = TypeVar("_Command", bound=Callable[..., Any])


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit code."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """Run the command line; the exit code."""
    # Not click's own `main`: it has other exit codes, and other words for errors.
    try:
        with _warnings_as_lines():
            with cli.make_context("superword", list(arguments)) as context:
                cli.invoke(context)
            if sys.stdout is not None:
                sys.stdout.flush()
    except click.exceptions.Exit as end:
        return _flushed(end.exit_code)
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "superword"
        return _fail(f"{error.format_message()} (see {command} --help)", USAGE)
    except (SettingsError, BackendError) as error:
        return _fail(str(error), USAGE)
    except ModelFormatError as error:
        return _fail(str(error), MODEL)
    except SuperwordError as error:
        return _fail(str(error), INPUT)
    except (KeyboardInterrupt, click.Abort):
        return _fail("interrupted", INTERRUPTED)
    except BrokenPipeError:  # whoever reads has enough
        streams.abandon_output()
        return 0
    except OSError as error:
        streams.abandon_output()
        return _fail(f"standard output: {reason(error)}", INPUT)
    return 0


def _flushed(code: int) -> int:
    """Make what was printed arrive, now that it can still fail in silence."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        streams.abandon_output()
    return code


def _fail(message: str, code: int) -> int:
    with contextlib.suppress(OSError):
        click.echo(f"superword: {printable(message)}", err=True)
    return code


@contextlib.contextmanager
def _warnings_as_lines() -> Iterator[None]:
    def show(message: Warning | str, category: type[Warning], *place: object) -> None:
        click.echo(f"superword: warning: {printable(str(message))}", err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always", SuperwordWarning)
        warnings.showwarning = show  # type: ignore[assignment]
        yield


def _choice(name: str, known: Collection[str]) -> str:
    defaults = {field.name: field.default for field in dataclasses.fields(Settings)}
    return f"One of {', '.join(known)}; default: {defaults[name]}."


_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
_MODEL_ARGUMENT = click.argument("model")
_backend_option = click.option(
    "--backend", metavar="NAME", help=f"One of {', '.join(_backend.NAMES)}."
)
_threads_option = click.option(
    "--threads", type=int, help="Default: SUPERWORD_THREADS, or all CPUs this process may use."
)
_lines_option = click.option("--lines", is_flag=True, help="Each line of text is a document.")
_field_option = click.option("--field", help="The document's name in a .jsonl line; default: text.")
_progress_option = click.option(
    "--progress/--no-progress",
    default=None,
    help="Show progress on standard error; default: on a terminal.",
)


@click.group(context_settings=_CONTEXT, no_args_is_help=False)
@click.version_option(superword.__version__, prog_name="superword", message="%(prog)s %(version)s")
def cli() -> None:
    """Train and run superword tokenizers: BPE, SuperBPE and BoundlessBPE.

    \b
    superword train docs/*.jsonl --algorithm boundless --vocab-size 32768 -o en.superword
    superword encode en.superword < file.txt > ids.txt
    superword decode en.superword < ids.txt
    superword inspect en.superword --superwords 50
    superword parity en.superword docs/*.jsonl

    Exit codes: 0 done, 1 a check failed, 2 usage, 3 input, 4 model file, 130 interrupted.
    """


@cli.command()
@click.argument("files", nargs=-1, required=True)
@click.option("-o", "--output", required=True, metavar="MODEL", help="The model file to write.")
@click.option("--vocab-size", type=int, required=True, help="Tokens wanted, without special ones.")
@click.option("--algorithm", metavar="NAME", help=f"One of {', '.join(ALGORITHMS)}; default: bpe.")
@click.option("--scheme", metavar="NAME", help=_choice("scheme", SCHEMES))
@click.option("--rules", metavar="NAME", help=_choice("rules", RULES))
@click.option("--supermerges", type=int, help="superbpe: how many tokens supermerges make.")
@click.option("--regular-fraction", metavar="F", help="superbpe: share of regular tokens, as 9/10.")
@click.option("--min-count", type=int, help="The lowest count that is merged; default: 1.")
@click.option("--max-token-bytes", type=int, help="The longest token, in bytes.")
@click.option("--max-superword-pretokens", type=int, help="The longest superword, in pretokens.")
@click.option("--special-tokens", multiple=True, metavar="TEXT", help="May be given repeatedly.")
@click.option("--alphabet", metavar="NAME", help=_choice("alphabet", ALPHABETS))
@click.option("--id-order", metavar="NAME", help=_choice("id_order", ID_ORDERS))
@_field_option
@_lines_option
@_threads_option
@_backend_option
@_progress_option
def train(files: tuple[str, ...], output: str, progress: bool | None, **options: Any) -> None:
    """Train a tokenizer on FILES and write it to MODEL.

    FILES are paths, globs and folders: .txt and .jsonl, also .gz and .zst of both. A single - is
    standard input: one document of text, or one a line with --lines.

    \b
    superword train docs/*.jsonl --vocab-size 32768 -o en.superword
    superword train books/ --algorithm boundless --vocab-size 65536 -o books.superword
    cat *.md | superword train - --lines --vocab-size 8192 -o notes.superword
    """
    _check_output(output)
    # What was not given is left to the defaults of the library.
    given = {name: value for name, value in options.items() if value not in (None, ())}
    given["progress"] = _progress(progress)
    notices: list[str] = []
    if "-" in files:
        if len(files) > 1:
            raise click.UsageError("- is standard input and cannot stand beside other files")
        given["documents"] = _standard_input(bool(given.pop("lines", False)), notices)
    else:
        given["files"] = list(files)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuperwordWarning)  # the report has all of them
        tokenizer = train_tokenizer(**given)
    report = tokenizer.report
    report = dataclasses.replace(report, notices=(*notices, *report.notices))
    click.echo(str(report), err=True)
    tokenizer.save(output)


@cli.command()
@_MODEL_ARGUMENT
@click.argument("file", default="-")
@_lines_option
@click.option(
    "--allowed-special",
    multiple=True,
    metavar="TEXT",
    help="A special token that becomes its id; may be given repeatedly; 'all' allows all.",
)
@click.option("--ordinary", is_flag=True, help="Take special tokens as plain text.")
@_threads_option
@_backend_option
def encode(
    model: str,
    file: str,
    lines: bool,
    allowed_special: tuple[str, ...],
    ordinary: bool,
    threads: int | None,
    backend: str | None,
) -> None:
    """Encode FILE (default: standard input): one line of space-separated ids per document.

    The input is one document, with --lines each of its lines. A special token in the text is an
    error unless it is allowed or --ordinary is given.

    \b
    superword encode en.superword < file.txt > ids.txt
    superword encode en.superword questions.txt --lines --allowed-special all
    """
    if ordinary and allowed_special:
        raise click.UsageError("--ordinary and --allowed-special exclude each other")
    tokenizer = _load(model, backend)
    allowed: Literal["all"] | Collection[str] = (
        "all" if allowed_special == ("all",) else allowed_special
    )
    try:
        tokenizer.encode("", allowed)  # an unknown name is an error before anything is read
    except EncodingError as error:
        raise click.UsageError(f"--{str(error).replace('_', '-', 1)}") from None
    count = resolve_threads(threads)
    with streams.open_input(file) as (stream, name):
        if not lines:
            text = streams.read_all(stream, name)
            try:
                ids = (
                    tokenizer.encode_ordinary(text) if ordinary else tokenizer.encode(text, allowed)
                )
            except EncodingError as error:
                raise EncodingError(f"{name}: {error}") from None
            _write_ids([ids])
            return
        number = 1
        for texts in streams.text_lines(stream, name):
            if ordinary:
                _write_ids([tokenizer.encode_ordinary(text) for text in texts])
            else:
                _write_ids(_encode_lines(tokenizer, texts, allowed, count, name, number))
            number += len(texts)


@cli.command()
@_MODEL_ARGUMENT
@click.argument("file", default="-")
@click.option("--lines", is_flag=True, help="End every document with a line feed.")
@_backend_option
def decode(model: str, file: str, lines: bool, backend: str | None) -> None:
    """Decode FILE (default: standard input): each line is the ids of one document.

    Writes the documents' bytes exactly, one after the other.

    \b
    superword decode en.superword < ids.txt > file.txt
    """
    tokenizer = _load(model, backend)
    with streams.open_input(file) as (stream, name):
        number = 0
        for batch in streams.read_lines(stream, name):
            for line in batch:
                number += 1
                ids = streams.parse_ids(line, name, number)
                try:
                    document = tokenizer.decode_bytes(ids)
                except EncodingError as error:
                    raise EncodingError(f"{name}: line {number}: {error}") from None
                streams.write(document + b"\n" if lines else document)
            streams.flush()


@cli.command()
@_MODEL_ARGUMENT
@click.option("--superwords", type=click.IntRange(min=1), metavar="N", help="The N strongest.")
@click.option("--tokens", type=click.IntRange(min=1), metavar="N", help="N tokens of any kind.")
@_backend_option
def inspect(model: str, superwords: int | None, tokens: int | None, backend: str | None) -> None:
    """Show what a model is, or a table of its strongest tokens.

    The table has id, text, kind, count and parents, by count and then bytes. Text stands in double
    quotes; partial characters are hex in angle brackets, invisible ones are escaped.

    \b
    superword inspect en.superword
    superword inspect en.superword --superwords 50
    """
    if superwords and tokens:
        raise click.UsageError("--superwords and --tokens exclude each other")
    tokenizer = _load(model, backend)
    if superwords:
        text = display.format_table(display.superword_rows(tokenizer, superwords))
    elif tokens:
        text = display.format_table(display.token_rows(tokenizer, tokens))
    else:
        text = str(tokenizer.report)
    streams.write(text.encode() + b"\n")


@cli.command(name="parity")
@_MODEL_ARGUMENT
@click.argument("files", nargs=-1, required=True)
@_field_option
@_lines_option
@_threads_option
@_progress_option
def check_parity(
    model: str,
    files: tuple[str, ...],
    field: str | None,
    lines: bool,
    threads: int | None,
    progress: bool | None,
) -> None:
    """Check that both backends agree to the byte on FILES.

    Both train on FILES with the settings of MODEL (its number of tokens, no limits), and both
    encode every document with MODEL. Exit code 1 at the first difference.

    \b
    superword parity en.superword docs/*.jsonl
    """
    backends = (_backend.load("python"), _backend.load("rust"))
    data = _load(model, "rust").to_bytes()
    found = find_files(list(files), "text" if field is None else field, lines)
    console = ConsoleProgress(sys.stderr) if _progress(progress) else None
    try:
        result = parity.compare(*backends, data, found.sources, resolve_threads(threads), console)
    finally:
        if console is not None:
            console.close()
    if result.difference is not None:
        click.echo(f"superword: parity: {printable(result.difference)}", err=True)
        raise click.exceptions.Exit(CHECK_FAILED)
    streams.write(
        f"equal: {result.ops:,} operations in a model of {result.model_bytes:,} bytes, "
        f"{result.documents:,} documents, {result.ids:,} ids\n".encode()
    )


def _check_output(output: str) -> None:
    """Refuse an output that cannot be written before the hours of work, not after."""
    if os.path.isdir(output):
        raise click.UsageError(f"-o {output}: is a folder")
    try:
        folder = os.path.dirname(os.path.realpath(output))
    except ValueError as error:
        raise click.UsageError(f"-o {output}: {reason(error)}") from None
    if not os.path.isdir(folder):
        raise click.UsageError(f"-o {output}: there is no such folder")
    if not os.access(folder, os.W_OK):
        raise click.UsageError(f"-o {output}: permission to write in its folder is denied")


def _load(model: str, backend: str | None) -> Tokenizer:
    return Tokenizer.load(model, backend=backend or "auto")  # type: ignore[arg-type]


def _progress(wanted: bool | None) -> Literal[True] | None:
    terminal = sys.stderr is not None and sys.stderr.isatty()
    return True if wanted or (wanted is None and terminal) else None


def _standard_input(lines: bool, notices: list[str]) -> Iterator[str]:
    with streams.open_input("-") as (stream, name):
        batches = (
            streams.text_lines(stream, name) if lines else iter([[streams.read_all(stream, name)]])
        )
        for number, texts in enumerate(batches):
            if number == 0 and texts[0].startswith("\ufeff"):
                notices.append(f"{name}: starts with a byte order mark, which is kept as text")
            yield from texts


def _encode_lines(
    tokenizer: Tokenizer,
    texts: list[str],
    allowed: Literal["all"] | Collection[str],
    threads: int,
    name: str,
    first: int,
) -> list[list[int]]:
    try:
        return tokenizer.encode_batch(texts, allowed, threads)
    except EncodingError:
        for number, text in enumerate(texts, first):
            try:
                tokenizer.encode(text, allowed)
            except EncodingError as error:
                raise EncodingError(f"{name}: line {number}: {error}") from None
        raise


def _write_ids(lists: list[list[int]]) -> None:
    streams.write("".join(" ".join(map(str, ids)) + "\n" for ids in lists).encode())
    streams.flush()
