# The project's commands. `make` alone lists them; the first one used makes .venv.
# Another interpreter: make PYTHON=python3.12 test

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
SEED := 1
COUNT := 20000
FAMILY :=
FILES :=
SAMPLE := 0
CLANG := clang-22
INSTALLED := $(VENV)/installed-$(notdir $(PYTHON))

.DEFAULT_GOAL := help
.PHONY: help demo test test-fast sweep test-topi check bench bench-gpu docs site native fuzz fuzz-auto fuzz-upstream fuzz-rewritten fuzz-texts mutants clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(INSTALLED) ## compile and run a few kernels, and show what happens
	@$(PY) -m kc.demo

test: $(INSTALLED) ## run all tests: lit and pytest, on all cores
	@$(PY) scripts/run_tests.py

test-fast: $(INSTALLED) ## run lit and the unit tests, in about a minute
	@$(PY) scripts/run_tests.py --fast

test-topi: $(INSTALLED) ## run every case of every operator of kc.topi, natively too
	$(PY) -m pytest -q -n auto -m "sweep or not sweep" --hypothesis-profile=sweep test/topi

check: $(INSTALLED) ## lint, format, types, layers, names, freshness of the docs
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) scripts/check_layers.py
	$(PY) scripts/check_packages.py
	$(PY) scripts/check_names.py
	$(PY) -m pyright --pythonpath $(PY)
	$(PY) -m kc.tools.kc_docs --check

sweep: $(INSTALLED) ## run what `make test` has a part of, whole: half an hour
	$(PY) -m pytest -q -n auto -m "sweep or not sweep" --hypothesis-profile=sweep

bench: $(INSTALLED) ## run every benchmark, one after another
	@for file in benchmarks/*.py; do echo "== $$file"; $(PY) "$$file" || exit 1; done

bench-gpu: $(INSTALLED) ## measure kernels on the GPU of this machine, beside torch where it is installed
	$(PY) benchmarks/gpu.py --require

docs: $(INSTALLED) ## write the generated part of docs/ anew
	$(PY) -m kc.tools.kc_docs

site: $(INSTALLED) ## build the site from docs, lessons and docstrings: out/site/html/index.html
	$(PY) scripts/make_site.py

native: $(INSTALLED) ## compile the C sources in kc/support to the LLVM IR beside them: CLANG=clang-22
	$(PY) scripts/make_native.py $(CLANG)

fuzz: $(INSTALLED) ## run many random programs: SEED=1 COUNT=20000 FAMILY=hostile; failures go to out/fuzz/
	$(PY) test/fuzz/fuzzing.py --seed=$(SEED) --count=$(COUNT) $(if $(FAMILY),--family=$(FAMILY))

fuzz-auto: $(INSTALLED) ## choose schedules for many random programs, and check them: SEED=1 COUNT=3000
	$(PY) test/fuzz/auto_schedules.py --seed=$(SEED) --count=$(COUNT)

fuzz-upstream: $(INSTALLED) ## compare random text of upstream's dialects with MLIR's own lowering: SEED=1 COUNT=1000
	$(PY) test/fuzz/upstream_lowering.py $(SEED) $(COUNT)

fuzz-rewritten: $(INSTALLED) ## read and run random text rewritten by passes of mlir-opt: SEED=1 COUNT=500
	$(PY) test/fuzz/rewritten_texts.py $(SEED) $(COUNT)

fuzz-texts: $(INSTALLED) ## read, lower and build mutants of texts, none of which may fail: SEED=1 COUNT=1000
	$(PY) test/fuzz/mutated_texts.py $(SEED) $(COUNT)

mutants: $(INSTALLED) ## break changed files in small ways, and list what no test notices: FILES=... SAMPLE=N
	$(PY) scripts/mutants.py $(FILES) --sample=$(SAMPLE)

clean: ## remove what these targets made, except .venv
	rm -rf build dist out *.egg-info .pytest_cache .ruff_cache .hypothesis
	find . -name .venv -prune -o -type d -name __pycache__ -exec rm -rf {} +

# A .venv that another Python made is made anew; otherwise a changed pyproject.toml updates it.
$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "kc needs Python 3.11 or newer; $(PYTHON) is: $$($(PYTHON) --version 2>&1 | head -n 1). Try: make PYTHON=python3.12" >&2; \
	  exit 1; }
	@version='import sys; print(sys.version)'; \
	  [ "$$($(PY) -c "$$version" 2>/dev/null)" = "$$($(PYTHON) -c "$$version")" ] || \
	  { echo "$(PYTHON) -m venv $(VENV)"; $(PYTHON) -m venv --clear $(VENV); }
	$(PY) -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@
