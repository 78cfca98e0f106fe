"""The options of the command line, and what their values may be."""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Callable, Collection
from typing import Any, TypeVar

import click

import superword
from superword import _backend, streams
from superword.settings import (
    ALGORITHMS,
    ALPHABETS,
    BLOW_UPS,
    ELIGIBLE_PATTERN,
    ID_ORDERS,
    NGRAM_FLOOR,
    NGRAM_MAX_LENGTH,
    RULES,
    SCHEMES,
    SCRIPTS,
    Settings,
)

# No help of click's own: `show_help` is the one.
CONTEXT: dict[str, Any] = {"help_option_names": [], "max_content_width": 100}

_Command = TypeVar("_Command", bound=Callable[..., Any])
_Option = Callable[[_Command], _Command]


class Integer(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """Plain digits: what Python itself would take besides (blanks, 1_000) is a typing error."""

    name = "integer"

    def __init__(self, least: int | None = None) -> None:
        self._least = least

    def convert(self, value: Any, param: Any, context: Any) -> int:
        """The number."""
        if not re.fullmatch("-?[0-9]{1,30}", str(value)):
            self.fail(f"must be an integer, not '{value}'", param, context)
        if self._least is not None and int(value) < self._least:
            self.fail(f"must be at least {self._least}, not {value}", param, context)
        return int(value)


class Sizes(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """Vocabulary sizes with commas between them."""

    name = "sizes"

    def convert(self, value: Any, param: Any, context: Any) -> tuple[int, ...]:
        """The sizes, in the order given."""
        if isinstance(value, tuple):
            return value
        return tuple(Integer().convert(part, param, context) for part in value.split(","))


def text(context: click.Context, option: click.Parameter, value: Any) -> Any:
    """Refuse text that Python could not decode; as part of a path it may stay."""
    for item in (value,) if isinstance(value, str) else value or ():
        if re.search("[\ud800-\udfff]", item):
            raise click.BadParameter(
                f"has bytes that are no {sys.getfilesystemencoding()}, the encoding of this "
                "locale; give UTF-8, in a UTF-8 locale or with PYTHONUTF8=1"
            )
    return value


def _together(*options: _Option[Any]) -> _Option[Any]:
    """Several options as one decorator, in this order in the help."""

    def decorate(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def _eager(*names: str, help_text: str, make: Callable[[click.Context], str]) -> _Option[Any]:
    # Not click's own: they write to standard output by themselves.
    def show(context: click.Context, option: click.Parameter, wanted: bool) -> None:
        if wanted and not context.resilient_parsing:
            streams.write(f"{make(context)}\n".encode())
            streams.flush()
            context.exit()

    return click.option(
        *names, is_flag=True, is_eager=True, expose_value=False, callback=show, help=help_text
    )


def _named(name: str, known: Collection[str]) -> _Option[Any]:
    defaults = {field.name: field.default for field in dataclasses.fields(Settings)}
    default = "bpe" if name == "algorithm" else defaults[name]
    words = f"One of {', '.join(known)}; default: {default}."
    return click.option(f"--{name.replace('_', '-')}", metavar="NAME", help=words)


def _pattern(name: str, help_text: str) -> _Option[Any]:
    return click.option(f"--{name}", metavar="PATTERN", callback=text, help=help_text)


show_help = _eager("-h", "--help", help_text="Show this and exit.", make=click.Context.get_help)
show_version = _eager(
    "--version",
    help_text="Show the version and exit.",
    make=lambda context: f"superword {superword.__version__}",
)
backend = click.option("--backend", metavar="NAME", help=f"One of {', '.join(_backend.NAMES)}.")
output = click.option(
    "-o",
    "--output",
    required=True,
    metavar="MODEL",
    help="The model file to write; - is standard output.",
)
threads = click.option(
    "--threads",
    type=Integer(),
    help="Default: SUPERWORD_THREADS, or all CPUs this process may use.",
)
lines = click.option("--lines", is_flag=True, help="Each line of text is a document.")
field = click.option(
    "--field", callback=text, help="The document's name in a .jsonl line; default: text."
)
allowed_special = click.option(
    "--allowed-special",
    multiple=True,
    metavar="TEXT",
    callback=text,
    help="A special token that becomes its id; may be given repeatedly; 'all' allows all.",
)
ordinary = click.option("--ordinary", is_flag=True, help="Take special tokens as plain text.")
progress = click.option(
    "--progress/--no-progress",
    default=None,
    help="Show progress on standard error; default: on a terminal.",
)
model = _together(
    click.argument("model"),
    click.option("--any-unicode", is_flag=True, help="Take a model of another Unicode version."),
    click.option("--max-token-bytes", type=Integer(), help="The longest token; default: 16 MiB."),
    click.option(
        "--max-total-bytes", type=Integer(), help="All tokens together; default: 256 MiB."
    ),
)
settings = _together(
    click.option(
        "--vocab-size", type=Integer(), required=True, help="Tokens wanted, without special ones."
    ),
    _named("algorithm", ALGORITHMS),
    _named("scheme", SCHEMES),
    _pattern("pattern", "Cuts the text, instead of a scheme."),
    _pattern("script-pattern", "Cuts the text of --scripts, beside --pattern."),
    click.option(
        "--scripts",
        multiple=True,
        metavar="NAME",
        callback=text,
        help=f"May be given repeatedly; default: {', '.join(SCRIPTS)}.",
    ),
    _pattern(
        "eligible-pattern", f"What a part of a superword must hold; default: {ELIGIBLE_PATTERN}."
    ),
    click.option(
        "--rules",
        metavar="NAME",
        help=f"One of {', '.join(RULES)}; default: superword, for the scheme none incremental.",
    ),
    click.option(
        "--supermerges", type=Integer(), help="superbpe: how many tokens supermerges make."
    ),
    click.option(
        "--regular-fraction", metavar="F", help="superbpe: share of regular tokens, as 9/10."
    ),
    click.option(
        "--min-count", type=Integer(), help="The lowest count that is merged; default: 1."
    ),
    click.option("--max-token-bytes", type=Integer(), help="The longest token, in bytes."),
    click.option(
        "--max-superword-pretokens",
        type=Integer(),
        help="The longest superword, in pretokens.",
    ),
    click.option(
        "--special-tokens",
        multiple=True,
        metavar="TEXT",
        callback=text,
        help="May be given repeatedly.",
    ),
    _named("alphabet", ALPHABETS),
    _named("id_order", ID_ORDERS),
    click.option(
        "--tau",
        metavar="F",
        help="Delete a token when a merge takes this share of it, as 9/10; default: never.",
    ),
    _named("blow_up", BLOW_UPS),
    click.option(
        "--ngram-split",
        is_flag=True,
        help="superbpe and boundless: cut candidates for superwords at rare n-grams.",
    ),
    click.option(
        "--ngram-floor",
        type=Integer(),
        help=f"An n-gram rarer than this is cut; default: {NGRAM_FLOOR}.",
    ),
    click.option(
        "--ngram-max-length",
        type=Integer(),
        help=f"The longest n-gram, in pretokens; default: {NGRAM_MAX_LENGTH}.",
    ),
)
snapshots = click.option(
    "--snapshots",
    type=Sizes(),
    metavar="N,N",
    help="Smaller vocabulary sizes, written beside MODEL.",
)
