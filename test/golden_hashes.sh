#!/usr/bin/env bash
# The state of every scene after a while is golden: the same for any number of threads and lanes, today and tomorrow. A change
# that is meant: UPDATE=1 SINEW=... SCENES=... bash test/golden_hashes.sh
# needs: no sanitizer
set -uo pipefail
export LC_ALL=C # the order of scenes
golden=$(cd "$(dirname "$0")" && pwd)/golden_hashes.txt
report=$(mktemp)
trap 'rm -f "$report" "$report.new"' EXIT
failures=0
export SINEW_CACHE=${BUILD:-${TMPDIR:-/tmp}}/elastic-cache # what was baked is kept for the other runs

# hash SCENE OPTIONS...: the hash of a run, or nothing if it failed.
hash() {
    "$SINEW" run "$@" --seconds "$seconds" -q --report "$report" && sed -n 's/.*"hash": "\(0x[0-9a-f]*\)".*/\1/p' "$report"
}

lanes_here=(1)
for lanes in 4 8 16; do
    # A build may have one width only, and a machine may lack the widest.
    "$SINEW" run "$SCENES/cantilever.json" --seconds 0.02 -q --lanes $lanes 2>/dev/null && lanes_here+=("$lanes")
done
"$SINEW" run "$SCENES/cantilever.json" --seconds 0.02 -q --lanes 1 2>/dev/null || lanes_here=("${lanes_here[@]:1}")

for scene in "$SCENES"/*.json; do
    name=$(basename "$scene" .json)
    first=
    case $name in
    octopus-explosion) seconds=0.1 ;; # tens of thousands of contacts at its start
    noodles) seconds=0.4 ;;
    shells | tunnelling) seconds=0.2 ;;
    jump | run) seconds=0.1 ;; # a whole body takes a while to be made
    squeeze) seconds=0.1 ;; # tens of thousands of tetrahedra
    cacti | marshmallows | materials | ship | puffer-balls) continue ;; # the same, and longer to bake
    cloth | flag | hammock | jelly) seconds=0.4 ;;
    *) seconds=0.8 ;;
    esac
    for threads in 1 2; do
        for lanes in "${lanes_here[@]}"; do
            # Of the large ones only the two that differ most.
            [[ $seconds != 0.1 || $threads$lanes == "1${lanes_here[0]}" || $threads$lanes == "2${lanes_here[-1]}" ]] || continue
            value=$(hash "$scene" --threads $threads --lanes "$lanes")
            first=${first:-$value}
            if [[ -z $value || $value != "$first" ]]; then
                echo "FAILED: $name with $threads threads and $lanes lanes: '$value', not $first" >&2
                failures=$((failures + 1))
            fi
        done
    done
    echo "$name $first" >>"$report.new"
done
if [[ -n ${UPDATE:-} ]]; then
    ((failures)) || cp "$report.new" "$golden"
elif [[ ! -s $golden ]]; then
    echo "no golden hashes yet (UPDATE=1 writes them)"
    ((failures)) || exit 77
elif ! diff "$golden" "$report.new" >&2; then
    echo "FAILED: hashes differ from test/golden_hashes.txt" >&2
    failures=$((failures + 1))
fi
exit $((failures > 0))
