PYTHON ?= python3
BIN := .venv/bin
PIP := pip --disable-pip-version-check
PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal --durations=10

# The tests run the command two hundred times: it should not be compiled anew each time.
unexport PYTHONDONTWRITEBYTECODE
# There are as many workers as processors: threads of BLAS would wait for each other.
export OPENBLAS_NUM_THREADS ?= 1

ifeq ($(origin DALENIUS_DATA),undefined)
ifneq ($(wildcard ../shared/data/.),)
export DALENIUS_DATA := $(CURDIR)/../shared/data
endif
endif

.PHONY: help demo test check test-slow test-processors bench bare clean python
.DEFAULT_GOAL := help

help:
	@echo "make demo       from a table of people in households to answers with a certificate"
	@echo "make test       check, then every test but the slow ones"
	@echo "make check      lint, format, types, floors of the house"
	@echo "make test-slow  the tests that take minutes"
	@echo "make test-processors  the specs of docs and examples print the same on an old processor"
	@echo "make bench      the benchmarks"
	@echo "make bare       install without extras in an empty environment and audit one example"
	@echo "make clean      remove the environment and all caches"

demo: .venv
	PATH="$(CURDIR)/$(BIN):$$PATH" bash examples/outbreak/demo.sh

test: check
	$(PYTEST)

check: .venv
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

test-slow: .venv
	$(PYTEST) -m "slow or installed"

test-processors: .venv
	$(BIN)/python -m pytest -n 2 -m "slow or not slow" tests/processors

bench: .venv-bench/.installed
	.venv-bench/bin/python -m benchmarks

bare: python
	@set -e; room=$$(mktemp -d); trap 'rm -rf "$$room"' EXIT; \
	$(PYTHON) -m venv "$$room"; \
	"$$room/bin/python" -m $(PIP) install -q -c constraints.txt .; \
	"$$room/bin/dalenius" audit examples/pair.toml --json

clean:
	rm -rf .venv .venv-bench build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: .venv
.venv: .venv/.installed

.venv/.installed: pyproject.toml constraints.txt | python
	$(PYTHON) -m venv .venv
	$(BIN)/python -m $(PIP) install -q -c constraints.txt -e '.[dev]'
	@touch $@

# What the benchmarks stand beside (qif) is in an environment of its own.
.venv-bench/.installed: pyproject.toml constraints.txt | python
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m $(PIP) install -q -c constraints.txt -e '.[bench]'
	@touch $@

python:
	@command -v $(PYTHON) >/dev/null || { echo "No $(PYTHON) found. Dalenius needs Python 3.11 or newer: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Dalenius needs Python 3.11 or newer, $(PYTHON) is " + sys.version.split()[0] + ". Name another: make PYTHON=/path/to/python3")'
