#!/usr/bin/env bash
# The state of every scene after a while is golden: the same for any number of threads and lanes, today and tomorrow. A change
# that is meant: UPDATE=1 SINEW=... SCENES=... bash test/golden_hashes.sh
# On another platform RUNNER is the program that runs SINEW, and each scene runs once, with threads and lanes in turn. Where that
# is too slow, BESIDE is the program of this machine: it runs every scene too, and both only a BRIEF-th of the time.
# needs: no sanitizer
# takes: 40
# parts: 4
# compilers: all
set -uo pipefail
export LC_ALL=C # the order of scenes
golden=$(cd "$(dirname "$0")" && pwd)/golden_hashes.txt
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
export SINEW_CACHE=${BUILD:-${TMPDIR:-/tmp}}/elastic-cache # what was baked is kept for the other runs

# hash SCENE OPTIONS...: the hash of a run, or nothing if it failed.
hash() {
    ${RUNNER:-} "$SINEW" run "$@" --seconds "$seconds" -q --report "$folder/report" &&
        sed -n 's/.*"hash": "\(0x[0-9a-f]*\)".*/\1/p' "$folder/report"
}

lanes_here=()
for lanes in 1 4 8 16; do
    # A build may have one width only, and a machine may lack the widest.
    ${RUNNER:-} "$SINEW" run "$SCENES/cantilever.json" --seconds 0.02 -q --lanes $lanes 2>/dev/null && lanes_here+=("$lanes")
done
if ((${#lanes_here[@]} == 0)); then
    echo "FAILED: no run of cantilever.json with any number of lanes" >&2
    exit 1
fi
# Threads and lanes of each run: every width once, alone or with a second thread in turn.
runs=()
for i in "${!lanes_here[@]}"; do runs+=("$((1 + i % 2)) ${lanes_here[i]}"); done
((${#runs[@]} > 1)) || runs+=("2 ${lanes_here[0]}")

index=0
for scene in "$SCENES"/*.json; do
    name=$(basename "$scene" .json)
    of_this=("${runs[@]}")
    case $name in
    octopus-explosion) seconds=0.02 ;; # tens of thousands of contacts at its start
    everything) seconds=0.2 ;; # a whole body, and what falls on it
    noodles) seconds=0.4 ;;
    shells | tunnelling) seconds=0.2 ;;
    jump | run) seconds=0.1 ;; # a whole body takes a while to be made
    squeeze) seconds=0.1 ;; # tens of thousands of tetrahedra
    cacti | marshmallows | materials | ship | puffer-balls) continue ;; # the same, and longer to bake
    cloth | flag | hammock | jelly) seconds=0.4 ;;
    *) seconds=0.8 ;;
    esac
    # Of the large ones only the two widths that differ most.
    [[ $seconds != 0.02 && $seconds != 0.1 ]] || of_this=("1 ${lanes_here[0]}" "2 ${lanes_here[-1]}")
    [[ -z ${BESIDE:-} ]] || seconds=$(awk -v s=$seconds -v by="${BRIEF:-8}" 'BEGIN { print s / by }')
    echo "$name" >>"$folder/names"
    index=$((index + 1))
    [[ -z ${RUNNER:-} ]] || of_this=("${runs[index % ${#runs[@]}]}")
    [[ -z ${PARTS:-} ]] || ((index % PARTS == PART % PARTS)) || continue # CTest shares the scenes out
    first=
    for run in "${of_this[@]}"; do
        read -r threads lanes <<<"$run"
        value=$(hash "$scene" --threads "$threads" --lanes "$lanes")
        first=${first:-$value}
        if [[ -z $value || $value != "$first" ]]; then
            echo "FAILED: $name with $threads threads and $lanes lanes: '$value', not $first" >&2
            failures=$((failures + 1))
        fi
    done
    if [[ -n ${BESIDE:-} ]]; then
        here=$(RUNNER='' SINEW=$BESIDE && hash "$scene" --threads 1)
        [[ -n $first && $first == "$here" ]] && continue
        echo "FAILED: $name is $first after $seconds s; $BESIDE has $here" >&2
        failures=$((failures + 1))
        continue
    fi
    echo "$name $first" >>"$folder/new"
done
if [[ -n ${UPDATE:-} ]]; then
    ((failures)) || cp "$folder/new" "$golden"
    exit $((failures > 0))
fi
if ! diff <(cut -d ' ' -f 1 "$golden") "$folder/names" >&2; then
    echo "FAILED: test/golden_hashes.txt has other scenes than the folder" >&2
    failures=$((failures + 1))
fi
touch "$folder/new"
while read -r name value; do
    grep -qx "$name $value" "$golden" && continue
    echo "FAILED: $name is $value; test/golden_hashes.txt has $(grep "^$name " "$golden")" >&2
    failures=$((failures + 1))
done <"$folder/new"
exit $((failures > 0))
