"""Several vocabulary sizes out of one training, and models cut afterwards."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import superword

DOCUMENTS = ["to be or not to be, that is the question", "to be is to do", "or not to do"] * 3


def train(backend_name: str, documents: Any = DOCUMENTS, **settings: Any) -> superword.Tokenizer:
    keywords = {"vocab_size": 300, "backend": backend_name, "threads": 1} | settings
    return superword.train(documents, **keywords)


@pytest.mark.parametrize(
    "settings",
    [
        {"algorithm": "bpe", "vocab_size": 290},
        {"algorithm": "bpe", "vocab_size": 290, "rules": "incremental"},
        {"algorithm": "bpe", "vocab_size": 290, "alphabet": "utf8", "min_count": 2},
        {"algorithm": "boundless", "vocab_size": 285, "max_token_bytes": 7},
        {"algorithm": "boundless", "vocab_size": 285, "special_tokens": ["<s>", "do"]},
        {"algorithm": "boundless", "vocab_size": 285, "id_order": "creation"},
    ],
)
def test_each_is_a_training_of_its_own(backend_name: str, settings: dict[str, Any]) -> None:
    sizes = [256, 257, 262, 268]
    whole = train(backend_name, snapshots=sizes, **settings)
    assert whole == train(backend_name, **settings)
    assert list(whole.snapshots) == sizes
    for size, small in whole.snapshots.items():
        alone = train(backend_name, **{**settings, "vocab_size": size})
        assert small.to_bytes() == alone.to_bytes() == whole.truncated(size).to_bytes()
        assert (small.vocab_size, small.backend) == (size, backend_name)
        assert small.special_tokens == alone.special_tokens
        assert small.encode_ordinary(DOCUMENTS[0]) == alone.encode_ordinary(DOCUMENTS[0])
        assert not small.snapshots


def test_superbpe_keeps_its_regular_tokens(backend_name: str) -> None:
    how: dict[str, Any] = {"algorithm": "superbpe"}
    whole = train(backend_name, vocab_size=280, supermerges=10, snapshots=[270, 275], **how)
    for size, small in whole.snapshots.items():
        assert small == train(backend_name, vocab_size=size, supermerges=size - 270, **how)
    with pytest.raises(superword.SettingsError, match="at least 270, the regular tokens"):
        whole.truncated(269)


def test_from_counts(backend_name: Any) -> None:
    table = [(b"rose", 9), (b" is", 7), (b" a", 7)]
    found = superword.train_from_counts(
        table, vocab_size=260, snapshots=(257, 259), backend=backend_name
    )
    for size in (257, 259):
        assert found.snapshots[size] == superword.train_from_counts(
            table, vocab_size=size, backend=backend_name
        )


def test_where_training_ends_early_a_snapshot_is_the_whole_model(backend_name: str) -> None:
    text = "the snapshot {} has 259 tokens: training ended early"
    with pytest.warns(superword.SuperwordWarning) as caught:
        found = train(backend_name, ["abcd"], vocab_size=400, snapshots=[258, 300, 310])
    assert [str(warning.message) for warning in caught] == [text.format(300), text.format(310)]
    assert [warning.filename for warning in caught] == [__file__] * 2
    assert found.report.notices == (text.format(300), text.format(310))
    assert found.snapshots[300] == found.snapshots[310] == found
    for size, small in found.snapshots.items():
        assert small == train(backend_name, ["abcd"], vocab_size=size)


def test_a_phase_1_that_ends_early_lacks_its_tokens_at_every_size(backend_name: str) -> None:
    def superbpe(supermerges: int, **more: Any) -> superword.Tokenizer:
        return train(
            backend_name,
            algorithm="superbpe",
            vocab_size=400 + supermerges,
            supermerges=supermerges,
            **more,
        )

    with pytest.warns(superword.SuperwordWarning) as caught:
        whole = superbpe(4, snapshots=[400, 402])
    assert [str(warning.message)[:20] for warning in caught] == [
        f"the snapshot {size} has" for size in (400, 402)
    ]
    assert whole.vocab_size < 300
    for n, small in zip((0, 2), whole.snapshots.values(), strict=True):
        assert small == superbpe(n)


def test_a_model_with_trailing_ops_is_cut_at_the_first_op_that_reaches_its_size(
    backend_name: Any,
) -> None:
    """Where training went on for more tokens and made none, its last ops are not of this size."""
    pretokens = [(b"ab", 3), (b"a", 9), (b"b", 9)]
    how: dict[str, Any] = {"algorithm": "boundless", "backend": backend_name}
    whole = superword.train_from_counts(pretokens, [((b"a", b"b"), 9)], vocab_size=400, **how)
    assert [op.kind for op in whole.ops] == ["supermerge", "merge"]
    assert whole.vocab_size == 257
    alone = superword.train_from_counts(pretokens, [((b"a", b"b"), 9)], vocab_size=257, **how)
    assert whole.truncated(257) == alone
    assert len(alone.ops) == 1


def test_no_model_with_n_gram_splitting_is_cut(backend_name: str) -> None:
    found = train(backend_name, algorithm="boundless", ngram_split=True, ngram_floor=2)
    with pytest.raises(superword.SettingsError, match=r"^a model with n-gram splitting cannot be"):
        found.truncated(260)


def test_snapshots_are_not_part_of_the_value(backend_name: str) -> None:
    found = train(backend_name, vocab_size=260, snapshots=[257])
    assert found == train(backend_name, vocab_size=260)
    assert not pickle.loads(pickle.dumps(found)).snapshots
    assert not superword.Tokenizer.from_bytes(found.to_bytes()).snapshots
    with pytest.raises(TypeError):
        found.snapshots[258] = found  # type: ignore[index]


def test_the_report_of_n_gram_splitting(backend_name: str) -> None:
    documents = ["we had a cat"] * 20 + ["we had a dog"] * 3 + ["a cat"] * 5
    how: dict[str, Any] = {"algorithm": "boundless", "vocab_size": 300}
    plain = train(backend_name, documents, **how).report
    assert (plain.candidates, plain.ngram_floor) == (None, None)
    found = train(backend_name, documents, ngram_split=True, ngram_floor=10, **how)
    report = found.report
    numbers = report.candidates
    assert numbers is not None
    # "we had a cat" and "we had a" are frequent; ("a", " cat") is not, and both leave
    assert numbers == (3, 28, 2, 23)
    assert (report.ngram_floor, report.ngram_max_length) == (10, 30)
    assert numbers.ratio_before == 3 / 28
    assert "n-grams  " in str(report)
    assert "28, 3 distinct (0.107); split 23, 2 distinct (0.087)" in str(report)
    loaded = superword.Tokenizer.from_bytes(found.to_bytes()).report
    assert (loaded.ngram_floor, loaded.candidates) == (10, None)


def test_ratios_without_candidates(backend_name: str) -> None:
    report = train(backend_name, ["1 2 3"], algorithm="boundless", ngram_split=True).report
    assert report.candidates == (0, 0, 0, 0)
    assert (report.candidates.ratio_before, report.candidates.ratio_after) == (0.0, 0.0)
