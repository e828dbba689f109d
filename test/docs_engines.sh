#!/usr/bin/env bash
# The C functions of docs/engines.md compile as C and as C++ and do what the page says (test/engines_page.c), and every function that it
# names is there.
# needs: no sanitizer
# needs: gcc
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
page=$SOURCE/docs/engines.md
awk '/^```c$/ { inside = 1; next } /^```/ { inside = 0; next } inside { print }' "$page" >"$work/page.h"
flags=(-Wall -Wextra -Werror -I"$SOURCE/include" -I"$work")
"$CC" -std=c11 -pedantic "${flags[@]}" "$SOURCE/test/engines_page.c" "$BUILD/libsinew.a" -lm -lpthread -o "$work/page"
"$work/page"
"${CC/gcc/g++}" -std=c++17 -pedantic "${flags[@]}" -fsyntax-only -x c++ "$work/page.h"
for name in $(grep -o '\bsn_[a-z0-9_]*[a-z0-9]\b' "$page" | sort -u); do
    grep -qw "$name" "$SOURCE"/include/sinew/*.h || { echo "docs/engines.md names $name, which no header has" && exit 1; }
done
