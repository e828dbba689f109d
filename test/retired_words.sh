#!/usr/bin/env bash
# Sinew uses the words of its field. These words were retired: no identifier, file name, scene key or stage name has one of
# them as a part. Comments are not searched, nor are strings other than scene keys and stage names.
# usage: retired_words.sh [FOLDER...]     e.g. retired_words.sh src/world
# once
set -euo pipefail
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}

# The folders that are searched.
RETIRED_FOLDERS=(include src tools apps web python)
(($#)) && RETIRED_FOLDERS=("$@")

cd "$SOURCE"
# One line a word: the word, what to use instead, and, where the word has another meaning that stays, a pattern of
# "path: identifier" for that meaning.
words=$(
    cat <<'END'
forgive | shrink overlaps
forgave | shrink overlaps
meet | contact, collide, overlap
meets | contact, collide, overlap
touch | contact, collide | ^web/.*: (touch|touchstart|touchmove|touchend|touches|touchAction|changedTouches)$
touching | contact
touches | collide | ^web/.*: (touches|changedTouches)$
touched | contact
aloof | contact disabled
pace | normalised speed
led | driven
leader | driver
leaders | drivers
lead | driver
leads | drivers
carried | warm start
recall | warm start
remember | warm start
push | normal impulse, force | ^(web|python)/.*: push$
pushes | impulses
drag | friction; the drag of air and of a pointer stay | ^web/|: (MESSAGE_DRAG|([a-z_]*_)?(air_)?drag)$
yield | compliance | ^(web|python)/.*: yield$
yields | compliance
stray | deviation
strayed | deviation
calm | residual
apart | separation
went | motion
way | displacement, direction
ways | displacements, directions
most | max
least | min
stand | orientation
stands | orientations
turn | rotation, iteration
turns | rotations, iterations; the turns of a coil stay | ^tools/scene/(curve\.c|scene_rod_fields\.c|scene_spec\.h): turns$
swept | implicit muscle
sound | valid
seal | file header
why | error
tape | recorder
course | pose track
care | repair
feel | stiffness, damping
live | session
show | write proxies | ^(web|apps|tools)/
take | apply, recording | ^(web|python)/
takes | recordings
account | energy, save
shape | geometry, rigid body, outline, mesh | ^(tools|apps|web|python)/
shapes | rigid bodies | ^(tools|apps|web|python)/
tie | joint, joint filter
ties | joint filter
tied | joined
mistake | error
mistakes | errors
say | log, report
says | reports
room | capacity
END
)
# Words retired only as file names.
files='sets why written words parts'

awk -v words="$words" -v files="$files" '
function trim(s) { gsub(/^ +| +$/, "", s); return s }
function check(path, line, name, only_files,    parts, n, i, part, s) {
    s = name
    # camelCase to snake_case
    while (match(s, /[a-z0-9][A-Z]/)) s = substr(s, 1, RSTART) "_" tolower(substr(s, RSTART + 1, 1)) substr(s, RSTART + 2)
    n = split(tolower(s), parts, /[^a-z]+/)
    for (i = 1; i <= n; i++) {
        part = parts[i]
        if (!(part in instead) && !(only_files && part in file_word)) continue
        if (allowed[part] != "" && (path ": " name) ~ allowed[part]) continue
        print path ":" line ": " name ": \"" part "\" is retired" (part in instead ? "; use " instead[part] : "")
        found++
        return
    }
}
BEGIN {
    n = split(words, rows, "\n")
    for (i = 1; i <= n; i++) {
        # The pattern may hold bars: all that follows the second one.
        row = rows[i]
        a = index(row, "|"); word = trim(substr(row, 1, a - 1)); rest = substr(row, a + 1)
        b = index(rest, " | ")
        instead[word] = trim(b ? substr(rest, 1, b - 1) : rest)
        allowed[word] = b ? trim(substr(rest, b + 3)) : ""
    }
    n = split(files, rows, " ")
    for (i = 1; i <= n; i++) file_word[rows[i]]
}
FNR == 1 {
    name = FILENAME; sub(/.*\//, "", name); check(FILENAME, 1, name, 1); block = 0
    python = FILENAME ~ /\.py$/
    page = FILENAME ~ /\.ts$/
}
{
    text = $0
    # Scene keys and stage names are strings that count.
    s = text
    while (match(s, /(KEY|STAGE)[A-Z_]*\("[^"]*"/)) {
        key = substr(s, RSTART, RLENGTH); s = substr(s, RSTART + RLENGTH)
        sub(/.*\("/, "", key); sub(/"$/, "", key); check(FILENAME, FNR, key, 0)
    }
    gsub(/\\["\\]/, "", text)
    gsub(/"[^"]*"/, "", text)
    if (python || page) { gsub(/\x27[^\x27]*\x27/, "", text) }
    if (page) { gsub(/`[^`]*`/, "", text); if (text ~ /^ *\/?\*/) next }
    if (python) sub(/#.*/, "", text); else sub(/\/\/.*/, "", text)
    if (!python && text ~ /^ *# *(include|error)/) next
    n = split(text, tokens, /[^A-Za-z0-9_]+/)
    for (i = 1; i <= n; i++) if (tokens[i] ~ /[a-z]/ || tokens[i] ~ /_/) check(FILENAME, FNR, tokens[i], 0)
}
END {
    if (found) { print found " uses of retired words"; exit 1 }
}' $(find "${RETIRED_FOLDERS[@]}" -type f \( -name '*.[ch]' -o -name '*.ts' -o -name '*.py' \) -not -path '*/build/*' -not -path '*/node_modules/*' | sort)
