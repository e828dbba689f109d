#!/usr/bin/env bash
# docs/dependencies.md names everything that is installed or linked.
# once
set -uo pipefail
failures=0
page=$SOURCE/docs/dependencies.md
named() { # NAME: as it is, or without Debian's lib- and -dev
    local short=${1#lib}
    grep -qiwF -- "$1" "$page" || grep -qiwF -- "${short%-dev}" "$page" || {
        echo "FAILED: docs/dependencies.md does not name $1" >&2
        failures=$((failures + 1))
    }
}
for package in $(tr '\n' ' ' <"$SOURCE/scripts/setup" | grep -oE 'packages\+?=\([^)]*' | cut -d'(' -f2 | tr ' ' '\n' | grep -E '^[a-z]'); do
    named "$package"
done
for file in "$SOURCE"/web/package.json "$SOURCE"/test/*/package.json "$SOURCE"/bench/peers/package.json; do
    [[ -f $file ]] || continue
    for package in $(sed -n '/ependencies"/,/}/p' "$file" | grep -oE '^ *"[^"]+": "[0-9]' | cut -d'"' -f2); do named "$package"; done
done
for library in $(grep -oE 'find_library\([a-z]+_library (NAMES )?[a-z0-9]+|pkg_check_modules\([a-z]+' "$SOURCE/CMakeLists.txt" | grep -oE '[a-z0-9]+$'); do
    named "${library%3}"
done
exit $((failures > 0))
