"""What the counts of instructions say: when a stage grew, and when they cannot be compared."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import instructions

ROOT = Path(__file__).resolve().parents[2]
BEFORE = {"scan": 1000, "count": 2000, "merge": 400}
HERE = {"rustc": "rustc 1.88.0", "target": "x86_64-unknown-linux-gnu", "valgrind": "valgrind-3.19"}


def test_growth_of_more_than_five_percent_is_wrong():
    assert instructions.complaints(BEFORE, BEFORE) == []
    assert instructions.complaints(BEFORE, {"scan": 1050, "count": 2100, "merge": 1}) == []
    (line,) = instructions.complaints(BEFORE, {**BEFORE, "count": 2101})
    assert line.startswith("count: 5.0% more instructions")
    assert "ARGS=--update" in line


def test_a_stage_that_only_one_side_has_is_wrong():
    now = {"scan": 1000, "count": 2000, "decode": 5}
    lines = instructions.complaints(BEFORE, now)
    assert [line.partition(";")[0] for line in lines] == [
        "merge: not in the program",
        "decode: not in the baseline",
    ]


def test_the_table_has_every_stage():
    now = {"scan": 1100, "count": 1000, "new": 1_000_000}
    assert instructions.table(BEFORE, now, dict.fromkeys(now, 200)) == (
        "| stage | baseline | now | change | now, per byte |\n"
        "|---|---:|---:|---:|---:|\n"
        "| scan | 1,000 | 1,100 | +10.0% | 5.5 |\n"
        "| count | 2,000 | 1,000 | -50.0% | 5.0 |\n"
        "| merge | 400 |  |  |  |\n"
        "| new |  | 1,000,000 |  | 5000.0 |"
    )


def test_only_equal_environments_are_compared():
    assert instructions.differences(HERE, HERE) == ""
    assert instructions.differences(HERE, {**HERE, "rustc": "rustc 1.90.0"}) == (
        "rustc 'rustc 1.88.0', here 'rustc 1.90.0'"
    )
    assert "valgrind" in instructions.differences({}, HERE)


def test_stages_are_chosen_by_name_or_pattern():
    assert instructions.chosen(list(BEFORE), []) == list(BEFORE)
    assert instructions.chosen(["scan/a", "scan/b", "read"], ["scan/*"]) == ["scan/a", "scan/b"]
    assert instructions.chosen(BEFORE, ["merge"]) == {"merge": 400}


def test_a_profile_in_which_nothing_was_counted_is_an_error():
    assert instructions.instructions("summary: 12\n\ntotals: 12\n") == 12
    for profile in ("totals: 0\n", "version: 1\n"):
        with pytest.raises(SystemExit, match="nothing was counted"):
            instructions.instructions(profile)


def run(folder, *programs, **baseline):
    """The tool with a PATH of stand-ins: (status, what it printed)."""
    for name, text in programs:
        (folder / name).write_text(f"#!{sys.executable}\n{text}", "utf-8")
        (folder / name).chmod(0o755)
    (folder / "baseline.json").write_text(json.dumps(baseline), "utf-8")
    script = (
        "import pathlib, sys, instructions\n"
        f"instructions.BASELINE = pathlib.Path({str(folder / 'baseline.json')!r})\n"
        "sys.exit(instructions.main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "--if-comparable"],
        env={"PATH": str(folder), "PYTHONPATH": str(ROOT / "benches")},
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    return done.returncode, done.stdout + done.stderr


RUSTC = ("rustc", "print('rustc 9.9.9 (stand-in)\\nhost: here')")
VALGRIND = ("valgrind", "print('valgrind-0')")


def test_what_is_not_checked_is_said_in_one_line(tmp_path):
    status, said = run(tmp_path, RUSTC, environment={})
    assert (status, said) == (0, "instruction counts NOT CHECKED: valgrind is not installed\n")
    status, said = run(tmp_path, RUSTC, VALGRIND, environment={"rustc": "rustc 1.0.0"})
    assert status == 0
    assert "NOT CHECKED, the baseline is of another place: rustc 'rustc 1.0.0', here" in said
    assert said.count("\n") == 1


CARGO = """
import json, os, pathlib
program = pathlib.Path(__file__).with_name("program")
program.write_text("#!PYTHON\\nprint('scan\\\\ncount')\\n")
program.chmod(0o755)
print(json.dumps({"reason": "compiler-artifact", "executable": str(program)}))
"""
COUNTING = """
import sys
if sys.argv[1] == "--version":
    print("valgrind-0")
else:
    (out,) = [x.partition("=")[2] for x in sys.argv if x.startswith("--callgrind-out-file=")]
    print(200)
    open(out, "w").write("totals: %d\\n" % {"scan": 1000, "count": 2200}[sys.argv[-1]])
"""


@pytest.mark.parametrize(("count", "expected"), [(2200, 0), (2000, 1)])
def test_the_status_tells_growth(tmp_path, count, expected, monkeypatch):
    cargo = ("cargo", CARGO.replace("PYTHON", sys.executable))
    counting = ("valgrind", COUNTING)
    for name, text in (RUSTC, counting):
        (tmp_path / name).write_text(f"#!{sys.executable}\n{text}", "utf-8")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("RUSTFLAGS", raising=False)
    here = instructions.environment()
    assert here["rustc"] == "rustc 9.9.9 (stand-in)"
    baseline = {"scan": 1000, "count": count}
    status, said = run(
        *(tmp_path, RUSTC, counting, cargo),
        **{"environment": here, "profile": {}, "instructions": baseline},
    )
    assert status == expected, said
    assert "| scan | 1,000 | 1,000 | +0.0% | 5.0 |" in said
    assert ("count: 10.0% more instructions" in said) == bool(expected)


def test_the_recorded_baseline_is_complete():
    recorded = json.loads(instructions.BASELINE.read_text("utf-8"))
    assert set(recorded) == {"environment", "profile", "instructions"}
    assert recorded["environment"].keys() == {
        *("rustc", "target", "rustflags", "libc", "valgrind", "vectors")
    }
    assert re.fullmatch(r"rustc \d+\.\d+\.\d+ .*", recorded["environment"]["rustc"])
    assert all(count > 100_000 for count in recorded["instructions"].values())
