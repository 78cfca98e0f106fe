"""The vocabularies that encoders are compared with: trained once by superword, kept in the cache.

A model of superword, and of plain BPE the same as the two files that other encoders read. Our ids
are the 256 single bytes, then the merges in order, so an id is a rank: what tiktoken needs.
"""

from __future__ import annotations

import base64
import json
import shutil
import sys
from pathlib import Path
from typing import Any, Literal, cast

from compare.byte_letters import byte_letters
from compare.corpora import Corpus, cache_folder
from compare.encode.interface import Vocabulary
from compare.jobs import Job
from superword import Tokenizer, train
from superword.reference.patterns import NAMED_PATTERNS

MODELS = {
    Job("bpe", "gpt2"): 32_768,
    Job("bpe", "gpt4o"): 32_768,
    Job("boundless", "gpt4o-uniscript"): 131_072,
}


def prepare(job: Job, size: int, corpus: Corpus, text: Path) -> Vocabulary:
    """The vocabulary of a size trained on a corpus, whose files are in the folder `text`."""
    name = f"{job.algorithm}-{job.pattern}-{size}-{corpus.name}-{corpus.sha256[:12]}"
    folder = cache_folder() / "vocabularies" / name
    vocabulary = Vocabulary(folder, job.algorithm, job.pattern, size, text / "corpus.jsonl")
    if not vocabulary.model.is_file():
        print(f"training {job} with {size:,} tokens on {corpus.name}", file=sys.stderr)
        tokenizer = train(
            files=vocabulary.text,
            algorithm=cast(Literal["bpe", "boundless"], job.algorithm),
            vocab_size=size,
            scheme=job.pattern,
            threads=1,
        )
        write(tokenizer, job, folder)
    return vocabulary


def write(tokenizer: Tokenizer, job: Job, folder: Path) -> None:
    """Write the files of a vocabulary into a folder, all or nothing."""
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    written = Vocabulary(part, job.algorithm, job.pattern, tokenizer.vocab_size, Path())
    tokenizer.save(written.model)
    if job.algorithm == "bpe":
        tokens = [tokenizer.token_bytes(number) for number in range(tokenizer.vocab_size)]
        spelled = (base64.b64encode(token).decode("ascii") for token in tokens)
        ranks = (f"{token} {rank}\n" for rank, token in enumerate(spelled))
        written.ranks.write_text("".join(ranks), encoding="ascii")
        content = json.dumps(tokenizer_json(tokens, tokenizer, job.pattern), ensure_ascii=False)
        written.json.write_text(content, encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    part.rename(folder)


def tokenizer_json(tokens: list[bytes], tokenizer: Tokenizer, pattern: str) -> dict[str, Any]:
    """The tokenizer.json of plain BPE, as such files are in the wild."""
    letters = byte_letters()

    def spelled(token: bytes) -> str:
        return "".join(letters[byte] for byte in token)

    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    # GPT-2's pattern is byte-level's own; others go through a split
    cut: dict[str, Any] = {**byte_level, "use_regex": True}
    if pattern != "gpt2":
        split = {
            **{"type": "Split", "pattern": {"Regex": NAMED_PATTERNS[pattern]}},
            **{"behavior": "Isolated", "invert": False},
        }
        cut = {"type": "Sequence", "pretokenizers": [split, {**byte_level, "use_regex": False}]}
    return {
        **{"version": "1.0", "truncation": None, "padding": None, "added_tokens": []},
        **{"normalizer": None, "pre_tokenizer": cut, "post_processor": None},
        "decoder": {**byte_level, "use_regex": True},
        "model": {
            **{"type": "BPE", "dropout": None, "unk_token": None},
            **{"continuing_subword_prefix": None, "end_of_word_suffix": None},
            **{"fuse_unk": False, "byte_fallback": False, "ignore_merges": False},
            "vocab": {spelled(token): number for number, token in enumerate(tokens)},
            "merges": [[spelled(op.left), spelled(op.right)] for op in tokenizer.ops],
        },
    }


def read_ranks(path: Path) -> dict[bytes, int]:
    """The ranks in a rank file."""
    lines = path.read_bytes().splitlines()
    return {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, lines)}
