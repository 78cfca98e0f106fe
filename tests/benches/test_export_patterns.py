"""`make bench-patterns` on a small text."""

from pathlib import Path

import pytest

import export_patterns


def test_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "small.jsonl"
    path.write_text('{"text": "It is one, два."}\n{"text": "not read"}\n', "utf-8")
    assert export_patterns.read(path, 1) == ["It is one, два."]
    export_patterns.main([str(path), "--bytes", "1"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "| scheme | engine | bytes | small, MB/s |"
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    assert len(rows) == 5 + 4 + 4
    for scheme, engine, size, speed in rows:
        assert scheme in export_patterns.SCHEMES
        assert engine in export_patterns.ENGINES.values()
        assert int(size) > 10_000
        assert float(speed) >= 0  # node compiles for longer than this text takes
