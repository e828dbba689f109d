#!/usr/bin/env bash
# The engine as WebAssembly: it is small, imports nothing but a clock, and every scene that can run there gives the same
# bits as here.
# needs: no sanitizer
# once
# takes: 70
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
((size < 800000)) || fail "the engine has $size bytes, wanted less than 800000"

# compare STEPS NAME...: that many steps of scenes, there and here.
compare() {
    local steps=$1 name seconds native wasm
    shift
    local files=("${@/#/$folder/}")
    files=("${files[@]/%/.snb}")
    node -e 'const [folder, steps, ...names] = process.argv.slice(1);
        for (const name of names) {
            const scene = JSON.parse(require("fs").readFileSync(`${folder}/${name}.json`));
            console.log(name, steps * (scene.step ?? 1 / 60));
        }' "$SCENES" "$steps" "$@" >"$folder/times" || fail "node cannot read the scenes"
    while read -r name seconds; do
        "$SINEW" bake "$SCENES/$name.json" -o "$folder/$name.snb" >/dev/null || fail "bake $name"
        "$SINEW" run "$SCENES/$name.json" -q --seconds "$seconds" --report "$folder/$name.json" || fail "run $name"
    done <"$folder/times"
    node "$SOURCE/test/view/wasm_run.mjs" "$engine" "$steps" "${files[@]}" >"$folder/said" 2>&1 ||
        fail "WebAssembly: $(cat "$folder/said")"
    for name; do
        native="$(sed -n 's/.*"steps": \([0-9]*\).*/\1/p' "$folder/$name.json")"
        native+=" $(sed -n 's/.*"hash": "\(0x[0-9a-f]*\)".*/\1/p' "$folder/$name.json")"
        wasm=$(awk -v name="$name" -v steps="$steps" '$1 == name { print steps " 0x" $2 }' "$folder/said")
        [[ $native == "$wasm" ]] || fail "$name: steps and hash here are $native, in WebAssembly $wasm"
    done
}

# A heap and a stack (contact, friction, sleeping), a hand that moves (calls, skins), a mixer (triangles, moving shapes).
long=(octopus-hand stack mixer capstan)
compare 300 "${long[@]}"
# Some steps of every other scene that can run there: elastic bodies and characters are not in the page's engine.
others=()
for scene in "$SCENES"/*.json; do
    name=$(basename "$scene" .json)
    grep -qE '"kind": *"(elastic|character)"' "$scene" || [[ " ${long[*]} octopus-explosion " == *" $name "* ]] || others+=("$name")
done
((${#others[@]} > 20)) || fail "only ${#others[@]} other scenes"
compare 15 "${others[@]}"
compare 1 octopus-explosion # a quarter of a million contacts at its start

((failures == 0))
