"""Published files that are damaged: from both backends the same error, or the same model."""

from __future__ import annotations

import gzip
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import superword

TRAINED = {
    "algorithm": "boundless",
    "vocab_size": 272,
    "scheme": "gpt4o-scripts",
    "special_tokens": ["<s>"],
    "published": True,
}


@pytest.fixture(scope="session")
def small():
    """A small file with both kinds of ops."""
    texts = ["to be or not to be", "to be é漢"] * 2
    return superword.train(texts, backend="python", **TRAINED).to_bytes(published=True)


def outcome(backend, data):
    """What a backend makes of a file."""
    try:
        return backend.artifact_of_published(data)
    except superword.ModelFormatError as error:
        return str(error)


def same(backends, data):
    """Whether it was an error, which must be the same from both backends."""
    found = {outcome(backend, data) for backend in backends}
    assert len(found) == 1
    return isinstance(found.pop(), str)


def test_every_line_once_more_or_less(both_backends, small):
    lines = small.split(b"\n")
    for index in range(len(lines) - 1):
        without = b"\n".join(lines[:index] + lines[index + 1 :])
        twice = b"\n".join(lines[:index] + lines[index - 1 :])
        assert same(both_backends, without)
        assert same(both_backends, twice)


def test_every_prefix_of_the_end(both_backends, small):
    for end in [*range(40), *range(len(small) - 400, len(small))]:
        assert same(both_backends, small[:end])


@given(place=st.integers(0, 2**20), byte=st.integers(0, 255), more=st.binary(max_size=3))
def test_changed_bytes(both_backends, small, place, byte, more):
    place %= len(small)
    same(both_backends, small[:place] + bytes([byte]) + more + small[place + 1 :])


@given(data=st.data())
def test_changed_numbers_and_exchanged_lines(both_backends, small, data):
    lines = small.decode().split("\n")
    indices = st.integers(258, len(lines) - 2)
    for _ in range(data.draw(st.integers(1, 2))):
        one, other = data.draw(indices), data.draw(indices)
        lines[one], lines[other] = lines[other], lines[one]
    parts = lines[one].split(" ")
    parts[data.draw(st.integers(0, len(parts) - 1))] = data.draw(
        st.sampled_from(["0", "1", "2", "9", "t", "be", "Ġbe", "Ŀ", ""])
    )
    lines[one] = " ".join(parts)
    same(both_backends, "\n".join(lines).encode())


def test_golden_models_with_changed_bytes(both_backends, data):
    """Errors that only a whole model can have; some changes leave a model, the same from both."""
    chance = random.Random(5)
    errors = models = 0
    for name in ["gpt2.word", "gpt4o_ss.boundless", "gpt4.super500"]:
        file = gzip.decompress((data / f"golden/tiny/{name}.model.gz").read_bytes())
        for _ in range(12):
            place = chance.randrange(len(file))
            changed = file[:place] + bytes([chance.choice(b"0123456789 abt\n")]) + file[place + 1 :]
            if same(both_backends, changed):
                errors += 1
            else:
                models += 1
    assert errors > 10
    assert models > 0  # counts of tokens may be any
