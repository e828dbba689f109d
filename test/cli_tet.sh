#!/usr/bin/env bash
# sinew tet: zoo models become tetrahedra in every format, warnings and refusals are said, nothing is left behind.
# takes: 4
source "$SOURCE/test/cli.bash"

"$SINEW" zoo muscle -o muscle.obj >/dev/null || fail "zoo muscle"

# What it says, and that every format holds the same mesh.
expect 0 'quality      worst 0.' "$SINEW" tet muscle.obj -o a.msh -o a.mesh -o a.node -o a.vtk --tets 5000 --surface a.embedding
for words in '1 piece' 'for about 5000 tetrahedra' 'degrees between faces' "against the surface's" 'time  ' 'written      a.msh'; do
    grep -qF -- "$words" "$folder.said" || fail "it does not say \"$words\""
done
head -1 a.embedding | grep -qx 'sinew-embedding 1' || fail "a.embedding does not begin well"
[[ $(sed -n 2p a.embedding) == "$(grep -c '^v ' muscle.obj) "* ]] || fail "a.embedding has another count of vertices"
first=
for file in a.msh a.mesh a.node a.ele a.vtk; do
    expect 0 '"conforming": true' "$SINEW" info --json $file
    facts=$(grep -E '"(vertices|tets|volume|worst)"' "$folder.said")
    [[ -z $first || $facts == "$first" ]] || fail "$file differs: $facts"
    first=$facts
done
expect 0 'tetrahedra   ' "$SINEW" info a.vtk

# The same for any number of threads.
"$SINEW" tet muscle.obj -o one.vtk --tets 5000 --threads 1 --quiet 2>said || fail "one thread"
cmp -s one.vtk a.vtk || fail "threads change the result"

# Sizes that are asked for.
expect 0 'spacing      0.01: as given' "$SINEW" tet muscle.obj -o b.vtk --spacing 0.01
expect 0 "0.03 of the box's diagonal" "$SINEW" tet muscle.obj -o b.vtk --size-ratio 0.03

# Two balls apart: the larger is kept unless told otherwise.
awk '{ print } $1 == "v" { print "v", $2 * 0.5 + 1, $3 * 0.5, $4 * 0.5 >"second" } $1 == "f" { print >"faces" }' muscle.obj |
    grep -v '^f' >two.obj
count=$(grep -c '^v ' muscle.obj)
cat second faces >>two.obj
sed 's|/[0-9]*||g' faces | awk -v n="$count" '{ print "f", $2 + n, $3 + n, $4 + n }' >>two.obj
sed -i '/^v[tn]/d; s|/[0-9]*||g' two.obj
expect 0 'the largest was kept' "$SINEW" tet two.obj -o two.vtk --spacing 0.008
expect 0 'the solid is in 2 pieces' "$SINEW" tet two.obj -o two.vtk --spacing 0.008 --keep-all

# Damaged input is filled, with a warning.
"$SINEW" zoo dirty -o dirty.obj >/dev/null || fail "zoo dirty"
expect 0 'warning: the surface has' "$SINEW" tet dirty.obj -o dirty.mesh --tets 8000
expect 0 '"conforming": true' "$SINEW" info --json dirty.mesh

# A picture.
"$SINEW" tet muscle.obj --cut cut.png --tets 3000 --quiet 2>said || fail "a picture"
[[ $(head -c 4 cut.png | tail -c 3) == PNG ]] || fail "cut.png is no PNG"

# Errors.
rm -f ./*
"$SINEW" zoo cylinder -o c.obj >/dev/null || fail "zoo cylinder"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >sheet.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 x\n' >bad.obj
printf '$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 zero\n$EndNodes\n' >bad.msh
before=$(ls -A)
expect 2 'use -o OUT.msh' "$SINEW" tet c.obj
expect 2 'the ending of "x.obj" is none of' "$SINEW" tet c.obj -o x.obj
expect 2 'not .png' "$SINEW" tet c.obj --cut x.jpg
expect 2 'exclude each other' "$SINEW" tet c.obj -o x.msh --spacing 0.1 --tets 100
expect 2 'give a larger spacing' "$SINEW" tet c.obj -o x.msh --spacing 1e-6
expect 2 'use a smaller spacing' "$SINEW" tet c.obj -o x.msh --spacing 10
expect 2 'the surface has no inside' "$SINEW" tet sheet.obj -o x.msh
expect 2 'bad.obj:4:7: error: "x" is not a whole number' "$SINEW" tet bad.obj -o x.msh
expect 2 'bad.msh:6:7: error: "zero" is not a number' "$SINEW" info bad.msh
expect 2 'none.obj: error: cannot be opened' "$SINEW" tet none.obj -o x.msh
expect 2 '' "$SINEW" tet c.obj -o x.msh --spacing -1
expect 2 '' "$SINEW" tet
expect 1 'nowhere' "$SINEW" tet c.obj -o nowhere/x.msh --tets 1000
expect 0 'usage: sinew tet' "$SINEW" tet --help
[[ $(ls -A) == "$before" ]] || fail "left behind: $(ls -A)"
exit $((failures > 0))
