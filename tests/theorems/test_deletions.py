"""What deletions leave of the theorems of SPEC 12, and small examples of what they do not."""

from fractions import Fraction

from compose import has_letter, settings_for, spell, train_documents
from differential.strategies import pretoken_tables
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.boundless import train_boundless
from oracle.picky_superwords import train_superbpe

# `abc` is used up by `abcd`, though it stands twice by itself; its bytes make `ab` again first.
CORPUS = [[b"abc", b"x"], [b"abc", b"x"], [b"abcd"]]
DELETIONS = {"tau": Fraction(1, 3), "blow_up": "bytes"}
REGULAR = [
    ("merge", b"a", b"b", 3),
    ("merge", b"ab", b"c", 3),
    ("delete", b"ab", b"ab", 0),
    ("merge", b"abc", b"d", 1),
    ("delete", b"abc", b"abc", 0),
    ("merge", b"a", b"b", 2),
]
SUPERWORD = ("supermerge", b"abc", b"x", 2)


def boundless(backend, vocab_size):
    chosen = settings_for("boundless", vocab_size, **DELETIONS)
    return train_documents(backend, CORPUS, chosen)[0]


def test_two_phases_are_not_one(backend):
    """12.2: what is one token when it could join may be none at the end of phase 1."""
    one_phase, _ = train_boundless(CORPUS, 258, has_letter, **DELETIONS)
    assert one_phase == [*REGULAR[:3], SUPERWORD]
    assert boundless(backend, 258) == REGULAR


def test_a_boundless_model_is_not_superbpe_of_its_merges(backend):
    """12.3: a later merge can be the one that makes a part of a superword whole again."""
    ops = boundless(backend, 259)
    assert ops == [*REGULAR[:3], SUPERWORD, *REGULAR[3:]]
    # the same four merges, then one supermerge: there is none
    expected = train_superbpe(CORPUS, 258, 1, Fraction(1, 3), "bytes", has_letter)
    chosen = settings_for("superbpe", 259, 1, **DELETIONS)
    assert train_documents(backend, CORPUS, chosen) == expected
    assert expected[0] == REGULAR


def test_a_smaller_boundless_model_is_no_prefix(backend):
    """12.4: candidates are what phase 1 leaves at its end, and that end moves."""
    small, large = boundless(backend, 258), boundless(backend, 259)
    assert small == REGULAR
    assert large[3] == SUPERWORD


def test_counts_rise(backend):
    """Without deletions no regular merge is more frequent than the one before."""
    counts = [op[3] for op in boundless(backend, 258) if op[0] == "merge"]
    assert counts == [3, 3, 1, 2]


def test_two_merges_make_the_same_bytes(backend):
    """Without deletions no two merges of phase 1 do."""
    chosen = settings_for("bpe", 259, tau=Fraction(3, 5), blow_up="pair")
    ops, _ = backend.train_merges([(b"ba", 1), (b"bba", 2)], chosen)
    ba = ("merge", b"b", b"a")
    assert spell(ops, "bytes")[0] == [
        (*ba, 3),
        ("merge", b"b", b"ba", 2),
        ("delete", b"ba", b"ba", 0),
        (*ba, 1),
    ]


@settings(max_examples=200)
@given(
    table=pretoken_tables("ab") | pretoken_tables("abc"),
    size=st.integers(0, 12),
    more=st.integers(1, 6),
    tau=st.sampled_from([Fraction(1, 3), Fraction(3, 5), Fraction(9, 10)]),
    blow_up=st.sampled_from(["pair", "bytes"]),
)
def test_a_smaller_bpe_model_is_a_prefix(backend, table, size, more, tau, blow_up):
    """12.4 holds for `bpe`: training ends the first time that a size is reached."""
    small, large = (
        backend.train_merges(table, settings_for("bpe", 256 + n, tau=tau, blow_up=blow_up))[0]
        for n in (size, size + more)
    )
    assert large[: len(small)] == small


@settings(max_examples=200)
@given(
    table=pretoken_tables("ab") | pretoken_tables("a"),
    tau=st.sampled_from([Fraction(1, 20), Fraction(1, 3), Fraction(9, 10), Fraction(1)]),
    blow_up=st.sampled_from(["pair", "bytes"]),
)
def test_training_ends(backend, table, tau, blow_up):
    """However little it takes to delete: the longest token of a circle would grow without end."""
    chosen = settings_for("bpe", 400, tau=tau, blow_up=blow_up)
    assert backend.train_merges(table, chosen)[1] == "no_pairs"
