#!/usr/bin/env bash
# sinew implicit: bakes the skin of a character of a file or a scene; what cannot be is said once, with the file's name.
source "$(dirname "$0")/cli.bash"
"$SINEW" zoo elbow -o elbow.glb >/dev/null || fail "the zoo has no elbow"
expect 0 "elbow.imp: " "$SINEW" implicit elbow.glb -o elbow.imp
[[ -s elbow.imp ]] || fail "elbow.imp is not there"
expect 0 "bone 1: forearm" "$SINEW" implicit "$SCENES/elbow-fold.json" -o scene.imp --body implicit
expect 2 'no character called "nobody"' "$SINEW" implicit "$SCENES/elbow-fold.json" -o x.imp --body nobody
expect 2 "it has no character" "$SINEW" implicit "$SCENES/stack.json" -o x.imp
echo text >bad.txt
expect 2 "bad.txt: error: unknown file type" "$SINEW" implicit bad.txt -o x.imp
[[ $(grep -o "bad.txt" "$folder.said" | wc -l) == 1 ]] || fail "the file is named twice: $(cat "$folder.said")"
expect 2 "missing output: use -o OUT" "$SINEW" implicit elbow.glb
expect 1 "cannot" "$SINEW" implicit elbow.glb -o missing/x.imp
[[ ! -e x.imp ]] || fail "something was left behind"
exit $((failures > 0))
