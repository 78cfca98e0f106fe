"""A model cut to fewer tokens: where the cut is, and what cannot be cut."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from superword.errors import ModelFormatError, SettingsError
from superword.model import Model, Op

GROWING = [("merge", 97, 98, 256), ("merge", 256, 99, 257), ("merge", 98, 99, 258)]
# the second and the last one make what is there already
AGAIN = [
    ("supermerge", 97, 98, 256),
    ("merge", 97, 98, 256),
    ("merge", 98, 99, 257),
    ("supermerge", 97, 257, 258),
    ("supermerge", 256, 99, 258),
]


def artifact(backend: ModuleType, algorithm: str, ops: list[Any], **more: Any) -> bytes:
    model = Model(
        *(algorithm, "bytes", "superword", "gpt2", "regular-first", ("<s>",)),
        *(backend.UNICODE_VERSION, *[None] * 3, r"\p{L}", *[None] * 4, 2, 20, 9, 4),
        [Op(*op, 5) for op in ops],
    )
    data = backend.model_to_bytes(model._replace(**more))
    assert isinstance(data, bytes)
    return data


@pytest.mark.parametrize(
    ("algorithm", "ops", "size", "kept"),
    [
        *[("bpe", GROWING, 256 + n, n) for n in range(4)],
        *[("boundless", AGAIN, size, kept) for size, kept in [(256, 0), (257, 1), (258, 3)]],
        # the cut is at the first op that reaches the size, as where training stops
        ("boundless", AGAIN, 259, 4),
        ("superbpe", [*GROWING[:2], ("supermerge", 98, 99, 258)], 258, 2),
        ("superbpe", [*GROWING[:2], ("supermerge", 98, 99, 258)], 259, 3),
        # a supermerge that makes a regular token again comes after the size is reached
        ("superbpe", [*GROWING[:2], ("supermerge", 97, 98, 256)], 258, 2),
    ],
)
def test_the_cut(backend: ModuleType, algorithm: str, ops: list[Any], size: int, kept: int) -> None:
    whole = artifact(backend, algorithm, ops)
    assert backend.truncate_model(whole, size) == artifact(backend, algorithm, ops[:kept])


@pytest.mark.parametrize(
    ("algorithm", "ops", "more", "size", "text"),
    [
        ("bpe", GROWING, {}, 260, "vocab_size must be at most 259, the tokens of the model"),
        ("bpe", [], {}, 257, "vocab_size must be at most 256, the tokens of the model"),
        ("bpe", GROWING, {}, 255, "vocab_size must be at least 256, the single bytes of the model"),
        (
            *("bpe", [], {"alphabet": "utf8"}, 242),
            "vocab_size must be at least 243, the single bytes of the model",
        ),
        (
            *("superbpe", [*GROWING[:2], ("supermerge", 98, 99, 258)], {}, 257),
            "vocab_size must be at least 258, the regular tokens of the model",
        ),
        (
            *("boundless", GROWING, {"ngram_floor": 9, "ngram_max_length": 4}, 257),
            "a model with n-gram splitting cannot be cut: "
            "training at a smaller vocabulary size makes other operations",
        ),
        (  # nothing has been deleted, but something might have been at another size
            *("boundless", GROWING, {"tau": "9/10", "blow_up": "pair"}, 257),
            "a model with deletions cannot be cut: "
            "training at a smaller vocabulary size makes other operations",
        ),
    ],
)
def test_what_cannot_be_cut(
    backend: ModuleType, algorithm: str, ops: list[Any], more: dict[str, Any], size: int, text: str
) -> None:
    whole = artifact(backend, algorithm, ops, **more)
    with pytest.raises(SettingsError) as caught:
        backend.truncate_model(whole, size)
    assert str(caught.value) == text


def test_a_model_of_another_unicode_stays_one(backend: ModuleType) -> None:
    whole = artifact(backend, "bpe", GROWING, unicode="16.0.0")
    with pytest.raises(ModelFormatError, match=r"16\.0\.0"):
        backend.truncate_model(whole, 257)
    cut = backend.truncate_model(whole, 257, True)
    assert cut == artifact(backend, "bpe", GROWING[:1], unicode="16.0.0")


def test_long_tokens_are_no_obstacle(backend: ModuleType) -> None:
    """The model is in use already: the loader's limits are for files from elsewhere."""
    numbers = [97, *range(256, 281)]
    ops = [("merge", number, number, 256 + n) for n, number in enumerate(numbers[:25])]
    whole = artifact(backend, "bpe", ops)
    with pytest.raises(ModelFormatError, match="max_token_bytes"):
        backend.model_from_bytes(whole)
    assert backend.truncate_model(whole, 280) == artifact(backend, "bpe", ops[:24])
