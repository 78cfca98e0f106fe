"""The ids of a batch as arrays: those of the lists, without a copy, or an error in our words."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import superword

SPECIAL = ["<s>", "<|end|>"]
PIECES = st.sampled_from(["to be", " or", "not", "é", "日本", "\n", "<s>", "<|end|>", "\0", "🙂"])
TEXTS = st.lists(st.lists(PIECES, max_size=8).map("".join), max_size=12)


@pytest.fixture(scope="module")
def tokenizer(backend_name: str) -> superword.Tokenizer:
    documents = ["to be or not to be, that is the question"] * 4
    return superword.train(
        documents,
        algorithm="boundless",
        vocab_size=300,
        special_tokens=SPECIAL,
        backend=backend_name,  # type: ignore[arg-type]
    )


@given(texts=TEXTS, threads=st.sampled_from([1, 2, 5]))
@example(texts=[], threads=1)
@example(texts=["", ""], threads=2)
def test_arrays_hold_the_ids_of_the_lists(
    tokenizer: superword.Tokenizer, texts: list[str], threads: int
) -> None:
    lists = tokenizer.encode_batch(texts, "all", threads)
    assert tokenizer.encode_batch(texts, "all", threads, output="lists") == lists
    arrays = tokenizer.encode_batch(texts, "all", threads, output="numpy")
    assert (arrays.ids.dtype, arrays.offsets.dtype) == (np.uint32, np.int64)
    ends = arrays.offsets.tolist()
    assert (ends[0], ends[-1], len(ends)) == (0, len(arrays.ids), len(texts) + 1)
    assert [arrays.ids[a:b].tolist() for a, b in pairwise(ends)] == lists
    rows = tokenizer.encode_batch(texts, "all", threads, output="arrow")
    assert rows.type == pa.large_list(pa.uint32())
    rows.validate(full=True)
    assert rows.to_pylist() == lists


def test_arrays_are_the_memory_that_the_backend_filled(tokenizer: superword.Tokenizer) -> None:
    arrays = tokenizer.encode_batch(["to be", "or"], output="numpy")
    for array in arrays:
        assert isinstance(array.base.obj, bytearray)  # type: ignore[union-attr]
        assert array.flags.writeable
    arrays.ids[0] = 7
    assert arrays.ids[0] == 7


@pytest.mark.parametrize("output", ["numpy", "arrow"])
def test_errors_are_those_of_lists(tokenizer: superword.Tokenizer, output: str) -> None:
    for texts in (["a", "b<s>"], ["a", "\ud800"], ["a", 7, "<s>"], "text", 7, ["\ud800", "<s>", 7]):
        found = []
        for form in ("lists", output):
            with pytest.raises(superword.EncodingError) as caught:
                tokenizer.encode_batch(texts, output=form)  # type: ignore[call-overload]
            found.append((type(caught.value), str(caught.value), caught.value.index))
        assert found[0] == found[1]


def test_an_output_that_is_none(tokenizer: superword.Tokenizer) -> None:
    with pytest.raises(superword.SettingsError) as caught:
        tokenizer.encode_batch(["a"], output="list")  # type: ignore[call-overload]
    assert str(caught.value) == "output must be one of lists, numpy, arrow, not 'list'"


ABSENT = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("numpy", "pyarrow"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Block())
import superword
tok = superword.train(["to be"], vocab_size=257, backend=sys.argv[1])
assert tok.encode_batch(["to"]) == [[116, 111]]
open("a.txt", "w").write("to be")
print(tok.encode_file("a.txt", "a.npy").tokens)
for call in (
    lambda: tok.encode_batch(7, output="numpy"),
    lambda: tok.encode_batch(7, output="arrow"),
    lambda: tok.encode_file("none.txt", "a.parquet"),
):
    try:
        call()
    except superword.SettingsError as error:
        print(error)
"""


def test_without_the_packages(backend_name: str, tmp_path: object) -> None:
    """Said before any other work, and only where they are needed."""
    path = os.pathsep.join(os.path.abspath(entry) for entry in sys.path if entry)
    done = subprocess.run(
        [sys.executable, "-W", "error::SyntaxWarning", "-c", ABSENT, backend_name],
        env={**os.environ, "PYTHONPATH": path},
        cwd=str(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "4",
        "output 'numpy' needs numpy, which is not installed: pip install superword[numpy]",
        "output 'arrow' needs pyarrow, which is not installed: pip install superword[arrow]",
        "an output that ends in .parquet needs pyarrow, which is not installed: "
        "pip install superword[arrow]",
    ]
