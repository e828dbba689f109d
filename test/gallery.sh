#!/usr/bin/env bash
# docs/gallery.md shows every scene with a picture that is there and the command that draws it, and nothing else.
# once
set -uo pipefail
failures=0
say() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}
page=$SOURCE/docs/gallery.md
for scene in "$SOURCE"/scenes/*.json; do
    name=$(basename "$scene" .json)
    grep -qF "](pictures/$name.png)" "$page" || say "docs/gallery.md does not show $name"
    grep -q "\`sinew run scenes/$name.json .*-o docs/pictures/$name.png\`" "$page" || say "docs/gallery.md has no command for $name"
    [[ $(head -c 4 "$SOURCE/docs/pictures/$name.png" 2>/dev/null | tail -c 3) == PNG ]] || say "docs/pictures/$name.png is missing; scripts/pictures $name draws it"
done
for name in $(grep -o 'scenes/[a-z-]*\.json' "$page" | sort -u); do
    [[ -f $SOURCE/$name ]] || say "docs/gallery.md shows $name, which is not there"
done
# Pictures that other pages show are there too.
for page in "$SOURCE"/docs/*.md "$SOURCE"/README.md; do
    for picture in $(grep -oE '(docs/)?pictures/[A-Za-z0-9_.-]+\.(png|svg)' "$page" | sed 's,^docs/,,' | sort -u); do
        [[ -f $SOURCE/docs/$picture ]] || say "$(basename "$page") shows $picture, which is not there"
    done
done
exit $((failures > 0))
