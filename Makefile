# Everything a clean clone needs: Python 3.11 or newer, git, make, and a package index that pip can reach.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
DEMO   := $(VENV)/demo.sqlite
ARGS   ?=

.PHONY: demo test docs check clean

demo: $(VENV)/.installed ## Import the bundled example sessions into a fresh database and restore one of them.
	@rm -f $(DEMO) $(DEMO)-wal $(DEMO)-shm $(DEMO).lock $(DEMO).search
	@echo '$$ rehydrate import examples/sessions'
	@REHYDRATE_DATABASE_URL=$(DEMO) $(BIN)/rehydrate import examples/sessions
	@echo
	@echo '$$ rehydrate sessions --all'
	@REHYDRATE_DATABASE_URL=$(DEMO) $(BIN)/rehydrate sessions --all
	@echo
	@echo '$$ rehydrate resume 3bc801a3'
	@REHYDRATE_DATABASE_URL=$(DEMO) $(BIN)/rehydrate resume 3bc801a3

test: $(VENV)/.tests ## Run the test suite; ARGS go to pytest: make test ARGS="-k resume".
	$(BIN)/python -m pytest $(ARGS)

docs: $(VENV)/.tests ## Write the command reference anew from the program.
	$(BIN)/python -m tests.structure.command_reference

check: ## All that continuous integration runs.
	bash .ci/run

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[web,tui]'
	@touch $@

$(VENV)/.tests: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.installed

clean: ## Remove what make made.
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
