#!/usr/bin/env bash
# A kind from outside the tree (kinds/particle) on the command line: scenes, reports, exports, recordings and pages have it by its rows
# in the tables. sinew-particle is the command line with one kind more.
source "$SOURCE/test/cli.bash"
particle=$BUILD/test/sinew-particle
scene=$SOURCE/test/kinds/particle/particles.json
points=176 # 11 of a rod, 121 of a cloth, 40 and twice 2 particles

# A command line without the kind refuses it by name.
expect 2 'bodies[2].kind: must be "rod"' "$SINEW" check "$scene"
expect 0 "3 particles, $points points" "$particle" check "$scene"
expect 0 'hail: 1 particle' "$particle" info "$scene"
sed 's/"radius": 0.03/"radius": -1/; s/"density": 2000/"densty": 2000/' "$scene" >bad.json
expect 2 'did you mean "density"' "$particle" check bad.json
expect 2 'bodies[2].radius' "$particle" check bad.json
sed 's/"count": 40, //' "$scene" >bad.json
expect 2 'needs exactly one of "points" and "count"' "$particle" check bad.json

# Joints hold its points; tracks, which it does not take, are refused.
joint='{"a": {"body": "hail", "point": 41}, "b": {"body": "beam", "point": 5}}'
sed "s@^  \"bodies\"@  \"joints\": [$joint],\n&@" "$scene" >bad.json
expect 2 'joints[0].a.point' "$particle" check bad.json
sed 's/41/39/' bad.json >joint.json
expect 0 "" "$particle" run joint.json -q
sed 's@^  "bodies"@  "motion": [{"body": "hail", "what": "centre", "keys": [{"t": 0, "offset": [0, 0, 0]}]}],\n&@' "$scene" >bad.json
expect 2 'motion[0].body' "$particle" check bad.json
rm bad.json joint.json

# Reports count it; exports have all its points.
expect 0 "" "$particle" run "$scene" -q --report report.json --record run.record -o x.glb -o x.vtp -o x.obj -o x.png
field() {
    grep -o "\"$1\": [^,]*" report.json | head -1 | cut -d' ' -f2
}
[[ $(field bodies) == 6 ]] || fail "5 bodies and the ground, not $(field bodies)"
[[ $(field dofs) == 569 ]] || fail "unknowns: $(field dofs)"
[[ $(field finite) == true ]] || fail "not finite"
grep -q 'particle \\"hail\\"' report.json || fail "no contact of particles in the report"
grep -q "NumberOfPoints=\"$points\"" x.vtp || fail "not $points points in the .vtp file"
balls=$(awk '$1 == "o" { name = $2 } $1 == "v" && name == "hail" { count++ } END { print count }' x.obj)
[[ $balls == $((40 * 130)) ]] || fail "40 balls of 130 vertices, not $balls vertices in the .obj file"
[[ $(grep -ao '"name":"hail-[0-9]*"' x.glb | wc -l) == 40 ]] || fail "not 40 joints in the .glb file"
[[ $(grep -ao '"name":"pair-[01]-[01]"' x.glb | wc -l) == 4 ]] || fail "not four joints of the pairs in the .glb file"
[[ $(head -c 8 x.png | tail -c 7) == PNG* && $(wc -c <x.png) -gt 10000 ]] || fail "no picture"

# What was recorded is replayed to the same hash, for any number of threads; not without the kind.
expect 0 "same as the recording: 1 hash" "$particle" run --replay run.record
expect 0 "same as the recording: 1 hash" "$particle" run --replay run.record --threads 1
expect 2 'bodies[2].kind' "$SINEW" run --replay run.record

# It goes into the page of a scene.
expect 0 "" "$particle" bake "$scene" -o x.snb
grep -aq hail x.snb || fail "no particles in the page"

exit $((failures > 0))
