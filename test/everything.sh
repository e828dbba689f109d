#!/usr/bin/env bash
# All kinds in one world: in scenes/everything.json a body of every kind presses on one of another kind, nothing diverges
# or stays deep in something else (but while the character jumps, which squeezes what lies on it), and the implicit muscles keep their
# volume.
# needs: no sanitizer
# needs: gcc
# takes: 20
source "$(dirname "$0")/cli.bash"
export SINEW_CACHE=$BUILD/elastic-cache

expect 0 "wrote r.json" "$SINEW" run "$SCENES/everything.json" --seconds 1.2 --report r.json
python3 - r.json "$SCENES/everything.json" <<'END' || fail "the report is not as it should be"
import json, sys

report, scene = (json.load(open(name)) for name in sys.argv[1:])
kinds = sorted({body["kind"] for body in scene["bodies"]})
touches = {kind: set() for kind in kinds}
for pair in report["contact_pairs"]:
    a, b = (pair[side].split()[0] for side in "ab")
    if a != b:
        touches[a].add(b)
        touches[b].add(a)
good = True
for kind in kinds:
    print(kind, "touches", ", ".join(sorted(touches[kind])) or "nothing of another kind")
    good &= bool(touches[kind])
good &= len(kinds) >= 5 and report["finite"] and report["penetration"]["end"] < 0.1
good &= abs(report["muscles"]["volume"]["min"] - 1) < 0.01 and abs(report["muscles"]["volume"]["max"] - 1) < 0.01
print("finite", report["finite"], "penetration", report["penetration"], "muscles", report["muscles"])
sys.exit(0 if good else 1)
END
exit $((failures > 0))
