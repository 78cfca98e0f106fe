"""How growth is told from measurements, and the hard texts themselves."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import cliffs

ROOT = Path(__file__).resolve().parents[2]
SIZES = (1000, 2000, 4000)


@pytest.mark.parametrize(
    ("costs", "expected"),
    [((1, 2, 4), 1), ((1, 4, 16), 2), ((3, 3, 3), 0), ((0.1, 2, 4), 1), ((0, 0.1, 4), None)],
)
def test_the_exponent_is_the_slope_of_what_is_not_noise(costs, expected):
    found = cliffs.exponent(SIZES, costs, 1)
    assert found == (expected if expected is None else pytest.approx(expected))


def rows(seconds, memory, **last):
    whole = [
        {"case": "x", "algorithm": "bpe", "size": a, "seconds": b, "bytes": c, "tokens": 300}
        for a, b, c in zip(SIZES, seconds, memory, strict=True)
    ]
    return [*whole, {"case": "x", "algorithm": "bpe", "size": 8000, **last}] if last else whole


MB = 1_000_000


@pytest.mark.parametrize(
    ("measured", "cliff", "line"),
    [
        (
            rows((1, 2.2, 4.6), (20 * MB, 40 * MB, 80 * MB)),
            False,
            "| x | bpe | 300 | 1.00 2.20 4.60 | 1.10 | 20 40 80 | 1.00 |  |",
        ),
        (
            rows((1, 4, 16), (0, 0, 0)),
            True,
            "| x | bpe | 300 | 1.00 4.00 16.00 | 2.00 | 0 0 0 |  | cliff |",
        ),
        (
            rows((0, 0, 0), (20 * MB, 80 * MB, 320 * MB)),
            True,
            "| x | bpe | 300 | 0.00 0.00 0.00 |  | 20 80 320 | 2.00 | cliff |",
        ),
        (
            rows((1, 2, 4), (0, 0, 0), reason="longer than 5 s"),
            True,
            "| x | bpe | 300 | 1.00 2.00 4.00 | 1.00 | 0 0 0 |  | longer than 5 s |",
        ),
        (
            [{"case": "x", "algorithm": "bpe", "size": 1000, "reason": "longer than 5 s"}],
            True,
            "| x | bpe |  |  |  |  |  | longer than 5 s |",
        ),
    ],
)
def test_what_a_cliff_is(measured, cliff, line):
    assert cliffs.summary(measured) == (line, cliff)


@pytest.mark.parametrize("case", cliffs.CASES, ids=lambda case: case.name)
def test_texts_have_the_size_asked_for(case):
    sizes = [sum(len(text.encode("utf-8")) for text in case.make(size)) for size in (6000, 12_000)]
    assert sizes == pytest.approx((6000, 12_000), rel=0.05)
    assert "".join(case.make(6000)) == "".join(case.make(6000))


def test_one_document_of_a_file(tmp_path):
    plain, lines = tmp_path / "a.txt", tmp_path / "b.jsonl"
    plain.write_text("abc\ndef\n", "utf-8")
    lines.write_text('{"text": "abc\\n"}\n{"text": "def\\n"}\n', "utf-8")
    for path in (plain, lines):
        assert "".join(cliffs.ordinary([path])(11)) == "abc\ndef\nabc"
        (document,) = cliffs.one_document(cliffs.ordinary([path]))(5)
        assert document == "abc\nd"


@pytest.mark.rust
def test_it_measures_and_gives_up(both_backends, tmp_path):
    command = [sys.executable, str(ROOT / "benches/cliffs.py"), "one letter", "documents of 20"]
    path = os.pathsep.join([str(ROOT / "python"), str(ROOT / "benches")])
    done = subprocess.run(
        [*command, "--sizes", "1000,2000", "--vocab-size", "260", "--algorithms", "bpe"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "Sizes 1,000, 2,000 bytes"
    assert [line.split(" | ")[:3] for line in lines if line.startswith(("| one", "| doc"))] == [
        ["| one letter", "bpe", "260"],
        ["| documents of 20 bytes", "bpe", "260"],
    ]
    assert lines[-1] == "0 cliffs"
    request = {
        **{"path": str(tmp_path / "none.txt"), "algorithm": "bpe", "vocab_size": 260},
        **{"scheme": "gpt2", "memory_limit": 1 << 32},
    }
    assert cliffs.run(request, 0.001) == {"reason": "longer than 0 s"}
    assert "none.txt" in cliffs.run(request, 60)["reason"]
