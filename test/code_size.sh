#!/usr/bin/env bash
# No function is longer than 100 lines, no file longer than 1,000, and no two files of libsinew share a name (a .c and its
# .h may).
# once
set -euo pipefail
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
cd "$SOURCE"
bad=0

# clang-format puts a function's closing brace, and that of nothing else without a semicolon, alone into the first column.
mapfile -t files < <(find src tools apps include bench test fuzz examples web/engine -name '*.[ch]' -not -path '*/build/*' | sort)
awk '
FNR == 1 { open = 0 }
/^[A-Za-z_].*\{$/ && !/^(typedef|struct|enum|union|static const [A-Za-z_0-9 *]*\[)/ && !/= *\{$/ { open = FNR }
/^}$/ && open {
    if (FNR - open + 1 > 100) {
        print FILENAME ":" open ": a function of " FNR - open + 1 " lines"
        found = 1
    }
    open = 0
}
END { exit found }' "${files[@]}" || bad=1

# Tests are exempt: a file of tests is a list.
wc -l "${files[@]}" | awk '$2 != "total" && $2 !~ /^test\// && $1 > 1000 { print $2 ": a file of " $1 " lines"; found = 1 } END { exit found }' || bad=1

twice=$(find src -name '*.c' -printf '%f\n' | sort | uniq -d; find src -name '*.h' -printf '%f\n' | sort | uniq -d)
for name in $twice; do
    echo "src has several files named $name:" $(find src -name "$name")
    bad=1
done
exit $bad
