#!/usr/bin/env bash
# `sinew view` over the network: what it answers and refuses, and whom, runs that several pages watch, nonsense, abrupt ends, a
# restart. test/view/server.mjs does it.
# takes: 15
set -uo pipefail
command -v node >/dev/null || exit 77
"$SINEW" view --help >/dev/null 2>&1 || exit 77 # built without it
exec node "$SOURCE/test/view/server.mjs" "$SINEW" "$SCENES"
