#!/usr/bin/env bash
# What a run exports: every scene as .glb passes Khronos' validator without errors or warnings and plays in three.js as
# it does here; vertex caches, pictures and films; failures leave nothing behind.
# takes: 30
command -v node >/dev/null || exit 77
source "$SOURCE/test/cli.bash"

node_folder=$(bash "$SOURCE/test/node/install.sh") || exit 1

# Three frames have all that a file can have: joints that move, joints that stand, frames that are left out.
export SINEW_CACHE=$BUILD/elastic-cache # elastic bodies are baked once
for scene in "$SCENES"/*.json; do
    name=$(basename "$scene" .json)
    case $name in ship | puffer-balls | cacti | marshmallows | materials) continue ;; esac # they take long to bake; squeeze is like them
    # Rods, muscles, a character, springs and shapes of all kinds have all that the writers do.
    [[ -z ${SHORT:-} ]] || [[ $name =~ ^(arm|elbow-fold|jelly|mixer|octopus-hand|stack)$ ]] || continue
    "$SINEW" run "$scene" --seconds 0.07 -q -o "$name.glb" || fail "$name as .glb"
done
echo '{"bodies": [{"kind": "elastic", "zoo": "block", "spheres": 8, "tets": 800}]}' >block.json # the scene that bakes least
"$SINEW" run block.json --seconds 0.07 -q -o block.glb || fail "an elastic body as .glb"
rm -f block.json
for name in octopus-hand octopus-pillars; do # scenes with skins, without them
    "$SINEW" run "$SCENES/$name.json" --seconds 0.07 -q --pills -o "$name-pills.glb" || fail "$name as .glb of pills"
done
node "$node_folder/validate.mjs" ./*.glb || fail "the validator finds fault"
rm ./*.glb 2>/dev/null

# Until skins have stretched (the hand pulls an arm), shapes that move have moved and frames were left out; cloth is morph
# targets, a small net joints.
cat >small-net.json <<'SCENE'
{"bodies": [
  {"kind": "spring", "cloth": {"across": [1, 0, 0], "down": [0, 0, 1], "columns": 9, "rows": 9}, "hold": [{"points": [0, 8]}]},
  {"kind": "spring", "position": [2, 0, 0], "chain": {"from": [0, 0, 0], "to": [1, 0, 0], "points": 9}, "hold": [{"points": [0]}]},
  {"kind": "spring", "position": [0, 2, 0], "cloth": {"across": [1, 0, 0], "down": [0, 0, 1], "columns": 18, "rows": 18},
   "hold": [{"points": [0, 17]}]}
]}
SCENE
"$SINEW" run small-net.json --seconds 0.5 -q -o x.glb -o x.usda -o x.pc2 -o x.vtp || fail "run a small net"
node "$node_folder/same_usd.mjs" x.usda x.pc2 >"$folder.said" || fail "USD has what deforms differently"
node "$node_folder/validate.mjs" x.glb || fail "the validator finds fault with what deforms"
node "$node_folder/same_vertices.mjs" x.glb x.pc2 30 >"$folder.said" || fail "three.js shows what deforms differently"
grep -q 'NumberOfPoints="414" NumberOfVerts="0" NumberOfLines="8" NumberOfStrips="0" NumberOfPolys="706"' x.vtp ||
    fail "x.vtp has $(grep NumberOfPoints x.vtp)"
rm -f x.vtp x.usda small-net.json
# One armature for all bodies.
"$SINEW" run "$SCENES/octopus-hand.json" --seconds 0.1 -q --glb-joints shared -o x.glb -o x.pc2 || fail "run with shared joints"
node "$node_folder/validate.mjs" x.glb || fail "the validator finds fault with shared joints"
node "$node_folder/same_vertices.mjs" x.glb x.pc2 30 >"$folder.said" || fail "three.js shows shared joints differently"
for name in elastic-band mixer octopus-hand; do
    "$SINEW" run "$SCENES/$name.json" --seconds 0.5 -q -o x.glb -o x.usda -o x.pc2 || fail "run $name"
    node "$node_folder/same_vertices.mjs" x.glb x.pc2 30 >"$folder.said" || fail "three.js shows $name differently"
    node "$node_folder/same_usd.mjs" x.usda x.pc2 >"$folder.said" || fail "three.js shows $name as USD differently"
done
only x.glb x.pc2 x.rest.obj x.usda
rm -f x.*

# Texture coordinates and names of materials arrive: v goes up in .obj and USD, down in glTF.
cat >cube.obj <<'OBJ'
v -0.1 -0.1 0
v 0.1 -0.1 0
v 0.1 0.1 0
v 0.1 0 1
vt 0.25 0.125
vt 1 0
vt 1 1
vt 0.5 0.75
f 1/1 3/3 2/2
f 1/1 2/2 4/4
f 2/2 3/3 4/4
f 3/3 1/1 4/4
OBJ
echo '{"bodies": [{"kind": "rod", "name": "painted", "line": {"to": [0, 0, 1], "segments": 4}, "radius": 0.1, "skin": "cube.obj"}, {"kind": "rod", "position": [1, 0, 0], "line": {"to": [0, 0, 1], "segments": 4}}]}' >painted.json
"$SINEW" run painted.json --seconds 0.1 -q -o x.glb -o x.usda -o x.obj -o x.pc2 || fail "run a painted rod"
node "$node_folder/validate.mjs" x.glb || fail "the validator finds fault with texture coordinates"
node "$node_folder/same_usd.mjs" x.usda x.pc2 >"$folder.said" || fail "three.js shows a painted rod as USD differently"
node -e '
const bytes = require("fs").readFileSync("x.glb"), size = bytes.readUInt32LE(12), gltf = JSON.parse(bytes.subarray(20, 20 + size));
const mesh = gltf.meshes.find((m) => m.name === "painted"), part = mesh.primitives[0], binary = 28 + size;
const view = gltf.bufferViews[gltf.accessors[part.attributes.TEXCOORD_0].bufferView], at = binary + (view.byteOffset ?? 0);
const uv = [bytes.readFloatLE(at), bytes.readFloatLE(at + 4)];
if (uv[0] !== 0.25 || uv[1] !== 0.875 || gltf.materials[part.material].name !== "painted") throw new Error(uv);' || fail "no texture coordinates in x.glb"
grep -q '^vt 0.25 0.125$' x.obj || fail "no texture coordinates in x.obj"
grep -q '^f 1/1/1 3/3/3 2/2/2$' x.obj || fail "no texture coordinates in the faces of x.obj"
grep -q '^f 5//5 ' x.obj || fail "a body without texture coordinates has some in x.obj"
grep -qF 'primvars:st = [(0.25, 0.125), ' x.usda || fail "no texture coordinates in x.usda"
grep -qF 'def Material "painted"' x.usda || fail "no material in x.usda"
only cube.obj painted.json x.glb x.obj x.pc2 x.rest.obj x.usda
rm -f ./*

# All formats in one run; the mesh lies beside each cache.
scene=$SCENES/cantilever.json
formats=(-o x.glb -o x.mdd -o x.obj -o x.pc2 -o x.png)
expect 0 "wrote x.png" "$SINEW" run "$scene" --seconds 0.2 --size 64x48 --samples 2 "${formats[@]}"
only x.glb x.mdd x.obj x.pc2 x.png x.rest.obj
[[ $(stat -c %s x.mdd) == $(($(stat -c %s x.pc2) - 32 + 8 + 4 * 7)) ]] || fail "x.mdd and x.pc2 differ in size"
cp x.png first.png
expect 0 "" "$SINEW" run "$scene" --seconds 0.2 --size 64x48 --samples 2 -q -o x.png --threads 1
cmp -s x.png first.png || fail "a picture differs between runs"
rm -f ./*

# Films: as many frames as were asked for. Without ffmpeg it is said before the run.
if command -v ffmpeg >/dev/null; then
    expect 0 "wrote x.mp4" "$SINEW" run "$scene" --seconds 0.5 --fps 10 --size 65x49 --samples 1 -o x.mp4
    ffmpeg -loglevel error -i x.mp4 -f framecrc - </dev/null >frames 2>"$folder.said" || fail "ffmpeg cannot read the film"
    [[ $(grep -vc '^#' frames) == 6 ]] || fail "the film has $(grep -vc '^#' frames) frames, not 6"
    rm -f x.mp4 frames
    only
    (ulimit -f 1 && trap '' XFSZ && "$SINEW" run "$scene" --seconds 0.3 --size 480x320 --samples 1 -q -o big.mp4) 2>"$folder.said"
    [[ $? == 1 ]] || fail "a full disk during a film must end with exit 1"
    only
fi
mkdir empty
expect 1 "films need ffmpeg" env PATH="$folder/empty" "$SINEW" run "$scene" --seconds 0.1 -o x.mp4
rmdir empty
only

# Full disks: said, exit 1, nothing left. What was there before stays.
for format in glb pc2 mdd obj png; do
    echo old >"big.$format"
    (ulimit -f 1 && trap '' XFSZ && "$SINEW" run "$scene" --seconds 0.1 -q --size 320x200 -o "big.$format") 2>"$folder.said"
    [[ $? == 1 ]] || fail "a full disk must end .$format with exit 1"
    grep -q "cannot write big.*: File too large" "$folder.said" || fail "a full disk was not said for .$format: $(cat "$folder.said")"
    [[ $(cat "big.$format") == old ]] || fail "a failed run touched big.$format"
    rm -f "big.$format"
    only
    expect 1 "cannot write nowhere/x.$format: No such file or directory" "$SINEW" run "$scene" -o "nowhere/x.$format"
done
only

# Usage.
expect 2 '--size must be WxH with both from 16 to 16384, such as 1280x720, is "big"' "$SINEW" run "$scene" --size big
expect 2 '--size must be WxH' "$SINEW" run "$scene" --size 8x8
expect 2 '--size must be WxH' "$SINEW" run "$scene" --size 640x480x2
expect 2 'there is no camera "9"; the scene has numbers 0 to 0' "$SINEW" run "$scene" --camera 9 -o x.png
expect 0 "" "$SINEW" run "$scene" --seconds 0.05 --camera 0 --size 32x32 --samples 1 -q -o x.png
rm -f x.png
only

exit $((failures > 0))
