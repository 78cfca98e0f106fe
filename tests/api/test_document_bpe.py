"""Document BPE: three implementations that must agree to the byte, and what its definition says."""

import functools
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
import warnings
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import superword
from document import RECIPES
from superword import document_bpe
from superword.errors import InputTypeError, SettingsError
from superword.model import Op
from superword.reference import full_scan
from superword.reference.incremental import IncrementalPairs
from superword.reference.model_file import model_from_bytes
from superword.reference.ranks import encode_by_rank, ranks_of_ops
from superword.reference.replay import encode_pretoken, pairs_of_ops

PACKAGE = Path(superword.__file__).parent

ARTIFACTS = [("en_fit_82257.txt", 2048), ("en_fit_82257.txt", 4096)]
ARTIFACTS += [("multi_fit_82257.txt", 2048), ("multi_fit_82257.txt", 4096)]


def fit(documents, vocab_size, backend_name, **more):
    """A tokenizer; that a corpus is empty is no news here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="the corpus is empty")
        return document_bpe.fit(documents, vocab_size, backend=backend_name, **more)


def ops(tokenizer):
    return [(op.left, op.right, op.count) for op in tokenizer.ops]


@functools.cache
def scanned(documents, vocab_size):
    """The artifact of the full scan, once for both backends."""
    return full_scan.fit(documents, vocab_size)


def check_all_three(documents, vocab_size, texts, backend_name):
    """The artifact and the ids of one backend beside those of the full scan."""
    expected = scanned(tuple(documents), vocab_size)
    tokenizer = fit(documents, vocab_size, backend_name)
    assert tokenizer.to_bytes() == expected
    for text in texts:
        ids = tokenizer.encode(text)
        assert ids == full_scan.encode(expected, text)
        assert tokenizer.decode(ids) == text


# --- what the definition says, by hand


@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        # four overlapping pairs; one pass makes two tokens, and the last letter stays
        (["aaaaa"], [(b"a", b"a", 4), (b"aa", b"a", 1), (b"aa", b"aaa", 1)]),
        (["aaaa"], [(b"a", b"a", 3), (b"aa", b"aa", 1)]),
        # a merge takes the pairs beside it away: (b, c) stands nowhere after (a, b)
        (["abc", "abc", "bd"], [(b"a", b"b", 2), (b"ab", b"c", 2), (b"b", b"d", 1)]),
        # (b, a) stood between two places of (a, b): it goes with the first, (ab, ab) comes
        (["ababab", "ab"], [(b"a", b"b", 4), (b"ab", b"ab", 2), (b"abab", b"ab", 1)]),
        # the smaller left number wins a tie, then the smaller right one
        (["ba", "ab", "aa"], [(b"a", b"a", 1), (b"a", b"b", 1), (b"b", b"a", 1)]),
        # numbers, not bytes: `zz` is 256 and comes after `y`, before `za`
        (
            ["zz", "zz", "yw", "zzv"],
            [(b"z", b"z", 3), (b"y", b"w", 1), (b"zz", b"v", 1)],
        ),
        # no pair crosses from one document to the next, whatever lies between them
        (["ab", "", "c", "ab"], [(b"a", b"b", 2)]),
        # line ends, blanks and marks are bytes like any other
        (["\r\n \r\n \u0301"], [(b"\n", b" ", 2), (b"\r", b"\n ", 2)]),
    ],
)
def test_named_cases(documents, expected, backend_name):
    tokenizer = fit(documents, 256 + len(expected), backend_name)
    assert ops(tokenizer) == expected
    assert tokenizer.to_bytes() == full_scan.fit(documents, 256 + len(expected))
    assert "".join(documents) == tokenizer.decode(tokenizer.encode("".join(documents)))


@pytest.mark.parametrize("documents", [[], [""], ["", ""], ["a"], ["", "a", ""], ["a", "b"]])
def test_nothing_to_merge(documents, backend_name):
    tokenizer = fit(documents, 300, backend_name)
    assert tokenizer.ops == ()
    assert tokenizer.to_bytes() == full_scan.fit(documents, 300)
    assert (tokenizer.report.documents, tokenizer.report.stop) == (len(documents), "no_pairs")
    assert [tokenizer.encode(text) for text in ("", "a", "ab")] == [[], [97], [97, 98]]


def test_merges_cross_anything(backend_name):
    text = "to be, or\nnot to be, or\nnot"
    tokenizer = fit([text], 300, backend_name)
    assert tokenizer.encode(text) == [len(tokenizer) - 1]
    assert tokenizer.token_bytes(len(tokenizer) - 1) == text.encode()
    mixed = "a\u0e01\u0301漢\r\n\t \U0001f600\u200d x\x00"
    assert tokenizer.decode(tokenizer.encode(mixed)) == mixed
    assert tokenizer.decode_bytes(tokenizer.encode(b"be, or\xff\n")) == b"be, or\xff\n"


# --- the three implementations beside each other


@given(
    documents=st.lists(st.text("ab", max_size=40), max_size=6),
    vocab_size=st.integers(256, 300),
    texts=st.lists(st.text("ab", max_size=60), max_size=3),
)
@example(documents=["aabaab", "baaab", "aabaab"], vocab_size=300, texts=["aabaabaaab" * 5])
def test_two_letters(backend_name, documents, vocab_size, texts):
    check_all_three(documents, vocab_size, texts, backend_name)


@given(documents=st.lists(st.text(max_size=30), max_size=4), vocab_size=st.integers(256, 280))
def test_any_text(backend_name, documents, vocab_size):
    check_all_three(documents, vocab_size, documents, backend_name)


@pytest.mark.parametrize("length", [1022, 1023, 1024, 1025, 5000])
@pytest.mark.parametrize("letters", ["ab", "a", "abc"])
def test_long_texts_take_another_way(backend_name, letters, length):
    """From 1,024 bytes on a text is encoded rank by rank."""
    state = 7
    text = ""
    while len(text) < length:
        state = state * 6364136223846793005 % 2**64 + 1442695040888963407
        text += letters[(state >> 33) % len(letters)]
    check_all_three([text[:300]], 340, [text], backend_name)


@st.composite
def any_merges(draw):
    """Merges of two letters and of what came before, some pairs twice."""
    ops = []
    for new in range(256, 256 + draw(st.integers(0, 20))):
        known = st.sampled_from([97, 98, *range(256, new)])
        ops.append(Op("merge", draw(known), draw(known), new, 1))
    return ops


@given(ops=any_merges(), text=st.text("ab", max_size=60))
@example(ops=[Op("merge", 97, 97, new, 1) for new in (256, 257)], text="aaaaa")
@example(ops=[Op("merge", 98, 98, 256, 1), Op("merge", 97, 98, 257, 1)], text="abb")
def test_rank_by_rank_is_what_the_heap_does(ops, text):
    expected = encode_pretoken(text.encode(), pairs_of_ops(ops, "merge"))
    assert encode_by_rank(text.encode(), ranks_of_ops(ops)) == expected


def test_a_token_that_is_made_twice_has_no_ranks(backend):
    """A model written by hand: `abc` is made of (a, bc) and, later, of (ab, c)."""
    made = [("merge", 98, 99, 256), ("merge", 97, 256, 257), ("merge", 97, 98, 258)]
    made += [("merge", 258, 99, 257), ("merge", 257, 257, 259)]
    ops = [Op(*op, 1) for op in made]
    assert ranks_of_ops(ops[:3]) is not None
    assert ranks_of_ops(ops) is None
    assert ranks_of_ops([ops[0], ops[2]._replace(new=257), Op("merge", 257, 99, 257, 1)]) is None
    assert ranks_of_ops([*ops[:1], Op("delete", 256, 256, 256, 0)]) is None
    model = model_from_bytes(full_scan.fit(["ab"], 256))._replace(ops=ops)
    text = "abcabcabab" * 300
    ids = backend.Encoder(tuple(model)).encode(text, None)
    id_of = {257: 258, 258: 257}  # by their last making
    tokens = encode_pretoken(text.encode(), pairs_of_ops(ops, "merge"))
    assert ids == [id_of.get(token, token) for token in tokens]


@pytest.mark.parametrize(("name", "files", "parted", "size"), RECIPES, ids=[r[0] for r in RECIPES])
def test_recipes(shared, backend_name, name, files, parted, size):
    """The full scan on the first 8 kB; `make bench-document` takes all of them."""
    texts = [(shared / "corpus/document_bpe" / file).read_bytes() for file in files]
    texts = [text[: 8000 // len(texts)].decode(errors="ignore") for text in texts]
    documents = texts if parted is None else [d for text in texts for d in text.split(parted)]
    check_all_three(documents, size, [documents[0]], backend_name)


def test_pairs_of_artifacts_and_documents(shared, both_backends):
    """Four artifacts, nine documents: the same ids, and every document comes back."""
    folder = shared / "corpus/document_bpe"
    texts = [path.read_bytes().decode() for path in sorted((folder / "eval").glob("*.txt"))]
    compared = 0
    for file, size in ARTIFACTS:
        document = (folder / file).read_bytes().decode()
        python, rust = (document_bpe.fit([document], size, backend=b) for b in ("python", "rust"))
        assert python.to_bytes() == rust.to_bytes()
        for text in texts:
            ids = python.encode(text)
            assert ids == rust.encode(text)
            assert python.decode(ids) == rust.decode(ids) == text
            start = text[:400]
            assert python.encode(start) == full_scan.encode(python.to_bytes(), start)
            compared += 1
    assert compared == 36


# --- the machinery of the optimized Python


def test_stale_entries_are_passed_over_and_cleared_away(monkeypatch):
    monkeypatch.setattr("superword.reference.incremental._STALE_ENTRIES", 9)
    blocks = (hashlib.sha256(bytes([number])).digest() for number in range(64))
    text = "".join(chr(97 + byte % 7) for byte in b"".join(blocks))
    pairs = IncrementalPairs([(text.encode(), 1)], 256)
    stale = rebuilt = 0
    found = []
    while (best := pairs.best()) is not None:
        found.append(best)
        entries = len(pairs._heap)
        pairs.merge(*best[:2])
        rebuilt += len(pairs._heap) < entries
        assert len(pairs._heap) <= 2 * len(pairs._counts) + 9
        stale += sum(entry & (1 << 64) - 1 not in pairs._counts for entry in pairs._heap)
    assert stale > 1000
    assert rebuilt > 3
    ops = model_from_bytes(full_scan.fit([text], 256 + len(found))).ops
    assert [(op.left, op.right, op.count) for op in ops] == found


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer on this system")
@pytest.mark.parametrize("work", ["fit", "encode"])
def test_a_signal_is_seen_while_a_long_text_is_set_up(work):
    """As Ctrl-C would be: Python hands it over between two of its own instructions."""
    text = bytes(8_000_000)
    calls = {
        "fit": lambda: IncrementalPairs([(text, 1)], 256),
        "encode": lambda: encode_by_rank(text, ranks_of_ops([Op("merge", 97, 98, 256, 1)])),
    }
    seen = [time.process_time()]
    before = signal.signal(signal.SIGVTALRM, lambda *_: seen.append(time.process_time()))
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.01, 0.01)
        calls[work]()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    assert len(seen) > 10
    assert max(later - earlier for earlier, later in pairwise(seen)) < 0.2


def test_documents_that_repeat_count_each_time(backend_name):
    documents = ["ab", "cd", "ab", "cd", "cd"]
    tokenizer = fit(documents, 258, backend_name)
    assert ops(tokenizer) == [(b"c", b"d", 3), (b"a", b"b", 2)]
    assert tokenizer.to_bytes() == full_scan.fit(documents, 258)
    totals = tokenizer.report
    assert (totals.documents, totals.pretokens, totals.distinct_pretokens) == (5, 5, 2)


# --- like any other tokenizer


def test_it_is_a_tokenizer_like_any_other(backend_name, tmp_path):
    texts = ["to be or not to be", "<s>that is<s>"]
    tokenizer = fit(texts, 270, backend_name, special_tokens=["<s>"])
    model = model_from_bytes(tokenizer.to_bytes())
    assert (model.scheme, model.rules, model.alphabet) == ("none", "incremental", "bytes")
    assert all(b"<" not in op.left + op.right for op in tokenizer.ops)
    assert tokenizer.encode("be<s>to", allowed_special="all") == [
        *tokenizer.encode("be"),
        270,
        *tokenizer.encode("to"),
    ]
    tokenizer.save(tmp_path / "a.superword")
    loaded = superword.Tokenizer.load(tmp_path / "a.superword", backend=backend_name)
    assert loaded == tokenizer
    assert loaded.encode("to be") == tokenizer.encode("to be")
    same = superword.train(texts, scheme="none", vocab_size=270, special_tokens=["<s>"])
    assert same == tokenizer
    assert tokenizer.truncated(260) == fit(texts, 260, backend_name, special_tokens=["<s>"])
    assert "scheme none" in str(tokenizer.report)


def test_limits(backend_name):
    tokenizer = fit(["abababab"] * 2, 300, backend_name, max_token_bytes=4)
    assert max(len(op.new) for op in tokenizer.ops) == 4
    tokenizer = fit(["ababab", "cd"], 300, backend_name, min_count=2)
    assert ops(tokenizer) == [(b"a", b"b", 3), (b"ab", b"ab", 2)]
    assert tokenizer.report.stop == "min_count"
    calls = []
    fit(["ab"], 257, backend_name, progress=lambda *call: calls.append(call))
    assert ("merges", 1, 1) in calls
    with pytest.raises(SettingsError, match="vocab_size must be at least 256"):
        fit(["ab"], 255, backend_name)
    with pytest.raises(InputTypeError, match="put it in a list"):
        fit("ab", 256, backend_name)


# --- in a process of its own

FRESH = """
import hashlib, sys
from superword import document_bpe
text = "the cat sat on the mat; the cow ate the oats \\u00e9\\u6f22\\r\\n" * 20
texts = [text[i : i + 90] for i in range(0, len(text), 90)] * 2
tokenizer = document_bpe.fit(texts, 500, backend=sys.argv[1])
print(hashlib.sha256(tokenizer.to_bytes()).hexdigest(), sum(tokenizer.encode(text * 3)))
"""


def test_fresh_processes_and_hash_seeds(backend_name):
    found = set()
    for seed in ("0", "4711"):
        result = subprocess.run(
            [sys.executable, "-c", FRESH, backend_name],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(PACKAGE.parent)},
            capture_output=True,
            text=True,
            check=True,
        )
        found.add(result.stdout)
    assert len(found) == 1
    text = "the cat sat on the mat; the cow ate the oats \u00e9\u6f22\r\n" * 20
    documents = [text[i : i + 90] for i in range(0, len(text), 90)] * 2
    artifact = full_scan.fit(documents, 500)
    assert hashlib.sha256(artifact).hexdigest() in found.pop()


ALONE = """
import sys
sys.path.insert(0, sys.argv[1])
from superword import document_bpe
tokenizer = document_bpe.fit(["to be or not to be"], 258)
assert tokenizer.decode(tokenizer.encode("to be")) == "to be"
assert document_bpe.Tokenizer.from_bytes(tokenizer.to_bytes()) == tokenizer
foreign = [
    name
    for name, module in sys.modules.items()
    if name.partition(".")[0] not in sys.stdlib_module_names | {"superword", "__main__"}
]
print(tokenizer.backend, foreign)
"""


def test_the_source_alone_is_enough(tmp_path):
    """As after an installation with --no-deps and without the extension."""
    shutil.copytree(
        PACKAGE, tmp_path / "superword", ignore=shutil.ignore_patterns("_core*.so", "__pycache__")
    )
    result = subprocess.run(
        [sys.executable, "-I", "-S", "-c", ALONE, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.stdout.split(maxsplit=1), result.stderr) == (["python", "[]\n"], "")
