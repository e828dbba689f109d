// Sinew's rods as a WebAssembly module, to be measured beside others' in one run: the rods of bench_rods.c.
#include "host.h"
#include "sinew/sinew.h"
#include <math.h>
#include <stdlib.h>

enum { MOST_SEGMENTS = 256 };

static const sn_real step = (sn_real)(1.0 / 60);
static sn_world *world;

// Length 1 m, radius 1 cm, clamped at one end.
static sn_status add_rod(sn_world *to, int segments, int number, sn_material material) {
    sn_vec3 points[MOST_SEGMENTS + 1];
    for (int i = 0; i <= segments; i++)
        points[i] = (sn_vec3){(sn_real)i / (sn_real)segments, 0, (sn_real)0.1 * (sn_real)number};
    sn_rod_def def = sn_rod_def_default();
    def.points = points;
    def.point_count = segments + 1;
    def.radius = (sn_real)0.01;
    def.material = material;
    def.clamp_first = true;
    def.collide = false;
    def.velocity = (sn_vec3){0, (sn_real)0.01 * (sn_real)(number % 7), (sn_real)0.01 * (sn_real)(number % 5)};
    sn_body rod;
    return sn_rod_create(to, &def, &rod);
}

int EXPORT(rods_make)(int rods, int segments, int iterations) {
    if (segments < 1 || segments > MOST_SEGMENTS) return SN_ERR_RANGE;
    sn_world_destroy(world);
    sn_world_def def = sn_world_def_default();
    def.iterations = iterations;
    sn_status status = sn_world_create(&def, &world);
    sn_material material = sn_material_make((sn_real)1e7, (sn_real)0.45, 1000);
    for (int i = 0; i < rods && status == SN_OK; i++) status = add_rod(world, segments, i, material);
    return (int)status;
}

int EXPORT(rods_step)(int steps) {
    sn_status status = SN_OK;
    for (int i = 0; i < steps && status == SN_OK; i++) status = sn_world_step(world, step, 1);
    return (int)status;
}

// One step with some iterations from a saved state.
static sn_status step_from(const void *bytes, size_t size, int iterations, sn_vec3 out[MOST_SEGMENTS + 1]) {
    sn_world_def def = sn_world_def_default();
    sn_world *at = NULL;
    sn_status status = sn_world_restore(&def, bytes, size, &at);
    if (status == SN_OK) status = sn_world_set_solver(at, SN_SOLVER_DIRECT, iterations);
    if (status == SN_OK) status = sn_world_step(at, step, 1);
    if (status == SN_OK) sn_body_get_points(at, sn_world_kind_at(at, SN_KIND_ROD, 0), out, MOST_SEGMENTS + 1);
    sn_world_destroy(at);
    return status;
}

// How far a step with some iterations ends from the converged one, over the length, for a stiff rod (100 MPa) that
// falls from horizontal: 0.2 s after its start. Negative: it failed.
double EXPORT(rods_error)(int segments, int iterations) {
    if (segments < 1 || segments > MOST_SEGMENTS) return -1;
    sn_world_def def = sn_world_def_default();
    sn_world *at = NULL;
    def.iterations = 20;
    sn_material material = sn_material_make((sn_real)1e8, 0, 1000);
    material.volume = 10 * material.young;
    sn_status status = sn_world_create(&def, &at);
    if (status == SN_OK) status = add_rod(at, segments, 0, material);
    for (int i = 0; i < 12 && status == SN_OK; i++) status = sn_world_step(at, step, 1);
    size_t size = status == SN_OK ? sn_world_save(at, NULL, 0) : 0;
    void *bytes = malloc(size + 1);
    sn_vec3 points[MOST_SEGMENTS + 1], converged[MOST_SEGMENTS + 1];
    if (bytes && status == SN_OK) {
        sn_world_save(at, bytes, size);
        status = step_from(bytes, size, 20, converged);
        if (status == SN_OK) status = step_from(bytes, size, iterations, points);
    }
    sn_world_destroy(at);
    free(bytes);
    if (!bytes || status != SN_OK) return -1;

    double most = 0;
    for (int i = 0; i <= segments; i++) {
        double x = (double)(points[i].x - converged[i].x), y = (double)(points[i].y - converged[i].y);
        double z = (double)(points[i].z - converged[i].z), distance = sqrt(x * x + y * y + z * z);
        most = distance > most ? distance : most;
    }
    return most;
}
