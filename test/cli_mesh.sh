#!/usr/bin/env bash
# sinew mesh: damaged meshes are mended, resampled and decimated; what was done is said; errors leave nothing behind.
source "$SOURCE/test/cli.bash"

# Holes are closed, by the command that info names.
"$SINEW" zoo dirty-holes -o holes.obj --triangles 4000 >/dev/null || failures=$((failures + 1))
expect 0 'not a solid: the surface has' "$SINEW" info holes.obj
advice=$(grep -o 'sinew mesh holes.obj.*' "$folder.said")
[[ $advice == *'--fill '* ]] || { echo "FAILED: info advises \"$advice\"" >&2; failures=$((failures + 1)); }
# shellcheck disable=SC2086
expect 0 'holes filled' "$SINEW" ${advice#sinew }
expect 0 'closed, volume 0.15' "$SINEW" info mended.obj

# Islands go, duplicates are joined, flipped triangles are turned.
"$SINEW" zoo dirty-islands -o islands.obj --triangles 4000 >/dev/null || failures=$((failures + 1))
expect 0 '40 smaller pieces dropped' "$SINEW" mesh islands.obj -o one.obj --largest
expect 0 ', 1 piece' "$SINEW" info one.obj
"$SINEW" zoo dirty-duplicates -o duplicates.obj --triangles 4000 >/dev/null || failures=$((failures + 1))
expect 0 'vertices welded' "$SINEW" mesh duplicates.obj -o one.obj
"$SINEW" zoo dirty-flipped -o flipped.obj --triangles 4000 >/dev/null || failures=$((failures + 1))
expect 0 'triangles flipped' "$SINEW" mesh flipped.obj -o one.obj
expect 0 'closed, volume 0.15' "$SINEW" info one.obj

# Sizes are as asked for.
expect 0 'resampled to edges of 0.06' "$SINEW" mesh one.obj -o even.obj --edge 0.06
expect 0 'decimated to 500 triangles' "$SINEW" mesh one.obj -o few.obj --triangles 500
expect 0 'few.obj: 252 vertices, 500 triangles, 1 piece' "$SINEW" mesh one.obj -o few.obj --triangles 500
expect 0 'smoothed over 0.02' "$SINEW" mesh one.obj -o smooth.obj --smooth 0.02 --edge 0.05 --triangles 800
expect 0 'closed, volume 0.1' "$SINEW" info smooth.obj
expect 0 'has no more than 99999 triangles' "$SINEW" mesh one.obj -o same.obj --triangles 99999
expect 0 '' "$SINEW" mesh one.obj -o quiet.obj --quiet
[[ ! -s $folder.said ]] || fail "--quiet says something"
"$SINEW" zoo dirty-crossing -o crossing.obj --triangles 4000 >/dev/null || failures=$((failures + 1))
expect 0 'intersects itself: ' "$SINEW" mesh crossing.obj -o crossed.obj

# Errors.
rm -f ./*.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 x\n' >../bad$$.obj
expect 2 ':4:7: error: "x" is not a whole number' "$SINEW" mesh ../bad$$.obj -o x.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >../bad$$.obj
expect 1 'would make about' "$SINEW" mesh ../bad$$.obj -o x.obj --edge 1e-5
expect 2 'the ending of "x.stl" is not .obj' "$SINEW" mesh ../bad$$.obj -o x.stl
expect 2 'use -o OUT.obj' "$SINEW" mesh ../bad$$.obj
expect 1 'nowhere' "$SINEW" mesh ../bad$$.obj -o nowhere/x.obj
expect 2 'cannot be opened' "$SINEW" mesh none.ply -o x.obj
expect 2 '--fill must be a whole number from 0 to 512' "$SINEW" mesh ../bad$$.obj -o x.obj --fill 1000
expect 0 'usage: sinew mesh' "$SINEW" mesh --help
rm -f ../bad$$.obj
[[ -z $(ls -A) ]] || fail "left behind: $(ls -A)"
exit $((failures > 0))
