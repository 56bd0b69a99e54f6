# Everything starts from a fresh clone with Python 3.11 or newer and make.
# `make run` serves, `make test` tests, `make check` does all that CI does.

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
RUN_REQUIREMENTS := requirements.txt
DEV_REQUIREMENTS := requirements.txt requirements-dev.txt
COMPILE := $(BIN)/pip-compile --quiet --strip-extras --no-emit-index-url --no-emit-find-links --no-emit-trusted-host

.PHONY: help run test check lint types fmt bench chaos requirements migrations messages install install-dev clean
.DEFAULT_GOAL := help

help: ## says what there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

run: install ## serves on HOST:PORT (127.0.0.1:8000)
	$(BIN)/python manage.py serve

test: install-dev ## the whole suite; names what it skips
	$(BIN)/python -m tests.run

check: install-dev lint types ## format, lint, types, import contracts, migrations, deployment check, tests
	$(BIN)/python manage.py makemigrations --check --dry-run
	PUBLIC_URL=https://chat.example.org SECRET_KEY=$$($(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(50))') \
		$(BIN)/python manage.py check --deploy --fail-level WARNING
	$(BIN)/python -m tests.run

lint: install-dev ## format and lint, without changing anything
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/djade --check $$(git ls-files 'templates/*.html')
	$(BIN)/lint-imports

types: install-dev ## mypy, strict
	$(BIN)/mypy

fmt: install-dev ## formats the code and fixes what can be fixed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	-$(BIN)/djade $$(git ls-files 'templates/*.html')

bench: install-dev ## measures speed beside its goals (ARGS="streaming pages --on sqlite --repeat 3")
	$(BIN)/python -m benchmarks $(ARGS)

chaos: install-dev ## kills processes under random users, then checks the invariants (SEED, KILLS, DURATION, PACE, PEOPLE, ON)
	$(BIN)/python -m benchmarks.chaos

migrations: install-dev ## writes the migrations that the models need
	$(BIN)/python manage.py makemigrations

messages: install ## collects the texts for translation and compiles the catalogues; needs gettext
	$(BIN)/python manage.py makemessages --all --no-obsolete --no-wrap --add-location file \
		--ignore $(VENV) --ignore var --ignore tests --ignore benchmarks --ignore test-results
	$(BIN)/python manage.py compilemessages --ignore $(VENV)

requirements: install-dev ## compiles requirements*.in anew, with the newest versions
	$(COMPILE) --upgrade --output-file=requirements.txt requirements.in
	$(COMPILE) --upgrade --output-file=requirements-dev.txt requirements-dev.in

# Installs only when the content of the requirements changed, whatever their dates.
install: $(BIN)/python
	@cat $(RUN_REQUIREMENTS) | cmp -s - $(VENV)/run.installed || { \
		echo "Installing $(RUN_REQUIREMENTS)"; \
		$(PIP) install -r requirements.txt && cat $(RUN_REQUIREMENTS) > $(VENV)/run.installed; }

install-dev: install
	@cat $(DEV_REQUIREMENTS) | cmp -s - $(VENV)/dev.installed || { \
		echo "Installing $(DEV_REQUIREMENTS)"; \
		$(PIP) install -r requirements.txt -r requirements-dev.txt && cat $(DEV_REQUIREMENTS) > $(VENV)/dev.installed; }

$(BIN)/python:
	@for candidate in $(PYTHON) python3 python3.13 python3.12 python3.11 python; do \
		if $$candidate -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			exec $$candidate -m venv $(VENV); \
		fi; \
	done; \
	echo "Python 3.11 or newer is needed (PYTHON=/path/to/python names one)"; exit 1

clean: ## removes what was built; the data in var/ stays
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache var/static test-results
