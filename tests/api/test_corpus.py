"""Paths, globs, folders and iterables."""

from __future__ import annotations

import glob
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

import superword
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
        ("pipe.txt", "pipe.txt: is no regular file; copy it into one"),
        ("pipe", "pipe: is no regular file; copy it into one"),
        ("a\nb\ud800.txt", r"a\nb\ud800.txt: a lone surrogate cannot be part of a path"),
        ("\ud800/*", r"\ud800/*: a lone surrogate cannot be part of a path"),
        ("a\ud800*", r"a\ud800*: a lone surrogate cannot be part of a path"),
        ("**/\ud800/*", r"**/\ud800/*: a lone surrogate cannot be part of a path"),
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
    os.mkfifo(folder / "pipe")
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


def test_globs_end_where_links_go_in_circles(folder: Path) -> None:
    write(folder, "lp/a.txt", "lp/x/b.txt", "lp/x/c.jsonl")
    for name in ("l1", "l2", "x/up"):
        (folder / "lp" / name).symlink_to(folder / "lp")
    for pattern in ("lp/**/*.txt", "lp/**/**/*.txt", "**/lp/**/*.txt", "l*/**/*.txt"):
        found = find_files(pattern)
        assert [source[0] for source in found.sources] == ["lp/a.txt", "lp/x/b.txt"], pattern
        assert "lp: the folder was reached again as lp/l1 and counts once" in found.notices
    found = find_files("lp/**")
    assert [source[0] for source in found.sources] == ["lp/a.txt", "lp/x/b.txt", "lp/x/c.jsonl"]


def test_a_link_is_followed_by_a_glob(folder: Path) -> None:
    write(folder, "real/a.txt", "d/b.txt")
    (folder / "d/more").symlink_to(folder / "real")
    assert paths("d/**/*.txt") == ["d/b.txt", "d/more/a.txt"]
    assert paths("d/*/a.txt") == ["d/more/a.txt"]


PATTERNS = [
    *("*.txt", "d/*.txt", "d/*/*.txt", "*/?.txt", "d/[ab].txt", "d/[!a].txt", "**/*.txt"),
    *("d/**/*.txt", "d/**/e/*.txt", "./d/*.txt", "d//*.txt", "d/../*.txt", "*/e/f.txt"),
    *("d/.*.txt", ".h*/*.txt", "**/.x.txt", "d/*/../a.txt", "[d]/e/f.txt", "d/**/**/f.txt"),
    *("**/e/**/*.txt", "[[]q[]].txt", "*/**/f.txt", "d/e/f.tx?", "{}/d/*.txt", "{}/**/f.txt"),
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_glob_matches_what_python_matches(folder: Path, pattern: str) -> None:
    write(folder, "a.txt", "[q].txt", "d/a.txt", "d/b.txt", "d/.x.txt", "d/e/f.txt", "d/e/g/f.txt")
    write(folder, ".h/a.txt", ".h/e/f.txt", "d/.g/f.txt", "d/e/é.txt")
    pattern = pattern.replace("{}", str(folder))
    expected = sorted(set(glob.glob(pattern, recursive=True)), key=os.fsencode)
    assert expected
    assert [os.path.normpath(path) for path in paths(pattern)] == [
        os.path.normpath(path) for path in expected
    ]


@pytest.mark.parametrize("pattern", ["no/**", "a.txt/**", "d/*/", "**/no.txt", "d/*/a.txt", "no/*"])
def test_globs_that_match_nothing(folder: Path, pattern: str) -> None:
    write(folder, "a.txt", "d/b.txt")
    with pytest.raises(InputError, match="matches no file"):
        find_files(pattern)


def test_two_stars_stand_for_a_folder_with_all_that_is_in_it(folder: Path) -> None:
    write(folder, "d/a.txt", "d/e/f.txt", "d/e/.x")
    (folder / "d/empty").mkdir()
    for pattern in ("**", "d/**", "**/", "d/**/", "d/**/**"):
        assert paths(pattern) == ["d/a.txt", "d/e/f.txt"]


def in_ascii(script: str, folder: Path) -> str:
    package = str(Path(superword.__file__).resolve().parents[1])
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env={**os.environ, **plain, "PYTHONPATH": package, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        check=False,
    )
    return done.stdout.decode() + done.stderr.decode()


@pytest.mark.parametrize("files", ["'.'", "'*.txt'", "'\\xe9.txt'", "'\\udcc3\\udca9.txt'"])
def test_names_that_backends_would_read_differently(folder: Path, files: str) -> None:
    write(folder, "é.txt")
    script = (
        "import sys\n"
        "assert sys.getfilesystemencoding() == 'ascii', sys.getfilesystemencoding()\n"
        "from superword.corpus import find_files\n"
        "from superword.errors import InputError\n"
        f"try: find_files({files})\n"
        "except InputError as error: print(error)\n"
    )
    found = in_ascii(script, folder).removeprefix("./")
    assert found == (
        "é.txt: this name cannot be used where the encoding of file names is ascii; "
        "use a UTF-8 locale, or set PYTHONUTF8=1\n"
    )


def test_a_name_in_a_wide_locale(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsencode", lambda path: os.fspath(path).encode("latin-1"))
    write(folder, "a.txt")
    assert paths("a.txt") == ["a.txt"]
    with pytest.raises(InputError, match=r"^Ã©\.txt: the name|^é\.txt: this name cannot be used"):
        find_files("Ã©.txt")


def test_a_surrogate_that_is_no_byte(folder: Path) -> None:
    with pytest.raises(InputError) as caught:
        find_files("a\ud800.txt")
    assert str(caught.value) == r"a\ud800.txt: a lone surrogate cannot be part of a path"
