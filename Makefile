# The front door. Each target first installs what is missing (Debian packages); CMake does the work underneath.
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

.DEFAULT_GOAL := build
.PHONY: help setup build demo test test-all bench format format-check install clean

help: ## says what there is
	@echo "make [target]"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-13s %s\n", $$1, $$2 }' Makefile

setup: ## installs the Debian packages that are missing
	@scripts/setup

build: setup ## builds the library and the command line into build/release (the default)
	@cmake --preset release --log-level=WARNING
	@cmake --build build/release -j $(JOBS)

demo: build ## simulates a scene and says what to open
	@mkdir -p out
	build/release/sinew run scenes/hanging-rods.json -o out/hanging-rods.pvd --report out/report.json
	@echo
	@echo "Done. Open out/hanging-rods.pvd in ParaView; out/report.json says what it cost."

test: setup ## formatting, then gcc, clang and sanitizer builds with all tests
	@scripts/test release clang asan

test-all: setup ## the same, and the thread sanitizer and the one-lane build
	@scripts/test release clang asan tsan scalar

bench: build ## measures
	build/release/sinew bench

format: setup ## formats all C files
	@scripts/format

format-check: setup ## says which C files are not formatted
	@scripts/format --check

install: build ## installs into PREFIX (/usr/local), below DESTDIR if given
	DESTDIR=$(DESTDIR) cmake --install build/release --prefix $(PREFIX)

clean: ## removes what was built
	rm -rf build out
