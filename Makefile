# Everything runs in a virtual environment of its own, made on first use from locked versions.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OLDEST := .venv-oldest
PEERS := .venv-peers
OLDEST_PYTHON ?= $(or $(shell command -v python3.11),$(PYTHON))
OUT ?= runs/bot
SAMPLE ?= 200
PLAIN := $(addprefix tests/,games playthroughs agents/test_agents.py agents/test_search.py testing/test_kit.py)

.PHONY: setup train test test-slow coverage mutants check check-full check-oldest check-wheel lint
.PHONY: bench bench-guard bench-peers bench-commits docs demo leaderboard ladder notebooks release clean

setup: $(VENV)/.ready

$(VENV)/.ready: requirements.lock pyproject.toml
$(OLDEST)/.ready: requirements-oldest.txt pyproject.toml
$(PEERS)/.ready: requirements-peers.txt pyproject.toml
$(OLDEST)/.ready: PYTHON := $(OLDEST_PYTHON)

# torch comes first, by its exact version, so that nothing later pulls another build of it.
INSTALL = $(@D)/bin/python -m pip install --quiet --disable-pip-version-check
$(VENV)/.ready $(OLDEST)/.ready $(PEERS)/.ready:
	@$(PYTHON) -c 'import sys; sys.exit("celtica-env needs Python 3.11 or newer, this is " + sys.version) if sys.version_info < (3, 11) else 0'
	@echo "setup 1 of 4: the virtual environment $(@D), with $$($(PYTHON) --version)"
	@test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	@echo "setup 2 of 4: $$(grep '^torch==' $<), the largest download"
	@$(INSTALL) $$(grep '^torch==' $<)
	@echo "setup 3 of 4: the $$(grep -c '==' $<) packages of $<, some minutes"
	@$(INSTALL) -r $<
	@echo "setup 4 of 4: celtica-env itself, from this folder"
	@$(INSTALL) --no-deps -e .
	@touch $@
	@echo "set up: $(@D)/bin/celtica --help lists the commands"

# The main job: a Celtica bot in about ten minutes, and its strength with intervals.
train: setup
	$(BIN)/celtica train --out $(OUT)
	@echo "the command is $(BIN)/celtica; what else it does: docs/quickstart.md, docs/training.md"

# The quick tests. What takes over 3 s of processor time is named, what takes over 9 s fails; the last
# line says what is left out.
test: setup
	$(BIN)/python -m tests.warm
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow" --budget 3

# What takes seconds: whole training runs, notebooks, children that compile.
test-slow: setup
	$(BIN)/python -m pytest -n 2 --dist worksteal -m slow

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# Lines and branches that the quick tests run: once as they are, then the rules and what else is
# compiled, in plain Python.
coverage: setup
	$(BIN)/python -m coverage erase
	$(BIN)/python -m tests.warm
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow" --cov --cov-report=
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow" --cov \
		--cov-append --cov-report= $(PLAIN)
	$(BIN)/python -m coverage report --skip-covered

# How many of some small edits of the rules and the core the tests notice. Takes hours.
mutants: setup
	$(BIN)/python -m tests.planted.mutants --sample $(SAMPLE)

check: lint test

# Everything, in its long versions: ten thousand games beside the plain-Python twin, and what else
# takes minutes.
check-full: lint
	CELTICA_CHECK=full $(BIN)/python -m pytest -n 2 --dist load

# What depends on other packages, with the oldest versions of them that pyproject.toml allows; make
# test has the newest. On Linux the default build of that torch brings gigabytes of GPU libraries.
check-oldest: $(OLDEST)/.ready
	$(OLDEST)/bin/python -m pytest -n 2 --dist loadfile celtica_env $(addprefix tests/,agents core games train wrappers)

# The wheel and the sdist, built and used from another folder; what other versions of Python and of the
# packages do is tried by release/try_wheel.py --record, and shown in docs/support.md.
check-wheel: setup
	$(BIN)/python release/try_wheel.py

bench: setup
	$(BIN)/celtica bench

# The core beside a reference loop in the same process; fails when it has become slower than stored.
bench-guard: setup
	$(BIN)/python benchmarks/commits/ratios.py

# The same ratios over commits: bench-commits COMMITS=v0.1.0..main, or one commit as main^!
COMMITS ?= HEAD^!
bench-commits: setup
	$(BIN)/asv --config benchmarks/asv.conf.json machine --yes
	$(BIN)/asv --config benchmarks/asv.conf.json run $(COMMITS)
	$(BIN)/asv --config benchmarks/asv.conf.json show HEAD

# Other libraries beside this package, in one run; then `make docs` enters the results.
bench-peers: $(PEERS)/.ready
	$(PEERS)/bin/python benchmarks/peers.py

# Write the generated parts of the documents anew, then the site. A test fails when a part is out of
# date, or when the site cannot be built without a warning.
docs: setup
	$(BIN)/python docs/generate.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build

# The reference pools with their agents' hashes as they are, more games of each pool with itself for so
# many minutes of processor time, and LEADERBOARD.md. What was played is kept; the command goes on.
MINUTES ?= 0
leaderboard: setup
	$(BIN)/python docs/leaderboard.py --minutes $(MINUTES)

# The ladder and the tables of budgets; goes on where it was stopped.
ladder: setup
	$(BIN)/python docs/ladder.py $(if $(filter-out 0,$(MINUTES)),--minutes $(MINUTES))

# A page that plays the games, with no server behind it: a folder to put anywhere, or to open from here.
DEMO ?= build/demo
demo: setup
	$(BIN)/python docs/demo/build.py $(DEMO)
	@echo "open $(DEMO)/index.html; on the first visit the browser loads some 9 MB of Python"

# A release: checked, built, committed and tagged here, published by pushing the tag.
release: setup
	$(BIN)/python release/cut.py $(VERSION)

# Run the notebooks and write them back with what they show.
notebooks: setup
	$(BIN)/python docs/notebooks.py

clean:
	rm -rf $(VENV) $(OLDEST) $(PEERS) build dist site .asv *.egg-info .pytest_cache .ruff_cache .mypy_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
