#!/usr/bin/env bash
# sinew medial: meshes come out whole and as promised, errors are said, nothing is left behind.
source "$SOURCE/test/cli.bash"

"$SINEW" zoo muscle -o muscle.obj >/dev/null || exit 1

expect 0 'encloses     every vertex' "$SINEW" medial muscle.obj -o muscle.ma --spheres 8
read -r spheres cones slabs <muscle.ma
[[ $spheres -le 8 && $spheres -ge 2 ]] || fail "$spheres spheres"
[[ $(grep -c '^v ' muscle.ma) == "$spheres" && $(grep -c '^e ' muscle.ma) == "$cones" ]] || fail "counts of muscle.ma"
[[ $(grep -c '^f ' muscle.ma) == "$slabs" ]] || fail "count of slabs"
expect 0 "$spheres spheres, $cones cones" "$SINEW" info muscle.ma
expect 0 "\"spheres\": $spheres" "$SINEW" info muscle.ma --json

# the same again, by any number of threads
expect 0 '' "$SINEW" medial muscle.obj -o again.ma --spheres 8 --threads 1 --quiet
cmp -s muscle.ma again.ma || fail "the second mesh differs"

# an error instead of spheres, and the lattice
expect 0 'two-sided' "$SINEW" medial muscle.obj -o error.ma --error 2 --from lattice --cell 4
expect 0 'around a lattice of cells of 4.00 %, since --from lattice was given' "$SINEW" medial muscle.obj -o lattice.ma --spheres 6 --from lattice --cell 4

# to be looked at
expect 0 '' "$SINEW" medial muscle.obj -o muscle.ma --spheres 6 --view muscle.glb --picture muscle.png --size 96x32 --quiet
[[ $(head -c 4 muscle.glb) == glTF ]] || fail "muscle.glb is no glTF"
[[ $(head -c 4 muscle.png | tail -c 3) == PNG ]] || fail "muscle.png is no PNG"
expect 0 '"medial spheres"' "$SINEW" info muscle.glb
rm -f ./*.ma ./*.glb ./*.png

# errors
expect 2 'use -o OUT.ma' "$SINEW" medial muscle.obj
expect 2 'the ending of "x.obj" is not .ma' "$SINEW" medial muscle.obj -o x.obj
expect 2 'the ending of "x.png" is not .glb' "$SINEW" medial muscle.obj -o x.ma --view x.png
expect 2 'exclude each other' "$SINEW" medial muscle.obj -o x.ma --spheres 5 --error 1
expect 2 '--size must be WxH' "$SINEW" medial muscle.obj -o x.ma --picture x.png --size 5
expect 2 '' "$SINEW" medial muscle.obj -o x.ma --spheres 0
expect 2 '' "$SINEW" medial muscle.obj -o x.ma --from nowhere
expect 2 '' "$SINEW" medial
expect 2 'missing.obj' "$SINEW" medial missing.obj -o x.ma
expect 1 'nowhere' "$SINEW" medial muscle.obj -o nowhere/x.ma --spheres 4
expect 0 'usage: sinew medial' "$SINEW" medial --help
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n' >flat.obj
expect 2 'flat.obj: error: ' "$SINEW" medial flat.obj -o x.ma
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 x\n' >bad.obj
expect 2 'bad.obj:4:' "$SINEW" medial bad.obj -o x.ma
expect 2 'too small' "$SINEW" medial muscle.obj -o x.ma --from lattice --cell 0.001
printf '2 1 0\nv 0 0 0 1\nv 1 0 0 1\ne 0 2\n' >bad.ma
expect 2 'bad.ma:4:5: error: a cone names sphere 2; the file has 0 to 1' "$SINEW" info bad.ma
rm -f ./*.obj bad.ma
[[ -z $(ls -A) ]] || fail "left behind: $(ls -A)"
exit $((failures > 0))
