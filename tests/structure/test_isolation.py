"""Each backend runs in a process that cannot import the other one."""

import os
import subprocess
import sys

import pytest

BLOCK = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name == {blocked!r} or name.startswith({blocked!r} + "."):
            raise {error}
sys.meta_path.insert(0, Block())
"""
RUN = """
import superword
docs = ["to be or not to be", "that is the question"] * 2
tok = superword.train(docs, algorithm="boundless", vocab_size=290, backend={backend!r})
assert tok.decode(tok.encode("to be é")) == "to be é"
tok = superword.Tokenizer.from_bytes(tok.to_bytes(), backend={backend!r})
assert tok.encode_batch(["to be"], threads=2) == [tok.encode("to be")]
assert not [name for name in sys.modules if name.startswith({blocked!r})], "imported after all"
print(tok.backend, superword.backend())
"""
ABSENT = 'ModuleNotFoundError(f"No module named {name!r}", name=name)'
BROKEN = 'ImportError("undefined symbol", name=name)'
MODULES = {"python": "superword.reference", "rust": "superword._core"}


def run(script, **environment):
    path = os.pathsep.join(p for p in sys.path if p)
    kept = {k: v for k, v in os.environ.items() if not k.startswith("SUPERWORD_")}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        env={**kept, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("error", [ABSENT, BROKEN], ids=["absent", "broken"])
def test_alone(backend_name, error):
    other = MODULES["rust" if backend_name == "python" else "python"]
    found = run(
        BLOCK.format(blocked=other, error=error)
        + RUN.replace(", superword.backend()", "").format(backend=backend_name, blocked=other)
    )
    assert (found.stdout.split(), found.stderr) == ([backend_name], "")


def test_auto_takes_the_reference_where_there_is_no_extension():
    script = BLOCK.format(blocked="superword._core", error=ABSENT)
    found = run(script + RUN.format(backend="auto", blocked="superword._core"))
    assert (found.stdout.split(), found.stderr) == (["python", "python"], "")


@pytest.mark.rust
def test_auto_takes_the_extension(both_backends):
    script = BLOCK.format(blocked="superword.reference", error=ABSENT)
    found = run(script + RUN.format(backend="auto", blocked="superword.reference"))
    assert (found.stdout.split(), found.stderr) == (["rust", "rust"], "")


@pytest.mark.parametrize("backend", ["auto", "rust"])
@pytest.mark.parametrize("error", [BROKEN, 'OSError("disk")', 'RuntimeError("init")'])
def test_a_broken_extension_is_an_error(backend, error):
    call = f"import superword\nsuperword.train(['to be'], vocab_size=256, backend={backend!r})\n"
    found = run(BLOCK.format(blocked="superword._core", error=error) + call)
    assert found.returncode == 1
    assert "superword.errors.BackendError: backend 'rust' is there but" in found.stderr


def test_a_missing_extension_is_an_error_where_it_was_asked_for():
    call = "import superword\nsuperword.train(['to be'], vocab_size=256, backend='rust')\n"
    found = run(BLOCK.format(blocked="superword._core", error=ABSENT) + call)
    assert found.returncode == 1
    assert "superword.errors.BackendError: backend 'rust' needs the extension" in found.stderr


def test_the_environment_chooses(backend_name):
    script = "import superword\nprint(superword.backend())\n"
    assert run(script, SUPERWORD_BACKEND=backend_name).stdout.split() == [backend_name]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BACKEND", "cuda"),
        ("BACKEND", "Rust"),
        ("BACKEND", " python"),
        ("THREADS", "0"),
        ("THREADS", "two"),
        ("THREADS", "-1"),
        ("THREADS", "1.5"),
        ("THREADS", "9" * 40),
    ],
)
def test_rubbish_in_the_environment_is_an_error(name, value):
    script = "import superword\nsuperword.train(['to be'], vocab_size=256)\n"
    found = run(script, **{"SUPERWORD_BACKEND": "python", f"SUPERWORD_{name}": value})
    assert found.returncode == 1
    assert f"superword.errors.SettingsError: SUPERWORD_{name} must be" in found.stderr


def test_threads_from_the_environment(backend_name):
    script = (
        "import superword\n"
        f"tok = superword.train(['to be'], vocab_size=256, backend={backend_name!r})\n"
        "print(tok.report.threads)\n"
    )
    assert run(script, SUPERWORD_THREADS="3").stdout.split() == ["3"]


def test_the_fixture_gives_the_backend_it_names(backend, backend_name):
    assert backend.__name__ == MODULES[backend_name]
    functions = [backend.pretokenize, backend.train_merges, backend.model_to_bytes]
    kinds = {type(function).__name__ for function in functions}
    assert kinds == {"function" if backend_name == "python" else "builtin_function_or_method"}
