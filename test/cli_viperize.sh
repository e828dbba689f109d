#!/usr/bin/env bash
# sinew viperize: every muscle of the zoo becomes a rig file that says what it should, ends are taken as given, warnings
# and refusals are said, nothing is left behind.
# takes: 8
source "$SOURCE/test/cli.bash"

# The rig is JSON, has as many rods and points as asked for, radii that are the same for all rods, and a skin whose
# weights are right.
check_rig() {
    command -v python3 >/dev/null || return 0
    python3 - "$@" <<'PYTHON' || fail "$1 is no good rig"
import json, math, sys
rig = json.load(open(sys.argv[1]))
rods, slices = int(sys.argv[2]), int(sys.argv[3])
assert rig["sinew"] == "muscle" and rig["version"] == 1 and rig["name"] and rig["mesh"]
assert len(rig["rods"]) == rods
volume = 0
for rod in rig["rods"]:
    assert len(rod["points"]) == len(rod["radii"]) == slices
    assert rod["radii"] == rig["rods"][0]["radii"]
    for k in range(slices - 1):
        r = 0.5 * (rod["radii"][k] + rod["radii"][k + 1])
        volume += math.pi * r * r * math.dist(rod["points"][k], rod["points"][k + 1])
assert abs(volume / rig["volume"] - 1) < 1e-5, volume
for end, k in ("source", 0), ("sink", -1):
    middle = [sum(rod["points"][k][i] for rod in rig["rods"]) / rods for i in range(3)]
    assert math.dist(middle, rig["ends"][end]) < 1e-6
skin = rig["skin"]
count = len(skin["vertices"])
assert count == len(skin["sections"]) == len(skin["weights"])
assert all(0 <= v < count for t in skin["triangles"] for v in t)
assert all(0 <= k < slices for s in skin["sections"] for k in s)
assert all(abs(sum(w) - 1) < 1e-6 and min(w) >= 0 for w in skin["weights"])
PYTHON
}

for muscle in biceps-long brachialis pectoral; do
    "$SINEW" zoo $muscle -o $muscle.obj >/dev/null || fail "zoo $muscle"
    expect 0 'inside       80 of 80 points' "$SINEW" viperize $muscle.obj -o $muscle.rig.json --rods 8 --slices 10
    for words in 'source       painted (red)' 'sink         painted (blue)' 'slices by    the harmonic field' 'time  ' \
        "written      $muscle.rig.json" 'metres, guessed'; do
        grep -qF -- "$words" "$folder.said" || fail "it does not say \"$words\""
    done
    grep -q warning "$folder.said" && fail "a warning for $muscle"
    check_rig $muscle.rig.json 8 10
done
grep -q '"name": "biceps-long"' biceps-long.rig.json || fail "the name is not the file's"
grep -q '"mesh": "biceps-long.obj"' biceps-long.rig.json || fail "the mesh is not named"

# The same for any number of threads, and again.
"$SINEW" viperize brachialis.obj -o one.rig.json --slices 10 --threads 1 --quiet || fail "one thread"
cmp -s one.rig.json brachialis.rig.json || fail "threads change the result"

# Units, and the other way to the slices.
expect 0 '0.001 m, from --scale' "$SINEW" viperize brachialis.obj -o mm.rig.json --scale 0.001 --name arm
grep -q '"name": "arm"' mm.rig.json || fail "--name does not name it"
check_rig mm.rig.json 8 16
expect 0 'slices by    planes along a straight axis' "$SINEW" viperize brachialis.obj -o p.rig.json --planes --rods 3
check_rig p.rig.json 3 16

grep -qE 'span         (9[5-9]|100)\.[0-9] % of the surface.s length; (9[5-9]|100)' "$folder.said" || fail "it does not measure the rods"

# A unit that cannot be is questioned; a muscle of 152 units is 152 mm long.
awk '$1 == "v" { print "v", 800 * $2, 800 * $3, 800 * $4; next } { print }' brachialis.obj >big.obj
expect 0 'millimetres, guessed' "$SINEW" viperize big.obj -o big.rig.json --rods 2
expect 0 'is its unit really that of --scale? With --scale 0.001' "$SINEW" viperize big.obj -o big.rig.json --rods 2 --scale 1

# A folder: a table, a rig of each.
mkdir -p muscles && cp brachialis.obj biceps-long.obj muscles
expect 0 '2 muscles, 0 failed: error below half a radius in 2, span over 95 % in' "$SINEW" viperize muscles -o rigs --rods 6
check_rig rigs/brachialis.rig.json 6 16
check_rig rigs/biceps-long.rig.json 6 16
expect 2 'are for one surface' "$SINEW" viperize muscles --picture x.png
rm -r muscles/*
expect 2 'muscles: error: has no surfaces' "$SINEW" viperize muscles

# Ends by points, planes and groups.
expect 0 'within 0.01 of (0.01, -0.33, 0.015)' "$SINEW" viperize brachialis.obj -o e.rig.json --source 'plane:y>-0.16' \
    --sink 0.01,-0.33,0.015,0.01
grep -qF 'source       beyond a plane' "$folder.said" || fail "it does not say where the source is"
awk '$1 == "v" { print "v", $2, $3, $4; y[++n] = $3 }
     $1 == "f" { split($2, a, "/"); g = y[a[1]] > -0.155 ? "top" : y[a[1]] < -0.325 ? "sink" : "belly"
                 gsub("/[0-9]*", ""); face[g] = face[g] $0 "\n" }
     END { for (g in face) printf "g %s\n%s", g, face[g] }' brachialis.obj >groups.obj
expect 0 'source       painted (a group)' "$SINEW" viperize groups.obj -o g.rig.json --source group:top
grep -qF 'sink         painted (a group)' "$folder.said" || fail "the group named sink is not the sink"

# Pictures and views.
"$SINEW" viperize brachialis.obj --picture p.png --view v.glb --size 160x120 --quiet || fail "a picture"
[[ $(head -c 4 p.png | tail -c 3) == PNG ]] || fail "p.png is no PNG"
[[ $(head -c 4 v.glb) == glTF ]] || fail "v.glb is no glTF"

# Bad surfaces: a result with a warning, or a refusal.
awk '$1 == "v" { print "v", $2, $3, $4; y[++n] = $3 }
     $1 == "f" { split($2, a, "/"); gsub("/[0-9]*", ""); if (y[a[1]] < -0.16 && y[a[1]] > -0.31) print }' brachialis.obj >open.obj
expect 0 'warning: open.obj: the surface has' "$SINEW" viperize open.obj -o open.rig.json
check_rig open.rig.json 8 16
grep '^[vf] ' brachialis.obj | sed 's|/[0-9]*||g' |
    awk '$1 == "v" { print "v", $2, $3, $4; line[++n] = "v " $2 + 0.2 " " $3 " " $4 }
         $1 == "f" { f[++m] = $0; a[m] = $2; b[m] = $3; c[m] = $4 }
         END { for (i = 1; i <= n; i++) print line[i]
               for (i = 1; i <= m; i++) { print f[i]; print "f", a[i] + n, b[i] + n, c[i] + n } }' >two.obj

# Each piece is a muscle of its own.
expect 0 'written      two-2.rig.json' "$SINEW" viperize two.obj -o two.rig.json --pieces --slices 10
check_rig two-1.rig.json 8 10
check_rig two-2.rig.json 8 10
grep -q '"name": "two-2"' two-2.rig.json || fail "the second piece has no name of its own"
[[ ! -e two.rig.json && ! -e two-3.rig.json ]] || fail "there are other pieces"
expect 2 'pieces needs -o NAME.rig.json' "$SINEW" viperize two.obj -o x.json --pieces

rm -rf ./*.json ./*.png ./*.glb rigs
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >sheet.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 x\n' >bad.obj
before=$(ls -A)
expect 2 'convert one muscle at a time' "$SINEW" viperize two.obj -o x.rig.json
expect 2 'sheet.obj: error: the surface has no inside' "$SINEW" viperize sheet.obj -o x.rig.json
expect 2 'bad.obj:4:7: error: "x" is not a whole number' "$SINEW" viperize bad.obj -o x.rig.json
expect 2 'none.obj: error: cannot be opened' "$SINEW" viperize none.obj -o x.rig.json
expect 2 'use -o MUSCLE.rig.json' "$SINEW" viperize brachialis.obj
expect 2 'the ending of "x.obj" is not .json' "$SINEW" viperize brachialis.obj -o x.obj
expect 2 'the ending of "x.jpg" is not .png' "$SINEW" viperize brachialis.obj --picture x.jpg
expect 2 '--size must be WxH' "$SINEW" viperize brachialis.obj --picture x.png --size 12
expect 2 '--source "here" is none of' "$SINEW" viperize brachialis.obj -o x.rig.json --source here
expect 2 '--sink "plane:0,0,0,1" is none of' "$SINEW" viperize brachialis.obj -o x.rig.json --sink plane:0,0,0,1
expect 2 "no part of the surface is beyond the source's plane" "$SINEW" viperize brachialis.obj -o x.rig.json --source 'plane:x>9'
expect 2 'no such group "top"; the groups are "brachialis"' "$SINEW" viperize brachialis.obj -o x.rig.json --source group:top
expect 2 'no vertex is painted as sink' "$SINEW" viperize open.obj -o x.rig.json --sink painted
expect 2 '' "$SINEW" viperize brachialis.obj -o x.rig.json --rods 0
expect 2 '' "$SINEW" viperize brachialis.obj -o x.rig.json --slices 1
expect 2 '' "$SINEW" viperize
expect 1 'nowhere' "$SINEW" viperize brachialis.obj -o nowhere/x.rig.json
expect 0 'usage: sinew viperize' "$SINEW" viperize --help
[[ $(ls -A) == "$before" ]] || fail "left behind: $(ls -A)"
exit $((failures > 0))
