#!/usr/bin/env bash
# Two builds in different folders give the same bytes, tried with a part of the library, and what was built here names
# no folder of this machine. 'make test-all' builds everything twice (scripts/reproducible).
# needs: no sanitizer
# needs: gcc
# once
# takes: 10
set -uo pipefail
failures=0
"$SOURCE/scripts/reproducible" geometry || failures=1
for file in "$SINEW" "$(dirname "$SINEW")"/libsinew*.a; do
    if grep -qaF -e "$SOURCE/" -e "$BUILD/" "$file"; then
        echo "FAILED: $file names a folder of this machine: $(strings "$file" | grep -F -m 1 "$SOURCE/")" >&2
        failures=1
    fi
done
exit $failures
