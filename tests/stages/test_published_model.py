"""Published rows as models: what they mean together, and what contradicts itself."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from compose import ALPHABETS, settings_for, spell

import superword
from superword.errors import ModelFormatError, SettingsError

GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def configuration(**others):
    values = {
        "tau": 1.1,
        "is_super": False,
        "superbpe_mode": False,
        "blowup": True,
        "main_regex": GPT2,
        "script_specific_regex": None,
        "script_specific_scripts": None,
        "merge_pattern": r"\p{L}",
    }
    return json.dumps(values | others)


OF_SUPERWORDS = {"is_super": True, "blowup": False}


def rows(kind, made, merges, added=(), alphabet="bytes", **others):
    """Rows whose vocabulary is the alphabet and `made`; merges are (left, right, count)."""
    supers = {left + right for left, right, _ in added}
    vocabulary = [(token, 0, False) for token in ALPHABETS[alphabet]]
    vocabulary += [(token, 0, token in supers) for token in made]
    numbered = [[(i, *op, False) for i, op in enumerate(ops)] for ops in (merges, added)]
    words = (configuration(**others), numbered[0], [])
    mode = {"superbpe_mode": kind == "superbpe"}
    superwords = (configuration(**OF_SUPERWORDS | mode | others), numbered[1], [])
    return kind, vocabulary, ["<s>"], words, None if kind == "word" else superwords


def model(backend, given, *limits):
    data = backend.published_to_bytes(given)
    return backend.model_from_bytes(backend.artifact_of_published(data, *limits))


def error(backend, given, *limits):
    with pytest.raises(ModelFormatError) as caught:
        model(backend, given, *limits)
    return str(caught.value)


BOTH = [(b"a", b"b", 9), (b"c", b"d", 5)], [(b"ab", b"x", 7), (b"x", b"y", 5), (b"cd", b"x", 3)]


def test_both_kinds_in_order_of_training(backend):
    """Strictly more frequent supermerges come first; ties go to the regular merge."""
    found = model(backend, rows("boundless", [b"ab", b"abx", b"cd", b"xy", b"cdx"], *BOTH))
    assert tuple(found)[:7] == (
        *("boundless", "bytes", "superword", "gpt2", "creation"),
        ("<s>",),
        backend.UNICODE_VERSION,
    )
    assert tuple(found)[7:19] == (None, None, None, r"\p{L}", *[None] * 4, 0, 0, 0, 0)
    assert [(op[0], *op[1:3]) for op in spell(found[19], "bytes")[0]] == [
        ("merge", b"a", b"b"),
        ("supermerge", b"ab", b"x"),
        ("merge", b"c", b"d"),
        ("supermerge", b"x", b"y"),
        ("supermerge", b"cd", b"x"),
    ]


def test_a_supermerge_waits_for_its_parts(backend):
    given = rows("boundless", [b"ab", b"abx"], [(b"a", b"b", 2)], [(b"ab", b"x", 9)])
    assert [op[0] for op in model(backend, given)[19]] == ["merge", "supermerge"]


def test_superbpe_has_its_supermerges_last(backend):
    given = rows("superbpe", [b"ab", b"cd", b"abx", b"xy", b"cdx"], *BOTH)
    found = model(backend, given)
    assert found[0] == "superbpe"
    assert [op[0] for op in found[19]] == ["merge"] * 2 + ["supermerge"] * 3


def test_ids_in_the_other_order(backend):
    given = rows("boundless", [b"ab", b"cd", b"abx", b"xy", b"cdx"], *BOTH)
    assert model(backend, given)[4] == "regular-first"


def test_both_alphabets(backend):
    given = rows("word", [b"ab"], [(b"a", b"b", 2)], alphabet="utf8")
    assert model(backend, given)[:2] == ("bpe", "utf8")


def test_the_schemes(backend, data):
    for name, scheme in [("gpt4", "gpt4"), ("gpt4o", "gpt4o"), ("gpt4o_ss", "gpt4o-scripts")]:
        path = data / f"golden/tiny/{name}.word.json"
        known = json.loads(path.read_text("utf-8"))
        patterns = {key: known[key] for key in ("main_regex", "script_specific_regex")}
        scripts = known["script_specific_scripts"]  # in an order of their own
        assert scripts is None or scripts != sorted(scripts)
        given = rows("word", [], [], **patterns, script_specific_scripts=scripts)
        assert model(backend, given)[3] == scheme


def without(given, position, row=None):
    """The same rows with another section."""
    return (*given[:position], row, *given[position + 1 :])


def test_custom_patterns(backend):
    scripts = {"script_specific_regex": "b|.", "script_specific_scripts": ["Thai", "Lao"]}
    given = rows("word", [], [], main_regex="a", merge_pattern="[a-c]", **scripts)
    found = model(backend, given)
    assert found[3] is None
    assert tuple(found)[7:11] == ("a", "b|.", ("Lao", "Thai"), "[a-c]")
    given = rows("word", [], [], merge_pattern=None)
    assert (model(backend, given)[3], model(backend, given)[10]) == ("gpt2", r"\p{L}")
    # one of the two patterns of a scheme is not the scheme
    scripts["script_specific_regex"] = GPT2
    given = rows("word", [], [], **scripts)
    assert (model(backend, given)[3], model(backend, given)[7]) == (None, GPT2)


@pytest.mark.parametrize(
    ("tau", "blowup", "expected"),
    [
        ("0.9", True, ("9/10", "bytes")),
        ("0.90", False, ("9/10", "pair")),
        ("1", True, ("1/1", "bytes")),
        ("1.0", False, ("1/1", "pair")),
        ("1.1", True, (None, None)),
        ("1.10", False, (None, None)),
    ],
)
def test_shares(backend, tau, blowup, expected):
    """What is read is written again as it was."""
    given = rows("word", [], [], blowup=blowup)
    line = given[3][0].replace('"tau": 1.1', f'"tau": {tau}')
    given = without(given, 3, (line, [], []))
    assert tuple(model(backend, given))[11:13] == expected
    data = backend.published_to_bytes(given)
    assert f'"tau": {tau}, '.encode() in data
    assert backend.published_to_bytes(backend.published_from_bytes(data)) == data


def deleting(merges, deletions, made, tau=0.5):
    """Rows of regular merges (index, left, right) and deletions."""
    given = rows("word", made, [])
    merges = [(index, left, right, 1, False) for index, left, right in merges]
    return without(given, 3, (configuration(tau=tau), merges, deletions))


def test_deletions(backend):
    """Made again it has the last id; deleted twice in a row it is deleted once."""
    merges = [(0, b"a", b"a"), (1, b"aa", b"aa"), (4, b"b", b"c"), (5, b"a", b"a")]
    given = deleting(merges, [(2, b"aa"), (3, b"aa")], [b"aaaa", b"bc", b"aa"])
    found = model(backend, given)
    assert found[4] == "creation"
    spelled = [op[:3] for op in spell(found[19], "bytes")[0]]
    assert spelled == [
        ("merge", b"a", b"a"),
        ("merge", b"aa", b"aa"),
        ("delete", b"aa", b"aa"),
        ("merge", b"b", b"c"),
        ("merge", b"a", b"a"),
    ]


def test_a_supermerge_waits_for_a_deleted_part(backend):
    """While a part is outside the vocabulary, regular merges go on."""
    merges = [(0, b"a", b"b", 9, False), (1, b"ab", b"c", 8, False), (3, b"a", b"b", 5, False)]
    given = rows("boundless", [b"abc", b"ab", b"abx"], [], [(b"ab", b"x", 7)])
    given = without(given, 3, (configuration(tau=0.5), merges, [(2, b"ab")]))
    kinds = [op[0] for op in model(backend, given)[19]]
    assert kinds == ["merge", "merge", "delete", "merge", "supermerge"]


def changed_token(given, index, row):
    vocabulary = list(given[1])
    vocabulary[index] = row
    return without(given, 1, vocabulary)


WORDS = rows("word", [b"ab"], [(b"a", b"b", 2)])
SUPERS = rows("boundless", [b"ab", b"abx"], [(b"a", b"b", 2)], [(b"ab", b"x", 1)])
GAP = (configuration(), [(0, b"a", b"b", 1, True), (2, b"c", b"d", 1, True)], [])

WRONG = [
    (changed_token(WORDS, 255, (b"?", 0, False)), "line 3, vocabulary: the first tokens must be "
     "the single bytes in order: all 256, or the 243 that occur in UTF-8"),
    (changed_token(WORDS, 256, (b"ac", 0, False)), "line 3, vocabulary: the ops do not make these "
     "tokens in this order: id 256 should be 6162, not 6163"),
    (rows("word", [b"ab", b"cd"], [(b"a", b"b", 2)]), "line 3, vocabulary: the ops make 257 "
     "tokens, the vocabulary has 258"),
    (changed_token(WORDS, 256, (b"ab", 0, True)), "line 260, vocabulary: no supermerge makes the "
     "token"),
    (changed_token(WORDS, 97, (b"a", 0, True)), "line 101, vocabulary: no supermerge makes the "
     "token"),
    (changed_token(SUPERS, 257, (b"abx", 0, False)), "line 261, vocabulary: only supermerges make "
     "the token"),
    (without(WORDS, 3, GAP), "line 269, words merges: no merge and no deletion before this line "
     "has the index 1"),
    (deleting([], [(1, b"a")], []), "line 269, words deletions: no merge and no deletion before "
     "this line has the index 0"),
    (without(WORDS, 3, (GAP[0], [], [(0, b"a")])), "line 270, words deletions: nothing is deleted "
     "where tau is 1.1"),
    (deleting([], [(0, b"a")], []), "line 269, words deletions: a single byte cannot be deleted"),
    (deleting([(0, b"a", b"b")], [(1, b"ac")], [b"ab"]), "line 271, words deletions: no op before "
     "this one makes the deleted token"),
    (deleting([], [], [], 1.2), "line 264, words: tau must be 1.1 for no deletions, or above 0 and "
     "at most 1 (as a reduced fraction with at most 2^63 - 1 below the line), not 1.2"),
    (deleting([(0, b"a", b"b")], [(1, b"ab")], [b"ab"]), "line 3, vocabulary: the ops make 256 "
     "tokens, the vocabulary has 257"),
    (rows("word", [b"abc"], [(b"ab", b"c", 2)]), "line 268, words merges: no op before this one "
     "makes the left token"),
    (rows("superbpe", [b"xab"], [], [(b"x", b"ab", 2)]), "line 274, superwords merges: no op "
     "before this one makes the right token"),
    (rows("word", [], [], main_regex="a("), "line 264, words: pattern at position 1: "
     "'(' must be escaped to mean itself; a group is (?:…)"),
    (rows("word", [], [], script_specific_scripts=["Lao"]), "line 264, words: "
     "script_specific_regex and script_specific_scripts must both be null or neither"),
    (rows("word", [], [], script_specific_regex="a", script_specific_scripts=["Lao", "Lao"]),
     "line 264, words: script_specific_scripts must be names, each once, one at least"),
    (rows("word", [], [], script_specific_regex="a", script_specific_scripts=["Laotian"]),
     "line 264, words: scripts: 'Laotian' is not the long name of a script"),
    (rows("word", [], [], merge_pattern=""), "line 264, words: eligible_pattern is empty"),
    (without(WORDS, 3, (configuration(superbpe_mode=True), [], [])), "line 265, words: is_super "
     "and superbpe_mode must be false"),
    (without(SUPERS, 4, (configuration(), [], [])), "line 273, superwords: tau must be 1.1, "
     "is_super true and blowup false"),
    (without(SUPERS, 4, (configuration(**OF_SUPERWORDS, superbpe_mode=True), [], [])),
     "line 273, superwords: superbpe_mode must be false for the kind boundless"),
    (without(SUPERS, 4, (configuration(**OF_SUPERWORDS, merge_pattern=None), [], [])),
     "line 273, superwords: the patterns are not those of the section words"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "reason"), WRONG, ids=[reason for _, reason in WRONG])
def test_rows_that_contradict_each_other(backend, given, reason):
    assert error(backend, given) == reason


def test_limits(backend):
    merges = [(b"a" * 2**n, b"a" * 2**n, 1) for n in range(6)]
    given = rows("word", [b"a" * 2 ** (n + 1) for n in range(6)], merges)
    assert len(model(backend, given, 64, 126)[19]) == 6
    assert error(backend, given, 63) == (
        "line 278, words merges: the token would have 64 bytes, more than max_token_bytes = 63"
    )
    assert error(backend, given, 64, 125) == (
        "line 278, words merges: the ops up to here make tokens of 126 bytes in all, more than "
        "max_total_bytes = 125"
    )


@pytest.mark.parametrize(
    ("others", "text"),
    [
        ({}, "scheme must be one of gpt2, gpt4, gpt4o, gpt4o-scripts for a published file, which "
             "has no pattern for 'gpt4o-uniscript'; a file NAME.superword can hold it"),
        ({"scheme": "none", "rules": "incremental"},
         "scheme 'none' is not for a published file, which always cuts text by a pattern; a file "
         "NAME.superword can hold it"),
        ({"scheme": "gpt4", "rules": "incremental"}, "rules must be 'superword' for a published "
                                                     "file, which cannot say 'incremental'; "
                                                     "a file NAME.superword can hold it"),
        ({"scheme": "gpt4", "tau": Fraction(1, 3)}, "tau must be a decimal number of at most 30 "
                                                    "digits for a published file, not 1/3; a file "
                                                    "NAME.superword can hold it"),
        ({"scheme": "gpt4", "special_tokens": ("a ",)}, "special token 0 ends in a blank, which a "
                                                        "published file cannot hold"),
    ],
)  # fmt: skip
def test_settings_that_no_file_can_hold(backend, backend_name, others, text):
    with pytest.raises(SettingsError) as caught:
        backend.check_publishable(settings_for("bpe", 300, **others))
    assert str(caught.value) == text
    # before any document is looked at
    never = (document for document in [pytest.fail])
    with pytest.raises(SettingsError, match="published file"):
        superword.train(never, vocab_size=300, published=True, backend=backend_name, **others)
    assert next(never)
