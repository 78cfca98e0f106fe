"""Which repetitions are refused: those that derive some text in two ways, and no others."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.derivations import is_ambiguous, is_nullable, spell

from superword.errors import SettingsError
from superword.reference.patterns import NAMED_PATTERNS
from superword.settings import Cutting

SETS = st.sampled_from(["a", "b", "ab"]).map(lambda letters: ("set", letters))


def compound(inner):
    """Larger expressions; one that would repeat the empty text is made optional instead."""

    def repeated(parts):
        kind, body = parts
        return ("opt" if is_nullable(body) else kind, body)

    return st.one_of(
        st.tuples(st.sampled_from(["cat", "cat", "alt"]), inner, inner),
        st.tuples(st.sampled_from(["opt", "plus", "star"]), inner).map(repeated),
    )


def refused(backend, pattern):
    try:
        backend.check_cutting(Cutting(None, pattern))
    except SettingsError as error:
        return "in two ways" in str(error)
    return False


@given(node=st.recursive(SETS, compound, max_leaves=4))
@settings(max_examples=300)
def test_a_repetition_is_refused_exactly_if_it_is_ambiguous(backend, node):
    if not is_nullable(node):
        loop = ("plus", node)
        assert refused(backend, f"x{spell(loop)}") == is_ambiguous(loop, "ab", 8), spell(loop)


@pytest.mark.parametrize("name", NAMED_PATTERNS)
def test_the_named_patterns_pass(backend, name):
    backend.check_cutting(Cutting(None, NAMED_PATTERNS[name]))


@pytest.mark.parametrize(
    "pattern",
    [
        "(?:" + "[ab]?" * 700 + "c)+",
        "(?:" + "|".join(f"a{{{n}}}b" for n in range(1, 300)) + ")+",
        "(?:(?:a?b?c?d?e?f?g?h?i?){1,1}j){1000,}",
        "(?:" * 49 + "a" + "b)*c" * 49,
        "(?:(?:ab|cd|ef){1,20}g){1,20}+x",
        "(?i:" + "k" * 4000 + ")",
        "".join(chr(0x4E00 + n) for n in range(4000)),
        "|".join(chr(0x4E00 + n) for n in range(2000)),
        r"\P{L}" * 800,
        "".join(f"[{chr(0x4E00 + n)}\\p{{L}}]" for n in range(450)),
        "(?:" + "".join(f"[{chr(0x4E00 + n)}\\p{{Lu}}]?" for n in range(300)) + "c)+",
        "(?i:" + "".join(f"[^{chr(0x41 + n % 26)}{chr(0x4E00 + n)}]" for n in range(800)) + ")",
        "".join(f"[^{chr(0x4E00 + n)}]|" for n in range(800)) + "x",
    ],
    ids=range(13),
)
def test_hostile_patterns_are_judged_soon(both_backends, pattern):
    found = []
    for backend in both_backends:
        start = time.process_time()
        try:
            backend.check_cutting(Cutting(None, pattern))
            found.append("accepted")
        except SettingsError as error:
            found.append(str(error))
        # 2 seconds on a quiet machine, and room for a busy one
        assert time.process_time() - start < 4
    assert found[0] == found[1]
