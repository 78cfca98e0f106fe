"""Fixtures for both backends. Only this file names the shared material beside the repository."""

from __future__ import annotations

import gzip
import importlib
import json
import os
import shutil
import signal
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent
# what tests share (oracle/, golden/published.py …) is imported by its path under tests/
sys.path.insert(0, str(ROOT / "tests"))
# no luck in CI: the same examples in every run, and a slow machine fails nothing
settings.register_profile(
    "superword",
    derandomize=True,
    deadline=None,
    database=None,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("superword")
# A shell starts what it puts into the background with Ctrl-C ignored, and so would be all that
# tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
NODE = shutil.which("node")
SHARED = Path(os.environ.get("SUPERWORD_SHARED", ROOT.parent / "shared"))
DESELECTED = pytest.StashKey[int]()
MODEL = "published model"  # the property of a test that reproduced one: backend and name
MODULES = {"python": "superword.reference", "rust": "superword._core"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--backend",
        choices=["both", "rust", "python"],
        default="both",
        help="which backends to test; without the extension 'both' and 'rust' fail",
    )
    parser.addoption(
        "--long",
        action="store_true",
        help="run what takes the reference too long for every run, too",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "backend_name" in metafunc.fixturenames:
        chosen = metafunc.config.getoption("--backend")
        names = ["python", "rust"] if chosen == "both" else [chosen]
        params = [pytest.param(n, marks=getattr(pytest.mark, n)) for n in names]
        metafunc.parametrize("backend_name", params, scope="session")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect, with a printed count, what this run cannot have: never skip it in silence."""
    chosen = config.getoption("--backend")
    out = []
    for item in items:
        differential = "both_backends" in getattr(item, "fixturenames", ())
        shared = item.get_closest_marker("shared") or "shared" in getattr(item, "fixturenames", ())
        params = item.callspec.params if hasattr(item, "callspec") else {}
        # what has both backends is long for the reference alone
        long = item.get_closest_marker("long") and params.get("backend_name") != "rust"
        absent = (differential and chosen != "both") or (shared and not SHARED.is_dir())
        absent = absent or (item.get_closest_marker("node") is not None and not NODE)
        if absent or (long and not config.getoption("--long")):
            out.append(item)
    config.stash[DESELECTED] = len(out)
    if out:
        config.hook.pytest_deselected(items=out)
        items[:] = [item for item in items if item not in set(out)]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item):  # type: ignore[no-untyped-def]
    """A Rust panic is a failure, even where a test expects an exception."""
    try:
        return (yield)
    except BaseException as error:
        if type(error).__name__ == "PanicException":
            pytest.fail(f"the extension panicked: {error}")
        raise


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the large shared material; tests that use it are deselected without it."""
    return SHARED


@pytest.fixture(scope="session")
def backend(backend_name: str) -> ModuleType:
    """One backend module after the other."""
    return importlib.import_module(MODULES[backend_name])


@pytest.fixture(scope="session")
def both_backends() -> tuple[ModuleType, ModuleType]:
    """The reference and the extension, for tests that compare them."""
    return (importlib.import_module(MODULES["python"]), importlib.import_module(MODULES["rust"]))


@pytest.fixture(scope="session")
def data() -> Path:
    """The test data that lies in the repository."""
    return ROOT / "tests" / "data"


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In one of several processes (pytest-xdist): what the one that reports cannot know."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["deselected"] = session.config.stash.get(DESELECTED, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """All processes deselect the same."""
    count = getattr(node, "workeroutput", {}).get("deselected", 0)
    node.config.stash[DESELECTED] = max(count, node.config.stash.get(DESELECTED, 0))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says how many published models were reproduced, by folder, in all processes together."""
    reports = terminalreporter.stats.get("passed", [])
    found = [value for report in reports for key, value in report.user_properties if key == MODEL]
    for backend in MODULES:
        models = {model for name, model in found if name == backend}
        tiny = sum(model.startswith("tiny/") for model in models)
        if models:
            terminalreporter.write_line(
                f"published models reproduced by {backend}: {len(models)} of 199, "
                f"{tiny} of 150 in tiny and {len(models) - tiny} of 49 in small"
            )
    # With one process it is in pytest's own last line.
    deselected = terminalreporter.config.stash.get(DESELECTED, 0)
    if deselected and not terminalreporter.stats.get("deselected"):
        terminalreporter.write_line(f"{deselected} deselected, which this run cannot have")


@pytest.fixture(scope="session")
def tiny_corpus(data: Path) -> list[str]:
    """160 documents in 34 languages, code and edge cases: the tiny corpus of the golden files."""
    lines = gzip.decompress((data / "golden/tiny.jsonl.gz").read_bytes()).decode().split("\n")
    return [json.loads(line)["text"] for line in lines if line]
