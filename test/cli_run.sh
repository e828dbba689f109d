#!/usr/bin/env bash
# sinew run: outputs and report, files all or nothing, interrupts, options.
source "$SOURCE/test/cli.bash"

scene=$SCENES/cantilever.json

expect 0 "wrote x.pvd" "$SINEW" run "$scene" --seconds 0.5 -o x.pvd -o x.vtp --report r.json
only r.json x x.pvd x.vtp
[[ $(ls x | wc -l) == 16 ]] || fail "0.5 s at 30 frames a second are 16 frames, not $(ls x | wc -l)"
[[ $(grep -c DataSet x.pvd) == 16 ]] || fail "x.pvd does not list 16 frames"
cmp -s x.vtp x/frame_00015.vtp || fail "the last frame is not the end"
for key in scene steps dt threads dofs bodies finite hash realtime step_ms p50 p99 max stage_ms volume min penetration \
    contacts energy start end lanes line_searches length; do
    grep -q "\"$key\": " r.json || fail "the report lacks $key"
done
grep -q '"hash": "0x[0-9a-f]\{16\}"' r.json || fail "the hash is not 0x and 16 digits"
grep -q '"steps": 30' r.json || fail "0.5 s are not 30 steps"

# A shorter run replaces a longer one whole.
expect 0 "" "$SINEW" run "$scene" --seconds 0.1 -q -o x.pvd --fps 60
[[ $(ls x | wc -l) == 7 ]] || fail "frames of the longer run stayed"
[[ ! -s $folder.said ]] || fail "--quiet was not quiet"
rm -rf x x.pvd x.vtp r.json

# The same answer for any number of threads and lanes.
options=("--threads 1" "--threads 2")
for lanes in 1 4 8 16; do # those that the build and the machine have
    "$SINEW" run "$SCENES/hanging-rods.json" --seconds 0.02 -q --lanes $lanes 2>/dev/null && options+=("--lanes $lanes")
done
((${#options[@]} > 2)) || fail "there are no lanes"
for option in "${options[@]}"; do
    # shellcheck disable=SC2086
    "$SINEW" run "$SCENES/hanging-rods.json" --seconds 0.2 -q $option --report h.json || fail "run $option"
    grep '"hash"' h.json >>hashes
done
[[ $(sort -u hashes | wc -l) == 1 ]] || fail "hashes differ: $(cat hashes)"
rm -f h.json hashes

# Bounds of elastic bodies, where there are none.
expect 0 "no elastic bodies" "$SINEW" run "$scene" --seconds 0.05 --check-bounds
expect 0 "" "$SINEW" run "$scene" --seconds 0.05 -q --check-bounds
[[ ! -s $folder.said ]] || fail "--quiet was not quiet about bounds"

# A speed that no machine has, and one that all have, by the older name; what was written stays.
expect 1 "times real time is slower than the 1e+06 of --min-realtime" "$SINEW" run "$scene" --seconds 0.05 -q --min-realtime 1e6 -o x.vtp
only x.vtp
rm x.vtp
expect 0 "" "$SINEW" run "$scene" --seconds 0.05 -q --pace 1e-6
expect 2 "min-realtime" "$SINEW" run "$scene" --min-realtime fast

# Full disks and folders that are not there: said, exit 1, nothing left.
expect 1 "cannot write /dev/full: No space left on device" "$SINEW" run "$scene" --seconds 0.1 -q --report /dev/full
ln -s /dev/full full.vtp
expect 1 "cannot write full.vtp: No space left on device" "$SINEW" run "$scene" --seconds 0.1 -q -o full.vtp
rm full.vtp
expect 1 "cannot write nowhere/x.vtp: No such file or directory" "$SINEW" run "$scene" --seconds 0.1 -o nowhere/x.vtp
expect 1 "cannot write nowhere/x" "$SINEW" run "$scene" --seconds 0.1 -o nowhere/x.pvd
mkdir there.vtp
expect 1 "cannot write there.vtp: Is a directory" "$SINEW" run "$scene" --seconds 0.1 -o there.vtp
rmdir there.vtp
touch x
expect 1 "cannot write x: Not a directory" "$SINEW" run "$scene" --seconds 0.1 -o x.pvd
rm x
(ulimit -f 1 && trap '' XFSZ && "$SINEW" run "$scene" --seconds 0.1 -q -o big.pvd --report r.json) 2>"$folder.said"
[[ $? == 1 ]] || fail "a full disk during frames must end with exit 1"
only

# What an older run left stays when a new one fails.
echo old >r.json
expect 1 "" "$SINEW" run "$scene" --seconds 0.1 -q --report r.json -o nowhere/x.vtp
[[ $(cat r.json) == old ]] || fail "a failed run touched an older report"
rm r.json

# Usage.
expect 2 'the ending of "x.abc" is not one of .vtp, .pvd' "$SINEW" run "$scene" -o x.abc
expect 2 'unknown option "--sceonds"; did you mean --seconds?' "$SINEW" run "$scene" --sceonds 1
expect 2 "--threads must be a whole number from 1 to 64, is \"0\"" "$SINEW" run "$scene" --threads 0
expect 2 "--seconds must be a number greater than 0" "$SINEW" run "$scene" --seconds=-1
expect 2 "--solver must be direct, xpbd or jacobi, is \"magic\"" "$SINEW" run "$scene" --solver magic
expect 2 "--report needs a value" "$SINEW" run "$scene" --report
expect 2 "--quiet takes no value" "$SINEW" run "$scene" --quiet=yes
expect 2 "missing SCENE" "$SINEW" run
expect 2 "unexpected argument" "$SINEW" run "$scene" "$scene"
expect 2 "lanes" "$SINEW" run "$scene" --lanes 3
expect 2 "more than 10000000 steps" "$SINEW" run "$scene" --seconds 1e6 --step 1e-7
expect 0 "usage: sinew run SCENE" "$SINEW" run --help
# Five iterations of xpbd leave a stiff beam strained: energy from nowhere, which is a failure that names time and body.
expect 1 'energy rose without work, at 0.01 s first (rod "beam" gained most)' "$SINEW" run "$scene" --seconds 0.05 -q --check-energy --solver xpbd --iterations 5 --substeps 2 --step 0.01
expect 1 'energy rose without work, at' "$SINEW" run "$SCENES/integrators.json" --seconds 1 -q --check-energy --report energy.json
grep -q '"work": 0.0' energy.json || fail "nothing from outside does work, but the report says otherwise"
rm -f energy.json
expect 0 "warning: energy rose without work" "$SINEW" run "$scene" --seconds 0.05 --solver xpbd --iterations 5 --substeps 2 --step 0.01
expect 0 "" "$SINEW" run "$scene" --seconds 0.05 -q --check-energy --iterations 5 --substeps 2 --step 0.01
# What runs away is a failure without being asked for: slowly, by explicit Euler; or at once, and then it is put back and named.
runaway() { # INTEGRATOR STRETCH
    echo '{"duration": 10, "bodies": [{"kind": "spring", "name": "spring", "integrator": "'"$1"'", "collide": false,
        "chain": {"to": [0, -3, 0], "points": 2, "density": 1, "stretch": '"$2"'}, "damping": 0, "hold": [{"point": 0}],
        "initial": [{"point": 1, "velocity": [0, 0.6, 0]}]}]}' >runaway.json
}
runaway explicit-euler 600
expect 1 'energy rose without work, at' "$SINEW" run runaway.json -q --report energy.json
grep -q '"diverged": 0' energy.json || fail "a slow rise is not divergence"
runaway symplectic-euler 1e7
expect 1 'spring "spring" diverged and was put back to its last good state, at rest' "$SINEW" run runaway.json -q --report energy.json
grep -q '"finite": false' energy.json || fail "a body diverged, but the report does not say so"
! grep -q '"diverged": 0' energy.json || fail "the report counts no body that diverged"
rm -f runaway.json energy.json
if ! grep -qw avx512f /proc/cpuinfo 2>/dev/null && [[ $(uname -m) == x86_64 ]]; then
    expect 2 "lanes" "$SINEW" run "$scene" --seconds 0.1 -q --lanes 16
fi
only

# An interrupt ends the run after a step; what was done until then is there, whole.
"$SINEW" run "$scene" --seconds 100000 -q --fps 1 -o x.pvd --report r.json 2>"$folder.said" &
pid=$!
for _ in $(seq 100); do
    compgen -G "x.tmp-*/frame_00001.vtp" >/dev/null && break
    sleep 0.1
done
kill -INT $pid
wait $pid
[[ $? == 1 ]] || fail "an interrupted run must end with exit 1"
grep -q "interrupted after" "$folder.said" || fail "an interrupted run must say so"
grep -q '"interrupted": true' r.json || fail "the report must say interrupted"
[[ $(grep -c DataSet x.pvd) == $(ls x | wc -l) ]] || fail "the list and the frames differ"
rm -rf x x.pvd r.json
only

exit $((failures > 0))
