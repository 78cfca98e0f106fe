"""Progress on a terminal and in a log."""

from __future__ import annotations

import io

import pytest

from superword import progress
from superword.progress import ConsoleProgress, StageClock, resolve_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Closed(io.StringIO):
    def write(self, text: str) -> int:
        raise BrokenPipeError


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(progress.time, "perf_counter", lambda: now[0])
    return now


def test_a_terminal_has_one_line_that_changes(clock: list[float]) -> None:
    stream = Terminal()
    console = ConsoleProgress(stream)
    console("count", 1000, 2000)
    console("count", 1001, 2000)
    clock[0] += 0.2
    console("count", 2000, 2000)
    console("merges", 5, 0)
    console.close()
    console.close()
    assert stream.getvalue() == (
        "\rsuperword: count 1,000 of 2,000\rsuperword: count 2,000 of 2,000\n"
        "\rsuperword: merges 5\n"
    )


def test_a_shorter_line_covers_a_longer_one(clock: list[float]) -> None:
    stream = Terminal()
    console = ConsoleProgress(stream)
    console("encode", 1000, 2000)
    clock[0] += 1
    console("encode", 1, 0)
    assert stream.getvalue().split("\r")[2] == "superword: encode 1".ljust(
        len("superword: encode 1,000 of 2,000")
    )


def test_a_log_has_few_lines(clock: list[float]) -> None:
    stream = io.StringIO()
    console = ConsoleProgress(stream)
    for done in range(21):
        console("count", done, 0)
        clock[0] += 1
    assert stream.getvalue() == "superword: count 0\nsuperword: count 10\nsuperword: count 20\n"


@pytest.mark.parametrize("stream", [None, Closed()])
def test_nobody_reads_it(stream: io.StringIO | None) -> None:
    console = ConsoleProgress(stream)
    console("count", 1, 2)
    console.close()


def test_seconds_of_stages(clock: list[float]) -> None:
    calls: list[tuple[str, int, int]] = []
    stages = StageClock(lambda *call: calls.append(call))
    stages.begin("count")
    clock[0] += 2
    stages("count", 1, 1)
    clock[0] += 1
    stages("merges", 0, 5)
    clock[0] += 4
    stages.close()
    stages.close()
    assert stages.seconds() == [("count", 3.0), ("merges", 4.0)]
    assert calls == [("count", 1, 1), ("merges", 0, 5)]


def test_none_and_callables() -> None:
    assert resolve_progress(None) is None
    assert resolve_progress(print) is print
    assert isinstance(resolve_progress(True), ConsoleProgress)
