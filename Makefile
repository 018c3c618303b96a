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

.PHONY: help demo test test-quick check test-all test-slow explore test-processors test-spark papers bench bare site clean python
.DEFAULT_GOAL := help

help:
	@echo "make demo       from a table of people in households to answers with a certificate"
	@echo "make test       check, and the quick tests; SUITE=ci for all that .ci/run has"
	@echo "make check      lint, format, types, floors of the house"
	@echo "make test-all   every test there is: the slow ones, Spark's where Java is there, then those of .ci/run; an hour"
	@echo "make test-slow  the tests that take minutes"
	@echo "make explore    new random examples, for SECONDS=600, of tests whose names have K="
	@echo "make test-processors  the specs of docs and examples print the same on an old processor"
	@echo "make test-spark  the tests that need Spark, in an environment of its own; Java must be there"
	@echo "make papers     the figures and numbers of the papers, in build/papers: some minutes; with public data, if DALENIUS_DATA has them"
	@echo "make bench      the benchmarks"
	@echo "make site       the documentation as a site, in build/site: it needs no server"
	@echo "make bare       install without extras in an empty environment and audit one example"
	@echo "make clean      remove the environment and all caches"

demo: .venv
	PATH="$(CURDIR)/$(BIN):$$PATH" bash examples/outbreak/demo.sh

# Types are checked while the tests run: that is one process, and it ends first.
test: .venv
	@$(MAKE) --no-print-directory -j2 check test-quick

SUITE ?= quick
test-quick: .venv
	$(PYTEST) -m "not slow$(if $(filter ci,$(SUITE)),, and not lengthy)"

check: .venv
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

# Every night, and before a release. The tests come last that say how many there were.
test-all: .venv
	@if command -v java >/dev/null; then $(MAKE) --no-print-directory test-spark; \
	else echo "warning: no Java: the tests that need Spark are skipped" >&2; fi
	@$(MAKE) --no-print-directory test-slow
	@$(MAKE) --no-print-directory test SUITE=ci

test-slow: .venv
	$(PYTEST) -m "slow or installed"

# Round after round of all tests with random examples, in another order each; what fails before the time is up ends it.
SECONDS ?= 600
K ?=
explore: .venv
	@end=$$(($$(date +%s) + $(SECONDS))); \
	while now=$$(date +%s); [ $$now -lt $$end ]; do \
		state=0; \
		EXPLORE=$$now timeout -s INT -k 60 $$((end - now)) $(PYTEST) -q -x -m hypothesis -k "$(K)" || state=$$?; \
		if [ $$state -ne 0 ] && [ $$(date +%s) -lt $$end ]; then exit $$state; fi; \
	done; echo "nothing found in $(SECONDS) seconds"

test-processors: .venv
	$(BIN)/python -m pytest -n 2 -m "slow or not slow" tests/processors

# Spark leaves its warehouse and its metastore where it is started, and takes the free addresses of the machine.
test-spark: .venv-spark/.installed
	@command -v java >/dev/null || { echo "No java found. Spark needs Java 17 or newer." >&2; exit 1; }
	@set -e; room=$$(mktemp -d); trap 'rm -rf "$$room"' EXIT; \
	export SPARK_LOCAL_IP=127.0.0.1 SPARK_LOCAL_DIRS="$$room" PYSPARK_PYTHON="$(CURDIR)/.venv-spark/bin/python"; \
	export PYSPARK_SUBMIT_ARGS="--conf spark.ui.enabled=false --conf spark.sql.warehouse.dir=$$room/warehouse \
	--driver-java-options -Dderby.system.home=$$room pyspark-shell"; \
	.venv-spark/bin/python -m pytest -m spark $$(grep -rl --include='test_*.py' 'pytest.mark.spark' tests)

papers: .venv
	$(BIN)/python -m papers

bench: .venv-bench/.installed
	.venv-bench/bin/python -m benchmarks

bare: python
	@set -e; room=$$(mktemp -d); trap 'rm -rf "$$room"' EXIT; \
	$(PYTHON) -m venv "$$room"; \
	"$$room/bin/python" -m $(PIP) install -q -c constraints.txt .; \
	"$$room/bin/dalenius" audit examples/pair.toml --json

# mkdocs says that its successor differs; what is built here says nothing of that.
site: .venv-site/.installed
	NO_MKDOCS_2_WARNING=1 .venv-site/bin/mkdocs build --quiet

clean:
	rm -rf .venv .venv-bench .venv-spark .venv-site build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests benchmarks papers examples -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: .venv
.venv: .venv/.installed

.venv/.installed: pyproject.toml constraints.txt | python
	$(PYTHON) -m venv .venv
	$(BIN)/python -m $(PIP) install -q -c constraints.txt -e '.[dev]'
	@touch $@

# What the benchmarks stand beside (qif, diffprivlib) is in an environment of its own.
.venv-bench/.installed: pyproject.toml constraints.txt | python
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m $(PIP) install -q -c constraints.txt -e '.[bench,server,accounting,postgres]'
	.venv-bench/bin/python -m $(PIP) install -q diffprivlib==0.6.6 'scikit-learn<1.8' # the last that diffprivlib takes
	@touch $@

# It reads the sources, and imports nothing of the package.
.venv-site/.installed: pyproject.toml constraints.txt | python
	$(PYTHON) -m venv .venv-site
	.venv-site/bin/python -m $(PIP) install -q -c constraints.txt $$(sed -n '/^site = \[/,/^\]/s/^ *"\(.*\)",.*/\1/p' pyproject.toml)
	@touch $@

# Nor does Spark, a third of a gigabyte, belong into the one of development.
.venv-spark/.installed: pyproject.toml constraints.txt | python
	$(PYTHON) -m venv .venv-spark
	.venv-spark/bin/python -m $(PIP) install -q -c constraints.txt -e '.[spark,postgres]' pytest hypothesis mpmath pandas polars
	@touch $@

python:
	@command -v $(PYTHON) >/dev/null || { echo "No $(PYTHON) found. Dalenius needs Python 3.11 or newer: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Dalenius needs Python 3.11 or newer, $(PYTHON) is " + sys.version.split()[0] + ". Name another: make PYTHON=/path/to/python3")'
