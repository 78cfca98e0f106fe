"""Flat ids and offsets in the arrays of other packages: no Python object for a token, no copy."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, NamedTuple

from superword.errors import SettingsError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OUTPUTS = ("lists", "numpy", "arrow")
# form: the package that it needs, and the extra that installs it
_PACKAGES = {
    "numpy": "numpy",
    "arrow": "pyarrow",
    "parquet": "pyarrow",
    "tiktoken": "tiktoken",
}
_EXTRAS = {"numpy": "numpy", "pyarrow": "arrow", "tiktoken": "tiktoken"}

Flat = tuple[bytearray, bytearray]  # what `encode_flat` gives


class TokenArrays(NamedTuple):
    """The ids of several texts behind each other, and where those of each text are.

    Those of text i are `ids[offsets[i] : offsets[i + 1]]`.
    """

    ids: NDArray[np.uint32]
    offsets: NDArray[np.int64]


def package(form: str, asked: str) -> Any:
    """The package that a form needs; `asked` is how the caller asked for the form.

    Raises `SettingsError` where it is not installed.
    """
    name = _PACKAGES[form]
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise SettingsError(
            f"{asked} needs {name}, which is not installed: pip install superword[{_EXTRAS[name]}]"
        ) from None


def as_numpy(numpy: Any, flat: Flat) -> TokenArrays:
    """Arrays over the memory of flat ids and offsets; they may be written to."""
    ids, offsets = flat
    return TokenArrays(
        numpy.frombuffer(ids, dtype=numpy.uint32), numpy.frombuffer(offsets, dtype=numpy.int64)
    )


def as_arrow(pyarrow: Any, flat: Flat) -> Any:
    """A `pyarrow.LargeListArray` of uint32 over the memory of flat ids and offsets."""
    ids, offsets = flat
    values = pyarrow.Array.from_buffers(
        pyarrow.uint32(), len(ids) // 4, [None, pyarrow.py_buffer(ids)]
    )
    return pyarrow.Array.from_buffers(
        pyarrow.large_list(pyarrow.uint32()),
        len(offsets) // 8 - 1,
        [None, pyarrow.py_buffer(offsets)],
        children=[values],
    )
