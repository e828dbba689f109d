#!/usr/bin/env bash
# sinew zoo: every model is written whole, errors are said, nothing is left behind.
# takes: 6
source "$SOURCE/test/cli.bash"

for model in octopus band muscle cylinder creature cactus puffer ship marshmallow torus; do
    expect 0 "$model.obj: " "$SINEW" zoo $model -o $model.obj
    [[ $(head -1 $model.obj) == "o $model" ]] || failures=$((failures + 1))
    for line in v vt vn; do
        counts="$(grep -c "^$line " $model.obj) $(grep -c '^v ' $model.obj)"
        [[ ${counts% *} == "${counts#* }" ]] || fail "$model has $counts $line and v"
    done
    # every triangle's edge is there once in each direction
    awk '$1 == "f" { for (i = 2; i < 5; ++i) { split($i, a, "/"); split($(i < 4 ? i + 1 : 2), b, "/"); ++edge[a[1] " " b[1]] } }
         END { for (e in edge) { split(e, v, " "); if (edge[e] != 1 || edge[v[2] " " v[1]] != 1) exit 1 } }' $model.obj ||
        fail "$model is not closed"
done

"$SINEW" zoo cylinder -o double.obj --size 2 >/dev/null || failures=$((failures + 1))
awk '$1 == "v" && $2 > most { most = $2 } END { exit most != 2 }' double.obj ||
    fail "--size 2 does not double the length"

# As many triangles as one wants, and damage.
expect 0 'c.obj: ' "$SINEW" zoo creature -o c.obj --triangles 5000
count=$(grep -c '^f ' c.obj)
((count > 4500 && count < 5500)) || fail "--triangles 5000 gives $count"
for damage in -holes -flipped -crossing -islands -slivers -duplicates -crowded ''; do
    expect 0 "d.obj: " "$SINEW" zoo "dirty$damage" -o d.obj --triangles 4000
    cmp -s c.obj d.obj && fail "dirty$damage is not dirty"
done
rm -f ./*.obj

expect 2 'there is no model "octopusy"; did you mean "octopus"?' "$SINEW" zoo octopusy -o x.obj
expect 2 'did you mean "creature"?' "$SINEW" zoo creatur -o x.obj
expect 2 'at least 3000, is 20' "$SINEW" zoo creature -o x.obj --triangles 20
expect 2 'omit --triangles' "$SINEW" zoo octopus -o x.obj --triangles 20
expect 2 'the ending of "x.stl" is not .obj' "$SINEW" zoo band -o x.stl
expect 2 'use -o OUT.obj' "$SINEW" zoo band
expect 2 '' "$SINEW" zoo
expect 2 '' "$SINEW" zoo band -o x.obj --size -1
expect 1 'nowhere' "$SINEW" zoo band -o nowhere/x.obj
expect 0 'usage: sinew zoo' "$SINEW" zoo --help
[[ -z $(ls -A) ]] || fail "left behind: $(ls -A)"
exit $((failures > 0))
