#!/usr/bin/env bash
# Several threads read a world at the same time, and the thread sanitizer finds no race: the library and that test alone, with
# kernels of one lane.
# once
# needs: no sanitizer
# needs: gcc
# takes: 60
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'int main(void) { return 0; }' >"$work/try.c"
"$CC" -fsanitize=thread "$work/try.c" -o "$work/try" 2>/dev/null && "$work/try" || exit 77 # no such sanitizer here
cmake -S "$SOURCE" -B "$work/build" -DCMAKE_C_COMPILER="$CC" -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS_DEBUG=-O1 -g1" -DSN_SANITIZE=thread \
    -DSN_ONLY_LANES=1 -DSN_BUILD_TOOLS=OFF --log-level=WARNING >/dev/null
cmake --build "$work/build" -j 2 --target test_concurrent_readers >"$work/log" 2>&1 || { tail -40 "$work/log"; exit 1; }
"$work/build/test/test_concurrent_readers"
