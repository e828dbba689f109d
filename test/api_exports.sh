#!/usr/bin/env bash
# As a shared library Sinew shows exactly the functions of its headers: the static library, made into one, is asked.
# needs: no sanitizer
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
library=$BUILD/libsinew.so
if [[ ! -f $library ]]; then
    library=$work/libsinew.so
    "$CC" -shared -o "$library" -Wl,--whole-archive "$BUILD/libsinew.a" -Wl,--no-whole-archive -lm -lpthread
fi
declared=$(cat "$SOURCE"/include/sinew/*.h | grep '^SN_API ' | grep -o 'sn_[a-z0-9_]*(' | tr -d '(' | sort -u)
exported=$(nm -D --defined-only "$library" | awk '{ print $3 }' | sed 's/@.*//' |
    grep -vE '^(_init|_fini|_edata|_end|__bss_start)$' | sort -u)
more=$(comm -13 <(echo "$declared") <(echo "$exported"))
less=$(comm -23 <(echo "$declared") <(echo "$exported"))
[[ -z $more ]] || { echo "exported but not declared:" "$more"; exit 1; }
[[ -z $less ]] || { echo "declared but not exported:" "$less"; exit 1; }
echo "$(wc -w <<<"$exported") functions"
