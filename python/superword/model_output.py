"""Where `superword train` writes its model: refused before the hours of work, not after."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Iterable, Sequence

import click

from superword import streams
from superword.corpus import Source
from superword.errors import InputError
from superword.files import check_writable, reason, write_atomically

_STANDARD_OUTPUT = ("-", "/dev/stdout")


def check_output(output: str, option: str = "-o ") -> None:
    """Refuse an output that cannot be written before the hours of work, not after.

    `option` is what stands before it, with a blank.
    """
    if not output:
        raise click.UsageError(f"{option or 'OUTPUT '}is an empty path; - is standard output")
    if output in _STANDARD_OUTPUT:
        if sys.stdout is None:
            raise click.UsageError(f"{option}{output}: standard output is closed")
        return
    try:
        check_writable(output)
    except FileNotFoundError:
        raise click.UsageError(f"{option}{output}: there is no such folder") from None
    except (OSError, ValueError) as error:
        raise click.UsageError(f"{option}{output}: {reason(error)}") from None


def snapshot_outputs(output: str, sizes: Sequence[int]) -> dict[int, str]:
    """Where the model of each smaller size goes: NAME.8192.superword beside NAME.superword.

    >>> snapshot_outputs("en.superword", [8192])
    {8192: 'en.8192.superword'}
    """
    if sizes and output in _STANDARD_OUTPUT:
        raise click.UsageError(f"--snapshots need a file as MODEL, not -o {output}")
    stem, ending = os.path.splitext(output)
    return {size: f"{stem}.{size}{ending}" for size in sizes}


def check_inputs(output: str, sources: Iterable[Source]) -> None:
    """Refuse to overwrite what is read."""
    for path, *_ in sources:
        with contextlib.suppress(OSError):
            if os.path.samefile(output, path):
                raise click.UsageError(f"-o {output}: is one of the files to train on")


def is_standard_input(output: str) -> bool:
    """Whether the output is the file that standard input reads."""
    with contextlib.suppress(OSError, ValueError):
        found = os.stat(output)
        return stat.S_ISREG(found.st_mode) and os.path.samestat(found, os.fstat(sys.stdin.fileno()))
    return False


def write_model(output: str, data: bytes) -> None:
    """Write the model, whole or not at all."""
    if output in _STANDARD_OUTPUT:
        streams.write(data)
        streams.flush()
        return
    try:
        write_atomically(output, data)
    except BrokenPipeError:
        # A pipe by any name: /dev/fd/1, or what a shell makes of >(head).
        raise streams.ReaderGoneError from None
    except OSError as error:
        raise InputError(f"{output}: cannot be written: {reason(error)}") from None
