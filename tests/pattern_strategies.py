"""Random patterns of the grammar, and texts on which they can match."""

from functools import partial

from hypothesis import strategies as st

SETS = [
    *("a", "b", "A", "k", "1", r"\.", r"\n", " ", "é", "😀"),
    *("[ab]", "[^a]", "[a-k1]", "[^\\s1]", "[A-K\\n]", "[é😀-😂]"),
    *(r"\s", r"\S", r"\d", r"\D", ".", r"\p{L}", r"\P{Lu}", r"\p{M}", r"[\p{N}\p{P}]"),
    *("(?i:k)", "(?i:[a-c])", "(?i:ab)", "(?i:é)"),
]
FIXED = ["a", "[ab]", "ab", r"\s", "a|b", "ab|[^a]k", "[ab]{2}", "a(?=b)", "(?<=a)b"]
TIMES = ["*", "+", "?", "{2}", "{1,}", "{0,2}", "{1,3}", "{2,3}"]
HOWS = ["", "", "?", "+"]
# what the standard library's engine has, too, and has right
PLAIN_SETS = [pattern for pattern in SETS if "\\p" not in pattern and "\\P" not in pattern]
PLAIN_HOWS = ["", "?"]
LETTERS = "aabbAkK1. \n\u212aéÉ\u0301😀\u0345"


def compound(hows, inner):
    """What patterns are made of."""
    return st.one_of(
        st.lists(inner, min_size=2, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        st.tuples(inner, st.sampled_from(TIMES), st.sampled_from(hows)).map(
            lambda parts: f"(?:{parts[0]}){parts[1]}{parts[2]}"
        ),
        st.tuples(st.sampled_from("=!"), inner).map(lambda parts: f"(?{parts[0]}{parts[1]})"),
    )


def patterns(sets=SETS, hows=HOWS):
    """Patterns; the backends refuse many of them."""
    single = st.one_of(
        st.sampled_from(sets),
        st.tuples(
            st.sampled_from([s for s in sets if s != "(?i:ab)"]),
            st.sampled_from(TIMES),
            st.sampled_from(hows),
        ).map("".join),
        st.tuples(st.sampled_from(["<=", "<!"]), st.sampled_from(FIXED)).map(
            lambda parts: f"(?{parts[0]}{parts[1]})"
        ),
        st.just("$"),
    )
    whole = st.recursive(single, partial(compound, hows), max_leaves=7)
    return st.lists(whole, min_size=1, max_size=3).map("|".join)


def texts():
    """Short texts of few letters."""
    return st.text(alphabet=LETTERS, max_size=14)
