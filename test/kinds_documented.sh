#!/usr/bin/env bash
# Every kind of body has a page: what it is in scenes and in programs, a picture that is there, its maths with formulas, how
# it is solved, what differs from the paper, and its limits. Kinds are those of scene files and those that the world steps.
# once
set -uo pipefail
failures=0
say() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# check PAGE
check() {
    local page=$1 name section picture
    name=docs/$(basename "$page")
    for section in "The maths" "How it is solved" "What differs from the paper" "Limits"; do
        grep -qx "## $section" "$page" || say "$name has no section \"$section\""
    done
    (($(sed -n '/^## The maths/,/^## How it is solved/p' "$page" | grep -c '^    .*=') >= 2)) ||
        say "$name has no formulas in its maths"
    grep -q 'pictures/' "$page" || say "$name has no picture"
    for picture in $(grep -oE 'pictures/[A-Za-z0-9_.-]+' "$page" | sort -u); do
        [[ $(head -c 4 "$SOURCE/docs/$picture" 2>/dev/null | tail -c 3) == PNG ]] || say "$name shows $picture, which is not there"
    done
    grep -q '^| in scenes | ' "$page" || say "$name does not say how scenes have it"
    grep -oE '\.\./include/sinew/[a-z]+\.h' "$page" | while read -r header; do [[ -f $SOURCE/docs/$header ]] || exit 1; done ||
        say "$name names a header that is not there"
    grep -q '^| in programs | \[[a-z]*\.h\](../include/sinew/' "$page" || say "$name does not name its header"
}

kinds=$(sed -n 's/.*&scene_\([a-z]*\)_type, ".*/\1/p' "$SOURCE/tools/scene/scene_kinds.c")
[[ -n $kinds ]] || say "tools/scene/scene_kinds.c lists no kinds"
for kind in $kinds; do
    mapfile -t pages < <(grep -lF "| in scenes | \`\"kind\": \"$kind\"\`" "$SOURCE"/docs/*.md)
    ((${#pages[@]})) || say "no page of docs is about the kind \"$kind\" of scenes"
    for page in "${pages[@]}"; do check "$page"; done
done

# The rooms of the kinds that the world steps.
rooms=$(sed -n 's/.*= &\(sn_[a-z]*_kind\),.*/\1/p' "$SOURCE/src/world/kinds.c" |
    while read -r table; do dirname "$(grep -l "^const sn_kind $table = " "$SOURCE"/src/kinds/*/*.c)"; done)
[[ -n $rooms ]] || say "src/world/kinds.c lists no kinds"
for room in $rooms; do
    grep -q "^| in the tree | .*src/kinds/$(basename "$room")/" "$SOURCE"/docs/*.md || say "no page of docs is about src/kinds/$(basename "$room")"
done
exit $((failures > 0))
