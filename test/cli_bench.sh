#!/usr/bin/env bash
# sinew bench: only that it runs and prints what it promises; figures are not looked at.
set -uo pipefail
failures=0
fail() {
    echo "FAILED: $1" >&2
    failures=$((failures + 1))
}

json=$("$SINEW" bench --quick --json --threads 2 rods.direct.t rods.xpbd.t1 rods.direct.32x1k rods.jacobi.32x1k rods.direct.error) ||
    fail "bench --quick --json"
for key in machine triad_gb_s fma_gflop_s threads results name value unit better; do
    grep -q "\"$key\": " <<<"$json" || fail "no $key"
done
for name in rods.direct.t1 rods.direct.t2 rods.xpbd.t1 rods.direct.32x1k.t1 rods.direct.32x1k.t2 rods.jacobi.32x1k.t1 \
    rods.direct.error.1 rods.direct.error.3; do
    grep -q "\"$name\"" <<<"$json" || fail "no $name"
done
grep -q '"rods.100k.t2"' <<<"$json" && fail "rods.100k.t2 was not asked for"

"$SINEW" bench --quick rods.direct.t1 | grep "rods.direct.t1 .* ns/segment/iteration" >/dev/null || fail "bench table"
json=$("$SINEW" bench --quick --json coupling.bridge) || fail "bench coupling"
for name in coupling.bridge.bare.made coupling.bridge.log.impact coupling.bridge.log.p99; do
    grep -q "\"$name\"" <<<"$json" || fail "no $name"
done
"$SINEW" bench --quick nothing 2>/dev/null
[[ $? == 2 ]] || fail "an unknown name must end with exit 2"
grep -q "did you mean --threads?" <<<"$("$SINEW" bench --thread 2 2>&1)" || fail "a misspelt option"
exit $((failures > 0))
