#!/usr/bin/env bash
# The engine as WebAssembly: it is small, imports nothing but a clock, and 300 steps of several scenes end in the same
# bits as here. A step of ten octopuses takes less than real time.
# needs: no sanitizer
set -uo pipefail
command -v node >/dev/null && command -v wasm-ld >/dev/null || exit 77
[[ -d /usr/include/wasm32-wasi ]] || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

fail() {
    echo "FAILED: $1" >&2
    failures=$((failures + 1))
}

engine=$folder/engine.wasm
BUILD_FOLDER=$BUILD/wasm "$SOURCE/web/engine/build" "$engine" || exit 1
size=$(stat -c %s "$engine")
((size < 500000)) || fail "the engine has $size bytes, wanted less than 500000"

# A heap and a stack (contact, friction, sleeping), a hand that moves (calls, skins), a mixer (triangles, moving shapes).
scenes=(octopus-hand stack mixer capstan)
files=("${scenes[@]/#/$folder/}")
files=("${files[@]/%/.snb}")
for name in "${scenes[@]}"; do
    "$SINEW" bake "$SCENES/$name.json" -o "$folder/$name.snb" >/dev/null || fail "bake $name"
    step=$(node -p "JSON.parse(require('fs').readFileSync('$SCENES/$name.json')).step ?? 1 / 60")
    "$SINEW" run "$SCENES/$name.json" -q --seconds "$(node -p "300 * $step")" --report "$folder/$name.json" ||
        fail "run $name"
done
node "$SOURCE/test/view/wasm_run.mjs" "$engine" 300 "${files[@]}" >"$folder/said" 2>&1 ||
    fail "WebAssembly: $(cat "$folder/said")"
for name in "${scenes[@]}"; do
    native=$(node -p "const r = JSON.parse(require('fs').readFileSync('$folder/$name.json')); r.steps + ' ' + r.hash")
    wasm=$(awk -v name="$name" '$1 == name { print "300 0x" $2 }' "$folder/said")
    [[ $native == "$wasm" ]] || fail "$name: steps and hash here are $native, in WebAssembly $wasm"
done

# Ten octopuses and more.
"$SINEW" bake "$SCENES/octopus-drop.json" --points 900 -o "$folder/heap.snb" >"$folder/said" || fail "bake a heap"
bodies=$(sed -n 's/.*: \([0-9]*\) of 100 bodies.*/\1/p' "$folder/said")
((${bodies:-0} >= 10)) || fail "fewer than ten octopuses: $(cat "$folder/said")"
# The better of two runs: other tests may run at the same time.
ms=$(node "$SOURCE/test/view/wasm_run.mjs" "$engine" 300 "$folder/heap.snb" "$folder/heap.snb" | awk '{ print $3 }' |
    sort -g | head -1)
awk -v ms="$ms" 'BEGIN { exit !(ms > 0 && ms < 1000 / 60) }' || fail "$bodies octopuses take $ms ms a step"

((failures == 0))
