"""`check` finds what is wrong with an exported folder."""

from __future__ import annotations

import json
import re
from itertools import islice

import pytest
from export.models import model, tokenizer
from tokenizers import Tokenizer as Stock

import superword
from superword.errors import InputError, NotExactError
from superword.export import check
from superword.export.adversarial import STRINGS, adversarial_texts, texts_at_edges
from superword.export.tokenizer_json import tokenizer_json
from superword.exported_folder import check_folder

AHEAD = re.compile(r"\(\?<(t\d+)>(.*?)\)\{0\}")


@pytest.fixture(autouse=True)
def offline(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def pattern_of(content):
    return content["pre_tokenizer"]["pretokenizers"][0]["pattern"]


def loader(content):
    stock = Stock.from_str(json.dumps(content))
    return check.Loader(
        "stock",
        lambda texts: [encoding.ids for encoding in stock.encode_batch(texts)],
        lambda ids: stock.decode(ids, skip_special_tokens=False),
    )


def mutations(scheme):
    """The pattern of a model with one look-ahead gone, or without its contractions."""
    regex = pattern_of(tokenizer_json(model(scheme)))["Regex"]
    for found in AHEAD.finditer(regex):
        name, ahead = found.groups()
        yield f"{name} gone", regex.replace(f">{ahead})", ">)", 1)
        shorter = re.sub(r"\|'\(.*\)\)$", ")", ahead)
        if shorter != ahead and ahead.count("[") > 4:
            yield f"{name} without contractions", regex.replace(f">{ahead})", f">{shorter})", 1)


def first_differences(scheme, content):
    """What is found first in the texts that a check makes, and how many texts that took."""
    ours = tokenizer(scheme)
    theirs = [loader(content)]
    texts = adversarial_texts(model(scheme))
    for number in range(STRINGS // 2000):
        batch = islice(texts, 2000)
        _, found = check.compare(lambda b: ours.encode_batch(b, "all"), theirs, batch)
        if found:
            return found, number
    return [], STRINGS // 2000


def test_a_changed_look_ahead_is_found():
    content = tokenizer_json(model("gpt4o"))
    tried = []
    for name, regex in mutations("gpt4o"):
        pattern_of(content)["Regex"] = regex
        found, _ = first_differences("gpt4o", content)
        assert found, name
        tried.append(name)
    assert len(tried) > 4


def test_the_coarse_split_that_others_write_is_found():
    """Runs of words by their pattern alone, without a look at which words they are."""
    content = tokenizer_json(model("gpt4o"))
    regex = pattern_of(tokenizer_json(model("gpt4o", "bpe")))["Regex"]
    pattern_of(content)["Regex"] = f"(?: ?[a-z]+)+|{regex}"
    found, number = first_differences("gpt4o", content)
    assert (len(found) > 100, number) == (True, 0)


def test_a_folder_of_another_model_is_found(tmp_path):
    tokenizer("gpt4o", "bpe").export("huggingface", tmp_path, check=False)
    checked = check_folder(tokenizer("gpt4"), str(tmp_path), strings=50)
    assert not checked.is_exact
    assert checked.differences > 10
    assert re.match(r"tokenizers [0-9.]+: '.{1,20}' gives \[", checked.lines[0])


def test_transformers_does_not_take_it_for_another_family(tmp_path):
    """A config.json beside it lets transformers put another pre-tokenizer in its place."""
    folder = tmp_path / "hf"
    ours = tokenizer("gpt4o")
    ours.export("huggingface", folder, check=False)
    assert check_folder(ours, str(folder), strings=500).is_exact
    (folder / "config.json").write_text('{"model_type": "qwen2"}')
    checked = check_folder(ours, str(folder), strings=500)
    assert not checked.is_exact
    assert "made a Qwen2Tokenizer of it" in checked.lines[-1]
    assert all(line.startswith("transformers ") for line in checked.lines)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(NotExactError, match=r"hf: not written: transformers .* instead of "):
        ours.export("huggingface", folder)
    assert {path.name for path in folder.iterdir()} == set(before)
    assert (folder / "tokenizer.json").read_text() == "{}"
    assert [path.name for path in tmp_path.iterdir()] == ["hf"]


@pytest.mark.parametrize("content", ["", "{}", '{"model": {}}', "[]", "\0"])
def test_what_cannot_be_loaded_is_said(tmp_path, content):
    ours = tokenizer("gpt4o")
    (tmp_path / "tokenizer.json").write_text(content)
    checked = check_folder(ours, str(tmp_path), strings=50)
    assert not checked.is_exact
    assert [line.partition(" ")[0] for line in checked.lines] == ["tokenizers", "transformers"]
    assert all(" cannot load it: " in line for line in checked.lines)


def test_a_text_is_cut_to_what_differs():
    ours = tokenizer("gpt4o")
    content = tokenizer_json(model("gpt4o"))
    content["model"]["merges"] = content["model"]["merges"][:-1]
    last = model("gpt4o").supermerges[-1]
    text = (last[0] + last[1]).decode()
    theirs = [loader(content)]

    def encode(batch):
        return ours.encode_batch(batch, "all")

    done, found = check.compare(encode, theirs, [f"12 34{text}. 56 78"])
    assert (done, len(found)) == (1, 1)
    assert check.in_words(found, theirs, encode) == [
        f"stock: '{text}' gives {[ours.token_to_id(part) for part in last]} "
        f"instead of {[ours.token_to_id(last[0] + last[1])]}"
    ]


SMALL = superword.train(
    ["of the end of the world"] * 20, vocab_size=270, special_tokens=["<s>"], scheme="gpt2"
)


def lines_of(path):
    found = check_folder(SMALL, str(path), strings=10)
    assert not found.is_exact
    return str(found)


@pytest.mark.parametrize("name", ["special_tokens_map.json", "added_tokens.json"])
def test_what_another_tokenizer_left_in_the_folder_is_found(tmp_path, name):
    content = {"eos_token": "the"} if name.startswith("special") else {"<mask>": 271}
    (tmp_path / name).write_text(json.dumps(content), "utf-8")
    with pytest.raises(NotExactError, match=r"'(the|<mask>)' is id 2"):
        SMALL.export("huggingface", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_settings_of_a_file_that_no_export_has_are_named(tmp_path):
    SMALL.export("huggingface", tmp_path, check=False)
    path = tmp_path / "tokenizer.json"
    content = json.loads(path.read_text("utf-8"))
    content["added_tokens"][0]["lstrip"] = True
    content["truncation"] = {
        "max_length": 4096,
        "strategy": "LongestFirst",
        "stride": 0,
        "direction": "Right",
    }
    path.write_text(json.dumps(content), "utf-8")
    found = lines_of(tmp_path)
    assert "'<s>' has lstrip" in found
    assert "tokenizer.json has truncation" in found


def test_a_rank_file_is_read_each_time(tmp_path):
    path = tmp_path / "e.tiktoken"
    SMALL.export("tiktoken", path, check=False)
    assert check_folder(SMALL, str(path), strings=10).is_exact
    lines = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join(lines[:-3]))
    assert "tiktoken" in lines_of(path)
    path.write_bytes(b"garbage")
    assert "cannot load it" in lines_of(path)


def test_a_loader_that_fails_is_named():
    def fail(given):
        raise BaseException("a panic")

    with pytest.raises(check.LoaderError, match="stock fails: a panic"):
        check.compare(SMALL.encode_batch, [check.Loader("stock", fail, fail)], ["a"])


def test_one_character_of_a_range_is_found():
    ours = tokenizer("gpt2")
    content = tokenizer_json(model("gpt2"))
    pattern = pattern_of(content)
    assert "\u210a-\u2113" in pattern["Regex"]
    pattern["Regex"] = pattern["Regex"].replace("\u210a-\u2113", "\u210b-\u2113")
    texts = texts_at_edges(model("gpt2"))
    assert check.compare(lambda b: ours.encode_batch(b, "all"), [loader(content)], texts)[1]


def test_a_special_token_that_decodes_as_other_bytes_is_refused(tmp_path):
    made = superword.train(["a"], vocab_size=256, special_tokens=["\u00e9!"], scheme="gpt2")
    with pytest.raises(NotExactError, match="decoded as other bytes"):
        made.export("huggingface", tmp_path / "hf", check=False)


def test_an_output_that_cannot_be_is_named_before_anything_is_written(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        SMALL.export("tiktoken", tmp_path / "folder", check=False)
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="no folder"):
        SMALL.export("huggingface", tmp_path / "file", check=False)
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    SMALL.export("huggingface", tmp_path / "link", check=False)
    assert sorted(path.name for path in (tmp_path / "folder").iterdir()) == [
        "model.superword",
        "tokenizer.json",
        "tokenizer_config.json",
    ]
