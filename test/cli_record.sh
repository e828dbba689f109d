#!/usr/bin/env bash
# sinew run --record and --replay: a record holds all that a run needs, runs again elsewhere, and says where two part.
source "$(dirname "$0")/cli.bash"

mkdir here
printf 'v -1 -0.1 -0.1\nv 1 -0.1 -0.1\nv 0 0.1 -0.1\nv 0 0 0.2\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n' >here/skin.obj
cat >here/fall.json <<'END'
{"title": "Fall \u00e4", "duration": 2.5, "step": 0.01, "rigid_bodies": [{"plane": true}],
 "bodies": [{"kind": "rod", "position": [0, 0.2, 0], "line": {"from": [-0.8, 0, 0], "to": [0.8, 0, 0], "segments": 8}, "skin": "skin.obj"}]}
END
expect 0 "wrote run.record" "$SINEW" run here/fall.json --record run.record --threads 1 --substeps 2
[[ $(wc -l <run.record) == 5 ]] || fail "2.5 s make a line of inputs, three hashes and an end, not $(wc -l <run.record) lines"
grep -q '"end": "done"' run.record || fail "the record does not end"
mv here gone

# It needs no other file, and is the same for other threads and lanes, and with pictures of skins.
expect 0 "same as the recording: 3 hashes" "$SINEW" run --replay run.record
expect 0 "same as the recording: 3 hashes" "$SINEW" run --replay run.record --threads 2 --lanes 1 -o again.glb
[[ -s again.glb ]] || fail "a replay writes files too"

# Another run is noticed, and where it parts: the hash of the second second is changed; another step; another scene.
sed '3s/"hash": "./"hash": "g/' run.record >bad.record
expect 2 'bad.record: line 3: "hash" must be 16 hexadecimal digits' "$SINEW" run --replay bad.record
sed '3s/"hash": "................"/"hash": "0123456789abcdef"/' run.record >other.record
expect 1 "first between step 100 and step 200" "$SINEW" run --replay other.record -q
sed '1s/"substeps":2/"substeps":3/' run.record >other.record
expect 1 "first between step 0 and step 100" "$SINEW" run --replay other.record -q
sed '1s/0\.2, 0\]/0.3, 0]/' run.record >other.record
expect 1 "first between step 0" "$SINEW" run --replay other.record -q

# A run that was killed leaves what it had; a line that was cut off does not count.
head -n 3 run.record >cut.record
expect 0 "did not end normally" "$SINEW" run --replay cut.record
printf '{"step": 25' >>cut.record
expect 0 "same as the recording: 2 hashes" "$SINEW" run --replay cut.record

# Binary files are kept as they are.
mv again.glb skin.glb
sed 's/skin\.obj/skin.glb/' gone/fall.json >glb.json
expect 0 "" "$SINEW" run glb.json --record glb.record -o first.obj -q
rm skin.glb glb.json
expect 0 "" "$SINEW" run --replay glb.record -o second.obj -q
cmp -s first.obj second.obj || fail "a replay with a binary skin is drawn otherwise"

# Errors.
expect 2 "missing SCENE" "$SINEW" run
expect 2 "exclude each other" "$SINEW" run gone/fall.json --replay run.record
expect 2 "--replay excludes" "$SINEW" run --replay run.record --step 0.1
expect 2 "cannot be opened" "$SINEW" run --replay nothing.record
expect 2 "not a recording" "$SINEW" run --replay gone/skin.obj
expect 2 "not a recording" "$SINEW" run --replay <(echo '{}')
expect 2 "version 9" "$SINEW" run --replay <(echo '{"record": 9}')
expect 1 "cannot" "$SINEW" run gone/fall.json --record missing/run.record
sed '1s/"name":"here\/skin.obj"/"name":"here\/other.obj"/' run.record >lacks.record
expect 2 'bodies[0].skin: cannot open "skin.obj"' "$SINEW" run --replay lacks.record -q
sed '1s/"name":"here\/fall.json"/"name":"here\/fell.json"/' run.record >lacks.record
expect 2 "lack the scene" "$SINEW" run --replay lacks.record -q
exit $((failures > 0))
