"""Smaller sizes of a model out of the same training."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING

from superword.errors import SettingsError, SettingsTypeError
from superword.settings import ALPHABETS, MAX_IDS, Settings, integer
from superword.values import BYTES, type_name

if TYPE_CHECKING:
    from superword._backend import Encoder


def resolve_snapshots(snapshots: object, settings: Settings, published: bool) -> tuple[int, ...]:
    """Check the sizes that a user wants besides `vocab_size`.

    They ascend, are below `vocab_size`, and not below what every size of the model has: the single
    bytes, for "superbpe" all regular tokens. `published` says whether a published file is wanted,
    of which there is one alone. Raises `SettingsError`.

    >>> resolve_snapshots([260, 280], Settings("bpe", 300, 300, 0), False)
    (260, 280)
    """
    if isinstance(snapshots, (str, *BYTES)) or not isinstance(snapshots, Sequence):
        raise SettingsTypeError(
            f"snapshots must be a sequence of integers, not {type_name(snapshots)}"
        )
    for name, is_used in (("ngram_split", settings.ngram_split), ("tau", settings.tau is not None)):
        if snapshots and is_used:
            raise SettingsError(
                f"snapshots exclude {name}: "
                "training at a smaller vocabulary size makes other operations"
            )
    if snapshots and published:
        raise SettingsError(
            "snapshots exclude published: "
            "what a published file says of the corpus is kept for the whole model alone"
        )
    least, what = ALPHABETS[settings.alphabet], "single bytes"
    if settings.algorithm == "superbpe" and settings.regular_vocab_size > least:
        least, what = settings.regular_vocab_size, "regular tokens"
    sizes: list[int] = []
    for value in snapshots:
        size = integer("a snapshot", value, 0, MAX_IDS)
        if size < least:
            raise SettingsError(f"a snapshot must be at least {least}, the {what}, not {size}")
        if size >= settings.vocab_size:
            raise SettingsError(
                f"a snapshot must be below vocab_size, {settings.vocab_size}, not {size}"
            )
        if sizes and size <= sizes[-1]:
            raise SettingsError(f"snapshots must ascend: {size} comes after {sizes[-1]}")
        sizes.append(size)
    return tuple(sizes)


def cut_to_sizes(
    module: ModuleType, data: bytes, encoder: Encoder, settings: Settings, sizes: Sequence[int]
) -> tuple[dict[int, bytes], list[str]]:
    """The artifact of each size, and what to say of those that training could not fill.

    Where training ended early, so would training at a smaller size: a phase 1 of "superbpe" that
    did lacks as many tokens at every size, and no size has more tokens than the whole model.
    """
    missing = 0
    if settings.algorithm == "superbpe":
        made = ALPHABETS[settings.alphabet] + encoder.op_counts[0]
        missing = settings.regular_vocab_size - made
    cuts, notices = {}, []
    for size in sizes:
        tokens = min(size - missing, encoder.vocab_size)
        cuts[size] = module.truncate_model(data, tokens)
        if tokens < size:
            notices.append(f"the snapshot {size} has {tokens} tokens: training ended early")
    return cuts, notices
