#!/usr/bin/env bash
# Numbers have decimal points in a locale with a decimal comma: in what is read, written and printed. The locale is made here.
# once
# takes: 5
command -v localedef >/dev/null && [[ -f /usr/share/i18n/locales/de_DE ]] || exit 77
source "$SOURCE/test/cli.bash"
mkdir locales
localedef -i de_DE -f UTF-8 "$folder/locales/de_DE.UTF-8" >/dev/null 2>&1
comma=(env LOCPATH="$folder/locales" LC_ALL=de_DE.UTF-8)
[[ $("${comma[@]}" bash -c 'printf "%.1f" 0,5' 2>/dev/null) == 0,5 ]] || fail "the locale has no decimal comma"

# A program that sets its locale and links the tools.
expect 0 '' "${comma[@]}" SN_COMMA_LOCALE=1 "$BUILD/test/test_locale"

# The command line, from numbers in options and files to every format.
make_all() { # FOLDER COMMAND...
    local out=$1
    shift
    mkdir "$out"
    cat >"$out/scene.json" <<'SCENE'
{"bodies": [{"kind": "rod", "points": [[0, 1.5, 0], [0.125, 1.5, 0], [0.25, 1.75, 0]]},
            {"kind": "elastic", "zoo": "block", "spheres": 8, "tets": 800, "position": [0.5, 2.25, 0]}]}
SCENE
    (
        cd "$out" && export SINEW_CACHE=$PWD/cache
        "$@" run scene.json --seconds 0.1 -q --threads 1 -o x.obj -o x.vtp -o x.pvd -o x.glb -o x.pc2 -o x.mdd -o x.png --size 64x48 \
            --plot x.svg --record x.run 2>/dev/null &&
            "$@" zoo torus --triangles 400 --size 1.5 -o torus.obj >/dev/null &&
            "$@" mesh torus.obj --smooth 0.01 -o smooth.obj >/dev/null &&
            "$@" tet torus.obj --size-ratio 0.1 -o t.msh -o t.mesh -o t.node -o t.vtk -q 2>/dev/null &&
            "$@" medial torus.obj --spheres 6 -o t.ma -q &&
            "$@" zoo brachialis -o muscle.obj >/dev/null && "$@" viperize muscle.obj --scale 0.5 -o m.rig.json -q &&
            "$@" info torus.obj >info && "$@" info scene.json >>info
    ) || fail "$out: a command failed"
}
make_all point env LC_ALL=C "$SINEW"
make_all comma "${comma[@]}" "$SINEW"
diff -r point comma || fail "the files differ"
grep -rlE '[0-9],[0-9]+ -?[0-9]+,[0-9]' comma/*.obj comma/t.* && fail "decimal commas"
exit $((failures > 0))
