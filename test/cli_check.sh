#!/usr/bin/env bash
# sinew check: scenes of the tree are fine, errors are said with their place, exit codes are as promised.
# takes: 20
source "$SOURCE/test/cli.bash"

export SINEW_CACHE=${BUILD:-$folder}/elastic-cache # elastic bodies are baked once
light=()
for scene in "$SCENES"/*.json; do
    # These take long to bake; squeeze is like them. (Everything that a scene names is made.)
    case $(basename "$scene" .json) in ship | puffer-balls | cacti | marshmallows | materials) continue ;; esac
    # Bodies that are baked or grown have tests of their own.
    [[ -z ${SHORT:-} ]] || ! grep -qE '"kind": *"(elastic|character)"' "$scene" || continue
    light+=("$scene")
    # Whole bodies and heaps take seconds to be made: once is enough.
    [[ $scene =~ /(everything|jump|run|octopus-explosion|squeeze)\.json$ ]] || expect 0 "unknowns" "$SINEW" info "$scene"
done
"$SINEW" check "${light[@]}" >fine
[[ $(grep -c "fine: " fine) == "${#light[@]}" ]] || { cat fine >&2; failures=$((failures + 1)); }

printf '{"bodies": [{"kind": "rod",\n  "raduis": 1}]}\n' >bad.json
expect 2 'bad.json:2:3: error: bodies[0].raduis: unknown key; did you mean "radius"?' "$SINEW" check bad.json
expect 2 'bad.json:2:3: error: ' "$SINEW" check -q bad.json
expect 0 "" "$SINEW" check -q "$SCENES/cantilever.json"
[[ ! -s $folder.said ]] || fail "check --quiet was not quiet"
expect 2 'bad.json:2:3: error: ' "$SINEW" run bad.json -o out.vtp
expect 2 'bad.json:2:3: error: ' "$SINEW" info bad.json
[[ ! -e out.vtp ]] || fail "out.vtp was made of a bad scene"

printf '{"bodies": [' >cut.json
expect 2 'cut.json:1:12: error: not JSON' "$SINEW" check cut.json
expect 2 'missing.json: error: cannot be opened' "$SINEW" check missing.json
expect 2 'error: cannot be read' "$SINEW" check .
head -c 300000000 /dev/zero >huge.json
expect 2 'huge.json: error: is larger than 256 MB' "$SINEW" check huge.json
rm huge.json

expect 0 "usage: sinew check" "$SINEW" check --help
expect 2 "missing SCENE" "$SINEW" check
expect 2 'unknown option "--schemma"; did you mean --schema?' "$SINEW" check --schemma
expect 2 'unknown command "chekc"; did you mean "check"?' "$SINEW" chekc
expect 2 "usage: sinew COMMAND" "$SINEW"
expect 0 "usage: sinew COMMAND" "$SINEW" --help
expect 0 "sinew 0." "$SINEW" --version

# The schema that is handed out is the one the program reads by, and the documentation explains every key of it.
"$SINEW" check --schema >schema.json
if ! diff -u "$SOURCE/docs/scene.schema.json" schema.json; then
    echo "FAILED: docs/scene.schema.json is not what 'sinew check --schema' prints" >&2
    failures=$((failures + 1))
fi
grep -o '^ *"properties": {\|^ *"[a-z_$]*": {$' schema.json | tr -d ' ":{' | sort -u |
    grep -vE '^(properties|items|additionalProperties|\$defs|comment|.*_key|path_piece|camera|material|part|load|rod|character_.*|muscle_end)$' >keys
while read -r key; do
    grep -qF "\`$key\`" "$SOURCE/docs/scenes.md" && continue
    echo "FAILED: docs/scenes.md does not explain $key" >&2
    failures=$((failures + 1))
done <keys
[[ $(wc -l <keys) -gt 50 ]] || fail "too few keys were found in the schema"

exit $((failures > 0))
