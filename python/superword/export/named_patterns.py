"""The pattern of pretokens as one regular expression in the dialect of another engine."""

from __future__ import annotations

from itertools import count

from superword.errors import NotExactError
from superword.export.code_points import class_of
from superword.export.dialects import Dialect, atomic
from superword.export.scripts_pattern import scripts_pattern
from superword.export.uniscript_pattern import uniscript_pattern
from superword.reference.pattern_syntax import parse_pattern
from superword.reference.pattern_tree import (
    GREEDY,
    LAZY,
    POSSESSIVE,
    Choice,
    Look,
    Node,
    Repeat,
    Sequence,
    Set,
)
from superword.reference.patterns import NAMED_PATTERNS, complement
from superword.reference.pretokenize import pretokenizer_of
from superword.settings import Cutting

_TIMES = {(0, 1): "?", (0, None): "*", (1, None): "+"}
_ANY = class_of(complement(()))


def pattern_of(cutting: Cutting, dialect: Dialect) -> str:
    r"""Return the regular expression whose successive matches are the pretokens of every text.

    Args:
        cutting: how the text is cut.
        dialect: the engine that is to read it.

    Raises:
        NotExactError: the dialect has no pattern that means the same, with the reason.

    >>> pattern_of(Cutting(None, r"[a-c]++|'s"), "oniguruma")
    "(?>[a-c]+)|'s"
    >>> pattern_of(Cutting("gpt2"), "fancy")[:20]
    "'(?:[dmst]|ll|ve|re)"

    Source: SPEC 3.2 to 3.4.
    """
    scheme = pretokenizer_of(cutting).scheme
    if scheme == "none":
        return f"{_ANY}+"
    if scheme is not None and scheme in NAMED_PATTERNS:
        return _Printer(dialect).print(parse_pattern(NAMED_PATTERNS[scheme]))
    if scheme == "gpt4o-uniscript":
        return uniscript_pattern()
    if scheme == "gpt4o-scripts":
        if dialect == "oniguruma":
            return scripts_pattern()
        raise NotExactError(
            f"gpt4o-scripts looks behind through any number of characters, which {dialect} "
            "cannot: train with gpt4o-uniscript, which needs no look-behind"
        )
    assert cutting.pattern is not None  # otherwise there is a scheme
    if cutting.script_pattern is not None:
        raise NotExactError(
            "script_pattern: no one pattern means the same as two on chunks of scripts: train with "
            "gpt4o-uniscript, which needs no chunks"
        )
    pattern = _Printer(dialect).print(parse_pattern(cutting.pattern))
    if dialect == "fancy":
        # tiktoken drops what no alternative matches: here each such stretch is a match
        return f"{pattern}|(?:(?!{pattern}){_ANY})+"
    return pattern


class _Printer:
    """Spells trees of patterns in a dialect; `names` are those that no group has yet."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.names = count()

    def print(self, node: Node, behind: bool = False) -> str:
        """Return a tree as text; `behind` tells that it stands in a look-behind."""
        match node:
            case Set(ranges):
                return class_of(ranges)
            case Sequence(parts):
                return "".join(self.grouped(part, behind, Choice) for part in parts)
            case Choice(parts):
                return "|".join(self.print(part, behind) for part in parts)
            case Repeat():
                return self.repeat(node, behind)
            case Look():
                return self.look(node, behind)

    def grouped(self, node: Node, behind: bool, *kinds: type[Node]) -> str:
        """Return a tree as text, in a group of its own if it is of these kinds."""
        text = self.print(node, behind)
        return f"(?:{text})" if isinstance(node, kinds) else text

    def repeat(self, node: Repeat, behind: bool) -> str:
        """Return a repetition; only those that all dialects read alike are used."""
        least, most, how = node.least, node.most, node.how
        times = _TIMES.get((least, most))
        if times is None:
            times = (
                f"{{{least}}}" if least == most else f"{{{least},{'' if most is None else most}}}"
            )
        body = self.grouped(node.body, behind, Choice, Sequence, Repeat, Look)
        # {3}? would be (?:{3})? in Oniguruma, and {2,3}+ a repetition of a repetition
        lazy = LAZY if how == LAZY and least != most else GREEDY
        text = f"{body}{times}{lazy}"
        if how != POSSESSIVE:
            return text
        if behind and self.dialect == "javascript":
            raise NotExactError("pattern: javascript has no possessive repetition in a look-behind")
        return atomic(text, self.dialect, f"p{next(self.names)}")

    def look(self, node: Look, behind: bool) -> str:
        """Return a look-around."""
        if behind and self.dialect == "oniguruma" and node.behind is None:
            raise NotExactError("pattern: oniguruma has no look-ahead and no $ in a look-behind")
        inner = self.print(node.body, behind or node.behind is not None)
        how = "" if node.behind is None else "<"
        return f"(?{how}{'!' if node.negative else '='}{inner})"
