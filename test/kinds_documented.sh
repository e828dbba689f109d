#!/usr/bin/env bash
# Every kind of body has a page: what it is in scenes and in programs, a picture that is there, its maths with formulas, how
# it is solved, what differs from the paper, and its limits. Kinds are those of scene files and those that the world steps.
# once
set -uo pipefail
failures=0
fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# check PAGE
check() {
    local page=$1 name section picture
    name=docs/$(basename "$page")
    for section in "The maths" "How it is solved" "What differs from the paper" "Limits"; do
        grep -qx "## $section" "$page" || fail "$name has no section \"$section\""
    done
    (($(sed -n '/^## The maths/,/^## How it is solved/p' "$page" | grep -c '^    .*=') >= 2)) ||
        fail "$name has no formulas in its maths"
    grep -q 'pictures/' "$page" || fail "$name has no picture"
    for picture in $(grep -oE 'pictures/[A-Za-z0-9_.-]+' "$page" | sort -u); do
        [[ $(head -c 4 "$SOURCE/docs/$picture" 2>/dev/null | tail -c 3) == PNG ]] || fail "$name shows $picture, which is not there"
    done
    grep -q '^| in scenes | ' "$page" || fail "$name does not say how scenes have it"
    grep -oE '\.\./include/sinew/[a-z_]+\.h' "$page" | while read -r header; do [[ -f $SOURCE/docs/$header ]] || exit 1; done ||
        fail "$name names a header that is not there"
    grep -q '^| in programs | \[[a-z_]*\.h\](../include/sinew/' "$page" || fail "$name does not name its header"
}

kinds=$(awk '/"oneOf"/ { on = 1 } on && /\]/ { exit } on && /\$defs/ { gsub(/^"#\/\$defs\/|"$/, "", $2); print $2 }' "$SOURCE/docs/scene.schema.json")
[[ -n $kinds ]] || fail "the schema of scenes lists no kinds"
for kind in $kinds; do
    mapfile -t pages < <(grep -lF "| in scenes | \`\"kind\": \"$kind\"\`" "$SOURCE"/docs/*.md)
    ((${#pages[@]})) || fail "no page of docs is about the kind \"$kind\" of scenes"
    for page in "${pages[@]}"; do check "$page"; done
done

# The kinds that the library is built with by default, and those that have a folder: the same, each with a page.
listed=$(sed -n 's/^set(SN_KINDS \([a-z_ ]*\) CACHE.*/\1/p' "$SOURCE/CMakeLists.txt" | tr ' ' '\n' | LC_ALL=C sort)
folders=$(cd "$SOURCE/src/kinds" && printf '%s\n' */ | tr -d / | LC_ALL=C sort)
[[ -n $listed ]] || fail "SN_KINDS of CMakeLists.txt lists no kinds"
[[ $listed == "$folders" ]] || fail "SN_KINDS and the folders of src/kinds differ:" $listed "|" $folders
for kind in $listed; do
    grep -q "^const sn_kind_ops sn_${kind}_kind = " "$SOURCE/src/kinds/$kind"/*.c || fail "src/kinds/$kind has no table of operations"
    mapfile -t pages < <(grep -l "^| in the tree | .*src/kinds/$kind/" "$SOURCE"/docs/*.md)
    ((${#pages[@]})) || fail "no page of docs is about src/kinds/$kind"
    for page in "${pages[@]}"; do check "$page"; done
done
exit $((failures > 0))
