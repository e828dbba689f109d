#!/usr/bin/env bash
# A kind of body is its folder and one row in each table: nothing else names it. Lists, for every kind, the files outside its
# own that have its functions (sn_rod_*), its id (SN_KIND_ROD), its headers or its rows (scene_rod_*, view_rod), and fails if one
# of them is not permitted below. Comments do not count; nor do tests, examples and benchmarks, which use kinds.
# once
set -euo pipefail
cd "$SOURCE"

kinds=(rod spring elastic implicit_muscle rigid particle)

# A kind's own files: its folder, its public header, its rows, and what bakes its assets.
own_files() {
    local folders="^(src/kinds|test/kinds)/$1/|^include/sinew/$1\.h$|^tools/(scene|view)/(scene|view)_$1"
    case $1 in
    elastic) echo "$folders|^(tools/[a-z]+|src/assets|apps/sinew)/(cmd_)?elastic[_.]" ;;
    implicit_muscle) echo "$folders|^tools/scene/(scene_character|character|muscle_numbers)" ;; # a character's muscles
    *) echo "$folders" ;;
    esac
}

# KINDS FILES WHY, where the first two are patterns.
permitted='
rod|spring|elastic|implicit_muscle|rigid include/sinew/(body|sinew)\.h          the ids, and the header of all headers
rod|spring|elastic|implicit_muscle|rigid python/sinew\.py                   binds the calls of every kind by name
rod                       src/couplings/bundle/.*                             a bundle is made of rods
rod|implicit_muscle       src/couplings/muscle_driver/muscle_driver\.c        bundles of rods drive implicit muscles
rod                       src/skin/linear/skin_(follow|instance)\.c           these skins follow rods
implicit_muscle           (src/skin/implicit/.*|include/sinew/implicit_skin\.h) this skin lies over implicit muscles
rigid                     src/geometry/collider\.h                            the geometries that rigid bodies have
elastic                   include/sinew/(tools/)?(asset|bake)\.h               loads and bakes elastic bodies
elastic                   tools/api/api_(asset|bake)\.c                     loads and bakes elastic bodies
rod|rigid                 tools/scene/scene_muscle\.c                         a muscle is made of rods, between rigid bodies
rod|rigid                 tools/scene/scene_character.*                       a character has bones and bundles of rods
rod|spring|rigid          tools/scene/calls\.c                                a table: one row for each call of a timeline
rigid                     tools/(scene/scene_(build|check|drive)|capture/scene_view)\.c a scene lists rigid bodies apart from "bodies"
rod                       tools/session/shots\.c                              a shot is a rod of one pill
implicit_muscle           tools/session/characters\.c                         the muscles of a character in a session
implicit_muscle           tools/zoo/body\.[ch]                                the muscles of a character of the zoo
'

why_permitted() { # KIND FILE
    local kinds files why
    while read -r kinds files why; do
        [[ -n $kinds && $1 =~ ^($kinds)$ && $2 =~ ^($files)$ ]] && echo "$why" && return
    done <<<"$permitted"
    return 1
}

# Whether the code of a file, without its comments, has a pattern.
named_in() { # PATTERN FILE
    sed -E 's@//.*@@' "$2" | grep -E "$1" >/dev/null # not -q: it would end the pipe early
}

bad=0
files=$(find src include tools apps python web/engine -name '*.[ch]' -o -name '*.py' | sort)
for kind in "${kinds[@]}"; do
    upper=${kind^^}
    names="\bsn_${kind}s?_|\bSN_KIND_$upper\b|#include \"(sinew/|kinds/)?$kind[./]|\bview_$kind\b|\bscene_${kind}s?_"
    own=$(own_files "$kind")
    echo "$kind:"
    while read -r file; do
        [[ $file =~ $own ]] && continue
        named_in "$names" "$file" || continue
        if why=$(why_permitted "$kind" "$file"); then
            echo "    $file: $why"
        else
            echo "    $file names the kind '$kind'; go through its row in a table (docs/adding-a-kind.md)" >&2
            bad=1
        fi
    done < <(grep -lE "$names" $files || true)
done
exit $bad
