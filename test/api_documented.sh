#!/usr/bin/env bash
# Every function of the public headers must have a comment: at the end of its line, or above it; one comment may stand above a run
# of declarations without an empty line between them.
# once
set -euo pipefail

awk '
    FNR == 1 { covered = 0 }
    /^[ \t]*$/ { covered = 0 }            # an empty line ends a group
    /^\/\// { covered = 1 }
    /^SN_API / {
        ++functions
        if (!covered && !/;[ \t]*\/\//) {
            print FILENAME ":" FNR ": no comment: " $0
            ++bare
        }
    }
    END {
        printf "%d functions, %d without a comment\n", functions, bare
        exit !(functions > 0 && bare == 0)
    }
' "$SOURCE"/include/sinew/*.h "$SOURCE"/include/sinew/tools/*.h

# The library defines all of them, and exports nothing else.
declared=$(cat "$SOURCE"/include/sinew/*.h | grep '^SN_API ' | grep -o 'sn_[a-z0-9_]*(' | tr -d '(' | sort -u)
library=$BUILD/libsinew.a
[[ -f $BUILD/libsinew.so ]] && library=$BUILD/libsinew.so
defined=$(nm -g --defined-only "$library" | awk 'NF == 3 && $2 == "T" { print $3 }' | sort -u)
missing=$(comm -23 <(echo "$declared") <(echo "$defined"))
if [[ -n $missing ]]; then
    echo "declared but not defined:" $missing
    exit 1
fi
foreign=$(nm -g --defined-only "$library" 2>/dev/null | awk 'NF == 3 { print $3 }' | grep -v '^sn_' | grep -v '^__' || true)
if [[ -n $foreign ]]; then
    echo "symbols without the prefix sn_:" $foreign
    exit 1
fi
if [[ $library == *.so ]]; then
    exported=$(nm -D --defined-only "$library" | awk '{ print $3 }' | sort -u)
    [[ $(comm -13 <(echo "$declared") <(echo "$exported") | grep -vE '^(_init|_fini|__.*)$') == "" ]]
fi

# So does libsinew-tools, if it was built.
library=$BUILD/libsinew-tools.a
if [[ -f $library ]]; then
    declared=$(cat "$SOURCE"/include/sinew/tools/*.h | grep '^SN_API ' | grep -o 'sn_[a-z0-9_]*(' | tr -d '(' | sort -u)
    defined=$(nm -g --defined-only "$library" | awk 'NF == 3 && $2 == "T" { print $3 }' | sort -u)
    missing=$(comm -23 <(echo "$declared") <(echo "$defined"))
    [[ -z $missing ]] || { echo "declared in sinew/tools but not defined:" $missing; exit 1; }
fi
