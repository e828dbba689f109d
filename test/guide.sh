#!/usr/bin/env bash
# docs/guide.md does what it says: its files are taken from the page, and its commands (```sh) are run in order.
# needs: no sanitizer
# needs: gcc
source "$(dirname "$0")/cli.bash"
page=$SOURCE/docs/guide.md
mkdir path && ln -s "$SINEW" path/sinew && PATH=$PWD/path:$PATH

# Files stand in blocks that name them: ```json rod.json
awk '/^```json [a-z.-]+$/ { file = $2; next } /^```/ { file = ""; next } file { print > file }' "$page"
[[ -s rod.json && -s arm.json ]] || fail "the guide's scenes were not found"

commands=0
while IFS= read -r line; do
    commands=$((commands + 1))
    bash -c "$line" >said 2>&1 || fail "$line: $(cat said)"
done < <(awk '/^```sh$/ { inside = 1; next } /^```/ { inside = 0; next } inside { print }' "$page")
((commands >= 9)) || fail "only $commands commands in the guide"
for file in rod.png rod.glb rod.report.json biceps.rig.json biceps.png arm.png arm.glb arm.pc2; do
    [[ -s $file ]] || fail "the guide's commands did not make $file"
done

# What it promises of the muscle: shorter at its end, and of the same volume.
sinew run arm.json -q --report report.json || fail "the arm does not run"
grep -A1 '"volume"' report.json | grep -qE '"min": (0\.9[5-9]|1\.0)' || fail "the muscle does not keep its volume: $(grep -A3 '"volume"' report.json)"

# Links lead somewhere.
for link in $(grep -oE '\]\([^)#]+' "$page" | cut -c3-); do
    [[ -e $(dirname "$page")/$link ]] || fail "the guide links to $link, which is not there"
done
exit $((failures > 0))
