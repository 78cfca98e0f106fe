"""The settings of training: names, defaults, validation. The only place with defaults."""

from __future__ import annotations

import operator
import os
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from superword.errors import SettingsError, SettingsTypeError
from superword.values import BYTES, any_integer, as_text, printable, type_name

ALGORITHMS = ("bpe", "superbpe", "boundless")
SCHEMES = ("gpt2", "gpt4", "gpt4o", "gpt4o-scripts", "gpt4o-uniscript", "none")
RULES = ("superword", "incremental")
ALPHABETS = {"bytes": 256, "utf8": 243}  # name: number of single-byte tokens
ID_ORDERS = ("regular-first", "creation", "gpt2")
BLOW_UPS = ("pair", "bytes")
NGRAM_FLOOR, NGRAM_MAX_LENGTH = 15, 30
MAX_IDS = 2**31 - 1  # ordinary and special tokens together
MAX_COUNT = 2**63 - 1
# (max_token_bytes, max_total_bytes) of models in use already: limits are for files from elsewhere
NO_LIMITS = (MAX_COUNT, MAX_COUNT)
# More than any machine has; beyond it a typing error would start threads until the system refuses.
MAX_THREADS = 1024


DEFAULT_SCHEME = "gpt4o-uniscript"
ELIGIBLE_PATTERN = r"\p{L}"
#: The scripts whose chunks `script_pattern` cuts, unless `scripts` says otherwise.
SCRIPTS = ("Han", "Hiragana", "Katakana", "Khmer", "Lao", "Myanmar", "Thai")


class Cutting(NamedTuple):
    """How text is cut, and which pieces may be parts of superwords: a scheme, or a pattern."""

    scheme: str | None = DEFAULT_SCHEME
    pattern: str | None = None  # as the user gave it; then there is no scheme
    script_pattern: str | None = None  # for chunks of the scripts; both or neither are there
    scripts: tuple[str, ...] | None = None  # long names, ascending
    eligible_pattern: str = ELIGIBLE_PATTERN


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that training needs to know, already validated and resolved.

    Both backends read these attributes; `rust/src/settings.rs` has the same fields.
    """

    algorithm: str  # "bpe", "superbpe" or "boundless"
    vocab_size: int  # ordinary tokens wanted in all
    regular_vocab_size: int  # ordinary tokens at which phase 1 stops
    supermerges: int  # tokens that supermerges may add (superbpe; otherwise 0)
    scheme: str | None = DEFAULT_SCHEME
    rules: str = "superword"
    min_count: int = 1
    max_token_bytes: int | None = None
    max_superword_pretokens: int | None = None
    special_tokens: tuple[str, ...] = ()
    alphabet: str = "bytes"
    id_order: str = "regular-first"
    pattern: str | None = None
    script_pattern: str | None = None
    scripts: tuple[str, ...] | None = None
    eligible_pattern: str = ELIGIBLE_PATTERN
    tau: Fraction | None = None  # both terms at most MAX_COUNT
    blow_up: str | None = None  # given where tau is
    ngram_split: bool = False
    ngram_floor: int = NGRAM_FLOOR
    ngram_max_length: int = NGRAM_MAX_LENGTH

    @property
    def cutting(self) -> Cutting:
        """How text is cut."""
        return Cutting(
            self.scheme, self.pattern, self.script_pattern, self.scripts, self.eligible_pattern
        )


def resolve_settings(
    *,
    algorithm: object,
    vocab_size: object,
    scheme: object = None,
    rules: object = None,
    supermerges: object = None,
    regular_fraction: object = None,
    min_count: object = 1,
    max_token_bytes: object = None,
    max_superword_pretokens: object = None,
    special_tokens: object = (),
    alphabet: object = "bytes",
    id_order: object = "regular-first",
    pattern: object = None,
    script_pattern: object = None,
    scripts: object = None,
    eligible_pattern: object = ELIGIBLE_PATTERN,
    tau: object = None,
    blow_up: object = None,
    ngram_split: object = False,
    ngram_floor: object = None,
    ngram_max_length: object = None,
) -> Settings:
    """Check what a user gave and resolve it to `Settings` (SPEC 3.2, 4.1, 4.3, 5, 6, 8, 9).

    Patterns are read by the backend (`check_cutting`).

    Raises `SettingsTypeError` for a wrong type and `SettingsError` for a wrong value; each names
    the setting, what it may be, and what was given.

    >>> resolve_settings(algorithm="superbpe", vocab_size=1000, regular_fraction="9/10").supermerges
    100
    """
    algorithm = one_of("algorithm", algorithm, ALGORITHMS)
    cutting = _cutting(scheme, pattern, script_pattern, scripts, eligible_pattern)
    # Without a pretokenizer there is one set of rules (SPEC 11), so nobody need name it.
    usual = "incremental" if cutting.scheme == "none" else "superword"
    rules = usual if rules is None else one_of("rules", rules, RULES)
    alphabet = one_of("alphabet", alphabet, tuple(ALPHABETS))
    id_order = one_of("id_order", id_order, ID_ORDERS)
    if (id_order, alphabet) == ("gpt2", "utf8"):
        raise SettingsError("id_order 'gpt2' needs alphabet 'bytes', not 'utf8'")
    special = _special_tokens(special_tokens)
    smallest = ALPHABETS[alphabet]
    size = integer("vocab_size", vocab_size, 0, MAX_IDS - len(special))
    if size < smallest:
        raise SettingsError(
            f"vocab_size must be at least {smallest}, the single bytes of alphabet "
            f"'{alphabet}', not {size}"
        )
    if cutting.scheme == "none":
        _check_uncut(algorithm=algorithm, rules=rules, alphabet=alphabet)
    if rules == "incremental" and algorithm != "bpe":
        raise SettingsError(f"rules 'incremental' need algorithm 'bpe', not '{algorithm}'")
    share = _tau(tau, rules)
    split, floor, longest = _ngrams(algorithm, ngram_split, ngram_floor, ngram_max_length)
    added = _supermerges(algorithm, size, smallest, supermerges, regular_fraction)
    return Settings(
        algorithm=algorithm,
        vocab_size=size,
        regular_vocab_size=size - added,
        supermerges=added,
        scheme=cutting.scheme,
        rules=rules,
        min_count=integer("min_count", min_count, 1, MAX_COUNT),
        max_token_bytes=optional_integer("max_token_bytes", max_token_bytes),
        max_superword_pretokens=optional_integer(
            "max_superword_pretokens", max_superword_pretokens
        ),
        special_tokens=special,
        alphabet=alphabet,
        id_order=id_order,
        pattern=cutting.pattern,
        script_pattern=cutting.script_pattern,
        scripts=cutting.scripts,
        eligible_pattern=cutting.eligible_pattern,
        tau=share,
        blow_up=_blow_up(blow_up, share),
        ngram_split=split,
        ngram_floor=floor,
        ngram_max_length=longest,
    )


def _check_uncut(**values: str) -> None:
    """Refuse what has no meaning where no text is cut."""
    for name, needed in (("algorithm", "bpe"), ("rules", "incremental"), ("alphabet", "bytes")):
        if values[name] != needed:
            raise SettingsError(f"scheme 'none' needs {name} '{needed}', not '{values[name]}'")


def one_of(name: str, value: object, known: Sequence[str]) -> str:
    """The value as a plain str, if it is one of the known names."""
    text = as_text(value)
    if text is None:
        raise SettingsTypeError(f"{name} must be a string, not {type_name(value)}")
    if text not in known:
        raise SettingsError(f"{name} must be one of {', '.join(known)}, not '{printable(text)}'")
    return text


def integer(name: str, value: object, low: int, high: int) -> int:
    """The value as a plain int between low and high."""
    number = any_integer(name, value, SettingsTypeError)
    # Digits are named only when short: a huge int cannot even be printed.
    if number < low:
        raise SettingsError(f"{name} must be at least {low}{_not(number)}")
    if number > high:
        raise SettingsError(f"{name} must be at most {high}{_not(number)}")
    return number


def optional_integer(name: str, value: object) -> int | None:
    """None, or the value as a positive int."""
    return None if value is None else integer(name, value, 1, MAX_COUNT)


def resolve_threads(threads: object) -> int:
    """How many threads: as given, else SUPERWORD_THREADS, else the CPUs this process may use.

    >>> resolve_threads(3)
    3
    """
    if threads is not None:
        return integer("threads", threads, 1, MAX_THREADS)
    text = os.environ.get("SUPERWORD_THREADS", "")
    if not text:
        return min(_usable_cpus(), MAX_THREADS)
    if not re.fullmatch("[0-9]{1,18}", text):
        raise SettingsError(f"SUPERWORD_THREADS must be an integer, not '{printable(text)}'")
    return integer("SUPERWORD_THREADS", int(text), 1, MAX_THREADS)


def _usable_cpus() -> int:
    """The CPUs that this process may use: fewer than the machine has, in many containers."""
    if hasattr(os, "process_cpu_count"):  # Python 3.13
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _not(number: int) -> str:
    return f", not {number}" if abs(number) < 10**30 else ""


def _cutting(
    scheme: object,
    pattern: object,
    script_pattern: object,
    scripts: object,
    eligible_pattern: object,
) -> Cutting:
    """How text is cut: by a scheme or by a pattern, which may have a second one for scripts."""
    if scheme is not None and pattern is not None:
        raise SettingsError("scheme and pattern exclude each other: give one of them")
    if script_pattern is not None and pattern is None:
        raise SettingsError("script_pattern needs pattern, which cuts all other text")
    if scripts is not None and script_pattern is None:
        raise SettingsError("scripts need script_pattern, which cuts their text")
    if scheme is not None:
        scheme = one_of("scheme", scheme, SCHEMES)
    chosen = SCRIPTS if script_pattern is not None else None
    return Cutting(
        scheme=scheme if scheme or pattern is not None else DEFAULT_SCHEME,
        pattern=_pattern("pattern", pattern),
        script_pattern=_pattern("script_pattern", script_pattern),
        scripts=chosen if scripts is None else _scripts(scripts),
        eligible_pattern=_pattern("eligible_pattern", eligible_pattern) or ELIGIBLE_PATTERN,
    )


def _pattern(name: str, value: object) -> str | None:
    """A pattern as a plain str without lone surrogates; an empty one is an error already here."""
    if value is None and name != "eligible_pattern":
        return None
    text = as_text(value)
    if text is None:
        raise SettingsTypeError(f"{name} must be a string, not {type_name(value)}")
    if not text:
        raise SettingsError(f"{name} is empty")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise SettingsError(f"{name} at position {error.start}: this is a lone surrogate") from None
    return text


def _scripts(value: object) -> tuple[str, ...]:
    """The names of scripts, each once, ascending; the backend knows which there are."""
    if as_text(value) is not None or isinstance(value, BYTES) or not isinstance(value, Collection):
        raise SettingsTypeError(f"scripts must be a sequence of strings, not {type_name(value)}")
    names = set()
    for item in value:
        name = as_text(item)
        if name is None:
            raise SettingsTypeError(f"scripts must be strings, not {type_name(item)}")
        names.add(printable(name))
    if not names:
        raise SettingsError("scripts must name one script at least")
    return tuple(sorted(names))


def _special_tokens(value: object) -> tuple[str, ...]:
    """The declared special tokens: strings, not empty, no two equal, no lone surrogates."""
    if as_text(value) is not None:
        raise SettingsTypeError(
            "special_tokens must be a sequence of strings, not one str; put it in a list: [token]"
        )
    if isinstance(value, BYTES) or not isinstance(value, Sequence):
        raise SettingsTypeError(
            f"special_tokens must be a sequence of strings, not {type_name(value)}"
        )
    numbers: dict[str, int] = {}
    for number, item in enumerate(value):
        token = as_text(item)
        if token is None:
            raise SettingsTypeError(f"special token {number} must be a str, not {type_name(item)}")
        if not token:
            raise SettingsError(f"special token {number} is empty: it needs at least one character")
        try:
            token.encode()
        except UnicodeEncodeError as error:
            raise SettingsError(
                f"special token {number} has a lone surrogate at position {error.start}"
            ) from None
        if token in numbers:
            raise SettingsError(
                f"special token {number} repeats special token {numbers[token]}: "
                f"'{printable(token)}'"
            )
        numbers[token] = number
    return tuple(numbers)


def _supermerges(
    algorithm: str, size: int, smallest: int, supermerges: object, fraction: object
) -> int:
    """How many tokens supermerges add: 0 unless the algorithm is SuperBPE."""
    given = [
        name
        for name, value in (("supermerges", supermerges), ("regular_fraction", fraction))
        if value is not None
    ]
    if algorithm != "superbpe":
        if given:
            raise SettingsError(f"{given[0]} needs algorithm 'superbpe', not '{algorithm}'")
        return 0
    if len(given) != 1:
        raise SettingsError(
            "algorithm 'superbpe' needs exactly one of supermerges and regular_fraction, "
            f"not {'both' if given else 'neither'}"
        )
    if supermerges is not None:
        return integer("supermerges", supermerges, 0, size - smallest)
    exact = _fraction("regular_fraction", fraction)
    return size - max(smallest, exact.numerator * size // exact.denominator)


def _tau(value: object, rules: str) -> Fraction | None:
    """None, or the exact share of a token that a merge must take to have it deleted."""
    if value is None:
        return None
    if rules != "superword":
        raise SettingsError(f"tau needs rules 'superword', not '{rules}'")
    tau = _fraction("tau", value)
    if tau.denominator > MAX_COUNT:  # the numerator is not above it
        raise SettingsError("tau must have at most 2^63 - 1 below the line")
    return tau


def _blow_up(value: object, tau: Fraction | None) -> str | None:
    """What stands for a deleted token; None if nothing is deleted."""
    if tau is None:
        if value is not None:
            raise SettingsError("blow_up needs tau: without it nothing is deleted")
        return None
    return "pair" if value is None else one_of("blow_up", value, BLOW_UPS)


def fraction_text(fraction: Fraction) -> str:
    """A fraction in its one spelling, as models have it.

    >>> fraction_text(Fraction(18, 20)), fraction_text(Fraction(1))
    ('9/10', '1/1')
    """
    return f"{fraction.numerator}/{fraction.denominator}"


def _ngrams(algorithm: str, split: object, floor: object, longest: object) -> tuple[bool, int, int]:
    """Whether candidates are split at rare n-grams, and the two numbers that go with it."""
    if type(split) is not bool:
        raise SettingsTypeError(f"ngram_split must be True or False, not {type_name(split)}")
    if split and algorithm == "bpe":
        raise SettingsError("ngram_split needs algorithm 'superbpe' or 'boundless', not 'bpe'")
    for name, value in (("ngram_floor", floor), ("ngram_max_length", longest)):
        if value is not None and not split:
            raise SettingsError(f"{name} needs ngram_split")
    return (
        split,
        NGRAM_FLOOR if floor is None else integer("ngram_floor", floor, 1, MAX_COUNT),
        NGRAM_MAX_LENGTH if longest is None else integer("ngram_max_length", longest, 2, MAX_COUNT),
    )


def _fraction(name: str, value: object) -> Fraction:
    """An exact fraction in (0, 1]; a float means its shortest decimal (0.9 is 9/10)."""
    kind = type(value)
    if kind is bool or not issubclass(kind, (str, int, float, Fraction)):
        raise SettingsTypeError(
            f"{name} must be a string, a Fraction or a float, not {type_name(value)}"
        )
    text = as_text(value)
    if text is not None:
        shown = f"'{printable(text)}'"
        if not re.fullmatch(r"[0-9]{1,30}(/[0-9]{1,30}|\.[0-9]{1,30})?", text):
            raise SettingsError(f"{name} must look like 9/10 or 0.9, not {shown}")
        if re.search("/0+$", text):
            raise SettingsError(f"{name} must not have 0 below the line, as in {shown}")
        fraction = Fraction(text)
    elif issubclass(kind, float):
        shown = float.__repr__(value)
        if shown in ("nan", "inf", "-inf"):
            raise SettingsError(f"{name} must be above 0 and at most 1, not {shown}")
        fraction = Fraction(shown)
    else:
        exact = value if isinstance(value, Fraction) else operator.index(value)  # type: ignore[arg-type]
        fraction = Fraction(exact)
        short = max(abs(fraction.numerator), fraction.denominator) < 10**30
        shown = str(fraction) if short else "this"
    if not 0 < fraction <= 1:
        raise SettingsError(f"{name} must be above 0 and at most 1, not {shown}")
    return fraction
