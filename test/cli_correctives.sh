#!/usr/bin/env bash
# sinew implicit CHARACTER -o OUT.glb: whatever the file has comes out again, with corrective shapes that its clips drive; Khronos'
# validator finds no fault, and three.js and the drivers agree.
command -v node >/dev/null || exit 77
source "$SOURCE/test/cli.bash"
node_folder=$(bash "$SOURCE/test/node/install.sh") || exit 1
node "$node_folder/rich_character.mjs" rich.glb || fail "no character"
node "$node_folder/validate.mjs" rich.glb || fail "the validator finds fault with the character"
expect 0 "shapes       8, with " "$SINEW" implicit rich.glb -o out.glb --shapes 8
node "$node_folder/validate.mjs" out.glb || fail "the validator finds fault"
node "$node_folder/same_character.mjs" rich.glb out.glb out.correctives.json || fail "something was lost"
# The characters of the zoo, and once more over what came out.
"$SINEW" zoo elbow -o elbow.glb >/dev/null || fail "the zoo has no elbow"
# The shapes take most of the way from linear skinning to the skin.
"$SINEW" implicit elbow.glb -o e.glb --shapes 10 >said || fail "no shapes for the elbow"
awk '/^with shapes/ { with = $4 } /^without/ { without = $3 } END { exit !(with + 0 > 0 && with < 0.5 * without) }' said ||
    fail "the shapes hardly help: $(cat said)"
rm -f e.* said
expect 2 'it has no clip "hop"' "$SINEW" implicit elbow.glb -o x.glb --unseen hop
expect 0 "written      elbow2.glb" "$SINEW" implicit elbow.glb -o elbow2.glb --shapes 4
expect 0 "written      elbow3.glb" "$SINEW" implicit elbow2.glb -o elbow3.glb --shapes 4
node "$node_folder/validate.mjs" elbow2.glb elbow3.glb || fail "the validator finds fault with the elbow"
only elbow.glb elbow2.correctives elbow2.correctives.json elbow2.glb elbow3.correctives elbow3.correctives.json elbow3.glb \
    out.correctives out.correctives.json out.glb rich.glb
expect 2 "shapes need a skinned glTF file" "$SINEW" implicit "$SCENES/elbow-fold.json" -o x.glb
expect 1 "cannot" "$SINEW" implicit elbow.glb -o missing/x.glb --shapes 1
exit $((failures > 0))
