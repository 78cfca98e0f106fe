"""tiktoken's form of a model: a token has a rank, and what joins to the lowest rank is merged.

A rank file does not say which two tokens make a token: of a chunk of text, tiktoken merges again
and again the adjacent pair whose joined bytes have the lowest rank, the leftmost of several. Our
encoder merges the pair of the first op. So the ranks are our ids, and one condition decides whether
both give the same ids:

    (C) the bytes of each token, merged by the ranks below its own, end as the pair of an op that
        makes it; and these ops, one for each token, are in the order of the ids.

Why it suffices. Let x and y, which join to a token t, stand side by side while tiktoken merges a
chunk. All that has been merged before within the bytes of t was merged there: no merge has crossed
the ends of these bytes, since x begins and y ends with them. Each of these merges was the lowest,
leftmost one of the chunk, so it was that of the bytes of t alone, too: the steps up to here are the
first steps of merging these bytes alone. By (C) those pass through one state of two tokens, the
pair of t's op. So (x, y) is that pair: no other two tokens that join to a token ever meet. Where
both encoders are in one state they see the same pairs (any other op that makes t never meets its
own), each pair by one op, in the same order; ties are between places, and the leftmost wins in
both. So they take the same step, and by induction all states are equal, also the last. And that
tiktoken takes a chunk that is a token as that token, without merging, changes nothing: merging its
bytes ends there.

Where the bytes of a token end otherwise, those before it hold, so they merge by ranks as by our ops
up to here; none of its ops goes on from there, and tiktoken takes them for the token: they are the
counter-example.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from superword.errors import NotExactError
from superword.export.conditions import plan_of
from superword.export.exported_model import ExportedModel, ordinary_ids
from superword.export.named_patterns import pattern_of
from superword.export.run_trie import run_pattern
from superword.model import Model, Op
from superword.reference.final_ids import FinalIds, final_order
from superword.reference.replay import encode_pretoken
from superword.reference.vocabulary import vocabulary_of_ops
from superword.values import printable

_LONGEST_SHOWN = 60  # bytes of a token, in an error


class RankForm(NamedTuple):
    """What a `tiktoken.Encoding` is made of."""

    tokens: Sequence[bytes]  # the ordinary tokens in the order of their ids, which are the ranks
    ids: Sequence[int]
    pattern: str
    special_tokens: Mapping[str, int]


class Joined(Mapping[tuple[int, int], tuple[int, int]]):
    """What each two tokens join to, where that is a token: the pairs of tiktoken's merging.

    >>> joined = Joined([b"a", b"b", b"ab"], known=3)
    >>> joined[0, 1], joined.get((1, 0))
    ((2, 2), None)
    """

    def __init__(self, tokens: Sequence[bytes], known: int) -> None:
        """For tokens by rank, of which the first `known` are there to begin with."""
        self._tokens = tokens
        self._ranks = {token: rank for rank, token in enumerate(tokens[:known])}

    def add(self, rank: int) -> None:
        """Let the token of a rank be a result from now on."""
        self._ranks[self._tokens[rank]] = rank

    def __getitem__(self, pair: tuple[int, int]) -> tuple[int, int]:
        rank = self._ranks[self._tokens[pair[0]] + self._tokens[pair[1]]]
        return rank, rank

    def get(self, pair: tuple[int, int], default: object = None) -> object:  # type: ignore[override]
        """As of a dict; not by an exception, for most pairs join to nothing."""
        rank = self._ranks.get(self._tokens[pair[0]] + self._tokens[pair[1]])
        return default if rank is None else (rank, rank)

    def __contains__(self, pair: object) -> bool:
        return self.get(pair) is not None  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[tuple[int, int]]:
        raise NotImplementedError("pairs are looked up, never listed")

    def __len__(self) -> int:
        raise NotImplementedError("pairs are looked up, never listed")


def rank_form(model: Model, exported: ExportedModel) -> RankForm:
    """The form of a model for tiktoken, if it gives the same ids for every text.

    Args:
        model: a model with its ops, none of them a delete.
        exported: the same model, as other exports see it.

    Returns:
        Tokens, pattern and special tokens.

    Raises:
        NotExactError: the ids would differ; the text says for what.
    """
    check_special_tokens(model.special_tokens)
    tokens = tokens_by_rank(model)
    pattern = (
        run_pattern(plan_of(exported), exported.counts, "fancy")
        if exported.supermerges
        else pattern_of(exported.cutting, "fancy")
    )
    special = dict(exported.special_tokens)
    return RankForm(tokens, ordinary_ids(exported), pattern, special)


def check_special_tokens(special_tokens: Sequence[str]) -> None:
    """Refuse special tokens of which tiktoken may find one inside another.

    It takes them in no certain order, the model the longest one that begins first.

    >>> check_special_tokens(["<a>", "<a>b"])
    Traceback (most recent call last):
    ...
    superword.errors.NotExactError: special token '<a>' is the beginning of '<a>b': tiktoken may \
find either of them, the model finds the longer one
    """
    names = sorted(special_tokens)
    for name, following in pairwise(names):
        if following.startswith(name):  # (all that begin with a name follow it)
            raise NotExactError(
                f"special token '{printable(name)}' is the beginning of '{printable(following)}': "
                "tiktoken may find either of them, the model finds the longer one"
            )


def tokens_by_rank(model: Model) -> list[bytes]:
    """The ordinary tokens in the order of ids, if merging by these ranks is exact.

    Args:
        model: a model without deletes.

    Returns:
        The bytes of each token.

    Raises:
        NotExactError: ids are not in the order of ops, or a token fails condition (C); the text
            has its bytes and what becomes of them by ops and by ranks.
    """
    ops = [Op(*op) for op in model.ops]
    made = vocabulary_of_ops(ops, model.alphabet)
    order = final_order(ops, len(made), model.id_order)
    rank_of = {number: rank for rank, number in enumerate(order)}
    tokens = [made.tokens[number] for number in order]
    makings = _makings(ops, rank_of)
    alphabet = len(tokens) - len(makings)
    ids = FinalIds(len(order), len(model.special_tokens), model.special_ids).ordinary
    byte_ranks = {token[0]: rank for rank, token in enumerate(tokens[:alphabet])}
    joined = Joined(tokens, alphabet)
    before = -1
    for rank in range(alphabet, len(tokens)):
        parts = [byte_ranks[byte] for byte in tokens[rank]]
        found = encode_pretoken(parts, joined)
        place = makings[rank].get(tuple(found))
        if place is None:
            by_ops = _by_ops(ops, rank_of, parts)
            pairs = " or ".join(str([ids[part] for part in pair]) for pair in makings[rank])
            raise NotExactError(
                f"ranks do not say how token {_shown(tokens[rank])} (id {ids[rank]}) is made: of "
                f"these bytes the model makes the ids {[ids[r] for r in by_ops]}, tiktoken "
                f"{[ids[rank]]}; the model merges ids {pairs} to the token, and merging its bytes "
                f"by ranks ends in {[ids[r] for r in found]} before"
            )
        if place < before:
            raise NotExactError(
                f"token {_shown(tokens[rank])} (id {ids[rank]}) is merged before "
                f"{_shown(tokens[rank - 1])} (id {ids[rank - 1]}), and the ranks of tiktoken are "
                f"both the ids and the order of merging: with id_order '{model.id_order}' these "
                "ids are in no such order"
            )
        before = place
        joined.add(rank)
    return tokens


def _makings(
    ops: Sequence[Op], rank_of: Mapping[int, int]
) -> dict[int, dict[tuple[int, ...], int]]:
    """By rank: the pairs that are merged to the token, as ranks, each with the place of its op.

    Encoding takes all merges before any supermerge, so the places are those of this order.
    """
    makings: dict[int, dict[tuple[int, ...], int]] = {}
    for place, op in enumerate(sorted(ops, key=lambda op: op.kind == "supermerge")):
        pairs = makings.setdefault(rank_of[op.new], {})
        pairs.setdefault((rank_of[op.left], rank_of[op.right]), place)
    return makings


def _by_ops(ops: Sequence[Op], rank_of: Mapping[int, int], ranks: Sequence[int]) -> list[int]:
    """What the ops make of tokens; all given and returned as ranks."""
    merges: dict[tuple[int, int], tuple[int, int]] = {}
    for place, op in enumerate(sorted(ops, key=lambda op: op.kind == "supermerge")):
        merges.setdefault((rank_of[op.left], rank_of[op.right]), (place, rank_of[op.new]))
    return encode_pretoken(ranks, merges)


def _shown(token: bytes) -> str:
    """The bytes of a token as a literal."""
    more = f"… ({len(token)} bytes)" if len(token) > _LONGEST_SHOWN else ""
    return f"{token[:_LONGEST_SHOWN]!r}{more}"


def rank_file(form: RankForm) -> bytes:
    r"""A rank file: a line a token, its bytes in base64 and its rank.

    >>> rank_file(RankForm([b"a", b"b", b"ab"], [0, 1, 2], "", {}))
    b'YQ== 0\nYg== 1\nYWI= 2\n'
    """
    ranks = zip(form.tokens, form.ids, strict=True)
    return b"".join(b"%b %d\n" % (base64.b64encode(token), rank) for token, rank in ranks)


def encoding_arguments(form: RankForm, name: str) -> dict[str, object]:
    """What `tiktoken.Encoding` takes beside the ranks; the JSON beside a rank file.

    >>> encoding_arguments(RankForm([b"a"], [0], "a+", {"<s>": 1}), "small")["explicit_n_vocab"]
    2
    """
    size = len(form.ids) + len(form.special_tokens)
    is_dense = max([*form.ids[-1:], *form.special_tokens.values()]) == size - 1
    return {
        "explicit_n_vocab": size if is_dense else None,
        "name": name,
        "pat_str": form.pattern,
        "special_tokens": dict(form.special_tokens),
    }


def arguments_file(form: RankForm, name: str) -> bytes:
    """The JSON file beside a rank file, in ASCII."""
    return (json.dumps(encoding_arguments(form, name), indent=1) + "\n").encode()
