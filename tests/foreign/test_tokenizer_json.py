"""Vocabularies of `tokenizers`: the same ids as that package gives, or refused by name."""

import itertools
import json
import random

import pytest
from tokenizers import AddedToken, Regex, decoders, models, pre_tokenizers, trainers
from tokenizers import Tokenizer as Theirs

import superword
from superword import Tokenizer
from superword.errors import ModelFormatError, SuperwordWarning
from superword.export.tokenizer_json import as_letters
from superword.foreign.tokenizer_json import read_tokenizer_json
from superword.reference.patterns import NAMED_PATTERNS

LLAMA = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def byte_level(use_regex):
    return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=use_regex)


def split(pattern, behavior="isolated", invert=False):
    first = pre_tokenizers.Split(Regex(pattern), behavior, invert)
    return pre_tokenizers.Sequence([first, byte_level(False)])


WAYS = {
    "gpt2": lambda: byte_level(True),
    "llama": lambda: split(LLAMA),
    "qwen": lambda: split(LLAMA.replace("{1,3}", "")),
    "gpt4o": lambda: split(NAMED_PATTERNS["gpt4o"], "removed", True),
    "digits": lambda: pre_tokenizers.Sequence([pre_tokenizers.Digits(True), byte_level(True)]),
    "numbers": lambda: pre_tokenizers.Sequence([pre_tokenizers.Digits(False), byte_level(True)]),
    "uncut": lambda: byte_level(False),
}


def trained(texts, way="gpt2", size=700, special=("<|endoftext|>", "<pad>")):
    theirs = Theirs(models.BPE())
    theirs.pre_tokenizer = WAYS[way]()
    theirs.decoder = decoders.ByteLevel()
    theirs.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=size,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            special_tokens=list(special),
            show_progress=False,
        ),
    )
    return theirs


def loaded(theirs, folder, backend="auto", **keywords):
    path = folder / "tokenizer.json"
    theirs.save(str(path))
    return Tokenizer.from_huggingface(path, backend=backend, **keywords)


def texts_of(tokenizer, count):
    rng = random.Random(len(tokenizer))
    tokens = [tokenizer.token_bytes(number) for number in range(len(tokenizer))]
    parts = [token.decode("utf-8", "ignore") for token in tokens] + ["12345", "  ", "'LL", "\u2029"]
    return ["".join(rng.choices(parts, k=rng.randint(1, 12))) for _ in range(count)]


@pytest.mark.parametrize("way", list(WAYS))
def test_the_same_ids(backend_name, tiny_corpus, tmp_path, way):
    theirs = trained(tiny_corpus, way)
    theirs.add_special_tokens(["<|more|>"])  # behind all tokens, the others are before them
    ours = loaded(theirs, tmp_path, backend_name)
    assert ours.special_tokens == {"<|endoftext|>": 0, "<pad>": 1, "<|more|>": 700}
    assert (len(ours), ours.vocab_size) == (701, 698)
    texts = [*tiny_corpus[::2], *texts_of(ours, 3000)]
    expected = [found.ids for found in theirs.encode_batch(texts)]
    assert ours.encode_batch(texts, allowed_special="all") == expected
    for token in ("<pad>", "e", "th"):
        assert ours.token_to_id(token) == theirs.token_to_id(token)
        assert ours.decode([ours.token_to_id(token)]) == token
    assert Tokenizer.from_bytes(ours.to_bytes(), backend=backend_name) == ours


BYTES = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": False,
    "use_regex": False,
}


def content_of(vocab, merges, **model):
    """A `tokenizer.json` with the 256 bytes before these tokens."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    every = {token: number for number, token in enumerate([*letters, *vocab])}
    rest = {key: model.pop(key) for key in [*model] if key in ("added_tokens", "normalizer")}
    return {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {**BYTES, "use_regex": True},
        "post_processor": None,
        "decoder": BYTES,
        "model": {"type": "BPE", "vocab": every, "merges": merges, **model},
        **rest,
    }


def load(content, folder, backend="auto", **keywords):
    path = folder / "tokenizer.json"
    text = content if isinstance(content, (str, bytes)) else json.dumps(content)
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return Tokenizer.from_huggingface(path, backend=backend, **keywords)


def test_a_token_of_several_merges(backend_name, tmp_path):
    """As converters from tiktoken write them: merges at random, all short texts."""
    rng = random.Random(8)
    texts = ["".join(s) for n in range(1, 10) for s in itertools.product("ab", repeat=n)]
    repeated = 0
    for _ in range(40):
        tokens, merges = ["a", "b"][: rng.randint(1, 2)], []
        letters = len(tokens)
        for _ in range(rng.randint(2, 30)):
            pair = [rng.choice(tokens), rng.choice(tokens)]
            if len("".join(pair)) <= 5 and pair not in merges:
                repeated += "".join(pair) in tokens
                merges.append(pair)
                tokens = list(dict.fromkeys([*tokens, "".join(pair)]))
        content = content_of(tokens[letters:], merges)
        content["pre_tokenizer"]["use_regex"] = False
        ours = load(content, tmp_path, backend_name)
        theirs = Theirs.from_str(json.dumps(content))
        expected = [found.ids for found in theirs.encode_batch(texts)]
        assert ours.encode_batch(texts) == expected, merges
    assert repeated > 20


def test_merges_of_parts_that_are_made_later(backend_name, tmp_path):
    """All splits of tokens at random, in the order of the tokens: refused, or the same ids."""
    rng = random.Random(4)
    texts = ["".join(s) for n in range(1, 9) for s in itertools.product("ab", repeat=n)]
    exact = refused = 0
    for _ in range(300):
        letters = "ab"[: rng.randint(1, 2)]
        tokens = {"".join(rng.choices(letters, k=rng.randint(2, 5))) for _ in range(6)}
        tokens = rng.sample(sorted(tokens), len(tokens))
        known = {*letters, *tokens}
        merges = [
            [token[:at], token[at:]]
            for token in tokens
            for at in range(1, len(token))
            if {token[:at], token[at:]} <= known
        ]
        made = {*letters}
        if all({left, right} <= made and not made.add(left + right) for left, right in merges):
            continue
        content = content_of(tokens, merges)
        content["pre_tokenizer"]["use_regex"] = False
        try:
            ours = load(content, tmp_path, backend_name)
        except ModelFormatError:
            refused += 1
            continue
        theirs = Theirs.from_str(json.dumps(content))
        expected = [found.ids for found in theirs.encode_batch(texts)]
        assert ours.encode_batch(texts) == expected, merges
        exact += 1
    assert exact > 10, (exact, refused)
    assert refused > 10


def test_a_vocabulary_that_was_converted_from_ranks(backend_name, tiny_corpus, tmp_path):
    """All splits of each token in two tokens are merges, as in Llama 3; the ranks come back."""
    trained_here = superword.train(tiny_corpus, vocab_size=900, scheme="gpt2", id_order="gpt2")
    ranks = {trained_here.token_bytes(number): number for number in range(900)}
    merges = []
    for token in list(ranks)[256:]:
        splits = [(token[:at], token[at:]) for at in range(1, len(token))]
        known = [pair for pair in splits if pair[0] in ranks and pair[1] in ranks]
        merges += sorted(known, key=lambda pair: (ranks[pair[0]], ranks[pair[1]]))
    pairs = [[as_letters(left), as_letters(right)] for left, right in merges]
    assert len(pairs) > 700  # for 644 tokens
    assert any(max(ranks[left], ranks[right]) > ranks[left + right] for left, right in merges)
    content = content_of([as_letters(token) for token in list(ranks)[256:]], pairs)
    ours = load(content, tmp_path, backend_name)
    theirs = Theirs.from_str(json.dumps(content))
    for text in [*tiny_corpus, *texts_of(ours, 1000)]:
        assert ours.encode(text) == theirs.encode(text).ids == trained_here.encode(text)
    assert ours.to_tiktoken()._mergeable_ranks == ranks


MERGES = [["b", "c"], ["a", "b"], ["ab", "c"]]
VOCAB = ["bc", "ab", "abc"]


def test_ignored_merges(backend_name, tmp_path):
    """They do not matter where the bytes of every token merge to it."""
    content = content_of(["ab", "abc"], [["a", "b"], ["ab", "c"]], ignore_merges=True)
    ours = load(content, tmp_path, backend_name)
    theirs = Theirs.from_str(json.dumps(content))
    for text in ("abc", "ab", "abcabc", "xabc"):
        assert ours.encode(text) == theirs.encode(text).ids
    content = content_of(VOCAB, MERGES, ignore_merges=True)
    assert Theirs.from_str(json.dumps(content)).encode("abc").ids == [258]
    with pytest.raises(ModelFormatError, match=r"ignore_merges, and token b'abc' \(id 258\)"):
        load(content, tmp_path, backend_name)
    content["model"]["ignore_merges"] = False
    assert load(content, tmp_path, backend_name).encode("abc") == [64, 256]


def added(content, **flags):
    return {"id": 259, "content": content, "special": True, "normalized": False, **flags}


REFUSED = {
    "normalizer 'NFC' changes text": {"normalizer": {"type": "NFC"}},
    "the model must be BPE, not 'Unigram'": {"type": "Unigram"},
    "the model has byte_fallback 'True'": {"byte_fallback": True},
    "the model has dropout '0.1'": {"dropout": 0.1},
    "the model has end_of_word_suffix '</w>'": {"end_of_word_suffix": "</w>"},
    r"merge 1 \('a' and 'xx'\): its part 'xx' is not in the vocabulary": {
        "merges": [["b", "c"], ["a", "xx"]]
    },
    r"merge 0 \('c' and 'b'\): its result 'cb' is not in the vocabulary": {"merges": [["c", "b"]]},
    "merge 0 must be two tokens": {"merges": ["b c d"]},
    r"merge 0 \(b'ab' and b'c'\) uses a token that no merge before it makes": {
        "merges": [["ab", "c"], ["a", "b"]]
    },
    r"merge 0 \(b'a' and b'b'\) makes token b'ab' \(id 257\), and the next id belongs to b'bc'": {
        "merges": [["a", "b"], ["b", "c"]]
    },
    r"merge 1 \(b'b' and b'c'\) repeats merge 0": {"merges": [["b", "c"], ["b", "c"]]},
    r"token b'abc' \(id 258\) is made by no merge": {"merges": MERGES[:2]},
    "token 'ö ' has the character ' '": {"vocab": {"ö ": 0}, "merges": []},
    "tokens b'a' and b'b' have the same id 0": {"vocab": {"a": 0, "b": 0}, "merges": []},
    "id 1 is unused and token b'b' behind it has id 2": {"vocab": {"a": 0, "b": 2}, "merges": []},
    "the vocabulary lacks the single byte": {"vocab": {"a": 0, "b": 1}, "merges": []},
    "the id of token 'a' is not a whole number": {"vocab": {"a": True}, "merges": []},
    "added token '<s>' has lstrip": {"added_tokens": [added("<s>", lstrip=True)]},
    "added token 0 must have a content and an id": {"added_tokens": [{"id": 3, "content": ""}]},
    "added token 'ab' is one that merges make": {"added_tokens": [added("ab", id=257)]},
    r"added tokens '<s>' and 's>' can overlap": {
        "added_tokens": [added("<s>"), added("s>", id=260, special=False, normalized=True)]
    },
}


@pytest.mark.parametrize("text", list(REFUSED))
def test_refused(tmp_path, text):
    content = content_of(VOCAB, MERGES)
    for key, value in REFUSED[text].items():
        (content if key in content else content["model"])[key] = value
    with pytest.raises(ModelFormatError, match=text) as caught:
        load(content, tmp_path)
    assert str(caught.value).startswith("model file '")
    assert isinstance(caught.value, ValueError)


SPLIT = {"type": "Split", "pattern": {"Regex": "a+|[^a]"}, "behavior": "Isolated", "invert": False}
CUTS = {
    "there is no pre_tokenizer ByteLevel": [],
    "has add_prefix_space": [{**BYTES, "add_prefix_space": True}],
    "must end with its one ByteLevel: it is ByteLevel, Split": [BYTES, SPLIT],
    "cuts in several steps, Split, Split, ByteLevel": [SPLIT, SPLIT, BYTES],
    "cuts in several steps, Punctuation, ByteLevel": [{"type": "Punctuation"}, BYTES],
    "the pattern of Split must be a Regex": [{**SPLIT, "pattern": {"String": " "}}, BYTES],
    "behavior 'MergedWithNext' and invert false": [{**SPLIT, "behavior": "MergedWithNext"}, BYTES],
    "which is dropped": [
        {**SPLIT, "pattern": {"Regex": "a+"}, "behavior": "Removed", "invert": True},
        BYTES,
    ],
    r"'\$' is the end of any line there": [{**SPLIT, "pattern": {"Regex": "a+$|b"}}, BYTES],
    "repeats once more there": [{**SPLIT, "pattern": {"Regex": "a{1,3}+|b"}}, BYTES],
    r"'\(\?i:' takes ligatures": [{**SPLIT, "pattern": {"Regex": "(?i:st)|b"}}, BYTES],
    "the pattern cannot be read here: pattern at position 0": [
        {**SPLIT, "pattern": {"Regex": "^a"}},
        BYTES,
    ],
}


@pytest.mark.parametrize("text", list(CUTS))
def test_cuts_that_are_refused(tmp_path, text):
    content = content_of(VOCAB, MERGES)
    steps = CUTS[text]
    content["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": steps} if steps else None
    with pytest.raises(ModelFormatError, match=text):
        load(content, tmp_path)


HOSTILE = {
    "this is no JSON: line 1, column 1": "",
    "byte 1 is no UTF-8": b'"\xff"',
    "the key 'a' is there twice": '{"a": [{"a": 1, "a": 1}]}',
    "JSON has no NaN": '{"a": NaN}',
    "JSON has no -Infinity": "[-Infinity]",
    "nested too deep": "[" * 100_000,
    "a number is too long": "[" + "9" * 5000 + "]",
    "the file must be a JSON object, not a list": "[]",
    "model must be a JSON object, not nothing": "{}",
    "the vocabulary must be a JSON object": '{"model": {"type": "BPE", "vocab": []}}',
    "merges must be a list, not an object": '{"model": {"vocab": {}, "merges": {}}}',
    "merge 0 must be two tokens": '{"model": {"vocab": {}, "merges": [7]}}',
    "half a character": r'{"model": {"vocab": {"\ud800": 0}, "merges": []}}',
    "a token is empty": '{"model": {"vocab": {"": 0}, "merges": []}}',
    "an id that cannot be one": None,
    "is longer than 4096 bytes": None,
}


@pytest.mark.parametrize("text", list(HOSTILE))
def test_hostile_files(tmp_path, text):
    content = HOSTILE[text]
    if content is None:
        content = content_of(VOCAB, MERGES)
        token = {"a" * 5000: 259} if "longer" in text else {"abc": 2**70}
        content["model"]["vocab"] |= token
    with pytest.raises(ModelFormatError, match=text):
        load(content, tmp_path)


def test_added_tokens_can_be_left_out(backend_name, tiny_corpus, tmp_path):
    theirs = trained(tiny_corpus, special=())
    theirs.add_tokens([AddedToken("<mask>", lstrip=True)])
    with pytest.raises(ModelFormatError, match="special_tokens=False loads the file without"):
        loaded(theirs, tmp_path, backend_name)
    ours = loaded(theirs, tmp_path, backend_name, special_tokens=False)
    assert ours.special_tokens == {}
    assert ours.encode("a <mask>") == trained(tiny_corpus, special=()).encode("a <mask>").ids


def test_what_is_not_loaded_is_said(backend_name, tiny_corpus, tmp_path):
    theirs = trained(tiny_corpus)
    theirs.enable_truncation(3)
    content = json.loads(theirs.to_str())
    content["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<pad>", "type_id": 0}}],
        "pair": [],
        "special_tokens": {"<pad>": {"id": "<pad>", "ids": [1], "tokens": ["<pad>"]}},
    }
    with pytest.warns(SuperwordWarning) as caught:
        ours = load(content, tmp_path, backend_name)
    assert [str(warning.message) for warning in caught] == [
        "the post-processor TemplateProcessing is not loaded: ids are those of "
        "add_special_tokens=False",
        "truncation is not loaded",
    ]
    assert {warning.filename for warning in caught} == {__file__}
    theirs.no_truncation()
    assert ours.encode("to be or not") == theirs.encode("to be or not").ids


@pytest.mark.parametrize("algorithm", ["bpe", "superbpe"])
def test_an_export_gives_the_model_back(backend_name, tiny_corpus, tmp_path, algorithm):
    others = {"supermerges": 60} if algorithm == "superbpe" else {}
    tokenizer = superword.train(
        tiny_corpus, algorithm=algorithm, vocab_size=600, special_tokens=["<s>"], **others
    )
    tokenizer.export("huggingface", tmp_path / "out", check=False)
    again = Tokenizer.from_huggingface(tmp_path / "out", backend=backend_name)
    assert again == tokenizer
    assert Tokenizer.from_huggingface(tmp_path / "out/tokenizer.json") == tokenizer
    (tmp_path / "out/model.superword").write_bytes(tokenizer.truncated(599).to_bytes())
    with pytest.raises(ModelFormatError, match="was not made of the model beside it"):
        Tokenizer.from_huggingface(tmp_path / "out")
    (tmp_path / "out/model.superword").unlink()
    if algorithm == "bpe":
        alone = Tokenizer.from_huggingface(tmp_path / "out")
        assert alone.report.scheme == "gpt4o-uniscript"
        assert alone.encode_batch(tiny_corpus) == tokenizer.encode_batch(tiny_corpus)
    else:
        with pytest.raises(ModelFormatError, match="the pattern cannot be read here"):
            Tokenizer.from_huggingface(tmp_path / "out")


def test_what_is_loaded_exports_again(tiny_corpus, tmp_path):
    """Ids before, between and behind the ordinary ones stay where they are."""
    theirs = trained(tiny_corpus, "llama")
    theirs.add_special_tokens(["<|more|>"])
    ours = loaded(theirs, tmp_path)
    ours.export("huggingface", tmp_path / "out", check=False)
    again = Theirs.from_file(str(tmp_path / "out/tokenizer.json"))
    encoding = ours.to_tiktoken()
    for text in [*tiny_corpus, *texts_of(ours, 300)]:
        expected = theirs.encode(text).ids
        assert again.encode(text).ids == expected
        assert encoding.encode(text, allowed_special="all") == expected


def test_arguments(tmp_path):
    with pytest.raises(ModelFormatError, match="there is no such file"):
        Tokenizer.from_huggingface(tmp_path / "no.json")
    with pytest.raises(ModelFormatError, match=r"tokenizer\.json' cannot be read"):
        Tokenizer.from_huggingface(tmp_path)
    with pytest.raises(superword.errors.SettingsTypeError, match="special_tokens must be True or"):
        Tokenizer.from_huggingface(tmp_path, special_tokens=3)


def test_very_many_added_tokens_are_not_compared_for_ever():
    vocabulary = {as_letters(bytes([byte])): byte for byte in range(256)}
    added = [
        {"id": 256 + n, "content": f"<{n}>", "special": True, "normalized": n % 2 == 0}
        for n in range(1002)
    ]
    content = {
        "added_tokens": added,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True},
        "decoder": {"type": "ByteLevel"},
        "model": {"type": "BPE", "vocab": vocabulary, "merges": []},
    }
    with pytest.raises(ModelFormatError, match="more than 1000 added tokens"):
        read_tokenizer_json(json.dumps(content).encode(), True)
