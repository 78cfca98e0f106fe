"""Folders that are saved and loaded: what is in them, and what must not be."""

import json
import os

import pytest
from integrations.process import run
from transformers import AddedToken, AutoTokenizer

import superword
from superword.integrations.transformers import SuperwordTokenizer

TEXTS = ["by the way, a ran as well as d.", "b<s> ran</s> [X]dog", "naïve 日本語 👍"]


@pytest.fixture
def tokenizer(engine):
    tokenizer = SuperwordTokenizer(
        engine,
        bos_token="<s>",
        pad_token="<pad>",
        model_max_length=512,
        special_tokens_pattern="bos",
        chat_template="{{ messages[0]['content'] }}<s>",
    )
    tokenizer.add_tokens(["dog", AddedToken("cat", lstrip=True)])
    tokenizer.add_special_tokens({"extra_special_tokens": ["[X]"]})
    tokenizer.padding_side = "left"
    return tokenizer


def test_what_is_saved(tokenizer, tmp_path):
    files = tokenizer.save_pretrained(tmp_path / "new" / "folder")
    names = sorted(path.name for path in (tmp_path / "new/folder").iterdir())
    assert names == sorted(os.path.basename(file) for file in files)
    assert names == [
        "added_tokens.json",
        "chat_template.jinja",
        "tokenization_superword.py",
        "tokenizer.superword",
        "tokenizer_config.json",
    ]
    saved = (tmp_path / "new/folder/tokenizer.superword").read_bytes()
    assert saved == tokenizer.engine.to_bytes()
    assert tokenizer.save_vocabulary(tmp_path, "my") == (str(tmp_path / "my-tokenizer.superword"),)
    assert (tmp_path / "my-tokenizer.superword").read_bytes() == saved


@pytest.mark.parametrize("load", [SuperwordTokenizer, AutoTokenizer])
def test_what_is_loaded(tokenizer, tmp_path, load, backend_name):
    tokenizer.save_pretrained(tmp_path)
    again = load.from_pretrained(tmp_path, backend=backend_name)
    assert type(again) is SuperwordTokenizer
    assert again.engine.backend == backend_name
    assert again.engine == tokenizer.engine
    assert again(TEXTS, padding=True) == tokenizer(TEXTS, padding=True)
    assert again.get_vocab() == tokenizer.get_vocab()
    assert again.added_tokens_decoder == tokenizer.added_tokens_decoder
    assert again.all_special_tokens == tokenizer.all_special_tokens
    assert (again.padding_side, again.model_max_length) == ("left", 512)
    assert again.apply_chat_template([{"role": "user", "content": "x"}], tokenize=False) == "x<s>"
    again.save_pretrained(tmp_path / "twice")
    for path in (tmp_path / "twice").iterdir():
        assert path.read_bytes() == (tmp_path / path.name).read_bytes()


def test_special_tokens_that_are_none_any_more(engine, tmp_path):
    tokenizer = SuperwordTokenizer(engine, bos_token="<s>")
    tokenizer.add_special_tokens({"extra_special_tokens": ["[X]"]})
    assert tokenizer.all_special_tokens == ["<s>", "[X]"]
    tokenizer.save_pretrained(tmp_path)
    again = SuperwordTokenizer.from_pretrained(tmp_path)
    assert again.all_special_tokens == ["<s>", "[X]"]
    assert again("</s>")["input_ids"] == [engine.special_tokens["</s>"]]


def test_a_file_alone(engine, tmp_path):
    engine.save(tmp_path / "en.superword")
    tokenizer = SuperwordTokenizer.from_pretrained(tmp_path / "en.superword", pad_token="<pad>")
    assert (len(tokenizer), tokenizer.engine) == (len(engine) + 1, engine)


def test_limits_of_loading(tokenizer, tmp_path):
    tokenizer.save_pretrained(tmp_path)
    with pytest.raises(superword.ModelFormatError, match="max_token_bytes"):
        SuperwordTokenizer.from_pretrained(tmp_path, max_token_bytes=2)


@pytest.mark.parametrize("name", ["tokenizer.json", "tokenizer.model", "vocab.json"])
def test_no_folder_with_two_tokenizers(tokenizer, tmp_path, name):
    (tmp_path / name).write_text("{}")
    with pytest.raises(superword.SettingsError, match=f"has the {name} of another tokenizer"):
        tokenizer.save_pretrained(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]


# --- files that were made to harm, or are damaged


def load(folder):
    return SuperwordTokenizer.from_pretrained(folder)


def damaged(tokenizer, folder, change):
    """A folder whose `tokenizer_config.json` was changed."""
    tokenizer.save_pretrained(folder)
    path = folder / "tokenizer_config.json"
    config = json.loads(path.read_text("utf-8"))
    config.update(change(config) if callable(change) else change)
    path.write_text(json.dumps(config), "utf-8")
    return folder


def test_no_path_comes_from_a_file(tokenizer, tmp_path):
    """Nor anything else that decides what is loaded, or from where."""
    (tmp_path / "secret").write_text("not a model")
    harm = {
        "model_file": str(tmp_path / "secret"),
        "vocab_file": "../secret",
        "tokenizer_file": "../secret",
        "tokenizer": "../secret",
        "name_or_path": "../secret",
        "auto_map": {"AutoTokenizer": ["evil.Evil", None]},
        "backend": "nowhere",
        "init_inputs": ["../secret"],
        "cache": {"texts": 7},
        "engine": 7,
        "_auto_map": 7,
        "padding_side": None,
    }
    tokenizer.padding_side = "right"
    folder = damaged(tokenizer, tmp_path / "folder", harm)
    for again in (load(folder), AutoTokenizer.from_pretrained(folder)):
        assert again(TEXTS) == tokenizer(TEXTS)
        again.save_pretrained(tmp_path / "again")
        text = (tmp_path / "again/tokenizer_config.json").read_text("utf-8")
        assert "secret" not in text
        assert "evil" not in text
    (folder / "tokenizer.model").write_text("not a model")
    assert load(folder)(TEXTS) == tokenizer(TEXTS)
    (folder / "tokenizer.superword").unlink()
    with pytest.raises(superword.ModelFormatError, match=r"has no tokenizer\.superword"):
        load(folder)


def with_added(number, content, **flags):
    def change(config):
        token = {"content": content, "special": False, **flags}
        return {"added_tokens_decoder": {**config["added_tokens_decoder"], number: token}}

    return change


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"padding_side": "middle"}, "'padding_side' must be 'left' or 'right'"),
        ({"model_max_length": "many"}, "'model_max_length' must be a number"),
        ({"model_max_length": float("nan")}, "'model_max_length' must be a number"),
        ({"bos_token": 7}, "'bos_token' must be a token"),
        ({"bos_token": ""}, "'bos_token' must be a token"),
        ({"bos_token": "\ud800"}, "has a lone surrogate in a string"),
        ({"special_tokens_pattern": "boss"}, "'special_tokens_pattern' must be one of none, bos"),
        ({"token_type_ids_pattern": 1}, "'token_type_ids_pattern' must be 'bert_style' or"),
        ({"model_specific_special_tokens": ["x"]}, "must be an object of tokens"),
        ({"extra_special_tokens": {"__type": "AddedToken"}}, "must be an object of tokens"),
        ({"model_input_names": []}, "'model_input_names' must be a list of strings"),
        ({"processor_class": 7}, "'processor_class' must be a string"),
        ({"bos_token": {"content": "<s>"}}, "'bos_token' must be a token"),
        ({"my_token": ["x"]}, "'my_token' must be a token"),
        ({"extra_special_tokens": ["x", 7]}, "'extra_special_tokens' must be a list of tokens"),
        ({"chat_template": 7}, "'chat_template' must be a string"),
        ({"chat_template": [{"name": 7}]}, "'chat_template' must be a string"),
        ({"model_input_names": "input_ids"}, "'model_input_names' must be a list of strings"),
        ({"split_special_tokens": "no"}, "'split_special_tokens' must be true or false"),
        ({"get_vocab": True}, "'get_vocab' is the name of a method"),
        ({"added_tokens_decoder": []}, "'added_tokens_decoder' must be an object of ids"),
        (with_added("-1", "x"), "'added_tokens_decoder' must be an object of ids"),
        (with_added("9" * 400, "x"), "'added_tokens_decoder' must be an object of ids"),
        (with_added("400", 7), "'added_tokens_decoder' must be an object of ids"),
        (with_added("333", ""), "'added_tokens_decoder' must be an object of ids"),
        (with_added("400", "x", lstrip="no"), "'added_tokens_decoder' must be an object of ids"),
        (with_added("400", "x", path="x"), "'added_tokens_decoder' must be an object of ids"),
        (with_added("400", "fox"), "added token 'fox' has id 400 and not 333"),
        (with_added("98", "fox"), "added token 'fox' has id 98 and not 329"),
        (with_added("333", "b"), "added token 'b' has id 333 and not 98"),
        (with_added("333", "dog"), "added token 'dog' is there twice"),
        (with_added("327", "<t>"), "added token '<t>' has id 327 and not 329"),
    ],
)
def test_settings_that_cannot_be(tokenizer, tmp_path, change, text):
    with pytest.raises(superword.ModelFormatError) as found:
        load(damaged(tokenizer, tmp_path, change))
    assert text in str(found.value)
    assert "tokenizer_config.json" in str(found.value)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "is no JSON"),
        (b"\x80", "is no UTF-8"),
        (b"[" * 100_000, "is nested too deep"),
        (b"[]", "must hold a JSON object"),
        (b'{"bos_token": ' + b"9" * 5000 + b"}", "is no JSON: Exceeds the limit"),
    ],
)
def test_settings_that_are_none(tokenizer, tmp_path, data, text):
    tokenizer.save_pretrained(tmp_path)
    (tmp_path / "tokenizer_config.json").write_bytes(data)
    with pytest.raises(superword.ModelFormatError, match=f"tokenizer_config.json': {text}"):
        load(tmp_path)


def test_a_model_that_is_none(tokenizer, tmp_path):
    tokenizer.save_pretrained(tmp_path)
    (tmp_path / "tokenizer.superword").write_bytes(b"SUPERWORD")
    with pytest.raises(superword.ModelFormatError, match=r"model file '.*tokenizer\.superword'"):
        load(tmp_path)


def test_a_template_that_would_be_saved_elsewhere(tokenizer, tmp_path):
    folder = damaged(
        tokenizer, tmp_path / "a", {"chat_template": [{"name": "../../x", "template": "y"}]}
    )
    (folder / "chat_template.jinja").unlink()
    with pytest.raises(ValueError, match="Invalid chat template name"):
        load(folder).save_pretrained(tmp_path / "b")
    assert not (tmp_path / "x.jinja").exists()


# --- processes in which the class is not known

FRESH = """
import json, sys
from transformers import AutoTokenizer

def attempt(folder, **keywords):
    try:
        found = AutoTokenizer.from_pretrained(folder, **keywords)
        return type(found).__name__, found("by the way")["input_ids"]
    except Exception as error:
        return type(error).__name__, str(error)

known = "superword.integrations.transformers"
folders = sys.argv[1:]
results = []
for folder in folders:
    results += [attempt(folder), attempt(folder, trust_remote_code=False)]
assert known not in sys.modules
results += [attempt(folder, trust_remote_code=True) for folder in folders]
print()
print(json.dumps(results))
"""
BLOCK = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "superword":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Block())
"""


WITHOUT = """
import sys
sys.modules["transformers"] = None
import superword
superword.train(["to be"], vocab_size=256)
from superword.integrations import lm_eval
try:
    from superword.integrations.transformers import SuperwordTokenizer
except ImportError as error:
    print(error)
"""


def test_a_process_without_transformers(backend_name, tmp_path):
    text = run(WITHOUT, home=tmp_path / "home", SUPERWORD_BACKEND=backend_name)
    assert "needs transformers 5; pip install superword[transformers] (" in text


def test_a_process_that_did_not_import_the_class(tmp_path):
    """It gets this class, if it trusts the folder, or an error: never another class."""
    engine = superword.train(["by the way"] * 9, vocab_size=260, special_tokens=["<s>"])
    folders = []
    for kind in ("", "llama", "qwen2", "of_no_known_type"):
        folder = tmp_path / f"folder-{kind}"
        SuperwordTokenizer(engine).save_pretrained(folder)
        if kind:  # the folder of a model
            (folder / "config.json").write_text(json.dumps({"model_type": kind}))
        folders.append(folder)
    results = json.loads(run(FRESH, *folders, home=tmp_path / "home"))
    untrusted, trusted = results[:8], results[8:]
    assert [name for name, _ in untrusted] == ["ValueError"] * 8
    for number, (_, text) in enumerate(untrusted):
        expected = (
            "the backend tokenizer" if number // 2 == 2 else "contains custom code which must be"
        )
        assert expected in text
    assert trusted == [["SuperwordTokenizer", engine.encode("by the way")]] * 4
    without = json.loads(run(BLOCK + FRESH, folders[0], home=tmp_path / "home"))[-1]
    assert without[0] == "ImportError"
    assert "superword" in without[1]
    for folder in folders:  # and where the class is known, any folder gives it
        assert type(AutoTokenizer.from_pretrained(folder)) is SuperwordTokenizer
