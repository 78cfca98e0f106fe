"""One regular expression whose matches are runs of words that superwords are made of.

BPE over such a match, all regular merges before all supermerges, is the two phases of encoding
(SPEC section 9) as long as no regular merge can cross the end of a word (`conditions`). The pattern
is `(?>S)?+(?>C)++|F`: F is the pattern of pretokens; C are the words that may go on a run, S those
that may only begin one. Each word ends in its tail (`tails`): at most one of them matches at a
place, and only where F would match the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from superword.export.code_points import characters, class_of, literal, set_body
from superword.export.conditions import Plan, plan_of
from superword.export.dialects import Dialect, atomic, call, definition
from superword.export.exported_model import ExportedModel
from superword.export.named_patterns import pattern_of
from superword.export.tails import Tail, look_ahead

# The hottest branches are tried one by one, the others behind a look at their first characters.
_HOT = 6
_GROUP = 8


class _Alternative(NamedTuple):
    """A part of a choice."""

    heat: int  # the higher, the earlier it should be tried
    body: str
    starts: str  # the characters that it can start with; none: it can be empty


def pattern(model: ExportedModel, dialect: Dialect = "oniguruma") -> str:
    """Return the one pattern by which a stock BPE with the model's merges gives the model's ids.

    Without supermerges it is the pattern of pretokens. The BPE needs all regular merges before all
    supermerges, each in the order of the model.

    Args:
        model: what is exported.
        dialect: the engine that is to read the pattern.

    Raises:
        NotExactError: there is no such pattern; the text has an example and a way out.
    """
    if not model.supermerges:
        return pattern_of(model.cutting, dialect)
    return run_pattern(plan_of(model), model.counts, dialect)


def run_pattern(plan: Plan, counts: Mapping[bytes, int], dialect: Dialect) -> str:
    """Return the pattern of a plan: which words may begin a run and which may go on with it."""
    tails = sorted(set(plan.tails.values()), key=str)
    aheads = {tail: look_ahead(tail, plan.scheme) for tail in tails}
    definitions = ""
    if dialect != "javascript":
        named = {tail: f"t{number}" for number, tail in enumerate(tails) if aheads[tail]}
        definitions = "".join(definition(name, aheads[tail]) for tail, name in named.items())
        aheads.update((tail, call(name)) for tail, name in named.items())

    def trie(words: Sequence[str]) -> str:
        if dialect != "javascript":
            return _trie(words, plan.tails, counts, aheads)
        # Without names each tail should stand there once.
        by_tail = {tail: [word for word in words if plan.tails[word] == tail] for tail in tails}
        return "|".join(
            _trie(some, plan.tails, counts, aheads) for some in by_tail.values() if some
        )

    going_on = [trie(plan.free)] if plan.free else []
    for behind, words in plan.guarded:
        guard = "".join(f"(?<!{literal(text)})" for text in behind)
        going_on.append(f"{guard}(?:{trie(words)})")
    parts = []
    if plan.first:
        parts.append(f"(?:{atomic(trie(plan.first), dialect, 's')})?")
    parts.append(f"(?:{atomic('|'.join(going_on), dialect, 'c')})+")
    runs = atomic("".join(parts), dialect, "r")
    return f"{definitions}{runs}|{pattern_of(plan.cutting, dialect)}"


def _trie(
    words: Iterable[str],
    tails: Mapping[str, Tail],
    counts: Mapping[bytes, int],
    aheads: Mapping[Tail, str],
) -> str:
    """Return the trie of some words, each with its tail."""
    root = _Node()
    for word in words:
        heat = counts.get(word.encode(), 1)
        node = root
        node.heat += heat
        for char in word:
            node = node.children.setdefault(char, _Node())
            node.heat += heat
        node.tail = tails[word]
    body, tail = _print(root, aheads)
    return body if tail is None else body + aheads[tail]


class _Node:
    """A place in a trie: the tail of the word that ends here, and what goes on."""

    __slots__ = ("children", "heat", "tail")

    def __init__(self) -> None:
        self.children: dict[str, _Node] = {}
        self.heat = 0
        self.tail: Tail | None = None


def _print(node: _Node, aheads: Mapping[Tail, str]) -> tuple[str, Tail | None]:
    """Return the pattern of what goes on at a node, and the tail that has to follow it.

    None: the tails stand in the pattern. This goes as deep as the longest word has characters.
    """
    by_tail: dict[Tail | None, list[_Alternative]] = {}
    ends: dict[Tail, tuple[int, str]] = {}
    for char, child in node.children.items():
        if not child.children and child.tail is not None:
            heat, chars = ends.get(child.tail, (0, ""))
            ends[child.tail] = (heat + child.heat, chars + char)
            continue
        body, tail = _print(child, aheads)
        by_tail.setdefault(tail, []).append(_Alternative(child.heat, literal(char) + body, char))
    for tail, (heat, chars) in ends.items():
        alternative = _Alternative(heat, class_of(characters(chars)), chars)
        by_tail.setdefault(tail, []).append(alternative)
    if node.tail is not None:
        by_tail.setdefault(node.tail, []).append(_Alternative(-1, "", ""))
    if len(by_tail) == 1:
        (tail, alternatives), *_ = by_tail.items()
        return _choice(alternatives), tail
    mixed = by_tail.pop(None, [])
    for tail, alternatives in by_tail.items():
        assert tail is not None
        mixed.append(_together(alternatives, aheads[tail]))
    return _choice(mixed), None


def _together(alternatives: list[_Alternative], ahead: str) -> _Alternative:
    """Return alternatives that have a look-ahead in common as one."""
    heat = max(sum(part.heat for part in alternatives), -1)
    empty = any(not part.starts for part in alternatives)
    starts = "" if empty else "".join(part.starts for part in alternatives)
    body = _choice(alternatives) + ahead
    if starts and len(alternatives) > _GROUP:
        body = f"(?=[{set_body(characters(starts))}]){body}"
    return _Alternative(heat, body, starts)


def _choice(alternatives: list[_Alternative]) -> str:
    """Return the pattern of one of some alternatives, the hottest first; what is empty is last."""
    ordered = sorted(alternatives, key=lambda part: (not part.starts, -part.heat, part.body))
    if len(ordered) == 1:
        return ordered[0].body
    return f"(?:{'|'.join(_few(ordered))})"


def _few(ordered: list[_Alternative]) -> list[str]:
    """Return few alternatives that are the same as many: rare ones behind a look at their first."""
    if len(ordered) <= _HOT + _GROUP:
        return [part.body for part in ordered]
    hot, rest = ordered[:_HOT], ordered[_HOT:]
    size = max(_GROUP, -(-len(rest) // _GROUP))
    found = [part.body for part in hot]
    empty = [part.body for part in rest if not part.starts]
    rest = [part for part in rest if part.starts]
    for start in range(0, len(rest), size):
        group = rest[start : start + size]
        chars = characters("".join(part.starts for part in group))
        found.append(f"(?=[{set_body(chars)}])(?:{'|'.join(_few(group))})")
    return found + empty
