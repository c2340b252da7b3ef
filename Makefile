# demo   install into .venv and run the main job on data that ships with scikit-learn; leaves a picture and a report in build/demo
# test   install the development extras into .venv and run all tests
# quick  install a small part of them, without PyTorch, and run the tests that answer at once: those without the mark `slow`
# lowest the quick tests with the lowest versions of what apexgp needs, in an environment of its own
# newest the same with the newest versions there are, pre-releases too
# coverage the tests, and which lines they run: a table, and build/coverage
# check  lint, format check and types, of what the README and the pages show too
# bench  speed, as ratios measured in one run; calibration and simulated collection on real curves (third-party data)
# paper  remake the tables and figures of Harvey et al. 2023 from their results: ../shared/data/tufts, or tufts/ in APEXGP_DATA
# study  every method a user might pick on real curves: tables, pictures, speed, failures (third-party data): make study EVERY=1 CURVES=60
# fuzz   hostile input to everything a person can reach: make fuzz N=10000 SEED=0
# sanitise compiled code under the sanitisers of gcc: its tests, 2,000 wild curves, absurd arguments
# faults kills, dead workers, two starts, full disks: make faults N=20 SEED=0, so many of each
# api    what schemathesis makes of /openapi.json, thrown at the server of the page
# docs   make the site: build/site/index.html; warnings are errors
# outputs remake what the documents show of the program: tables, pictures, pages of the command line
# dist   wheel and sdist, checked as an index would; the same every time
# wheels the wheel of `make dist` alone, in an empty environment of each Python on the path
# article our own paper, in article/: checked, and compiled into build/article (needs pandoc)
# sbom   what an installation consists of, as CycloneDX: build/sbom.json

PYTHON ?= python3
BIN := .venv/bin
TORCH := torch==2.13.0
UV := uv==0.13.7

SPHINX := -q -W --keep-going -n

N :=
SEED := 0

# The study: where its records are, one in how many curves, how many under each other design.
STUDY := study
FOLDS := $(STUDY)/folds.json
EVERY := 1
CURVES := 60

.PHONY: demo test quick lowest newest coverage check bench paper study fuzz sanitise faults api docs outputs dist wheels article sbom clean

demo: .venv/installed
	@mkdir -p build
	$(BIN)/apexgp demo --out build/demo --force

test: .venv/installed-dev
	$(BIN)/python -m pytest -n auto --dist worksteal

# What its extra does not bring is skipped; so are R, the browser and third-party data where they are missing.
quick: .venv/installed-test
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m "not slow"

# PyTorch is left out, whose old builds bring gigabytes along. What was new later than the others warns of them.
lowest:
	$(PYTHON) -m venv .venv/lowest
	.venv/lowest/bin/python -m pip install --quiet --disable-pip-version-check '$(UV)'
	.venv/lowest/bin/uv pip install --quiet --python .venv/lowest/bin/python --resolution lowest-direct \
	  -e '.[plot,pandas,web]' pytest==8.2.0 pytest-xdist==3.6.1 hypothesis==6.100.0 jsonschema==4.20.0
	.venv/lowest/bin/python -m pytest -q -m "not slow" -W ignore::DeprecationWarning

newest:
	$(PYTHON) -m venv .venv/newest
	.venv/newest/bin/python -m pip install --quiet --disable-pip-version-check '$(UV)'
	.venv/newest/bin/uv pip install --quiet --python .venv/newest/bin/python --prerelease allow --upgrade \
	  -e '.[plot,pandas,web]' pytest pytest-xdist hypothesis jsonschema
	.venv/newest/bin/python -m pytest -q -m "not slow"

coverage: .venv/installed-dev
	$(BIN)/python -m pytest -n auto --dist worksteal --cov --cov-report=term:skip-covered --cov-report=html --cov-report=markdown:build/coverage.md

check: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python docs/check_types.py

bench: .venv/installed-dev
	$(BIN)/python benchmarks/map_speed.py
	$(BIN)/python benchmarks/start_up.py
	$(BIN)/python benchmarks/bayes_speed.py
	$(BIN)/python benchmarks/seed_scatter.py
	$(BIN)/python benchmarks/many_sizes.py
	$(BIN)/python benchmarks/calibration.py --draws 7 1 101
	$(BIN)/python benchmarks/calibration.py --designs --methods default published --of new_splits expected same_splits
	$(BIN)/python benchmarks/told.py
	$(BIN)/python benchmarks/few_sizes.py
	$(BIN)/python benchmarks/levels.py
	$(BIN)/python benchmarks/losses.py --draws 7 1 101
	$(BIN)/python benchmarks/plateaus.py
	$(BIN)/python benchmarks/odd_pilots.py
	$(BIN)/python benchmarks/calibration.py --tasks paper
	$(BIN)/python benchmarks/collect_speed.py
	$(BIN)/python benchmarks/default_classifier.py
	$(BIN)/python benchmarks/answers_speed.py
	$(BIN)/python benchmarks/embed_speed.py
	$(BIN)/python benchmarks/collection.py --every 6
	$(BIN)/python benchmarks/required_sizes.py
	$(BIN)/python benchmarks/comparison.py
	$(BIN)/python benchmarks/design.py
	$(BIN)/python benchmarks/web_load.py
	$(BIN)/python benchmarks/redrawn_prior.py

paper: .venv/installed
	PYTHONPATH=papers $(BIN)/python -m harvey2023

study: .venv/installed-dev $(FOLDS)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[study]'
	PYTHONPATH=benchmarks $(BIN)/python -m study run --out $(STUDY) --folds $(FOLDS) --every $(EVERY) --curves $(CURVES)
	PYTHONPATH=benchmarks $(BIN)/python -m study tables --out $(STUDY)
	PYTHONPATH=benchmarks $(BIN)/python -m study picture --out $(STUDY) --to $(STUDY)/reliability.png
	PYTHONPATH=benchmarks $(BIN)/python -m study failures --out $(STUDY) --folds $(FOLDS) --to $(STUDY)/failures.png
	PYTHONPATH=benchmarks $(BIN)/python -m study speed
	$(BIN)/python benchmarks/batch.py

# Priors fitted without the tasks they are judged on.
$(FOLDS): | .venv/installed-dev
	mkdir -p $(@D)
	$(BIN)/python benchmarks/calibrate.py --cv --out $@

fuzz: .venv/installed-dev
	PYTHONPATH=tests $(BIN)/python -m fuzz $(N) --seed $(SEED)

sanitise: .venv/installed-dev
	PYTHONPATH=tests $(BIN)/python -m sanitised

faults: .venv/installed-dev
	PYTHONPATH=tests $(BIN)/python -m faults $(N) --seed $(SEED)

api: .venv/installed-dev
	PYTHONPATH=tests $(BIN)/python -m serving

docs: .venv/installed-docs
	@# What a failed run has read would not be warned of again.
	$(BIN)/python -m sphinx $(SPHINX) -c docs . build/site || { rm -rf build/site/.doctrees; exit 1; }
	@echo "Open build/site/index.html"

outputs: .venv/installed-dev
	$(BIN)/python docs/make.py

dist: .venv/installed-dev
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/python -m twine check --strict dist/*

wheels: dist
	$(BIN)/python release/try_wheel.py dist/*.whl

article: .venv/installed-dev
	$(BIN)/python article/article.py

# In an environment of its own: what is listed is the wheel with what it needs, and nothing of the tools.
sbom: dist
	rm -rf build/sbom
	$(PYTHON) -m venv --without-pip build/sbom
	$(BIN)/python -m pip --python build/sbom/bin/python install --quiet --disable-pip-version-check dist/*.whl
	$(BIN)/python -m cyclonedx_py environment --output-reproducible --pyproject pyproject.toml --mc-type library \
	  --output-format JSON --output-file build/sbom.json build/sbom/bin/python

clean:
	rm -rf .venv build dist

# An editable install, so that only a changed pyproject.toml asks for another.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' || { \
	  echo "apexgp needs Python 3.11 to 3.14, $(PYTHON) is $$($(PYTHON) --version). Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv .venv

.venv/installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[plot,web]'
	@touch $@

# Compiled to bytecode as it is imported: most of SciPy and pandas never is.
.venv/installed-test: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -e '.[test]'
	@touch $@ .venv/installed

.venv/installed-docs: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	@touch $@ .venv/installed

# PyTorch first, and its build for the CPU: whatever depends on it would bring gigabytes of CUDA along.
.venv/installed-dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check '$(TORCH)'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ .venv/installed .venv/installed-test .venv/installed-docs
