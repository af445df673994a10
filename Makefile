# The commands of a contributor; `make help` lists them. Each one installs the
# packages that it needs (dev/setup), so there is no step before it.

PREFIX  ?= /usr/local
DESTDIR ?=
# Seconds for each target of `make fuzz`.
SECONDS_EACH ?= 60

all: build

help:
	@echo 'make            build the program, build/stet'
	@echo 'make run        build it and show what it does'
	@echo 'make test       build, unit tests, golden cases and transcripts: a'
	@echo '                minute or two, for between two edits'
	@echo 'make check      all tests, sanitizers and checks'
	@echo 'make install    into PREFIX ($(PREFIX)), beneath DESTDIR'
	@echo 'make format     lay out the sources'
	@echo 'make lint       layout, layers, sizes, clang-tidy, shellcheck, eslint'
	@echo 'make asan       the tests under ASan and UBSan'
	@echo 'make tsan       the tests under TSan'
	@echo 'make valgrind   the tests under valgrind'
	@echo 'make no_landlock the tests as on a kernel without Landlock'
	@echo 'make coverage   how much of src/ the tests reach: build-coverage'
	@echo 'make fuzz       fuzz each target for SECONDS_EACH ($(SECONDS_EACH))'
	@echo 'make attack     the attacks of tests/attack, races of SECONDS_EACH'
	@echo 'make bench      measure it beside its peers; QUICK=1: a short run,'
	@echo '                PUBLISH=1: put the figures into the documents'
	@echo 'make bench-check is any operation dearer? UPDATE=1: store what it costs'
	@echo 'make sbom       what is linked, as SPDX: build/stet.spdx.json'
	@echo 'make clean      remove what was built'

build:
	@dev/setup
	@dev/configure build
	@dev/build build stet

run: build
	@build/stet demo

test:
	@dev/setup test
	@dev/check quick

check:
	@dev/setup check
	@dev/check

lint:
	@dev/setup check
	@dev/check lint

asan tsan valgrind no_landlock:
	@dev/setup check
	@dev/check $@

coverage:
	@dev/setup check
	@dev/coverage

fuzz:
	@dev/setup check
	@dev/fuzz $(SECONDS_EACH)

attack: build
	@dev/setup check
	@dev/attack $(SECONDS_EACH)

bench: build
	@dev/setup bench
	@bench/run $(if $(QUICK),--quick) $(if $(PUBLISH),--publish)

bench-check: build
	@dev/setup check
	@bench/check $(if $(UPDATE),--update)

sbom: build
	@dev/sbom build >build/stet.spdx.json

format:
	@dev/setup check
	@find src tests bench -name node_modules -prune -o -name '*.[ch]' -print \
		2>/dev/null | xargs -r clang-format -i

install: build
	@DESTDIR='$(DESTDIR)' dev/install '$(PREFIX)'

clean:
	rm -rf build build-asan build-tsan build-coverage build-fuzz build-results

.PHONY: all help build run test check lint asan tsan valgrind no_landlock \
	coverage fuzz attack bench bench-check sbom format install clean
