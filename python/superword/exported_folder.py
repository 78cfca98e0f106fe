"""A folder that other programs load a model from: written whole or not at all, and checked."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

from superword import _backend
from superword.errors import InputError, NotExactError, SettingsError
from superword.files import reason
from superword.model import Model
from superword.settings import NO_LIMITS
from superword.values import printable

if TYPE_CHECKING:
    from superword.export.check import Checked
    from superword.export.exported_model import ExportedModel
    from superword.progress import Progress
    from superword.tokenizer import Tokenizer

MODEL_FILE = "model.superword"
# What transformers reads beside the files of an export; a check has to see it, too.
_BESIDE = ("config.json", "special_tokens_map.json", "added_tokens.json")


def model_of(tokenizer: Tokenizer) -> ExportedModel:
    """What of a tokenizer an export is about; `NotExactError` if it deletes tokens."""
    from superword.export.exported_model import exported_model

    module = _backend.load(tokenizer.backend)
    model = Model(*module.model_from_bytes(tokenizer.to_bytes(), True, *NO_LIMITS))
    ordinary = tokenizer.next_tokens(b"")  # all of them
    tokens = [tokenizer.token_bytes(number) for number in ordinary]
    return exported_model(model.cutting, tokens, tokenizer.special_tokens, tokenizer.ops)


def write_folder(
    tokenizer: Tokenizer, path: str, javascript: bool, check: bool, progress: Progress | None
) -> Checked | None:
    """Write `tokenizer.json`, `tokenizer_config.json` and the model itself into a folder.

    Raises:
        NotExactError: it cannot be exact, or the check found a difference; nothing was written.
        SettingsError: there is nothing installed to check with.
        InputError: the folder cannot be written.
    """
    from superword.export.tokenizer_json import tokenizer_config, tokenizer_json

    content = tokenizer_json(model_of(tokenizer), "javascript" if javascript else "oniguruma")
    checked = None
    with _in_own_words(path), _folder_beside(path) as folder:
        _write(os.path.join(folder, MODEL_FILE), tokenizer.to_bytes())
        _write_json(os.path.join(folder, "tokenizer_config.json"), tokenizer_config())
        _write_json(os.path.join(folder, "tokenizer.json"), content)
        if check:
            checked = _check_beside(tokenizer, folder, path, progress)
        _move(folder, path)
    return checked


def check_folder(
    tokenizer: Tokenizer,
    path: str,
    texts: Iterable[str] = (),
    strings: int | None = None,
    progress: Progress | None = None,
) -> Checked:
    """Compare the ids of what loads a folder with those of its model.

    Args:
        tokenizer: the model.
        path: the folder.
        texts: more texts to compare, after the built-in ones.
        strings: how many texts to make from the model; None: 100,000.
        progress: called with ("check", texts done, texts in all).

    Raises:
        SettingsError: there is nothing installed to check with.
    """
    from superword.export import adversarial, check
    from superword.export.sample import SAMPLE

    loaders, absent, failed = check.load_folder(path)
    if not loaders and not failed:
        raise SettingsError(
            f"an export is checked with {' or '.join(absent)}: not installed; install superword"
            f"[{'tiktoken' if 'tiktoken' in absent else 'huggingface'}], or give check=False"
        )

    def ours(batch: list[str]) -> list[list[int]]:
        return tokenizer.encode_batch(batch, allowed_special="all")

    count = adversarial.STRINGS if strings is None else strings
    special = [f" of{name}the {name}{name} a" for name in tokenizer.special_tokens]
    model = model_of(tokenizer)
    made = adversarial.adversarial_texts(model, count)
    edges = adversarial.texts_at_edges(model)
    every = chain(SAMPLE, special, texts, edges, made)
    known = len(SAMPLE) + len(special) + len(edges) + count
    done, lines = 0, [*failed]
    found: list[check.Difference] = []
    for loader in loaders:
        lines += check.differing_tokens(loader, tokenizer.special_tokens)
    try:
        if loaders:
            done, found = check.compare(ours, loaders, every, progress, known)
            lines += check.in_words(found, loaders, ours)
    except check.LoaderError as error:
        lines.append(str(error))
    names = tuple(loader.name for loader in loaders)
    return check.Checked(names, tuple(absent), done, len(found), tuple(lines))


def _check_beside(
    tokenizer: Tokenizer, folder: str, path: str, progress: Progress | None
) -> Checked:
    """Check a new folder as it will be: with what stands where it goes."""
    copies = [os.path.join(folder, name) for name in _BESIDE]
    for name, copy in zip(_BESIDE, copies, strict=True):
        with contextlib.suppress(FileNotFoundError):
            shutil.copyfile(os.path.join(path, name), copy)
    checked = check_folder(tokenizer, folder, progress=progress)
    if not checked.is_exact:
        why = "; ".join(str(checked).split("\n"))
        raise NotExactError(f"{printable(path)}: not written: {why}")
    for copy in copies:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(copy)
    return checked


@contextlib.contextmanager
def _in_own_words(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"{printable(path)}: cannot be written: {reason(error)}") from None


@contextlib.contextmanager
def _folder_beside(path: str) -> Iterator[str]:
    """A new folder beside another one, or in it if it is there; at the end it is gone."""
    parent, name = os.path.split(os.path.abspath(path))
    if os.path.isdir(path):  # on the same disk, wherever that is
        parent = path
    elif os.path.lexists(path):
        raise InputError(f"{printable(path)} is there and no folder: give the name of a folder")
    folder = os.path.join(parent, f".{name}.{os.urandom(8).hex()}.tmp")
    os.mkdir(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write_json(path: str, content: dict[str, Any]) -> None:
    _write(path, json.dumps(content, ensure_ascii=False, indent=1).encode() + b"\n")


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())


def _move(folder: str, path: str) -> None:
    """Give a folder its name; into one that is there its files go, each whole."""
    if not os.path.isdir(path):
        os.rename(folder, path)
        return
    # (tokenizer.json last: the folder is of no use without it)
    for name in sorted(os.listdir(folder), key=lambda name: (name == "tokenizer.json", name)):
        os.replace(os.path.join(folder, name), os.path.join(path, name))
