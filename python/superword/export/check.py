"""Whether what loads an exported folder gives the ids that the model gives."""

from __future__ import annotations

import base64
import importlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from superword.progress import Progress
from superword.values import printable

Encode = Callable[[list[str]], list[list[int]]]
Decode = Callable[[list[int]], str]
_Given = TypeVar("_Given")
_Result = TypeVar("_Result")

# How many differences are shown, and how much of each.
_SHOWN = 3
_CHARACTERS = 120
_IDS = 16
_BATCH = 2000
# So many differences are enough to know.
_ENOUGH = 100


class Loader(NamedTuple):
    """What an exported folder was loaded with."""

    name: str  # with its version
    encode: Encode
    decode: Decode
    note: str = ""  # what may explain differences
    special_tokens: Mapping[str, int] | None = None  # None: it does not say
    settings: tuple[str, ...] = ()  # what changes ids or texts, and no export has


class LoaderError(Exception):
    """What loaded an export and then fails at a text."""


class Difference(NamedTuple):
    """A text that gets other ids, or ids that get another text (then without `theirs`)."""

    loader: str
    text: str
    ours: list[int]
    theirs: list[int] | None
    decoded: str | None = None


class Checked(NamedTuple):
    """What was compared."""

    loaders: tuple[str, ...]
    absent: tuple[str, ...]  # packages that are not installed
    texts: int
    differences: int
    lines: tuple[str, ...]  # the first differences in words, and what cannot be loaded

    @property
    def is_exact(self) -> bool:
        """Whether there was no difference, and something to compare with."""
        return not self.lines and bool(self.loaders)

    def __str__(self) -> str:
        found = [*self.lines]
        if self.absent:
            found.append(f"not installed, so not checked: {', '.join(self.absent)}")
        if self.loaders:
            count = f"{self.differences:,} differences" if self.differences else "no difference"
            found.append(f"{count} in {self.texts:,} texts: {', '.join(self.loaders)}")
        return "\n".join(found)


def load_folder(folder: str) -> tuple[list[Loader], list[str], list[str]]:
    """Load an exported folder, or rank file, as users do, with everything that is installed.

    Returns the loaders, the packages that are not installed, and what could not be loaded.
    """
    loaders: list[Loader] = []
    absent: list[str] = []
    failed: list[str] = []
    folders = (("tokenizers", _by_tokenizers), ("transformers", _by_transformers))
    packages = folders if os.path.isdir(folder) else (("tiktoken", _by_tiktoken),)
    for package, load in packages:
        try:
            module = importlib.import_module(package)
        except ModuleNotFoundError:
            absent.append(package)
            continue
        try:
            loaders.append(load(folder, f"{package} {module.__version__}"))
        except (KeyboardInterrupt, SystemExit, MemoryError):
            raise
        except BaseException as error:  # a panic of theirs is no Exception
            failed.append(f"{package} {module.__version__} cannot load it: {_why(error)}")
    return loaders, absent, failed


def compare(
    ours: Encode,
    loaders: Sequence[Loader],
    texts: Iterable[str],
    progress: Progress | None = None,
    total: int = 0,
) -> tuple[int, list[Difference]]:
    """Compare the ids, and what they decode to, of texts.

    Args:
        ours: what encodes with the model.
        loaders: what to compare with.
        texts: any texts; they are taken a few at a time.
        progress: called with ("check", texts done, total).
        total: how many texts there are, if known.

    Returns:
        How many texts were compared, and the differences; when there are enough it ends early.

    Raises:
        LoaderError: something that was loaded fails at a text.
    """
    rest = iter(texts)
    done = 0
    found: list[Difference] = []
    while len(found) < _ENOUGH and (batch := list(islice(rest, _BATCH))):
        wanted = ours(batch)
        for loader in loaders:
            given = _given(loader, loader.encode, batch)
            for text, ids, others in zip(batch, wanted, given, strict=True):
                if ids != others:
                    found.append(Difference(loader.name, text, ids, others))
            # decoding is the same for all texts: those of the first batch, and some, are enough
            step = 50 if done else 1
            for text, ids in islice(zip(batch, wanted, strict=True), 0, None, step):
                decoded = _given(loader, loader.decode, ids)
                if decoded != text:
                    found.append(Difference(loader.name, text, ids, None, decoded))
        done += len(batch)
        if progress is not None:
            progress("check", done, total)
    return done, found


def _given(loader: Loader, call: Callable[[_Given], _Result], given: _Given) -> _Result:
    try:
        return call(given)
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as error:  # a panic of theirs is no Exception
        raise LoaderError(f"{loader.name} fails: {_why(error)}") from None


def _why(error: BaseException) -> str:
    return printable(str(error)) or type(error).__name__


def differing_tokens(loader: Loader, special_tokens: Mapping[str, int]) -> list[str]:
    """Say which special tokens a loader has otherwise than the model, and what it does besides."""
    lines = [f"{loader.name}: {setting}" for setting in loader.settings]
    theirs = special_tokens if loader.special_tokens is None else loader.special_tokens
    for name in sorted({*special_tokens, *theirs}):
        one, other = (
            "no special token" if number is None else f"id {number}"
            for number in (theirs.get(name), special_tokens.get(name))
        )
        if one != other:
            lines.append(f"{loader.name}: {_text(name)} is {one}, in the model {other}")
    return lines


def in_words(
    differences: Sequence[Difference], loaders: Sequence[Loader], ours: Encode
) -> list[str]:
    """Say what the first differences of each loader are, each with as short a text as can be."""
    lines = []
    for loader in loaders:
        of_loader = [found for found in differences if found.loader == loader.name]
        for found in of_loader[:_SHOWN]:
            if found.theirs is None:
                lines.append(
                    f"{loader.name}: {_ids(found.ours)} decode to {_text(found.decoded or '')} "
                    f"instead of {_text(found.text)}"
                )
                continue
            text = _shortened(found.text, ours, loader.encode)
            lines.append(
                f"{loader.name}: {_text(text)} gives {_ids(loader.encode([text])[0])} "
                f"instead of {_ids(ours([text])[0])}"
            )
        if of_loader and loader.note:
            lines.append(f"{loader.name}: {loader.note}")
    return lines


def _shortened(text: str, ours: Encode, theirs: Encode) -> str:
    """Take away from a text what a difference does not need."""
    size = len(text) // 2
    while size:
        at = 0
        while at < len(text):
            shorter = text[:at] + text[at + size :]
            if ours([shorter]) != theirs([shorter]):
                text = shorter
            else:
                at += size
        size //= 2
    return text


def _text(text: str) -> str:
    cut = text[:_CHARACTERS] + ("…" if len(text) > _CHARACTERS else "")
    return f"'{printable(cut)}'"


def _ids(ids: Sequence[int]) -> str:
    return f"[{', '.join(map(str, ids[:_IDS]))}{', …' if len(ids) > _IDS else ''}]"


def _added(tokens: Mapping[int, Any]) -> tuple[dict[str, int], tuple[str, ...]]:
    """The added tokens of `tokenizers`, and what changes how they are found."""
    settings = [
        f"{_text(token.content)} has {flag}"
        for token in tokens.values()
        for flag in ("lstrip", "rstrip", "single_word", "normalized")
        if getattr(token, flag)
    ]
    return {token.content: number for number, token in tokens.items()}, tuple(settings)


def _by_tokenizers(folder: str, name: str) -> Loader:
    path = os.path.join(folder, "tokenizer.json")
    tokenizer = importlib.import_module("tokenizers").Tokenizer.from_file(path)
    special, settings = _added(tokenizer.get_added_tokens_decoder())
    for setting in ("truncation", "padding"):
        if getattr(tokenizer, setting) is not None:
            settings = (*settings, f"tokenizer.json has {setting}")

    def encode(texts: list[str]) -> list[list[int]]:
        return [encoding.ids for encoding in tokenizer.encode_batch(texts)]

    def decode(ids: list[int]) -> str:
        text: str = tokenizer.decode(ids, skip_special_tokens=False)
        return text

    return Loader(name, encode, decode, "", special, settings)


def _by_tiktoken(path: str, name: str) -> Loader:
    # (not by `load_tiktoken_bpe`, which keeps a copy of every path that it has read before)
    with open(path, "rb") as rank_file:
        lines = [line.split() for line in rank_file.read().splitlines() if line]
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    with open(f"{path}.json", encoding="utf-8") as file:
        others = json.load(file)
    made = importlib.import_module("tiktoken").Encoding(mergeable_ranks=ranks, **others)

    def encode(texts: list[str]) -> list[list[int]]:
        found: list[list[int]] = made.encode_batch(texts, num_threads=1, allowed_special="all")
        return found

    def decode(ids: list[int]) -> str:
        text: str = made.decode(ids)
        return text

    return Loader(name, encode, decode, "", others["special_tokens"])


def _by_transformers(folder: str, name: str) -> Loader:
    transformers = importlib.import_module("transformers")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    kind = type(tokenizer).__name__
    note = ""
    if not issubclass(type(tokenizer), transformers.PreTrainedTokenizerFast) or kind not in (
        "PreTrainedTokenizerFast",
        "TokenizersBackend",
    ):
        note = (
            f"AutoTokenizer made a {kind} of it, which puts its own pre-tokenizer in place of the "
            "exported one, because of the model_type in config.json; take model_type out, or load "
            "with PreTrainedTokenizerFast.from_pretrained"
        )

    def encode(texts: list[str]) -> list[list[int]]:
        ids: list[list[int]] = tokenizer(texts)["input_ids"]
        return ids

    def decode(ids: list[int]) -> str:
        text: str = tokenizer.decode(ids)
        return text

    return Loader(name, encode, decode, note, *_added(tokenizer.added_tokens_decoder))
