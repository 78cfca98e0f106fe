"""Documents from files: named cases, damage of every byte, sizes around the chunk of reading."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superword.errors import InputError
from superword.reference import decompress, documents
from superword.reference.file_input import FileInput, file_error

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

CASES = json.loads((Path(__file__).parent.parent / "cases/documents.json").read_bytes())
LINES = b"".join(b'{"text": "to be or not to be %d"}\n' % number for number in range(4))


def read(backend: ModuleType, path: Path, kind: str, compression: str) -> list[str] | str:
    """The documents, or the text of the error."""
    try:
        return list(backend.read_documents((str(path), kind, compression, "text"), []))
    except InputError as error:
        return str(error)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_case(backend: ModuleType, tmp_path: Path, case: dict[str, Any]) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes.fromhex(case["data"]))
    source = (str(path), case["kind"], case["compression"], "text")
    expected_notices = [notice.replace("{path}", str(path)) for notice in case["notices"]]
    notices: list[str] = []
    if "documents" in case:
        assert list(backend.read_documents(source, notices)) == case["documents"]
        assert notices == expected_notices
        counts = backend.count_files([source], "gpt2", [], True, 2)
        assert counts.documents == len(case["documents"])
        assert counts.bytes == sum(len(text.encode()) for text in case["documents"])
        assert counts.notices == expected_notices
    else:
        with pytest.raises(InputError) as error:
            list(backend.read_documents(source, notices))
        assert str(error.value) == case["error"].replace("{path}", str(path))
        for threads in (1, 2):
            with pytest.raises(InputError) as error:
                backend.count_files([source], "gpt2", [], True, threads)
            assert str(error.value) == case["error"].replace("{path}", str(path))


@pytest.mark.parametrize("compression", ["gzip", "zstd"])
def test_every_prefix_of_a_compressed_file_is_an_error(
    backend: ModuleType, tmp_path: Path, compression: str
) -> None:
    data = gzip.compress(LINES, mtime=0) if compression == "gzip" else zstd.compress(LINES)
    path = tmp_path / "file"
    for end in range(len(data)):
        path.write_bytes(data[:end])
        assert (
            read(backend, path, "jsonl", compression)
            == f"{path}: the {compression} stream is truncated or damaged"
        )


@pytest.mark.parametrize("compression", ["gzip", "zstd"])
def test_every_flipped_byte_means_the_same_to_both(
    both_backends: tuple[ModuleType, ModuleType], tmp_path: Path, compression: str
) -> None:
    compressor = zstd.ZstdCompressor(options={zstd.CompressionParameter.checksum_flag: 1})
    data = {
        "gzip": gzip.compress(LINES, mtime=0) + gzip.compress(LINES[:40], 0, mtime=0),
        "zstd": compressor.compress(LINES, compressor.FLUSH_FRAME) + zstd.compress(LINES[:40]),
    }[compression]
    path = tmp_path / "file"
    for at, byte in enumerate(data):
        for flip in (0x01, 0x10, 0x80, 0xFF):
            path.write_bytes(data[:at] + bytes([byte ^ flip]) + data[at + 1 :])
            reference, extension = (
                read(backend, path, "jsonl", compression) for backend in both_backends
            )
            assert reference == extension, (at, flip)


@pytest.mark.parametrize("compression", ["none", "gzip", "zstd"])
@pytest.mark.parametrize("size", [65_535, 65_536, 65_537, 524_288, 1_000_000])
def test_sizes_around_those_of_reading(
    backend: ModuleType, tmp_path: Path, compression: str, size: int
) -> None:
    text = "é" * (size // 2) + "x" * (size % 2)
    data = f"{text}\n\n{text}".encode()
    if compression == "gzip":
        data = gzip.compress(data)
    elif compression == "zstd":
        data = zstd.compress(data)
    path = tmp_path / "file"
    path.write_bytes(data)
    assert read(backend, path, "lines", compression) == [text, "", text]
    assert read(backend, path, "text", compression) == [f"{text}\n\n{text}"]


def test_a_missing_file_and_a_folder(backend: ModuleType, tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    assert read(backend, missing, "text", "none") == f"{missing}: there is no such file"
    assert read(backend, tmp_path, "text", "none") == f"{tmp_path}: is a folder, not a file"
    file = tmp_path / "file"
    file.write_bytes(b"")
    assert read(backend, file / "x", "text", "none") == f"{file / 'x'}: there is no such file"
    nul = Path(f"{tmp_path}/a\0b")
    assert read(backend, nul, "text", "none") == f"{nul}: cannot be read"


def test_a_file_without_permission() -> None:
    # not by a real file: the tests may run as a user who may read everything
    error = file_error("a.txt", PermissionError(13, "Permission denied", "a.txt"))
    assert str(error) == "a.txt: permission to read it is denied"


@given(st.lists(st.binary(max_size=5)), st.integers(1, 9), st.booleans())
def test_lines_do_not_depend_on_the_chunks(pieces: list[bytes], size: int, split: bool) -> None:
    data = b"\n".join(pieces)
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    lines = list(documents._lines(iter(chunks), split, 2**32))
    if not split:
        assert lines == [data]
    else:
        assert b"".join(lines) == data
        assert all(line.find(b"\n") in (-1, len(line) - 1) for line in lines)
        assert all(line.endswith(b"\n") for line in lines[:-1])
        assert b"" not in lines


@pytest.mark.parametrize("kind", ["text", "lines", "jsonl"])
def test_the_size_of_a_document_is_limited(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(b'{"text":"a"}\n{"text":"ab"}\n{"text":"abc"}\n')
    source = (str(path), kind, "none", "text")
    place = path if kind == "text" else f"{path}: line 3"
    with FileInput(str(path)) as file, pytest.raises(InputError) as error:
        list(documents.documents_of_file(file, source, [], max_bytes=13))
    assert str(error.value) == (
        f"{place}: is longer than 13 bytes, the most for one document; split it"
    )


def test_too_long_a_line_is_not_read_to_its_end() -> None:
    def chunks() -> Any:
        while True:
            yield b"0123456789"

    assert len(next(documents._lines(chunks(), True, 1000))) <= 1000 + 3 + 10


def test_a_python_without_zstd_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    path = tmp_path / "a.jsonl.zst"
    path.write_bytes(zstd.compress(LINES))
    monkeypatch.setattr(decompress.importlib, "import_module", missing)
    with FileInput(str(path)) as file, pytest.raises(InputError) as error:
        list(decompress.zstd_chunks(file))
    assert str(error.value) == (
        f"{path}: this Python cannot read .zst files; pip install superword[zstd]"
    )


@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_a_reader_says_where_it_stands(
    backend: ModuleType, tmp_path: Path, compression: str
) -> None:
    """The line of the document that came last, and how much of the file it has read."""
    data = b'{"text": "a"}\n\n \n{"text": "b"}\n{"text": "c"}'
    path = tmp_path / "file"
    path.write_bytes(gzip.compress(data) if compression == "gzip" else data)
    reader = backend.read_documents((str(path), "jsonl", compression, "text"), [])
    assert (reader.place, reader.read_bytes) == (str(path), 0)
    places = [(text, reader.place) for text in reader]
    assert places == [(text, f"{path}: line {n}") for text, n in zip("abc", (1, 4, 5), strict=True)]
    assert reader.place == f"{path}: line 5"
    assert reader.read_bytes == path.stat().st_size
    whole = backend.read_documents((str(path), "text", compression, ""), [])
    next(whole)
    assert whole.place == str(path)


def test_a_reader_that_is_dropped_closes_its_file(backend: ModuleType, tmp_path: Path) -> None:
    """A file that stayed open would be a warning, and warnings are errors here."""
    (tmp_path / "file").write_bytes(LINES)
    next(backend.read_documents((str(tmp_path / "file"), "jsonl", "none", "text"), []))
