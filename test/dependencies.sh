#!/usr/bin/env bash
# docs/dependencies.md names everything that is installed or linked, and nothing under the GPL is linked.
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
# Nothing under the GPL is linked, but for the compilers' runtime. Debian says what a library is under.
if [[ -x ${SINEW:-} ]] && command -v ldd >/dev/null; then
    for library in $(ldd "$SINEW" | grep -oE '^[[:space:]]*lib[a-z0-9]+' | tr -d '[:blank:]'); do
        case $library in
        libc | libm | libgcc | libstdc | libasan | libubsan | libtsan) continue ;;
        libjansson | libembree3 | libtbb) ;;
        *) echo "FAILED: docs/dependencies.md does not say under which licence $library is" >&2 && failures=$((failures + 1)) ;;
        esac
    done
fi
exit $((failures > 0))
