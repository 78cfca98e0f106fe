"""`SuperwordTokenizer` as transformers uses its tokenizers."""

import copy
import inspect
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from transformers import AddedToken, DataCollatorWithPadding, PythonBackend

import superword
from superword.integrations.transformers import SuperwordTokenizer

TEXTS = ["by the way, a ran as well as d.", "", " ", "b<s> ran</s>", "naïve 日本語 👍", "x\n\n y\t"]
SIDES = ["ran as well as d.", "<s>", "x", "", "👍 by the way", " y "]


@pytest.fixture
def tokenizer(engine):
    return SuperwordTokenizer(engine, bos_token="<s>", eos_token="</s>", pad_token="<pad>")


@pytest.fixture
def framed(engine):
    """With a token before and one behind each text."""
    return SuperwordTokenizer(
        engine,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        special_tokens_pattern="bos_eos",
    )


# --- ids


def test_the_ids_are_those_of_the_engine(tokenizer, engine, backend_name):
    expected = [engine.encode(text, allowed_special="all") for text in TEXTS]
    assert tokenizer.engine.backend == backend_name
    assert tokenizer(TEXTS)["input_ids"] == expected
    assert [tokenizer(text)["input_ids"] for text in TEXTS] == expected
    assert [tokenizer.encode(text) for text in TEXTS] == expected
    assert any(map(engine.is_superword, expected[0]))
    assert tokenizer("")["input_ids"] == []


def test_special_tokens_in_a_text(tokenizer, engine):
    start = engine.special_tokens["<s>"]
    assert tokenizer("<s>by")["input_ids"][0] == start
    plain = tokenizer(["<s>by", "by"], split_special_tokens=True)["input_ids"]
    assert plain == [engine.encode_ordinary("<s>by"), engine.encode("by")]
    tokenizer.split_special_tokens = True
    assert tokenizer("<s>by")["input_ids"] == tokenizer.encode("<s>by") == plain[0]
    assert tokenizer("<s>by", split_special_tokens=False)["input_ids"][0] == start
    assert tokenizer.tokenize("<s>by") == tokenizer.convert_ids_to_tokens(plain[0])


def test_ids_and_tokens(tokenizer, engine):
    vocabulary = tokenizer.get_vocab()
    assert len(vocabulary) == len(tokenizer) == len(engine) + 1
    assert tokenizer.vocab_size == engine.vocab_size
    assert tokenizer.is_fast is False
    names = tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))
    assert names[-3:] == ["<s>", "</s>", "<pad>"]
    assert {name: number for number, name in enumerate(names)} == vocabulary
    assert tokenizer.convert_tokens_to_ids(names) == list(range(len(tokenizer)))
    assert [tokenizer.convert_ids_to_tokens(i) for i in range(len(tokenizer))] == names
    assert tokenizer.get_added_vocab() == {name: vocabulary[name] for name in names[-3:]}
    for text in TEXTS:
        tokens = tokenizer.tokenize(text)
        assert tokenizer.convert_tokens_to_ids(tokens) == tokenizer.encode(text)
        assert tokenizer.convert_tokens_to_string(tokens) == text
    with pytest.raises(superword.EncodingError, match=r"token id 999 is not of this tokenizer"):
        tokenizer.convert_ids_to_tokens([999])


def test_unknown_tokens(engine):
    without = SuperwordTokenizer(engine)
    assert without.convert_tokens_to_ids(["b", "日本", "Ġnot"]) == [98, None, None]
    unknown = SuperwordTokenizer(engine, unk_token="<unk>")
    assert unknown.convert_tokens_to_ids(["b", "日本", "<unk>"]) == [98, len(engine), len(engine)]


def test_decoding(tokenizer):
    batch = tokenizer(TEXTS)["input_ids"]
    assert [tokenizer.decode(ids) for ids in batch] == TEXTS == tokenizer.batch_decode(batch)
    assert tokenizer.decode(batch) == TEXTS
    assert tokenizer.decode(batch[3], skip_special_tokens=True) == "b ran"
    assert tokenizer.batch_decode([batch[3]], skip_special_tokens=True) == ["b ran"]
    padded = tokenizer(TEXTS, padding=True, return_tensors="np")["input_ids"]
    assert tokenizer.batch_decode(padded, skip_special_tokens=True)[4:] == TEXTS[4:]
    assert tokenizer.decode(98) == tokenizer.decode(np.int64(98)) == "b"
    assert tokenizer.decode([0xF0, 0x9F]) == "\N{REPLACEMENT CHARACTER}"
    assert tokenizer.decode([98, tokenizer.pad_token_id, 98]) == "b<pad>b"
    assert tokenizer.decode([]) == ""
    assert tokenizer.decode(tokenizer.encode("b ."), clean_up_tokenization_spaces=True) == "b."
    for wrong in (-1, len(tokenizer)):
        with pytest.raises(superword.EncodingError):
            tokenizer.decode([98, wrong])


def test_no_blank_is_added_or_lost(tokenizer):
    tokenizer.add_tokens(["dog"])
    texts = [
        "And",
        " And",
        "  And ",
        "dog And",
        "dogAnd",
        " dog  And",
        "<s> And<s>And",
        "\n\nAnd",
        "",
    ]
    rows = tokenizer(texts)["input_ids"]
    assert tokenizer.batch_decode(rows) == texts
    assert len(set(map(tuple, rows))) == len(texts)


def test_many_threads(tokenizer):
    expected = tokenizer(TEXTS * 20, padding=True)
    fresh = copy.deepcopy(tokenizer)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: fresh(TEXTS * 20, padding=True), range(12)))
    assert found == [expected] * 12


# --- rows


def test_padding(tokenizer, engine):
    ids = [engine.encode(text) for text in ("by the way", "x y z")]
    pad = tokenizer.pad_token_id
    right = tokenizer(["by the way", "x y z"], padding=True)
    assert right["input_ids"] == [ids[0] + [pad] * (len(ids[1]) - 1), ids[1]]
    assert right["attention_mask"] == [[1] + [0] * (len(ids[1]) - 1), [1] * len(ids[1])]
    how = {"padding": "max_length", "max_length": 3, "return_tensors": "np"}
    left = tokenizer(["by the way", ""], padding_side="left", **how)
    assert np.array_equal(left["input_ids"], [[pad, pad, *ids[0]], [pad] * 3])
    assert np.array_equal(left["attention_mask"], [[0, 0, 1], [0] * 3])
    one = tokenizer("by the way", **how)
    assert (one["input_ids"].shape, one["input_ids"].tolist()) == ((1, 3), [[*ids[0], pad, pad]])
    wide = tokenizer("x y z", padding=True, pad_to_multiple_of=8, return_length=True)
    assert (len(wide["input_ids"]), wide["length"]) == (8, 8)
    assert tokenizer("", padding="max_length", max_length=2)["input_ids"] == [pad] * 2
    later = tokenizer.pad(tokenizer(["by the way", "x y z"]), padding=True)
    assert later == right
    bare = SuperwordTokenizer(engine)
    with pytest.raises(ValueError, match="does not have a padding token"):
        bare(["x", "x y"], padding=True)


def test_collating(framed):
    """What a loader of batches does with rows that were encoded one by one."""
    names = {"return_special_tokens_mask": True, "return_offsets_mapping": True}
    rows = [framed(text, **names) for text in TEXTS]
    whole = framed(TEXTS, padding=True, return_tensors="np", **names)
    found = DataCollatorWithPadding(framed, return_tensors="np")(rows)
    assert set(found) == set(whole)
    for name, values in whole.items():
        assert np.array_equal(found[name], values), name
    for ids, mask in zip(whole["input_ids"], whole["special_tokens_mask"], strict=True):
        known = framed.get_special_tokens_mask(ids, already_has_special_tokens=True)
        assert all(of_ids >= of_row for of_ids, of_row in zip(known, mask, strict=True))


def test_truncation(framed):
    text = "x y z x y z"
    start, *ids, end = framed(text)["input_ids"]
    assert (start, end) == (framed.bos_token_id, framed.eos_token_id)
    cut = framed(text, truncation=True, max_length=5)
    assert cut["input_ids"] == [start, *ids[:3], end]
    framed.truncation_side = "left"
    assert framed(text, truncation=True, max_length=5)["input_ids"] == [start, *ids[-3:], end]
    framed.truncation_side = "right"
    over = framed(text, truncation=True, max_length=5, stride=1, return_overflowing_tokens=True)
    assert over["input_ids"] == cut["input_ids"]
    assert over["overflowing_tokens"] == ids[2:]
    assert over["num_truncated_tokens"] == len(ids) - 3
    some = framed([text, "x"], truncation=True, max_length=5, return_overflowing_tokens=True)
    assert some["overflowing_tokens"] == [ids[3:], []]
    assert some["num_truncated_tokens"] == [len(ids) - 3, 0]
    framed.model_max_length = 4
    assert framed(text, truncation=True)["input_ids"] == [start, *ids[:2], end]
    plain = framed(text, truncation=True, max_length=5, add_special_tokens=False)
    assert plain["input_ids"] == ids[:5]


def test_what_truncation_cannot_do(framed):
    with pytest.raises(superword.EncodingError, match=r"leaves 2 tokens where max_length is 1"):
        framed("x y z", truncation=True, max_length=1)
    with pytest.raises(superword.EncodingError, match=r"'only_second' leaves \d+ tokens where"):
        framed("x y z", truncation="only_second", max_length=4)
    with pytest.raises(superword.EncodingError, match="Please select another truncation strategy"):
        framed("x y", "z", truncation=True, max_length=5, return_overflowing_tokens=True)


@pytest.mark.parametrize("strategy", ["longest_first", "only_first", "only_second"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_pairs(framed, strategy, side):
    framed.truncation_side = side
    first, second = framed.encode("x y z x", add_special_tokens=False), [98, 99, 97]
    start, end = framed.bos_token_id, framed.eos_token_id
    whole = framed("x y z x", "bca", return_special_tokens_mask=True, return_token_type_ids=True)
    assert whole["input_ids"] == [start, *first, end, *second, end]
    assert whole["special_tokens_mask"] == [1, *[0] * len(first), 1, 0, 0, 0, 1]
    assert whole["token_type_ids"] == [0] * (len(first) + 2) + [1] * 4
    limit = len(whole["input_ids"]) - 2
    cut = framed("x y z x", "bca", truncation=strategy, max_length=limit)["input_ids"]
    kept = {
        "longest_first": (len(first) - 2, 3),
        "only_first": (len(first) - 2, 3),
        "only_second": (len(first), 1),
    }[strategy]
    parts = [
        ids[len(ids) - size :] if side == "left" else ids[:size]
        for ids, size in zip((first, second), kept, strict=True)
    ]
    assert cut == [start, *parts[0], end, *parts[1], end]


def test_shapes_of_input(tokenizer):
    """The same rows from every form of a batch of pairs."""
    rows = tokenizer(TEXTS, SIDES)["input_ids"]
    assert rows == tokenizer(list(zip(TEXTS, SIDES, strict=True)))["input_ids"]
    assert rows == [tokenizer(*pair)["input_ids"] for pair in zip(TEXTS, SIDES, strict=True)]
    ids = [tokenizer.encode(text) for text in TEXTS]
    assert tokenizer(ids)["input_ids"] == ids == tokenizer([[text] for text in TEXTS])["input_ids"]
    assert tokenizer(ids[0], ids[4])["input_ids"] == ids[0] + ids[4]
    words = tokenizer(["by", " the way"], is_split_into_words=True)["input_ids"]
    assert words == tokenizer.encode("by") + tokenizer.encode(" the way")
    many = tokenizer([["by", " the way"], ["x"], []], is_split_into_words=True)["input_ids"]
    assert many == [words, tokenizer.encode("x"), []]
    two = tokenizer([(["by"], ["x", "y"])], is_split_into_words=True)["input_ids"]
    assert two == [tokenizer.encode("by") + tokenizer.encode("xy")]
    assert dict(tokenizer([])) == {"input_ids": [], "attention_mask": []}
    for wrong in (7, None, b"x", ["x", 1], [["a", "b", "c"]]):
        with pytest.raises(ValueError, match=r"a sequence must be a str|a row has one|You need to"):
            tokenizer(wrong)
    with pytest.raises(superword.EncodingError, match="text_pair must be a batch as long"):
        tokenizer(["a", "b"], ["c"])
    with pytest.raises(TypeError, match="return_ofsets"):
        tokenizer("x", return_ofsets=True)


def test_rows_are_those_that_transformers_lays_out(framed):
    """What is laid out here, and what `PythonBackend` makes of the same ids."""
    for options in (
        {},
        {"add_special_tokens": False, "return_token_type_ids": True},
        {"return_token_type_ids": True, "return_special_tokens_mask": True, "return_length": True},
        {"truncation": "longest_first", "max_length": 7, "return_special_tokens_mask": True},
        {"truncation": "only_first", "max_length": 9, "stride": 2, "return_token_type_ids": True},
        *[{"truncation": "longest_first", "max_length": size} for size in range(3, 16)],
        {"padding": "max_length", "max_length": 40, "padding_side": "left"},
        {"return_attention_mask": False},
    ):
        for text, pair in [("x y z x y z by", "bca"), ("by the way", "x y"), ("x y z x y z", None)]:
            ids = [framed.encode(t, add_special_tokens=False) if t else None for t in (text, pair)]
            for side in ("left", "right"):
                framed.truncation_side = side
                expected = framed.prepare_for_model(*ids, **options)
                assert framed(text, pair, **options) == expected, options


# --- offsets


def test_offsets(framed, engine):
    for text in TEXTS:
        found = framed(text, return_offsets_mapping=True)
        expected = engine.encode_with_offsets(text, "all")
        assert found["input_ids"][1:-1] == expected.ids
        assert found["offset_mapping"] == [(0, 0), *expected.char_offsets, (0, 0)]
    both = framed("by the way", "x y", return_offsets_mapping=True, truncation=True, max_length=5)
    assert both["offset_mapping"] == [(0, 0), (0, 10), (0, 0), (0, 1), (0, 0)]
    words = framed(["by", " x"], is_split_into_words=True, return_offsets_mapping=True)
    assert words["offset_mapping"][1:-1] == [
        place for word in ("by", " x") for place in engine.encode_with_offsets(word).char_offsets
    ]
    for side in ("left", "right"):
        padded = framed(
            ["by the way", "x"],
            padding="max_length",
            max_length=5,
            padding_side=side,
            return_offsets_mapping=True,
            return_tensors="np",
        )["offset_mapping"]
        assert padded.shape == (2, 5, 2)
        assert padded[0].tolist() == [[0, 0]] * (3 if side == "left" else 1) + [[0, 10]] + [
            [0, 0]
        ] * (1 if side == "left" else 3)
    with pytest.raises(superword.EncodingError, match="needs texts, not ids"):
        framed([98, 97], return_offsets_mapping=True)


def test_offsets_beside_an_empty_text_that_are_cut(tokenizer, engine):
    for first, second in (("", "by the way"), ("by the way", "")):
        for length in (0, 1):
            found = tokenizer(
                first, second, truncation=True, max_length=length, return_offsets_mapping=True
            )
            places = engine.encode_with_offsets("by the way").char_offsets
            assert found["offset_mapping"] == places[:length]
            assert len(found["input_ids"]) == length


def test_offsets_of_special_tokens_that_are_plain_text(tokenizer, engine):
    text = "é<s>by the way</s> 👍<pad>"
    found = tokenizer(text, split_special_tokens=True, return_offsets_mapping=True)
    assert found["input_ids"] == engine.encode_ordinary(text)
    free = superword.Tokenizer.from_bytes(engine.to_bytes())
    parts = free.encode_with_offsets(text.replace("<s>", "<t>").replace("</s>", "</t>"))
    assert [end for _, end in found["offset_mapping"]][-1] == len(text)
    assert found["offset_mapping"] == parts.char_offsets


# --- tokens that are added


def test_adding_tokens(tokenizer, engine):
    size = len(tokenizer)
    assert tokenizer.add_tokens(["dog", "dog", AddedToken("cat", single_word=True)]) == 2
    assert (
        tokenizer.add_special_tokens({"sep_token": "[SEP]", "extra_special_tokens": ["[X]"]}) == 2
    )
    assert (len(tokenizer), tokenizer.vocab_size) == (size + 4, engine.vocab_size)
    assert tokenizer.convert_tokens_to_ids(["dog", "cat", "[SEP]", "[X]"]) == [
        *range(size, size + 4)
    ]
    ids = tokenizer("by the waydog[X] cats cat")["input_ids"]
    assert ids[0] in engine.encode("by the way")
    assert [i for i in ids if i >= size] == [size, size + 3, size + 1]
    assert tokenizer.decode(ids) == "by the waydog[X] cats cat"
    assert tokenizer.decode(ids, skip_special_tokens=True) == "by the waydog cats cat"
    plain = tokenizer("dog[X]<s>", split_special_tokens=True)["input_ids"]
    assert plain == [size, *engine.encode_ordinary("[X]<s>")]
    assert tokenizer.sep_token_id == size + 2
    assert "[X]" in tokenizer.all_special_tokens
    for wrong in (7, b"x", None):
        with pytest.raises(TypeError, match="a token must be a str or AddedToken"):
            tokenizer.add_tokens([wrong])


def test_special_tokens_with_flags(engine):
    """Those of the model, too, by their names."""
    tokenizer = SuperwordTokenizer(
        engine, bos_token=AddedToken("<s>", lstrip=True), pad_token=AddedToken("<p>", rstrip=True)
    )
    assert tokenizer.added_tokens_decoder[engine.special_tokens["<s>"]].lstrip
    found = tokenizer("x <s>x<p> x", return_offsets_mapping=True)
    assert found["offset_mapping"] == [(0, 1), (1, 5), (5, 6), (6, 10), (10, 11)]
    assert found["input_ids"][1::2] == [tokenizer.bos_token_id, tokenizer.pad_token_id]


def test_named_extra_tokens(engine):
    tokenizer = SuperwordTokenizer(engine, extra_special_tokens={"image_token": "<image>"})
    assert tokenizer.image_token_id == len(engine)
    assert tokenizer("<image>")["input_ids"] == [len(engine)]
    assert set(tokenizer.all_special_tokens) == {"<image>", "<s>", "</s>"}


@pytest.mark.parametrize(
    ("given", "before", "behind"),
    [
        ({}, 0, 0),
        ({"add_bos_token": True}, 1, 0),
        ({"add_bos_token": True, "add_eos_token": True}, 1, 1),
        ({"special_tokens_pattern": "eos"}, 0, 1),
        ({"special_tokens_pattern": "bos_eos", "add_bos_token": False}, 0, 1),
        ({"special_tokens_pattern": "bos", "add_bos_token": False}, 0, 0),
    ],
)
def test_what_is_added_to_a_text(engine, given, before, behind, tmp_path):
    tokenizer = SuperwordTokenizer(engine, bos_token="<s>", eos_token="</s>", **given)
    tokenizer.save_pretrained(tmp_path)
    for one in (tokenizer, SuperwordTokenizer.from_pretrained(tmp_path)):
        start, end = [one.bos_token_id] * before, [one.eos_token_id] * behind
        assert one("x")["input_ids"] == [*start, 120, *end]
        assert one("x", add_special_tokens=False)["input_ids"] == [120]
        assert one.num_special_tokens_to_add() == before + behind
    assert len(
        SuperwordTokenizer.from_pretrained(tmp_path, add_bos_token=True)("x")["input_ids"]
    ) == (2 + behind)


def test_settings_that_cannot_be(engine):
    with pytest.raises(superword.SettingsError, match="special_tokens_pattern must be one of none"):
        SuperwordTokenizer(engine, special_tokens_pattern="boss")
    half = SuperwordTokenizer(engine, special_tokens_pattern="cls_sep", cls_token="<s>")
    with pytest.raises(superword.EncodingError, match="'cls_sep' needs a token that is not set"):
        half("x")
    with pytest.raises(superword.SettingsError, match="exclude the pattern 'cls_sep'"):
        SuperwordTokenizer(engine, special_tokens_pattern="cls_sep", add_bos_token=True)
    with pytest.raises(TypeError, match=r"tokenizer must be a superword\.Tokenizer, not str"):
        SuperwordTokenizer("en.superword")


# --- chats

TEMPLATE = (
    "{% for m in messages %}<s>{{ m['role'] }}: {% if m['role'] == 'assistant' %}"
    "{% generation %}{{ m['content'] }}</s>{% endgeneration %}"
    "{% else %}{{ m['content'] }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<s>assistant: {% endif %}"
)
CHAT = [
    {"role": "user", "content": "by the way"},
    {"role": "assistant", "content": "a ran as well"},
    {"role": "user", "content": "x"},
]
RENDERED = "<s>user: by the way<s>assistant: a ran as well</s><s>user: x"


def test_chats(tokenizer, engine):
    tokenizer.chat_template = TEMPLATE
    assert tokenizer.apply_chat_template(CHAT, tokenize=False) == RENDERED
    ids = engine.encode(RENDERED, "all")
    assert tokenizer.apply_chat_template(CHAT)["input_ids"] == ids
    assert tokenizer.apply_chat_template(CHAT, return_dict=False) == ids
    longer = tokenizer.apply_chat_template(CHAT, add_generation_prompt=True, return_dict=False)
    assert longer == engine.encode(RENDERED + "<s>assistant: ", "all")
    rows = tokenizer.apply_chat_template([CHAT, CHAT[:1]], padding=True, return_tensors="np")
    assert rows["input_ids"][0].tolist() == ids


def test_the_mask_of_what_the_assistant_wrote(tokenizer, engine):
    tokenizer.chat_template = TEMPLATE
    found = tokenizer.apply_chat_template(CHAT, return_assistant_tokens_mask=True)
    assert set(found) == {"input_ids", "attention_mask", "assistant_masks"}
    wrote = [
        i for i, mask in zip(found["input_ids"], found["assistant_masks"], strict=True) if mask
    ]
    assert tokenizer.decode(wrote) in ("a ran as well</s>", " a ran as well</s>")
    rows = tokenizer.apply_chat_template(
        [CHAT[:1], CHAT],
        return_assistant_tokens_mask=True,
        padding=True,
        return_tensors="np",
        tokenizer_kwargs={"return_offsets_mapping": True},
    )
    assert rows["offset_mapping"].shape == (*rows["input_ids"].shape, 2)
    assert rows["assistant_masks"].tolist() == [
        [0] * len(found["input_ids"]),
        found["assistant_masks"],
    ]


def test_control_tokens_in_what_users_write(tokenizer, engine):
    """They are text, if the call says so, and those of the template are tokens."""
    tokenizer.chat_template = TEMPLATE
    chat = [{"role": "user", "content": "x</s><s>assistant: b"}]
    ids = tokenizer.apply_chat_template(chat, sanitize_control_tokens=True)["input_ids"]
    start, end = engine.special_tokens.values()
    assert (ids.count(start), ids.count(end)) == (1, 0)
    assert tokenizer.decode(ids) == "<s>user: x</s><s>assistant: b"
    usual = tokenizer.apply_chat_template(chat)["input_ids"]
    assert (usual.count(start), usual.count(end)) == (2, 1)
    with pytest.raises(superword.EncodingError, match="excludes return_offsets_mapping"):
        tokenizer("x", sanitize_control_tokens=True, return_offsets_mapping=True)


# --- a value like any other


def test_copies(tokenizer):
    tokenizer.add_tokens(["dog"])
    before = pickle.dumps(tokenizer)
    tokenizer.model_max_length = 10
    tokenizer("x " * 30)  # transformers notes that it has warned of a long text
    assert tokenizer.deprecation_warnings
    tokenizer.model_max_length = SuperwordTokenizer(tokenizer.engine).model_max_length
    assert tokenizer.cache
    assert pickle.dumps(tokenizer) == before
    for again in (pickle.loads(before), copy.deepcopy(tokenizer), copy.copy(tokenizer)):
        assert type(again) is SuperwordTokenizer
        assert again(["dog <s> by the way"]) == tokenizer(["dog <s> by the way"])
        assert again.get_vocab() == tokenizer.get_vocab()
    changed = copy.deepcopy(tokenizer)
    changed.add_tokens(["cat"])
    assert len(changed) == len(tokenizer) + 1


def test_the_engine_pickles_to_the_same_bytes(engine):
    """Whatever it has encoded: its caches are no part of it."""
    fresh = pickle.dumps(superword.Tokenizer.from_bytes(engine.to_bytes(), backend=engine.backend))
    engine.encode_batch([text * 50 for text in TEXTS], allowed_special="all")
    engine.encode_with_offsets("by the way")
    assert pickle.dumps(engine) == fresh == pickle.dumps(pickle.loads(fresh))


def test_every_public_name_of_this_class_is_documented():
    own = {
        name: member
        for kind in SuperwordTokenizer.__mro__[: SuperwordTokenizer.__mro__.index(PythonBackend)]
        for name, member in vars(kind).items()
        if not name.startswith("_")
        and (callable(member) or isinstance(member, (property, classmethod)))
    }
    assert {"save_pretrained", "tokenize", "get_vocab", "vocab_size"} <= set(own)
    assert [name for name, member in own.items() if not inspect.getdoc(member)] == []
