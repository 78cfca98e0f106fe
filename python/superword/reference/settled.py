"""Which pretokens of a text stay as they are, whatever follows the text.

A pattern decides from left to right: the match at a place depends on what follows it alone. So if
the pretokens up to a place are the same for every continuation, then so is where the next one
starts; and a match for which nothing behind the text was read is the same for every continuation.
What is left is to say how far the named patterns read behind the pretoken that they find. That is
one character, for a repeated class ends before the first one that is not in it, but for these:

- White space: `\\s*[\\r\\n]+` and `\\s+(?!\\S)` read their whole run. Where the run ends inside the
  text all is known; so what starts in the white space at the end of the text is open.
- A word with a contraction (`gpt4o` and what comes from it) reads up to three characters behind it:
  `'`, `'r`, `'v` or `'l` at the end of the text may become `'re`, `'ve`, `'ll`, and `'` any. In
  `gpt2` a contraction is a pretoken of its own: there `'` before `l`, `r` or `v` is open. In `gpt4`
  it is one, too, but what is none is read with its letter, as a word.
- The first word alternative of `gpt4o` reads upper-case letters and gives them back if no
  lower-case one follows, down to the last caseless letter or mark. So a word without a lower-case
  letter that ends in one of these, before upper-case letters up to the end of the text, is open.
- At the end of the text itself all is open but three digits (`\\p{N}{1,3}`) and a contraction, to
  which nothing can be added.

Alternatives that come before the one that matches read one character after the first one, which is
within these bounds. `gpt4o-uniscript` reads up to where a second real script begins: in the text
that is known, and behind it it is one more place where a continuation may end a match. So there,
and in `gpt4o-scripts`, a word of a real script is not open for letters of another one: those of a
contraction, which are Latin, or the upper-case ones.

`gpt4o-scripts` cuts chunks first. All chunks but the last are done: the real script that ends each
is in the text. What is Common at the end of the last chunk belongs to it or, before another script,
to the next one. So a pretoken there is settled if it is found with and without these characters,
and what reaches into them is open, as is a text without a real script: it has no pattern yet.

Of a custom pattern nothing is known, and `none` takes the text as a whole: there all is open.
"""

from __future__ import annotations

from collections.abc import Callable

from superword.reference.pretokenize import Pretokenizer
from superword.reference.scripts import classify, is_real, script_of

_CONTRACTIONS = ("s", "t", "re", "ve", "m", "ll", "d")


def settled_pretokens(text: str, pretokenizer: Pretokenizer) -> list[bytes]:
    """The first pretokens of a text, as far as they are those of every longer text.

    Args:
        text: a text, or a piece of it behind a special token.
        pretokenizer: what cuts it.

    Returns:
        Pretokens from the start of the text; no continuation has others there.

    >>> from superword.settings import Cutting
    >>> settled_pretokens("To be, or not can'", Pretokenizer(Cutting("gpt4o")))
    [b'To', b' be', b',', b' or', b' not']
    """
    scheme = pretokenizer.scheme
    if scheme is None or scheme == "none":
        return []
    pieces = pretokenizer.pretokenize(text)
    if scheme == "gpt4o-scripts":
        bound = _bound_to_chunk(text)
        if len(bound) < len(text):
            alone = pretokenizer.pretokenize(bound)
            pairs = zip(pieces, alone, strict=False)
            same = next((n for n, (a, b) in enumerate(pairs) if a != b), len(alone))
            pieces = pieces[:same]
    is_open = _open_places(text, scheme)
    at = 0
    for count, piece in enumerate(pieces):
        end = at + len(piece)
        if is_open(at, end, piece):
            return pieces[:count]
        at = end
    return pieces


def _bound_to_chunk(text: str) -> str:
    """Return the text without what is Common at its end; nothing if it has no real script."""
    if not any(is_real(script_of(char)) for char in text):
        return ""
    return text[: len(text) - _count_at_end(text, lambda char: script_of(char) == "Common")]


def _open_places(text: str, scheme: str) -> Callable[[int, int, bytes], bool]:
    """Return what tells from its start, its end and its bytes whether a pretoken is open.

    Places are in bytes; one that there is not is the end of the text.
    """
    size = len(text.encode())

    def before(characters: int) -> int:
        return size - len(text[len(text) - characters :].encode())

    space = before(_count_at_end(text, _is_space))
    quote = before(_length_of_quote(text))
    capitals = _count_at_end(text, _is_upper)
    upper = before(capitals)
    script = script_of(text[-capitals]) if capitals else ""

    def is_open(start: int, end: int, piece: bytes) -> bool:
        if end == size:
            return not _is_complete(piece.decode(), scheme)
        if start >= space or (scheme == "gpt2" and start == quote):
            return True
        if not _has_words(scheme) or end not in (quote, upper):
            return False
        pretoken = piece.decode()
        kinds = [_kind(char) for char in pretoken]
        if end == quote:
            return kinds[-1][0] in "LM" and _may_join(pretoken, "Latin", scheme)
        caseless = kinds[-1] in ("Lm", "Lo") or kinds[-1][0] == "M"
        return caseless and "Ll" not in kinds and _may_join(pretoken, script, scheme)

    return is_open


def _may_join(pretoken: str, script: str, scheme: str) -> bool:
    """Whether letters of a script may belong to a pretoken."""
    scripts = set(map(script_of, pretoken))
    others = any(is_real(found) and found != script for found in scripts)
    return scheme == "gpt4o" or not is_real(script) or not others


def _has_words(scheme: str) -> bool:
    """Whether a contraction is a part of its word, and cases are told apart."""
    return scheme.startswith("gpt4o")


def _is_complete(pretoken: str, scheme: str) -> bool:
    """Whether nothing can be added to the last pretoken of a text."""
    if scheme != "gpt2" and len(pretoken) == 3 and all(_kind(char)[0] == "N" for char in pretoken):
        return True
    word, quote, letters = pretoken.rpartition("'")
    if scheme != "gpt2":
        letters = "".join("s" if char == "ſ" else char for char in letters).lower()
    return quote == "'" and (word != "") == _has_words(scheme) and letters in _CONTRACTIONS


def _length_of_quote(text: str) -> int:
    """Return how many characters at the end of a text are the beginning of a contraction."""
    if text.endswith("'"):
        return 1
    return 2 if text[-2:-1] == "'" and text[-1] in "rvlRVL" else 0


def _count_at_end(text: str, belongs: Callable[[str], bool]) -> int:
    count = 0
    while count < len(text) and belongs(text[-1 - count]):
        count += 1
    return count


def _kind(char: str) -> str:
    return classify(ord(char), ord(char))[0][0]


def _is_space(char: str) -> bool:
    return classify(ord(char), ord(char))[0][2]


def _is_upper(char: str) -> bool:
    return _kind(char) in ("Lu", "Lt")
