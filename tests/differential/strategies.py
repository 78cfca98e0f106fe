"""Inputs on which ties, overlaps and repeated tokens are the rule, not the exception."""

from __future__ import annotations

from hypothesis import strategies as st


def words(letters: str, longest: int = 6) -> st.SearchStrategy[bytes]:
    """Pretokens over a few letters."""
    return st.text(st.sampled_from(letters), min_size=1, max_size=longest).map(str.encode)


def pretoken_tables(letters: str) -> st.SearchStrategy[list[tuple[bytes, int]]]:
    """Distinct pretokens with small counts, in order."""
    table = st.dictionaries(words(letters, 10), st.integers(1, 4), max_size=8)
    return table.map(lambda counts: sorted(counts.items()))


def documents(letters: str, longest: int = 4) -> st.SearchStrategy[list[list[bytes]]]:
    """Documents as lists of pretokens, some of them equal, with some that are not eligible."""
    pretoken = words(letters, longest) | st.sampled_from([b"a", b"b", b"ab", b"."])
    document = st.lists(pretoken, max_size=9)
    return st.lists(document, max_size=6).map(lambda found: found + found[:2])


def prefix_free(longest: int = 4) -> st.SearchStrategy[list[list[bytes]]]:
    """Documents in which no concatenation of pretokens is a pretoken: one x, at the start."""
    pretoken = words("ab", longest - 1).map(lambda tail: b"x" + tail) | st.sampled_from(
        [b"x", b"xa", b"xb", b"."]
    )
    document = st.lists(pretoken, max_size=9)
    return st.lists(document, max_size=6).map(lambda found: found + found[:2])


def texts() -> st.SearchStrategy[str]:
    """Short texts full of repetition, white space, contractions and joiners."""
    single = [*"abA1.' \n\u2028éſカか漢字ไทµー١🙂", "\u200d", "\u0375"]
    longer = ["ab", "ba", "aa", "'s", "  ", "\r\n", "e\u0301"]
    return st.lists(st.sampled_from(single + longer), max_size=24).map("".join)
