"""Paths, globs, folders and iterables."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from superword.corpus import BATCH_DOCUMENTS, DocumentBatches, find_files
from superword.errors import InputError, InputTypeError, SettingsError, SettingsTypeError


class Label(str):
    """A str for its users, and not always one for a library."""


def write(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def paths(files: object, **options: Any) -> list[str]:
    found = find_files(files, **options)
    assert found.notices == []
    return [source[0].replace(os.sep, "/") for source in found.sources]


def test_endings(folder: Path) -> None:
    names = ["a.txt", "b.txt.gz", "c.txt.zst", "d.jsonl", "e.jsonl.gz", "f.JSONL.ZST"]
    write(folder, *names)
    assert find_files(names, "body").sources == [
        ("a.txt", "text", "none", "body"),
        ("b.txt.gz", "text", "gzip", "body"),
        ("c.txt.zst", "text", "zstd", "body"),
        ("d.jsonl", "jsonl", "none", "body"),
        ("e.jsonl.gz", "jsonl", "gzip", "body"),
        ("f.JSONL.ZST", "jsonl", "zstd", "body"),
    ]
    assert [source[1] for source in find_files(names, lines=True).sources] == [
        *["lines"] * 3,
        *["jsonl"] * 3,
    ]


def test_a_folder_is_walked_in_byte_order_without_hidden_files(folder: Path) -> None:
    write(folder, "d/b.txt", "d/B.txt", "d/a/z.txt", "d/a.txt", "d/a-b/x.txt", "d/é.txt")
    write(folder, "d/.hidden.txt", "d/.git/x.txt", "d/a/.x")
    expected = ["d/B.txt", "d/a-b/x.txt", "d/a.txt", "d/a/z.txt", "d/b.txt", "d/é.txt"]
    assert paths("d") == expected
    assert paths(Path("d")) == expected
    assert paths(str(folder / "d")) == [f"{folder}/{name}" for name in expected]


def test_a_hidden_folder_that_is_named_is_read(folder: Path) -> None:
    write(folder, ".d/a.txt")
    assert paths(".d") == [".d/a.txt"]


def test_globs(folder: Path) -> None:
    write(folder, "d/b.txt", "d/a.txt", "d/c.jsonl", "d/.x.txt", "d/e/f.txt")
    assert paths("d/*.txt") == ["d/a.txt", "d/b.txt"]
    assert paths("d/**/*.txt") == ["d/a.txt", "d/b.txt", "d/e/f.txt"]
    assert paths("d/**") == ["d/a.txt", "d/b.txt", "d/c.jsonl", "d/e/f.txt"]
    assert paths(["d/c*", "d/a.txt"]) == ["d/c.jsonl", "d/a.txt"]
    assert paths(name for name in ["d/a.txt"]) == ["d/a.txt"]


def test_an_existing_path_is_no_glob(folder: Path) -> None:
    write(folder, "[a].txt", "a.txt", "[d]/x.txt", "d/y.txt")
    assert paths("[a].txt") == ["[a].txt"]
    assert paths("[d]") == ["[d]/x.txt"]
    assert paths("[ab].txt") == ["a.txt"]


def test_a_file_reached_twice_counts_once_and_is_reported(folder: Path) -> None:
    write(folder, "d/a.txt", "d/b.txt")
    found = find_files(["d/a.txt", "d", "d/a.txt", "./d/b.txt"])
    assert [source[0] for source in found.sources] == ["d/a.txt", os.path.join("d", "b.txt")]
    assert found.notices == [
        "d/a.txt: was reached twice and counts once",
        "d/a.txt: was reached twice and counts once",
        "d/b.txt: was reached again as ./d/b.txt and counts once",
    ]


def test_links(folder: Path) -> None:
    write(folder, "real/a.txt", "d/b.txt")
    (folder / "d/link.txt").symlink_to(folder / "real/a.txt")
    (folder / "d/more").symlink_to(folder / "real")
    (folder / "d/z").symlink_to(folder / "d")
    found = find_files("d")
    assert [source[0] for source in found.sources] == ["d/b.txt", "d/link.txt"]
    assert found.notices == [
        "d: the folder was reached again as d/z and counts once",
        "d/link.txt: was reached again as d/more/a.txt and counts once",
    ]


@pytest.mark.parametrize(
    ("files", "text"),
    [
        ("no.txt", "no.txt: there is no such file or folder"),
        ("no*.txt", "no*.txt: matches no file"),
        ("empty", "empty: the folder has no file to read (hidden ones are left out)"),
        (
            "notes.md",
            "notes.md: has no known ending; known are .txt, .txt.gz, .txt.zst, .jsonl, "
            ".jsonl.gz, .jsonl.zst",
        ),
        (
            "mixed",
            "mixed/README: has no known ending; known are .txt, .txt.gz, .txt.zst, .jsonl, "
            ".jsonl.gz, .jsonl.zst",
        ),
        (
            "x.gz",
            "x.gz: has no known ending; known are .txt, .txt.gz, .txt.zst, .jsonl, .jsonl.gz, "
            ".jsonl.zst",
        ),
        ("broken.txt", "broken.txt: there is no such file or folder"),
        ("circle.txt", "circle.txt: the links go round in a circle"),
        ("pipe.txt", "pipe.txt: is no regular file"),
        ("a\nb\ud800.txt", r"a\nb\ud800.txt: there is no such file or folder"),
        ("\ud800/*", r"\ud800/*: matches no file"),
        ("a\ud800*", r"a\ud800*: matches no file"),
        ("**/\ud800/*", r"**/\ud800/*: matches no file"),
        (memoryview(b"a.txt"), "files must be a path or a list of paths, not memoryview"),
        ([Mock(spec=str)], "item 0 of files must be a path as str or PathLike, not Mock"),
        ([], "files is empty: there is nothing to read"),
        ("", "files is an empty path"),
        (["a.txt", ""], "item 1 of files is an empty path"),
        ("a\0.txt", "files has a NUL character, which no path can have"),
        (b"a.txt", "files must be a path or a list of paths, not bytes"),
        (3, "files must be a path or a list of paths, not int"),
        (["a.txt", None], "item 1 of files must be a path as str or PathLike, not NoneType"),
        ([b"a.txt"], "item 0 of files must be a path as str or PathLike, not bytes"),
    ],
)
def test_errors(folder: Path, files: object, text: str) -> None:
    write(folder, "a.txt", "notes.md", "x.gz", "mixed/a.txt", "mixed/README", "empty/.hidden")
    (folder / "broken.txt").symlink_to("nowhere")
    (folder / "circle.txt").symlink_to("circle.txt")
    os.mkfifo(folder / "pipe.txt")
    with pytest.raises(InputError) as caught:
        find_files(files)
    assert str(caught.value) == text
    assert isinstance(caught.value, InputTypeError) == (" must be " in text)


def test_a_name_that_is_no_utf8(folder: Path) -> None:
    with open(os.fsencode(folder) + b"/a\xff.txt", "wb"):
        pass
    with pytest.raises(InputError) as caught:
        find_files(".")
    assert str(caught.value) == r"./a\xff.txt: the name of the file is not valid UTF-8; rename it"


def test_field_and_lines(folder: Path) -> None:
    write(folder, "a.txt")
    with pytest.raises(SettingsTypeError, match=r"^field must be a string, not int$"):
        find_files("a.txt", 3)
    with pytest.raises(SettingsError, match=r"^field has a lone surrogate at character 1$"):
        find_files("a.txt", "a\ud800")
    with pytest.raises(SettingsTypeError, match=r"^lines must be True or False, not int$"):
        find_files("a.txt", "text", 1)


def test_batches_hold_every_document_once() -> None:
    documents = [str(i) for i in range(2 * BATCH_DOCUMENTS + 1)]
    batches = list(DocumentBatches(iter(documents)))
    assert [len(batch) for batch in batches] == [BATCH_DOCUMENTS, BATCH_DOCUMENTS, 1]
    assert [text for batch in batches for text in batch] == documents
    assert list(DocumentBatches([])) == []
    assert list(DocumentBatches(["x" * 2_000_000, "y"])) == [["x" * 2_000_000], ["y"]]


@pytest.mark.parametrize("place", [0, 1, BATCH_DOCUMENTS - 1, BATCH_DOCUMENTS, BATCH_DOCUMENTS + 5])
def test_the_number_of_a_document_with_a_surrogate(place: int) -> None:
    documents = ["fine"] * (BATCH_DOCUMENTS + 10)
    documents[place] = "ab\udc00"
    batches = DocumentBatches(documents)
    found = None
    for batch in batches:
        if "ab\udc00" in batch:
            found = batches.surrogate_error()
    assert str(found).startswith(
        f"item {place} of documents (counted from 0) has a lone surrogate at character 2; "
    )


@pytest.mark.parametrize(
    ("documents", "text"),
    [
        (
            "text",
            "documents must be an iterable of strings, not one str; put it in a list: [text]",
        ),
        (b"text", "documents must be an iterable of strings, not one bytes"),
        (memoryview(b"text"), "documents must be an iterable of strings, not one memoryview"),
        (
            Label("text"),
            "documents must be an iterable of strings, not one Label; put it in a list: [text]",
        ),
        (3, "documents must be an iterable of strings, not int"),
    ],
)
def test_what_is_no_iterable_of_strings(documents: object, text: str) -> None:
    with pytest.raises(InputTypeError) as caught:
        DocumentBatches(documents)
    assert str(caught.value) == text


@pytest.mark.parametrize(("item", "name"), [(None, "NoneType"), (3.5, "float"), (["a"], "list")])
def test_a_wrong_item(item: object, name: str) -> None:
    with pytest.raises(InputTypeError) as caught:
        list(DocumentBatches(["fine", "also fine", item, "tail"]))
    assert str(caught.value) == f"item 2 of documents (counted from 0) must be a str, not {name}"


def test_a_name_with_line_ends_is_shown_on_one_line(folder: Path) -> None:
    write(folder, "a\nb.txt", "c\nd/e.md")
    text = r"a\nb.txt: was reached twice and counts once"
    assert find_files(["a\nb.txt", "a\nb.txt"]).notices == [text]
    with pytest.raises(InputError, match=r"^c\\nd/e\.md: has no known ending"):
        find_files("c\nd")


@pytest.mark.parametrize("before", [0, 1, 5, BATCH_DOCUMENTS, BATCH_DOCUMENTS + 1])
def test_what_comes_before_an_error_is_handed_on_first(before: int) -> None:
    """So it never depends on where a batch ends which of two errors one gets."""

    def broken() -> Iterator[object]:
        yield from ["fine"] * before
        raise ZeroDivisionError

    for documents, error in (
        (["fine"] * before + [None], InputTypeError),
        (broken(), ZeroDivisionError),
    ):
        given: list[str] = []
        batches = DocumentBatches(documents)
        with pytest.raises(error) as caught:
            given.extend(text for batch in batches for text in batch)
        assert given == ["fine"] * before
        if error is InputTypeError:
            assert str(caught.value) == (
                f"item {before} of documents (counted from 0) must be a str, not NoneType"
            )


def test_an_iterator_is_not_asked_again_after_its_end() -> None:
    class Tape:
        """Starts again after its end, as no iterator should."""

        def __init__(self) -> None:
            self.items = iter(["a"])

        def __iter__(self) -> Tape:
            return self

        def __next__(self) -> str:
            try:
                return next(self.items)
            except StopIteration:
                self.items = iter(["a"])
                raise

    assert list(DocumentBatches(Tape())) == [["a"]]
