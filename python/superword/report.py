"""What training did: sizes, seconds, why it stopped, and what a user should know."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from superword.errors import SuperwordWarning
from superword.messages import one_line
from superword.model import Model
from superword.settings import ALPHABETS, ELIGIBLE_PATTERN

if TYPE_CHECKING:
    from superword._backend import Encoder

# As the grammar of patterns has them.
_SHORT_ESCAPES = {"\r": r"\r", "\n": r"\n", "\t": r"\t", "\f": r"\f", "\v": r"\v"}

_STOPS = {
    "vocab_size": "all tokens that were asked for are made",
    "no_pairs": "no pair is left to merge",
    "min_count": "no pair is left that occurs min_count times",
}


class Stage(NamedTuple):
    """A stage of training and how long it took."""

    name: str
    seconds: float


class Candidates(NamedTuple):
    """How many candidates for superwords n-gram splitting met and how many it left.

    A candidate is a run of two or more pretokens. The type-token ratio is the distinct ones by
    all: near 1 where nearly every run is another one, low where the same few come again and again.
    Source: [A] appendix B.

    >>> Candidates(90, 100, 20, 160).ratio_after
    0.125
    """

    distinct_before: int
    all_before: int
    distinct_after: int
    all_after: int

    @property
    def ratio_before(self) -> float:
        """The type-token ratio before splitting; 0 without candidates."""
        return self.distinct_before / self.all_before if self.all_before else 0.0

    @property
    def ratio_after(self) -> float:
        """The type-token ratio after splitting; 0 without candidates."""
        return self.distinct_after / self.all_after if self.all_after else 0.0


@dataclass(frozen=True)
class Report:
    """The report on a model; `str(report)` is a table for people.

    A loaded model knows its corpus totals and what it holds; `stages` is then empty and what only
    training knows (`asked`, `stop`, `threads`, `candidates`) is None.

    >>> import superword
    >>> report = superword.train(["to be or not to be"], vocab_size=300).report
    >>> report.documents, report.tokens < report.asked, report.stop
    (1, True, 'no_pairs')
    """

    algorithm: str
    scheme: str | None  # None where there is a pattern
    documents: int
    bytes: int  # UTF-8 bytes of all pretokens
    pretokens: int
    distinct_pretokens: int
    tokens: int  # without special tokens
    superwords: int  # how many of them a supermerge makes
    special_tokens: int
    merges: int  # operations
    supermerges: int
    deletions: int
    model_bytes: int
    backend: str
    tau: str | None = None  # with deletions
    blow_up: str | None = None
    ngram_floor: int | None = None  # with n-gram splitting
    ngram_max_length: int | None = None
    asked: int | None = None  # tokens that were asked for
    stop: str | None = None  # "vocab_size", "no_pairs" or "min_count"
    threads: int | None = None
    candidates: Candidates | None = None  # with n-gram splitting
    stages: tuple[Stage, ...] = ()
    notices: tuple[str, ...] = ()
    pattern: str | None = None
    script_pattern: str | None = None
    scripts: tuple[str, ...] | None = None
    eligible_pattern: str = ELIGIBLE_PATTERN

    @property
    def stopped_early(self) -> bool:
        """Whether fewer tokens were made than were asked for."""
        return self.asked is not None and self.tokens < self.asked

    @property
    def stop_reason(self) -> str:
        """Why training stopped, in words; empty for a loaded model."""
        if self.stop is None:
            return ""
        why = _STOPS[self.stop]
        if self.stopped_early:
            return f"{self.asked:,} tokens asked for, {self.tokens:,} made: {why}"
        return why

    def __str__(self) -> str:
        rows = [
            ("algorithm", f"{self.algorithm}, {self._scheme()}, backend {self.backend}"),
            ("corpus", f"{self.documents:,} documents, {self.bytes:,} bytes"),
            ("pretokens", f"{self.pretokens:,}, {self.distinct_pretokens:,} distinct"),
            ("tokens", self._tokens()),
            ("operations", self._operations()),
            ("model", f"{self.model_bytes:,} bytes"),
        ]
        if self.pattern is not None:
            rows.insert(1, ("pattern", printable_pattern(self.pattern)))
        if self.script_pattern is not None:
            scripts = ", ".join(self.scripts or ())
            pattern = printable_pattern(self.script_pattern)
            rows.insert(2, ("script pattern", f"{pattern} for {scripts}"))
        if self.eligible_pattern != ELIGIBLE_PATTERN:
            rows.append(("eligible", printable_pattern(self.eligible_pattern)))
        if self.tau is not None:
            rows.append(("deletions", f"tau {self.tau}, blow-up {self.blow_up}"))
        if self.ngram_floor is not None:
            split = (
                f"split, floor {self.ngram_floor:,}, at most {self.ngram_max_length:,} pretokens"
            )
            rows.append(("n-grams", split))
        if self.candidates is not None:
            rows.append(("candidates", self._candidates(self.candidates)))
        if self.stop_reason:
            rows.append(("stopped", self.stop_reason))
        if self.threads is not None:
            rows.append(("threads", f"{self.threads}"))
        rows += [(f"stage {stage.name}", f"{stage.seconds:.2f} s") for stage in self.stages]
        if self.stages:
            rows.append(("all stages", f"{sum(stage.seconds for stage in self.stages):.2f} s"))
        rows += [("notice", one_line(notice)) for notice in self.notices]
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}}  {text}" for name, text in rows)

    def _scheme(self) -> str:
        return "a pattern" if self.scheme is None else f"scheme {self.scheme}"

    def _operations(self) -> str:
        deletions = f", {self.deletions:,} deletions" if self.deletions else ""
        return f"{self.merges:,} merges, {self.supermerges:,} supermerges{deletions}"

    @staticmethod
    def _candidates(numbers: Candidates) -> str:
        before = f"{numbers.all_before:,}, {numbers.distinct_before:,} distinct"
        after = f"{numbers.all_after:,}, {numbers.distinct_after:,} distinct"
        return f"{before} ({numbers.ratio_before:.3f}); split {after} ({numbers.ratio_after:.3f})"

    def _tokens(self) -> str:
        regular = self.tokens - self.superwords
        return (
            f"{self.tokens:,} ({regular:,} regular, {self.superwords:,} superwords) "
            f"and {self.special_tokens:,} special"
        )


def printable_pattern(pattern: str) -> str:
    r"""A pattern on one line of any terminal that means the same when it is given again.

    What is not printable is escaped as the grammar has it, and so are blanks at the ends.

    >>> print(printable_pattern(" ?\x1b\n|\u3000\U000e0001 "))
    \ ?\u001b\n|\u3000\U000e0001\u0020
    """
    shown = "".join(char if char.isprintable() else _escape(char) for char in pattern)
    if shown.startswith(" "):
        shown = "\\" + shown
    if shown.endswith(" "):
        rest = shown[:-1]
        escaped = (len(rest) - len(rest.rstrip("\\"))) % 2
        shown = rest[: len(rest) - escaped] + _escape(" ")
    return shown


def _escape(char: str) -> str:
    if char in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[char]
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


def report_of(
    model: Model, encoder: Encoder, model_bytes: int, backend: str, **trained: Any
) -> Report:
    """The report on a model, whose ops the encoder has; `trained`: what only training knows."""
    merges, supermerges, superwords, deletions = encoder.op_counts
    return Report(
        algorithm=model.algorithm,
        scheme=model.scheme,
        pattern=model.pattern,
        script_pattern=model.script_pattern,
        scripts=model.cutting.scripts,
        eligible_pattern=model.eligible_pattern,
        documents=model.documents,
        bytes=model.bytes,
        pretokens=model.pretokens,
        distinct_pretokens=model.distinct_pretokens,
        tokens=encoder.vocab_size,
        superwords=superwords,
        special_tokens=len(model.special_tokens),
        merges=merges,
        supermerges=supermerges,
        deletions=deletions,
        model_bytes=model_bytes,
        backend=backend,
        tau=model.tau,
        blow_up=model.blow_up,
        ngram_floor=model.ngram_floor,
        ngram_max_length=model.ngram_max_length,
        **trained,
    )


def limits_notice(model: Model) -> str:
    """What to say of a model that passes the limits which `load` has by itself."""
    lengths = [1] * ALPHABETS[model.alphabet]
    total = 0
    for kind, left, right, new, _ in model.ops:
        if kind == "delete":
            continue
        length = lengths[left] + lengths[right]
        total += length  # what is made again counts too
        if new == len(lengths):
            lengths.append(length)
    return (
        "the model has such long tokens that it loads only with higher limits: "
        f"max_token_bytes={max(lengths)}, max_total_bytes={total}"
    )


def warn(notices: Iterable[str]) -> None:
    """Issue each notice as a `SuperwordWarning` that points at the line that called superword."""
    level = 1
    frame = sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "superword":
        level += 1
        outer = frame.f_back
        if outer is None:
            break
        frame = outer
    for notice in notices:
        warnings.warn(notice, SuperwordWarning, stacklevel=level)
