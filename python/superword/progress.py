"""Progress for people, on standard error."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable
from typing import TextIO

from superword.errors import SettingsTypeError
from superword.values import type_name

Progress = Callable[[str, int, int], object]

_TERMINAL_SECONDS = 0.1
_LOG_SECONDS = 10.0


class ConsoleProgress:
    """Shows (stage, done, total): one line that changes on a terminal, now and then a line else.

    >>> console = ConsoleProgress(sys.stdout)
    >>> console("merges", 10, 100)
    superword: merges 10 of 100
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self._terminal = stream is not None and stream.isatty()
        self._stage = ""
        self._shown = ""
        self._next = 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show it, unless something was shown a moment ago."""
        now = time.monotonic()
        if stage == self._stage and now < self._next:
            return
        if stage != self._stage:
            self.close()
            self._stage = stage
        self._next = now + (_TERMINAL_SECONDS if self._terminal else _LOG_SECONDS)
        line = f"superword: {stage} {done:,}" + (f" of {total:,}" if total else "")
        if self._terminal:
            self._write("\r" + line.ljust(len(self._shown)))
            self._shown = line
        else:
            self._write(line + "\n")

    def close(self) -> None:
        """End the changing line, so that what follows starts on a line of its own."""
        if self._shown:
            self._write("\n")
            self._shown = ""

    def _write(self, text: str) -> None:
        if self._stream is None:
            return
        # Hours of work must not end because nobody reads the progress any more.
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(text)
            self._stream.flush()


def resolve_progress(progress: object) -> Progress | None:
    """None, True (standard error), or a callable (stage, done, total), as a callable or None."""
    if progress is None:
        return None
    if progress is True:
        return ConsoleProgress(sys.stderr)
    if callable(progress):
        return progress
    raise SettingsTypeError(
        "progress must be None, True or a callable (stage, done, total), "
        f"not {type_name(progress) if progress is not False else 'False'}"
    )


class StageClock:
    """Passes progress on and measures how long each stage takes."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._seconds: dict[str, float] = {}
        self._current = ""
        self._since = 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        """The callback that backends get."""
        if stage != self._current:
            self.begin(stage)
        if self._progress is not None:
            self._progress(stage, done, total)

    def begin(self, stage: str) -> None:
        """A stage begins, and the one before it ends."""
        self.end()
        self._current = stage
        self._seconds.setdefault(stage, 0.0)

    def end(self) -> None:
        """The current stage ends."""
        now = time.perf_counter()
        if self._current:
            self._seconds[self._current] += now - self._since
        self._since = now
        self._current = ""

    def close(self) -> None:
        """The work ends, well or badly: what follows on the terminal starts on its own line."""
        self.end()
        if isinstance(self._progress, ConsoleProgress):
            self._progress.close()

    def seconds(self) -> list[tuple[str, float]]:
        """Every stage with its seconds, in the order in which they began."""
        return list(self._seconds.items())
