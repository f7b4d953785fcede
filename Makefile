# trueup. `make help` lists what can be asked for; `make V=1` shows the commands.
#
# Settings: BUILD (folder for everything made), CC (gcc or clang), CFLAGS, LDFLAGS, WERROR=1 (a warning fails),
# PREFIX, DESTDIR. To do less: UNIT="tests/unit/test_x.c ..." and E2E="tests/e2e/test_x.py ..." narrow the tests, and
# `make unit FOLDERS=base UNIT=tests/unit/test_arena.c` builds what one unit test needs and runs it.

BUILD ?= build
VENV ?= $(BUILD)/venv
PREFIX ?= /usr/local
CFLAGS ?= -O2 -g
ifeq ($(origin CC),default)
CC = gcc
endif

# As many jobs as processors where nobody said how many; a make started by this one shares its jobs.
ifeq ($(MAKELEVEL)$(findstring -j,$(MAKEFLAGS)),0)
MAKEFLAGS += --jobs=$(shell nproc 2>/dev/null || echo 2)
endif
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.SECONDARY:
.DEFAULT_GOAL := all
Q := $(if $(V),,@)

# A new file in one of these folders needs no line here.
FOLDERS ?= base reconcile specs state providers/net providers/aws providers/aws/kinds providers/aws/shapes \
	providers/metal providers/sim cli
sources := $(sort $(wildcard $(addsuffix /*.c,$(FOLDERS))))
unit_support := $(sort $(wildcard tests/unit/support*.c))
UNIT ?= $(sort $(wildcard tests/unit/test_*.c))
# Programs that end-to-end tests run, one a file.
test_tools := $(sort $(wildcard tests/tools/*.c))
simulate_sources := $(sort $(wildcard tests/simulate/*.c))
E2E ?= tests/e2e --rows sample

object = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
library_objects := $(call object,$(filter-out cli/main.c,$(sources)))
all_objects := $(call object,$(sources) $(unit_support) $(UNIT) $(test_tools) $(simulate_sources))
unit_programs := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(UNIT))
tool_programs := $(patsubst tests/tools/%.c,$(BUILD)/tests/%,$(test_tools))

warnings := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes -Wmissing-prototypes \
	-Wvla -Wformat=2 -Wundef -Wcast-qual -Wwrite-strings -Wpointer-arith -Wnull-dereference -Wswitch-enum \
	$(if $(filter 1,$(WERROR)),-Werror)
branch_protection_x86_64 := -fcf-protection=full
branch_protection_aarch64 := -mbranch-protection=standard
hardening := -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fstack-protector-strong -fstack-clash-protection \
	$(branch_protection_$(shell uname -m))
# The sanitizers see what they should only without the fortified copies of libc's functions.
sanitizers := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
protection = $(if $(filter 1,$(SANITIZE)),$(sanitizers),$(hardening))

# Asked when first used, not when this file is read: the packages may be installed in between.
packages := yaml-0.1 libcurl sqlite3 openssl libpcre2-8 jansson expat
package_flags = $(eval package_flags := $$(shell pkg-config --cflags $(packages)))$(package_flags)
# libcurl is loaded when it is needed: see providers/net/libcurl.h.
package_libraries = $(eval package_libraries := \
	$$(filter-out -lcurl,$$(shell pkg-config --libs $(packages))) -lm -ldl)$(package_libraries)

compile_flags = -std=gnu17 -iquote . $(warnings) $(CFLAGS) -fPIE $(protection) $(package_flags) $(CPPFLAGS)
link_flags = $(CFLAGS) -pie -Wl,-z,relro,-z,now $(protection) $(LDFLAGS)

.PHONY: all
all: $(BUILD)/trueup ## build the program (the default)

.PHONY: demo
demo: $(BUILD)/trueup ## run the main job on the built-in simulator, each step shown and checked
	$(Q)bash tools/demo.sh $(BUILD)/trueup

.PHONY: test
test: $(VENV)/ready $(BUILD)/trueup $(unit_programs) $(tool_programs) $(BUILD)/tests/simulate ## run the unit and end-to-end tests
	$(Q)$(tell_tests) VENV=$(VENV) bash tests/run.sh $(BUILD)/test-results '$(E2E)' $(unit_programs)

.PHONY: thorough
thorough: $(VENV)/ready $(BUILD)/trueup $(tool_programs) $(BUILD)/tests/simulate ## run the rows of the end-to-end tests that `make test` leaves out
	$(Q)$(tell_tests) VENV=$(VENV) bash tests/run.sh $(BUILD)/test-results/thorough 'tests/e2e --rows others'

# Each runs all of what the tests above run a sample of; the figures are in the report of the captured output.
in_full := kill faults contest
.PHONY: $(in_full)
kill: ## kill the program (-9) at every request and at 300 moments, against moto, and while it recovers
faults: ## let every allocation and every call of SQLite fail in turn, in a plan and in applies
contest: ## let two processes contend for one stack over 1,000 rounds, the holder killed in half of them
$(in_full): $(BUILD)/trueup $(tool_programs) dependencies-test $(VENV)/ready
	$(Q)$(tell_tests) IN_FULL=1 $(VENV)/bin/python -m pytest -n $(or $(TEST_WORKERS),2) --quiet -rP \
		-o cache_dir='$(abspath $(BUILD))/test-results/pytest-cache' tests/e2e/test_$@.py

.PHONY: unit
unit: $(unit_programs) ## run the unit tests alone
	$(Q)bash tests/unit/run.sh $(BUILD)/test-results/unit $(unit_programs)

.PHONY: asan
asan: ## build with the address and undefined-behaviour sanitizers, run the unit tests there
	+$(Q)$(MAKE) --no-print-directory BUILD=$(BUILD)/asan SANITIZE=1 WERROR= CFLAGS="-O1 -g" all unit

.PHONY: valgrind
valgrind: $(unit_programs) dependencies-valgrind ## run the unit tests under valgrind's memory checker
	$(Q)WRAPPER="valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,possible" \
		bash tests/unit/run.sh $(BUILD)/test-results/valgrind $(unit_programs)

# What a seed gives back the next one takes: it is not handed to the kernel in between (mimalloc's settings).
kept_memory = MIMALLOC_RESERVE_OS_MEMORY=512MiB MIMALLOC_ALLOW_DECOMMIT=0

.PHONY: simulate
simulate: $(BUILD)/tests/simulate ## run the program under SEEDS=1000 seeds from FIRST=1 on, for SECONDS= at most, with mishaps of all kinds, many at once with STORM=1, only long ones with LONG=1
	$(Q)$(kept_memory) $(BUILD)/tests/simulate --first $(or $(FIRST),1) --count $(or $(SEEDS),1000) --seconds $(or $(SECONDS),0) \
		$(if $(STORM),--storm) $(if $(LONG),--long) --report $(BUILD)/simulate-report.txt

.PHONY: simulate-mutants
simulate-mutants: $(BUILD)/tests/simulate ## break the program on purpose in each way, and see that the simulation tells
	$(Q)$(BUILD)/tests/simulate --long --mutant all --count $(or $(SEEDS),10000)

recovery := reconcile/recover.c reconcile/recover_resend.c reconcile/refresh_match.c reconcile/unfinished_agreed.c \
	reconcile/unfinished_moved.c reconcile/unfinished_outputs.c reconcile/unfinished_shows.c reconcile/unfinished.c \
	reconcile/unfinished_note.c reconcile/unfinished_take.c cli/recovery.c cli/strays.c cli/twins.c cli/unfinished.c
.PHONY: simulate-coverage
simulate-coverage: ## tell which branches of recovery no seed of SEEDS=2000 takes
	+$(Q)$(MAKE) --no-print-directory BUILD=$(BUILD)/coverage WERROR= COVERAGE=1 $(BUILD)/coverage/tests/simulate
	$(Q)find $(BUILD)/coverage -name '*.gcda' -delete
	$(Q)$(BUILD)/coverage/tests/simulate --long --first $(or $(FIRST),1) --count $(or $(SEEDS),2000) || true
	$(Q)bash tests/simulate/coverage.sh $(BUILD)/coverage $(recovery)

.PHONY: lint
lint: dependencies-lint ## formatting, lengths, headers alone, warnings, layers, clang-tidy, cppcheck
	+$(Q)BUILD=$(BUILD) MAKE="$(MAKE)" bash tools/lint.sh $(STAGES)

.PHONY: layers
layers: $(BUILD)/trueup ## check that no file includes or calls a higher or sibling floor
	$(Q)bash tools/layers.sh . $(BUILD)/obj

.PHONY: bench
bench: $(BUILD)/trueup $(BUILD)/tests/yaml_events $(BUILD)/tests/measure $(BUILD)/tests/apply_cost dependencies-bench ## measure validate, plan and apply at 1,000, 10,000 and 100,000 resources
	$(Q)BUILD=$(BUILD) python3 tools/bench.py $(BUILD)/trueup
	$(Q)python3 tools/bench_apply.py $(BUILD)/tests/apply_cost

.PHONY: format
format: dependencies-lint ## format every C file in place
	$(Q)clang-format -i $(wildcard $(foreach folder,$(FOLDERS) tests/unit tests/tools tests/simulate,$(folder)/*.[ch]))

# The README, and what it refers to.
documents := LICENSE README.md CONTRIBUTING.md $(wildcard docs/*.md examples/*/*.yaml)

.PHONY: install
install: $(BUILD)/trueup ## install under $(DESTDIR)$(PREFIX)
	$(Q)install -D -m 0755 $(BUILD)/trueup "$(DESTDIR)$(PREFIX)/bin/trueup"
	$(Q)for file in $(documents); do \
		install -D -m 0644 $$file "$(DESTDIR)$(PREFIX)/share/doc/trueup/$$file" || exit 1; done

.PHONY: clean
clean: ## remove everything that was built, but not the Python test dependencies
	$(Q)[ ! -d $(BUILD) ] || find $(BUILD) -mindepth 1 -maxdepth 1 ! -name venv -exec rm -rf {} +

.PHONY: help
help: ## list these targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1|\2/p' $(firstword $(MAKEFILE_LIST)) | \
		while IFS='|' read -r target text; do printf '  make %-18s %s\n' "$$target" "$$text"; done

# What the end-to-end tests are told: the program, the build folder and the settings make was given.
tell_tests = TRUEUP_BINARY='$(abspath $(BUILD)/trueup)' TRUEUP_BUILD='$(abspath $(BUILD))' \
	TRUEUP_MAKE_SETTINGS='$(filter-out E2E=% UNIT=%,$(MAKEOVERRIDES))'

.PHONY: dependencies-build dependencies-test dependencies-lint dependencies-valgrind dependencies-bench
dependencies-build dependencies-test dependencies-lint dependencies-valgrind dependencies-bench:
	@bash tools/dependencies.sh $(patsubst dependencies-%,%,$@)
# One at a time: they share the package manager's lock.
dependencies-test dependencies-lint dependencies-valgrind dependencies-bench: | dependencies-build

$(VENV)/ready: tools/python-requirements.txt | dependencies-test
	@bash tools/python-environment.sh $(VENV) $<

# Holds what decides how things are made; rewritten only when that changes, and all that was made with it is made anew.
.PHONY: force
force:
$(BUILD)/compile-flags: force | dependencies-build
	@mkdir -p $(@D)
	@printf '%s\n' '$(CC) $(compile_flags) $(link_flags) $(package_libraries)' | cmp -s - $@ || \
		printf '%s\n' '$(CC) $(compile_flags) $(link_flags) $(package_libraries)' > $@
$(BUILD)/library-objects: force
	@mkdir -p $(@D)
	@printf '%s\n' '$(library_objects)' | cmp -s - $@ || printf '%s\n' '$(library_objects)' > $@

$(BUILD)/obj/%.o: %.c $(BUILD)/compile-flags
	@mkdir -p $(@D)
	$(if $(V),,@echo "  $(CC) $<")
	$(Q)$(CC) $(compile_flags) -MMD -MP -c -o $@ $<

$(BUILD)/libtrueup.a: $(library_objects) $(BUILD)/library-objects
	$(Q)rm -f $@ && $(AR) rcs $@ $(library_objects)

$(BUILD)/trueup: $(call object,cli/main.c) $(BUILD)/libtrueup.a
	$(Q)$(CC) $(link_flags) -o $@ $^ $(package_libraries)

# From an archive, each test takes what it uses: some of it uses all of the program, which is long to link.
$(BUILD)/unit-support.a: $(call object,$(unit_support))
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/unit/%: $(BUILD)/obj/tests/unit/%.o $(BUILD)/unit-support.a $(BUILD)/libtrueup.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(link_flags) -o $@ $^ -lcmocka $(package_libraries)
$(call object,$(unit_support) $(UNIT)): | dependencies-test

# As needed: a library that a small tool does not call would count as its memory.
$(BUILD)/tests/%: $(BUILD)/obj/tests/tools/%.o $(BUILD)/libtrueup.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(link_flags) $(tool_flags) -Wl,--as-needed -o $@ $^ $(package_libraries)
$(BUILD)/tests/apply_cost: private tool_flags = -Wl,--wrap=sim_http_execute

# Functions that tests/simulate/mutant.c breaks when asked to, and those that slip.c and copy.c have their own of.
mutated := aws_interpret aws_request_body recover_stray_origin refresh_match_tags recover_commit lease_beat \
	recover_all recover_can_resend loop_send intents_add aws_prepare aws_call_set \
	aws_note_created store_backup
# An allocator quicker than libc's saves a tenth of a seed's time. The sanitizers bring their own.
simulate_allocator = $(if $(filter 1,$(SANITIZE)),,-lmimalloc)
# Each library from its archive where there is one: half of the time is spent in them, and calls need no table then.
archive = $(filter /%,$(shell $(CC) -print-file-name=$(patsubst -l%,lib%.a,$(1))))
simulate_libraries = $(foreach flag,$(filter-out -lm -ldl,$(package_libraries)),$(or $(call archive,$(flag)),$(flag))) \
	-lm -ldl $(simulate_allocator)
$(BUILD)/tests/simulate: $(call object,$(simulate_sources)) $(BUILD)/libtrueup.a | dependencies-test
	@mkdir -p $(@D)
	$(Q)$(CC) $(link_flags) $(counting) $(mutated:%=-Wl,--wrap=%) -o $@ $^ $(simulate_libraries)
ifdef COVERAGE
# What is counted alone, or a seed takes twice the time.
$(call object,$(recovery)): private CFLAGS = -Og -g --coverage
$(BUILD)/tests/simulate: private counting = --coverage
endif

# For tools/lint.sh, which gives each of these a build folder of its own.
.PHONY: test-programs tidy headers
test-programs: $(unit_programs) $(tool_programs) $(BUILD)/tests/simulate

# An object is made anew when its source or a header of it changes, and then clang-tidy has something new to see.
tidy: $(patsubst $(BUILD)/obj/%.o,$(BUILD)/tidy/%.ok,$(all_objects))
# Of tests gcc alone follows all paths, and they run: a sixth of the time less.
tidy_checks = $(if $(filter tests/%,$*),--checks='-clang-analyzer-*')
$(BUILD)/tidy/%.ok: $(BUILD)/obj/%.o .clang-tidy
	@mkdir -p $(@D)
	@clang-tidy --quiet $(tidy_checks) $*.c -- -std=gnu17 -iquote . $(warnings) $(package_flags) 2>$@.log || { cat $@.log; exit 1; }
	@touch $@

headers_alone := $(patsubst %,$(BUILD)/%.ok,$(sort $(wildcard $(addsuffix /*.h,$(FOLDERS) tests/unit tests/simulate))))
headers: $(headers_alone)
$(BUILD)/%.h.ok: %.h $(BUILD)/compile-flags
	@mkdir -p $(@D)
	@for compiler in gcc clang; do printf '#include "%s"\ntypedef int alone;\n' $< | \
		$$compiler $(compile_flags) -fsyntax-only -MMD -MP -MF $@.d -MT $@ -x c - || exit 1; done
	@touch $@

-include $(all_objects:.o=.d) $(headers_alone:=.d)
