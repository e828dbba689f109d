// Skins: what it costs to put skins over octopuses that hang where they fell to, positions and normals, four
// influences a vertex. All are copies of one skin; vertices go into interleaved buffers as a renderer has them.
#include "bake/skin_weights.h"
#include "bench.h"
#include "sinew/sinew.h"
#include "zoo/octopus.h"
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 38, COPIES = 100 };

// What all cases share.
typedef struct {
    sn_mesh mesh;
    double points[POINTS][3], radii[POINTS];
    int parents[POINTS];
} octopus;

typedef struct {
    const octopus *shape;
    sn_world *world;
    sn_skin *skin;
    sn_skin_output outputs[COPIES];
    float *buffer; // position and normal of each vertex, copy after copy
} model;

static bool make_octopus(octopus *o) {
    zoo_octopus shape = zoo_octopus_default();
    tool_error error;
    zoo_octopus_fill(&shape, o->points, o->radii, o->parents);
    sn_weight_rods rods = {(const double(*)[3])o->points, o->radii, o->parents, POINTS};
    return zoo_octopus_skin(&shape, &o->mesh) && sn_skin_weights(&o->mesh, &rods, NULL, &error);
}

static sn_status make_skin(model *m) {
    const size_t vertices = (size_t)m->shape->mesh.vertex_count;
    sn_vec3 *position = malloc(vertices * sizeof *position), *normal = malloc(vertices * sizeof *normal);
    uint16_t *handles = malloc(4 * vertices * sizeof *handles);
    sn_status status = SN_ERR_MEMORY;
    if (position && normal && handles) {
        for (size_t v = 0; v < vertices; v++) {
            const float *p = m->shape->mesh.position[v], *n = m->shape->mesh.normal[v];
            position[v] = (sn_vec3){p[0], p[1], p[2]};
            normal[v] = (sn_vec3){n[0], n[1], n[2]};
            for (int k = 0; k < 4; k++) handles[4 * v + (size_t)k] = (uint16_t)m->shape->mesh.joint[v][k];
        }
        sn_skin_def def = sn_skin_def_default();
        def.positions = position, def.normals = normal, def.vertex_count = m->shape->mesh.vertex_count;
        def.handles = handles, def.weights = m->shape->mesh.weight[0], def.handle_count = POINTS;
        status = sn_skin_create(&def, &m->skin);
    }
    free(position);
    free(normal);
    free(handles);
    return status;
}

static sn_status add_copy(model *m, int number) {
    const octopus *o = m->shape;
    sn_vec3 placed[POINTS], to = {4 * (sn_real)(number % 10), 0, 4 * (sn_real)(number / 10)};
    sn_real sizes[POINTS];
    for (int i = 0; i < POINTS; i++) {
        placed[i] =
            (sn_vec3){(sn_real)o->points[i][0] + to.x, (sn_real)o->points[i][1], (sn_real)o->points[i][2] + to.z};
        sizes[i] = (sn_real)o->radii[i];
    }
    sn_rod_def def = sn_rod_def_default();
    def.points = placed, def.radii = sizes, def.parents = o->parents, def.point_count = POINTS;
    def.velocity = (sn_vec3){0, (sn_real)0.1 * (sn_real)(number % 7), 0};
    def.material = sn_material_make((sn_real)1e6, (sn_real)0.45, 1000);
    def.collide = false;
    sn_body rod;
    sn_status status = sn_rod_create(m->world, &def, &rod);
    if (status == SN_OK) status = sn_rod_hold(m->world, rod, 4, SN_HOLD_CENTRE);
    sn_skin_output *out = &m->outputs[number];
    const size_t vertex = 6 * sizeof *m->buffer;
    float *buffer = m->buffer + (size_t)number * 6 * (size_t)m->shape->mesh.vertex_count;
    *out = (sn_skin_output){NULL, buffer, vertex, buffer + 3, vertex};
    if (status == SN_OK) status = sn_skin_instance_create(m->skin, &out->instance);
    const sn_placement at = {to, {0, 0, 0, 1}, 1};
    if (status == SN_OK) status = sn_skin_instance_bind(out->instance, m->world, &rod, 1, &at);
    return status;
}

static sn_status make_model(model *m, int threads) {
    sn_world_def def = sn_world_def_default();
    def.worker_count = threads;
    m->buffer = malloc((size_t)m->shape->mesh.vertex_count * COPIES * 6 * sizeof *m->buffer);
    sn_status status = m->buffer ? sn_world_create(&def, &m->world) : SN_ERR_MEMORY;
    if (status == SN_OK) status = make_skin(m);
    for (int i = 0; i < COPIES && status == SN_OK; i++) status = add_copy(m, i);
    for (int i = 0; i < 10 && status == SN_OK; i++) status = sn_world_step(m->world, (sn_real)(1.0 / 60), 1);
    return status;
}

static void free_model(model *m) {
    for (int i = 0; i < COPIES; i++) sn_skin_instance_destroy(m->outputs[i].instance);
    sn_skin_destroy(m->skin);
    sn_world_destroy(m->world);
    free(m->buffer);
}

// Milliseconds for all copies: the median after a warm-up.
static double time_updates(model *m, bool quick, sn_status *status) {
    enum { MOST = 400 };
    double times[MOST], start = bench_clock();
    int count = 0;
    for (int i = 0; i < 3 && *status == SN_OK; i++) *status = sn_skin_update(m->world, m->outputs, COPIES);
    for (; *status == SN_OK && count < MOST; count++) {
        if (count >= 3 && bench_clock() - start >= (quick ? 0.001 : 0.5)) break;
        double before = bench_clock();
        *status = sn_skin_update(m->world, m->outputs, COPIES);
        times[count] = 1000 * (bench_clock() - before);
    }
    return bench_median(times, count);
}

static void fail(bench *b, const char *name, sn_status status) {
    fprintf(stderr, "sinew bench: %s: %s\n", name, sn_status_name(status));
    b->failed = true;
}

static void measure(bench *b, const octopus *shape, const char *name, int threads, sn_blend blend) {
    if (!bench_wanted(b, name)) return;
    model m = {.shape = shape};
    sn_status status = make_model(&m, threads);
    for (int i = 0; i < COPIES && status == SN_OK; i++)
        status = sn_skin_instance_set_blend(m.outputs[i].instance, blend);
    double ms = time_updates(&m, b->quick, &status);
    if (status == SN_OK)
        bench_add(b, name, ms, "ms", "lower");
    else
        fail(b, name, status);
    // Beside the machine's triad: what is written goes through memory twice (a line is read before it is written); the
    // mesh at rest is shared by all copies and stays in the caches.
    char traffic[64];
    snprintf(traffic, sizeof traffic, "%s.traffic", name);
    const double bytes = 2.0 * 6 * sizeof *m.buffer * COPIES * m.shape->mesh.vertex_count;
    if (status == SN_OK && blend == SN_BLEND_LINEAR) bench_add(b, traffic, 1e-6 * bytes / ms, "GB/s", "higher");
    free_model(&m);
}

void bench_skin(bench *b) {
    static const struct {
        const char *name;
        int threads;
        sn_blend blend;
    } cases[] = {
        {"skin.100.t1", 1, SN_BLEND_LINEAR},
        {"skin.100.t2", 2, SN_BLEND_LINEAR},
        {"skin.100.dual.t2", 2, SN_BLEND_DUAL},
    };
    enum { CASES = sizeof cases / sizeof *cases };
    bool any = false;
    for (int i = 0; i < CASES; i++) any = any || bench_wanted(b, cases[i].name);
    if (!any) return;
    octopus shape = {0};
    if (make_octopus(&shape)) {
        for (int i = 0; i < CASES; i++) measure(b, &shape, cases[i].name, cases[i].threads, cases[i].blend);
    } else {
        fail(b, "skin", SN_ERR_MEMORY);
    }
    sn_mesh_free(&shape.mesh);
}
