"""Published `.model` files through the public interface."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import pytest

import superword
from superword import Tokenizer

TEXTS = ["to be or not to be", "that is the question: to be or not to be"]
SETTINGS: dict[str, Any] = {
    "algorithm": "boundless",
    "vocab_size": 290,
    "scheme": "gpt4o-scripts",
    "special_tokens": ["<s>"],
}


@pytest.fixture(scope="session")
def trained(backend_name: str) -> Tokenizer:
    return superword.train(TEXTS, published=True, backend=backend_name, **SETTINGS)


@pytest.fixture
def file(trained: Tokenizer, tmp_path: Path) -> Path:
    path = tmp_path / "small.MODEL"
    trained.save(path)
    return path


def test_trained_saved_and_loaded(trained: Tokenizer, file: Path, backend_name: str) -> None:
    plain = superword.train(TEXTS, backend=backend_name, **SETTINGS)
    assert plain == trained
    assert (plain.publishable, trained.publishable) == (False, True)
    assert file.read_bytes() == trained.to_bytes(published=True)
    assert file.read_bytes().startswith(b"BoundlessBPE v2 boundless\nvocabulary\n290\n")
    assert "publish" in [stage.name for stage in trained.report.stages]

    loaded = Tokenizer.load(file, backend=backend_name)  # type: ignore[arg-type]
    assert loaded.publishable
    assert loaded.ops == trained.ops
    assert loaded.special_tokens == trained.special_tokens
    for text in (*TEXTS, "bequest to<s>", ""):
        assert loaded.encode(text, "all") == trained.encode(text, "all")
    assert loaded.report.documents == 0
    assert loaded.report.notices == ("the published file does not say how large the corpus was",)
    # the content says what a file is, not its name
    renamed = file.with_name("renamed")
    renamed.write_bytes(file.read_bytes())
    assert Tokenizer.load(renamed, backend=backend_name) == loaded  # type: ignore[arg-type]
    again = file.with_name("again.model")
    loaded.save(again)
    assert again.read_bytes() == file.read_bytes()


def test_from_counts(backend_name: str) -> None:
    given = [(b"to", 3), (b" be", 2)], [((b"to", b" be"), 2)]
    tokenizer = superword.train_from_counts(
        *given,
        vocab_size=258,
        scheme="gpt2",
        published=True,
        backend=backend_name,  # type: ignore[arg-type]
    )
    lines = tokenizer.to_bytes(published=True).decode().split("\n")
    assert lines[3 + 256 : 3 + 258] == ["256 to 3 0", "257 Ġb 2 0"]


def test_our_format_drops_columns_and_says_so(trained: Tokenizer, file: Path) -> None:
    loaded = Tokenizer.load(file)
    with pytest.warns(superword.SuperwordWarning, match="^the counts of tokens and the flags"):
        loaded.save(file.with_name("m.superword"))
    ours = Tokenizer.load(file.with_name("m.superword"))
    assert ours == loaded
    assert not ours.publishable
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours.save(file.with_name("m.superword"))
        assert ours.to_bytes() == loaded.to_bytes()
    before = sorted(file.parent.iterdir())
    with pytest.raises(superword.ModelFormatError, match="train with published=True"):
        ours.save(file.with_name("new.model"))
    assert sorted(file.parent.iterdir()) == before


def test_pickles_keep_it(trained: Tokenizer) -> None:
    again = pickle.loads(pickle.dumps(trained))
    assert again == trained
    assert again.to_bytes(published=True) == trained.to_bytes(published=True)


def test_limits(file: Path, backend_name: str) -> None:
    with pytest.raises(superword.ModelFormatError) as caught:
        Tokenizer.load(file, max_token_bytes=3, backend=backend_name)  # type: ignore[arg-type]
    assert str(caught.value).startswith(f"model file '{file}': line ")
    assert str(caught.value).endswith(" bytes, more than max_token_bytes = 3")


def test_a_one_phase_file_cannot_be_written_again(tmp_path: Path, backend_name: str) -> None:
    characters = [chr(c) for c in (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))]
    shown = {ord(c): c for c in characters}
    others = iter(range(0x100, 0x200))
    alphabet = [shown[byte] if byte in shown else chr(next(others)) for byte in range(256)]
    rows = "".join(f"{byte} {character}\n" for byte, character in enumerate(alphabet))
    pattern = r"'(?:[sdmt]|ll|ve|re)| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"
    text = f'word v1\n"{pattern}"\n257\n{rows}256 to\n0\n1\n0 t o\n0\n0\n0\n'
    path = tmp_path / "old.model"
    path.write_bytes(text.encode())
    loaded = Tokenizer.load(path, backend=backend_name)  # type: ignore[arg-type]
    assert loaded.encode("to be") == [256, 32, 98, 101]
    assert not loaded.publishable
    assert loaded.report.notices
    loaded.save(tmp_path / "new.superword")
    assert Tokenizer.load(tmp_path / "new.superword") == loaded


NOT_SAVED = "; a file NAME.superword can hold it"


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"scheme": "none"}, "scheme 'none' is not for a published file, which always cuts text by "
                             "a pattern" + NOT_SAVED),
        ({"scheme": "gpt2", "rules": "incremental"}, "rules must be 'superword' for a published "
                                                     "file, which cannot say 'incremental'"
                                                     + NOT_SAVED),
        ({"scheme": "gpt2", "tau": "1/3"}, "tau must be a decimal number of at most 30 digits for "
                                           "a published file, not 1/3" + NOT_SAVED),
        ({"scheme": "gpt2", "special_tokens": ["a "]}, "special token 0 ends in a blank, which a "
                                                       "published file cannot hold"),
        ({"pattern": r"\S|\s"}, "a published file has the counts of tokens and the flags of "
                                "merges, which this tokenizer does not know: train with "
                                "published=True, at the size it is to have"),
    ],
)  # fmt: skip
def test_why_a_tokenizer_has_no_published_file(
    settings: dict[str, Any], text: str, backend_name: str, tmp_path: Path
) -> None:
    """The real reason, not advice to train again that would be refused for another one."""
    tokenizer = superword.train(TEXTS, vocab_size=260, backend=backend_name, **settings)  # type: ignore[arg-type]
    loaded = Tokenizer.from_bytes(tokenizer.to_bytes(), backend=backend_name)  # type: ignore[arg-type]
    for found in (tokenizer, loaded):
        with pytest.raises(superword.ModelFormatError) as caught:
            found.to_bytes(published=True)
        assert str(caught.value) == text
        with pytest.raises(superword.ModelFormatError) as caught:
            found.save(tmp_path / "x.model")
        assert str(caught.value).endswith(f"x.model' cannot be written: {text}")
    if "published=True" not in text:
        with pytest.raises(superword.SettingsError) as refused:
            superword.train(
                TEXTS,
                vocab_size=260,
                published=True,
                backend=backend_name,  # type: ignore[arg-type]
                **settings,
            )
        assert str(refused.value) == text


BEGINS = "the line must begin with 'BoundlessBPE v2', the one version that is read"
OTHER = (
    "this is no superword model: line 1 must begin with '{', or in a published file with "
    "'BoundlessBPE v2' or 'word v1'"
)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda data: b"\xef\xbb\xbf" + data,
         "line 1, header: the line starts with a byte order mark: remove these three bytes"),
        (lambda data: b"\xef\xbb\xbfword v1\n",
         "line 1, header: the line starts with a byte order mark: remove these three bytes"),
        (lambda data: b"B" + data, f"line 1, header: {BEGINS}"),
        (lambda data: data[1:], f"line 1, header: {BEGINS}"),
        (lambda data: b"\0" * 25 + data[25:], f"line 1, header: {BEGINS}"),
        (lambda data: b"\n" + data[data.index(b"\n") + 1 :], f"line 1, header: {BEGINS}"),
        (lambda data: b"\xff" + data[1:], "line 1, header: byte 0 of the line is not UTF-8"),
        (lambda data: data.replace(b"\n", b"\r\n"),
         "line 1, header: the line ends in a carriage return: every line must end in a line feed "
         "alone"),
        (lambda data: data[26:], OTHER),
        (lambda data: data.replace(b"\n", b" "), "line 1, header: the line has no line end"),
        (lambda data: b"\n" + data, OTHER),
        (lambda data: b"Word v1\n" + data[26:].replace(b"vocabulary", b'""'), OTHER),
    ],
)  # fmt: skip
def test_a_damaged_first_line_is_named(
    change: Any, text: str, file: Path, backend_name: str
) -> None:
    assert file.read_bytes()[:26] == b"BoundlessBPE v2 boundless\n"
    file.write_bytes(change(file.read_bytes()))
    with pytest.raises(superword.ModelFormatError) as caught:
        Tokenizer.load(file, backend=backend_name)  # type: ignore[arg-type]
    assert str(caught.value) == f"model file '{file}': {text}"
