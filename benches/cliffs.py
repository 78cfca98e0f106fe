"""How training and encoding grow with texts that are hard in some way: `make bench-cliffs`.

Each text comes in sizes that double, and is trained to a token for every 4 bytes, so that the
vocabulary grows with it and training goes on to the rarest pairs. Every measurement is a process of
its own: the user CPU of the training call, and the most memory held beyond what was held before it.
The exponent is the slope over all sizes: 1.0 is linear, n log n shows as about 1.1 here, 2.0 is
quadratic. Everything from 1.5 on is called a cliff, and so is what ends in no result; the status is
1 if there is one. A text that no scheme cuts is trained on by `bpe` alone. `encode` encodes the
text with a model of itself, a `boundless` one where it is cut, by an encoder that is new.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from compare.worker import peak_bytes
from superword import Tokenizer, train
from superword.corpus import find_files

SIZES = (250_000, 500_000, 1_000_000, 2_000_000)
ENCODE = "encode"  # in the place of an algorithm
ALGORITHMS = ("bpe", "boundless", ENCODE)
BYTES_PER_TOKEN = 4
LETTERS = "abcdefghijklmnopqrstuvwxyz"
CLIFF = 1.5
# Costs below these say nothing about growth: they are noise, or fit into a cache.
LEAST_SECONDS = 0.05
LEAST_BYTES = 10_000_000


@dataclass(frozen=True)
class Case:
    """A hard text: `make` gives its documents, `size` bytes of text in all."""

    name: str
    make: Callable[[int], Iterable[str]]
    jsonl: bool = False
    scheme: str = "gpt4o-uniscript"

    def jobs(self, algorithms: Sequence[str]) -> list[str]:
        """What is measured, of these algorithms."""
        if self.scheme != "none":
            return list(algorithms)
        return [name for name in algorithms if name != "boundless"]

    def write(self, size: int, folder: Path) -> Path:
        """The text as a file for training: .jsonl, or .txt with one document."""
        path = folder / ("text.jsonl" if self.jsonl else "text.txt")
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for document in self.make(size):
                file.write(json.dumps({"text": document}) + "\n" if self.jsonl else document)
        return path


def repeated(unit: str) -> Callable[[int], Iterable[str]]:
    """One document of a text again and again."""
    return lambda size: [unit * (size // len(unit.encode("utf-8")))]


def at_random(units: str) -> Callable[[int], Iterable[str]]:
    """One document of characters at random; a larger size begins with the smaller one."""
    width = len(units[0].encode("utf-8"))
    return lambda size: ["".join(random.Random(1).choices(units, k=size // width))]


def words_at_random(vocabulary: Sequence[str]) -> Callable[[int], Iterable[str]]:
    """One document of words at random, each with the space before it."""
    width = sum(len(word.encode("utf-8")) for word in vocabulary) / len(vocabulary)
    return lambda size: ["".join(random.Random(2).choices(vocabulary, k=int(size / width)))]


def new_words(size: int) -> Iterator[str]:
    """Words of seven random letters with a space: hardly one comes twice."""
    source = random.Random(3)
    for _ in range(size // 8):
        yield " " + "".join(source.choices(LETTERS, k=7))


def syllables() -> list[str]:
    """A thousand Thai words of one to three syllables."""
    source = random.Random(4)
    consonants = [chr(code) for code in range(0x0E01, 0x0E2F)]
    vowels = ["ะ", "า", "ิ", "ี", "ุ", "ู", "ั"]
    syllable = [first + vowel for first in consonants for vowel in vowels]
    return ["".join(source.choices(syllable, k=source.randint(1, 3))) for _ in range(1000)]


def small_documents(size: int) -> Iterator[str]:
    """Documents of 20 bytes: four words of a thousand."""
    source = random.Random(5)
    known = ["".join(source.choices(LETTERS, k=4)) for _ in range(1000)]
    for _ in range(size // 20):
        yield "".join(word + " " for word in source.choices(known, k=4))


def fibonacci(size: int) -> Iterable[str]:
    """The word of Fibonacci: self-similar, never periodic."""
    before, word = "b", "a"
    while len(word) < size:
        before, word = word, word + before
    return [word[:size]]


def ordinary(paths: Sequence[Path]) -> Callable[[int], Iterable[str]]:
    """One document of ordinary text: files, as often as it takes."""

    def make(size: int) -> Iterator[str]:
        left = size
        while left > 0:
            for path in paths:
                for text in _texts(path):
                    yield text[:left]
                    left -= len(text)
                    if left <= 0:
                        return

    return make


def _texts(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            yield json.loads(line)["text"] if path.suffix == ".jsonl" else line


def one_document(make: Callable[[int], Iterable[str]]) -> Callable[[int], Iterable[str]]:
    """All documents as one."""
    return lambda size: ["".join(make(size))]


WORDS = ["".join([" ", *random.Random(n).choices(LETTERS, k=5)]) for n in range(1000)]
CASES = (
    Case("one letter", repeated("a")),
    Case("random letters", at_random(LETTERS)),
    Case("two random letters", at_random("ab")),
    Case("word of Fibonacci", fibonacci),
    Case("ab again and again", repeated("ab")),
    Case("aA again and again", repeated("aA")),
    Case("random digits", at_random("0123456789")),
    Case("random digits, gpt2", at_random("0123456789"), scheme="gpt2"),
    Case("spaces", repeated(" ")),
    Case("line feeds", repeated("\n")),
    Case("CR LF and spaces", repeated("\r\n  ")),
    Case("exclamation marks", repeated("!")),
    Case("combining marks", repeated("\u0301")),
    Case("contractions", repeated("'s")),
    Case("Thai without spaces", words_at_random(syllables())),
    Case("emoji with joiners", repeated("\U0001f469\u200d\U0001f469\u200d\U0001f467\ufe0f")),
    Case("random bytes as Latin-1", at_random("".join(map(chr, range(0x80, 0x100))))),
    Case("random Han", at_random("".join(map(chr, range(0x4E00, 0x5E00))))),
    Case("one word again and again", repeated(" be")),
    Case("two words again and again", repeated(" to be")),
    Case("1,000 words at random, one run", words_at_random(WORDS)),
    Case("new words, one run", one_document(new_words)),
    Case("new words, a document each", new_words, jsonl=True),
    Case("documents of 20 bytes", small_documents, jsonl=True),
    Case("uncut: one letter", repeated("a"), scheme="none"),
    Case("uncut: random letters", at_random(LETTERS), scheme="none"),
    Case("uncut: two random letters", at_random("ab"), scheme="none"),
    Case("uncut: word of Fibonacci", fibonacci, scheme="none"),
    Case("uncut: ab again and again", repeated("ab"), scheme="none"),
    Case("uncut: random digits", at_random("0123456789"), scheme="none"),
    Case("uncut: 1,000 words at random", words_at_random(WORDS), scheme="none"),
    Case("uncut: documents of 20 bytes", small_documents, jsonl=True, scheme="none"),
)


def measure(request: dict[str, Any]) -> dict[str, Any]:
    """Train once on a file, or encode it, in this process."""
    limit = request["memory_limit"]
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    find_files([request["path"]], "text", False)  # what is imported on first use
    if request["algorithm"] == ENCODE:
        texts = list(documents(Path(request["path"])))
        trained = trained_elsewhere(request)
    before_bytes = peak_bytes()
    wall, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
    if request["algorithm"] == ENCODE:
        trained.encode_batch(texts, threads=1)
    else:
        trained = train(
            files=request["path"],
            algorithm=request["algorithm"],
            vocab_size=request["vocab_size"],
            scheme=request["scheme"],
            threads=1,
            backend="rust",
        )
    after = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "seconds": after.ru_utime - before.ru_utime,
        "system_seconds": after.ru_stime - before.ru_stime,
        "wall_seconds": time.perf_counter() - wall,
        "bytes": peak_bytes() - before_bytes,
        "tokens": trained.vocab_size,
    }


def documents(path: Path) -> Iterator[str]:
    """The documents of a file that a case has written."""
    if path.suffix == ".jsonl":
        yield from _texts(path)
    else:
        yield path.read_text(encoding="utf-8")


def trained_elsewhere(request: dict[str, Any]) -> Tokenizer:
    """The model of the same text, made by another process: what that holds is not held here."""
    script = (
        "import sys; from superword import train; "
        "path, scheme, size, model = sys.argv[1:]; "
        "train(files=path, algorithm='bpe' if scheme == 'none' else 'boundless', "
        "vocab_size=int(size), scheme=scheme, threads=1, "
        "backend='rust').save(model)"
    )
    model = f"{request['path']}.superword"
    arguments = [request["path"], request["scheme"], str(request["vocab_size"]), model]
    subprocess.run([sys.executable, "-c", script, *arguments], check=True)
    data = Path(model).read_bytes()
    return Tokenizer.from_bytes(data, backend="rust", max_token_bytes=2**40, max_total_bytes=2**40)


def run(request: dict[str, Any], timeout: float) -> dict[str, Any]:
    """`measure` in a process of its own; or the reason why it gave nothing."""
    command = [sys.executable, str(Path(__file__)), "--measure", json.dumps(request)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return {"reason": f"longer than {timeout:.0f} s"}
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        return {"reason": f"ended with status {done.returncode}: {' '.join(said)}"}
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def exponent(sizes: Sequence[int], costs: Sequence[float], least: float) -> float | None:
    """The slope of log cost over log size, of costs that are not too small to tell; else None."""
    points = [
        (math.log(size), math.log(cost))
        for size, cost in zip(sizes, costs, strict=True)
        if cost >= least
    ]
    if len(points) < 2:
        return None
    middle = sum(x for x, _ in points) / len(points)
    height = sum(y for _, y in points) / len(points)
    below = sum((x - middle) ** 2 for x, _ in points)
    return sum((x - middle) * (y - height) for x, y in points) / below


def grow(
    case: Case,
    algorithm: str,
    sizes: Sequence[int],
    vocab_size: int | None,
    gigabytes: int,
    timeout: float,
) -> Iterator[dict[str, Any]]:
    """A row for each size, up to the first that gives no result."""
    for size in sizes:
        with TemporaryDirectory() as folder:
            path = case.write(size, Path(folder))
            request = {
                "path": str(path),
                "algorithm": algorithm,
                "vocab_size": vocab_size or 256 + size // BYTES_PER_TOKEN,
                "scheme": case.scheme,
                "memory_limit": gigabytes << 30,
            }
            row = run(request, timeout)
        yield {"case": case.name, "algorithm": algorithm, "size": size, **row}
        if "reason" in row:
            return


def summary(rows: Sequence[dict[str, Any]]) -> tuple[str, bool]:
    """A line of the table, and whether there is a cliff."""
    whole = [row for row in rows if "reason" not in row]
    sizes = [row["size"] for row in whole]
    seconds = exponent(sizes, [row["seconds"] for row in whole], LEAST_SECONDS)
    memory = exponent(sizes, [row["bytes"] for row in whole], LEAST_BYTES)
    cliff = len(whole) < len(rows) or any(x is not None and x >= CLIFF for x in (seconds, memory))
    first = rows[0]
    cells = [
        f"{first['case']}",
        first["algorithm"],
        f"{whole[-1]['tokens']:,}" if whole else "",
        " ".join(f"{row['seconds']:.2f}" for row in whole),
        "" if seconds is None else f"{seconds:.2f}",
        " ".join(f"{row['bytes'] / 1e6:.0f}" for row in whole),
        "" if memory is None else f"{memory:.2f}",
        rows[-1].get("reason", "cliff" if cliff else ""),
    ]
    return f"| {' | '.join(cells)} |", cliff


def main() -> int:
    """Measure, print a Markdown table line by line."""
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(json.loads(sys.argv[2]))))
        return 0
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", help="parts of names; default: all of the small ones")
    parser.add_argument("--text", type=Path, help="one document of this text, .txt or .jsonl")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="bytes, comma between")
    parser.add_argument("--algorithms", default=",".join(ALGORITHMS))
    parser.add_argument("--vocab-size", type=int, help="the same for all sizes")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for a measurement")
    parser.add_argument("--gigabytes", type=int, default=8, help="memory for a measurement")
    options = parser.parse_args()
    cases: Sequence[Case] = CASES
    if options.text:
        make = ordinary([options.text])
        cases = (
            Case("one document, .txt", make),
            Case("one document, .jsonl", one_document(make), jsonl=True),
        )
    sizes = [int(size) for size in options.sizes.split(",")]
    cliffs = 0
    print(f"Sizes {', '.join(f'{size:,}' for size in sizes)} bytes\n")
    print("| text | algorithm | tokens | user CPU s | exponent | MB held | exponent | |")
    print("|---|---|---:|---|---:|---|---:|---|")
    for case in cases:
        if options.cases and not any(part in case.name for part in options.cases):
            continue
        for algorithm in case.jobs(options.algorithms.split(",")):
            limits = (options.vocab_size, options.gigabytes, options.timeout)
            line, cliff = summary(list(grow(case, algorithm, sizes, *limits)))
            print(line, flush=True)
            cliffs += cliff
    print(f"\n{cliffs} cliffs")
    return min(cliffs, 1)


if __name__ == "__main__":
    sys.exit(main())
