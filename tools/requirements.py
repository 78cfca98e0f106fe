"""Print what a dependency group of pyproject.toml and the package itself need, one a line.

`pip install --group` needs a newer pip than a fresh virtual environment may have.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path


def requirements(group: str) -> list[str]:
    """Return the build system's, the package's and the group's requirements.

    >>> "pytest>=8" in requirements("dev")
    True
    """
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    wanted = [
        *data["build-system"]["requires"],
        *data["project"]["dependencies"],
        *data["dependency-groups"][group],
    ]
    return list(dict.fromkeys(wanted))


if __name__ == "__main__":
    print("\n".join(requirements(sys.argv[1])))
