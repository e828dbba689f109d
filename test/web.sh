#!/usr/bin/env bash
# The viewer's page in a real browser: the playground from disk with the engine in it, and the page that sinew view
# serves. CHROMIUM=... names another browser; an argument chooses tests by a word of their names.
# needs: no sanitizer
# needs: gcc
# takes: 80
# alone
set -uo pipefail
for tool in node npm clang wasm-ld "${CHROMIUM:-/usr/bin/chromium}"; do
    command -v "$tool" >/dev/null || { echo "no $tool: skipped"; exit 77; }
done
clang --target=wasm32-wasi -mexec-model=reactor -x c /dev/null -o /dev/null 2>/dev/null || {
    echo "clang cannot link for wasm32-wasi: skipped"
    exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

web=$(bash "$SOURCE/web/install.sh") || exit 1
tests=$(bash "$SOURCE/test/web/install.sh") || exit 1
node_folder=$(bash "$SOURCE/test/node/install.sh") || exit 1
(cd "$web" && exec node node_modules/typescript/bin/tsc --noEmit) &
types=$!

mkdir "$folder/scenes" "$folder/baked"
cp "$SCENES"/{stack,octopus-hand,incline,mixer,octopus-drop,muscle-contraction}.json "$folder/scenes"
cat >"$folder/scenes/octopuses.json" <<'SCENE'
{
  "title": "Two octopuses",
  "description": "They fall onto each other.",
  "gravity": [0, -10, 0],
  "duration": 4,
  "substeps": 3,
  "materials": {"flesh": {"young": 6e5, "poisson": 0.48, "density": 1000, "damping": 1}},
  "cameras": [{"position": [1.3, 1.3, 2.9], "target": [0.15, 0.4, 0]}],
  "rigid_bodies": [{"plane": true}],
  "bodies": [
    {"kind": "rod", "name": "one", "octopus": {"size": 0.25}, "material": "flesh", "position": [0.3, 0.15, 0]},
    {"kind": "rod", "name": "two", "octopus": {"size": 0.25}, "material": "flesh", "position": [-0.1, 0.2, 0.1]}
  ]
}
SCENE
cat >"$folder/scenes/soft.json" <<'SCENE'
{
  "title": "Cloth, rope and jelly",
  "substeps": 2,
  "duration": 5,
  "cameras": [{"position": [0.6, 1.4, 3.2], "target": [0.2, 0.8, 0]}],
  "rigid_bodies": [{"plane": true}],
  "bodies": [
    {"kind": "spring", "name": "cloth", "cloth": {"across": [1, 0, 0], "down": [0, -1, 0.1], "columns": 17, "rows": 17},
     "fabric": {"density": 0.3, "stretch": 300, "shear": 60, "bend": 0.5}, "position": [-0.4, 1, 0],
     "hold": [{"points": [0, 16]}], "drag": 0.3},
    {"kind": "spring", "name": "rope", "chain": {"from": [0, 0, 0], "to": [0, -0.8, 0], "points": 9}, "radius": 0.02,
     "position": [0.5, 1.4, 0], "hold": [{"points": [0]}]},
    {"kind": "spring", "name": "jelly", "solid": {"box": {"half": [0.2, 0.2, 0.2]}, "cell": 0.1}, "material": "jelly",
     "position": [1, 0.3, 0]}
  ]
}
SCENE
for scene in "$folder"/scenes/*.json; do
    name=$(basename "$scene" .json)
    most=()
    [[ $name != octopus-drop ]] || most=(--points 900)
    "$SINEW" bake "$scene" "${most[@]}" -o "$folder/baked/$name.snb" >/dev/null || exit 1
done
BUILD_FOLDER=$BUILD/wasm bash "$SOURCE/web/engine/build" "$folder/engine.wasm" || exit 1
(cd "$web" && node build.mjs --out "$folder/page" --engine "$folder/engine.wasm" --scenes "$folder/baked") || exit 1
wait $types || { echo "the page has type errors" >&2; exit 1; }

# The page's own engine has no characters: these are only served.
cat >"$folder/scenes/arm.json" <<'SCENE'
{
  "title": "An arm",
  "gravity": [0, 0, 0],
  "duration": 5,
  "cameras": [{"position": [0.5, 0.6, 1.1], "target": [0, 0.45, 0]}],
  "bodies": [{"kind": "character", "name": "arm", "zoo": "limb", "vertices": 1200}]
}
SCENE

# Three hundred steps with the native engine.
hashes=
for name in stack octopus-hand incline soft; do
    "$SINEW" run "$folder/scenes/$name.json" --seconds 5 -q --report "$folder/report" || exit 1
    grep -q '"steps": 300' "$folder/report" || { echo "$name: 5 s are not 300 steps" >&2; exit 1; }
    hashes+=",\"$name\":\"$(sed -n 's/.*"hash": "0x\([0-9a-f]*\)".*/\1/p' "$folder/report")\""
done

for name in octopuses soft; do
    "$SINEW" run "$folder/scenes/$name.json" --seconds 0.5 --fps 30 -q -o "$folder/$name.pc2" || exit 1
done

export HASHES="{${hashes#,}}" PLAYGROUND=$folder/page/playground.html PAGE=$folder/page SCENES_HERE=$folder/scenes \
    FOLDER=$folder VALIDATE=$node_folder/validate.mjs SAME_VERTICES=$node_folder/same_vertices.mjs \
    VERTICES=$folder
timeout 240 node "$tests/run.mjs" "${1:-}"
