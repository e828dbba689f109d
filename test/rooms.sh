#!/usr/bin/env bash
# Data flows one way through the rooms: a file may include only headers of its own room and of the rooms above it in the
# lists below. libsinew may include no library of the machine but libc, libm and threads.
# once
set -euo pipefail

library=(base geometry kinds/rod kinds/spring kinds/elastic kinds/implicit_muscle kinds/rigid couplings/contact
    couplings/joint couplings/bundle couplings/muscle_driver world query draw skin assets)
tools=(system mesh tets fields medial bake zoo view formats render scene capture session api)
declare -A place
i=0
for room in "${library[@]}" "${tools[@]}"; do place[$room]=$((i++)); done

bad=0
say() {
    echo "$1" >&2
    bad=1
}

# The room of a path such as kinds/rod/rod_body.h: the longest listed prefix.
room_of() {
    local path=$1
    while [[ $path == */* ]]; do
        path=${path%/*}
        if [[ -n ${place[$path]:-} ]]; then
            echo "$path"
            return
        fi
    done
}

check() { # FOLDER ROOMS...
    local top=$1
    shift
    for room; do
        [[ -d $SOURCE/$top/$room ]] || say "$top/$room is in the list of rooms but not there"
    done
    while IFS=: read -r file line text; do
        local name=${file#"$SOURCE/$top/"} what=${text#*\"}
        what=${what%\"*}
        [[ $what == sinew/* || $what == kind_list.h ]] && continue # the latter is generated
        local room=$(room_of "$name") other=$(room_of "$what")
        if [[ -z $room ]]; then
            say "$file is in no room of the list in $0"
        elif [[ -z $other ]]; then
            say "$file:$line: includes \"$what\": name its room, as in \"base/log.h\""
        elif ((place[$other] > place[$room])); then
            say "$file:$line: $top/$room includes \"$what\", but $other comes after it"
        fi
    done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$SOURCE/$top" --include='*.[ch]')
}
check src "${library[@]}"
check tools "${tools[@]}"

# What is of one system lies in base/platform_*.c.
allowed='assert|errno|float|immintrin|inttypes|limits|math|pthread|sched|signal|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|string|time|unistd|xmmintrin|wasm_simd128'
while IFS=: read -r file line text; do
    what=${text#*<}
    say "$file:$line: libsinew includes <${what%>*}>"
done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*<' "$SOURCE/src" --include='*.[ch]' --exclude='platform_*.c' |
    grep -vE "<($allowed)\.h>" || true)
# No two libms round alike: what is simulated or made from files uses base/math/trig.h and mesh/maths.h. Pictures may differ, and
# sqrt, floor, fmod and the like are exact.
while IFS=: read -r file line text; do
    say "$file:$line: calls a function of libm that is rounded differently elsewhere; mesh/maths.h has ours"
done < <(grep -rnE '(^|[^a-zA-Z0-9_.>])(a?sin|a?cos|a?tan|atan2|sinh|cosh|tanh|exp|exp2|expm1|log|log2|log10|log1p|pow|cbrt|hypot|fma)f?\(' \
    "$SOURCE/src" "$SOURCE/tools" --include='*.[ch]' | grep -vE '^[^:]*/tools/(render/|api/|capture/plot\.c)|:[^:]*:[^"]*//.*\(|:[0-9]+: *//' |
    grep -vE '"[^"]*\b(exp|log|sin|cos|asin)\(' || true)
exit $bad
