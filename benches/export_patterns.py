"""The patterns of pretokens in other engines: size, and how fast each cuts: `make bench-patterns`.

Each engine cuts each text with the pattern of each scheme that its dialect takes, three times in
alternation; the least CPU time counts. In `tokenizers` that is `Split` alone; tiktoken also encodes
the pieces, with single bytes for tokens; in node it is RegExp with the flags `gu`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import tiktoken
from tokenizers import Regex
from tokenizers.pre_tokenizers import Split

from superword.errors import NotExactError
from superword.export.dialects import DIALECTS, Dialect
from superword.export.named_patterns import pattern_of
from superword.settings import Cutting

ROOT = Path(__file__).resolve().parent.parent
SCHEMES = ("gpt2", "gpt4", "gpt4o", "gpt4o-uniscript", "gpt4o-scripts")
ENGINES: dict[Dialect, str] = {
    "oniguruma": "tokenizers",
    "fancy": "tiktoken",
    "javascript": "node",
}
RUNS = 3
NODE = """
const {pattern, texts} = JSON.parse(require("fs").readFileSync(0, "utf8"));
const regex = new RegExp(pattern, "gu");
const run = () => {
  for (const text of texts) {
    regex.lastIndex = 0;
    while (regex.exec(text) !== null);
  }
};
const before = process.cpuUsage();
run();
const {user, system} = process.cpuUsage(before);
process.stdout.write(String((user + system) / 1e6));
"""


def seconds(dialect: Dialect, pattern: str, texts: Sequence[str]) -> float:
    """CPU seconds of one pass; what the engine compiles on first use is in it for node alone."""
    if dialect == "javascript":
        done = subprocess.run(
            ["node", "-e", NODE],
            input=json.dumps({"pattern": pattern, "texts": texts}),
            capture_output=True,
            text=True,
            check=True,
        )
        return float(done.stdout)
    cut: Callable[[str], object]
    if dialect == "oniguruma":
        cut = Split(Regex(pattern), "isolated").pre_tokenize_str
    else:
        ranks = {bytes([byte]): byte for byte in range(256)}
        cut = tiktoken.Encoding(
            "bytes", pat_str=pattern, mergeable_ranks=ranks, special_tokens={}
        ).encode_ordinary
    cut("a")
    before = time.process_time()
    for text in texts:
        cut(text)
    return time.process_time() - before


def read(path: Path, size: int) -> list[str]:
    """The first documents of a `.jsonl` file, about `size` bytes."""
    texts = []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            texts.append(json.loads(line)["text"])
            size -= len(texts[-1].encode())
            if size < 0:
                break
    return texts


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help=".jsonl; the demo corpus by default")
    parser.add_argument("--bytes", type=int, default=500_000, help="of each file, about")
    options = parser.parse_args(arguments)
    files = options.files or sorted((ROOT / "examples/corpus").glob("*.jsonl"))
    corpora = {path.stem: read(path, options.bytes) for path in files}
    print("| scheme | engine | bytes | " + " | ".join(f"{name}, MB/s" for name in corpora) + " |")
    print("|---|---|---|" + "---|" * len(corpora))
    for dialect in DIALECTS:
        if dialect == "javascript" and shutil.which("node") is None:
            print("node is not installed")
            continue
        patterns = {}
        for scheme in SCHEMES:
            try:
                patterns[scheme] = pattern_of(Cutting(scheme), dialect)
            except NotExactError:
                continue
        least: dict[tuple[str, str], float] = {}
        for _ in range(RUNS):
            for name, texts in corpora.items():
                for scheme, pattern in patterns.items():
                    taken = seconds(dialect, pattern, texts)
                    least[scheme, name] = min(taken, least.get((scheme, name), taken))
        sizes = {name: sum(len(text.encode()) for text in texts) for name, texts in corpora.items()}
        for scheme, pattern in patterns.items():
            speeds = [f"{sizes[name] / 1e6 / least[scheme, name]:.2f}" for name in corpora]
            cells = [scheme, ENGINES[dialect], str(len(pattern.encode())), *speeds]
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
