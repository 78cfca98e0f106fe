"""How each engine cuts texts by a pattern: `tokenizers`, tiktoken, and JavaScript through node."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from itertools import pairwise

import tiktoken
from tokenizers import Regex
from tokenizers.pre_tokenizers import Split

from superword.export.dialects import Dialect

Cut = list[str]
NODE = shutil.which("node")
SCRIPT = r"""
const jobs = JSON.parse(require("fs").readFileSync(0, "utf8"));
// as transformers.js does, whose matchAll copies the regex for each text
const cut = (regex, text) => {
  const pieces = [];
  let at = 0;
  let match;
  regex.lastIndex = 0;
  while ((match = regex.exec(text)) !== null) {
    if (at < match.index) pieces.push(text.slice(at, match.index));
    pieces.push(match[0]);
    at = match.index + match[0].length;
  }
  if (at < text.length) pieces.push(text.slice(at));
  return pieces;
};
process.stdout.write(JSON.stringify(jobs.map(([pattern, texts]) => {
  const regex = new RegExp(pattern, "gu");
  return texts.map((text) => cut(regex, text));
})));
"""


def cut_by_tokenizers(pattern: str, texts: Sequence[str]) -> list[Cut]:
    """What `Split` makes of the texts; text between matches is a piece of its own."""
    split = Split(Regex(pattern), "isolated")
    return [[piece for piece, _ in split.pre_tokenize_str(text)] for text in texts]


def cut_by_tiktoken(pattern: str, texts: Sequence[str], expected: Sequence[Cut]) -> list[Cut]:
    """What tiktoken makes of the texts: `expected` where it cuts so, otherwise something else.

    tiktoken does not tell how it cuts, only tokens. Each piece that we expect is one token, and so
    are each two that follow each other: two pieces that it took for one would be one token.
    """
    tokens = {bytes([byte]): byte for byte in range(256)}
    for pieces in expected:
        for piece in [*pieces, *map("".join, pairwise(pieces))]:
            tokens.setdefault(piece.encode(), len(tokens))
    encoding = tiktoken.Encoding("cut", pat_str=pattern, mergeable_ranks=tokens, special_tokens={})
    return [
        [token.decode(errors="replace") for token in encoding.decode_tokens_bytes(ids)]
        for ids in map(encoding.encode_ordinary, texts)
    ]


def cut_by_javascript(jobs: Sequence[tuple[str, Sequence[str]]]) -> list[list[Cut]]:
    """What RegExp with the flags `gu` makes of the texts of each pattern, in one process."""
    done = subprocess.run(
        ["node", "-e", SCRIPT],
        input=json.dumps(list(jobs)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    cuts: list[list[Cut]] = json.loads(done.stdout)
    return cuts


def cut_by(
    dialect: Dialect, pattern: str, texts: Sequence[str], expected: Sequence[Cut]
) -> list[Cut]:
    """What the engine of a dialect makes of the texts."""
    if dialect == "oniguruma":
        return cut_by_tokenizers(pattern, texts)
    if dialect == "fancy":
        return cut_by_tiktoken(pattern, texts, expected)
    return cut_by_javascript([(pattern, texts)])[0]
