"""One regular expression whose matches are runs of words that superwords are made of.

BPE over such a match, all regular merges before all supermerges, is the two phases of encoding
(SPEC section 9) as long as no regular merge can cross the end of a word (`conditions`). The pattern
is `(?>S)?+(?>C)++|F`: F is the pattern of pretokens; C are the words that may go on a run, S those
that may only begin one. Each word ends in its tail (`tails`): at most one of them matches at a
place, and only where F would match the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from superword.export.code_points import characters, class_of, literal, set_body
from superword.export.conditions import Plan, plan_of
from superword.export.dialects import Dialect, atomic, call, definition
from superword.export.exported_model import ExportedModel
from superword.export.named_patterns import pattern_of
from superword.export.tails import look_ahead

# The hottest branches are tried one by one, the others behind a look at their first characters.
_HOT = 6
_GROUP = 8
_HOT_KINDS = 2


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
    if dialect == "oniguruma":
        named = {tail: f"t{number}" for number, tail in enumerate(tails) if aheads[tail]}
        definitions = "".join(definition(name, aheads[tail]) for tail, name in named.items())
        aheads.update((tail, call(name)) for tail, name in named.items())
    plain = {word: aheads[tail] for word, tail in plan.tails.items()}
    whole = []
    ends = dict(plain)
    for first, second, unless in plan.whole:
        others = "".join(f"(?!{literal(word)}{plain[word]})" for word in unless)
        rest = literal(second) + plain[second] + others
        whole.append(literal(first) + plain[first] + rest)
        # in a run that began before it the first of the two must not be taken alone
        ends[first] += f"(?!{rest})"

    def trie(words: Sequence[str]) -> str:
        if dialect == "oniguruma":
            return _trie(words, ends, counts)
        return _tries(words, ends, counts)

    going_on = [trie(plan.free)] if plan.free else []
    for behind, words in plan.guarded:
        guard = "".join(f"(?<!{literal(text)})" for text in behind)
        going_on.append(f"{guard}(?:{trie(words)})")
    parts = []
    if plan.first:
        parts.append(f"(?:{atomic(trie(plan.first), dialect, 'begin')})?")
    parts.append(f"(?:{atomic('|'.join(going_on), dialect, 'on')})+")
    runs = atomic("".join(parts), dialect, "run")
    return definitions + "|".join([*whole, runs, pattern_of(plan.cutting, dialect)])


def _tries(words: Sequence[str], ends: Mapping[str, str], counts: Mapping[bytes, int]) -> str:
    """Return a trie of the words of each look-ahead, so that each stands there once.

    Without names for parts this is far shorter. (Calls by name need tiktoken 0.14, where they are a
    quarter faster; JavaScript has none.)
    """
    by_end: dict[str, list[str]] = {}
    for word in words:
        by_end.setdefault(ends[word], []).append(word)
    hottest_first = sorted(
        by_end.values(), key=lambda some: -sum(counts.get(word.encode(), 1) for word in some)
    )
    return "|".join(_guarded_tries(hottest_first, ends, counts))


def _guarded_tries(
    kinds: Sequence[Sequence[str]], ends: Mapping[str, str], counts: Mapping[bytes, int]
) -> list[str]:
    """Return tries, all but the first ones behind a look at how their words begin."""
    found = [_trie(words, ends, counts) for words in kinds[:_HOT_KINDS]]
    rest = kinds[_HOT_KINDS:]
    size = max(1, -(-len(rest) // _GROUP))
    for start in range(0, len(rest), size):
        group = rest[start : start + size]
        inside = "|".join(_guarded_tries(group, ends, counts))
        found.append(f"(?={_beginning(chain.from_iterable(group))})(?:{inside})")
    return found


def _beginning(words: Iterable[str]) -> str:
    """Return how words begin: the first letter of each, and what may stand before it."""
    before: set[str] = set()
    letters: set[str] = set()
    for word in words:
        led = len(word) > 1 and not word[0].isalpha()
        letters.add(word[led])
        before.update(word[:led])
    lead = f"{class_of(characters(''.join(before)))}?" if before else ""
    return lead + class_of(characters("".join(letters)))


def _trie(words: Iterable[str], ends: Mapping[str, str], counts: Mapping[bytes, int]) -> str:
    """Return the trie of some words, each with the look-ahead that ends it."""
    root = _Node()
    for word in words:
        heat = counts.get(word.encode(), 1)
        node = root
        node.heat += heat
        for char in word:
            node = node.children.setdefault(char, _Node())
            node.heat += heat
        node.end = ends[word]
    body, end = _print(root)
    return body + (end or "")


class _Node:
    """A place in a trie: the look-ahead of the word that ends here, and what goes on."""

    __slots__ = ("children", "end", "heat")

    def __init__(self) -> None:
        self.children: dict[str, _Node] = {}
        self.heat = 0
        self.end: str | None = None


def _print(node: _Node) -> tuple[str, str | None]:
    """Return the pattern of what goes on at a node, and the look-ahead that has to follow it.

    None: they stand in the pattern. This goes as deep as the longest word has characters.
    """
    by_end: dict[str | None, list[_Alternative]] = {}
    leaves: dict[str, tuple[int, str]] = {}
    for char, child in node.children.items():
        if not child.children and child.end is not None:
            heat, chars = leaves.get(child.end, (0, ""))
            leaves[child.end] = (heat + child.heat, chars + char)
            continue
        body, end = _print(child)
        by_end.setdefault(end, []).append(_Alternative(child.heat, literal(char) + body, char))
    for end, (heat, chars) in leaves.items():
        alternative = _Alternative(heat, class_of(characters(chars)), chars)
        by_end.setdefault(end, []).append(alternative)
    if node.end is not None:
        by_end.setdefault(node.end, []).append(_Alternative(-1, "", ""))
    if len(by_end) == 1:
        (end, alternatives), *_ = by_end.items()
        return _choice(alternatives), end
    mixed = by_end.pop(None, [])
    mixed += [_together(alternatives, end or "") for end, alternatives in by_end.items()]
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
