#!/usr/bin/env bash
# As a shared library Sinew shows exactly the functions of its headers: the static library, made into one, is asked.
# needs: no sanitizer
# compilers: all
set -euo pipefail
grep -q "^SN_VALIDATE:BOOL=ON" "$BUILD/CMakeCache.txt" && exit 77 # that build prints and aborts

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
library=$BUILD/libsinew.so
if [[ ! -f $library ]]; then
    library=$work/libsinew.so
    "$CC" -shared -o "$library" -Wl,--whole-archive "$BUILD/libsinew.a" -Wl,--no-whole-archive -lm -lpthread
fi
declared=$(cat "$SOURCE"/include/sinew/*.h | grep '^SN_API ' | grep -o 'sn_[a-z0-9_]*(' | tr -d '(' | sort -u)
exported=$(nm -D --defined-only "$library" | awk '{ print $3 }' | sed 's/@.*//' |
    grep -vE '^(_init|_fini|_edata|_end|__bss_start)$' | sort -u)
more=$(comm -13 <(echo "$declared") <(echo "$exported"))
less=$(comm -23 <(echo "$declared") <(echo "$exported"))
[[ -z $more ]] || { echo "exported but not declared:" "$more"; exit 1; }
[[ -z $less ]] || { echo "declared but not exported:" "$less"; exit 1; }
echo "$(wc -w <<<"$exported") functions"

# As a guest it asks the system for memory, threads, time and text in buffers, and for nothing else: no files, no
# printing, no exit, no environment.
asked=$(nm -D --undefined-only "$library" | awk '{ print $NF }' | sed 's/@.*//' | sort -u |
    grep -vE '^(aligned_alloc|bcmp|free|malloc|mem(chr|cmp|cpy|move|set)|str[a-z]+|snprintf|vsnprintf|clock_gettime|pthread_[a-z_]+|sigfillset)$' |
    grep -vE '^(f?(max|min|mod|abs|loor)f?|sqrtf?|ceilf?|floorf?|roundf?|l?rintf?|__cpu_model|__(mem|str|sn|vsn)[a-z]+_chk|__stack_chk_fail)$' |
    grep -vE '^(_ITM_|__gmon|__cxa_finalize)' || true)
[[ -z $asked ]] || { echo "the library asks the system for:" "$asked"; exit 1; }
