#!/usr/bin/env bash
# sinew info on meshes: what it says in words and as JSON, and that damaged files end with exit 2 and a place.
source "$SOURCE/test/cli.bash"

# A cube of 200 units, its faces as quads.
{
    echo "o box"
    for z in 0 200; do for y in 0 200; do for x in 0 200; do echo "v $x $y $z"; done; done; done
    printf 'f %s\n' "1 3 4 2" "5 6 8 7" "1 2 6 5" "3 7 8 4" "1 5 7 3" "2 4 8 6"
} >box.obj
expect 0 'meshes       "box": 8 vertices, 12 triangles' "$SINEW" info box.obj
expect 0 'closed, volume 8e+06' "$SINEW" info box.obj
expect 0 'area 240000' "$SINEW" info box.obj
expect 0 'looks like centimetres' "$SINEW" info box.obj
expect 0 '"closed": true' "$SINEW" info --json box.obj
expect 0 '"volume": 8000000.0' "$SINEW" info --json box.obj

# Two triangles: a sheet, of which nothing is inside.
printf 'v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n' >sheet.obj
expect 0 'not a solid: the surface has 1 hole, the longest 4 around' "$SINEW" info sheet.obj
expect 0 '"why_not_solid": "the surface has 1 hole' "$SINEW" info sheet.obj --json

# What is wrong is said, with what helps.
expect 0 '"crossing_pairs": 0' "$SINEW" info --json box.obj
"$SINEW" info box.obj | grep -q '^help' && fail "a good box needs help"
{
    cat box.obj
    echo "o other"
    for z in 100 300; do for y in 100 300; do for x in 100 300; do echo "v $x $y $z"; done; done; done
    printf 'f %s\n' "9 11 12 10" "13 14 16 15" "9 10 14 13" "11 15 16 12" "9 13 15 11" "10 12 16 14"
} >two.obj
expect 0 'intersects itself: ' "$SINEW" info two.obj
expect 0 'sinew tet two.obj -o body.msh' "$SINEW" info two.obj
grep -v '^f 5 6 8 7' box.obj >open.obj
expect 0 'closed, volume 8e+06' "$SINEW" info open.obj # a hole of four edges is closed
for i in $(seq 20); do
    a=$((2 * i - 1)) b=$((2 * i % 40 + 1))
    awk -v i="$i" 'BEGIN { t = 3.14159265 * i / 10; print "v", cos(t), sin(t), 0; print "v", cos(t), sin(t), 2 }'
    echo "f $a $b $((b + 1)) $((a + 1))"
done >tube.obj # vertices may come after they are used
expect 0 'holes: sinew mesh tube.obj -o mended.obj --fill 20' "$SINEW" info tube.obj

# Text STL, customarily in millimetres.
printf 'solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 90 0 0\nvertex 0 90 0\nendloop\nendfacet\nendsolid\n' >s.stl
expect 0 'looks like millimetres: 0.09 x 0.09 x 0 m' "$SINEW" info s.stl

# Errors.
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 x\n' >bad.obj
expect 2 'bad.obj:4:7: error: "x" is not a whole number' "$SINEW" info bad.obj
head -c 50 /dev/zero >short.stl
expect 2 'short.stl:offset 50: error: the file ends in its header' "$SINEW" info short.stl
expect 2 'none.ply: error: cannot be opened' "$SINEW" info none.ply
expect 2 'unknown file type' "$SINEW" info picture.png
expect 2 'Try' "$SINEW" info

# Scenes as before, and as JSON.
scene=$(printf '%s\n' "$SCENES"/*.json | head -1)
expect 0 'unknowns' "$SINEW" info "$scene"
expect 0 '"dofs": ' "$SINEW" info --json "$scene"
exit $((failures > 0))
