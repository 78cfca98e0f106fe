"""Superwords in tiktoken: the ids of an encoding and of a rank file are ours."""

import json

import pytest
from export.models import SCHEMES, documents, model, tokenizer

import superword
from superword import Tokenizer
from superword.errors import NotExactError, SettingsError
from superword.export.adversarial import adversarial_texts
from superword.exported_folder import check_folder


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("algorithm", ["boundless", "superbpe"])
def test_tiktoken_gives_our_ids(scheme, algorithm):
    ours = tokenizer(scheme, algorithm)
    theirs = ours.to_tiktoken()
    texts = [*documents()[::4], *adversarial_texts(model(scheme, algorithm), 4000)]
    given = theirs.encode_batch(texts, num_threads=1, allowed_special="all")
    assert given == ours.encode_batch(texts, allowed_special="all")


def test_ids_in_another_order_are_refused():
    """Ranks are ids, and all regular merges come before any supermerge."""
    ours = superword.train(
        ["to be or not to be, that is to be"] * 9,
        algorithm="boundless",
        vocab_size=290,
        scheme="gpt4o",
        id_order="creation",
    )
    with pytest.raises(NotExactError, match=r"is merged before .* with id_order 'creation'"):
        ours.to_tiktoken()


def test_a_rank_file_is_checked(tmp_path):
    ours = tokenizer("gpt4o")
    path = tmp_path / "x.tiktoken"
    ours.export("tiktoken", path, check=False)
    found = check_folder(ours, str(path), strings=500)
    assert found.is_exact
    assert found.loaders[0].startswith("tiktoken ")
    beside = tmp_path / "x.tiktoken.json"
    content = json.loads(beside.read_text())
    assert list(content) == ["explicit_n_vocab", "name", "pat_str", "special_tokens"]
    content["pat_str"] = tokenizer("gpt4o", "bpe").to_tiktoken()._pat_str
    beside.write_text(json.dumps(content))
    found = check_folder(ours, str(path), strings=500)
    assert not found.is_exact
    assert found.differences > 0
    with pytest.raises(superword.errors.ModelFormatError, match="was not made of the model beside"):
        Tokenizer.from_tiktoken(path)


def test_nothing_is_written_where_the_check_fails(tmp_path, monkeypatch):
    monkeypatch.setattr("superword.export.ranks.pattern_of", lambda *_: "[^a]|a")
    with pytest.raises(NotExactError, match=r"not written: tiktoken .* gives"):
        tokenizer("gpt4o", "bpe").export("tiktoken", tmp_path / "x.tiktoken")
    assert list(tmp_path.iterdir()) == []


def test_arguments(tmp_path):
    with pytest.raises(SettingsError, match="javascript is for to='huggingface' only"):
        tokenizer("gpt4o").export("tiktoken", tmp_path / "x", javascript=True)
    with pytest.raises(superword.errors.InputError, match=r"x.superword: cannot be written"):
        tokenizer("gpt4o").export("tiktoken", tmp_path / "no" / "x", check=False)
