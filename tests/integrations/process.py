"""A Python of its own, whose caches are in a folder of the test."""

import os
import subprocess
import sys


def run(script, *arguments, home, **environment):
    """The last line that a script prints; it must end well."""
    path = os.pathsep.join(p for p in sys.path if p)
    paths = {"PYTHONPATH": path, "HF_HOME": str(home), "TMPDIR": str(home)}
    home.mkdir(exist_ok=True)
    found = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        env={**os.environ, **paths, "HF_HUB_OFFLINE": "1", **environment},
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout.splitlines()[-1]
