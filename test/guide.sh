#!/usr/bin/env bash
# docs/guide.md, and the limb of docs/muscles.md, do what they say: files are taken from the pages, and their commands (```sh) are
# run in order.
# needs: no sanitizer
# needs: gcc
source "$(dirname "$0")/cli.bash"
mkdir path && ln -s "$SINEW" path/sinew && PATH=$PWD/path:$PATH

# Files stand in blocks that name them: ```json rod.json
files_of() {
    awk '/^```json [a-z.-]+$/ { file = $2; next } /^```/ { file = ""; next } file { print > file }' "$1"
}

# Runs the commands of a page, from a heading on if one is given; there must be so many at least.
commands_of() {
    local page=$1 least=$2 from=${3:-} commands=0 line
    while IFS= read -r line; do
        commands=$((commands + 1))
        bash -c "$line" >said 2>&1 || fail "$line: $(cat said)"
    done < <(awk -v from="$from" '
        from == "" || $0 == from { begun = 1 }
        /^```sh$/ { inside = begun; next }
        /^```/ { inside = 0; next }
        inside { print }' "$page")
    ((commands >= least)) || fail "only $commands commands in $page"
}

made() {
    local file
    for file in "$@"; do [[ -s $file ]] || fail "the commands did not make $file"; done
}

page=$SOURCE/docs/guide.md
files_of "$page"
[[ -s rod.json && -s arm.json ]] || fail "the guide's scenes were not found"
commands_of "$page" 9
made rod.png rod.glb rod.report.json biceps.rig.json biceps.png arm.png arm.glb arm.pc2

# What it promises of the muscle: shorter at its end, and of the same volume.
sinew run arm.json -q --report report.json || fail "the arm does not run"
grep -A1 '"volume"' report.json | grep -qE '"min": (0\.9[5-9]|1\.0)' || fail "the muscle does not keep its volume: $(grep -A3 '"volume"' report.json)"

# Links lead somewhere.
for link in $(grep -oE '\]\([^)#]+' "$page" | cut -c3-); do
    [[ -e $(dirname "$page")/$link ]] || fail "the guide links to $link, which is not there"
done

# A limb from meshes: its muscles keep their volume, and nothing shakes.
mkdir limb && cd limb || exit 1
files_of "$SOURCE/docs/muscles.md"
commands_of "$SOURCE/docs/muscles.md" 4 "## A limb from meshes"
made arm.png triceps.rig.json
sinew run arm.json -q --report report.json || fail "the limb does not run"
python3 - report.json <<'END' || fail "the limb is not at rest: $(cat report.json)"
import json, sys
report = json.load(open(sys.argv[1]))
sys.exit(not (report["finite"] and report["energy"]["max"] < 2 and report["volume"]["min"] > 0.9 and report["volume"]["max"] < 1.1))
END
exit $((failures > 0))
