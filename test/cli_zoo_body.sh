#!/usr/bin/env bash
# sinew zoo body, limb, elbow: characters with skeleton and motions; errors are said, nothing is left behind.
source "$SOURCE/test/cli.bash"

expect 0 'limb.glb: ' "$SINEW" zoo limb -o limb.glb
expect 0 '"upper-arm" "forearm" "hand"' "$SINEW" info limb.glb
expect 0 '"biceps-curl": 2.4 s' "$SINEW" info limb.glb
expect 0 'elbow.glb: ' "$SINEW" zoo elbow -o elbow.glb --triangles 2000
expect 0 'elbow.obj: ' "$SINEW" zoo elbow -o elbow.obj
expect 0 '17 bones' "$SINEW" zoo body -o body.glb --triangles 13000
expect 0 '"jump": 2.2 s' "$SINEW" info body.glb
rm -f ./*.glb ./*.obj

expect 2 'is not .glb or .obj' "$SINEW" zoo body -o x.stl
expect 2 'is not .obj' "$SINEW" zoo band -o x.glb
expect 2 'at least 12000, is 100' "$SINEW" zoo body -o x.glb --triangles 100
expect 1 'nowhere' "$SINEW" zoo elbow -o nowhere/x.glb
[[ -z $(ls -A) ]] || fail "left behind: $(ls -A)"
exit $((failures > 0))
