// Skins: rigid motion, stretch, twist, normals, weights, lanes, workers, buffers, and what is refused.
// compilers: all
#include "base/platform.h"
#include "sinew/sinew.h"
#include "test.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef SN_DOUBLE
#define TIGHT 1e-12
#else
#define TIGHT 1e-6
#endif

enum { RINGS = 21, AROUND = 12, VERTICES = RINGS * AROUND, POINTS = 6 };

static const double pi = 3.14159265358979323846;

// A tube of length 1 and radius 0.1 along x, hanging on POINTS handles along its axis, each vertex on the two around
// it.
typedef struct {
    sn_vec3 positions[VERTICES], normals[VERTICES];
    uint16_t handles[4 * VERTICES];
    float weights[4 * VERTICES];
    sn_vec3 points[POINTS];
} tube;

static tube make_tube(void) {
    tube made = {0};
    for (int i = 0; i < POINTS; i++) made.points[i] = (sn_vec3){(sn_real)i / (POINTS - 1), 0, 0};
    for (int v = 0; v < VERTICES; v++) {
        const double x = (double)(v / AROUND) / (RINGS - 1), angle = 2 * pi * (v % AROUND) / AROUND;
        const int first = x < 1 ? (int)(x * (POINTS - 1)) : POINTS - 2;
        made.normals[v] = (sn_vec3){0, (sn_real)cos(angle), (sn_real)sin(angle)};
        made.positions[v] = (sn_vec3){(sn_real)x, (sn_real)(0.1 * cos(angle)), (sn_real)(0.1 * sin(angle))};
        made.handles[4 * v] = (uint16_t)first, made.handles[4 * v + 1] = (uint16_t)(first + 1);
        made.weights[4 * v + 1] = (float)(x * (POINTS - 1) - first);
        made.weights[4 * v] = 1 - made.weights[4 * v + 1];
    }
    return made;
}

static sn_skin_def tube_def(const tube *t) {
    sn_skin_def def = sn_skin_def_default();
    def.positions = t->positions, def.normals = t->normals, def.vertex_count = VERTICES;
    def.handles = t->handles, def.weights = t->weights, def.handle_count = POINTS;
    return def;
}

static sn_quat turn_about(double x, double y, double z, double angle) {
    const double length = sqrt(x * x + y * y + z * z), s = sin(angle / 2) / length;
    return (sn_quat){(sn_real)(s * x), (sn_real)(s * y), (sn_real)(s * z), (sn_real)cos(angle / 2)};
}

static sn_quat times(sn_quat a, sn_quat b) {
    return (sn_quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                     a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static sn_vec3 turned(sn_quat q, sn_vec3 v) {
    const sn_vec3 t = {2 * (q.y * v.z - q.z * v.y), 2 * (q.z * v.x - q.x * v.z), 2 * (q.x * v.y - q.y * v.x)};
    return (sn_vec3){v.x + q.w * t.x + q.y * t.z - q.z * t.y, v.y + q.w * t.y + q.z * t.x - q.x * t.z,
                     v.z + q.w * t.z + q.x * t.y - q.y * t.x};
}

static sn_vec3 placed(const sn_placement *at, sn_vec3 p) {
    const sn_vec3 q = turned(at->rotation, (sn_vec3){at->scale * p.x, at->scale * p.y, at->scale * p.z});
    return (sn_vec3){q.x + at->position.x, q.y + at->position.y, q.z + at->position.z};
}

static double apart(sn_vec3 a, sn_vec3 b) {
    const double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
    return sqrt(x * x + y * y + z * z);
}

typedef struct {
    tube mesh;
    sn_world *world;
    sn_body rod;
    sn_skin *skin;
    sn_skin_instance *copy;
    sn_vec3 positions[VERTICES], normals[VERTICES];
} rig;

static sn_skin_output output_of(rig *r) {
    return (sn_skin_output){r->copy, &r->positions[0].x, sizeof(sn_vec3), &r->normals[0].x, sizeof(sn_vec3)};
}

static void update(rig *r) {
    sn_skin_output out = output_of(r);
    CHECK_INT(sn_skin_update(r->world, &out, 1), SN_OK);
}

// A weightless rod in the tube, put somewhere.
static rig *make_rig(const sn_placement *at) {
    rig *r = calloc(1, sizeof *r);
    sn_world_def world_def = sn_world_def_default();
    world_def.gravity = (sn_vec3){0, 0, 0};
    r->mesh = make_tube();
    sn_skin_def def = tube_def(&r->mesh);
    sn_rod_def rod_def = sn_rod_def_default();
    sn_vec3 points[POINTS];
    for (int i = 0; i < POINTS; i++) points[i] = at ? placed(at, r->mesh.points[i]) : r->mesh.points[i];
    rod_def.points = points, rod_def.point_count = POINTS, rod_def.radius = (sn_real)0.1;
    CHECK_INT(sn_world_create(&world_def, &r->world), SN_OK);
    CHECK_INT(sn_rod_create(r->world, &rod_def, &r->rod), SN_OK);
    CHECK_INT(sn_skin_create(&def, &r->skin), SN_OK);
    CHECK_INT(sn_skin_instance_create(r->skin, &r->copy), SN_OK);
    CHECK_INT(sn_skin_instance_bind(r->copy, r->world, &r->rod, 1, at), SN_OK);
    return r;
}

static void free_rig(rig *r) {
    sn_skin_instance_destroy(r->copy);
    CHECK_INT(sn_skin_destroy(r->skin), SN_OK);
    sn_world_destroy(r->world);
    free(r);
}

static void check_placed(rig *r, const sn_placement *at, double tolerance) {
    double worst = 0, worst_normal = 0;
    for (int v = 0; v < VERTICES; v++) {
        worst = fmax(worst, apart(r->positions[v], placed(at, r->mesh.positions[v])));
        worst_normal = fmax(worst_normal, apart(r->normals[v], turned(at->rotation, r->mesh.normals[v])));
    }
    CHECK_NEAR(worst, 0, tolerance);
    CHECK_NEAR(worst_normal, 0, tolerance);
}

static const sn_placement nowhere = {{0, 0, 0}, {0, 0, 0, 1}, 1};

TEST(at_rest_it_is_where_it_was_put) {
    rig *r = make_rig(NULL);
    update(r);
    check_placed(r, &nowhere, TIGHT);
    free_rig(r);
    sn_placement at = {{(sn_real)0.5, -2, 1}, turn_about(1, -2, 0.5, 2.2), 1};
    for (int i = 0; i < 2; i++) {
        r = make_rig(&at);
        for (int blend = 0; blend < 2; blend++) {
            sn_skin_instance_set_blend(r->copy, (sn_blend)blend);
            update(r);
            check_placed(r, &at, 3 * TIGHT);
        }
        free_rig(r);
        at.scale = (sn_real)0.25;
    }
}

// Holds everything of the rod and leads it through a rigid motion, turning about its own axis as well.
TEST(rigid_motion_moves_it_rigidly) {
    for (int blend = 0; blend < 2; blend++) {
        rig *r = make_rig(NULL);
        sn_skin_instance_set_blend(r->copy, (sn_blend)blend);
        const sn_placement to = {{1, 2, (sn_real)-0.5}, turn_about(3, 1, -1, 1.9), 1};
        sn_quat frames[POINTS];
        sn_rod_get_frames(r->world, r->rod, frames, POINTS);
        for (int i = 0; i < POINTS; i++) {
            const int what = SN_HOLD_CENTRE | SN_HOLD_SCALE | (i ? SN_HOLD_FRAME : 0);
            CHECK_INT(sn_rod_hold(r->world, r->rod, i, what), SN_OK);
            CHECK_INT(sn_rod_move_centre(r->world, r->rod, i, placed(&to, r->mesh.points[i])), SN_OK);
            if (i) CHECK_INT(sn_rod_move_frame(r->world, r->rod, i, times(to.rotation, frames[i])), SN_OK);
        }
        CHECK_INT(sn_world_step(r->world, (sn_real)0.01, 1), SN_OK);
        update(r);
        check_placed(r, &to, 3 * TIGHT);
        free_rig(r);
    }
}

TEST(a_stretched_rod_stretches_it_and_keeps_its_volume) {
    rig *r = make_rig(NULL);
    const double stretch = 1.5, across = 1 / sqrt(1.5);
    sn_vec3 points[POINTS];
    sn_real scales[POINTS];
    for (int i = 0; i < POINTS; i++) {
        points[i] = (sn_vec3){(sn_real)(stretch * i / (POINTS - 1)), 0, 0};
        scales[i] = (sn_real)across;
    }
    CHECK_INT(sn_rod_set_centres(r->world, r->rod, points, POINTS), SN_OK);
    CHECK_INT(sn_rod_set_scales(r->world, r->rod, scales, POINTS), SN_OK);
    for (int blend = 0; blend < 2; blend++) {
        sn_skin_instance_set_blend(r->copy, (sn_blend)blend);
        update(r);
        for (int v = 0; v < VERTICES; v++) {
            const sn_vec3 p = r->mesh.positions[v];
            const sn_vec3 expected = {(sn_real)(stretch * (double)p.x), (sn_real)(across * (double)p.y),
                                      (sn_real)(across * (double)p.z)};
            CHECK_NEAR(apart(r->positions[v], expected), 0, 3 * TIGHT);
            CHECK_NEAR(apart(r->normals[v], r->mesh.normals[v]), 0, 3 * TIGHT);
        }
    }
    free_rig(r);
}

// Wherever weights come from: one linear map of all handles is that map of the skin.
TEST(a_common_stretch_does_not_depend_on_weights) {
    rig *r = make_rig(NULL);
    for (int v = 0; v < VERTICES; v++)
        for (int i = 0; i < 4; i++) {
            r->mesh.handles[4 * v + i] = (uint16_t)((v * 7 + i * i + 2 * i) % POINTS);
            r->mesh.weights[4 * v + i] = (float)(1 + (v * 5 + i * 3) % 7); // adds up to more than 1
        }
    sn_skin_def def = tube_def(&r->mesh);
    sn_skin_instance_destroy(r->copy);
    CHECK_INT(sn_skin_destroy(r->skin), SN_OK);
    REQUIRE(sn_skin_create(&def, &r->skin) == SN_OK && sn_skin_instance_create(r->skin, &r->copy) == SN_OK);
    // normals of a slanted stretch: S = I + d d^T, whose inverse is I - d d^T / 2
    const double d[3] = {0.6, 0, 0.8};
    sn_handle handles[POINTS];
    for (int i = 0; i < POINTS; i++) {
        const sn_vec3 p = r->mesh.points[i];
        const double along = d[0] * (double)p.x + d[1] * (double)p.y + d[2] * (double)p.z;
        handles[i] = sn_handle_similarity(p, p, (sn_quat){0, 0, 0, 1}, 1);
        handles[i].centre = (sn_vec3){p.x + (sn_real)(along * d[0]), p.y, p.z + (sn_real)(along * d[2])};
        const double s[6] = {d[0] * d[0], d[1] * d[1], d[2] * d[2], d[0] * d[1], d[0] * d[2], d[1] * d[2]};
        for (int k = 0; k < 6; k++) handles[i].stretch[k] += (sn_real)s[k];
    }
    CHECK_INT(sn_skin_instance_set_handles(r->copy, handles, POINTS), SN_OK);
    for (int blend = 0; blend < 2; blend++) {
        sn_skin_instance_set_blend(r->copy, (sn_blend)blend);
        update(r);
        for (int v = 0; v < VERTICES; v++) {
            const sn_vec3 p = r->mesh.positions[v], n = r->mesh.normals[v];
            const double along = d[0] * (double)p.x + d[2] * (double)p.z,
                         n_along = d[0] * (double)n.x + d[2] * (double)n.z;
            const sn_vec3 expected = {p.x + (sn_real)(along * d[0]), p.y, p.z + (sn_real)(along * d[2])};
            double m[3] = {(double)n.x - 0.5 * n_along * d[0], (double)n.y, (double)n.z - 0.5 * n_along * d[2]};
            const double length = sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
            const sn_vec3 normal = {(sn_real)(m[0] / length), (sn_real)(m[1] / length), (sn_real)(m[2] / length)};
            CHECK_NEAR(apart(r->positions[v], expected), 0, 3 * TIGHT);
            CHECK_NEAR(apart(r->normals[v], normal), 0, 3 * TIGHT);
        }
    }
    free_rig(r);
}

// Half a turn between two neighbouring handles: between them linear blending loses the radius, dual does not.
TEST(dual_blending_keeps_twisted_parts_round) {
    rig *r = make_rig(NULL);
    double least[2] = {1, 1}, most[2] = {0, 0};
    sn_handle handles[POINTS];
    for (int i = 0; i < POINTS; i++)
        handles[i] =
            sn_handle_similarity(r->mesh.points[i], r->mesh.points[i], turn_about(1, 0, 0, i < 3 ? 0 : 0.9 * pi), 1);
    CHECK_INT(sn_skin_instance_set_handles(r->copy, handles, POINTS), SN_OK);
    for (int blend = 0; blend < 2; blend++) {
        sn_skin_instance_set_blend(r->copy, (sn_blend)blend);
        update(r);
        for (int v = 0; v < VERTICES; v++) {
            const double radius = hypot((double)r->positions[v].y, (double)r->positions[v].z);
            least[blend] = fmin(least[blend], radius), most[blend] = fmax(most[blend], radius);
        }
    }
    CHECK(least[SN_BLEND_LINEAR] < 0.05);
    CHECK_NEAR(least[SN_BLEND_DUAL], 0.1, 1e-5);
    CHECK_NEAR(most[SN_BLEND_DUAL], 0.1, 1e-5);
    free_rig(r);
}

// A bend of a right angle over the whole length: nothing turns inside out, the radius stays within a few percent.
TEST(a_bend_keeps_the_surface_sane) {
    rig *r = make_rig(NULL);
    const double bend = pi / 2, radius = 1 / bend;
    sn_vec3 points[POINTS];
    for (int i = 0; i < POINTS; i++) {
        const double angle = bend * i / (POINTS - 1);
        points[i] = (sn_vec3){(sn_real)(radius * sin(angle)), (sn_real)(radius * (1 - cos(angle))), 0};
    }
    CHECK_INT(sn_rod_set_centres(r->world, r->rod, points, POINTS), SN_OK);
    update(r);
    for (int v = 0; v < VERTICES; v++) {
        const double x = (double)r->positions[v].x, y = radius - (double)r->positions[v].y,
                     z = (double)r->positions[v].z;
        CHECK_NEAR(hypot(hypot(x, y) - radius, z), 0.1, 0.01);
        if (v % AROUND == 0 && v >= AROUND)
            CHECK(atan2(x, y) > atan2((double)r->positions[v - AROUND].x, radius - (double)r->positions[v - AROUND].y));
    }
    free_rig(r);
}

// Weights on up to four handles, all kinds of sets, some alone.
static tube make_mixed(void) {
    tube t = make_tube();
    unsigned state = 12345;
    for (int v = 0; v < VERTICES; v++) {
        const int used = v % 4 + 1;
        for (int i = 0; i < 4; i++) {
            state = state * 1664525u + 1013904223u;
            t.handles[4 * v + i] = (uint16_t)(v < 100 ? (unsigned)(v / 40 + i) % POINTS : (state >> 20) % POINTS);
            t.weights[4 * v + i] = i < used ? (float)(1 + (state >> 8) % 1000) / 1000 : 0;
        }
    }
    return t;
}

static void bend_handles(const tube *t, sn_handle handles[POINTS]) {
    for (int i = 0; i < POINTS; i++) {
        const sn_vec3 p = t->points[i], c = {p.x * (sn_real)1.1, (sn_real)(0.1 * i * i), (sn_real)(-0.05 * i)};
        handles[i] = sn_handle_similarity(p, c, turn_about(1, i, 2, 0.3 * i), (sn_real)(1 + 0.05 * i));
        handles[i].stretch[3] = (sn_real)0.1, handles[i].stretch[5] = (sn_real)(0.02 * i);
    }
}

TEST(every_width_gives_the_same_bits) {
    static const int widths[] = {1, 4, 8, 16};
    static sn_vec3 first[2][2][VERTICES], now[2][VERTICES];
    tube mesh = make_mixed();
    sn_handle handles[POINTS];
    bend_handles(&mesh, handles);
    bool have_first = false;
    for (int w = 0; w < 4; w++) {
        sn_skin_def def = tube_def(&mesh);
        sn_skin *skin;
        sn_skin_instance *copy;
        def.lanes = widths[w];
        if (sn_skin_create(&def, &skin) != SN_OK) continue; // not on this machine, or not in this build
        CHECK_INT(sn_skin_instance_create(skin, &copy), SN_OK);
        CHECK_INT(sn_skin_instance_set_handles(copy, handles, POINTS), SN_OK);
        for (int blend = 0; blend < 2; blend++) {
            sn_skin_output out = {copy, &now[0][0].x, sizeof(sn_vec3), &now[1][0].x, sizeof(sn_vec3)};
            CHECK_INT(sn_skin_instance_set_blend(copy, (sn_blend)blend), SN_OK);
            CHECK_INT(sn_skin_update(NULL, &out, 1), SN_OK);
            if (have_first)
                CHECK(memcmp(now, first[blend], sizeof now) == 0);
            else
                memcpy(first[blend], now, sizeof now);
        }
        have_first = true;
        sn_skin_instance_destroy(copy);
        CHECK_INT(sn_skin_destroy(skin), SN_OK);
    }
    CHECK(have_first);
    // And the formula itself, in double.
    double worst = 0;
    for (int v = 0; v < VERTICES; v++) {
        double sum = 0, x[3] = {0};
        for (int i = 0; i < 4; i++) sum += (double)mesh.weights[4 * v + i];
        for (int i = 0; i < 4; i++) {
            const sn_handle *h = &handles[mesh.handles[4 * v + i]];
            const sn_vec3 p = mesh.positions[v], d = {p.x - h->rest.x, p.y - h->rest.y, p.z - h->rest.z};
            const sn_real *s = h->stretch;
            const sn_vec3 y = {s[0] * d.x + s[3] * d.y + s[4] * d.z, s[3] * d.x + s[1] * d.y + s[5] * d.z,
                               s[4] * d.x + s[5] * d.y + s[2] * d.z},
                          q = turned(h->rotation, y);
            const double k = (double)mesh.weights[4 * v + i] / sum;
            x[0] += k * (double)(q.x + h->centre.x), x[1] += k * (double)(q.y + h->centre.y);
            x[2] += k * (double)(q.z + h->centre.z);
        }
        worst = fmax(worst, apart(first[0][0][v], (sn_vec3){(sn_real)x[0], (sn_real)x[1], (sn_real)x[2]}));
    }
    CHECK_NEAR(worst, 0, 3 * TIGHT);
}

TEST(any_number_of_workers_gives_the_same_bits) {
    enum { COPIES = 40 };
    static sn_vec3 results[2][COPIES][VERTICES];
    for (int workers = 1; workers <= 2; workers++) {
        sn_world_def world_def = sn_world_def_default();
        sn_world *world;
        sn_skin *skin;
        sn_skin_output outputs[COPIES];
        tube mesh = make_mixed();
        sn_skin_def def = tube_def(&mesh);
        world_def.worker_count = workers;
        REQUIRE(sn_world_create(&world_def, &world) == SN_OK && sn_skin_create(&def, &skin) == SN_OK);
        for (int i = 0; i < COPIES; i++) {
            sn_rod_def rod_def = sn_rod_def_default();
            sn_body rod;
            rod_def.points = mesh.points, rod_def.point_count = POINTS, rod_def.radius = (sn_real)0.1;
            rod_def.velocity = (sn_vec3){0, (sn_real)(0.1 * i), 0}, rod_def.clamp_first = true, rod_def.collide = false;
            outputs[i] = (sn_skin_output){NULL, &results[workers - 1][i][0].x, sizeof(sn_vec3), NULL, 0};
            REQUIRE(sn_rod_create(world, &rod_def, &rod) == SN_OK);
            REQUIRE(sn_skin_instance_create(skin, &outputs[i].instance) == SN_OK);
            REQUIRE(sn_skin_instance_bind(outputs[i].instance, world, &rod, 1, NULL) == SN_OK);
        }
        for (int i = 0; i < 5; i++) CHECK_INT(sn_world_step(world, (sn_real)0.02, 1), SN_OK);
        CHECK_INT(sn_skin_update(world, outputs, workers == 1 ? COPIES : 20), SN_OK); // whole, and in parts
        if (workers == 2) CHECK_INT(sn_skin_update(world, outputs + 20, COPIES - 20), SN_OK);
        for (int i = 0; i < COPIES; i++) sn_skin_instance_destroy(outputs[i].instance);
        CHECK_INT(sn_skin_destroy(skin), SN_OK);
        sn_world_destroy(world);
    }
    CHECK(memcmp(results[0], results[1], sizeof results[0]) == 0);
    CHECK(memcmp(results[0][0], results[0][7], sizeof results[0][0]) != 0);
}

TEST(vertices_go_into_the_callers_layout) {
    rig *r = make_rig(NULL);
    struct {
        sn_real before, position[3], colour[2], normal[3], after;
    } buffer[VERTICES];
    memset(buffer, 0x55, sizeof buffer);
    const sn_real mark = buffer[0].before;
    sn_skin_output out = {r->copy, buffer[0].position, sizeof *buffer, buffer[0].normal, sizeof *buffer};
    CHECK_INT(sn_skin_update(r->world, &out, 1), SN_OK);
    update(r);
    for (int v = 0; v < VERTICES; v++) {
        CHECK(memcmp(buffer[v].position, &r->positions[v], sizeof(sn_vec3)) == 0);
        CHECK(memcmp(buffer[v].normal, &r->normals[v], sizeof(sn_vec3)) == 0);
        CHECK(memcmp(&buffer[v].before, &mark, sizeof mark) == 0 && memcmp(&buffer[v].after, &mark, sizeof mark) == 0);
        CHECK(memcmp(&buffer[v].colour[0], &mark, sizeof mark) == 0);
    }
    free_rig(r);
}

// Handles at branches: an arm that turns does not turn the trunk it grows from.
TEST(handles_have_the_places_of_points) {
    rig *r = make_rig(NULL);
    sn_handle handles[POINTS];
    CHECK_INT(sn_skin_instance_get_handles(r->copy, r->world, handles, POINTS), POINTS);
    for (int i = 0; i < POINTS; i++) {
        CHECK_NEAR(apart(handles[i].centre, r->mesh.points[i]), 0, TIGHT);
        CHECK_NEAR(apart(handles[i].rest, r->mesh.points[i]), 0, TIGHT);
        CHECK_NEAR(fabs((double)handles[i].rotation.w), 1, TIGHT);
        for (int k = 0; k < 6; k++) CHECK_NEAR(handles[i].stretch[k], k < 3, TIGHT);
    }
    CHECK_INT(sn_body_destroy(r->world, r->rod), SN_OK);
    CHECK_INT(sn_skin_instance_get_handles(r->copy, r->world, handles, POINTS), 0);
    free_rig(r);
}

// Joints as animation files have them blend to what the engine computes, also at branches that are pulled in several
// directions.
TEST(joints_blend_to_the_same_vertices) {
    rig *r = make_rig(NULL);
    const sn_vec3 points[POINTS] = {{0, 0, 0},
                                    {(sn_real)0.2, 0, 0},
                                    {(sn_real)0.4, 0, (sn_real)0.05},
                                    {(sn_real)0.4, (sn_real)0.3, 0},
                                    {(sn_real)0.5, (sn_real)-0.2, 0},
                                    {(sn_real)0.6, (sn_real)-0.3, (sn_real)0.1}};
    const int parents[POINTS] = {-1, 0, 1, 1, 1, 4};
    sn_vec3 pulled[POINTS];
    sn_rod_def def = sn_rod_def_default();
    sn_body rod;
    def.points = points, def.parents = parents, def.point_count = POINTS, def.radius = (sn_real)0.05;
    CHECK_INT(sn_rod_create(r->world, &def, &rod), SN_OK);
    CHECK_INT(sn_skin_instance_bind(r->copy, r->world, &rod, 1, NULL), SN_OK);
    for (int i = 0; i < POINTS; i++)
        pulled[i] = (sn_vec3){points[i].x * (sn_real)1.3, points[i].y * (sn_real)0.8 + points[i].x * (sn_real)0.2,
                              points[i].z + (sn_real)(0.02 * i)};
    CHECK_INT(sn_rod_set_centres(r->world, rod, pulled, POINTS), SN_OK);
    update(r);
    sn_joint_pose rest[POINTS], now[POINTS];
    CHECK_INT(sn_skin_instance_get_joints(r->copy, r->world, rest, now, POINTS), POINTS);
    double worst = 0;
    for (int v = 0; v < VERTICES; v++) {
        double x[3] = {0};
        for (int i = 0; i < 2; i++) {
            const sn_joint_pose *a = &rest[r->mesh.handles[4 * v + i]], *b = &now[r->mesh.handles[4 * v + i]];
            const sn_quat back = {-a->rotation.x, -a->rotation.y, -a->rotation.z, a->rotation.w};
            const sn_vec3 p = r->mesh.positions[v];
            sn_vec3 q = turned(back, (sn_vec3){p.x - a->position.x, p.y - a->position.y, p.z - a->position.z});
            q = turned(b->rotation, (sn_vec3){q.x * b->scale.x, q.y * b->scale.y, q.z * b->scale.z});
            const double w = (double)r->mesh.weights[4 * v + i];
            x[0] += w * (double)(q.x + b->position.x), x[1] += w * (double)(q.y + b->position.y);
            x[2] += w * (double)(q.z + b->position.z);
        }
        worst = fmax(worst, apart(r->positions[v], (sn_vec3){(sn_real)x[0], (sn_real)x[1], (sn_real)x[2]}));
    }
#ifdef SN_DOUBLE
    CHECK_NEAR(worst, 0, 1e-7); // weights are floats
#else
    CHECK_NEAR(worst, 0, 3e-6);
#endif
    free_rig(r);
}

TEST(several_rods_move_one_skin) {
    rig *r = make_rig(NULL);
    sn_body rods[2];
    sn_rod_def def = sn_rod_def_default();
    def.radius = (sn_real)0.1;
    for (int i = 0; i < 2; i++) {
        def.points = r->mesh.points + 3 * i, def.point_count = 3;
        CHECK_INT(sn_rod_create(r->world, &def, &rods[i]), SN_OK);
    }
    CHECK_INT(sn_skin_instance_bind(r->copy, r->world, rods, 1, NULL), SN_ERR_RANGE); // too few points
    CHECK_INT(sn_skin_instance_bind(r->copy, r->world, rods, 2, NULL), SN_OK);
    update(r);
    check_placed(r, &nowhere, TIGHT);
    free_rig(r);
}

TEST(a_restored_world_can_be_bound_again) {
    rig *r = make_rig(&(sn_placement){{1, 2, 3}, turn_about(1, 1, 0, 1), 1});
    const sn_placement at = {{1, 2, 3}, turn_about(1, 1, 0, 1), 1};
    static sn_vec3 before[VERTICES];
    sn_world_set_gravity(r->world, (sn_vec3){0, -3, 1});
    CHECK_INT(sn_rod_hold(r->world, r->rod, 0, SN_HOLD_CENTRE), SN_OK);
    for (int i = 0; i < 10; i++) sn_world_step(r->world, (sn_real)0.02, 1);
    update(r);
    memcpy(before, r->positions, sizeof before);
    size_t size = sn_world_save(r->world, NULL, 0);
    void *bytes = malloc(size);
    sn_world_save(r->world, bytes, size);
    sn_world *restored = NULL;
    sn_world_def def = sn_world_def_default();
    CHECK_INT(sn_world_restore(&def, bytes, size, &restored), SN_OK);
    free(bytes);
    sn_world_destroy(r->world);
    r->world = restored;
    r->rod = sn_world_kind_at(restored, SN_KIND_ROD, 0);
    CHECK_INT(sn_skin_instance_bind(r->copy, r->world, &r->rod, 1, &at), SN_OK);
    update(r);
    CHECK(memcmp(before, r->positions, sizeof before) == 0);
    free_rig(r);
}

// --- what is refused ---

typedef struct {
    char fields[32][64];
    int count;
} complaints;

static void note(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    complaints *c = user;
    (void)level, (void)code, (void)text;
    if (c->count < 32) snprintf(c->fields[c->count++], 64, "%s", field);
}

TEST(errors_are_named) {
    tube mesh = make_tube();
    sn_skin *skin;
    complaints c = {0};
    sn_skin_def def = tube_def(&mesh);
    def.log = note, def.log_user = &c;
    mesh.positions[3].y = (sn_real)NAN;
    mesh.weights[4 * 5 + 2] = -1;
    mesh.handles[4 * 6] = POINTS;
    for (int i = 0; i < 4; i++) mesh.weights[4 * 7 + i] = 0;
    mesh.weights[4 * 8] = NAN;
    CHECK_INT(sn_skin_create(&def, &skin), SN_ERR_DEF);
    CHECK(skin == NULL);
    CHECK_INT(c.count, 5);
    CHECK_STRING(c.fields[0], "positions[3]");
    CHECK_STRING(c.fields[1], "weights[22]");
    CHECK_STRING(c.fields[2], "handles[24]");
    CHECK_STRING(c.fields[3], "weights[28]");
    CHECK_STRING(c.fields[4], "weights[32]");
    c.count = 0;
    def.positions = NULL, def.vertex_count = 0, def.handle_count = 70000, def.lanes = 3;
    CHECK_INT(sn_skin_create(&def, &skin), SN_ERR_DEF);
    CHECK_INT(c.count, 4);
    sn_skin_def blank = {0};
    CHECK_INT(sn_skin_create(&blank, &skin), SN_ERR_DEF);
    CHECK_INT(sn_skin_create(NULL, &skin), SN_ERR_RANGE);
}

TEST(wrong_calls_change_nothing) {
    rig *r = make_rig(NULL);
    sn_skin_output out = output_of(r), twice[2] = {out, out};
    CHECK_INT(sn_skin_destroy(r->skin), SN_ERR_BUSY);
    CHECK_INT(sn_skin_update(r->world, twice, 2), SN_ERR_RANGE);
    CHECK_INT(sn_skin_update(NULL, &out, 1), SN_ERR_RANGE); // it follows a rod
    CHECK_INT(sn_skin_update(r->world, &out, 1), SN_OK);
    out.position_stride = 2 * sizeof(sn_real);
    CHECK_INT(sn_skin_update(r->world, &out, 1), SN_ERR_RANGE);
    out.position_stride = 3 * sizeof(sn_real) + 1;
    CHECK_INT(sn_skin_update(r->world, &out, 1), SN_ERR_RANGE);
    CHECK_INT(sn_skin_instance_set_blend(r->copy, (sn_blend)2), SN_ERR_RANGE);
    sn_handle handles[POINTS] = {0}; // no turn at all
    CHECK_INT(sn_skin_instance_set_handles(r->copy, handles, POINTS), SN_ERR_RANGE);
    sn_placement bad = nowhere;
    bad.scale = 0;
    CHECK_INT(sn_skin_instance_bind(r->copy, r->world, &r->rod, 1, &bad), SN_ERR_RANGE);
    CHECK_INT(sn_body_destroy(r->world, r->rod), SN_OK);
    CHECK_INT(sn_skin_instance_bind(r->copy, r->world, &r->rod, 1, NULL), SN_ERR_STALE_ID);
    memset(r->positions, 0, sizeof r->positions);
    out = output_of(r);
    CHECK_INT(sn_skin_update(r->world, &out, 1), SN_ERR_STALE_ID);
    for (int v = 0; v < VERTICES; v++) CHECK(r->positions[v].x == 0 && r->positions[v].y == 0);
    free_rig(r);
}

// --- memory ---

typedef struct {
    long blocks, calls, limit; // limit: calls after which there is no more; -1: none
} counter;

static void *take(void *user, size_t size, size_t alignment) {
    counter *c = user;
    if (c->limit >= 0 && c->calls >= c->limit) return NULL;
    ++c->calls, ++c->blocks;
    return sn_platform_allocate(size, alignment);
}

static void give(void *user, void *memory, size_t size, size_t alignment) {
    (void)size, (void)alignment;
    --((counter *)user)->blocks;
    sn_platform_release(memory);
}

TEST(updates_allocate_nothing_and_failures_leak_nothing) {
    rig *r = make_rig(NULL);
    for (long limit = 0;; limit++) {
        counter c = {0, 0, limit};
        sn_skin_def def = tube_def(&r->mesh);
        sn_skin *skin = NULL;
        sn_skin_instance *copy = NULL;
        def.allocator = (sn_allocator){take, give, &c};
        sn_status status = sn_skin_create(&def, &skin);
        if (status == SN_OK) status = sn_skin_instance_create(skin, &copy);
        if (status == SN_OK) status = sn_skin_instance_bind(copy, r->world, &r->rod, 1, NULL);
        if (status == SN_OK) {
            sn_skin_output out = {copy, &r->positions[0].x, sizeof(sn_vec3), NULL, 0};
            const long calls = c.calls;
            CHECK_INT(sn_skin_update(r->world, &out, 1), SN_OK);
            CHECK_INT(c.calls, calls);
        } else
            CHECK_INT(status, SN_ERR_MEMORY);
        sn_skin_instance_destroy(copy);
        CHECK_INT(sn_skin_destroy(skin), SN_OK);
        CHECK_INT(c.blocks, 0);
        if (status == SN_OK || limit > 100) break;
    }
    free_rig(r);
}
