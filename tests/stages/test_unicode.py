"""The generated tables: what they hold, and that the tool still generates them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_version_is_17(backend: ModuleType) -> None:
    assert backend.UNICODE_VERSION == "17.0.0"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (0x0558, ("Cn", "Unknown", False, False)),  # assigned in 18.0
        (0x088F, ("Lo", "Arabic", False, False)),  # new in 17.0
        (0x0295, ("Lo", "Latin", False, False)),  # Ll in other versions
        (0x2605, ("So", "Common", False, False)),  # Extended_Pictographic in other versions
        (0x2604, ("So", "Common", False, True)),
        (0x1680, ("Zs", "Ogham", True, False)),
        (0x0085, ("Cc", "Common", True, False)),
        (0x200B, ("Cf", "Common", False, False)),
        (0x200D, ("Cf", "Inherited", False, False)),
        (0x017F, ("Ll", "Latin", False, False)),
        (0x10300, ("Lo", "Old_Italic", False, False)),
        (0xE000, ("Co", "Unknown", False, False)),
        (0x10FFFF, ("Cn", "Unknown", False, False)),
    ],
)
def test_sentinels(backend: ModuleType, code: int, expected: tuple[str, str, bool, bool]) -> None:
    assert backend.classify(code, code) == [expected]


def test_the_tool_generates_the_committed_bytes() -> None:
    subprocess.run([sys.executable, ROOT / "tools/gen_unicode.py", "--check"], check=True)
