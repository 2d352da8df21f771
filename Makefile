# Everything runs in a virtual environment of its own, made on first use from locked versions.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
OUT ?= runs/ppo

.PHONY: setup train test check check-full lint bench docs clean

setup: $(READY)

# torch comes first, by its exact version, so that nothing later pulls another build of it.
$(READY): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("celtica-env needs Python 3.11 or newer, this is " + sys.version) if sys.version_info < (3, 11) else 0'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $$(grep '^torch==' requirements.lock)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	touch $(READY)

# The main job: a Celtica bot in about ten minutes, and its strength with intervals.
train: setup
	$(BIN)/celtica train --out $(OUT)

test: setup
	$(BIN)/python -m pytest -n 2 --dist loadfile

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

check: lint test

# The long versions: ten thousand games beside the plain-Python twin, and what else takes minutes.
check-full: lint
	CELTICA_CHECK=full $(BIN)/python -m pytest -n 2 --dist load

bench: setup
	$(BIN)/celtica bench

# Write the generated parts of the documents anew; a test fails when they are out of date.
docs: setup
	$(BIN)/python docs/generate.py

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache .mypy_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
