"""Tokenizers inside other libraries: no network, and no cache outside the folders of tests."""

import os

import pytest

import superword

os.environ["HF_HUB_OFFLINE"] = "1"

DOCUMENTS = [f"by the way, {who} ran as well as {other}." for who in "abc" for other in "defgh"]


@pytest.fixture(scope="session")
def engine(backend_name):
    """A small model with superwords and two special tokens."""
    return superword.train(
        [*DOCUMENTS, "naïve café 日本語 日本語 👍👍"],
        algorithm="superbpe",
        vocab_size=420,
        supermerges=60,
        special_tokens=["<s>", "</s>"],
        backend=backend_name,
    )
