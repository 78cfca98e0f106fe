"""Run the code of README.md as a user would: from the wheel, in a fresh environment.

Every fenced `python` or `shell` block that follows a line `<!-- run -->` is run, in order, in one
temporary folder that has the demo corpus as `docs/`. The first that fails ends the run.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import tempfile
import time
import venv
from pathlib import Path

BLOCK = re.compile(r"^<!-- run -->\n```(python|shell)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def marked_blocks(text: str) -> list[tuple[str, str]]:
    r"""Return (language, code) of each block to run.

    >>> marked_blocks("<!-- run -->\n```python\nx = 1\n```\n\n```shell\nls\n```\n")
    [('python', 'x = 1\n')]
    """
    blocks = BLOCK.findall(text)
    if len(blocks) != text.count("<!-- run -->"):
        raise SystemExit("a `<!-- run -->` is not followed by a closed python or shell block")
    return blocks


def fresh_environment(folder: Path, wheel: Path) -> dict[str, str]:
    """Make a virtual environment with the wheel alone; return the process environment for it."""
    venv.create(folder, with_pip=True)
    scripts = folder / "bin"
    install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([scripts / "python", *install, wheel], check=True)
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "SUPERWORD_"))}
    return {**inherited, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}


def run_block(language: str, code: str, folder: Path, environment: dict[str, str]) -> None:
    """Run one block; a failure names it and ends the program."""
    program = ["python", "-"] if language == "python" else ["bash", "-euo", "pipefail", "-s"]
    print(f"--- {language}\n{code.rstrip()}", flush=True)
    start = time.monotonic()
    # looked up in the fresh environment's PATH, not in that of this process
    command = [shutil.which(program[0], path=environment["PATH"]) or program[0], *program[1:]]
    done = subprocess.run(
        command, input=code, text=True, encoding="utf-8", cwd=folder, env=environment, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"this {language} block of README.md ended with {done.returncode}")
    print(f"    ok, {time.monotonic() - start:.1f} s", flush=True)


def main() -> None:
    """Read the arguments and run every marked block."""
    root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description="run the code of README.md from the wheel")
    parser.add_argument("--readme", type=Path, default=root / "README.md")
    parser.add_argument("--wheels", type=Path, required=True, help="folder with exactly one wheel")
    parser.add_argument("--corpus", type=Path, required=True, help="folder to be seen as docs/")
    arguments = parser.parse_args()

    wheels = sorted(arguments.wheels.glob("superword-*.whl"))
    if len(wheels) != 1:
        raise SystemExit(f"{arguments.wheels} must hold exactly one wheel, not {len(wheels)}")
    blocks = marked_blocks(arguments.readme.read_text(encoding="utf-8"))
    if not blocks:
        raise SystemExit(f"{arguments.readme} has no block to run")
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary) / "work"
        work.mkdir()
        (work / "docs").mkdir()
        for path in sorted(arguments.corpus.glob("*.jsonl")):
            shutil.copy(path, work / "docs")
        environment = fresh_environment(Path(temporary) / "venv", wheels[0].resolve())
        for language, code in blocks:
            run_block(language, code, work, environment)
    print(f"{len(blocks)} blocks of {arguments.readme.name} ran")


if __name__ == "__main__":
    main()
