"""Every byte of a model file flipped, and every prefix of it: an error, the same from both."""

import hashlib

import pytest
import superword

FOOTER = len("sha256 \n") + 64


@pytest.fixture(scope="session")
def artifact():
    trained = superword.train(
        ["to be or not to be", "not to be: é漢"] * 2,
        algorithm="boundless",
        vocab_size=276,
        special_tokens=["<s>", 'q"\\\n', "漢"],
        backend="python",
    )
    data = trained.to_bytes()
    assert b"\ns " in data
    return data


def error_of(data, backend_name):
    with pytest.raises(superword.ModelFormatError) as caught:
        superword.Tokenizer.from_bytes(data, backend=backend_name)
    return str(caught.value)


def signed(body):
    """A body with a hash that fits, so that what follows the hash is reached."""
    return body + f"sha256 {hashlib.sha256(body).hexdigest()}\n".encode()


def outcome(data, backend_name):
    """The error, or what a model that is valid after all encodes and writes."""
    try:
        found = superword.Tokenizer.from_bytes(data, backend=backend_name)
    except superword.ModelFormatError as error:
        return str(error)
    return found.to_bytes(), found.encode_ordinary("to be é漢 that"), found.ops


def test_every_flipped_byte(artifact, backend_name):
    for position in range(len(artifact)):
        for bits in (0x01, 0x20, 0xFF):
            damaged = bytearray(artifact)
            damaged[position] ^= bits
            error_of(bytes(damaged), backend_name)


def test_every_prefix_and_what_follows(artifact, backend_name):
    for end in range(len(artifact)):
        error_of(artifact[:end], backend_name)
    for more in (b"\n", b" ", b"\0", artifact):
        error_of(artifact + more, backend_name)


def test_the_same_text_from_both(artifact, both_backends):
    for position in range(len(artifact)):
        damaged = bytearray(artifact)
        damaged[position] ^= 0x01
        assert error_of(bytes(damaged), "python") == error_of(bytes(damaged), "rust")
        assert error_of(artifact[:position], "python") == error_of(artifact[:position], "rust")


@pytest.mark.parametrize("bits", [0x01, 0x02, 0x10, 0x20, 0x80, 0xFF])
def test_behind_a_hash_that_fits(artifact, both_backends, bits):
    """Flipped and signed again: the same error, or the same model."""
    body = artifact[:-FOOTER]
    for position in range(len(body)):
        damaged = bytearray(body)
        damaged[position] ^= bits
        data = signed(bytes(damaged))
        assert outcome(data, "python") == outcome(data, "rust")


def test_prefixes_behind_a_hash_that_fits(artifact, both_backends):
    body = artifact[:-FOOTER]
    for end in range(len(body)):
        data = signed(body[:end])
        assert outcome(data, "python") == outcome(data, "rust")
