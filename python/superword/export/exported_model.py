"""What of a model an export is about, as plain values: tokens are bytes, in the order of ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import count, islice
from typing import NamedTuple

from superword.errors import NotExactError
from superword.op import Op
from superword.settings import Cutting
from superword.values import printable

Pair = tuple[bytes, bytes]


class ExportedModel(NamedTuple):
    """A model without deletions, its two kinds of merges apart."""

    cutting: Cutting
    tokens: Sequence[bytes]  # ordinary tokens by their ids
    special_tokens: Mapping[str, int]
    merges: Sequence[Pair]  # regular ones, by rank, each pair once
    supermerges: Sequence[Pair]  # by rank, each pair once
    counts: Mapping[bytes, int]  # of the first merge that makes a token: how hot it is


def exported_model(
    cutting: Cutting, tokens: Sequence[bytes], special_tokens: Mapping[str, int], ops: Iterable[Op]
) -> ExportedModel:
    """Return what of a model an export is about.

    Args:
        cutting: how text is cut.
        tokens: the ordinary tokens by their ids.
        special_tokens: the special tokens and their ids.
        ops: all operations in order, as `Tokenizer.ops` has them.

    Raises:
        NotExactError: the model has deletions, which no other format knows.

    >>> op = Op("merge", b"a", b"b", b"ab", 3)
    >>> model = exported_model(Cutting(), [b"a", b"b", b"ab"], {}, [op])
    >>> model.merges, model.supermerges, model.counts
    ([(b'a', b'b')], [], {b'ab': 3})
    """
    merges: dict[Pair, None] = {}
    supermerges: dict[Pair, None] = {}
    counts: dict[bytes, int] = {}
    for op in ops:
        if op.kind == "delete":
            raise NotExactError(
                f"the model deletes tokens, {shown(op.left)} for one, and no other format can; "
                "train without tau to export"
            )
        # of a pair that comes again the first place counts (SPEC decision 10)
        (merges if op.kind == "merge" else supermerges).setdefault((op.left, op.right))
        counts.setdefault(op.new, op.count)
    return ExportedModel(cutting, tokens, special_tokens, list(merges), list(supermerges), counts)


def ordinary_ids(model: ExportedModel) -> list[int]:
    """Return the ids of the ordinary tokens: all that special tokens have not, in order.

    >>> ordinary_ids(ExportedModel(Cutting(), [b"a", b"b"], {"<s>": 0}, [], [], {}))
    [1, 2]
    """
    taken = set(model.special_tokens.values())
    free = (number for number in count() if number not in taken)
    return list(islice(free, len(model.tokens)))


def shown(token: bytes) -> str:
    r"""Return a token as errors show it.

    >>> print(shown(b" a\n"), shown(b"\xe4"))
    ' a\n' <e4>
    """
    try:
        return f"'{printable(token.decode())}'"
    except UnicodeDecodeError:
        return f"<{token.hex(' ')}>"
