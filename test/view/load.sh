#!/usr/bin/env bash
# test/view/load.sh SINEW SCENES [SECONDS]: pages beside attackers; not a test, since it measures time. `make load` runs it.
# test/view/load.mjs says what it does and what it requires.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
exec node "$here/load.mjs" "$1" "$2" "${3:-120}"
