#!/usr/bin/env bash
# Every public header compiles on its own, as C99, C17, C++11 and C++20, without a warning.
# compilers: all
set -euo pipefail

for header in "$SOURCE"/include/sinew/*.h "$SOURCE"/include/sinew/tools/*.h; do
    line="#include <${header#"$SOURCE/include/"}>"
    for language in c:c99 c:c17 c++:c++11 c++:c++20; do
        "$CC" -I "$SOURCE/include" -x "${language%%:*}" -std="${language##*:}" -pedantic -Wall -Wextra -Werror \
            -fsyntax-only - <<<"$line" || { echo "$line fails as ${language##*:}"; exit 1; }
    done
done
