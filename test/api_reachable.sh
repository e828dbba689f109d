#!/usr/bin/env bash
# Every object of libsinew.a is reachable from the public functions: a walk over objects along undefined and defined
# symbols. Code that no public call reaches belongs to test/reference, or nowhere. A kernel is compiled once for each lane
# width; if one width is reached, all are. libsinew-tools may use private functions of libsinew, so its objects that the
# headers of sinew/tools reach count too.
# needs: no sanitizer
# once
set -euo pipefail
[[ -f $BUILD/libsinew.a ]] || exit 77

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# OBJECT TYPE SYMBOL; an archive may hold several members of one name (kernels): each gets a number.
list() { # ARCHIVE PREFIX
    nm "$1" 2>/dev/null | awk -v prefix="$2" '
        /:$/ { name = $0; sub(/:$/, "", name); object = prefix name "#" ++count[name]; print object, "-", "-"; next }
        NF == 3 && $2 ~ /[A-TV-Z]/ { print object, "D", $3 }
        NF == 2 && $1 == "U" { print object, "U", $2 }'
}
list "$BUILD/libsinew.a" "" >"$work/symbols"
headers=("$SOURCE"/include/sinew/*.h)
if [[ -f $BUILD/libsinew-tools.a ]]; then
    list "$BUILD/libsinew-tools.a" "tools/" >>"$work/symbols"
    headers+=("$SOURCE"/include/sinew/tools/*.h)
fi
cat "${headers[@]}" | grep '^SN_API ' | grep -o 'sn_[a-z0-9_]*(' | tr -d '(' | sort -u >"$work/roots"

awk '
    function reach(object,    name) {
        if (object == "" || reached[object]) return
        reached[object] = 1
        queue[++last] = object
        name = object
        sub(/#.*/, "", name)
        if (name ~ /_kernel\.c\.o$/ && !kernel[name]++)
            for (other in objects) if (index(other, name "#") == 1) reach(other)
    }
    FILENAME == ARGV[1] { roots[$1]; next }
    { objects[$1] }
    $2 == "D" { where[$3] = $1 }
    $2 == "U" { uses[$1] = uses[$1] " " $3 }
    END {
        for (symbol in roots) reach(where[symbol])
        for (first = 1; first <= last; first++) {
            count = split(uses[queue[first]], symbols, " ")
            for (i = 1; i <= count; i++) reach(where[symbols[i]])
        }
        for (object in objects) {
            if (object ~ /^tools\//) continue
            total++
            if (reached[object]) continue
            print "not reachable from the public functions: " object
            lost++
        }
        printf "%d objects, %d not reachable\n", total, lost
        exit !(total > 50 && lost == 0)
    }' "$work/roots" "$work/symbols"
