#!/usr/bin/env bash
# Data flows one way through the rooms: a file may include only what its own room has and what the rooms before it have,
# in the order of the list below. Libraries of the machine are for the tools alone.
# once
set -euo pipefail

rooms=(base shape rod spring elastic muscle contact world skin live prepare zoo io render)
library=9 # that many from the start are libsinew; 'live' and the rest are tools
declare -A place
for i in "${!rooms[@]}"; do place[${rooms[i]}]=$i; done

bad=0
say() {
    echo "$1" >&2
    bad=1
}

for room in "${rooms[@]}"; do
    [[ -d $SOURCE/src/$room ]] || say "src/$room is in the list of rooms but not there"
    while IFS=: read -r file line text; do
        what=${text#*\"}
        what=${what%\"*}
        other=${what%%/*}
        [[ $other == sinew || $other == "$room" ]] && continue
        if [[ -z ${place[$other]:-} ]]; then
            say "$file:$line: includes \"$what\": name its room, as in \"base/vec.h\""
        elif ((place[$other] > place[$room])); then
            say "$file:$line: src/$room includes \"$what\", but src/$other comes after it"
        fi
    done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$SOURCE/src/$room" --include='*.[ch]')
done

for folder in "$SOURCE"/src/*/; do
    name=$(basename "$folder")
    [[ -n ${place[$name]:-} ]] || say "src/$name is in no place in the list of rooms in $0"
done

# libsinew needs the C library and threads, nothing else.
allowed='assert|errno|float|immintrin|inttypes|limits|math|pthread|sched|signal|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|string|time|unistd|xmmintrin|wasm_simd128'
for room in "${rooms[@]:0:library}"; do
    while IFS=: read -r file line text; do
        what=${text#*<}
        say "$file:$line: libsinew includes <${what%>*}>"
    done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*<' "$SOURCE/src/$room" --include='*.[ch]' |
        grep -vE "<($allowed)\.h>" || true)
done
exit $bad
