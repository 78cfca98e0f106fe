"""The tokenizer that users hold."""

from __future__ import annotations

import array
import copy
import json
import os
import pickle
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

import superword
from superword import Op, Tokenizer
from superword.arguments import allowed_special

TEXT = "to be or not to be, that is the question"


@pytest.fixture(scope="session")
def tokenizer(backend_name: str) -> Tokenizer:
    return superword.train(
        [TEXT] * 3,
        algorithm="boundless",
        vocab_size=290,
        special_tokens=["<s>", "<s>>"],
        backend=backend_name,  # type: ignore[arg-type]
    )


@pytest.fixture(scope="session")
def utf8(backend_name: str) -> Tokenizer:
    return superword.train(
        [TEXT],
        alphabet="utf8",
        vocab_size=250,
        backend=backend_name,  # type: ignore[arg-type]
    )


class OddText(str):
    """Looks like another text to whoever asks its methods and not its memory."""

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Iterator[str]:
        return iter("x")

    def __getitem__(self, key: object) -> str:
        return "x"

    def __eq__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return 1

    def __str__(self) -> str:
        return "x"

    def encode(self, *arguments: object) -> bytes:  # type: ignore[override]
        return b"x"

    def startswith(self, *arguments: object) -> bool:
        return False


class OddBytes(bytes):
    """The same for bytes."""

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Iterator[int]:
        return iter(b"x")

    def __getitem__(self, key: object) -> Any:
        return b"x"

    def __bytes__(self) -> bytes:
        return b"x"

    def __eq__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return 1

    def decode(self, *arguments: object) -> str:  # type: ignore[override]
        return "x"


def check(error: type[Exception], text: str, call: Callable[[], object]) -> None:
    with pytest.raises(error) as caught:
        call()
    assert (type(caught.value), str(caught.value)) == (error, text)


# --- encode and decode


@pytest.mark.parametrize("text", ["", TEXT, "\0", "a\r\nb\rc", "é漢😀\u0301", " \t\n", "\ufeffx"])
def test_round_trip(tokenizer: Tokenizer, text: str) -> None:
    ids = tokenizer.encode(text)
    assert ids == tokenizer.encode_ordinary(text) == tokenizer.encode_batch([text], threads=2)[0]
    assert tokenizer.decode(ids) == tokenizer.decode(ids, "strict") == text
    assert tokenizer.decode_bytes(ids) == text.encode()
    assert tokenizer.encode(text.encode()) == ids
    assert all(type(token_id) is int for token_id in ids)


def test_every_byte(tokenizer: Tokenizer) -> None:
    data = bytes(range(256)) + "é漢".encode()[:-1]
    assert tokenizer.decode_bytes(tokenizer.encode(data)) == data
    for kind in (bytearray, memoryview, OddBytes):
        assert tokenizer.encode(kind(data)) == tokenizer.encode(data)
        assert tokenizer.encode_ordinary(kind(data)) == tokenizer.encode(data)
    assert tokenizer.encode(memoryview(data)[::-2]) == tokenizer.encode(data[::-2])
    assert tokenizer.decode_bytes(tokenizer.encode_ordinary(data)) == data


def test_special_tokens(tokenizer: Tokenizer) -> None:
    first, second = tokenizer.vocab_size, tokenizer.vocab_size + 1
    assert tokenizer.special_tokens == {"<s>": first, "<s>>": second}
    for allowed in ("all", ["<s>", "<s>>"], {"<s>", "<s>>"}, ("<s>>", "<s>", "<s>")):
        assert tokenizer.encode("<s><s>>", allowed) == [first, second]
    assert tokenizer.encode("<s>>", {"<s>>"}) == [second]
    assert tokenizer.encode(b"<s>", "all") == [first]
    assert tokenizer.encode_batch(["<s>", "<s>>"], "all") == [[first], [second]]
    ordinary = tokenizer.encode_ordinary("<s>>")
    assert max(ordinary) < first
    assert tokenizer.decode([first, *ordinary]) == "<s><s>>"
    mine = tokenizer.special_tokens
    mine.clear()
    assert len(tokenizer.special_tokens) == 2


REFUSED = (
    "special token '<s>' at position 2 is not allowed: name it in allowed_special, or use "
    "encode_ordinary to take it as plain text"
)
SURROGATE = (
    "the text has a lone surrogate at character 7; replace it, for example with "
    "text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')"
)


def test_texts_that_cannot_be_encoded(tokenizer: Tokenizer) -> None:
    broken = "broken \udbc0 char"
    check(superword.EncodingError, REFUSED, lambda: tokenizer.encode("a <s>"))
    check(superword.EncodingError, REFUSED, lambda: tokenizer.encode(b"a <s>"))
    batch = ["fine", "a <s>", "<s>"]
    check(superword.EncodingError, f"text 1: {REFUSED}", lambda: tokenizer.encode_batch(batch))
    for call in (tokenizer.encode, tokenizer.encode_ordinary, tokenizer.token_to_id):
        check(superword.EncodingError, SURROGATE, lambda call=call: call(broken))
    batch = ["fine", broken, "a <s>"]
    check(superword.EncodingError, f"text 1: {SURROGATE}", lambda: tokenizer.encode_batch(batch))
    batch = ["fine", "a <s>", broken]
    check(superword.EncodingError, f"text 1: {REFUSED}", lambda: tokenizer.encode_batch(batch))
    wrong: Any = 3
    text = "text must be str or bytes, not int"
    check(superword.EncodingTypeError, text, lambda: tokenizer.encode(wrong))
    check(superword.EncodingTypeError, text, lambda: tokenizer.encode_ordinary(wrong))
    for value, name in ((3, "int"), ("ab", "str"), (b"ab", "bytes")):
        text = f"texts must be an iterable of strings, not {name}"
        batch = value  # type: ignore[assignment]
        check(superword.EncodingTypeError, text, lambda batch=batch: tokenizer.encode_batch(batch))
    text = "text 1: must be a str, not bytes"
    batch = ["a", b"b"]  # type: ignore[list-item]
    check(superword.EncodingTypeError, text, lambda: tokenizer.encode_batch(batch))
    check(
        superword.SettingsError,
        "threads must be at least 1, not 0",
        lambda: tokenizer.encode_batch([], threads=0),
    )


def test_bytes_need_all_bytes(utf8: Tokenizer) -> None:
    assert utf8.decode(utf8.encode("é")) == "é"
    text = "bytes can be encoded only with alphabet 'bytes', this model has 'utf8': encode text"
    check(superword.EncodingError, text, lambda: utf8.encode(b"abc"))


@pytest.mark.parametrize(
    ("allowed", "text"),
    [
        (
            "<s>",
            "allowed_special must be 'all' or a collection of special tokens, not one str; "
            "put it in a list: [token]",
        ),
        (b"all", "allowed_special must be 'all' or a collection of special tokens, not bytes"),
        (None, "allowed_special must be 'all' or a collection of special tokens, not NoneType"),
        ([3], "allowed_special must hold strings, not int"),
        (
            memoryview(b"<s>"),
            "allowed_special must be 'all' or a collection of special tokens, not memoryview",
        ),
        (["a\n\ud800"], r"allowed_special: 'a\n\ud800' is no special token of this model"),
        (["<s>", "<x>"], "allowed_special: '<x>' is no special token of this model"),
    ],
)
def test_what_cannot_be_allowed(tokenizer: Tokenizer, allowed: Any, text: str) -> None:
    kind = superword.EncodingError if "no special" in text else superword.EncodingTypeError
    check(kind, text, lambda: tokenizer.encode("a", allowed))
    check(kind, text, lambda: tokenizer.encode_batch(["a"], allowed))


def test_ids_of_other_types(tokenizer: Tokenizer) -> None:
    class Index:
        def __index__(self) -> int:
            return 98

    class Array:
        def tolist(self) -> list[int]:
            return [97, 98]

    ids: Any
    for ids in ((97, 98), array.array("i", [97, 98]), range(97, 99), Array(), [97, Index()]):
        assert tokenizer.decode(ids) == "ab"
    assert tokenizer.decode([]) == ""
    assert tokenizer.decode_batch([[97], [], (98,)]) == ["a", "", "b"]


def test_ids_that_cannot_be_decoded(tokenizer: Tokenizer) -> None:
    last = len(tokenizer) - 1
    wrong: Any
    for wrong, text in (
        ([97, -1], f"id -1 at position 1 is not in the vocabulary (ids are 0 to {last})"),
        ([last + 1], f"id {last + 1} at position 0 is not in the vocabulary (ids are 0 to {last})"),
        ([2**40], f"id {2**40} at position 0 is not in the vocabulary (ids are 0 to {last})"),
        ([10**5000], f"the id at position 0 is not in the vocabulary (ids are 0 to {last})"),
    ):
        check(superword.EncodingError, text, lambda wrong=wrong: tokenizer.decode(wrong))
        check(superword.EncodingError, text, lambda wrong=wrong: tokenizer.decode_bytes(wrong))
        batch = [[97], wrong]
        text = f"item 1: {text}"
        check(superword.EncodingError, text, lambda batch=batch: tokenizer.decode_batch(batch))
    for wrong, text in (
        ([97, "b"], "the id at position 1 must be an integer, not str"),
        ([97, 98.0], "the id at position 1 must be an integer, not float"),
        ([True], "the id at position 0 must be an integer, not bool"),
        ("ab", "ids must be a sequence of integers, not str"),
        (b"ab", "ids must be a sequence of integers, not bytes"),
        (97, "ids must be a sequence of integers, not int"),
        ({97, 98}, "ids must be a sequence of integers, not set"),
        (frozenset([97]), "ids must be a sequence of integers, not frozenset"),
        ({97: 98}, "ids must be a sequence of integers, not dict"),
    ):
        check(superword.EncodingTypeError, text, lambda wrong=wrong: tokenizer.decode(wrong))
    wrong = 3
    text = "batch must be an iterable of sequences of ids, not int"
    check(superword.EncodingTypeError, text, lambda: tokenizer.decode_batch(wrong))
    text = "item 0: ids must be a sequence of integers, not int"
    wrong = [3]
    check(superword.EncodingTypeError, text, lambda: tokenizer.decode_batch(wrong))


def test_errors_of_decode(tokenizer: Tokenizer) -> None:
    ids = [97, 0xE2, 0x80, 98]
    assert tokenizer.decode(ids) == "a\ufffdb"
    assert tokenizer.decode(ids, "ignore") == "ab"
    text = (
        "the ids give no valid UTF-8: byte 1 of 4 is wrong; use decode_bytes, or errors='replace'"
    )
    check(superword.EncodingError, text, lambda: tokenizer.decode(ids, "strict"))
    wrong: Any = "surrogateescape"
    text = "errors must be one of replace, strict, ignore, not 'surrogateescape'"
    check(superword.EncodingError, text, lambda: tokenizer.decode(ids, wrong))
    number: Any = 3
    text = "errors must be a string, not int"
    check(superword.EncodingTypeError, text, lambda: tokenizer.decode(ids, number))
    # It is wrong whatever the batch is, and no item is to blame.
    for batch in ([], [[97]], [["no id"]]):
        check(superword.EncodingTypeError, text, lambda b=batch: tokenizer.decode_batch(b, number))
    wrong = "a\nb"
    text = r"errors must be one of replace, strict, ignore, not 'a\nb'"
    check(superword.EncodingError, text, lambda: tokenizer.decode_batch([], wrong))


def test_subclasses_of_str_and_bytes_are_what_they_hold(
    tokenizer: Tokenizer, backend_name: str, tmp_path: Path
) -> None:
    name: Any = backend_name
    text = f"{TEXT} <s>"
    ids = tokenizer.encode(text, "all")
    assert tokenizer.encode(OddText(text), "all") == ids
    assert tokenizer.encode(OddText(text), OddText("all")) == ids  # type: ignore[arg-type]
    assert tokenizer.encode(text, [OddText("<s>")]) == ids
    assert tokenizer.encode_ordinary(OddText(text)) == tokenizer.encode_ordinary(text)
    assert tokenizer.encode_batch([text, OddText(text)], "all") == [ids, ids]
    assert tokenizer.token_to_id(OddText("<s>")) == tokenizer.vocab_size
    assert tokenizer.token_to_id(OddText("to")) == tokenizer.token_to_id("to")
    assert Tokenizer.from_bytes(OddBytes(tokenizer.to_bytes()), backend=name) == tokenizer
    tokenizer.save(OddText(tmp_path / "a.superword"))
    assert Tokenizer.load(OddText(tmp_path / "a.superword"), backend=name) == tokenizer
    odd: Any = OddText("ignore")
    assert tokenizer.decode([97, 0xE2], odd) == "a"
    broken = OddText("broken \udbc0 char")
    for call in (tokenizer.encode, tokenizer.encode_ordinary, tokenizer.token_to_id):
        check(superword.EncodingError, SURROGATE, lambda call=call: call(broken))
    text = f"text 0: {SURROGATE}"
    check(superword.EncodingError, text, lambda: tokenizer.encode_batch([broken]))
    claims: Any = Mock(spec=str)  # isinstance believes it
    text = "text must be str or bytes, not Mock"
    check(superword.EncodingTypeError, text, lambda: tokenizer.encode(claims))
    text = "text 0: must be a str, not Mock"
    check(superword.EncodingTypeError, text, lambda: tokenizer.encode_batch([claims]))


def test_the_first_text_at_fault_is_named_whatever_its_fault(tokenizer: Tokenizer) -> None:
    wrong: Any = ["fine", "a <s>", "broken \udbc0 char", 3]
    check(superword.EncodingError, f"text 1: {REFUSED}", lambda: tokenizer.encode_batch(wrong))
    text = f"text 1: {SURROGATE}"
    check(superword.EncodingError, text, lambda: tokenizer.encode_batch([wrong[0], *wrong[2:]]))
    text = "text 1: must be a str, not int"
    batch = ["fine", 3, "a <s>"]
    check(superword.EncodingTypeError, text, lambda: tokenizer.encode_batch(batch))  # type: ignore[arg-type]


def test_many_allowed_tokens_are_looked_up_and_not_searched() -> None:
    class Once(list[str]):
        """To search it for each special token would take the square of their number."""

        def __contains__(self, item: object) -> bool:
            raise AssertionError

    special = {f"<{number}>": 300 + number for number in range(100_000)}
    assert allowed_special(Once(reversed(special)), special) == list(range(100_000))
    assert allowed_special(["<7>", "<3>", "<7>"], special) == [3, 7]
    assert allowed_special([], {}) == []


# --- look inside


def test_tokens(tokenizer: Tokenizer) -> None:
    tokens = [tokenizer.token_bytes(token_id) for token_id in range(len(tokenizer))]
    assert tokens[:256] == [bytes([byte]) for byte in range(256)]
    assert tokens[-2:] == [b"<s>", b"<s>>"]
    assert len(set(tokens)) == len(tokens) == tokenizer.vocab_size + 2
    for token_id, token in enumerate(tokens[:-2]):
        assert tokenizer.token_to_id(token) == token_id
    assert tokenizer.token_to_id(b"<s>") is None
    assert tokenizer.token_to_id("<s>") == tokenizer.vocab_size
    assert tokenizer.token_to_id("to") == tokenizer.token_to_id(b"to")
    for kind in (bytearray, memoryview, OddBytes):
        assert tokenizer.token_to_id(kind(b"to")) == tokenizer.token_to_id(b"to")
    assert tokenizer.token_to_id("no such") is None
    wrong: Any = 3
    text = "token must be bytes or str, not int"
    check(superword.EncodingTypeError, text, lambda: tokenizer.token_to_id(wrong))


def test_a_special_token_that_is_an_ordinary_one_too(backend_name: str) -> None:
    tokenizer = superword.train(
        ["to be"],
        vocab_size=256,
        special_tokens=["t", "x"],
        backend=backend_name,  # type: ignore[arg-type]
    )
    assert (tokenizer.token_to_id(b"t"), tokenizer.token_to_id("t")) == (116, 256)
    assert tokenizer.token_bytes(116) == tokenizer.token_bytes(256) == b"t"
    assert tokenizer.encode("to", "all") == [256, 111]
    assert tokenizer.encode_ordinary("to") == [116, 111]


def test_superwords(tokenizer: Tokenizer) -> None:
    made = {op.new for op in tokenizer.ops if op.kind == "supermerge"}
    found = {tokenizer.token_bytes(i) for i in range(len(tokenizer)) if tokenizer.is_superword(i)}
    assert found == made != set()
    assert tokenizer.report.superwords == len(made)


def test_ops(tokenizer: Tokenizer) -> None:
    ops = tokenizer.ops
    assert isinstance(ops, tuple)
    assert all(isinstance(op, Op) for op in ops)
    assert all(op.left + op.right == op.new for op in ops)
    assert {op.kind for op in ops} == {"merge", "supermerge"}
    assert len(ops) == tokenizer.report.merges + tokenizer.report.supermerges
    assert Op._fields == ("kind", "left", "right", "new", "count")


@pytest.mark.parametrize("method", ["token_bytes", "is_superword"])
def test_token_ids_that_are_none(tokenizer: Tokenizer, method: str) -> None:
    call = getattr(tokenizer, method)
    last = len(tokenizer) - 1
    for wrong in (-1, last + 1, 2**70):
        text = f"id {wrong} is not in the vocabulary (ids are 0 to {last})"
        check(superword.EncodingError, text, lambda wrong=wrong: call(wrong))
    text = "the id must be an integer, not str"
    check(superword.EncodingTypeError, text, lambda: call("1"))
    text = "the id must be an integer, not bool"
    check(superword.EncodingTypeError, text, lambda: call(True))


# --- a value


def test_equality_hash_and_repr(tokenizer: Tokenizer, utf8: Tokenizer, backend_name: str) -> None:
    other = Tokenizer.from_bytes(tokenizer.to_bytes(), backend=backend_name)  # type: ignore[arg-type]
    assert other == tokenizer
    assert hash(other) == hash(tokenizer)
    assert tokenizer != utf8
    assert tokenizer != tokenizer.to_bytes()
    assert len({other, tokenizer, utf8}) == 2
    assert tokenizer.backend == backend_name
    assert repr(tokenizer) == (
        f"<superword.Tokenizer boundless: {tokenizer.vocab_size} tokens, 2 special, "
        f"backend {backend_name}>"
    )


def test_it_cannot_be_changed(tokenizer: Tokenizer) -> None:
    changing: Any = tokenizer
    for name in ("vocab_size", "report", "_data", "new"):
        with pytest.raises(AttributeError, match=r"^a Tokenizer cannot be changed$"):
            setattr(changing, name, 1)
    with pytest.raises(AttributeError, match=r"^a Tokenizer cannot be changed$"):
        del changing._data
    text = "use superword.train, Tokenizer.load or Tokenizer.from_bytes"
    check(TypeError, text, Tokenizer)
    check(TypeError, text, lambda: Tokenizer.__new__(Tokenizer))
    check(TypeError, "Tokenizer cannot be subclassed", lambda: type("Mine", (Tokenizer,), {}))


def test_copies_and_pickles(tokenizer: Tokenizer) -> None:
    assert copy.copy(tokenizer) == copy.deepcopy(tokenizer) == tokenizer
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        data = pickle.dumps(tokenizer, protocol)
        again = pickle.loads(data)
        assert again == tokenizer
        assert again.encode(TEXT) == tokenizer.encode(TEXT)
        assert again.special_tokens == tokenizer.special_tokens
        assert pickle.dumps(again, protocol) == data
    assert pickle.loads(pickle.dumps(tokenizer.ops[0])) == tokenizer.ops[0]
    assert pickle.loads(pickle.dumps(tokenizer.report)) == tokenizer.report


def test_a_pickle_loads_where_the_other_backend_is_missing(tokenizer: Tokenizer) -> None:
    code = (
        "import sys, pickle\n"
        "sys.modules['superword._core'] = None\n"
        "tokenizer = pickle.load(sys.stdin.buffer)\n"
        f"print(tokenizer.backend, tokenizer.encode({TEXT!r}))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sys.path))}
    environment.pop("SUPERWORD_BACKEND", None)
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=pickle.dumps(tokenizer),
        capture_output=True,
        env=environment,
        check=False,
    )
    assert done.stderr == b""
    assert done.stdout.decode() == f"python {tokenizer.encode(TEXT)}\n"


def test_many_threads(tokenizer: Tokenizer) -> None:
    texts = [f"{TEXT} {i}" for i in range(64)]
    expected = [tokenizer.encode(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(tokenizer.encode, texts * 4)) == expected * 4


# --- load and save


def test_save_and_load(tokenizer: Tokenizer, tmp_path: Path, backend_name: str) -> None:
    path = tmp_path / "a.superword"
    tokenizer.save(path)
    tokenizer.save(str(path))
    assert path.read_bytes() == tokenizer.to_bytes()
    assert os.listdir(tmp_path) == ["a.superword"]
    loaded = Tokenizer.load(path, backend=backend_name)  # type: ignore[arg-type]
    assert loaded == tokenizer
    report = loaded.report
    assert (report.stages, report.stop, report.asked, report.threads) == ((), None, None, None)
    assert report.documents == 3
    assert report.stop_reason == ""
    assert not report.stopped_early


def test_saving_keeps_links_permissions_and_the_old_file(
    tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, link = tmp_path / "a.superword", tmp_path / "link"
    link.symlink_to(path)
    umask = os.umask(0o027)
    try:
        tokenizer.save(link)
    finally:
        os.umask(umask)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.write_bytes(b"old")

    def fail(*arguments: object) -> None:
        raise OSError(28, "")

    monkeypatch.setattr(os, "replace", fail)
    text = f"model file '{path}' cannot be written: the disk is full"
    check(superword.ModelFormatError, text, lambda: tokenizer.save(path))
    assert path.read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == ["a.superword", "link"]


def test_saving_to_a_device(tokenizer: Tokenizer) -> None:
    tokenizer.save(os.devnull)
    assert not Path(os.devnull).is_file()


def test_files_that_cannot_be_had(tokenizer: Tokenizer, tmp_path: Path) -> None:
    missing = tmp_path / "no" / "a.superword"
    text = f"model file '{missing}' cannot be written: there is no such file or folder"
    check(superword.ModelFormatError, text, lambda: tokenizer.save(missing))
    text = f"model file '{tmp_path}' cannot be written: it is a folder"
    check(superword.ModelFormatError, text, lambda: tokenizer.save(tmp_path))
    text = f"model file '{missing}' cannot be read: there is no such file or folder"
    check(superword.ModelFormatError, text, lambda: Tokenizer.load(missing))
    text = f"model file '{tmp_path}' cannot be read: it is a folder"
    check(superword.ModelFormatError, text, lambda: Tokenizer.load(tmp_path))
    long = tmp_path / ("x" * 300)
    text = f"model file '{long}' cannot be read: the name is too long"
    check(superword.ModelFormatError, text, lambda: Tokenizer.load(long))
    for name in ("a\ud800\n", "\ud800/b"):
        shown = name.replace("\ud800", r"\ud800").replace("\n", r"\n")
        text = f"model file '{shown}' cannot be read: no file can have this name"
        check(superword.ModelFormatError, text, lambda name=name: Tokenizer.load(name))
        text = f"model file '{shown}' cannot be written: no file can have this name"
        check(superword.ModelFormatError, text, lambda name=name: tokenizer.save(name))

    class NumberPath:
        def __fspath__(self) -> int:
            return 3

    wrong: Any
    for wrong, text in (
        (3, "int"),
        (b"a", "bytes"),
        (None, "NoneType"),
        (NumberPath(), "NumberPath"),
    ):
        text = f"path must be a str or PathLike, not {text}"
        check(superword.SettingsTypeError, text, lambda wrong=wrong: Tokenizer.load(wrong))
        check(superword.SettingsTypeError, text, lambda wrong=wrong: tokenizer.save(wrong))
    check(superword.SettingsError, "path must not be empty", lambda: Tokenizer.load(""))
    text = "path must not have a NUL character"
    check(superword.SettingsError, text, lambda: tokenizer.save("a\0"))


def test_files_that_are_no_models(backend_name: str, tmp_path: Path) -> None:
    name: Any = backend_name
    path = tmp_path / "a.superword"
    path.write_bytes(b"")
    text = "this is no superword model: the file is empty"
    check(superword.ModelFormatError, text, lambda: Tokenizer.from_bytes(b"", backend=name))
    text = f"model file '{path}': {text}"
    check(superword.ModelFormatError, text, lambda: Tokenizer.load(path, backend=name))


def test_arguments_of_load(tokenizer: Tokenizer, backend_name: str) -> None:
    name: Any = backend_name
    data = tokenizer.to_bytes()
    load: Any = Tokenizer.from_bytes
    assert load(bytearray(data), backend=name) == load(memoryview(data), backend=name) == tokenizer
    kind = superword.SettingsTypeError
    check(kind, "data must be bytes, not str", lambda: load("x", backend=name))
    text = "any_unicode must be True or False, not int"
    check(kind, text, lambda: load(data, backend=name, any_unicode=1))
    text = "max_token_bytes must be an integer, not str"
    check(kind, text, lambda: load(data, backend=name, max_token_bytes="1"))
    text = "max_total_bytes must be at least 1, not 0"
    check(superword.SettingsError, text, lambda: load(data, backend=name, max_total_bytes=0))
    with pytest.raises(superword.ModelFormatError):
        load(data, backend=name, max_token_bytes=3)
    with pytest.raises(superword.ModelFormatError):
        load(data, backend=name, max_total_bytes=3)


def test_the_public_case_of_pickling(backend_name: str, shared: Path) -> None:
    case = json.loads((shared / "cases/in/pickle-01.json").read_text())
    tokenizer = superword.train(
        [case["text"]],
        vocab_size=270,
        special_tokens=case["special_tokens"],
        backend=backend_name,  # type: ignore[arg-type]
    )
    again = pickle.loads(pickle.dumps(tokenizer))
    assert again.encode(case["text"]) == tokenizer.encode(case["text"])
    assert again.special_tokens == tokenizer.special_tokens


def test_arrays_without_dimensions(backend_name):
    import numpy as np

    tokenizer = superword.train(["to be"], vocab_size=256, backend=backend_name)
    for call in (tokenizer.decode_batch, tokenizer.encode_batch):
        with pytest.raises(superword.EncodingTypeError, match=r"not ndarray$"):
            call(np.array(65))


def test_long_lists_are_whole(backend_name):
    tokenizer = superword.train(["to be"], vocab_size=256, backend=backend_name)
    text = "0123456789" * 5000
    ids = tokenizer.encode(text)
    assert ids == list(text.encode()) == tokenizer.encode(text.encode())
    assert tokenizer.encode_batch([text, "a", text]) == [ids, [97], ids]
    found = tokenizer.encode_with_offsets(text)
    assert found == (ids, [(n, n + 1) for n in range(len(text))], found.byte_offsets)
