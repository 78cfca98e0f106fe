"""In how many ways a regular expression derives a text, counted as the words say.

An expression is a tuple: ("set", characters), ("cat", x, y), ("alt", x, y), ("opt", x), ("plus", x)
or ("star", x); what a star or a plus repeats must not derive the empty text.
"""

from functools import cache
from itertools import product


@cache
def ways(node, text):
    """The number of derivations of a text."""
    kind, *parts = node
    if kind == "set":
        return int(len(text) == 1 and text in parts[0])
    if kind == "alt":
        return sum(ways(part, text) for part in parts)
    if kind == "opt":
        return int(not text) + ways(parts[0], text)
    if kind == "cat":
        return sum(
            ways(parts[0], text[:at]) * ways(parts[1], text[at:]) for at in range(len(text) + 1)
        )
    if not text:
        return int(kind == "star")
    last = ways(parts[0], text)
    return last + sum(
        ways(parts[0], text[:at]) * ways(("plus", parts[0]), text[at:])
        for at in range(1, len(text))
    )


def is_ambiguous(node, letters, longest):
    """Whether some text of at most so many letters is derived in two ways."""
    texts = ("".join(t) for size in range(longest + 1) for t in product(letters, repeat=size))
    return any(ways(node, text) > 1 for text in texts)


def spell(node):
    """The expression as a pattern."""
    kind, *parts = node
    if kind == "set":
        return f"[{parts[0]}]"
    spelled = [spell(part) for part in parts]
    if kind in ("cat", "alt"):
        return "(?:" + ("|" if kind == "alt" else "").join(spelled) + ")"
    return f"(?:{spelled[0]})" + {"opt": "?", "plus": "+", "star": "*"}[kind]


def is_nullable(node):
    """Whether it derives the empty text."""
    return ways(node, "") > 0
