"""`encode_file`: the ids of `encode`, in files that others read, whole or not at all."""

from __future__ import annotations

import errno
import gzip
import hashlib
import json
import os
import stat
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import superword
from superword import encode_files, ids_output, parquet, partial
from superword.encode_files import EncodedFile

TEXTS = ["to be", "", "or not to be é", "日本", "that is the question " * 9, "", "to be"]
LINES = TEXTS[:3]


@pytest.fixture(scope="module")
def tokenizer(backend_name: str) -> superword.Tokenizer:
    return superword.train(
        ["to be or not to be, that is the question"] * 4,
        algorithm="boundless",
        vocab_size=300,
        special_tokens=["<s>"],
        backend=backend_name,  # type: ignore[arg-type]
    )


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Three files: JSON lines, with blank lines between them, compressed lines, an empty one."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    jsonl = "\n\n".join(json.dumps({"id": 1, "body": text}) for text in TEXTS)
    (folder / "a.jsonl").write_text(jsonl)
    (folder / "b.txt.gz").write_bytes(gzip.compress("\n".join(LINES).encode()))
    (folder / "c.jsonl").write_text("")
    return folder


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every document is a batch, and after every batch there is a checkpoint."""
    monkeypatch.setattr(encode_files, "BATCH_CHARACTERS", {"rust": 1, "python": 1})
    monkeypatch.setattr(partial, "_CHECKPOINT_SECONDS", 0)


def encode(tokenizer: superword.Tokenizer, corpus: Path, out: Path, **more: Any) -> EncodedFile:
    return tokenizer.encode_file(corpus, out, field="body", lines=True, **more)


def read_arrays(out: Path) -> list[list[int]]:
    ids, offsets = np.load(out, mmap_mode="r"), np.load(out.with_suffix(".offsets.npy"))
    assert offsets[0] == 0
    assert offsets[-1] == len(ids)
    return [ids[a:b].tolist() for a, b in pairwise(offsets)]


def refused(kind: type[Exception], call: Callable[[], object]) -> str:
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


def test_arrays_of_all_kinds_of_files(tokenizer: superword.Tokenizer, corpus: Path) -> None:
    out = corpus.parent / "out.npy"
    calls: list[tuple[str, int, int]] = []
    done = encode(tokenizer, corpus, out, progress=lambda *call: calls.append(call))
    texts = TEXTS + LINES
    lists = tokenizer.encode_batch(texts)
    assert read_arrays(out) == lists
    sizes = sum(path.stat().st_size for path in corpus.iterdir())
    assert calls[0] == ("encode", 0, sizes)
    assert ("encode", sizes, sizes) in calls
    assert calls[-1][0] == "write"
    meta = json.loads((corpus.parent / "out.meta.json").read_text())
    expected = {
        "documents": len(texts),
        "tokens": sum(map(len, lists)),
        "bytes": sum(len(text.encode()) for text in texts),
        "dtype": "uint16",
    }
    assert done._asdict().items() >= (expected | {"resumed": 0, "notices": ()}).items()
    assert done.paths == tuple(
        str(corpus.parent / f"out{end}") for end in (".npy", ".offsets.npy", ".meta.json")
    )
    assert meta == expected | {
        "format": "superword ids",
        "version": 1,
        "model_ids": len(tokenizer),
        "model_sha256": hashlib.sha256(tokenizer.to_bytes()).hexdigest(),
    }
    assert sorted(os.listdir(corpus.parent)) == [
        "corpus",
        "out.meta.json",
        "out.npy",
        "out.offsets.npy",
    ]
    text = str(done)
    assert f"{done.tokens:,} of 10 documents with {done.bytes:,} bytes, uint16" in text
    assert text.endswith(f"file    {done.paths[2]}")


@pytest.mark.parametrize("dtype", ["uint16", "uint32"])
def test_the_bytes_are_those_of_numpy(
    tokenizer: superword.Tokenizer, corpus: Path, dtype: str
) -> None:
    out = corpus.parent / "out.npy"
    encode(tokenizer, corpus, out, dtype=dtype)
    ids, offsets = tokenizer.encode_batch(TEXTS + LINES, output="numpy")
    np.save(corpus.parent / "ours.npy", ids.astype(dtype))
    np.save(corpus.parent / "ends.npy", offsets)
    assert out.read_bytes() == (corpus.parent / "ours.npy").read_bytes()
    written = (corpus.parent / "out.offsets.npy").read_bytes()
    assert written == (corpus.parent / "ends.npy").read_bytes()


@pytest.mark.parametrize("limits", [None, (6, 3), (1000, 2)])
def test_parquet_has_a_row_for_each_document(
    tokenizer: superword.Tokenizer,
    corpus: Path,
    monkeypatch: pytest.MonkeyPatch,
    limits: tuple[int, int] | None,
) -> None:
    """In row groups by the number of ids and of documents; one document is always taken."""
    if limits is not None:
        monkeypatch.setattr(parquet, "GROUP_IDS", limits[0])
        monkeypatch.setattr(parquet, "GROUP_DOCUMENTS", limits[1])
    out = corpus.parent / "out.parquet"
    calls: list[tuple[str, int, int]] = []
    done = encode(tokenizer, corpus, out, progress=lambda *call: calls.append(call))
    table = pq.read_table(out)
    lists = tokenizer.encode_batch(TEXTS + LINES)
    assert table.column("ids").to_pylist() == lists
    assert table.schema.field("ids").type.value_type == pa.uint16()
    assert table.schema.field("ids").type == pa.list_(pa.uint16())
    meta = json.loads(table.schema.metadata[b"superword"])
    assert (meta["documents"], meta["tokens"], meta["dtype"]) == (10, done.tokens, "uint16")
    assert done.paths == (str(out),)
    assert calls[-1] == ("write", 10, 10)
    groups = pq.ParquetFile(out).metadata
    rows = [groups.row_group(number).num_rows for number in range(groups.num_row_groups)]
    assert rows == {None: [10], (6, 3): rows, (1000, 2): [2] * 5}[limits]
    start = 0
    for number in rows:
        fresh = sum(map(len, lists[start : start + number]))
        assert limits is None or number == 1 or fresh <= limits[0]
        start += number
    assert sorted(os.listdir(corpus.parent)) == ["corpus", "out.parquet"]


@pytest.mark.parametrize("ending", ["npy", "parquet"])
def test_a_corpus_without_documents(
    tokenizer: superword.Tokenizer, tmp_path: Path, ending: str
) -> None:
    (tmp_path / "a.jsonl").write_text("\n")
    out = tmp_path / f"out.{ending}"
    done = tokenizer.encode_file(tmp_path / "a.jsonl", out)
    assert (done.documents, done.tokens, done.bytes) == (0, 0, 0)
    if ending == "npy":
        assert read_arrays(out) == []
    else:
        assert pq.read_table(out).num_rows == 0


def test_special_tokens_by_call(tokenizer: superword.Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("to\nto be<s>\n")
    out, first = tmp_path / "out.npy", tokenizer.special_tokens["<s>"]

    def call(**more: Any) -> list[list[int]]:
        tokenizer.encode_file(tmp_path / "a.txt", out, lines=True, **more)
        return read_arrays(out)

    assert call(allowed_special="all")[1][-1] == first
    assert call(allowed_special=["<s>"])[1][-1] == first
    assert call(allowed_special=None)[1] == tokenizer.encode_ordinary("to be<s>")
    found = refused(superword.EncodingError, call)
    assert found == (
        f"{tmp_path}/a.txt: line 2: special token '<s>' at position 5 is not allowed: name it in "
        "allowed_special, or give None there to take it as plain text"
    )


def test_the_model_decides_the_dtype(
    tokenizer: superword.Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for ids, kind in ((65536, "uint16"), (65537, "uint32")):
        assert ids_output.IdsOutput(f"{tmp_path}/a.npy", "auto", ids).kind == kind
    ids_output.IdsOutput(f"{tmp_path}/a.npy", "uint16", 65536)
    found = refused(
        superword.SettingsError,
        lambda: ids_output.IdsOutput(f"{tmp_path}/a.npy", "uint16", 65537),
    )
    assert found == (
        "dtype must be 'uint32' or 'auto' for a model of 65537 ids; 'uint16' is for at most 65536"
    )
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "content", "where"),
    [
        ("a.txt", b"to be\nto <s>\n", "a.txt: line 2: special token '<s>' at position 3"),
        ("a.jsonl", b'{"body": "a"}\n\n\n{"body": "<s>"}\n', "a.jsonl: line 4: special token"),
        ("a.txt", b"to\n<s>\n\xff\n", "a.txt: line 2: special token"),
        ("a.txt", b"to\n\xff\n<s>\n", "a.txt: line 2: byte 3 is not valid UTF-8"),
        ("a.jsonl", b'{"body": "a"}\n{"text": 1}\n', "a.jsonl: line 2: "),
    ],
)
def test_an_error_names_the_file_and_the_line(
    tokenizer: superword.Tokenizer, tmp_path: Path, name: str, content: bytes, where: str
) -> None:
    (tmp_path / "0.txt").write_text("to be\nor not\n")
    (tmp_path / name).write_bytes(content)
    found = refused(
        superword.SuperwordError,
        lambda: encode(tokenizer, tmp_path, tmp_path / "out.npy"),
    )
    assert found.startswith(f"{tmp_path}/{where}")
    assert sorted(os.listdir(tmp_path)) == sorted(["0.txt", name])


def test_a_document_that_no_row_holds(
    tokenizer: superword.Tokenizer, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ids_output.IdsOutput, "most_ids", 8)
    found = refused(
        superword.EncodingError, lambda: encode(tokenizer, corpus, corpus.parent / "out.parquet")
    )
    assert found == (
        f"{corpus}/a.jsonl: line 9: has more than 8 ids, the most of a row of Parquet; write .npy"
    )


def test_settings_that_are_refused(tokenizer: superword.Tokenizer, corpus: Path) -> None:
    folder = corpus.parent
    (folder / "x.npy").mkdir()
    (folder / "taken.offsets.npy").mkdir()
    (folder / "link.npy").symlink_to(corpus / "a.jsonl")
    for out, kind, text in (
        ("out", superword.SettingsError, "out must end in .npy or .parquet, not '{}'"),
        (".npy", superword.SettingsError, "out must end in .npy or .parquet, not '{}'"),
        ("x.npy", superword.InputError, "{}: cannot be written: it is a folder"),
        (
            "no/a.npy",
            superword.InputError,
            "{}: cannot be written: there is no such file or folder",
        ),
        (
            "taken.npy",
            superword.InputError,
            f"{folder}/taken.offsets.npy: cannot be written: it is a folder",
        ),
        (
            "link.npy",
            superword.SettingsError,
            f"out must not be a file that is read: {corpus.resolve()}/a.jsonl",
        ),
    ):
        found = refused(kind, lambda out=out: encode(tokenizer, corpus, folder / out))
        assert found == text.format(folder / out)
    assert (
        refused(
            superword.SettingsError,
            lambda: encode(tokenizer, corpus, folder / "a.npy", dtype="int8"),
        )
        == "dtype must be one of auto, uint16, uint32, not 'int8'"
    )
    assert sorted(os.listdir(folder)) == ["corpus", "link.npy", "taken.offsets.npy", "x.npy"]


def test_a_folder_without_permission(
    tokenizer: superword.Tokenizer, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object) -> None:
        raise PermissionError(errno.EACCES, "refused")  # as root is nowhere

    out = corpus.parent / "out.npy"
    monkeypatch.setattr(partial.os, "mkdir", refuse)
    found = refused(superword.InputError, lambda: encode(tokenizer, corpus, out))
    assert found == f"{out}: cannot be written: permission is denied"
    assert os.listdir(corpus.parent) == ["corpus"]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("ending", ["npy", "parquet"])
def test_a_disk_that_is_full(
    tokenizer: superword.Tokenizer, corpus: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    """At each write, one after the other; what was done before is not done again."""
    out = corpus.parent / f"out.{ending}"
    out.write_bytes(b"old")
    room = left = resumed = 0
    refusals: list[str] = []
    write_all = partial.write_all

    def write(*arguments: Any) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise OSError(errno.ENOSPC, "full")
        write_all(*arguments)

    with monkeypatch.context() as context:
        context.setattr(partial, "write_all", write)
        while True:
            left, room = room, room + 7
            try:
                resumed = encode(tokenizer, corpus, out).resumed
                break
            except superword.InputError as error:
                refusals.append(str(error))
            assert out.read_bytes() == b"old"
    assert set(refusals) == {f"{out}: cannot be written: the disk is full"}
    assert len(refusals) > 1
    assert resumed > 0
    new = out.read_bytes()
    encode(tokenizer, corpus, out)
    assert out.read_bytes() == new
    assert not out.with_name(f"{out.name}.partial").exists()


def test_what_is_replaced_keeps_its_permissions(
    tokenizer: superword.Tokenizer, corpus: Path
) -> None:
    """And a link stays one; the other files stand beside what it points to."""
    folder = corpus.parent
    (folder / "big").mkdir()
    (folder / "out.npy").symlink_to(folder / "big" / "x.npy")
    (folder / "big" / "x.npy").write_bytes(b"old")
    (folder / "big" / "x.npy").chmod(0o640)
    done = encode(tokenizer, corpus, folder / "out.npy")
    assert (folder / "out.npy").is_symlink()
    assert stat.S_IMODE((folder / "big" / "x.npy").stat().st_mode) == 0o640
    assert sorted(os.listdir(folder / "big")) == ["x.meta.json", "x.npy", "x.offsets.npy"]
    assert read_arrays(folder / "big" / "x.npy") == tokenizer.encode_batch(TEXTS + LINES)
    assert done.paths[0] == str((folder / "big" / "x.npy").resolve())


@pytest.mark.parametrize("given", ["", "*", "**"])
def test_an_output_in_the_folder_that_is_read(
    tokenizer: superword.Tokenizer, corpus: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    out = corpus / "ids.npy"
    with monkeypatch.context() as patched:
        patched.setattr(encode_files, "BATCH_CHARACTERS", {"rust": 1, "python": 1})
        patched.setattr(partial, "_CHECKPOINT_SECONDS", 0)

        def stop(stage: str, done: int, total: int) -> None:
            if (corpus / "ids.npy.partial" / "checkpoint").exists():
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            encode(tokenizer, corpus / given, out, progress=stop)
    assert encode(tokenizer, corpus / given, out).resumed > 0
    whole = [Path(path).read_bytes() for path in encode(tokenizer, corpus / given, out).paths]
    again = encode(tokenizer, corpus / given, out)
    assert [Path(path).read_bytes() for path in again.paths] == whole


@pytest.mark.parametrize("link", ["ids.offsets.npy", "ids.meta.json"])
def test_links_that_lead_to_one_file(
    tokenizer: superword.Tokenizer, corpus: Path, tmp_path: Path, link: str
) -> None:
    (tmp_path / link).symlink_to(tmp_path / "ids.npy")
    with pytest.raises(superword.SettingsError, match=r"^out must be different files, with what"):
        encode(tokenizer, corpus, tmp_path / "ids.npy")


def test_what_goes_with_it_on_another_disk(
    tokenizer: superword.Tokenizer,
    corpus: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ids_output, "_disk", lambda path: path.endswith(".offsets.npy"))
    with pytest.raises(superword.SettingsError, match=r"^out must be on one disk with what goes"):
        encode(tokenizer, corpus, tmp_path / "ids.npy")


def test_a_path_that_no_file_can_have(tokenizer: superword.Tokenizer, corpus: Path) -> None:
    with pytest.raises(superword.SettingsError, match=r"^out has a lone surrogate at character \d"):
        encode(tokenizer, corpus, Path("a\ud800.npy"))
