#!/usr/bin/env bash
# Exports take bounded memory: a run ten times as long needs less than twice the memory.
# once
command -v python3 >/dev/null || exit 77
source "$SOURCE/test/cli.bash"

cat >many.json <<'SCENE'
{"substeps": 1, "bodies": [
  {"kind": "rod", "line": {"to": [0.5, 0, 0], "segments": 25}, "radius": 0.01, "clamp_first": true,
   "repeat": {"count": [1, 1, 40], "spacing": [0, 0, 0.2]}},
  {"kind": "spring", "position": [0, 2, 0], "cloth": {"across": [1, 0, 0], "down": [0, 0, 1], "columns": 17, "rows": 17},
   "hold": [{"points": [0, 16]}]}
]}
SCENE

# Peak resident memory of a command, in kB.
peak() {
    python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"
}

for seconds in 2 20; do
    used[seconds]=$(peak "$SINEW" run many.json --seconds $seconds -q --threads 1 -o x.glb -o x.pc2 -o x.mdd) || fail "run of $seconds s"
    only many.json x.glb x.mdd x.pc2 x.rest.obj
done
((used[20] < 2 * used[2])) || fail "2 s take ${used[2]} kB, 20 s take ${used[20]} kB"
[[ $(stat -c %s x.pc2) -gt 10000000 ]] || fail "x.pc2 is too small to say anything"

exit $((failures > 0))
