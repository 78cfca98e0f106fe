"""Encoding by rank, one replacement after the other, nothing remembered (SPEC section 9)."""

from itertools import pairwise

from oracle.bpe import replace_pair


def lowest(tokens, ranks):
    """The pair of neighbours with the lowest rank, or None."""
    pairs = [pair for pair in pairwise(tokens) if pair in ranks]
    return min(pairs, key=ranks.__getitem__, default=None)


def encode_sequence(tokens, ranks):
    """Replace the lowest pair at all its places, until no pair has a rank."""
    while (pair := lowest(tokens, ranks)) is not None:
        tokens = replace_pair(tokens, *pair)
    return tokens


def encode(pretokens, ops):
    """The tokens of one text, given as its pretokens; ops are (kind, left, right, …)."""
    merges, supermerges = {}, {}
    for rank, (kind, left, right, *_) in enumerate(ops):
        (merges if kind == "merge" else supermerges).setdefault((left, right), rank)
    parts = {token for pair in supermerges for token in pair}
    result, run = [], []
    for pretoken in pretokens:
        tokens = encode_sequence([bytes([b]) for b in pretoken], merges)
        if len(tokens) == 1 and tokens[0] in parts:
            run += tokens
        else:
            result += encode_sequence(run, supermerges) + tokens
            run = []
    return result + encode_sequence(run, supermerges)


def final_ids(ops, alphabet, id_order="regular-first"):
    """Tokens in the order of their final ids, without special tokens (SPEC section 5.1)."""
    made = [(kind, left + right) for kind, left, right, *_ in ops]
    if id_order == "gpt2":
        printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
        rest = [byte for byte in range(256) if byte not in printable]
        return final_ids(ops, [bytes([byte]) for byte in (*printable, *rest)], "creation")
    if id_order == "creation":
        return list(dict.fromkeys([*alphabet, *(token for _, token in made)]))
    regular, superwords = {}, {}
    for kind, token in made:
        tokens = regular if kind == "merge" else superwords
        tokens.pop(token, None)  # the last making counts
        tokens[token] = None
    return list(dict.fromkeys([*alphabet, *regular, *superwords]))
