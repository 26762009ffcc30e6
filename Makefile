# `make demo` and `make test` do their whole set-up in .venv; nothing else needs to be installed but Python.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test lint types imports pytest clean

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

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	@echo "Installing Goldproof and what it needs (torch, transformers, …) in $(VENV): some minutes the first time"
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/bin/python
	@echo "Installing Goldproof and what its tests need in $(VENV): some minutes the first time"
	$(BIN)/python -m pip install --quiet --editable ".[dev,logic,ray]"
	touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
