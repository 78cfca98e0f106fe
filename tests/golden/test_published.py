"""What the authors of [A] published is reproduced: ops, counts, vocabulary and ids.

The tiny models lie in the repository; the small ones and the one-phase models are read from the
shared material. Special tokens are declared after training there (SPEC 13), so they are here.
"""

from __future__ import annotations

import gzip
import json
import re
from fractions import Fraction

import pytest
from compose import (
    ALPHABETS,
    add_superwords,
    count_texts,
    model_tuple,
    settings_for,
    spell,
    train_tables,
)
from golden.published import read_jsonl, read_model, read_one_phase, read_text
from oracle.bpe import replace_pair
from oracle.picky import blow
from oracle.picky_encode import expand

from superword.settings import Cutting

SCHEMES = {"gpt2": "gpt2", "gpt4": "gpt4", "gpt4o": "gpt4o", "gpt4o_ss": "gpt4o-scripts"}
# All others are custom patterns, which stand beside each model
PATTERNS = {
    "tiny": [
        *(*SCHEMES, "gpt2_ss", "gpt4_ss", "gpt4o_sswl", "full"),
        *("ultimate", "ultimate_ss", "wordlevel", "wordlevel_ss"),
    ],
    "small": [*SCHEMES, "ultimate", "wordlevel_ss"],
}
# Those with deletions: what is deleted when, and what stands for it (b0: the pair, b1: its bytes)
DELETING = {
    "tiny": [
        f"{pattern}.t{tau}.b{blow_up}"
        for pattern in ["gpt4o", "gpt4o_ss", "ultimate"]
        for tau in ["0.6", "0.8", "0.9"]
        for blow_up in "01"
    ],
    "small": ["gpt4o_ss.t0.9.b0", "gpt4o_ss.t0.9.b1"],
}
# In small some have no model with n-gram splitting
WITHOUT_NGRAMS = ["gpt4o.t0.9.b1", "gpt4o_ss.t0.6.b1", "gpt4o_ss.t0.8.b1"]
KINDS = {"tiny": ["word", "boundless", "super500"], "small": ["word", "boundless", "super1500"]}
# n-gram splitting, with the longest n-gram given or not
SPLIT = {
    "tiny": ["boundless.greedy4", "super500.greedy4L4"],
    "small": ["boundless.greedy15", "super1500.greedy15L4"],
}
NAMES = [
    f"{size}/{pattern}.{kind}"
    for size in ("tiny", "small")
    for pattern in [*PATTERNS[size], *DELETING[size]]
    for kind in [*KINDS[size], *SPLIT[size]]
]
NAMES += [f"small/{pattern}.{kind}" for pattern in WITHOUT_NGRAMS for kind in KINDS["small"]]
ALPHABET = 243
IN_REPOSITORY = [f"tiny/{scheme}.{kind}" for scheme in SCHEMES for kind in KINDS["tiny"]]
# The reference makes all of tiny, and of small those of one pattern with deletions; all others only
# with --long, for they take it many minutes
OF_REFERENCE = [name for name in NAMES if name.startswith(("tiny/", "small/gpt4o_ss.t0.9.b1."))]


def marks_of(name):
    """Where a model is compared; those that share phase 1 in one process, if there are several."""
    pattern = re.sub(r"\.(word|boundless|super[0-9]+)(\.greedy.*)?$", "", name)
    marks = [pytest.mark.xdist_group(pattern)]
    marks += [] if name in IN_REPOSITORY else [pytest.mark.shared]
    return marks if name in OF_REFERENCE else [*marks, pytest.mark.long]


EACH = [pytest.param(name, marks=marks_of(name)) for name in NAMES]
BLOW_UPS = {False: "pair", True: "bytes"}
ALGORITHMS = {"word": "bpe", "boundless": "boundless", "superbpe": "superbpe"}


@pytest.fixture(scope="session")
def golden(request, data):
    """Where a corpus or model lies: in the repository, or in the shared material."""

    def find(name):
        here = name == "tiny" or name in IN_REPOSITORY
        return (data if here else request.getfixturevalue("shared")) / "golden"

    return find


@pytest.fixture(scope="session")
def counted(backend, golden):
    """Counts by corpus and cutting: every model of a pattern begins with the same ones."""
    known = {}

    def count(size, cutting):
        if (size, cutting) not in known:
            corpus = "" if size == "tiny" else "corpus/"
            rows = read_jsonl(golden(size) / f"{corpus}{size}.jsonl.gz")
            chosen = settings_for("boundless", 300, **cutting._asdict())
            known[size, cutting] = count_texts(backend, [row["text"] for row in rows], chosen, 2)
        return known[size, cutting]

    return count


@pytest.fixture(scope="session")
def phase_1(backend):
    """Phase 1 by corpus, cutting and size: five models share each."""
    known = {}

    def merges(size, counts, chosen):
        key = (size, chosen.cutting, chosen.regular_vocab_size, chosen.tau, chosen.blow_up)
        if key not in known:
            known[key] = backend.train_merges(counts.pretoken_counts(), chosen)[0]
        return known[key]

    return merges


def assert_ops(ops, published):
    """Ops and counts as published: the regular ones in their order, and the supermerges."""
    regular = [op for op in ops if op[0] != "supermerge"]
    assert [op[:2] if op[0] == "delete" else op[1:] for op in regular] == published.regular
    found = [op[1:] for op in ops if op[0] == "supermerge"]
    assert found == published.supermerges


def assert_ids(encoder, row, ops, blow_up):
    """A text encodes as published, or as its parts where it ends outside the vocabulary."""
    ids = list(encoder.encode(row["text"], None))
    if "error" not in row:
        assert ids == row["ids"], row
        return
    assert row["error"] == "token-not-in-vocabulary"  # an error there (SPEC 13)
    reached = [bytes.fromhex(token) for token in row["tokens_hex"]]
    spelled = expand(reached, ops, blow_up, ALPHABETS["utf8"])
    assert spelled != reached
    assert [encoder.token_bytes(token_id) for token_id in ids] == spelled, row


def cutting_of(config):
    """How a published model cuts text: by a scheme of ours, or by its patterns."""
    scheme = SCHEMES.get(config["name"].split(".")[0])
    if scheme is not None:
        return Cutting(scheme)
    scripts = config["script_specific_scripts"]
    scripts = None if scripts is None else tuple(sorted(scripts))
    return Cutting(None, config["main_regex"], config["script_specific_regex"], scripts)


def resolved(published, config, cutting):
    """Our settings for a published model."""
    supermerges = config.get("s", 0)
    found = re.search(r"\.t([0-9.]+)\.b([01])\.", config["name"])
    others = {"tau": Fraction(found[1]), "blow_up": BLOW_UPS[found[2] == "1"]} if found else {}
    size = len(published.vocabulary)
    if config.get("greedy") and published.kind == "superbpe":
        size += supermerges - len(published.superwords)  # which it does not reach
    return settings_for(
        ALGORITHMS[published.kind],
        size,
        supermerges,
        ngram_split=bool(config.get("greedy")),
        ngram_floor=config.get("min_count") or 15,
        ngram_max_length=config.get("max_ngram_len") or 30,
        alphabet="utf8",
        id_order="creation",
        **cutting._asdict(),
        **others,
    )


@pytest.mark.parametrize("name", EACH)
def test_reproduced(
    backend, backend_name, name, counted, phase_1, golden, record_property, monkeypatch
):
    size, _, stem = name.partition("/")
    folder = golden(name) / size
    config = json.loads((folder / f"{stem}.json").read_text("utf-8"))
    path = folder / f"{stem}.model.gz"
    published = read_model(path)
    cutting = cutting_of(config)
    counts = counted(size, cutting)
    chosen = resolved(published, config, cutting)

    merges = phase_1(size, counts, chosen)
    runs = counts.run_counts()
    ops, stop = add_superwords(backend, merges, counts.pretoken_counts(), runs, chosen)
    # few candidates are left to SuperBPE where rare n-grams are cut
    assert stop == ("no_pairs" if "greedy" in name and "super" in name else "vocab_size")
    model = model_tuple(backend, counts, chosen, ops)
    ops, vocabulary = spell(model[19], "utf8")
    assert vocabulary == published.vocabulary
    assert_ops(ops, published)

    with_special = (*model[:5], tuple(published.special_tokens), *model[6:])
    file = gzip.decompress(path.read_bytes())
    loaded = backend.model_from_bytes(backend.artifact_of_published(file))
    assert [tuple(op) for op in loaded[19]] == [tuple(op) for op in model[19]]
    # no such file says how n-grams were split, or how large the corpus was
    assert tuple(loaded)[:19] == (*with_special[:13], None, None, 0, 0, 0, 0)
    if backend_name == "python":  # phase 1 is known, and what takes the reference longest
        known = (merges, "")
        monkeypatch.setattr("superword.reference.publishing.train_merges", lambda *_: known)
    assert backend.publish(counts, chosen, backend.model_to_bytes(with_special)) == file
    encoder = backend.Encoder(loaded)
    tokens = [encoder.token_bytes(n) for n in range(len(published.vocabulary))]
    assert tokens == published.vocabulary
    assert [token for n, token in enumerate(tokens) if encoder.is_superword(n)] == [
        token for token in tokens if token in published.superwords
    ]
    first = len(tokens)
    for number, special in enumerate(published.special_tokens):
        assert encoder.token_bytes(first + number) == special.encode()

    texts = {row["id"]: row["text"] for row in read_jsonl(folder / "probes.jsonl")}
    expected = read_jsonl(folder / f"{stem}.enc.jsonl.gz")
    assert len(expected) == len(texts) == 103
    for row in expected:
        assert_ids(encoder, {"text": texts[row["id"]], **row}, ops, chosen.blow_up)
    record_property("published model", (backend_name, name))  # counted at the end of the run


@pytest.mark.shared
def test_every_file_is_written_again(backend, shared):
    """All models of version 2, whatever they hold, to the byte."""
    folder = shared / "golden"
    paths = [path for size in ("tiny", "small") for path in folder.glob(f"{size}/*.model.gz")]
    assert len(paths) == 199
    for path in [*paths, *folder.glob("toy/*.model")]:
        content = path.read_bytes()
        data = gzip.decompress(content) if path.suffix == ".gz" else content
        assert backend.published_to_bytes(backend.published_from_bytes(data)) == data, path.name


TOYS = ["boundless_tie", "double_delete", "greedy", "han_mixed", "no_candidates", "overlap"]
TOYS += ["pick_blow", "pick_pair", "runs", "single_letters", "super_runs", "thai_ss", "ties"]
# The published program looks after each step whether candidates are left, and stops if none are:
# its ops are a prefix of ours (SPEC 13)
STOPS_EARLY = {"no_candidates"}


@pytest.mark.parametrize("name", TOYS)
def test_toys(backend, data, name):
    folder = data / "golden/toy"
    config = json.loads((folder / f"{name}.json").read_text("utf-8"))
    texts = [row["text"] for row in read_jsonl(folder / f"{name}.jsonl")]
    word = read_model(folder / f"{name}.word.model")
    scheme = "gpt4o-scripts" if config["regex"] == "gpt4o+ss" else "gpt4o"
    others = {"scheme": scheme, "alphabet": "utf8", "id_order": "creation"}
    # a target that phase 1 does not reach is cut to what it reached (SPEC 13)
    reached = len(word.vocabulary)
    tau = config["word"].get("tau", 1.1)
    if tau <= 1:  # the size may be reached earlier, and then deletes make it smaller again
        reached = config["word"]["vocab"]
        blow_up = BLOW_UPS[config["word"]["blowup"]]
        others |= {"tau": Fraction(str(tau)), "blow_up": blow_up}

    bpe = settings_for("bpe", reached, **others)
    counts = count_texts(backend, texts, settings_for("boundless", reached, **others))
    artifact = backend.train_counts(counts, bpe)[0]
    assert backend.publish(counts, bpe, artifact) == (folder / f"{name}.word.model").read_bytes()
    model = backend.model_from_bytes(artifact)
    ops, vocabulary = spell(model[19], "utf8")
    assert vocabulary == word.vocabulary
    assert_ops(ops, word)

    if config["second"]:
        kind = config["second"]["kind"]
        published = read_model(folder / f"{name}.{kind}.model")
        if kind == "super":
            s = config["second"]["s"]
            if config["second"].get("greedy"):
                least = config["second"]["min_count"]
                others |= {"ngram_split": True, "ngram_floor": least}
            chosen = settings_for("superbpe", reached + s, s, **others)
        else:
            chosen = settings_for("boundless", reached, **others)
        artifact = backend.train_counts(counts, chosen)[0]
        if name not in STOPS_EARLY:
            file = (folder / f"{name}.{kind}.model").read_bytes()
            assert backend.publish(counts, chosen, artifact) == file
        model = backend.model_from_bytes(artifact)
        ops, vocabulary = spell(model[19], "utf8")
        done = len(published.regular) + len(published.supermerges)
        assert (len(ops) > done) == (name in STOPS_EARLY)
        assert vocabulary[: len(published.vocabulary)] == published.vocabulary
        assert_ops(ops[:done], published)
        model = (*model[:19], list(model[19])[:done], None)

    encoder = backend.Encoder(model)
    assert config["encodings"]
    for row in config["encodings"]:
        assert_ids(encoder, row, ops, others.get("blow_up"))


def numbered(ops):
    """Ops of tokens as bytes, as the ops of a model with the alphabet utf8."""
    numbers = {token: number for number, token in enumerate(ALPHABETS["utf8"])}
    out = []
    for kind, left, right, count in ops:
        new = left if kind == "delete" else left + right
        numbers.setdefault(new, len(numbers))
        out.append((kind, numbers[left], numbers[right], numbers[new], count))
    return out


def model_of(backend, ops, scheme, blow_up):
    """A model of ops that others made."""
    fields = ["boundless", "utf8", "superword", scheme, "creation", []]
    more = (*[None] * 3, r"\p{L}", "9/10", blow_up, None, None)
    return (*fields, backend.UNICODE_VERSION, *more, 0, 0, 0, 0, numbered(ops))


def test_several_merges_that_make_one_deleted_token(backend, data):
    """The published program picks the parts of one of them by hash order (SPEC 13)."""
    folder = data / "golden/toy"
    published = read_model(folder / "rust_nondeterministic.model")
    texts = [row["text"] for row in read_jsonl(folder / "rust_nondeterministic.jsonl")]
    others = {"scheme": "gpt4o", "alphabet": "utf8", "id_order": "creation"}
    chosen = settings_for("bpe", 260, **others, tau=Fraction(7, 10), blow_up="pair")
    artifact, stop, _ = backend.train_counts(count_texts(backend, texts, chosen), chosen)
    model = backend.model_from_bytes(artifact)
    ops, vocabulary = spell(model[19], "utf8")
    assert (vocabulary, stop) == (published.vocabulary, "no_pairs")
    assert_ops(ops, published)
    made = [op[1] + op[2] for op in ops if op[0] == "merge"]
    deleted = {op[1] for op in ops if op[0] == "delete"}
    assert any(made.count(token) > 1 for token in deleted)
    encoder = backend.Encoder(model)
    for text in texts:
        assert encoder.decode_bytes(encoder.encode(text, None)) == text.encode()


@pytest.mark.shared
def test_shortcut_traps(backend, shared):
    """Texts of deleted tokens; some are tokens of the vocabulary that are never reached."""
    folder = shared / "golden"
    encoders = {}
    unreached = 0
    rows = read_jsonl(folder / "toy/shortcut_traps.jsonl")
    for row in rows:
        name = row["model"]
        if name not in encoders:
            published = read_model(shared / name)
            regular = [
                ("delete", op[1], op[1], 0) if op[0] == "delete" else ("merge", *op)
                for op in published.regular
            ]
            ops = regular + [("supermerge", *op) for op in published.supermerges]
            # (the texts are words, which the pattern "ultimate" cuts alike)
            scheme = SCHEMES.get(name.split("/")[-1].split(".")[0], "gpt4o")
            model = model_of(backend, ops, scheme, "bytes")
            encoders[name] = [backend.Encoder(model, shortcut) for shortcut in (True, False)]
        expected = [bytes.fromhex(token) for token in row["tokens_hex"]]
        for encoder in encoders[name]:
            found = [encoder.token_bytes(n) for n in encoder.encode(row["text"], None)]
            assert found == expected, row
        unreached += encoders[name][0].token_id(row["text"].encode()) is not None and len(found) > 1
    assert (len(rows), unreached) == (702, 12)


@pytest.mark.shared
@pytest.mark.parametrize("threshold", ["0.9", "0.6"])
def test_the_original_pickybpe_program(backend, shared, threshold):
    """Its events, replayed one by one, cut its text as it says, and so do we.

    It looks for parts in what its vocabulary has at that moment, we take those of the first merge:
    a word in which a delete with other parts takes place is left out, and they are counted.
    """
    folder = shared / "golden/picky"
    events = json.loads(read_text(folder / f"events.{threshold}.json.gz"))["events"]
    lines = read_text(folder / "train.txt").split("\n")
    cut = read_text(folder / f"train.{threshold}.tok.txt").split("\n")
    # Each character becomes a letter of two bytes, so that a word is one pretoken
    letters = sorted({"\u2581", *"".join(lines)})
    code = {letter: chr(0x100 + number).encode() for number, letter in enumerate(letters)}

    def in_bytes(token):
        return b"".join(code[letter] for letter in token)

    first, steps = {}, []
    ops = [("merge", letter[:1], letter[1:], 1) for letter in code.values()]
    for kind, _, *names in events:
        if kind == "m":
            left, right, new = map(in_bytes, names)
            first.setdefault(new, [left, right])
            ops.append(("merge", left, right, 1))
            steps.append((left, right, None))
        else:
            token, parts = in_bytes(names[0]), [in_bytes(part) for part in names[1]]
            ops.append(("delete", token, token, 0))
            steps.append((token, parts, parts != first[token]))
    encoder = backend.Encoder(model_of(backend, ops, "gpt2", "pair"))

    def replay(word):
        tokens, odd = [word[i : i + 2] for i in range(0, len(word), 2)], False
        for one, other, is_odd in steps:
            if one not in tokens:
                continue
            if is_odd is None:
                tokens = replace_pair(tokens, one, other)
            else:
                tokens, odd = blow(tokens, one, other), odd or is_odd
        return tokens, odd

    known = {}
    for line, expected in zip(lines, cut, strict=False):
        found = []
        for word in map(in_bytes, ("\u2581" + word for word in line.split())):
            if word not in known:
                known[word] = replay(word)
                if not known[word][1]:
                    ids = encoder.encode(word.decode(), None)
                    assert [encoder.token_bytes(n) for n in ids] == known[word][0]
            found += known[word][0]
        assert found == [in_bytes(token) for token in expected.split()]
    left_out = sum(odd for _, odd in known.values())
    assert 0 < left_out < len(known) / 10


def test_a_corpus_on_which_the_published_program_crashes(backend, data):
    """A new token next to an older occurrence of itself in one run: a recount is right."""
    from oracle.superbpe import train_superbpe

    folder = data / "golden/toy"
    texts = [row["text"] for row in read_jsonl(folder / "miscount_crash.jsonl")]
    scheme = "gpt4o-scripts"
    chosen = settings_for("superbpe", 405, 5, scheme=scheme, alphabet="utf8")
    counts = count_texts(backend, texts, chosen)
    ops, _ = train_tables(backend, counts.pretoken_counts(), counts.run_counts(), chosen)
    documents = [backend.pretokenize(text, scheme) for text in texts]
    start = spell([], "utf8")[1]
    expected, _ = train_superbpe(documents, 400, 5, backend.is_eligible_text, start)
    assert spell(ops, "utf8")[0] == expected
    assert any(op[0] == "supermerge" for op in expected)


ONE_PHASE = {"gpt2": "gpt2", "gpt4": "gpt4", "gpt4o": "gpt4o", "en": "gpt4o"}


@pytest.mark.shared
@pytest.mark.parametrize("name", ONE_PHASE)
def test_the_original_one_phase_program(backend, shared, name):
    """Aligned in five points (SPEC 13) it makes the same ops in the same order."""
    folder = shared / "golden"
    corpus = folder / ("onephase/en120k.jsonl.gz" if name == "en" else "corpus/tiny.jsonl.gz")
    texts = [row["text"] for row in read_jsonl(corpus)]
    _, vocabulary, expected = read_one_phase(folder / f"onephase/{name}.all.v1.model.gz")
    chosen = settings_for(
        "boundless", len(vocabulary), scheme=ONE_PHASE[name], alphabet="utf8", id_order="creation"
    )
    counts = count_texts(backend, texts, chosen, 2)
    model = backend.model_from_bytes(backend.train_counts(counts, chosen)[0])
    ops, made = spell(model[19], "utf8")
    assert made == vocabulary
    assert [op[:3] for op in ops] == expected


def test_the_number_compared(backend_name, request):
    """All 199 models, by the reference 155 or, with --long, all; 12 without the shared material.

    In this run, whatever the order and in how many processes.
    """
    chosen = request.config
    part = chosen.getoption("-k") or chosen.getoption("-m") or any("::" in a for a in chosen.args)
    compared = [
        item.callspec.params["name"]
        for item in request.session.items
        if item.name.startswith("test_reproduced[")
        and item.callspec.params["backend_name"] == backend_name
    ]
    if not part:
        long = backend_name == "rust" or chosen.getoption("--long")
        whole = 199 if long else 155
        small = any(name.startswith("small/") for name in compared)
        assert len(set(compared)) == len(compared) == (whole if small else 12)
    assert (len(set(NAMES)), len(OF_REFERENCE), len(IN_REPOSITORY)) == (199, 155, 12)
