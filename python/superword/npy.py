"""The .npy files of one row of whole numbers, written without NumPy: little-endian everywhere."""

from __future__ import annotations

import sys
from array import array

# Room for any length: the header is written again when the length is known.
HEADER_BYTES = 128
KINDS = {"uint16": "<u2", "uint32": "<u4", "int64": "<i8"}
SIZES = {"uint16": 2, "uint32": 4, "int64": 8}


def header(kind: str, length: int) -> bytes:
    r"""The first bytes of the file of `length` numbers, those that `numpy.save` writes.

    >>> header("uint16", 7)[:50]
    b"\x93NUMPY\x01\x00v\x00{'descr': '<u2', 'fortran_order': False,"
    """
    what = f"{{'descr': '{KINDS[kind]}', 'fortran_order': False, 'shape': ({length},), }}"
    start = b"\x93NUMPY\x01\0" + (HEADER_BYTES - 10).to_bytes(2, "little")
    return start + what.encode().ljust(HEADER_BYTES - 11) + b"\n"


def ids_data(kind: str, ids: bytearray) -> bytes | bytearray:
    """Ids of `encode_flat` as the numbers of a file; those for uint16 are below 2^16."""
    big = sys.byteorder == "big"
    if kind == "uint32" and not big:
        return ids
    # a 32-bit number is two of 16 bits, the lower half first on little-endian machines
    numbers = array("I", ids) if kind == "uint32" else array("H", bytes(ids))[int(big) :: 2]
    if big:
        numbers.byteswap()
    return numbers.tobytes()


def offsets_data(offsets: bytearray, base: int) -> bytes:
    """The ends of the texts of `encode_flat` as numbers of a file, `base` added to each."""
    ends = array("q", [base + end for end in memoryview(offsets).cast("Q")[1:]])
    if sys.byteorder == "big":
        ends.byteswap()
    return ends.tobytes()
