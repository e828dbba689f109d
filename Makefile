# The front door. Each target first installs what it needs and is missing (Debian packages); CMake does the work underneath.
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

space := $(subst ,, )

.DEFAULT_GOAL := build
.PHONY: help setup build demo view web sbom test test-all npm wheel blender platforms check abuse fuzz soak load bench bench-peers format format-check install clean

help: ## says what there is
	@echo "make [target]"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-13s %s\n", $$1, $$2 }' Makefile

setup: ## installs the Debian packages that are missing, for all targets
	@scripts/setup

build: ## builds the library and the command line into build/release (the default)
	@scripts/setup build
	@cmake --preset release --log-level=WARNING
	@cmake --build build/release -j $(JOBS) --target sinew-library sinew-cli

demo: build ## simulates octopuses, leaves an animation, a picture and a film in out/, and says how to look at them
	@scripts/setup film
	@mkdir -p out
	build/release/sinew run scenes/octopus-drop.json --seconds 4 --fps 24 --size 640x360 --samples 8 --report out/report.json \
	    -o out/octopus.glb -o out/octopus.mp4
	build/release/sinew run scenes/octopus-drop.json --seconds 4 --quiet --size 1280x720 --camera near -o out/octopus.png
	@echo
	@echo "Done. In out/:"
	@echo "  octopus.png   the heap; any picture viewer shows it"
	@echo "  octopus.mp4   how it came about; any player or browser plays it"
	@echo "  octopus.glb   the same as skinned meshes with an animation: File > Import > glTF in Blender, or drop it on a glTF"
	@echo "                viewer in a browser"
	@echo "  report.json   what the run cost"
	@echo "To touch them: make view (in a browser, with this machine's engine), or make web, then open out/playground.html"

view: web ## shows the scenes in a browser; SCENE=name chooses the first
	build/release/sinew view $(SCENE)

web: build ## builds the viewer's page, the engine as WebAssembly, and out/playground.html, which runs without a server
	@scripts/setup web
	@scripts/web

sbom: build ## writes what the command line and the page are made of to out/sinew.spdx
	@mkdir -p out
	@scripts/sbom >out/sinew.spdx
	@echo "wrote out/sinew.spdx"

test: setup ## formatting, then all tests with gcc, those of bits with clang, and those of code with sanitizers, those of worlds with assertions
	@scripts/test release clang-short asan-short validate-short

test-all: setup ## all tests with gcc, clang, the sanitizers of addresses and of threads, and kernels of one lane
	@scripts/test release clang asan tsan scalar validate
	@scripts/reproducible
	@scripts/platforms
	@scripts/npm
	@scripts/setup python3-venv python3-pip
	@scripts/wheel
	@scripts/setup blender xvfb xauth
	@scripts/blender
	@scripts/setup clang-tidy valgrind
	@scripts/analyse

npm: build ## builds the npm package 'sinew' into out/, and a consumer of it with three.js, which runs
	@scripts/setup web chromium
	@scripts/npm

wheel: build ## builds the Python wheel into out/, and tries it in an empty virtual environment
	@scripts/setup build python3 python3-venv python3-pip python3-numpy python3-matplotlib
	@scripts/wheel

blender: build ## packs the Blender add-on into out/sinew-blender.zip, and tries it in Blender
	@scripts/setup blender xvfb xauth
	@scripts/blender

platforms: ## builds for musl, Windows, ARM and WebAssembly, and compares there, emulated, the bits of all scenes; NAMES="windows ..." for some
	@scripts/platforms $(NAMES)

check: setup ## runs with gcc the tests that have a word of T in their names: make check T="joint exchange"
	@cmake --preset release --log-level=WARNING >/dev/null
	@cmake --build build/release -j $(JOBS) -- --quiet
	@ctest --test-dir build/release -j $(JOBS) --output-on-failure --no-tests=error -R "$(subst $(space),|,$(strip $(T)))"

abuse: build ## tries to break the engine with random extreme worlds for ten minutes; SECONDS=n for another time, SEED=n to start at
	@cmake --build build/release -j $(JOBS) --target abuse
	build/release/test/abuse --seconds $(or $(SECONDS),600) --seed $(or $(SEED),1000)

fuzz: ## feeds parsers, saved bytes and the API with hostile bytes until each has had an hour of processor time; SECONDS=n for another
	@fuzz/run all $(or $(SECONDS),3600)

soak: build ## makes and destroys bodies for half an hour and watches memory; SECONDS=n for another time
	@cmake --build build/release -j $(JOBS) --target soak
	build/release/test/soak $(or $(SECONDS),1800)

load: build ## watches a run with pages while the view server is attacked, for two minutes; SECONDS=n for another time
	@test/view/load.sh build/release/sinew scenes $(or $(SECONDS),120)

bench: build ## measures
	build/release/sinew bench

bench-peers: setup ## measures beside other engines: rods in WebAssembly, cloth beside Bullet
	@bench/peers/run
	@bench/peers/run-cloth

format: ## formats all C files
	@scripts/setup format
	@scripts/format

format-check: ## says which C files are not formatted
	@scripts/setup format
	@scripts/format --check

install: build ## installs into PREFIX (/usr/local), below DESTDIR if given
	DESTDIR=$(DESTDIR) cmake --install build/release --prefix $(PREFIX)

clean: ## removes what was built
	rm -rf build out
