"""Who may import what (ARCHITECTURE), read from the syntax trees."""

import ast
import sys
import tomllib
from pathlib import Path

import pytest

import superword

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "superword"
REFERENCE = sorted((PACKAGE / "reference").glob("*.py"))
PLAIN = {"superword.errors", "superword.settings", "superword.model"}
NEVER = {"unicodedata", "unicodedata2", "numpy", "superword._core"}


def imported(path):
    """The full names of all modules that a file imports, anywhere in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: a relative import"
            names |= {node.module}
            if node.module in ("superword", "superword.reference"):
                names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def is_standard(name):
    return name.partition(".")[0] in sys.stdlib_module_names


@pytest.mark.parametrize("path", REFERENCE, ids=lambda p: p.stem)
def test_the_reference(path):
    for name in imported(path) - PLAIN - {"superword"}:
        assert name not in NEVER, name
        if name.partition(".")[0] == "backports":
            assert path.stem == "decompress", "an optional package, for .zst alone"
        elif not name.startswith("superword.reference"):
            assert is_standard(name), name


def test_the_reference_has_no_cycles():
    stems = {path.stem: path for path in REFERENCE if path.stem != "__init__"}
    earlier = {
        stem: {name.split(".")[2] for name in imported(path) if name.count(".") >= 2} & set(stems)
        for stem, path in stems.items()
    }
    while earlier:
        free = {stem for stem, needs in earlier.items() if not needs & set(earlier)}
        assert free, f"a cycle among {sorted(earlier)}"
        earlier = {stem: needs for stem, needs in earlier.items() if stem not in free}


CLICK = (
    "cli",
    "command_input",
    "export_commands",
    "model_output",
    "options",
    "outcome",
    "parity_command",
)
# what is not there may not be missed: optional packages for types alone, or by name where asked for
OTHERS = {
    **{stem: {"click"} for stem in CLICK},
    "encoding": {"pyarrow"},
    "exported_ranks": {"tiktoken"},
    "exporting": {"tiktoken"},
    "importing": {"tiktoken"},
    "token_arrays": {"numpy", "numpy.typing"},
}
PUBLIC = sorted(p for p in PACKAGE.glob("*.py") if p.stem != "_backend")


@pytest.mark.parametrize("path", PUBLIC, ids=lambda p: p.stem)
def test_only_the_switch_names_the_backends(path):
    found = {n for n in imported(path) if n.startswith(("superword._core", "superword.reference"))}
    assert not found
    others = {n for n in imported(path) if not is_standard(n) and not n.startswith("superword")}
    assert others <= OTHERS.get(path.stem, set())


INTEGRATIONS = sorted((PACKAGE / "integrations").glob("*.py"))
# those over a library; all others need none
LIBRARIES = {stem: {"transformers"} for stem in ("encode_rows", "transformers", "vocabulary")}


@pytest.mark.parametrize("path", INTEGRATIONS, ids=lambda p: p.stem)
def test_integrations_stand_on_public_names(path):
    siblings = {f"superword.integrations.{other.stem}" for other in INTEGRATIONS}
    names = {n for n in imported(path) if n != "superword" and n not in siblings}
    public = {f"superword.{name}" for name in superword.__all__}
    others = {n for n in names - public if not is_standard(n)}
    assert {n.partition(".")[0] for n in others} <= LIBRARIES.get(path.stem, set())


EXPORT = sorted([*(PACKAGE / "export").glob("*.py"), *(PACKAGE / "foreign").glob("*.py")])


@pytest.mark.parametrize("path", EXPORT, ids=lambda p: p.stem)
def test_exports_are_plain(path):
    """Of the package only plain values, and what of the reference is the specification."""
    plain = PLAIN | {"superword", "superword.op", "superword.progress", "superword.values"}
    for name in imported(path) - plain:
        foreign = "superword.foreign" if path.parent.stem == "foreign" else "superword.export"
        known = name.startswith(("superword.export", "superword.reference", foreign))
        assert known or is_standard(name), name
        assert name not in NEVER, name


def test_errors_settings_and_model_stand_alone():
    for name in PLAIN:
        path = PACKAGE / (name.partition(".")[2] + ".py")
        for other in imported(path):
            assert is_standard(other) or other in PLAIN | {"superword.values"}, (
                f"{name} imports {other}"
            )


@pytest.mark.parametrize("path", sorted((ROOT / "tests/oracle").glob("*.py")), ids=lambda p: p.stem)
def test_the_oracles(path):
    for name in imported(path):
        assert is_standard(name) or name.startswith("oracle."), name
    assert len(path.read_text("utf-8").splitlines()) < 80


def test_the_core_crate_knows_no_python():
    manifest = tomllib.loads((ROOT / "rust/Cargo.toml").read_text("utf-8"))
    tables = [v for k, v in manifest.items() if k.endswith("dependencies")]
    assert not any("pyo3" in table or "numpy" in table for table in tables)
    for path in sorted((ROOT / "rust/src").glob("*.rs")):
        text = path.read_text("utf-8").partition("#[cfg(test)]")[0]
        for word in ("pyo3", "println!", "eprintln!", "dbg!", "SystemTime", "Instant", "rand::"):
            assert word not in text, f"{path.name}: {word}"


def test_the_binding_holds_no_other_crate():
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))
    assert set(manifest["dependencies"]) == {"pyo3", "superword"}
