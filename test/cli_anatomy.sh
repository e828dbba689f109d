#!/usr/bin/env bash
# sinew anatomy: the zoo's arm becomes a scene that runs, with its elbow; choices override guesses; rigs are kept.
# takes: 8
source "$SOURCE/test/cli.bash"

mkdir atlas
for name in biceps-long brachialis triceps humerus radius ulna; do
    "$SINEW" zoo $name -o atlas/left_$name.obj >/dev/null || fail "zoo $name"
done

expect 0 'left ulna: hinge on left humerus, by its name' "$SINEW" anatomy atlas -o arm.scene.json --threads 1
for words in 'surfaces     3 bones, 3 muscles (0 from before), 0 others' 'unit         1 m: metres' \
    'left radius: fixed to left ulna, by its name' 'left humerus: held by nothing' \
    'left biceps long: from left humerus' 'left brachialis: from left humerus' 'motion       1 joints'; do
    grep -qF -- "$words" "$folder.said" || fail "it does not say \"$words\""
done
expect 0 'fine: 3 muscles' "$SINEW" check arm.scene.json
cp arm.scene.json first.json
if command -v python3 >/dev/null; then
    python3 - <<'PYTHON' || fail "the arm does not bend at the elbow, forward, with its flexors active"
import json
scene = json.load(open("arm.scene.json"))
ulna = next(b for b in scene["rigid_bodies"] if b["name"] == "left ulna")
assert abs(ulna["position"][1] + 0.30) < 0.015 and abs(ulna["position"][2]) < 0.02, ulna["position"]
key = max(ulna["motion"]["keys"], key=lambda k: abs(k["rotation"]["degrees"]))
rotation = key["rotation"]
assert abs(rotation["degrees"]) > 60, rotation
turn = rotation["axis"][0] * rotation["degrees"]
assert turn < -60, rotation  # about -x: the hand comes forward
active = [a["body"] for a in scene["activation"]]
assert active == ["left biceps long", "left brachialis"], active
PYTHON
fi
expect 0 'volume: 0.9' "$SINEW" run arm.scene.json --seconds 0.7 --threads 1

# Again: the same scene, rigs from before; of a changed surface a new one.
expect 0 '3 muscles (3 from before)' "$SINEW" anatomy atlas -o arm.scene.json --threads 1
cmp -s arm.scene.json first.json || fail "it is not the same again"
"$SINEW" zoo brachialis -o atlas/left_brachialis.obj --triangles 2000 >/dev/null || fail "zoo"
expect 0 '3 muscles (2 from before)' "$SINEW" anatomy atlas -o arm.scene.json --threads 1

# The guesses as choices are the same scene; others change it.
cp arm.scene.json first.json
cp arm.guesses.json choices.json
expect 0 'hinge on left humerus, by the file' "$SINEW" anatomy atlas -o arm.scene.json --with choices.json
cat >choices.json <<'JSON'
{"surfaces": {"left triceps": {"kind": "other"}, "left biceps long": {"last": "left ulna", "rods": 3}},
 "joints": {"left ulna": {"degrees": 25, "axis": [1, 0, 0]}}}
JSON
expect 0 'bends by 25 degrees' "$SINEW" anatomy atlas -o arm.scene.json --with choices.json
grep -qE 'left biceps long: from left humerus \([0-9]+ mm\)( FAR)? to left ulna' "$folder.said" || fail "the biceps' bone is not as chosen"
grep -qF 'left triceps: left out' "$folder.said" || fail "the triceps is not left out"

# Mistakes.
mkdir empty
expect 2 'has no surfaces' "$SINEW" anatomy empty -o x.scene.json
expect 2 'none: error' "$SINEW" anatomy none -o x.scene.json
expect 2 'use -o BODY.scene.json' "$SINEW" anatomy atlas
expect 2 'the ending of "x.obj" is not .json' "$SINEW" anatomy atlas -o x.obj
echo '{"surfaces": {"left ulna": {"kind": "bonne"}}}' >bad.json
expect 2 'bad.json:1:' "$SINEW" anatomy atlas -o x.scene.json --with bad.json
echo '{"joints": {"left ulna": {"parent": "left wing"}}}' >bad.json
expect 2 'there is no bone "left wing"' "$SINEW" anatomy atlas -o x.scene.json --with bad.json
echo '{"surfaces": {"left femur": {"kind": "bone"}}}' >bad.json
expect 0 'bad.json: there is no surface "left femur"' "$SINEW" anatomy atlas -o x.scene.json --with bad.json
expect 0 'usage: sinew anatomy' "$SINEW" anatomy --help
exit $((failures > 0))
