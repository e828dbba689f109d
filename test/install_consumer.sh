#!/usr/bin/env bash
# Installs what was built into a folder of the build, and builds and runs a program against it as a user would: with
# find_package, with pkg-config, and with the sources as a part of the program. All must give the same answer. Where
# libsinew-tools is installed, a scene is run and exported with it, against the installed package alone.
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
    for example in own_threads muscle_on_skeleton skin_to_buffer implicit_skin headless_export host_body; do
        "$work/$way/$example" >>"$work/others" || { cat "$work/others"; echo "$example failed"; exit 1; }
    done
done

# The same answers in both ways; each example is short enough to be read at a glance.
[[ $(sort -u "$work/others" | wc -l) == 6 ]] || { cat "$work/others"; exit 1; }
for file in "$examples"/*.c; do
    (($(wc -l <"$file") < 100)) || { echo "$file has 100 lines or more"; exit 1; }
done

# Assets and scenes. Elastic bodies are loaded without the tools.
if [[ -x ${SINEW:-} ]]; then
    "$SINEW" elastic --zoo marshmallow --tets 1000 --spheres 6 -o "$work/body.elastic" --quiet
    for way in find_package source; do "$work/$way/load_elastic" "$work/body.elastic"; done | sort -u >"$work/loaded"
    cat "$work/loaded"
    [[ $(wc -l <"$work/loaded") == 1 ]]
    head -c 1000 "$work/body.elastic" >"$work/cut.elastic"
    if "$work/find_package/load_elastic" "$work/cut.elastic" 2>"$work/log"; then exit 1; fi
    grep -q 'cut.elastic: bytes: offset 16: ' "$work/log"
fi
if [[ -f $(find "$prefix" -name libsinew-tools.a) ]]; then
    # The same file as the command line writes.
    "$work/find_package/scene_to_glb" "$SOURCE/scenes/arm.json" "$work/arm.glb" 0.5 | tee "$work/arm"
    grep -qE '^[1-9][0-9]* bodies, the lowest point is' "$work/arm"
    "$SINEW" run "$SOURCE/scenes/arm.json" --seconds 0.5 -o "$work/arm_cli.glb" --quiet
    cmp "$work/arm.glb" "$work/arm_cli.glb"
    (($(wc -l <"$examples/scene_to_glb.c") < 60))
    # Errors have their place.
    echo '{ "bodys": [] }' >"$work/bad.json"
    if "$work/find_package/scene_to_glb" "$work/bad.json" "$work/bad.glb" 2>"$work/log"; then exit 1; fi
    grep -q 'bad.json:1:3: error: ' "$work/log"
    [[ ! -e $work/bad.glb ]]
fi
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

if [[ -f $PKG_CONFIG_PATH/sinew-tools.pc ]]; then
    # shellcheck disable=SC2046
    "$CC" -Wall -Wextra -Werror -std=c99 -pedantic "$examples/scene_to_glb.c" -o "$work/glb_pc" \
        $(pkg-config --cflags --libs sinew-tools) -lm
    "$work/glb_pc" "$SOURCE/scenes/arm.json" "$work/arm_pc.glb" 0.5 >/dev/null
    cmp "$work/arm.glb" "$work/arm_pc.glb"
fi

cat "$work/answers"
[[ $(grep -c '^tip ' "$work/answers") == 6 && $(sort -u "$work/answers" | wc -l) == 1 ]]
[[ $(pkg-config --modversion sinew) == 0.1.* ]]
