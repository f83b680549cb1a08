# Short forms of the commands in README.md and CONTRIBUTING.md; what CI runs, word for word.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: help setup demo test test-all lint docs docs-check docs-check-all docs-refresh reproduction bench bench-compare clean

help:      ## list the targets
	@grep -hE '^[a-z-]+: .*##|^[a-z-]+:  *##' $(MAKEFILE_LIST) | sed 's/: .*## /:\t/' | column -t -s "$$(printf '\t')"

setup: $(BIN)/scorecast ## make .venv with everything
$(BIN)/scorecast: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install -q -c constraints.txt -e '.[all,test]'
	@touch $@

demo: setup ## run the main job on the data that ship with the package
	$(BIN)/scorecast demo --force

test: setup ## run the test suite
	$(BIN)/python -m pytest -q -n 2

test-all: setup ## run the test suite and the slow statistical checks
	$(BIN)/python -m pytest -q -n 2 -m "" --timeout=1800

lint: setup ## check style, types and layers
	$(BIN)/ruff check src tests benchmarks tools
	$(BIN)/ruff format --check src tests benchmarks tools
	$(BIN)/mypy
	$(BIN)/lint-imports
	sh tools/check_text.sh

docs: setup ## build the documentation into docs/_build; a warning is an error
	$(BIN)/pip install -q -c constraints.txt -e '.[docs]'
	$(BIN)/sphinx-build -q -W -b html docs docs/_build/html

docs-check: setup ## run what README and guide show, and compare what is printed
	$(BIN)/python tools/check_docs.py

docs-check-all: setup ## the same with what takes minutes or data that do not ship
	$(BIN)/python tools/check_docs.py --all

docs-refresh: setup ## put what is printed into README and guide
	$(BIN)/python tools/check_docs.py --all --write

reproduction: setup ## compute published numbers again, and write the page of what came out
	$(BIN)/python tools/write_reproduction.py

bench: setup ## measure every speed with nothing beside it, and keep the tables
	$(BIN)/python benchmarks/all.py --write

bench-compare: setup ## measure them again, next to what was kept
	$(BIN)/python benchmarks/all.py --compare

clean:     ## remove what was built
	rm -rf .venv .venv-core dist docs/_build .pytest_cache .mypy_cache .ruff_cache
