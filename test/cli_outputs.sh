#!/usr/bin/env bash
# Files that commands write: through links, over old files, by killed processes, by two at once; and what cannot be printed.
# takes: 10
source "$SOURCE/test/cli.bash"
full='cannot write to the standard output: No space left on device'
zoo=("$SINEW" zoo torus --triangles 400)

# Whatever prints fails when it cannot.
"${zoo[@]}" -o torus.obj >/dev/null || fail "zoo"
echo '{"bodies": [{"kind": "rod", "points": [[0, 1, 0], [0.1, 1, 0], [0.2, 1, 0]]}]}' >rod.json
say_full() { expect 1 "$full" bash -c '"$@" >/dev/full' - "$SINEW" "$@"; }
say_full --help
say_full --version
say_full info torus.obj
say_full info --json torus.obj
say_full info rod.json
say_full check rod.json
say_full run --help
say_full run rod.json --seconds 0.1
say_full zoo torus -o other.obj
say_full mesh torus.obj -o other.obj
say_full tet torus.obj --tets 500 -o torus.msh
say_full medial torus.obj --spheres 6 -o torus.ma
say_full elastic torus.obj --tets 800 --spheres 6 -o torus.elastic
say_full bake rod.json -o rod.snb
# A pipe that nobody reads: its reader closed before the writer begins.
mkfifo unread
expect 1 'cannot write to the standard output' bash -c 'exec 8<>unread 9>unread 8<&-; "$@" >&9' - "$SINEW" info torus.obj
rm -f unread other.obj torus.msh torus.ma torus.elastic rod.snb

# Closed streams do not become files that are written.
expect 1 'cannot write to the standard output' bash -c '"$@" >&-' - "${zoo[@]}" -o closed.obj
expect 0 '' bash -c '"$@" <&- >/dev/null 2>&-' - "${zoo[@]}" -o closed.obj
cmp torus.obj closed.obj || fail "with closed streams the file differs"
expect 0 '' bash -c '"$@" <&- >&- 2>&-' - "$SINEW" run rod.json --seconds 0.1 -q -o closed.vtp
"$SINEW" run rod.json --seconds 0.1 -q -o open.vtp || fail "run"
cmp open.vtp closed.vtp || fail "with closed streams the run differs"
rm -f closed.obj closed.vtp open.vtp

# A link stays, and what it points to is replaced: in another folder, over several links, and where there is nothing yet.
mkdir there
echo old >there/real.obj
ln -s there/real.obj link.obj
ln -s link.obj link2.obj
ln -s there/new.obj dangling.obj
ln -s loop.obj loop.obj
"${zoo[@]}" -o link2.obj >/dev/null || fail "write through a link"
"${zoo[@]}" -o dangling.obj >/dev/null || fail "write through a link to nothing"
[[ -L link.obj && -L link2.obj && -L dangling.obj ]] || fail "a link was replaced"
cmp torus.obj there/real.obj && cmp torus.obj there/new.obj || fail "the target was not written"
expect 1 'cannot write loop.obj' "${zoo[@]}" -o loop.obj
[[ $(ls -A there) == $'new.obj\nreal.obj' ]] || fail "left beside the target: $(ls -A there)"
rm -rf there link.obj link2.obj dangling.obj loop.obj

# A killed process leaves nothing of a file; of a folder of frames until the next run.
long=("$SINEW" run rod.json --seconds 100000 -q -o x.pvd -o x.glb -o x.png --report x.report --plot x.svg)
kill_with() { # SIGNAL
    "${long[@]}" >/dev/null 2>&1 &
    local child=$!
    for ((i = 0; i < 500; i++)); do
        compgen -G 'x.tmp-*/frame_00001.vtp' >/dev/null && break
        sleep 0.02
    done
    kill -"$1" $child
    wait $child 2>/dev/null
}
kill_with KILL
[[ $(compgen -G 'x*' | grep -cv '^x\.tmp-') == 0 ]] || fail "kill -9 left: $(ls -A)"
[[ $(compgen -G 'x.tmp-*' | wc -l) == 1 ]] || fail "kill -9 left: $(ls -A)"
"$SINEW" run rod.json --seconds 0.1 -q -o x.pvd || fail "run after one that was killed"
only rod.json torus.obj x x.pvd
rm -rf x x.pvd
for signal in TERM INT; do
    set -m # an interrupt is ignored in the background otherwise
    kill_with $signal
    set +m
    compgen -G 'x*tmp-*' >/dev/null && fail "SIG$signal left: $(ls -A)"
    rm -rf x x.*
done

# Stale files are removed by the next that writes the same name, but not one that somebody still writes.
touch torus.obj.tmp-abc123 torus.obj.tmp-live00 torus.obj.tmp-abc1234 other.obj.tmp-abc123
exec 9<torus.obj.tmp-live00
flock 9
"${zoo[@]}" -o torus.obj >/dev/null || fail "zoo beside stale files"
only other.obj.tmp-abc123 rod.json torus.obj torus.obj.tmp-abc1234 torus.obj.tmp-live00
exec 9<&-
rm -f ./*.tmp-*

# Two processes that bake the same body, and write the same file, at once.
echo '{"bodies": [{"kind": "elastic", "zoo": "block", "spheres": 8, "tets": 800}]}' >block.json
children=()
for i in 1 2 3; do
    SINEW_CACHE=$folder/cache "$SINEW" run block.json --seconds 0.05 -q --threads 1 -o same.vtp --report report$i &
    children+=($!)
done
for child in "${children[@]}"; do wait "$child" || fail "one of three that baked at once"; done
for i in 1 2 3; do grep -o '"hash": "[^"]*"' report$i; done | sort -u >hashes
[[ $(wc -l <hashes) == 1 ]] || fail "baked at once, they differ: $(cat hashes)"
[[ $(find cache -type f | wc -l) == 1 ]] || fail "in the cache: $(ls cache)"
cp -r cache first
rm -r cache
SINEW_CACHE=$folder/cache "$SINEW" run block.json --seconds 0.05 -q --report report1 2>/dev/null || fail "baked alone"
diff -r first cache || fail "baked alone, the cache differs"
exit $((failures > 0))
