# Holds every command of the project. `make eval` and `make test` need Python 3.10 or newer and nothing else:
# both set up .venv/ by themselves, once. Another Python: make test PYTHON=python3.13 (after `make clean`).

PYTHON ?= python3
EXAMPLE := examples/tea
FUZZ_COUNT ?= 1000000
COUNT ?= 1000
SEED ?= 1
BENCH ?= --huge
PYTHONS ?=
TESTS ?=
WHEEL ?=
WORKERS ?= 4

VENV := .venv
BIN := $(VENV)/bin
KERNEL := CMakeLists.txt native/kernel.cmake $(filter-out native/fuzz/%,$(wildcard native/*/*.*)) build_backend/carob_build.py build_backend/compiler.py \
  build_backend/tools.txt build_backend/zig.txt
PACKAGE := $(shell find src -type f -not -path '*/__pycache__/*')
# Python compiles what it imports; to compile all of PyTorch and SciPy beforehand takes minutes.
PIP := $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: help eval test all-but-long checks test-all pages quick check fix fuzz fuzz-python fuzz-files sanitize mutants mutants-match mutants-types plants forms bench clean peers pythons cpus arm site

help:
	@echo "make eval                    set up, and score the bundled example"
	@echo "make test                    set up, and run all checks but the long tests, which CI runs as well"
	@echo "make test-all                every test, those that take minutes too; TESTS= names some files"
	@echo "make pages                   run every command and example of the documentation"
	@echo "make quick                   the tests of each part that are done in a minute: rules, laws, measures, each face"
	@echo "make check | fix             linter and types only | what the linter can repair"
	@echo "make fuzz | sanitize         $(FUZZ_COUNT) mutated inputs through the kernel, plain | with ASan and UBSan"
	@echo "make fuzz-python             $(COUNT) mutated dicts, compressed runs and names of measures through carob"
	@echo "make mutants                 break each formula a little; some test must notice"
	@echo "make mutants-match           change the code of match, ties and policy by mutmut; some test must notice (half an hour)"
	@echo "make mutants-types           the same of 300 mutants of samples, evidence, tables of scores, estimates and results; SEED= draws others"
	@echo "make fuzz-files              $(COUNT) mutated pickles, Parquet and Arrow files each, in processes of their own"
	@echo "make plants                  plant a fault in the kernel, one at a time; the fuzz target must find each"
	@echo "make forms                   5,000 random queries as arrays, in every form and library, against dicts"
	@echo "make peers                   install the libraries that carob's profiles are held to, for make test"
	@echo "make site                    build the documentation into build/site; a broken link fails"
	@echo "make bench                   time carob beside its peers"
	@echo "make pythons                 build and score on every Python at hand, with a compiler and without one"
	@echo "make cpus                    run the tests as other CPUs would round"
	@echo "make arm                     build the kernel for 64-bit ARM, and run its tests under QEMU"
	@echo "make clean                   remove all that the above made"

eval: $(VENV)/installed
	$(BIN)/carob eval $(EXAMPLE)/qrels.txt $(EXAMPLE)/runs/*.run

PYTEST = $(BIN)/pytest --numprocesses auto --maxprocesses $(WORKERS) --dist loadfile

# All run whatever the others say. The checks keep one core busy, and the tests wait now and then, so these run side by
# side; what the checks print comes last.
test: $(VENV)/installed $(VENV)/test-tools
	@mkdir -p build; status=0; \
	$(MAKE) --no-print-directory --keep-going --jobs=2 all-but-long checks || status=1; \
	cat build/checks.log; \
	exit $$status

all-but-long:
	unset MAKEFLAGS; $(PYTEST) -m "not long"

checks:
	@$(MAKE) --no-print-directory --keep-going check fuzz-python >build/checks.log 2>&1

# All pages, of which `make test` runs a few.
pages: $(VENV)/installed $(VENV)/test-tools
	$(PYTEST) tests/test_docs.py

# Beside what `make peers` installed, this is what CI ends with.
test-all: $(VENV)/installed $(VENV)/test-tools
	CAROB_TESTS=all $(PYTEST) $(TESTS)

# What most changes break, and no library that takes seconds to import; the laws are tried on a tenth of the lists.
QUICK := house laws measures lists comparison planning selection several_collections diagnosis/test_checking.py \
  diagnosis/test_finding.py diagnosis/test_inputs.py diagnosis/test_lenient.py diagnosis/test_mismatch.py \
  diagnosis/test_qrels.py diagnosis/test_run.py diagnosis/test_text.py \
  compat cli/test_check.py cli/test_eval.py \
  evaluation/test_answers.py cli/test_cli.py evaluation/test_curves.py conventions evaluation/test_evaluate.py \
  inputs/test_frames.py testing/test_gate.py output/test_language.py cli/test_main.py native \
  matching/test_ranking.py evaluation/test_recommending.py testing/test_record.py evaluation/test_scores.py \
  tensors/test_evaluator.py matching/test_axes.py testing/test_baseline.py testing/test_gate_result.py testing/test_verify.py \
  evaluation/test_inputs.py evaluation/test_read_record.py estimation/test_effects.py \
  $(addprefix statistics/test_,$(addsuffix .py,collections mean_ranks sample_size selection signed_ranks variance_components))

quick: $(VENV)/installed $(VENV)/test-tools
	CAROB_TESTS=quick $(PYTEST) --quiet $(addprefix tests/,$(QUICK))

check: $(VENV)/installed $(VENV)/test-tools
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	@if $(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then echo mypy; $(BIN)/mypy; \
	  else echo "mypy is left out: NumPy 2.2, the last release for Python 3.10, declares no shapes"; fi

fix: $(VENV)/test-tools
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# Of a checkout whose wheel is there, as in CI, WHEEL= names it: nothing is compiled twice.
# Not editable: the hook of an editable install costs each start some 20 ms, and tests should meet what users get.
$(VENV)/installed: pyproject.toml README.md $(KERNEL) $(PACKAGE) $(VENV)/build-tools
	@echo "[3/3] Compiling the kernel, and installing carob with NumPy and SciPy (half a minute or more the first time)"
	@unset MAKEFLAGS; $(BIN)/python build_backend/install.py $(WHEEL)
	@touch $@

# Held to their hashes: what compiles the kernel is what was tried.
$(VENV)/build-tools: build_backend/compiler.py build_backend/tools.txt build_backend/zig.txt | $(VENV)/bin/pip
	@echo "[2/3] Fetching what builds it: CMake, Ninja, nanobind, scikit-build-core"
	@$(PIP) --require-hashes $$($(BIN)/python build_backend/compiler.py requirements)
	@touch $@

# carob itself is already there, so these add only what the extra names.
$(VENV)/test-tools: pyproject.toml | $(VENV)/installed
	$(PIP) "carob[test]"
	@touch $@

$(VENV)/site-tools: pyproject.toml | $(VENV)/test-tools
	$(PIP) "carob[site]"
	@touch $@

$(VENV)/bench-peers: pyproject.toml | $(VENV)/installed
	$(PIP) "carob[bench]"
	@touch $@

# After the tools of the tests: two pips in one environment at once, as with make -j, spoil it.
$(VENV)/peers: pyproject.toml | $(VENV)/test-tools
	$(PIP) "carob[peers]"
	@$(BIN)/python build_backend/vega.py
	@touch $(VENV)/installed $@

$(VENV)/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "carob needs Python 3.10 or newer as '$(PYTHON)': say which one, as in 'make test PYTHON=python3.12'."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "$$($(PYTHON) -V) has no 'venv' module: install it ('apt install python3-venv' on Debian and Ubuntu) and try again."; exit 1; }
	@echo "[1/3] Making an environment in $(VENV)/"
	@$(PYTHON) -m venv --without-pip $(VENV)
	@$(BIN)/python build_backend/environment.py

# The fuzz target is a plain C++ program: sanitizers look at the kernel alone, without Python's own allocations.
# Under make --jobs Ninja would look for make's job server, which only a recipe that calls make itself hands on.
FUZZ = unset MAKEFLAGS; $(BIN)/cmake -S native/fuzz -B build/$(1) -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo $(2) \
  $$($(BIN)/python build_backend/compiler.py arguments build/zig) >build/$(1).log && \
  $(BIN)/cmake --build build/$(1) >>build/$(1).log || { cat build/$(1).log; exit 1; }

build/fuzz/carob-fuzz: $(VENV)/build-tools $(KERNEL) $(wildcard native/fuzz/*.*)
	@mkdir -p build
	$(call FUZZ,fuzz,-DCAROB_SANITIZE=OFF)

build/sanitize/carob-fuzz: $(VENV)/build-tools $(KERNEL) $(wildcard native/fuzz/*.*)
	@$(BIN)/python build_backend/compiler.py present || \
	  { echo "The sanitizers need GCC or Clang on the PATH: Zig's compiler has no AddressSanitizer."; exit 1; }
	@mkdir -p build
	$(call FUZZ,sanitize,-DCAROB_SANITIZE=ON)

fuzz: build/fuzz/carob-fuzz
	cd $(<D) && ./$(<F) --count $(FUZZ_COUNT) --seed $(SEED)

sanitize: build/sanitize/carob-fuzz
	cd $(<D) && ./$(<F) --count $(FUZZ_COUNT) --seed $(SEED)

fuzz-python: $(VENV)/installed $(VENV)/test-tools
	$(BIN)/python tests/fuzz.py --count $(COUNT) --seed $(SEED)

fuzz-files: $(VENV)/installed $(VENV)/test-tools
	PYTHONPATH=tests $(BIN)/python tests/hostile/mutated.py --count $(COUNT) --seed $(SEED)

mutants: $(VENV)/installed $(VENV)/test-tools
	$(BIN)/python tests/mutants.py

mutants-match: $(VENV)/installed $(VENV)/test-tools
	$(PIP) "carob[mutants]"
	nice $(BIN)/python tests/mutate.py match

mutants-types: $(VENV)/installed $(VENV)/test-tools
	$(PIP) "carob[mutants]"
	nice $(BIN)/python tests/mutate.py types --seed $(SEED)

plants: $(VENV)/build-tools
	$(BIN)/python tests/plants.py

forms: $(VENV)/installed $(VENV)/test-tools
	BATCHES=50 $(BIN)/pytest tests/tensors/test_batch.py

# The other libraries that tests compare carob with; their tests are skipped without them (three gigabytes: PyTorch, Spark …).
peers: $(VENV)/peers

bench: $(VENV)/installed $(VENV)/bench-peers
	$(BIN)/python -m bench $(BENCH)

# The pages are those of the repository, beside a reference from the docstrings.
site: $(VENV)/installed $(VENV)/site-tools
	$(BIN)/python docs/write_site.py

# All versions, or some: make pythons PYTHONS="3.12 3.13"; one kind: make pythons PYTHONS="--compiler without".
pythons:
	$(PYTHON) build_backend/pythons.py $(PYTHONS)

# As Haswell, Nehalem …, and with NumPy's plain loops; a part: make cpus TESTS=tests/comparison
cpus: $(VENV)/installed $(VENV)/test-tools
	$(BIN)/python tests/cpus.py $(TESTS)

# Debian's or Ubuntu's own Python, and qemu-user; a part: make arm TESTS=tests/lists
arm:
	$(PYTHON) build_backend/arm.py $(TESTS)

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
