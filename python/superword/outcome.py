"""How a command ends: its exit code, and what is to be said of an error."""

from __future__ import annotations

import contextlib
import os
import traceback
import warnings
from collections.abc import Iterator, Sequence

import click

from superword import messages, streams
from superword.errors import (
    BackendError,
    ModelFormatError,
    NotExactError,
    SettingsError,
    SuperwordError,
    SuperwordWarning,
)
from superword.files import reason

CHECK_FAILED, USAGE, INPUT, MODEL, INTERNAL, INTERRUPTED = 1, 2, 3, 4, 70, 130


def outcome(command: click.Command, arguments: Sequence[str]) -> tuple[int, str]:
    """Run a command; the exit code and what is to be said, if anything."""
    # Not click's own `main`: it has other exit codes, and other words for errors.
    try:
        with _warnings_as_lines():
            with command.make_context("superword", list(arguments)) as context:
                command.invoke(context)
            streams.flush()
    except click.exceptions.Exit as end:
        return end.exit_code, ""
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "superword"
        return USAGE, f"{error.format_message()} (see {path} --help)"
    except (SettingsError, BackendError) as error:
        return USAGE, messages.in_own_words(str(error), settings=True)
    except ModelFormatError as error:
        return MODEL, messages.in_own_words(str(error))
    except NotExactError as error:
        return CHECK_FAILED, messages.in_own_words(str(error))
    except (SuperwordError, streams.OutputError) as error:
        return INPUT, messages.in_own_words(str(error))
    except streams.ReaderGoneError:
        return 0, ""
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED, "interrupted"
    except MemoryError:
        return INPUT, "the memory is used up"
    except OSError as error:
        return INPUT, f"{_place(error)}: {reason(error)}"
    except SystemExit:
        raise
    except BaseException:  # a panic of the extension is no Exception
        messages.say(traceback.format_exc())
        return INTERNAL, "internal error: please report it with the lines above"
    return 0, ""


def _place(error: OSError) -> str:
    """What the system refused to give, as far as it says so."""
    if isinstance(error.filename, (str, bytes)):
        return os.fsdecode(error.filename)
    try:
        os.getcwd()
    except OSError:
        return "the working folder"
    return "the system"


@contextlib.contextmanager
def _warnings_as_lines() -> Iterator[None]:
    def show(message: Warning | str, category: type[Warning], *place: object) -> None:
        messages.say(f"superword: warning: {messages.one_line(str(message))}")

    with warnings.catch_warnings():
        warnings.simplefilter("always", SuperwordWarning)
        warnings.showwarning = show  # type: ignore[assignment]
        yield
