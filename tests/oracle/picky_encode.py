"""Encoding with deletions, one op after the other (SPEC sections 5.1 and 9)."""

from itertools import pairwise

from oracle.bpe import BYTES, replace_pair
from oracle.encode import encode_sequence
from oracle.picky import blow, parts_of, survivors


def expand(tokens, ops, blow_up, alphabet=BYTES):
    """Tokens outside the vocabulary replaced by their parts, in turn."""
    vocabulary = survivors(ops, alphabet)
    while any(token not in vocabulary for token in tokens):
        token = next(token for token in tokens if token not in vocabulary)
        tokens = blow(tokens, token, parts_of(token, ops, blow_up))
    return tokens


def encode_pretoken(pretoken, ops, blow_up, alphabet=BYTES):
    """Every op that applies after the last one, one after the other, at all its places."""
    tokens, last = [bytes([b]) for b in pretoken], -1
    while True:
        pairs = set(pairwise(tokens))
        fits = {
            "merge": lambda op, pairs=pairs: (op[1], op[2]) in pairs,
            "delete": lambda op, tokens=tokens: op[1] in tokens,
            "supermerge": lambda op: False,
        }
        found = [i for i, op in enumerate(ops) if i > last and fits[op[0]](op)]
        if not found:
            return expand(tokens, ops, blow_up, alphabet)
        last = found[0]
        kind, left, right, *_ = ops[last]
        if kind == "merge":
            tokens = replace_pair(tokens, left, right)
        else:
            tokens = blow(tokens, left, parts_of(left, ops, blow_up))


def encode(pretokens, ops, blow_up, alphabet=BYTES):
    """The tokens of one text, given as its pretokens."""
    supermerges = {}
    for rank, (kind, left, right, *_) in enumerate(ops):
        if kind == "supermerge":
            supermerges.setdefault((left, right), rank)
    parts = {token for pair in supermerges for token in pair}
    result, run = [], []
    for pretoken in [*pretokens, None]:
        tokens = [] if pretoken is None else encode_pretoken(pretoken, ops, blow_up, alphabet)
        if len(tokens) == 1 and tokens[0] in parts:
            run += tokens
        else:
            joined = encode_sequence(run, supermerges)
            result += expand(joined, ops, blow_up, alphabet) + tokens
            run = []
    return result


def final_ids(ops, alphabet, id_order="regular-first"):
    """Tokens in the order of their final ids, without special tokens (SPEC section 5.1)."""
    left = survivors(ops, alphabet)
    if id_order == "creation":
        return left
    regular, superwords = {}, {}
    for kind, one, other, *_ in ops:
        if kind != "delete":
            tokens = regular if kind == "merge" else superwords
            tokens.pop(one + other, None)  # the last making counts
            tokens[one + other] = None
    return [t for t in dict.fromkeys([*alphabet, *regular, *superwords]) if t in left]
