# `make serve` and `make test` do all the set-up on a machine with Python 3.11+ and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=
URL ?= http://127.0.0.1:7860

.PHONY: serve install smoke test gates conformance check lint types bench docs lock release-check clean

serve: $(VENV)/serve.stamp
	$(BIN)/paperdesk serve $(ARGS)

# The environment without serving from it, for a service that systemd starts.
install: $(VENV)/serve.stamp

# All that clients rely on, asked of a running service: make smoke URL=http://127.0.0.1:7860
smoke: $(VENV)/serve.stamp
	deploy/smoke.sh $(URL) $(ARGS)

test: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -n auto --dist loadscope $(ARGS)

# Slow checks of the whole: README on a fresh clone, the page in a browser, the protocol's own suite and clients, random
# requests, planted secrets, slow peers. tests/gates/install.sh installs what they need.
gates: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -m gate -n 2 --dist loadscope tests/gates $(ARGS)

# The protocol's own suite against every endpoint, on both revisions.
conformance: $(VENV)/dev.stamp
	PYTHON=$(abspath $(BIN)/python) tests/gates/install.sh node conformance
	$(BIN)/python -m pytest -m gate tests/gates/test_conformance.py $(ARGS)

check: test lint types

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/dev.stamp
	$(BIN)/mypy

bench: $(VENV)/dev.stamp
	$(BIN)/python -m benchmarks.search_quality
	$(BIN)/python -m benchmarks.scale 10000 100000
	$(BIN)/python -m benchmarks.load --short
	$(BIN)/python -m benchmarks.limits
	$(BIN)/python -m benchmarks.evidence 5000 50000

# The tables in README, the registry files and the example of an environment file are made from the code.
docs: $(VENV)/dev.stamp
	$(BIN)/python -m server.reference README.md deploy

# New versions are taken in deliberately: this rewrites the locks from pyproject.toml.
lock: $(VENV)/dev.stamp
	$(BIN)/python deploy/locks.py --upgrade

# Whether the commit that is checked out may be released: make release-check TAG=paperdesk-1.2.3
release-check: $(VENV)/dev.stamp
	$(BIN)/python deploy/release_check.py $(TAG)

clean:
	rm -rf $(VENV)

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "paperdesk needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)

# Installed editable and without dependencies: those come from the lock, checked by hash.
$(VENV)/serve.stamp: requirements.lock pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@

$(VENV)/dev.stamp: requirements-dev.lock pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@ $(VENV)/serve.stamp
