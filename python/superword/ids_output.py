"""Where `encode_file` writes, and in which form: checked before any work, written after it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from typing import Any

from superword.corpus import Source
from superword.errors import InputError, SettingsError
from superword.files import check_writable, regular_target
from superword.parquet import write_parquet
from superword.partial import IDS, META, OFFSETS, WHOLE, Partial, working_path, writing
from superword.settings import one_of
from superword.token_arrays import package
from superword.values import printable

DTYPES = ("auto", "uint16", "uint32")
ENDINGS = (".npy", ".parquet")


class IdsOutput:
    """A file of ids with what belongs to it; `ids` is how many ids the model has."""

    def __init__(self, out: str, dtype: object, ids: int) -> None:
        name = one_of("dtype", dtype, DTYPES)
        fits = ids <= 1 << 16
        if name == "uint16" and not fits:
            raise SettingsError(
                f"dtype must be 'uint32' or 'auto' for a model of {ids} ids; 'uint16' is for at "
                "most 65536"
            )
        self.kind = ("uint16" if fits else "uint32") if name == "auto" else name
        ending = os.path.splitext(out)[1].lower()
        if ending not in ENDINGS:
            raise SettingsError(f"out must end in {' or '.join(ENDINGS)}, not '{printable(out)}'")
        try:
            os.fsencode(out)
        except UnicodeEncodeError as error:
            raise SettingsError(f"out has a lone surrogate at character {error.start}") from None
        self._pyarrow: Any = None
        if ending == ".parquet":
            self._pyarrow = package("parquet", "an output that ends in .parquet")
        with writing(out):
            check_writable(out)
        self.path = _regular(out)
        self._moves = {WHOLE: self.path}
        if self._pyarrow is None:
            # what goes with the ids stands beside them, also where a link leads to them
            stem = self.path[: -len(ending)] if self.path.lower().endswith(ending) else self.path
            self._moves = {
                IDS: self.path,
                OFFSETS: _regular(f"{stem}.offsets.npy"),
                META: _regular(f"{stem}.meta.json"),
            }
            self._check_links()

    def _check_links(self) -> None:
        """Refuse what cannot be: links may lead from the three names to anywhere."""
        if len(set(map(_real, self.paths))) < len(self.paths):
            names = ", ".join(map(printable, self.paths))
            raise SettingsError(f"out must be different files, with what goes with it: {names}")
        for path in self.paths[1:]:
            with writing(path):
                check_writable(path)
                apart = _disk(path) != _disk(self.path)
            if apart:
                raise SettingsError(
                    f"out must be on one disk with what goes with it: not {printable(path)}"
                )

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that it becomes, the ids first."""
        return tuple(self._moves.values())

    @property
    def own(self) -> frozenset[str]:
        """The real paths of its files and of the folder that it works in."""
        return frozenset(map(_real, (*self.paths, working_path(self.path))))

    @property
    def most_ids(self) -> int | None:
        """The most ids that a document may have, if there is a limit."""
        # A list in Arrow counts with 32 bits; a longer one is of a type that few readers know.
        return None if self._pyarrow is None else 2**31 - 1

    def check_inputs(self, sources: Iterable[Source]) -> None:
        """Refuse to overwrite what is read."""
        inputs = {_real(source[0]) for source in sources}
        for path in self.paths:
            if _real(path) in inputs:
                raise SettingsError(f"out must not be a file that is read: {printable(path)}")

    def write(self, partial: Partial, model: str, ids: int, report: Callable[[int], None]) -> None:
        """Make the files of a folder with all that is to be in them, under their names.

        `model` is the SHA-256 of the model file; `report` is called with the documents written.
        """
        partial.finish()
        known = partial.position
        meta = {
            "bytes": known.bytes,
            "documents": known.documents,
            "dtype": self.kind,
            "format": "superword ids",
            "model_ids": ids,
            "model_sha256": model,
            "tokens": known.tokens,
            "version": 1,
        }
        text = json.dumps(meta, indent=1).encode() + b"\n"
        if self._pyarrow is None:
            partial.write(META, text)
        else:
            paths = partial.path_of(IDS), partial.path_of(OFFSETS), partial.path_of(WHOLE)
            groups = write_parquet(self._pyarrow, paths, self.kind, known.documents, text)
            done: int | None = 0
            while done is not None:
                with writing(self.path):
                    done = next(groups, None)
                report(known.documents if done is None else done)
        partial.publish(self._moves)


def _real(path: str) -> str:
    return os.path.normcase(os.path.realpath(path))


def _disk(path: str) -> int:
    return os.stat(os.path.dirname(path) or os.curdir).st_dev


def _regular(path: str) -> str:
    """The regular file that a path stands for, or the one to make."""
    with writing(path):
        target = regular_target(path)
    if target is None:
        raise InputError(f"{printable(path)}: cannot be written: it is no regular file")
    return target
