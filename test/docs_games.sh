#!/usr/bin/env bash
# The functions of docs/games.md compile as C and as C++, and do what the page says: test/games_page.c calls them.
# needs: no sanitizer
# needs: gcc
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk '/^```c$/ { inside = 1; next } /^```/ { inside = 0; next } inside { print }' "$SOURCE/docs/games.md" >"$work/page.h"
flags=(-Wall -Wextra -Werror -I"$SOURCE/include" -I"$work")
"$CC" -std=c11 -pedantic "${flags[@]}" "$SOURCE/test/games_page.c" "$BUILD/libsinew.a" -lm -lpthread -o "$work/page"
"$work/page"
"${CC/gcc/g++}" -std=c++17 -pedantic "${flags[@]}" -fsyntax-only -x c++ "$work/page.h"
