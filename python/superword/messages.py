"""What the command line says on standard error: printable, bounded, in its own words."""

from __future__ import annotations

import contextlib
import os
import re
import sys

from superword.values import printable

_LONGEST = 2000
# How messages of the library name the way out, and how the command line does.
_WORDS = (
    ("name it in allowed_special, or use encode_ordinary", "name it in --allowed-special, or use "
     "--ordinary"),
    ("name it in allowed_special, or give None there", "name it in --allowed-special, or use "
     "--ordinary"),
    ("out must ", "-o must "),
    ("or give check=False", "or give --no-check"),
    ("train without tau", "train without --tau"),
    ("any_unicode=True loads it", "--any-unicode loads it"),
    ("more than max_token_bytes = ", "more than --max-token-bytes "),
    ("more than max_total_bytes = ", "more than --max-total-bytes "),
    (" needs ngram_split", " needs --ngram-split"),
    ("snapshots exclude ngram_split", "--snapshots excludes --ngram-split"),
    ("snapshots exclude published", "--snapshots excludes -o NAME.model"),
    ("below vocab_size, ", "below --vocab-size "),
    ("snapshots must ascend", "--snapshots must ascend"),
    ("train with published=True", "train with -o NAME.model"),
    ("exactly one of supermerges and regular_fraction", "exactly one of --supermerges and "
     "--regular-fraction"),
)  # fmt: skip


def one_line(text: str) -> str:
    r"""Text on one line of any terminal: what is not printable escaped, what is too long cut.

    >>> print(one_line("a\nb\x1b\udcff"), len(one_line("x" * 5000)))
    a\nb\x1b\xff 2000
    """
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 1] + "…"
    return printable(text)


def in_own_words(message: str, settings: bool = False) -> str:
    """A message of the library with options for arguments; `settings`: it begins with one.

    >>> in_own_words("vocab_size must be at least 256", settings=True)
    '--vocab-size must be at least 256'
    """
    for theirs, ours in _WORDS:
        message = message.replace(theirs, ours)
    if settings and (name := re.match(r"[a-z_]+(?= (must|needs|has) )", message)):
        message = f"--{name[0].replace('_', '-')}{message[name.end() :]}"
    return message


def say(text: str) -> None:
    """Write a line to standard error; that it cannot be written changes nothing."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(f"{text}\n")
            sys.stderr.flush()


def settle() -> None:
    """Give up what standard error did not take: Python would end with another exit code for it."""
    if sys.stderr is not None:
        try:
            sys.stderr.flush()
        except (OSError, ValueError):
            with contextlib.suppress(OSError, ValueError):
                discard(sys.stderr.fileno())


def discard(descriptor: int) -> None:
    """Let a stream lead nowhere from now on."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
