# The one list of commands: README and CI use only these. `make` alone lists them.
PYTHON ?= python3
CARGO ?= cargo
VENV ?= .venv
BENCH_VENV ?= target/bench/venv
# large shared material beside the repository, where there is any
SHARED := $(or $(SUPERWORD_SHARED),$(wildcard ../shared))

PY := $(VENV)/bin/python
# as many processes as there are cores; what shares something costly goes to one of them
PYTEST := $(PY) -m pytest -n auto --dist loadgroup
SUPERWORD := $(VENV)/bin/superword
DEMO_CORPUS := $(wildcard examples/corpus/*.jsonl)
RUST_FILES := $(shell find src rust/src -name '*.rs') Cargo.toml Cargo.lock rust/Cargo.toml
EXTENSION := $(wildcard python/superword/_core*.so)
# pyo3's build script asks this interpreter, never whichever is first in PATH
export PYO3_PYTHON := $(abspath $(PY))

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup build demo test test-rust test-python test-golden parity mutants bench bench-rust exactness \
	bench-scan bench-cliffs bench-document bench-patterns bench-export bench-compare bench-encode instructions lint \
	format wheel readme clean FORCE

help:  ## list the commands
	@sed -n 's/^\([a-z-]*\):.*  ## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

setup: $(VENV)/.ready  ## make the virtual environment with every tool (once)

$(VENV)/.ready: pyproject.toml tools/requirements.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PY) tools/requirements.py dev > $(VENV)/requirements.txt
	$(PY) -m pip install --quiet --disable-pip-version-check -r $(VENV)/requirements.txt
	@touch $@

build: $(VENV)/.built  ## compile the extension into the virtual environment

$(VENV)/.built: $(VENV)/.ready $(RUST_FILES) $(if $(EXTENSION),,FORCE)
	@command -v $(CARGO) >/dev/null || \
		{ echo "a Rust toolchain (1.88 or newer) with cargo is needed"; exit 1; }
	@echo "compiling the extension (a minute or two the first time)"
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation \
		--config-settings=build-args=--locked --editable .
	@touch $@

demo: build  ## train BPE and BoundlessBPE on real text, show superwords and token counts
	$(PY) tools/demo.py

test: build  ## every test, both backends; fails without the extension
	$(CARGO) test --locked
	$(PYTEST)

test-rust: build  ## the core's own tests, then the suite on the compiled backend alone
	$(CARGO) test --locked
	$(PYTEST) --backend=rust

test-python: setup  ## the suite on the pure-Python backend alone; needs no Rust
	PYTHONPATH=python $(PYTEST) --backend=python

test-golden: build  ## all 199 published models by both backends (the reference takes many minutes)
	$(PYTEST) --long tests/golden

transformers-tests: build  ## transformers' own tests of tokenizers on our class (pip fetches them)
	$(PY) tools/transformers_tests.py

parity: build  ## train and encode the demo corpus with both backends, compare to the byte
	@mkdir -p target/parity
	$(SUPERWORD) train $(DEMO_CORPUS) --algorithm boundless --vocab-size 4096 \
		-o target/parity/boundless.superword
	$(SUPERWORD) parity target/parity/boundless.superword $(DEMO_CORPUS)

mutants: build  ## break the code in small ways; the suite must notice every one
	$(PY) tools/mutants.py

bench: build  ## CPU seconds of each stage in both backends, on the demo corpus
	$(PY) benches/stages.py

bench-rust:  ## the time of each stage of the Rust core, with its spread (ARGS=train: only such names)
	$(CARGO) bench --locked -p superword -- $(ARGS)

bench-scan:  ## the scanners beside each other on a corpus (ARGS=corpus.jsonl)
	$(CARGO) bench --locked -p superword --bench scan -- $(abspath $(ARGS))

instructions: setup  ## instructions of each Rust stage beside the recorded ones (ARGS=--update: record)
	$(PY) benches/instructions.py $(ARGS)

bench-cliffs: build  ## how training and encoding grow with texts that are hard in some way (ARGS=--help)
	PYTHONPATH=benches $(PY) benches/cliffs.py $(ARGS)

bench-document: build  ## document BPE: full scan, Python and Rust beside each other (ARGS=--quick)
	SUPERWORD_SHARED=$(SHARED) $(PY) benches/document.py $(ARGS)

bench-patterns: build  ## how fast other engines cut by our patterns (ARGS=corpus.jsonl)
	$(PY) benches/export_patterns.py $(ARGS)

bench-export: build  ## superwords in tokenizers: exactness, size, speed (ARGS=corpus.jsonl, --model M)
	$(PY) benches/export_runs.py $(ARGS)

exactness: build  ## the table of docs/export.md: which exports give the same ids where (ARGS=--help)
	PYTHONPATH=tests/export $(PY) benches/exactness.py $(ARGS)

bench-compare: build $(BENCH_VENV)/.ready  ## superword beside other trainers (ARGS=--help: options)
	PYTHONPATH=python:benches SUPERWORD_SHARED=$(SHARED) $(BENCH_VENV)/bin/python -m compare $(ARGS)

bench-encode: build $(BENCH_VENV)/.ready  ## superword beside other encoders (ARGS=--help: options)
	PYTHONPATH=python:benches SUPERWORD_SHARED=$(SHARED) $(BENCH_VENV)/bin/python -m compare.encode $(ARGS)

# One that cannot be installed is listed in the table with that reason, and the others are measured
$(BENCH_VENV)/.ready: pyproject.toml tools/requirements.py
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python tools/requirements.py bench > $(BENCH_VENV)/requirements.txt
	while read -r name; do \
		$(BENCH_VENV)/bin/python -m pip install --quiet --disable-pip-version-check "$$name" \
			|| echo "cannot be installed: $$name"; \
	done < $(BENCH_VENV)/requirements.txt
	@touch $@

lint: build  ## ruff, mypy with stubtest, rustfmt, clippy, the Unicode tables, the list of mutants
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(PY) -m mypy
	$(PY) -m mypy.stubtest superword._core --mypy-config-file pyproject.toml
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets --bench scan --bench instructions -- -D warnings
	$(PY) tools/gen_unicode.py --check
	$(PY) tools/mutants.py --check

format:  ## format both languages
	$(PY) -m ruff check --fix
	$(PY) -m ruff format
	$(CARGO) fmt --all

wheel: setup  ## build the wheel into target/wheels
	rm -rf target/wheels
	$(PY) -m maturin build --release --locked --quiet --out target/wheels

readme: wheel  ## run README's code from the wheel in a fresh environment
	$(PYTHON) tools/run_readme.py --wheels target/wheels --corpus examples/corpus

clean:  ## remove what the commands made
	rm -rf $(VENV) target demo-out dist python/superword/_core*.so
	find python tests tools -name __pycache__ -prune -exec rm -rf {} +
