// Worlds with mass-spring bodies, for the tests of them.
#ifndef SN_TEST_SPRINGS_WORLD_H
#define SN_TEST_SPRINGS_WORLD_H

#include "sinew/sinew.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>

#define WIDE (sizeof(sn_real) == 8)

static inline sn_vec3 vec(double x, double y, double z) {
    return (sn_vec3){(sn_real)x, (sn_real)y, (sn_real)z};
}

static char said[8192]; // the fields that log lines were about, a space after each

static void listen_to(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    (void)user, (void)level, (void)code;
    CHECK(text[0] != 0);
    if (strlen(said) + strlen(field) + 2 < sizeof said) strcat(strcat(said, field), " ");
}

static inline sn_world *world_with(double gravity, int workers, int lanes) {
    sn_world_def def = sn_world_def_default();
    def.gravity = vec(0, -gravity, 0);
    def.worker_count = workers;
    def.lanes = lanes;
    def.log = listen_to;
    sn_world *world = NULL;
    said[0] = 0;
    CHECK_INT(sn_world_create(&def, &world), SN_OK);
    return world;
}

static inline sn_body make(sn_world *world, const sn_springs_def *def) {
    sn_body id;
    if (!CHECK_INT(sn_springs_create(world, def, &id), SN_OK)) CHECK_STRING(said, "");
    return id;
}

// What of a cloth is not by default.
typedef struct {
    int side;    // points along each side
    sn_vec3 at;  // its middle
    double size; // m; 0: 1
    bool held;   // its first two corners
    sn_spring_integrator integrator;
    double radius, friction; // 0: the defaults
    bool self;
    int iterations; // of the solver; 0: the default
    double soft;    // multiplies stiffness; 0: 1
} cloth_plan;

static inline sn_body cloth_in(sn_world *world, cloth_plan p) {
    const double size = p.size > 0 ? p.size : 1;
    sn_spring_cloth plan = sn_spring_cloth_default();
    plan.corner = vec((double)p.at.x - size / 2, (double)p.at.y, (double)p.at.z - size / 2);
    plan.across = vec(size, 0, 0), plan.down = vec(0, 0, size);
    plan.mass = (sn_real)(0.2 * size * size);
    plan.columns = plan.rows = p.side;
    if (p.soft > 0) {
        sn_spring_params *feels[] = {&plan.structural, &plan.shear, &plan.bend};
        for (int k = 0; k < 3; k++) feels[k]->stiffness *= (sn_real)p.soft, feels[k]->damping *= (sn_real)p.soft;
    }
    sn_spring_net net;
    CHECK_INT(sn_springs_make_cloth(&plan, NULL, &net), SN_OK);
    if (p.held) net.masses[0] = net.masses[p.side - 1] = 0;
    sn_springs_def def = sn_springs_def_of(&net);
    def.integrator = p.integrator;
    def.label = 77;
    def.self_collide = p.self;
    if (p.iterations > 0) def.iterations = p.iterations;
    if (p.radius > 0) def.radius = (sn_real)p.radius;
    if (p.friction > 0) def.surface.friction_static = def.surface.friction_dynamic = (sn_real)p.friction;
    const sn_body id = make(world, &def);
    sn_spring_net_free(&net);
    return id;
}

// A chain of springs; its own definition may be changed before it is made.
static inline sn_body chain_in(sn_world *world, sn_vec3 from, sn_vec3 to, int points, double mass, double stiffness,
                               double radius, double friction) {
    const sn_spring_chain plan = {from, to, points, (sn_real)mass, {(sn_real)stiffness, 0}};
    sn_spring_net net;
    CHECK_INT(sn_springs_make_chain(&plan, NULL, &net), SN_OK);
    sn_springs_def def = sn_springs_def_of(&net);
    def.radius = (sn_real)radius;
    if (friction > 0) def.surface.friction_static = def.surface.friction_dynamic = (sn_real)friction;
    const sn_body id = make(world, &def);
    sn_spring_net_free(&net);
    return id;
}

// A block of n x n x n cubes, five tetrahedra each, turned so that neighbours agree. Freed with sn_spring_net_free.
static inline sn_spring_net block_net(int n, double size, sn_vec3 middle, double density, double stiffness,
                                      double damping) {
    enum { MOST = 8 };
    static sn_vec3 points[(MOST + 1) * (MOST + 1) * (MOST + 1)];
    static int32_t tets[MOST * MOST * MOST * 5 * 4];
    static const int even[5][4] = {{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}, {1, 2, 4, 7}};
    static const int odd[5][4] = {{1, 0, 5, 3}, {2, 3, 6, 0}, {4, 5, 0, 6}, {7, 6, 3, 5}, {0, 3, 5, 6}};
    int count = 0, tet_count = 0;
    for (int z = 0; z <= n; z++)
        for (int y = 0; y <= n; y++)
            for (int x = 0; x <= n; x++)
                points[count++] = vec((double)middle.x + size * ((double)x / n - 0.5),
                                      (double)middle.y + size * ((double)y / n - 0.5),
                                      (double)middle.z + size * ((double)z / n - 0.5));
    for (int z = 0; z < n; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++)
                for (int t = 0; t < 5; t++) {
                    int corner[4];
                    for (int k = 0; k < 4; k++) {
                        const int c = ((x + y + z) % 2 ? odd : even)[t][k];
                        corner[k] = (z + (c >> 2)) * (n + 1) * (n + 1) + (y + (c >> 1 & 1)) * (n + 1) + x + (c & 1);
                    }
                    double d[3][3];
                    for (int k = 0; k < 3; k++) {
                        const sn_vec3 p = points[corner[k + 1]], o = points[corner[0]];
                        d[k][0] = (double)(p.x - o.x), d[k][1] = (double)(p.y - o.y), d[k][2] = (double)(p.z - o.z);
                    }
                    const double det = d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) +
                                       d[0][1] * (d[1][2] * d[2][0] - d[1][0] * d[2][2]) +
                                       d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
                    for (int k = 0; k < 4; k++)
                        tets[4 * tet_count + k] = corner[det > 0 || k < 2 ? k : 5 - k]; // the right way round
                    tet_count++;
                }
    sn_spring_solid solid = sn_spring_solid_default();
    solid.points = points, solid.count = count;
    solid.tets = tets, solid.tet_count = tet_count;
    solid.density = (sn_real)density;
    solid.edge = (sn_spring_params){(sn_real)stiffness, (sn_real)damping};
    sn_spring_net net;
    if (!CHECK_INT(sn_springs_make_solid(&solid, NULL, &net), SN_OK)) CHECK_STRING(net.error, "");
    return net;
}

static inline int points_of(const sn_world *world, sn_body id, const sn_vec3 **out) {
    static sn_vec3 points[20000];
    *out = points;
    return sn_body_get_points(world, id, points, 20000);
}

static inline sn_vec3 point_of(const sn_world *world, sn_body id, int i) {
    const sn_vec3 *points;
    CHECK(i < points_of(world, id, &points));
    return points[i];
}

static inline double lowest_of(const sn_world *world, sn_body id) {
    const sn_vec3 *points;
    double least = INFINITY;
    for (int i = points_of(world, id, &points); i-- > 0;) least = fmin(least, (double)points[i].y);
    return least;
}

static inline sn_vec3 middle_of(const sn_world *world, sn_body id) {
    const sn_vec3 *points;
    const int count = points_of(world, id, &points);
    double sum[3] = {0};
    for (int i = 0; i < count; i++)
        sum[0] += (double)points[i].x, sum[1] += (double)points[i].y, sum[2] += (double)points[i].z;
    return vec(sum[0] / count, sum[1] / count, sum[2] / count);
}

static inline void run(sn_world *world, int steps, double dt, int substeps) {
    for (int i = 0; i < steps; i++)
        if (!CHECK_INT(sn_world_step(world, (sn_real)dt, substeps), SN_OK)) return;
}

static inline sn_body ground(sn_world *world, double friction) {
    sn_rigid_def def = sn_rigid_def_default();
    sn_body id;
    if (friction > 0) def.surface.friction_static = def.surface.friction_dynamic = (sn_real)friction;
    CHECK_INT(sn_rigid_create(world, &def, &id), SN_OK);
    return id;
}

#endif
