#!/usr/bin/env bash
# Every function of the public headers can be called from C++: a program that takes the address of each links and runs.
# needs: no sanitizer
# compilers: all
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
names=$(cat "$SOURCE"/include/sinew/*.h | grep '^SN_API ' | grep -o 'sn_[a-z0-9_]*(' | tr -d '(' | sort -u)
{
    echo '#include <sinew/sinew.h>'
    for header in "$SOURCE"/include/sinew/*.h; do echo "#include <sinew/$(basename "$header")>"; done
    echo 'typedef void (*any)();'
    echo 'static any all[] = {'
    for name in $names; do echo "    reinterpret_cast<any>(&$name),"; done
    echo '};'
    cat <<'PROGRAM'
int main() {
    for (any f : all)
        if (!f) return 1;
    sn_world_def def = sn_world_def_default();
    sn_world *world = nullptr;
    if (sn_world_create(&def, &world) != SN_OK) return 2;
    sn_vec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    sn_rod_def rod = sn_rod_def_default();
    rod.points = points;
    rod.point_count = 3;
    sn_body id{};
    if (sn_rod_create(world, &rod, &id) != SN_OK || sn_world_step(world, sn_real(0.01), 1) != SN_OK) return 3;
    sn_world_destroy(world);
    return sn_version() > 0 ? 0 : 4;
}
PROGRAM
} >"$work/all.cpp"
count=$(wc -w <<<"$names")
((count > 50)) || { echo "found only $count functions"; exit 1; }
library=("$BUILD/libsinew.a")
[[ -f $BUILD/libsinew.so ]] && library=("$BUILD/libsinew.so" "-Wl,-rpath,$BUILD")
"$CC" -x c++ -std=c++17 -Wall -Wextra -Werror -Wno-cast-function-type -I "$SOURCE/include" "$work/all.cpp" -x none \
    -o "$work/all" "${library[@]}" -lm -lpthread -lstdc++
"$work/all"
echo "$count functions"
