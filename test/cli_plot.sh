#!/usr/bin/env bash
# sinew run --plot: a chart of the run, whole or not at all; small, well-formed, and with what it says on its axes.
source "$(dirname "$0")/cli.bash"

# A rod that falls freely from rest: all its energy is gravity's at first, and the total stays.
cat >fall.json <<'END'
{"title": "A <rod> & \"more\"", "duration": 1, "step": 0.01,
 "bodies": [{"kind": "rod", "position": [0, 2, 0], "line": {"to": [0.5, 0, 0], "segments": 4}}]}
END
expect 0 "wrote fall.svg" "$SINEW" run fall.json --plot fall.svg
[[ $(head -c 4 fall.svg) == "<svg" && $(tail -n 1 fall.svg) == "</svg>" ]] || fail "fall.svg is not whole"
[[ $(stat -c %s fall.svg) -lt 20000 ]] || fail "fall.svg is large: $(stat -c %s fall.svg) bytes"
for word in kinetic elastic "of gravity" total "Volume over that at rest" "Penetration over the radius" \
    "prefers-color-scheme:dark" "A &lt;rod&gt; &amp; &quot;more&quot;" ">1.0 s<"; do
    grep -qF -- "$word" fall.svg || fail "fall.svg does not say $word"
done
grep -q "nan\|inf" fall.svg && fail "fall.svg has numbers that are none"

# Every tag that opens closes: an XML parser is not at hand everywhere, so tags are counted.
for tag in svg style text g tspan title; do
    [[ $(grep -o "<$tag[ >]" fall.svg | wc -l) == $(grep -o "</$tag>" fall.svg | wc -l) ]] || fail "<$tag> is not closed"
done

# The kinetic energy's line rises: its y (downward, tenths of a pixel) is less at the end than at the start.
line=$(grep -m 1 'class="c0" d="M' fall.svg)
moves=$(sed 's/.*d="M[0-9]* [0-9]*l0 0//; s/".*//' <<<"$line")
rise=$(awk '{ for (i = 2; i <= NF; i += 2) sum += $i; print sum }' <<<"$moves")
[[ $rise -lt -100 ]] || fail "the kinetic energy of a falling rod does not rise: $rise"

# The same run, the same chart, whatever the threads.
expect 0 "" "$SINEW" run fall.json --plot again.svg --threads 2 -q
cmp -s fall.svg again.svg || fail "two runs make two charts"

# A long run is no longer a file than a short one: 20,000 steps.
expect 0 "" "$SINEW" run fall.json --seconds 2 --step 0.0001 --plot long.svg -q
[[ $(stat -c %s long.svg) -lt 100000 ]] || fail "long.svg is large: $(stat -c %s long.svg) bytes"

# Nothing is left of a chart that cannot be.
expect 1 "cannot" "$SINEW" run fall.json --plot missing/fall.svg
expect 2 "error" "$SINEW" run nothing.json --plot none.svg
expect 2 'the ending of "fall.png" is not .svg' "$SINEW" run fall.json --plot fall.png
[[ ! -e fall.png ]] || fail "a chart was written as a picture"
[[ ! -e none.svg ]] || fail "a chart was made of no scene"
printf '{"plot": {"bodys": true}, "bodies": [{"kind": "rod", "line": {"to": [1, 0, 0], "segments": 2}}]}' >bad.json
expect 2 'plot.bodys: unknown key; did you mean "bodies"?' "$SINEW" check bad.json
expect 0 "--plot FILE.svg" "$SINEW" run --help
exit $((failures > 0))
