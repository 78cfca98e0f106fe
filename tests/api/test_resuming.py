"""`encode_file` goes on where a call ended, however it ended, and never takes what does not fit."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import superword
from superword import encode_files, partial
from superword.encode_files import EncodedFile

DOCUMENTS = 12
# Children that kill themselves before their first, second, ... call that changes a file (or each of
# so many); after each of them another one, which nothing kills. Prints how many calls there are.
PROGRAM = """
import os, pathlib, shutil, signal, sys
import superword
from superword import encode_files, partial
encode_files.BATCH_CHARACTERS = {"rust": 200, "python": 200}
partial._CHECKPOINT_SECONDS = 0
model, corpus, ending, backend, step = sys.argv[1:]
if ending == "parquet":
    import pyarrow.parquet  # once, not in each child
tokenizer = superword.Tokenizer.load(model, backend=backend)
left = None

def deadly(call):
    def counted(*arguments, **keywords):
        global left
        if left is not None:
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return call(*arguments, **keywords)
    return counted

for name in ("open", "mkdir", "rmdir", "unlink", "replace", "fsync", "chmod"):
    setattr(os, name, deadly(getattr(os, name)))
partial.write_all = deadly(partial.write_all)

def run(calls):
    child = os.fork()
    if child == 0:
        global left
        left = calls
        tokenizer.encode_file(corpus, f"out.{ending}")
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def state():
    return {path.name.partition(".")[2]: path.read_bytes() for path in pathlib.Path().glob("out.*")
            if path.is_file()}

assert run(None) == 0
whole = state()
old = {name: b"old" for name in whole}
calls = 0
while True:
    for name, data in old.items():
        pathlib.Path(f"out.{name}").write_bytes(data)
    code = run(calls)
    found = state()
    if ending in found:  # the first file: old with old ones, or new with new ones
        assert found in (old, whole), (calls, sorted(found))
    assert run(None) == 0
    assert state() == whole, calls
    shutil.rmtree(f"out.{ending}.partial", ignore_errors=True)
    if code == 0:
        break
    assert code == -signal.SIGKILL
    calls += int(step)
print(calls)
"""


@pytest.fixture(scope="module")
def tokenizer(backend_name: str) -> superword.Tokenizer:
    return train(backend_name, 300)


def train(backend_name: str, size: int) -> superword.Tokenizer:
    return superword.train(
        ["to be or not to be, that is the question"] * 4,
        algorithm="boundless",
        vocab_size=size,
        backend=backend_name,  # type: ignore[arg-type]
    )


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    lines = [json.dumps({"text": f"to be {number} or not"}) for number in range(DOCUMENTS - 4)]
    (folder / "a.jsonl").write_text("\n".join(lines))
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(b'\xef\xbb\xbf{"text": "that"}\n' * 1))
    (folder / "c.jsonl").write_text('{"text": ""}\n{"text": "is"}\n{"text": "all"}\n')
    return folder


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every document is a batch, and after every batch there is a checkpoint."""
    monkeypatch.setattr(encode_files, "BATCH_CHARACTERS", {"rust": 1, "python": 1})
    monkeypatch.setattr(partial, "_CHECKPOINT_SECONDS", 0)


def written(folder: Path, stem: str) -> list[bytes]:
    """The bytes of all that a call has left, the folder of a call that goes on included."""
    return [path.read_bytes() for path in sorted(folder.glob(f"{stem}.*"))]


def stopping(after: int) -> Callable[[str, int, int], None]:
    """A callback that ends the work when so many documents are done."""
    calls = 0

    def callback(stage: str, done: int, total: int) -> None:
        nonlocal calls
        calls += 1
        if calls == after + 1:
            raise KeyboardInterrupt

    return callback


def interrupt(tokenizer: superword.Tokenizer, corpus: Path, out: Path, after: int) -> None:
    with pytest.raises(KeyboardInterrupt):
        tokenizer.encode_file(corpus, out, progress=stopping(after))
    assert not out.exists()
    assert out.with_name(f"{out.name}.partial").exists() == (after > 0)


# the second file begins with a byte order mark, which is told once in any case
@pytest.mark.filterwarnings("ignore:.*byte order mark:superword.SuperwordWarning")
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("ending", ["npy", "parquet"])
def test_after_each_document(tokenizer: superword.Tokenizer, corpus: Path, ending: str) -> None:
    folder = corpus.parent
    whole = tokenizer.encode_file(corpus, folder / f"whole.{ending}")
    assert len(whole.notices) == 1
    for after in (0, 1, 7, 8, 9, DOCUMENTS):
        out = folder / f"out.{ending}"
        interrupt(tokenizer, corpus, out, after)
        done = tokenizer.encode_file(corpus, out)
        assert (done.resumed, done.documents) == (after, DOCUMENTS)
        assert done[1:5] == whole[1:5]
        assert done.notices == whole.notices
        assert written(folder, "out") == written(folder, "whole")
        for path in folder.glob("out.*"):
            path.unlink()


@pytest.mark.filterwarnings("ignore:.*byte order mark:superword.SuperwordWarning")
@pytest.mark.usefixtures("small")
def test_several_times_in_a_row(tokenizer: superword.Tokenizer, corpus: Path) -> None:
    folder = corpus.parent
    tokenizer.encode_file(corpus, folder / "whole.npy")
    for _ in range(3):
        interrupt(tokenizer, corpus, folder / "out.npy", 3)
    done = tokenizer.encode_file(corpus, folder / "out.npy")
    assert done.resumed == 9
    assert str(done).splitlines()[1] == "resumed 9 documents were done already"
    assert written(folder, "out") == written(folder, "whole")


@pytest.mark.parametrize("ending", ["npy", "parquet"])
def test_killed_before_changes_of_files(
    tokenizer: superword.Tokenizer, corpus: Path, backend_name: str, ending: str
) -> None:
    tokenizer.save(corpus.parent / "m.superword")
    step = "2" if (backend_name, ending) == ("rust", "npy") else "9"
    arguments = ["m.superword", str(corpus), ending, backend_name, step]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
        cwd=corpus.parent,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 50


def damage_checkpoint(folder: Path) -> str:
    path = folder / "checkpoint"
    path.write_bytes(path.read_bytes()[:-3] + b"9]}")
    return "its checkpoint is damaged"


def cut_checkpoint(folder: Path) -> str:
    path = folder / "checkpoint"
    path.write_bytes(path.read_bytes()[:40])
    return "its checkpoint is damaged"


def damage_ids(folder: Path) -> str:
    data = bytearray((folder / "ids.npy").read_bytes())
    data[130] ^= 1
    (folder / "ids.npy").write_bytes(data)
    return "what it holds is damaged"


def damage_first_offset(folder: Path) -> str:
    data = bytearray((folder / "offsets.npy").read_bytes())
    data[128] ^= 1
    (folder / "offsets.npy").write_bytes(data)
    return "what it holds is damaged"


def cut_offsets(folder: Path) -> str:
    data = (folder / "offsets.npy").read_bytes()
    (folder / "offsets.npy").write_bytes(data[:-1])
    return "what it holds is damaged"


def lose_ids(folder: Path) -> str:
    (folder / "ids.npy").unlink()
    return "what it holds is damaged"


@pytest.mark.filterwarnings("ignore:.*byte order mark:superword.SuperwordWarning")
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    "damage",
    [damage_checkpoint, cut_checkpoint, damage_ids, damage_first_offset, cut_offsets, lose_ids],
)
def test_what_is_damaged_is_begun_anew(
    tokenizer: superword.Tokenizer, corpus: Path, damage: Callable[[Path], str]
) -> None:
    folder = corpus.parent
    tokenizer.encode_file(corpus, folder / "whole.npy")
    interrupt(tokenizer, corpus, folder / "out.npy", 5)
    reason = damage(folder / "out.npy.partial")
    with pytest.warns(superword.SuperwordWarning, match=reason):
        done = tokenizer.encode_file(corpus, folder / "out.npy")
    assert done.resumed == 0
    assert done.notices[0] == f"{folder}/out.npy.partial: {reason}; it is begun anew"
    assert written(folder, "out") == written(folder, "whole")


@pytest.mark.filterwarnings("ignore:.*byte order mark:superword.SuperwordWarning")
@pytest.mark.usefixtures("small")
def test_what_stands_behind_the_checkpoint_is_cut_off(
    tokenizer: superword.Tokenizer, corpus: Path
) -> None:
    folder = corpus.parent
    tokenizer.encode_file(corpus, folder / "whole.npy")
    interrupt(tokenizer, corpus, folder / "out.npy", 5)
    for name in ("ids.npy", "offsets.npy"):
        with open(folder / "out.npy.partial" / name, "ab") as file:
            file.write(b"more" * 5000)
    assert tokenizer.encode_file(corpus, folder / "out.npy").resumed == 5
    assert written(folder, "out") == written(folder, "whole")


@pytest.mark.filterwarnings("ignore:.*byte order mark:superword.SuperwordWarning")
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("change", "what"),
    [
        ("model", "another model"),
        ("dtype", "another dtype"),
        ("special", "other special tokens allowed"),
        ("field", "other files"),
        ("touch", "other files"),
        ("more", "other files"),
    ],
)
def test_another_call_begins_anew(
    tokenizer: superword.Tokenizer, corpus: Path, backend_name: str, change: str, what: str
) -> None:
    folder = corpus.parent
    interrupt(tokenizer, corpus, folder / "out.npy", 5)
    more: dict[str, Any] = {}
    if change == "model":
        tokenizer = train(backend_name, 270)
    elif change == "dtype":
        more["dtype"] = "uint32"
    elif change == "special":
        more["allowed_special"] = None
    elif change == "field":
        for path in corpus.iterdir():
            path.unlink()
        (corpus / "a.jsonl").write_text('{"text": "a", "body": "b"}')
        more["field"] = "body"
    elif change == "touch":
        os.utime(corpus / "c.jsonl", ns=(1, 1))
    else:
        (corpus / "d.jsonl").write_text("")
    with pytest.warns(superword.SuperwordWarning, match=f"it was made with {what}; it is begun"):
        done = tokenizer.encode_file(corpus, folder / "out.npy", **more)
    assert done.resumed == 0
    tokenizer.encode_file(corpus, folder / "whole.npy", **more)
    assert written(folder, "out") == written(folder, "whole")


@pytest.mark.filterwarnings("ignore:.*byte order mark:superword.SuperwordWarning")
@pytest.mark.usefixtures("small")
def test_after_a_document_at_fault(tokenizer: superword.Tokenizer, corpus: Path) -> None:
    """The documents behind it count as not done."""
    folder, path = corpus.parent, corpus / "c.jsonl"
    tokenizer.encode_file(corpus, folder / "whole.npy")
    good, status = path.read_bytes(), path.stat()

    def put(data: bytes) -> None:
        path.write_bytes(data)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    put(good.replace(b'"is"', b"null"))
    for _ in range(2):
        with pytest.raises(superword.InputError, match=r"c\.jsonl: line 2: "):
            tokenizer.encode_file(corpus, folder / "out.npy")
    put(good)  # as nobody could: with the time that it had
    assert tokenizer.encode_file(corpus, folder / "out.npy").resumed == DOCUMENTS - 2
    assert written(folder, "out") == written(folder, "whole")


@pytest.mark.filterwarnings("ignore:.*byte order mark:superword.SuperwordWarning")
@pytest.mark.usefixtures("small")
def test_two_calls_at_once(tokenizer: superword.Tokenizer, corpus: Path) -> None:
    out = corpus.parent / "out.npy"
    found: list[str] = []

    def again(stage: str, done: int, total: int) -> None:
        with pytest.raises(superword.InputError) as caught:
            tokenizer.encode_file(corpus, out)
        found.append(str(caught.value))

    done: EncodedFile = tokenizer.encode_file(corpus, out, progress=again)
    assert set(found) == {f"{out}: another call is writing it ({out}.partial)"}
    assert (done.documents, len(done.notices)) == (DOCUMENTS, 1)


@pytest.mark.filterwarnings("ignore:.*byte order mark:superword.SuperwordWarning")
@pytest.mark.usefixtures("small")
def test_what_else_is_in_the_folder_stays(tokenizer: superword.Tokenizer, corpus: Path) -> None:
    folder = corpus.parent / "out.npy.partial"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    tokenizer.encode_file(corpus, corpus.parent / "out.npy")
    assert os.listdir(folder) == ["mine.txt"]
