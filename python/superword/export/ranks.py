"""tiktoken's form of a model: a token has a rank, and what joins to the lowest rank is merged.

A rank file does not say which two tokens make a token: of a chunk of text, tiktoken merges again
and again the adjacent pair whose joined bytes have the lowest rank, the leftmost of several. Our
encoder merges the pair of the first op. So the ranks are our ids, which must be in the order of the
ops, and one condition decides whether both give the same ids:

    (C) the bytes of each token, merged by the ranks below its own, end as its recorded pair.

Why it suffices. Let tiktoken join x and y to a token t, in any chunk. All that has been merged
before within the bytes of t was merged there: no merge has crossed the ends of these bytes, since x
begins and y ends with them. Each of these merges was the lowest, leftmost one of the chunk, so it
was that of the bytes of t alone, too: the steps up to here are the first steps of merging these
bytes alone. By (C) those pass through one state of two tokens only, the recorded pair, and take
ranks below that of t alone. So (x, y) is the recorded pair: tiktoken never merges another. Our
encoder sees at the same state a part of tiktoken's pairs, in the same order (a token has one rank
and one pair, so ties are between places, and the leftmost wins in both), and the one that tiktoken
takes is among them: both take it. By induction all states are equal, also the last. A later op that
makes the same token from another pair never comes to its turn: tiktoken would have joined that pair
at the token's rank, the place of its first op. And that tiktoken takes a chunk that is a token as
that token, without merging, changes nothing: merging its bytes ends there.

Where a token fails, those before it hold, so its bytes merge by ranks as by our ops up to its own:
its op is never applied to its own bytes, which are the counter-example.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from superword.errors import NotExactError
from superword.export.plain_patterns import plain_pattern
from superword.model import Model, Op
from superword.reference.final_ids import final_order
from superword.reference.replay import encode_pretoken
from superword.reference.vocabulary import vocabulary_of_ops
from superword.values import printable

_LONGEST_SHOWN = 60  # bytes of a token, in an error


class RankForm(NamedTuple):
    """What a `tiktoken.Encoding` is made of."""

    tokens: Sequence[bytes]  # the ordinary tokens; the place of each is its rank and its id
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


def rank_form(model: Model) -> RankForm:
    r"""The form of a model for tiktoken, if it gives the same ids for every text.

    Args:
        model: a model with its ops.

    Returns:
        Tokens, pattern and special tokens.

    Raises:
        NotExactError: the ids would differ; the text says for what.

    >>> model = Model("bpe", "bytes", "superword", "gpt2", "creation", ["<s>"], "17.0.0", None,
    ...               None, None, r"\p{L}", None, None, None, None, 1, 2, 1, 1,
    ...               [Op("merge", 97, 98, 256, 1)])
    >>> form = rank_form(model)
    >>> form.tokens[256], form.special_tokens
    (b'ab', {'<s>': 257})
    """
    model = model._replace(ops=[Op(*op) for op in model.ops])
    _check_kinds(model)
    check_special_tokens(model.special_tokens)
    tokens = tokens_by_rank(model)
    special = {token: len(tokens) + number for number, token in enumerate(model.special_tokens)}
    return RankForm(tokens, plain_pattern(model.cutting), special)


def _check_kinds(model: Model) -> None:
    for number, op in enumerate(model.ops):
        if op.kind == "delete":
            raise NotExactError(
                f"op {number} deletes a token, and ranks cannot take a token away: train without "
                "tau"
            )
        if op.kind == "supermerge":
            raise NotExactError("superwords cannot be exported to tiktoken yet")


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
    made = vocabulary_of_ops(model.ops, model.alphabet)
    order = final_order(model.ops, len(made), model.id_order)
    rank_of = {number: rank for rank, number in enumerate(order)}
    tokens = [made.tokens[number] for number in order]
    pairs = _first_pairs(model.ops, rank_of)
    _check_order(model, tokens, pairs)
    alphabet = len(tokens) - len(pairs)
    byte_ranks = {token[0]: rank for rank, token in enumerate(tokens[:alphabet])}
    joined = Joined(tokens, alphabet)
    for rank in range(alphabet, len(tokens)):
        found = encode_pretoken([byte_ranks[byte] for byte in tokens[rank]], joined)
        if found != list(pairs[rank][1]):
            raise _not_exact(model, rank_of, byte_ranks, tokens[rank], found, rank, pairs[rank][1])
        joined.add(rank)
    return tokens


def _first_pairs(
    ops: Sequence[Op], rank_of: Mapping[int, int]
) -> dict[int, tuple[int, tuple[int, int]]]:
    """By rank: the place of the first op that makes the token, and its pair as ranks.

    Encoding takes all merges before any supermerge, so the places are those of this order.
    """
    pairs: dict[int, tuple[int, tuple[int, int]]] = {}
    for place, op in enumerate(sorted(ops, key=lambda op: op.kind == "supermerge")):
        pair = rank_of[op.left], rank_of[op.right]
        pairs.setdefault(rank_of[op.new], (place, pair))
    return pairs


def _check_order(
    model: Model,
    tokens: Sequence[bytes],
    pairs: Mapping[int, tuple[int, tuple[int, int]]],
) -> None:
    """Check that the ids behind the alphabet ascend with the ops that make the tokens."""
    alphabet = len(tokens) - len(pairs)
    for rank in range(alphabet + 1, len(tokens)):
        if pairs[rank - 1][0] > pairs[rank][0]:
            raise NotExactError(
                f"token {_shown(tokens[rank])} (id {rank}) is merged before "
                f"{_shown(tokens[rank - 1])} (id {rank - 1}), and the ranks of tiktoken are both "
                f"the ids and the order of merging: with id_order '{model.id_order}' these ids are "
                "in no such order"
            )


def _not_exact(
    model: Model,
    rank_of: Mapping[int, int],
    byte_ranks: Mapping[int, int],
    token: bytes,
    found: Sequence[int],
    rank: int,
    pair: tuple[int, int],
) -> NotExactError:
    """The error for a token that fails condition (C)."""
    merges: dict[tuple[int, int], tuple[int, int]] = {}
    for place, op in enumerate(sorted(model.ops, key=lambda op: op.kind == "supermerge")):
        merges.setdefault((rank_of[op.left], rank_of[op.right]), (place, rank_of[op.new]))
    by_ops = encode_pretoken([byte_ranks[byte] for byte in token], merges)
    return NotExactError(
        f"ranks do not say how token {_shown(token)} (id {rank}) is made: of these bytes the model "
        f"makes the ids {by_ops}, tiktoken {[rank]}; the model merges ids {list(pair)} to the "
        f"token, and merging its bytes by ranks ends in {list(found)} before"
    )


def _shown(token: bytes) -> str:
    """The bytes of a token as a literal."""
    more = f"… ({len(token)} bytes)" if len(token) > _LONGEST_SHOWN else ""
    return f"{token[:_LONGEST_SHOWN]!r}{more}"


def rank_file(form: RankForm) -> bytes:
    r"""A rank file: a line a token, its bytes in base64 and its rank.

    >>> rank_file(RankForm([b"a", b"b", b"ab"], "", {}))
    b'YQ== 0\nYg== 1\nYWI= 2\n'
    """
    return b"".join(
        b"%b %d\n" % (base64.b64encode(token), rank) for rank, token in enumerate(form.tokens)
    )


def encoding_arguments(form: RankForm, name: str) -> dict[str, object]:
    """What `tiktoken.Encoding` takes beside the ranks; the JSON beside a rank file.

    >>> encoding_arguments(RankForm([b"a"], "a+", {"<s>": 1}), "small")["explicit_n_vocab"]
    2
    """
    return {
        "explicit_n_vocab": len(form.tokens) + len(form.special_tokens),
        "name": name,
        "pat_str": form.pattern,
        "special_tokens": dict(form.special_tokens),
    }


def arguments_file(form: RankForm, name: str) -> bytes:
    """The JSON file beside a rank file, in ASCII."""
    return (json.dumps(encoding_arguments(form, name), indent=1) + "\n").encode()
