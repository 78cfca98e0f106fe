"""Superwords in `tokenizers`: size, exactness and speed of an export: `make bench-export`.

For each scheme a boundless model and a plain BPE model of the same size are trained on every other
document of the corpus, or given models are taken (then the plain one has their regular merges
alone). Both are exported, their ids compared with ours on the other documents and on texts made
from the model, and CPU seconds of encoding each text alone are measured in alternation.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

os.environ["TOKENIZERS_PARALLELISM"] = "false"  # one thread, so that CPU seconds mean something

from tokenizers import Tokenizer as Stock

import superword
from superword.export.adversarial import adversarial_texts
from superword.export.exported_model import ExportedModel
from superword.export.tokenizer_json import tokenizer_json
from superword.exported_folder import model_of

ROOT = Path(__file__).resolve().parent.parent
RUNS = 3
CHARACTERS = 20_000  # of a document; longer ones say nothing more
BYTES = 700_000  # of each file


def texts_of(path: Path) -> list[str]:
    """The documents of a file."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]


def exported(model: ExportedModel) -> tuple[dict[str, Any], float]:
    """The content of `tokenizer.json`, and the seconds that making it takes."""
    start = time.process_time()
    content = tokenizer_json(model)
    return content, time.process_time() - start


def loaded(content: dict[str, Any]) -> tuple[Stock, float]:
    """What `tokenizers` makes of it, and the seconds that takes."""
    text = json.dumps(content, ensure_ascii=False)
    start = time.process_time()
    stock = Stock.from_str(text)
    return stock, time.process_time() - start


def seconds(stock: Stock, texts: Sequence[str]) -> float:
    """CPU seconds of one pass."""
    start = time.process_time()
    for text in texts:
        stock.encode(text)
    return time.process_time() - start


def some(texts: Sequence[str]) -> list[str]:
    """As many of the texts as are measured."""
    found: list[str] = []
    size = 0
    for text in texts:
        found.append(text[:CHARACTERS])
        size += len(found[-1].encode())
        if size > BYTES:
            break
    return found


def differences(ours: superword.Tokenizer, stock: Stock, texts: Sequence[str]) -> int:
    """How many texts have other ids."""
    given = (encoding.ids for encoding in stock.encode_batch(texts))
    return sum(a != b for a, b in zip(given, ours.encode_batch(texts, "all"), strict=True))


def report(
    name: str,
    ours: superword.Tokenizer,
    plain: ExportedModel,
    files: dict[str, list[str]],
    strings: int,
) -> str:
    """The row of one model."""
    model = model_of(ours)
    content, made = exported(model)
    regex = content["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"]
    stock, load = loaded(content)
    base, _ = loaded(exported(plain)[0])
    held_out = [text for texts in files.values() for text in texts]
    adversarial = list(islice(adversarial_texts(model), strings))
    wrong = differences(ours, stock, held_out), differences(ours, stock, adversarial)
    speeds = []
    for texts in map(some, files.values()):
        size = sum(len(text.encode()) for text in texts) / 1e6
        times = [(seconds(base, texts), seconds(stock, texts)) for _ in range(RUNS)]
        one, two = (min(some) for some in zip(*times, strict=True))
        speeds.append(f"{size / two:.2f} ({one / two:.0%})")
    return (
        f"| {name} | {len(ours):,} | {len(regex.encode()):,} | {made:.1f} + {load:.1f} | "
        f"{wrong[0]} of {len(held_out):,} | {wrong[1]} of {len(adversarial):,} | "
        f"{' | '.join(speeds)} |"
    )


def main() -> None:
    """Train, or load, export, compare and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", nargs="*", type=Path, help=".jsonl files; default: the demo's")
    parser.add_argument("--model", action="append", default=[], help="a model instead of training")
    parser.add_argument("--vocab-size", type=int, default=32_768)
    parser.add_argument("--strings", type=int, default=100_000)
    given = parser.parse_args()
    paths = given.corpus or sorted((ROOT / "examples/corpus").glob("*.jsonl"))
    files = {path.stem: texts_of(path) for path in paths}
    names = " | ".join(f"{name}, MB/s" for name in files)
    print(f"| model | ids | pattern, bytes | export + load, s | documents | made texts | {names} |")
    print(f"|{'---|' * (6 + len(files))}")
    for path in given.model:
        ours = superword.Tokenizer.load(path)
        plain = model_of(ours)._replace(supermerges=[])
        print(report(Path(path).stem, ours, plain, files, given.strings), flush=True)
    if given.model:
        return
    learned = [text for texts in files.values() for text in texts[::2]]
    held_out = {name: texts[1::2] for name, texts in files.items()}
    for scheme in ("gpt2", "gpt4", "gpt4o", "gpt4o-uniscript"):
        ours, bpe = (
            superword.train(
                learned, algorithm=algorithm, scheme=scheme, vocab_size=given.vocab_size
            )
            for algorithm in ("boundless", "bpe")
        )
        print(report(scheme, ours, model_of(bpe), held_out, given.strings), flush=True)


if __name__ == "__main__":
    main()
