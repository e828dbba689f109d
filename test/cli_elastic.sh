#!/usr/bin/env bash
# sinew elastic: bodies come out whole and the same each time, errors are said, nothing is left behind.
# takes: 5
source "$SOURCE/test/cli.bash"

"$SINEW" zoo torus --triangles 800 -o soft.obj >/dev/null || exit 1

expect 0 'written      soft.elastic' "$SINEW" elastic soft.obj -o soft.elastic --spheres 6 --tets 2500
grep -q '^handles .* unknowns$' "$folder.said" || fail "the handles are not told"
grep -q '^time  *reading ' "$folder.said" || fail "times are not told"
[[ $(head -c 7 soft.elastic) == sinewEL ]] || fail "soft.elastic does not begin as it should"
expect 0 'elastic body' "$SINEW" info soft.elastic
expect 0 '"format": "elastic body"' "$SINEW" info soft.elastic --json

# the same again, by any number of threads
expect 0 '' "$SINEW" elastic soft.obj -o again.elastic --spheres 6 --tets 2500 --threads 1 --quiet
[[ -s $folder.said ]] && fail "--quiet said something: $(cat "$folder.said")"
cmp -s soft.elastic again.elastic || fail "the second body differs"

# anchors, handles, quadratic ones
expect 0 'anchored ' "$SINEW" elastic soft.obj -o x.elastic --spheres 6 --tets 2500 --anchor 'plane:y<0.05' --anchor 'box:-1,0.25,-1,1,1,1'
expect 0 'anchored ' "$SINEW" info x.elastic
expect 0 '0 of them quadratic' "$SINEW" elastic soft.obj -o x.elastic --spheres 6 --tets 2500 --quadratic none
expect 0 'handles      2, ' "$SINEW" elastic soft.obj -o x.elastic --spheres 6 --tets 2500 --handles 2 --weights 2

expect 0 'medial mesh  9 spheres' "$SINEW" elastic soft.obj -o x.elastic --spheres 6 --extra 3 --tets 2500

# from tetrahedra and a medial mesh
"$SINEW" tet soft.obj -o soft.msh --tets 1200 --quiet 2>/dev/null || fail "tetrahedra"
"$SINEW" medial soft.obj -o soft.ma --spheres 5 --quiet || fail "a medial mesh"
expect 0 'medial mesh  5 spheres' "$SINEW" elastic soft.msh -o x.elastic --medial soft.ma
expect 0 'medial mesh  5 spheres' "$SINEW" elastic soft.obj -o x.elastic --medial soft.ma --tets 2500
rm -f x.elastic again.elastic soft.msh soft.ma

# what the subspace costs
expect 0 'of the size (' "$SINEW" elastic soft.obj -o x.elastic --spheres 4 --tets 1000 --anchor 'plane:y<0.05' --compare x.png --young 1e6
[[ $(head -c 4 x.png | tail -c 3) == PNG ]]
expect 1 'the body is not anchored' "$SINEW" elastic soft.obj -o x.elastic --spheres 4 --tets 1000 --compare x.png
expect 2 'the ending of "x.jpg" is not .png' "$SINEW" elastic soft.obj -o x.elastic --compare x.jpg
rm -f x.elastic x.png

# errors
expect 2 'use -o OUT.elastic' "$SINEW" elastic soft.obj
expect 2 'the ending of "x.ma" is not .elastic' "$SINEW" elastic soft.obj -o x.ma
expect 2 '--spacing and --tets exclude each other' "$SINEW" elastic soft.obj -o x.elastic --spacing 0.1 --tets 100
expect 2 '--medial and --spheres exclude each other' "$SINEW" elastic soft.obj -o x.elastic --medial soft.ma --spheres 5
expect 2 '--anchor "y<1" is none of' "$SINEW" elastic soft.obj -o x.elastic --anchor 'y<1'
expect 2 'is inside the anchors' "$SINEW" elastic soft.obj -o x.elastic --spheres 6 --tets 2500 --anchor 'plane:y>9'
expect 2 'nothing could move' "$SINEW" elastic soft.obj -o x.elastic --spheres 6 --tets 2500 --anchor 'plane:y>-9'
expect 2 'missing.obj' "$SINEW" elastic missing.obj -o x.elastic
expect 2 '' "$SINEW" elastic soft.obj -o x.elastic --weights 9
expect 2 'did you mean "cactus"' "$SINEW" elastic cactos --zoo -o x.elastic
expect 1 'nowhere' "$SINEW" elastic soft.obj -o nowhere/x.elastic --spheres 4 --tets 1000
expect 0 'usage: sinew elastic' "$SINEW" elastic --help
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >flat.obj
expect 2 'flat.obj: error: ' "$SINEW" elastic flat.obj -o x.elastic

# damaged files
head -c 300 soft.elastic >short.elastic
expect 2 'short.elastic:offset 16: error: ' "$SINEW" info short.elastic
{ head -c 500 soft.elastic; printf 'XXXX'; tail -c +505 soft.elastic; } >bad.elastic
expect 2 'bad.elastic:offset 24: error: the checksum' "$SINEW" info bad.elastic
printf 'something else' >other.elastic
expect 2 'other.elastic:offset 0: error: ' "$SINEW" info other.elastic

rm -f ./*.obj soft.elastic short.elastic bad.elastic other.elastic
[[ -z $(ls -A) ]] || fail "left behind: $(ls -A)"
exit $((failures > 0))
