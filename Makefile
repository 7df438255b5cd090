# Two commands: `make demo` and `make test`. Both set up what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOWEST := .venv-lowest
STAMP := $(VENV)/.installed

export PYTHONHASHSEED := 0
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: help demo test assure bench lint types contracts pytest mutants figures lowest chromium clean

help:
	@echo "make demo    plan a study, run 100,000 simulated devices, fit, plot (writes demo/)"
	@echo "make test    lint, types, import contracts, tests (under 10 minutes on 2 cores)"
	@echo "make assure  what needs more: browser, faults, long statistical runs, lowest versions"
	@echo "make mutants wrong versions of the code that protects people: the tests must notice each"
	@echo "make bench   timing, as ratios against peers in the same run"

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

demo: $(STAMP)
	$(BIN)/tacit demo --out demo

test: lint types contracts pytest

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

contracts: $(STAMP)
	$(BIN)/lint-imports

pytest: $(STAMP)
	$(BIN)/pytest -n 2

assure: $(STAMP) lowest chromium
	$(BIN)/python -m pip install --quiet --editable '.[dev,assure]'
	TACIT_ASSURE=1 $(BIN)/pytest -n 2 -m assure

chromium:
	scripts/install-chromium

lowest:
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --upgrade pip
	$(LOWEST)/bin/python -m pip install --quiet -r requirements-lowest.txt --editable '.[dev]'
	$(LOWEST)/bin/pytest -n 2

mutants: $(STAMP)
	$(BIN)/python -m pip install --quiet --editable '.[dev,assure]'
	$(BIN)/python -u -m tests.mutants

bench: $(STAMP)
	$(BIN)/python -m benchmarks

figures: $(STAMP)
	TACIT_DATA="$${TACIT_DATA:-../shared/data}" $(BIN)/python -m evidence

clean:
	rm -rf $(VENV) $(LOWEST) demo .mypy_cache .ruff_cache .pytest_cache
