"""Document BPE in its plainest form: every merge counts and rewrites everything (SPEC 11).

Nothing is kept from one merge to the next, so there is little to get wrong. The other two
implementations must give the same artifact and the same ids; tests hold them to it and
`make bench-document` measures them beside it. The time of `fit` grows with bytes times merges.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from superword.model import Model, Op
from superword.reference.model_file import model_from_bytes, model_to_bytes
from superword.reference.unicode import UNICODE_VERSION
from superword.settings import ELIGIBLE_PATTERN

_BYTES = 256


def fit(documents: Iterable[str], vocab_size: int) -> bytes:
    """The artifact of documents: the most frequent pair becomes a token, again and again.

    Args:
        documents: any texts; no pair crosses from one to the next.
        vocab_size: tokens wanted, the 256 bytes among them.

    Returns:
        The bytes of the model file.

    >>> fit(["aaaaa"], 257).splitlines()[1]
    b'm 97 97 4'

    Source: SPEC 4.1, 4.2, 4.3, 11.
    """
    texts = [document.encode() for document in documents]
    rows: list[Sequence[int]] = list(texts)
    ops: list[Op] = []
    while _BYTES + len(ops) < vocab_size:
        counts: Counter[tuple[int, int]] = Counter()
        for row in rows:
            counts.update(pairwise(row))
        if not counts:
            break
        # the highest count; then the smallest left number, then the smallest right one
        left, right = pair = min(counts, key=lambda pair: (-counts[pair], pair))
        op = Op("merge", left, right, _BYTES + len(ops), counts[pair])
        rows = [replace(row, op) for row in rows]
        ops.append(op)
    return _artifact(texts, ops)


def encode(artifact: bytes, text: str) -> list[int]:
    """The ids of a text: the merges of a model one after the other, each left to right.

    Args:
        artifact: a model of document BPE.
        text: any text without lone surrogates; special tokens are plain text.

    Returns:
        The ids, which are creation numbers where no two merges make the same token: so it is in
        every model that was trained. (For others entry 10 of the specification decides.)

    >>> encode(fit(["aaaaa"], 258), "aaaaaaa")
    [256, 256, 257]

    Source: SPEC 9, 11.
    """
    row: Sequence[int] = text.encode()
    for op in model_from_bytes(artifact).ops:
        row = replace(row, op)
    return list(row)


def replace(row: Sequence[int], op: Op) -> list[int]:
    """Do one merge everywhere in a row of tokens, left to right, no two places overlapping.

    >>> replace(b"aaaaa", Op("merge", 97, 97, 256, 4))
    [256, 256, 97]
    """
    pair = op.left, op.right
    out = []
    place, last = 0, len(row) - 1
    while place <= last:
        if place < last and (row[place], row[place + 1]) == pair:
            out.append(op.new)
            place += 2
        else:
            out.append(row[place])
            place += 1
    return out


def _artifact(texts: Sequence[bytes], ops: Sequence[Op]) -> bytes:
    """The model file; an empty document is a document and no pretoken."""
    full = [text for text in texts if text]
    model = Model(
        algorithm="bpe",
        alphabet="bytes",
        rules="incremental",
        scheme="none",
        id_order="regular-first",
        special_tokens=(),
        unicode=UNICODE_VERSION,
        pattern=None,
        script_pattern=None,
        scripts=None,
        eligible_pattern=ELIGIBLE_PATTERN,
        tau=None,
        blow_up=None,
        ngram_floor=None,
        ngram_max_length=None,
        documents=len(texts),
        bytes=sum(map(len, full)),
        pretokens=len(full),
        distinct_pretokens=len(set(full)),
        ops=ops,
    )
    return model_to_bytes(model)
