#!/usr/bin/env bash
# Every function of the public headers is called by the fuzzer of calls, fuzz/fuzz_calls.c, or in what it includes.
# once
set -euo pipefail

called=$(grep -oh 'sn_[a-z0-9_]*' "$SOURCE"/fuzz/fuzz_calls.c "$SOURCE"/test/any_calls.h "$SOURCE"/test/mixed_world.h | sort -u)
declared=$(cat "$SOURCE"/include/sinew/*.h | grep '^SN_API ' | grep -o 'sn_[a-z0-9_]*(' | tr -d '(' | sort -u)
missing=$(comm -23 <(echo "$declared") <(echo "$called"))
[[ -n $declared ]]
if [[ -n $missing ]]; then
    echo "not called by fuzz_calls, add them to test/any_calls.h:" $missing
    exit 1
fi
