// Characters with implicit muscles and skin, 60 frames a second: the body of the zoo (17 bones, 50 muscles, about 19,300
// vertices) jumps and runs, its limb (4 muscles, 2,170 vertices) is shaken and curled.
//
// A frame is what a program would do for it: bones are posed, muscles are stepped (4 substeps), the skin is tracked. The
// time is the median over the motion, without the first frames. The names follow the tables of Roussellet et al. 2018:
//
//     implicit.SCENE.tN            a frame, and of it .muscles and .skin        table 2
//     implicit.SCENE.bare.tN       the skin of the same without muscles
//     implicit.SCENE.elastic.tN    the muscles without contacts                 table 3
//     implicit.points.P.*.t2       the jump with P points in every axis         figure 12
//     implicit.points.P.t1         the run's muscles alone, over 50 of them
#include "bench.h"
#include "scene/scene_character.h"
#include "zoo/body.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void report_failure(bench *b, const char *name, const char *error) {
    fprintf(stderr, "sinew bench: %s: %s\n", name, error);
    b->failed = true;
}

// The character that a motion is for.
static zoo_body_kind kind_of(const char *motion) {
    return strcmp(motion, "jump") == 0 || strcmp(motion, "run") == 0 ? ZOO_BODY : ZOO_LIMB;
}

// Medians over the frames, ms: of all, of the muscles alone, of the skin alone.
static bool time_motion(bench *b, const char *name, const char *motion, int points, bool skinned, bool bare,
                        int threads, int frames, double *all, double *muscles, double *skin) {
    char text[400];
    const bool limb = kind_of(motion) == ZOO_LIMB;
    snprintf(text, sizeof text,
             "{\"gravity\": [0, 0, 0], \"bodies\": [{\"kind\": \"character\", \"zoo\": \"%s\", \"vertices\": %d, "
             "\"motion\": \"%s\"%s%.0d, \"skin\": \"%s\"%s}]}",
             limb ? "limb" : "body",
             limb                   ? 2170
             : b->quick || !skinned ? 6000
                                    : 19300,
             motion, points ? ", \"points\": " : "", points, skinned ? "implicit" : "linear",
             bare ? ", \"muscles\": false" : "");
    sn_scene *scene = scene_parse(name, text, strlen(text), &disk_files);
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
        report_failure(b, name, sn_status_name(status));
    }
    free(ms);
    free(out);
    sn_world_destroy(world);
    scene_free(scene);
    return status == SN_OK;
}

// Muscles that touch nothing; ms.
static bool time_elastic(bench *b, const char *name, const char *motion, int threads, int frames, double *out) {
    zoo_body body = {0};
    sn_memory memory;
    sn_pool *pool = NULL;
    sn_muscle_system *system = NULL;
    sn_memory_init(&memory, NULL);
    const zoo_motion moves = (zoo_motion)zoo_motion_find(motion);
    const zoo_body_kind kind = kind_of(motion);
    bool good = zoo_body_make(kind, zoo_body_min_vertices(kind), &body);
    for (int m = 0; m < body.muscle_count; m++) {
        sn_implicit_muscle_def *def = &body.muscles[m].def;
        def->collide_bones = def->collide_muscles = def->in_skin = false;
    }
    sn_transform *poses = calloc((size_t)body.bone_count + 1, sizeof *poses);
    double *ms = calloc((size_t)frames, sizeof *ms);
    good = good && poses && ms && zoo_body_muscles(&body, &memory, NULL, &system) == SN_OK;
    if (good && threads > 1) good = sn_pool_create(&memory, NULL, threads, &pool) == SN_OK;
    for (int i = 0; i < frames && good; i++) {
        zoo_body_pose(&body, moves, i / 60.0, poses);
        const double start = bench_clock();
        good = sn_muscle_system_step(system, (sn_real)(1.0 / 60), poses, pool) == SN_OK;
        ms[i] = 1000 * (bench_clock() - start);
    }
    const int warm = frames > 20 ? 5 : 0;
    if (good)
        *out = bench_median(ms + warm, frames - warm);
    else
        report_failure(b, name, "its muscles cannot be stepped");
    sn_muscle_system_destroy(system);
    if (pool) sn_pool_destroy(&memory, pool);
    free(poses);
    free(ms);
    zoo_body_free(&body);
    return good;
}

static void measure_motion(bench *b, const char *motion, int frames, int threads) {
    char name[48], part[64];
    double all, muscles, skin, bare, elastic;
    snprintf(name, sizeof name, "implicit.%s.t%d", motion, threads);
    if (b->quick) frames = 4;
    if (!bench_wanted(b, name)) return;
    if (!time_motion(b, name, motion, 0, true, false, threads, frames, &all, &muscles, &skin)) return;
    bench_add(b, name, all, "ms/frame", "lower");
    snprintf(part, sizeof part, "implicit.%s.muscles.t%d", motion, threads);
    bench_add(b, part, muscles, "ms/frame", "lower");
    snprintf(part, sizeof part, "implicit.%s.skin.t%d", motion, threads);
    bench_add(b, part, skin, "ms/frame", "lower");
    if (threads < 2) return;
    if (time_motion(b, name, motion, 0, true, true, threads, frames, &all, &muscles, &bare)) {
        snprintf(part, sizeof part, "implicit.%s.bare.t%d", motion, threads);
        bench_add(b, part, bare, "ms/frame", "lower");
    }
    if (time_elastic(b, name, motion, threads, frames, &elastic)) {
        snprintf(part, sizeof part, "implicit.%s.elastic.t%d", motion, threads);
        bench_add(b, part, elastic, "ms/frame", "lower");
    }
}

static void measure_points(bench *b, int points) {
    enum { MUSCLES = 50 };
    char name[48], part[64];
    double all, muscles, skin;
    snprintf(name, sizeof name, "implicit.points.%d.t1", points);
    if (!bench_wanted(b, name)) return;
    if (!time_motion(b, name, "run", points, false, false, 1, b->quick ? 4 : 60, &all, &muscles, &skin)) return;
    bench_add(b, name, 1000 * muscles / MUSCLES, "us/muscle", "lower");
    if (b->threads < 2 ||
        !time_motion(b, name, "jump", points, true, false, 2, b->quick ? 4 : 60, &all, &muscles, &skin))
        return;
    snprintf(part, sizeof part, "implicit.points.%d.muscles.t2", points);
    bench_add(b, part, muscles, "ms/frame", "lower");
    snprintf(part, sizeof part, "implicit.points.%d.skin.t2", points);
    bench_add(b, part, skin, "ms/frame", "lower");
}

void bench_implicit(bench *b) {
    static const int points[] = {5, 10, 20, 30, 40, 60};
    for (int threads = 1; threads <= 2; threads++) {
        measure_motion(b, "jump", 144, threads);
        measure_motion(b, "run", 90, threads);
        if (threads < 2) continue;
        measure_motion(b, "arm-shake", 90, threads);
        measure_motion(b, "biceps-curl", 144, threads);
    }
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) measure_points(b, points[i]);
}
