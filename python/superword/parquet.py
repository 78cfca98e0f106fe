"""The arrays of `encode_file` as one Parquet file: a row for each document."""

from __future__ import annotations

import importlib
import os
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from superword import npy

#: The most ids of a row group, unless one document has more, and the most documents.
GROUP_IDS, GROUP_DOCUMENTS = 1 << 23, 1 << 18


def write_parquet(
    pyarrow: Any,
    paths: tuple[str, str, str],
    kind: str,
    documents: int,
    meta: bytes,
) -> Iterator[int]:
    """Write a Parquet file of arrays: `paths` are those of ids, offsets and the new file.

    Yields how many documents are written, row group by row group; memory holds one of these.
    """
    parquet = importlib.import_module("pyarrow.parquet")
    values = getattr(pyarrow, kind)()
    schema = pyarrow.schema(
        [pyarrow.field("ids", pyarrow.list_(values), nullable=False)], {"superword": meta}
    )
    ids_path, offsets_path, path = paths
    with open(path, "wb") as out, open(ids_path, "rb") as ids, open(offsets_path, "rb") as offsets:
        ids.seek(npy.HEADER_BYTES)
        offsets.seek(npy.HEADER_BYTES)
        with parquet.ParquetWriter(out, schema, compression="zstd") as writer:
            ends = [_numbers(offsets.read(8))[0]]
            done = 0
            while done < documents:
                ends += _numbers(offsets.read(8 * (GROUP_DOCUMENTS + 1 - len(ends))))
                count = _rows(ends)
                length = ends[count] - ends[0]
                data = ids.read(length * npy.SIZES[kind])
                first = ends[0]
                starts = pyarrow.array([end - first for end in ends[: count + 1]], pyarrow.int32())
                rows = pyarrow.Array.from_buffers(
                    pyarrow.list_(values),
                    count,
                    [None, starts.buffers()[1]],
                    children=[
                        pyarrow.Array.from_buffers(values, length, [None, pyarrow.py_buffer(data)])
                    ],
                )
                writer.write_table(
                    pyarrow.Table.from_arrays([rows], schema=schema), row_group_size=count
                )
                done += count
                del ends[:count]
                yield done
        out.flush()
        os.fsync(out.fileno())


def _numbers(data: bytes) -> list[int]:
    return memoryview(data).cast("q").tolist()


def _rows(ends: list[int]) -> int:
    """How many documents, one at least, make the next row group."""
    count = len(ends) - 1
    if ends[count] - ends[0] > GROUP_IDS:
        count = max(1, bisect_right(ends, ends[0] + GROUP_IDS) - 1)
    return count
