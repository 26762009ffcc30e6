# `make demo` and `make test` do their whole set-up in .venv; nothing else needs to be installed but Python.
# `make core-test` tests the core alone, in an environment of its own without torch: PYTHON=python3.13 make core-test.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
CORE_VENV ?= .venv-core-$(VERSION)
# The versions noted for this Python (locks/make.py); for a Python without such a file, whatever is newest.
LOCK := $(wildcard locks/dev-py$(VERSION).txt)
INSTALL := -m pip install --quiet $(addprefix --constraint ,$(LOCK)) --editable

.PHONY: demo test lint types imports pytest core-test reports lock clean

demo: $(VENV)/.installed
	$(BIN)/goldproof demo
	@echo "The command goldproof is in $(BIN): source $(BIN)/activate"

test: lint types imports pytest

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-dev
	$(BIN)/mypy

imports: $(VENV)/.installed-dev
	$(BIN)/lint-imports

pytest: $(VENV)/.installed-dev
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadgroup -m "not slow"

core-test: $(CORE_VENV)/.installed
	OMP_NUM_THREADS=1 $(CORE_VENV)/bin/python -m pytest -n 2 --dist loadgroup -m "not slow"

# The shipped reports anew, from the answers that were kept beside them; no model, corpus or GPU.
reports: $(VENV)/.installed-dev
	$(BIN)/python docs/make_reports.py

lock:
	$(PYTHON) locks/make.py

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml $(LOCK) | $(VENV)/bin/python
	@echo "Installing Goldproof and what its models need (torch, transformers) in $(VENV): some minutes the first time"
	$(BIN)/python $(INSTALL) ".[models]"
	touch $@

$(VENV)/.installed-dev: pyproject.toml $(LOCK) | $(VENV)/bin/python
	@echo "Installing Goldproof and what its tests need in $(VENV): some minutes the first time"
	$(BIN)/python $(INSTALL) ".[dev]"
	touch $@ $(VENV)/.installed

$(CORE_VENV)/.installed: pyproject.toml $(LOCK)
	@echo "Installing the core of Goldproof and what its tests need in $(CORE_VENV)"
	$(PYTHON) -m venv $(CORE_VENV)
	$(CORE_VENV)/bin/python $(INSTALL) ".[test]"
	touch $@

clean:
	rm -rf $(VENV) .venv-core-* .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
