#!/usr/bin/env bash
# Installs what was built into a folder of the build, and builds and runs a program against it as a user would: with
# find_package, with pkg-config, and with the sources as a part of the program. All must give the same answer.
# needs: no sanitizer
# once
# takes: 30
set -euo pipefail

ls "$SOURCE"/src/world/*.c >/dev/null 2>&1 || exit 77

work=$BUILD/consumer
rm -rf "$work"
mkdir -p "$work"
prefix=$work/prefix
cxx=${CC/clang/clang++}
cxx=${cxx/gcc/g++}
[[ $cxx == *++* ]] || cxx=c++
examples=$SOURCE/examples

quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }; }

quietly cmake --install "$BUILD" --prefix "$prefix"
mv "$prefix" "$work/moved" # an installed tree may be moved
prefix=$work/moved

for way in find_package source; do
    if [[ $way == source ]]; then
        # As a shared library. Compiles fast, and must give the same answer with other lanes and without optimisation.
        where=(-DSINEW_SOURCE="$SOURCE" -DSN_ONLY_LANES=4 -DCMAKE_BUILD_TYPE=Debug -DBUILD_SHARED_LIBS=ON)
    else
        where=(-DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE="$CONFIG")
    fi
    quietly cmake -S "$examples" -B "$work/$way" -G Ninja \
        -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$cxx" "${where[@]}"
    quietly cmake --build "$work/$way"
    "$work/$way/hello_rod" >>"$work/answers"
    "$work/$way/hello_rod_cpp" >>"$work/answers"
    # Each judges its own result.
    for example in own_threads muscle_on_skeleton skin_to_buffer implicit_skin headless_export; do
        "$work/$way/$example" >>"$work/others" || { cat "$work/others"; echo "$example failed"; exit 1; }
    done
done

# The same answers in both ways; each example is short enough to be read at a glance.
[[ $(sort -u "$work/others" | wc -l) == 5 ]] || { cat "$work/others"; exit 1; }
for file in "$examples"/*.c; do
    (($(wc -l <"$file") < 100)) || { echo "$file has 100 lines or more"; exit 1; }
done
mkdir "$work/obj"
"$work/find_package/headless_export" "$work/obj" >/dev/null
[[ $(find "$work/obj" -name 'cloth-*.obj' | wc -l) == 10 ]]

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name sinew.pc)")
export PKG_CONFIG_PATH
export LD_LIBRARY_PATH=$PKG_CONFIG_PATH/..
# shellcheck disable=SC2046 # the flags are words
"$CC" -Wall -Wextra -Werror -std=c99 -pedantic "$examples/hello_rod.c" -o "$work/tip_pc" $(pkg-config --cflags --libs sinew)
# shellcheck disable=SC2046
"$cxx" -Wall -Wextra -Werror -std=c++11 -pedantic "$examples/hello_rod.cpp" -o "$work/tip_pc_cpp" \
    $(pkg-config --cflags --libs sinew)
"$work/tip_pc" >>"$work/answers"
"$work/tip_pc_cpp" >>"$work/answers"

cat "$work/answers"
[[ $(grep -c '^tip ' "$work/answers") == 6 && $(sort -u "$work/answers" | wc -l) == 1 ]]
[[ $(pkg-config --modversion sinew) == 0.1.* ]]
