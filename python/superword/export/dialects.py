"""Where the dialects of regular expressions differ: groups that give nothing back, and names.

`oniguruma` is what `tokenizers` uses, `fancy` the crate fancy-regex, which tiktoken uses, and
`javascript` RegExp with the flag `u`. Sets are spelled alike in all (`code_points`).
"""

from __future__ import annotations

from typing import Literal, get_args

Dialect = Literal["oniguruma", "fancy", "javascript"]
DIALECTS: tuple[Dialect, ...] = get_args(Dialect)


def atomic(body: str, dialect: Dialect, name: str) -> str:
    r"""Return a group that gives nothing back once it has matched.

    JavaScript has none: there a look-ahead, which gives nothing back either, captures what is then
    matched again, by a `name` that no other group of the pattern may have.

    >>> atomic("a+", "oniguruma", "x"), atomic("a+", "javascript", "x")
    ('(?>a+)', '(?=(?<x>a+))\\k<x>')
    """
    if dialect == "javascript":
        return f"(?=(?<{name}>{body}))\\k<{name}>"
    return f"(?>{body})"


def definition(name: str, body: str) -> str:
    """Return what gives a part of a pattern a name and matches the empty string.

    For `oniguruma` and `fancy`: JavaScript has no calls.

    >>> definition("x", "[a-c]")
    '(?<x>[a-c]){0}'
    """
    return f"(?<{name}>{body}){{0}}"


def call(name: str) -> str:
    r"""Return what matches as the part of that name does.

    >>> call("x")
    '\\g<x>'
    """
    return f"\\g<{name}>"
