// Characters with implicit muscles and skin: the body of the zoo (17 bones, 50 muscles, about 19,300 vertices) jumps and
// runs, 60 frames a second.
//
// A frame is what a program would do for it: bones are posed, muscles are stepped (4 substeps), the skin is tracked. The
// time is the median over the motion, without the first frames. How the muscles alone cost against the points of their
// axes is told by implicit.points.N: a frame of the run without the skin, over 50 muscles.
#include "bench.h"
#include "io/scene_character.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say_failure(bench *b, const char *name, const char *why) {
    fprintf(stderr, "sinew bench: %s: %s\n", name, why);
    b->failed = true;
}

// Medians over the frames, ms: of all, of the muscles alone, of the skin alone.
static bool time_motion(bench *b, const char *name, const char *motion, int points, bool skinned, int threads,
                        int frames, double *all, double *muscles, double *skin) {
    char text[400];
    snprintf(text, sizeof text,
             "{\"gravity\": [0, 0, 0], \"bodies\": [{\"kind\": \"character\", \"zoo\": \"body\", \"vertices\": %d, "
             "\"motion\": \"%s\"%s%.0d, \"skin\": \"%s\"}]}",
             b->quick || !skinned ? 6000 : 19300, motion, points ? ", \"points\": " : "", points,
             skinned ? "implicit" : "linear");
    sn_scene *scene = scene_parse(name, text, strlen(text));
    sn_world *world = NULL;
    sn_world_def def = sn_world_def_default();
    def.worker_count = threads;
    double *ms = calloc(3 * (size_t)frames, sizeof *ms);
    float(*out)[3] = NULL;
    const double dt = 1.0 / 60;
    sn_status status = scene && ms ? scene_build(scene, &def, &world) : SN_ERR_MEMORY;
    if (status == SN_OK) out = malloc((size_t)scene_character_mesh(scene, 0)->vertex_count * sizeof *out);
    if (status == SN_OK && !out) status = SN_ERR_MEMORY;
    for (int i = 0; i < frames && status == SN_OK; i++) {
        const double start = bench_clock();
        status = scene_drive(scene, world, i * dt, dt);
        if (status == SN_OK) status = sn_world_step(world, (sn_real)dt, 1);
        const double stepped = bench_clock();
        if (status == SN_OK && skinned && !scene_character_vertices(scene, world, 0, out)) status = SN_ERR_RANGE;
        const double done = bench_clock();
        ms[i] = 1000 * (done - start), ms[frames + i] = 1000 * (stepped - start);
        ms[2 * frames + i] = 1000 * (done - stepped);
    }
    if (status == SN_OK) {
        const int warm = frames > 20 ? 5 : 0;
        *all = bench_median(ms + warm, frames - warm);
        *muscles = bench_median(ms + frames + warm, frames - warm);
        *skin = bench_median(ms + 2 * frames + warm, frames - warm);
    } else {
        say_failure(b, name, sn_status_name(status));
    }
    free(ms);
    free(out);
    sn_world_destroy(world);
    scene_free(scene);
    return status == SN_OK;
}

static void measure_motion(bench *b, const char *motion, int frames, int threads) {
    char name[48], part[64];
    double all, muscles, skin;
    snprintf(name, sizeof name, "implicit.%s.t%d", motion, threads);
    if (!bench_wanted(b, name)) return;
    if (!time_motion(b, name, motion, 0, true, threads, b->quick ? 4 : frames, &all, &muscles, &skin)) return;
    bench_add(b, name, all, "ms/frame", "lower");
    snprintf(part, sizeof part, "implicit.%s.muscles.t%d", motion, threads);
    bench_add(b, part, muscles, "ms/frame", "lower");
    snprintf(part, sizeof part, "implicit.%s.skin.t%d", motion, threads);
    bench_add(b, part, skin, "ms/frame", "lower");
}

static void measure_points(bench *b, int points) {
    enum { MUSCLES = 50 };
    char name[48];
    double all, muscles, skin;
    snprintf(name, sizeof name, "implicit.points.%d.t1", points);
    if (!bench_wanted(b, name)) return;
    if (!time_motion(b, name, "run", points, false, 1, b->quick ? 4 : 60, &all, &muscles, &skin)) return;
    bench_add(b, name, 1000 * muscles / MUSCLES, "us/muscle", "lower");
}

void bench_implicit(bench *b) {
    static const int points[] = {5, 10, 20, 30, 40, 60};
    for (int threads = 1; threads <= 2; threads++) {
        measure_motion(b, "jump", 144, threads);
        measure_motion(b, "run", 90, threads);
    }
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) measure_points(b, points[i]);
}
