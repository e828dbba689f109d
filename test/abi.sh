#!/usr/bin/env bash
# The binary interface is written down: every function with its signature, and the size of every struct (x86-64). A
# change that is meant: UPDATE=1 SOURCE=. CC=gcc bash test/abi.sh, and a word in CHANGELOG.md.
# needs: no sanitizer
# needs: gcc
set -euo pipefail
[[ $(uname -m) == x86_64 ]] || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
list=$SOURCE/docs/abi.txt

# Comments away, each declaration on one line.
cat "$SOURCE"/include/sinew/*.h | sed 's://.*::' | tr '\n' ' ' | tr ';' '\n' | grep -oE 'SN_API .*' | sed 's/SN_API //; s/  */ /g; s/ *$//' |
    LC_ALL=C sort >"$work/functions"
{
    echo '#include <sinew/sinew.h>'
    echo '#include <stdio.h>'
    echo 'int main(void) {'
    grep -ohE '^\} sn_[a-z0-9_]+;' "$SOURCE"/include/sinew/*.h | grep -oE 'sn_[a-z0-9_]+' | LC_ALL=C sort -u |
        sed 's/.*/printf("%-24s %zu\\n", "&", sizeof(&));/'
    echo '}'
} >"$work/sizes.c"
"$CC" -I"$SOURCE/include" "$work/sizes.c" -o "$work/sizes"
{
    echo "# The binary interface of libsinew. test/abi.sh holds the library to it."
    echo
    echo "## Functions"
    cat "$work/functions"
    echo
    echo "## Bytes of structs and enums, x86-64"
    "$work/sizes"
} >"$work/abi.txt"
if [[ -n ${UPDATE:-} ]]; then
    cp "$work/abi.txt" "$list"
else
    diff "$list" "$work/abi.txt" || { echo "the binary interface has changed; if that is meant: UPDATE=1 SOURCE=. CC=gcc bash test/abi.sh"; exit 1; }
fi
