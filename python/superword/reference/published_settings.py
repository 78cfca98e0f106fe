"""Settings that the configuration of a published file says, and those that none can.

Source: SPEC 3, 5, 10.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from superword.errors import ModelFormatError, SettingsError
from superword.model import Model
from superword.reference.patterns import LISTED_SCRIPTS, NAMED_PATTERNS
from superword.reference.pretokenize import check_cutting
from superword.reference.published_configuration import Configuration
from superword.reference.published_lines import check_published_special_tokens
from superword.settings import ELIGIBLE_PATTERN, MAX_COUNT, Cutting, Settings, fraction_text

NO_DELETIONS = "1.1"
# By scheme: main_regex, script_specific_regex, script_specific_scripts.
_PATTERNS = {
    "gpt2": (NAMED_PATTERNS["gpt2"], None, None),
    "gpt4": (NAMED_PATTERNS["gpt4"], None, None),
    "gpt4o": (NAMED_PATTERNS["gpt4o"], None, None),
    "gpt4o-scripts": (
        *(NAMED_PATTERNS["gpt4o"], NAMED_PATTERNS["gpt4o-script"]),
        tuple(sorted(LISTED_SCRIPTS)),
    ),
}
_OURS = "a file NAME.superword can hold it"
_LONGEST_DIGITS = 30  # what `published_configuration` reads


def check_publishable(settings: Settings) -> None:
    """Refuse a training whose model no published file could hold.

    Args:
        settings: the settings of the training.

    Raises:
        SettingsError: it says which setting, and what to use instead.

    >>> check_publishable(Settings("bpe", 300, 300, 0, scheme="gpt4o"))

    Source: SPEC 10.
    """
    _check(
        *(settings.rules, settings.cutting, settings.tau, settings.special_tokens),
        settings.id_order,
    )


def _check(
    rules: str,
    cutting: Cutting,
    tau: Fraction | None,
    special_tokens: Sequence[str],
    id_order: str,
) -> None:
    if cutting.scheme == "none":
        raise SettingsError(
            "scheme 'none' is not for a published file, which always cuts text by a pattern; "
            f"{_OURS}"
        )
    if rules != "superword":
        raise SettingsError(
            f"rules must be 'superword' for a published file, which cannot say '{rules}'; {_OURS}"
        )
    if id_order == "gpt2":
        raise SettingsError(
            "id_order must be regular-first or creation for a published file, which begins with "
            f"the bytes in their own order, not 'gpt2'; {_OURS}"
        )
    if cutting.scheme is not None and cutting.scheme not in _PATTERNS:
        raise SettingsError(
            f"scheme must be one of {', '.join(_PATTERNS)} for a published file, which has no "
            f"pattern for '{cutting.scheme}'; {_OURS}"
        )
    if tau is not None and _decimal(tau) is None:
        raise SettingsError(
            f"tau must be a decimal number of at most {_LONGEST_DIGITS} digits for a published "
            f"file, not {fraction_text(tau)}; {_OURS}"
        )
    check_published_special_tokens(special_tokens)


def cutting_of_patterns(
    main: str, script: str | None, scripts: Sequence[str] | None, eligible: str | None
) -> Cutting:
    r"""How patterns cut: by a scheme if they are exactly those of one.

    Args:
        main: the pattern of all text, or of what is in no listed script.
        script: the pattern of the listed scripts, if there is one.
        scripts: the names of these scripts, in any order.
        eligible: what a pretoken must match to be part of a superword; None = a letter.

    Returns:
        How to cut.

    Raises:
        ModelFormatError: a pattern or a script cannot be used.

    >>> cutting_of_patterns(NAMED_PATTERNS["gpt4"], None, None, None).scheme
    'gpt4'

    Source: SPEC 3.2, 3.3.
    """
    if (script is None) != (scripts is None):
        raise ModelFormatError(
            "script_specific_regex and script_specific_scripts must both be null or neither"
        )
    names = None if scripts is None else tuple(sorted(scripts))
    if names is not None and (not names or len(set(names)) < len(names)):
        raise ModelFormatError("script_specific_scripts must be names, each once, one at least")
    known = [scheme for scheme in _PATTERNS if _PATTERNS[scheme] == (main, script, names)]
    eligible = ELIGIBLE_PATTERN if eligible is None else eligible
    cutting = Cutting(None, main, script, names, eligible)
    if known:
        cutting = Cutting(known[0], eligible_pattern=eligible)
    try:
        check_cutting(cutting)
    except SettingsError as error:
        raise ModelFormatError(str(error)) from None
    return cutting


def deletions_of_configuration(tau: str, blowup: bool) -> tuple[str | None, str | None]:
    """What deletes a token and what stands for it.

    Args:
        tau: a decimal number.
        blowup: whether the bytes stand for it.

    Returns:
        The fields `tau` and `blow_up` of a model; both None if nothing is deleted.

    Raises:
        ModelFormatError: such a number can be no share.

    >>> deletions_of_configuration("0.90", True), deletions_of_configuration("1.1", True)
    (('9/10', 'bytes'), (None, None))

    Source: SPEC 5; golden files, FORMAT.
    """
    share = Fraction(tau)
    if share == Fraction(NO_DELETIONS):
        return None, None
    if not 0 < share <= 1 or share.denominator > MAX_COUNT:
        raise ModelFormatError(
            f"tau must be {NO_DELETIONS} for no deletions, or above 0 and at most 1 (as a reduced "
            f"fraction with at most 2^63 - 1 below the line), not {tau}"
        )
    return fraction_text(share), "bytes" if blowup else "pair"


def configuration_of_model(model: Model) -> Configuration:
    r"""The configuration of the regular merges of a model.

    Args:
        model: a model.

    Returns:
        What a published file says of them.

    Raises:
        SettingsError: as for `check_publishable`.

    >>> model = Model("bpe", "bytes", "superword", "gpt2", "creation", [], "17.0.0", None, None,
    ...               None, r"\p{L}", "9/10", "pair", None, None, 1, 2, 1, 1, [])
    >>> configuration_of_model(model)[:4]
    ('0.9', False, False, False)

    Source: SPEC 10; golden files, FORMAT.
    """
    tau = None if model.tau is None else Fraction(model.tau)
    _check(model.rules, model.cutting, tau, model.special_tokens, model.id_order)
    main, script, scripts = (
        (model.pattern or "", model.script_pattern, model.cutting.scripts)
        if model.scheme is None
        else _PATTERNS[model.scheme]
    )
    return Configuration(
        tau=NO_DELETIONS if tau is None else _decimal(tau) or "",  # (it has been checked)
        is_super=False,
        superbpe_mode=False,
        # Where nothing is deleted the published program says that it would be deleted to bytes.
        blowup=model.blow_up != "pair",
        main_regex=main,
        script_specific_regex=script,
        script_specific_scripts=scripts,
        merge_pattern=model.eligible_pattern,
    )


def _decimal(tau: Fraction) -> str | None:
    """The number with a point and all its digits; None if there are too many."""
    whole, rest = divmod(tau.numerator, tau.denominator)
    digits = ""
    while rest and len(digits) < _LONGEST_DIGITS:
        digit, rest = divmod(10 * rest, tau.denominator)
        digits += str(digit)
    return None if rest else f"{whole}.{digits or '0'}"
