#!/usr/bin/env bash
# Every output when writing fails: exit code 1, a sentence with the file's name, and nothing left behind. A file that may
# not grow (RLIMIT_FSIZE) stands for a full disk. A preloaded library makes fsync fail, write little at a time, interrupts
# it, and has no files without names.
# needs: no sanitizer
# once
# takes: 60
source "$SOURCE/test/cli.bash"
export SINEW_CACHE=$BUILD/elastic-cache

cat >"$folder.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int fault(const char *name) {
    const char *which = getenv("FAULT");
    return which && strstr(which, name);
}
int fsync(int file) {
    (void)file;
    if (fault("fsync")) return errno = EIO, -1;
    return 0;
}
ssize_t write(int file, const void *bytes, size_t size) {
    static ssize_t (*real)(int, const void *, size_t);
    static int turn;
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "write");
    if (fault("short") && turn++ % 2) return errno = EINTR, -1;
    return real(file, bytes, fault("short") && size > 1000 ? 1000 : size);
}
int open(const char *path, int flags, ...) {
    static int (*real)(const char *, int, ...);
    va_list list;
    va_start(list, flags);
    const int mode = flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)) ? va_arg(list, int) : 0;
    va_end(list);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "open");
    if (fault("nameless") && (flags & O_TMPFILE) == O_TMPFILE) return errno = EOPNOTSUPP, -1;
    return real(path, flags, mode);
}
C
"$CC" -shared -fPIC -O1 -o "$folder.so" "$folder.c" || exit 1
trap 'rm -rf "$folder" "$folder.said" "$folder.c" "$folder.so"' EXIT

"$SINEW" zoo torus --triangles 800 -o torus.obj >/dev/null || fail "zoo torus"
"$SINEW" zoo brachialis -o muscle.obj >/dev/null || fail "zoo brachialis"
cat >scene.json <<'SCENE'
{"bodies": [{"kind": "rod", "points": [[0, 1, 0], [0.1, 1, 0], [0.2, 1, 0]], "repeat": {"count": [9, 1, 1], "spacing": [1, 0, 0]}}]}
SCENE
inputs=(muscle.obj scene.json torus.obj)

# Each output: the file, and the command that writes it.
run="run scene.json --seconds 0.1 --threads 1 -q --size 96x64"
outputs=(
    "x.vtp|$run -o x.vtp"
    "x.pvd|$run -o x.pvd"
    "x.glb|$run -o x.glb"
    "x.usda|$run -o x.usda"
    "x.pc2|$run -o x.pc2"
    "x.mdd|$run -o x.mdd"
    "x.obj|$run -o x.obj"
    "x.png|$run -o x.png"
    "x.json|$run --report x.json"
    "x.svg|$run --plot x.svg"
    "x.obj|zoo torus -o x.obj"
    "x.glb|zoo elbow -o x.glb"
    "x.obj|mesh torus.obj -o x.obj"
    "x.msh|tet torus.obj --tets 800 -q -o x.msh"
    "x.mesh|tet torus.obj --tets 800 -q -o x.mesh"
    "x.node|tet torus.obj --tets 800 -q -o x.node"
    "x.vtk|tet torus.obj --tets 800 -q -o x.vtk"
    "x.emb|tet torus.obj --tets 800 -q -o torus.msh --surface x.emb"
    "x.png|tet torus.obj --tets 800 -q -o torus.msh --cut x.png"
    "x.ma|medial torus.obj --spheres 60 -q -o x.ma"
    "x.glb|medial torus.obj --spheres 6 -q -o torus.ma --view x.glb"
    "x.png|medial torus.obj --spheres 6 -q -o torus.ma --picture x.png"
    "x.elastic|elastic torus.obj --tets 800 --spheres 6 -q -o x.elastic"
    "x.snb|bake scene.json -o x.snb"
    "x.skin|implicit $SCENES/elbow-fold.json -o x.skin"
    "x.rig.json|viperize muscle.obj -q -o x.rig.json"
    "x.glb|viperize muscle.obj -q -o muscle.rig.json --view x.glb"
    "x.png|viperize muscle.obj -q -o muscle.rig.json --picture x.png"
)
command -v ffmpeg >/dev/null && outputs+=("x.mp4|$run -o x.mp4")
clean() { # what is not an input, or a companion that is complete
    rm -rf torus.ma torus.msh muscle.rig.json
    only "${inputs[@]}"
    find . -mindepth 1 -not -name 'muscle.obj' -not -name 'scene.json' -not -name 'torus.obj' -delete
}
clean
for output in "${outputs[@]}"; do
    file=${output%%|*}
    read -ra words <<<"${output#*|}"
    said="cannot write $file"
    [[ $output == *torus.m* || $output == *muscle.rig* || $file == x.pc2 || $file == x.mdd ]] && said="cannot write" # the other file fails first
    # A file that may not grow over 1,024 bytes, and one whose bytes the disk refuses at the end.
    [[ $file == x.json ]] || expect 1 "$said" bash -c 'ulimit -f 1 && exec "$@"' - "$SINEW" "${words[@]}" # a report is short
    clean
    [[ $output == *"|run"* ]] && faults=(fsync fsync,nameless) || faults=(fsync)
    for fault in "${faults[@]}"; do
        expect 1 "$said" env FAULT=$fault LD_PRELOAD="$folder.so" "$SINEW" "${words[@]}"
        clean
    done
    # A folder that is not there, and a device that is full.
    expect 1 "cannot write none/${file%.pvd}" "$SINEW" "${words[@]/#x./none/x.}"
    clean
    if [[ $file != x.pvd && $file != x.mp4 ]]; then
        ln -s /dev/full "$file"
        expect 1 "cannot write $file: No space left on device" "$SINEW" "${words[@]}"
        [[ -L $file ]] || fail "$file was replaced"
        rm -f "$file"
        clean
    fi
    # Written little at a time and interrupted, under a temporary name, it is the same.
    [[ $output == *"|run"* && $file != x.pvd && $file != x.json ]] || continue # all write alike; a folder; times
    "$SINEW" "${words[@]}" >/dev/null 2>&1 || fail "$output"
    mv "$file" whole
    FAULT=short,nameless LD_PRELOAD=$folder.so "$SINEW" "${words[@]}" >/dev/null 2>&1 || fail "$output, little at a time"
    cmp "$file" whole || fail "$output differs, written little at a time"
    rm -rf x.* whole
    clean
done

# A recording is kept as far as it was written, and the failure is said.
expect 1 "x.run" bash -c 'ulimit -f 1 && exec "$@"' - "$SINEW" run scene.json --seconds 100 -q --record x.run --threads 1
exit $((failures > 0))
