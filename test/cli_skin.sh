#!/usr/bin/env bash
# A scene may name a mesh as a rod's skin: the animation then holds that mesh, and a mesh that is not there is said.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "FAILED: $1" >&2
    exit 1
}
"$SINEW" zoo cylinder -o "$work/cylinder.obj" >/dev/null
cat >"$work/scene.json" <<'JSON'
{
  "duration": 0.2,
  "bodies": [
    {"kind": "rod", "line": {"from": [0.1, 0, 0], "to": [0.9, 0, 0], "segments": 8}, "radius": 0.09, "clamp_first": true,
     "skin": "cylinder.obj"}
  ]
}
JSON
"$SINEW" run "$work/scene.json" -q -o "$work/skin.glb"
(cd "$work" && "$SINEW" run scene.json -q -o here.glb)
"$SINEW" info "$work/skin.glb" >"$work/told"
grep -q "3584 triangles" "$work/told" || fail "the animation does not hold the cylinder: $(head -3 "$work/told")"
grep -q "9 joints" "$work/told" || fail "the skin does not have a joint for each point: $(cat "$work/told")"
cmp -s "$work/skin.glb" "$work/here.glb" || fail "where the scene lies makes a difference"
"$SINEW" run "$work/skin.glb" -q 2>/dev/null && fail "a mesh is no scene"
rm "$work/cylinder.obj"
status=0
"$SINEW" run "$work/scene.json" -q -o "$work/none.glb" 2>"$work/errors" || status=$?
((status != 0)) || fail "a skin that is missing was not noticed"
grep -q "cylinder.obj" "$work/errors" || fail "the missing file is not named: $(cat "$work/errors")"
"$SINEW" check "$work/scene.json" 2>"$work/errors" && fail "check calls a scene fine whose skin is missing"
grep -qE 'scene.json:[0-9]+:[0-9]+: error: bodies\[0\].skin: cannot open "cylinder.obj"' "$work/errors" ||
    fail "check does not say where the missing skin is named: $(cat "$work/errors")"
[[ ! -e $work/none.glb ]] || fail "half a file was left"
