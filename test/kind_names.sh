#!/usr/bin/env bash
# A kind of body is its folder and one row in each table: nothing else names it. Lists, for every kind, the files outside its
# own that have its functions (sn_rod_*), its id (SN_KIND_ROD), its headers or its rows (scene_rod_*, view_rod), and fails if one
# of them is not permitted below. Comments do not count; nor do tests, examples and benchmarks, which use kinds.
# once
set -euo pipefail
cd "$SOURCE"

kinds=(rod spring elastic implicit_muscle rigid particle)

# A kind's own files: its folder, its public header, its rows, what bakes and loads its assets, and the rooms that are about it:
# couplings and skins of rods and of implicit muscles, and scene kinds that are made of it.
own_files() {
    local folders="^(src/kinds|test/kinds)/$1/|^include/sinew/$1\.h$|^tools/(scene|view)/(scene|view)_$1"
    case $1 in
    rod)
        folders+="|^src/couplings/(bundle|muscle_driver)/|^src/skin/linear/" # bundles of rods; skins that follow rods
        folders+="|^tools/scene/scene_(muscle|character)|^tools/session/shots\.c$" # made of rods: muscles; what the page shoots
        ;;
    elastic)
        folders+="|^(tools/bake|tools/medial|tools/render|tools/formats|tools/scene|tools/capture|src/assets|apps/sinew)/(cmd_)?elastic_"
        folders+="|^apps/sinew/cmd_elastic\.c$|^include/sinew/(tools/)?(asset|bake)\.h$|^tools/api/api_(asset|bake)\.c$"
        ;;
    implicit_muscle)
        folders+="|^src/couplings/muscle_driver/|^src/skin/implicit/|^include/sinew/implicit_skin\.h$" # the skin over such muscles
        folders+="|^tools/scene/(scene_character|character|muscle_numbers)|^tools/session/characters\.c$|^tools/zoo/body\."
        ;;
    rigid) folders+="|^tools/scene/scene_character" ;; # the bones of a character
    esac
    echo "$folders"
}

# KINDS FILES WHY, where the first two are patterns: tables only.
permitted='
rod|spring|elastic|implicit_muscle|rigid include/sinew/(body|sinew)\.h  the ids, and the header of all headers
rod|spring|elastic|implicit_muscle|rigid python/sinew/__init__\.py     the table of calls that Python binds
elastic                                  python/sinew/tools\.py        baking of elastic bodies
rod|spring|rigid                         tools/scene/calls\.c          the table of calls that a timeline makes
rigid                                    tools/scene/scene_kinds\.c    the tables of kinds and lists
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
