"""`tokenizer.json` of Hugging Face: byte-level BPE, read without the package.

Of a piece of text `tokenizers` merges the adjacent pair of the first merge, the leftmost of
several, as this program does. (What waits in its queue is told by its place and its result alone.
Both ends of a pair that waits stay ends while it waits, and so does the boundary within: two pairs
at one place with one result are the same pair.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from superword.errors import ModelFormatError
from superword.export.tokenizer_json import byte_letters
from superword.foreign.patterns import cutting_of_oniguruma
from superword.foreign.rank_file import merges_of_ranks
from superword.foreign.strict_json import parsed
from superword.foreign.vocabulary import Foreign, check_sizes, merge_name, shown
from superword.reference.replay import encode_pretoken
from superword.settings import Cutting
from superword.values import printable

# The byte that each letter of the byte-level alphabet stands for.
_BYTES = {letter: byte for byte, letter in enumerate(byte_letters())}
# GPT-2's pattern where runs of digits, or single ones, have been cut out before.
# So many added tokens of different kinds are compared with each other.
_MOST_ADDED = 1000
_DIGITS = (
    r"'(?:[sdmt]|ll|ve|re)| ?\p{{L}}+|\p{{N}}{}| ?[^\s\p{{L}}\p{{N}}]+"
    r"|\s+(?=\p{{N}})|\s+(?!\S)|\s+"
)


class TokenizerJson(NamedTuple):
    """What a file says, and what of it no model of ours does."""

    foreign: Foreign
    notices: tuple[str, ...]


def read_tokenizer_json(data: bytes, special_tokens: bool) -> TokenizerJson:
    """What a `tokenizer.json` says.

    Args:
        data: the bytes of the file.
        special_tokens: with its added tokens; otherwise their text is ordinary text.

    Returns:
        Tokens, merges, special tokens, pattern; and notices for the user.

    Raises:
        ModelFormatError: the file is damaged, or says what cannot be represented, by name.

    Source: docs/export.md.
    """
    top = _object("the file", parsed(data))
    model = _object("model", top.get("model"))
    added = _added_tokens(top)
    names = {token["content"] for token in added}
    tokens, merges = _model(model, names)
    if special_tokens:
        _check_added(added)
    _check_normalizer(top)
    cutting = _cutting(top.get("pre_tokenizer"))
    _check_decoder(top)
    if model.get("ignore_merges"):
        _check_ignored_merges(tokens, merges)
    merges = _that_apply(tokens, merges)
    special = {token["content"]: token["id"] for token in added} if special_tokens else {}
    return TokenizerJson(Foreign(tokens, merges, special, cutting), _notices(top))


def _object(name: str, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ModelFormatError(f"{name} must be a JSON object, not {_kind(value)}")
    return value


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    names = {str: "a string", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return "nothing" if value is None else names[type(value)]


def _typed(name: str, value: object) -> str:
    """The `type` of an object such as a normalizer."""
    kind = _object(name, value).get("type")
    if not isinstance(kind, str):
        raise ModelFormatError(f"{name} has no type")
    return kind


def _model(
    model: Mapping[str, Any], added: Iterable[str]
) -> tuple[dict[bytes, int], list[tuple[bytes, bytes]]]:
    """The ordinary tokens with their ids, and the merges."""
    kind = model.get("type", "BPE")
    if kind != "BPE":
        raise ModelFormatError(f"the model must be BPE, not {shown(str(kind))}")
    for key in ("dropout", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback"):
        value = model.get(key)
        if value:  # (null, 0, "" and false say that there is none)
            raise ModelFormatError(
                f"the model has {key} {shown(str(value))}, which cannot be said here"
            )
    vocab = _object("the vocabulary", model.get("vocab"))
    merges = model.get("merges")
    if not isinstance(merges, list):
        raise ModelFormatError(f"merges must be a list, not {_kind(merges)}")
    pairs = [_pair(number, merge) for number, merge in enumerate(merges)]
    special = set(added)
    for number, (left, right) in enumerate(pairs):
        for token, what in ((left, "part"), (right, "part"), (left + right, "result")):
            if token not in vocab:
                raise ModelFormatError(
                    f"merge {number} ({shown(left)} and {shown(right)}): its {what} "
                    f"{shown(token)} is not in the vocabulary"
                )
            if token in special:
                raise ModelFormatError(
                    f"added token {shown(token)} is one that merges make, too, with the same id"
                )
    tokens: dict[bytes, int] = {}
    for token, token_id in vocab.items():
        if type(token_id) is not int:
            raise ModelFormatError(f"the id of token {shown(token)} is not a whole number")
        if token not in special:
            tokens[_bytes(token)] = token_id
    check_sizes(tokens)
    return tokens, [(_bytes(left), _bytes(right)) for left, right in pairs]


def _pair(number: int, merge: object) -> tuple[str, str]:
    """The two parts of a merge: a list of two, or in older files a string with a space."""
    parts = merge.split(" ") if isinstance(merge, str) else merge
    if not isinstance(parts, list) or len(parts) != 2 or not all(isinstance(p, str) for p in parts):
        raise ModelFormatError(f"merge {number} must be two tokens")
    return parts[0], parts[1]


def _bytes(token: str) -> bytes:
    try:
        data = bytes([_BYTES[char] for char in token])
    except KeyError as error:
        raise ModelFormatError(
            f"token {shown(token)} has the character {shown(error.args[0])}, which stands for no "
            "byte: the vocabulary is not byte-level"
        ) from None
    if not data:
        raise ModelFormatError("a token is empty")
    return data


def _added_tokens(top: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = top.get("added_tokens") or []
    if not isinstance(found, list):
        raise ModelFormatError(f"added_tokens must be a list, not {_kind(found)}")
    seen: dict[str, int] = {}
    for number, value in enumerate(found):
        token = _object(f"added token {number}", value)
        content, token_id = token.get("content"), token.get("id")
        if not isinstance(content, str) or not content or type(token_id) is not int:
            raise ModelFormatError(f"added token {number} must have a content and an id")
        if content in seen:
            raise ModelFormatError(
                f"added token {number} repeats added token {seen[content]}: {shown(content)}"
            )
        seen[content] = number
    return found


def _check_added(added: Iterable[Mapping[str, Any]]) -> None:
    """Refuse added tokens that are not found as special tokens of ours are."""
    by_pass: dict[bool, list[str]] = {False: [], True: []}
    for token in added:
        for flag in ("lstrip", "rstrip", "single_word"):
            if token.get(flag):
                raise ModelFormatError(
                    f"added token {shown(token['content'])} has {flag}, which cannot be said here; "
                    "special_tokens=False loads the file without added tokens"
                )
        by_pass[bool(token.get("normalized", not token.get("special")))].append(token["content"])
    if min(map(len, by_pass.values())) and sum(map(len, by_pass.values())) > _MOST_ADDED:
        raise ModelFormatError(
            f"more than {_MOST_ADDED} added tokens, some of them normalized: whether these overlap "
            "others is not worked out; special_tokens=False loads the file without added tokens"
        )
    # Those of the first pass are cut out before any of the second is looked for.
    for first in by_pass[False]:
        for second in by_pass[True]:
            if _overlap(first, second):
                raise ModelFormatError(
                    f"added tokens {shown(first)} and {shown(second)} can overlap, and the first "
                    "is looked for before the second: here the one that begins first is found; "
                    "special_tokens=False loads the file without added tokens"
                )


def _overlap(one: str, other: str) -> bool:
    """Whether some text has both with a character in common."""
    if one in other or other in one:
        return True
    lengths = range(1, min(len(one), len(other)))
    return any(one[-n:] == other[:n] or other[-n:] == one[:n] for n in lengths)


def _check_normalizer(top: Mapping[str, Any]) -> None:
    normalizer = top.get("normalizer")
    if normalizer is None:
        return
    kind = _typed("normalizer", normalizer)
    if kind == "Sequence" and normalizer.get("normalizers") == []:
        return
    raise ModelFormatError(
        f"the normalizer {shown(kind)} changes text before it is cut, which cannot be said here"
    )


def _check_decoder(top: Mapping[str, Any]) -> None:
    decoder = top.get("decoder")
    if decoder is not None and _typed("decoder", decoder) != "ByteLevel":
        raise ModelFormatError(
            f"the decoder {shown(decoder['type'])} gives other text than the bytes of the tokens"
        )


def _cutting(value: object) -> Cutting:
    """How the pre-tokenizer cuts."""
    if value is None:
        raise ModelFormatError("there is no pre_tokenizer ByteLevel: the file is not byte-level")
    steps: list[Any] = [value]
    if _typed("pre_tokenizer", value) == "Sequence":
        found = _object("pre_tokenizer", value).get("pretokenizers", [])
        if not isinstance(found, list):
            raise ModelFormatError(f"pretokenizers must be a list, not {_kind(found)}")
        steps = found
    kinds = [_typed("pre_tokenizer", step) for step in steps]
    if kinds.count("ByteLevel") != 1 or kinds[-1] != "ByteLevel":
        raise ModelFormatError(
            "the pre_tokenizer must end with its one ByteLevel: it is "
            f"{printable(', '.join(kinds)) or 'empty'}"
        )
    if steps[-1].get("add_prefix_space", True):
        raise ModelFormatError(
            "the pre_tokenizer has add_prefix_space, which changes text before it is cut"
        )
    by_gpt2 = steps[-1].get("use_regex", True)
    if len(steps) == 1:
        return Cutting("gpt2" if by_gpt2 else "none")
    if kinds == ["Split", "ByteLevel"] and not by_gpt2:
        return _split(steps[0])
    if kinds == ["Digits", "ByteLevel"] and by_gpt2:
        digits = "" if steps[0].get("individual_digits") else "+"
        return Cutting(None, _DIGITS.format(digits))
    raise ModelFormatError(
        f"the pre_tokenizer cuts in several steps, {', '.join(kinds)}, which no one pattern says"
    )


def _split(split: Mapping[str, Any]) -> Cutting:
    pattern = _object("the pattern of Split", split.get("pattern"))
    text = pattern.get("Regex")
    if not isinstance(text, str):
        raise ModelFormatError("the pattern of Split must be a Regex")
    how = split.get("behavior"), split.get("invert", False)
    if how not in (("Isolated", False), ("Removed", True)):
        raise ModelFormatError(
            f"Split cuts with behavior {shown(str(how[0]))} and invert {str(how[1]).lower()}: here "
            "each match must be a piece (Isolated, or Removed and inverted)"
        )
    return cutting_of_oniguruma(text, drops=how[1])


def _that_apply(
    tokens: Mapping[bytes, int], merges: list[tuple[bytes, bytes]]
) -> list[tuple[bytes, bytes]]:
    """The merges in an order in which they can be applied: all of them, or without dead ones.

    Files that were converted from ranks have a merge for each way in which a token is two tokens,
    also for parts that are made later. Where the bytes of every token, merged by the ids below its
    own, end in a merge of the file, and these are in the order of the ids, no others ever
    apply (`superword.export.ranks`).
    """
    made = {token for token in tokens if len(token) == 1}
    early = None
    for place, (left, right) in enumerate(merges):
        if left not in made or right not in made:
            early = merge_name(place, left, right)
            break
        made.add(left + right)
    if early is None:
        return merges
    places: dict[tuple[bytes, bytes], int] = {}
    for place, pair in enumerate(merges):
        places.setdefault(pair, place)
    try:
        live = merges_of_ranks(tokens)
    except ModelFormatError:
        live = []
    order = [places.get(pair, -1) for pair in live]
    if not order or order != sorted(order) or min(order) < 0:
        raise ModelFormatError(
            f"{early} uses a token that no merge before it makes, and merges must stand in the "
            "order in which they can be applied"
        )
    return live


def _check_ignored_merges(
    tokens: Mapping[bytes, int], merges: Iterable[tuple[bytes, bytes]]
) -> None:
    """Check that the bytes of each token merge to it: then it is taken at once or not, alike."""
    singles = {token[0]: token_id for token, token_id in tokens.items() if len(token) == 1}
    pairs: dict[tuple[int, int], tuple[int, int]] = {}
    for place, (left, right) in enumerate(merges):
        pairs.setdefault((tokens[left], tokens[right]), (place, tokens[left + right]))
    for token, token_id in tokens.items():
        if len(token) > 1 and encode_pretoken([singles[b] for b in token], pairs) != [token_id]:
            raise ModelFormatError(
                f"the model has ignore_merges, and token {shown(token)} (id {token_id}) is not "
                "what merging its bytes gives: a text that is this token would give another id here"
            )


def _notices(top: Mapping[str, Any]) -> tuple[str, ...]:
    """What the file does beside giving ids to text."""
    notices = []
    processor = top.get("post_processor")
    if processor is not None and _typed("post_processor", processor) != "ByteLevel":
        notices.append(
            f"the post-processor {processor['type']} is not loaded: ids are those of "
            "add_special_tokens=False"
        )
    notices += [f"{key} is not loaded" for key in ("truncation", "padding") if top.get(key)]
    return tuple(notices)
