"""What is exact where: exports small models of every scheme and compares ids: `make exactness`.

Each cell is what a run of the checks found: how many texts had the same ids, or the reason of the
refusal. JavaScript gets the file of `javascript=True`: RegExp in node must cut sample texts and
texts made from the model as `tokenizers` does with the same file, whose ids are compared with ours.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Literal

from engines import cut_by_javascript, cut_by_tokenizers

import superword
from superword.errors import NotExactError
from superword.export.adversarial import adversarial_texts
from superword.export.sample import SAMPLE
from superword.exported_folder import check_folder, model_of

ROOT = Path(__file__).resolve().parent.parent
SCHEMES = ("gpt2", "gpt4", "gpt4o", "gpt4o-uniscript", "gpt4o-scripts")
Algorithm = Literal["bpe", "superbpe", "boundless"]
ALGORITHMS: tuple[Algorithm, ...] = ("bpe", "superbpe", "boundless")
# JavaScript is given so many texts at a time.
BATCH = 5000


def compared(tokenizer: superword.Tokenizer, path: Path, strings: int) -> str:
    """Compare ids in all that loads a folder or rank file; an error if they differ."""
    found = check_folder(tokenizer, str(path), strings=strings)
    if not found.is_exact or found.absent:
        raise SystemExit(f"{path}: {found}")
    return f"same, {found.texts:,} texts"


def compared_in_javascript(tokenizer: superword.Tokenizer, path: Path, strings: int) -> str:
    """Compare how node and `tokenizers` cut by the pattern of a folder; an error if they differ."""
    content = json.loads((path / "tokenizer.json").read_text("utf-8"))
    pattern = content["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"]
    texts = chain(SAMPLE, adversarial_texts(model_of(tokenizer), strings))
    count = 0
    while batch := list(islice(texts, BATCH)):
        (cuts,) = cut_by_javascript([(pattern, batch)])
        if cuts != cut_by_tokenizers(pattern, batch):
            raise SystemExit(f"{path}: node cuts otherwise")
        count += len(batch)
    return f"same cuts, {count:,} texts, {len(pattern.encode()) // 1000} KB"


def cells(tokenizer: superword.Tokenizer, folder: Path, strings: int) -> list[str]:
    """The row of one model, without its name."""

    def attempt(check: Callable[[], str]) -> str:
        try:
            return check()
        except NotExactError as error:
            return f"refused: {re.split('[:;]', str(error))[0]}"

    def exported(to: Literal["huggingface", "tiktoken"], javascript: bool = False) -> Path:
        path = folder / f"{to}{'-javascript' * javascript}"
        tokenizer.export(to, path, javascript=javascript, check=False)
        return path

    stock = attempt(lambda: compared(tokenizer, exported("huggingface"), strings))
    ranks = attempt(lambda: compared(tokenizer, exported("tiktoken"), strings))

    def javascript() -> str:
        path = exported("huggingface", javascript=True)
        compared(tokenizer, path, strings)
        return compared_in_javascript(tokenizer, path, strings)

    has_node = shutil.which("node") is not None
    return [stock, ranks, attempt(javascript) if has_node else "not run: no node"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strings", type=int, default=100_000, help="texts made from each model")
    parser.add_argument("--vocab-size", type=int, default=6000)
    parser.add_argument("--schemes", nargs="*", default=SCHEMES)
    options = parser.parse_args(arguments)
    files = sorted((ROOT / "examples/corpus").glob("*.jsonl"))
    print("| scheme | model | `tokenizers` and `AutoTokenizer` | tiktoken | JavaScript |")
    print("|---|---|---|---|---|")
    for scheme in options.schemes:
        for algorithm in ALGORITHMS:
            tokenizer = superword.train(
                files=files,
                algorithm=algorithm,
                vocab_size=options.vocab_size,
                scheme=scheme,
                supermerges=options.vocab_size // 3 if algorithm == "superbpe" else None,
                special_tokens=["<s>", "<|end|>"],
            )
            with tempfile.TemporaryDirectory() as folder:
                row = [scheme, algorithm, *cells(tokenizer, Path(folder), options.strings)]
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
