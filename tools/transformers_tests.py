"""Run the common tests of transformers on `SuperwordTokenizer`: `make transformers-tests`.

They are in the source distribution of transformers alone, which pip fetches in the version that is
installed. Each backend and two patterns of special tokens get a run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "transformers-tests"
TEST = """
import os
import tempfile
import unittest

import superword
from superword.integrations.transformers import SuperwordTokenizer
from .test_tokenization_common import TokenizerTesterMixin

FOLDER = tempfile.mkdtemp(dir=os.environ["HF_HOME"])
SuperwordTokenizer(
    superword.train(
        files=os.environ["CORPUS"],
        algorithm="boundless",
        vocab_size=2000,
        special_tokens=["<s>", "</s>", "<unk>"],
        backend="auto",
    ),
    bos_token="<s>",
    eos_token="</s>",
    unk_token="<unk>",
    pad_token="<pad>",
    special_tokens_pattern=os.environ["PATTERN"],
).save_pretrained(FOLDER)


class SuperwordTest(TokenizerTesterMixin, unittest.TestCase):
    tokenizer_class = SuperwordTokenizer
    from_pretrained_id = FOLDER
    from_pretrained_kwargs = {}
"""


def pip(*arguments: str) -> None:
    """Run pip, or stop."""
    subprocess.run([sys.executable, "-m", "pip", "--quiet", *arguments], check=True)


def prepare() -> Path:
    """The folder of the installed version of transformers with its tests and ours."""
    name = f"transformers-{version('transformers')}"
    folder = WORK / name
    if not (folder / "tests" / "test_superword.py").is_file():
        WORK.mkdir(parents=True, exist_ok=True)
        wanted = name.replace("-", "==")
        pip("download", "--no-deps", "--no-binary=transformers", f"--dest={WORK}", wanted)
        pip("install", "--no-deps", f"--target={WORK / 'site'}", "parameterized")
        with tarfile.open(WORK / f"{name}.tar.gz") as archive:
            tests = [m for m in archive.getmembers() if m.name.startswith(f"{name}/tests/")]
            archive.extractall(WORK, tests, filter="data")
        (folder / "tests" / "__init__.py").touch()
        (folder / "tests" / "fixtures").mkdir(exist_ok=True)
        sample = "\n\n".join(f"This is line {i}, and it goes on by the way." for i in range(200))
        (folder / "tests" / "fixtures" / "sample_text.txt").write_text(sample, "utf-8")
        (folder / "tests" / "test_superword.py").write_text(TEST, "utf-8")
    return folder


def main() -> int:
    """Run all; the exit code says whether every test passed."""
    folder = prepare()
    home = WORK / "home"
    home.mkdir(exist_ok=True)
    failed = 0
    for backend in ("rust", "python"):
        for pattern in ("none", "bos_eos"):
            print(f"backend {backend}, special tokens {pattern}", flush=True)
            options = ["-q", "--no-summary", "-p", "no:cacheprovider", "-c", os.devnull]
            found = subprocess.run(
                [
                    sys.executable,
                    "-m",
                    "pytest",
                    *options,
                    "--rootdir=.",
                    "tests/test_superword.py",
                ],
                cwd=folder,
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join([str(ROOT / "python"), str(WORK / "site")]),
                    "CORPUS": str(ROOT / "examples" / "corpus" / "*.jsonl"),
                    "HF_HOME": str(home),
                    "HF_HUB_OFFLINE": "1",
                    "RUN_SLOW": "1",
                    "PATTERN": pattern,
                    "SUPERWORD_BACKEND": backend,
                },
                check=False,
            )
            failed += found.returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
