// Scenes from texts, and what is said about them, for tests.
#ifndef SN_TEST_SCENE_TEXT_H
#define SN_TEST_SCENE_TEXT_H

#include "scene/scene.h"
#include "system/system.h"
#include "test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Everything that reading and building a text finds wrong, as one string to be freed; "" when it is fine.
static inline char *scene_complaints(const char *text, size_t size) {
    system_text said;
    system_text_open(&said);
    sn_scene *scene = scene_parse("x.json", text, size, &disk_files);
    sn_world *world = NULL;
    if (scene && said.out) {
        sn_world_def def = sn_world_def_default();
        scene_build(scene, &def, &world);
        errors_print(&scene->errors, said.out);
    }
    sn_world_destroy(world);
    scene_free(scene);
    return system_text_finish(&said);
}

// A world from a text that must be fine; null (and the complaints on stderr) when it is not.
static inline sn_world *scene_world(const char *text, sn_scene **scene) {
    sn_world *world = NULL;
    sn_world_def def = sn_world_def_default();
    *scene = scene_parse("x.json", text, strlen(text), &disk_files);
    if (*scene && scene_build(*scene, &def, &world) != SN_OK) errors_print(&(*scene)->errors, stderr);
    return world;
}

static inline void scene_end(sn_scene *scene, sn_world *world) {
    sn_world_destroy(world);
    scene_free(scene);
}

static inline void scene_step(sn_scene *scene, sn_world *world) {
    const double dt = scene->spec.step;
    CHECK_INT(scene_drive(scene, world, (double)sn_world_step_count(world) * dt, dt), SN_OK);
    CHECK_INT(sn_world_step(world, (sn_real)dt, scene->spec.substeps), SN_OK);
}

static inline void scene_run(sn_scene *scene, sn_world *world, double seconds) {
    for (int64_t i = 0; i < scene_step_count(scene, seconds); i++) scene_step(scene, world);
}

#endif
