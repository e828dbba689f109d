// Queries against going through all elements, against plain searches in double, and what they promise.
//
// QUERY_CASTS=100000 asks for more random casts.
#include "all_kinds.h"
#include "query/snapshot.h"
#include <stdlib.h>

static int casts_wanted(int most) {
    const char *text = getenv("QUERY_CASTS");
    return text ? atoi(text) : ROUNDS(most);
}

// ---- a world with all there is

static sn_body add_rigid(sn_world *world, sn_rigid_def def) {
    sn_body body = {0};
    CHECK_INT(sn_rigid_create(world, &def, &body), SN_OK);
    return body;
}

static sn_quat any_turn(uint64_t *seed) {
    const sn_vec3 v = random_vec(seed, 1);
    return turn_about((double)v.x, (double)v.y, (double)v.z, (double)random_real(seed, 0, 3));
}

enum { HILL = 9 };

// A bumpy ground of triangles, in a frame of its own.
static sn_body add_hill(sn_world *world, uint64_t *seed) {
    sn_vec3 vertices[HILL * HILL];
    int32_t triangles[6 * (HILL - 1) * (HILL - 1)];
    for (int i = 0; i < HILL * HILL; i++)
        vertices[i] = (sn_vec3){R(0.5 * (i % HILL)), random_real(seed, 0, 0.4), R(0.5 * (i / HILL))};
    for (int i = 0; i < (HILL - 1) * (HILL - 1); i++) {
        const int a = i / (HILL - 1) * HILL + i % (HILL - 1);
        const int32_t two[6] = {a, a + HILL, a + 1, a + 1, a + HILL, a + HILL + 1};
        memcpy(&triangles[6 * i], two, sizeof two);
    }
    sn_rigid_def def = sn_rigid_def_default();
    def.geometry = SN_GEOMETRY_MESH, def.vertices = vertices, def.vertex_count = HILL * HILL;
    def.triangles = triangles, def.triangle_count = 2 * (HILL - 1) * (HILL - 1);
    def.position = (sn_vec3){-4, R(0.3), 1}, def.rotation = any_turn(seed);
    return add_rigid(world, def);
}

static void add_solids(sn_world *world, uint64_t *seed, int count) {
    for (int i = 0; i < count; i++) {
        sn_rigid_def def = sn_rigid_def_default();
        def.geometry = i % 3 == 0 ? SN_GEOMETRY_SPHERE : i % 3 == 1 ? SN_GEOMETRY_PILL : SN_GEOMETRY_BOX;
        def.position = (sn_vec3){random_real(seed, -3, 3), random_real(seed, 0.5, 4), random_real(seed, -1, 9)};
        def.rotation = any_turn(seed);
        def.radii[0] = random_real(seed, 0.05, 0.3), def.radii[1] = random_real(seed, 0.05, 0.3);
        def.ends[0] = random_vec(seed, 0.5), def.ends[1] = random_vec(seed, 0.5);
        def.half = (sn_vec3){random_real(seed, 0.05, 0.3), random_real(seed, 0.05, 0.3), random_real(seed, 0.05, 0.3)};
        def.dynamic = i % 2, def.surface.group = i % 4 == 0 ? 2 : 1;
        add_rigid(world, def);
    }
}

// Rods whose radii differ from point to point.
static void add_tapered(sn_world *world, uint64_t *seed, int count) {
    for (int i = 0; i < count; i++) {
        sn_vec3 points[8];
        sn_real radii[8];
        sn_rod_def def = chain_def(points, 8);
        const sn_vec3 move = {random_real(seed, -3, 3), random_real(seed, 1, 4), random_real(seed, -1, 9)};
        for (int k = 0; k < 8; k++) {
            const sn_vec3 off = random_vec(seed, 0.03);
            points[k].x += move.x + off.x, points[k].y += move.y + off.y, points[k].z += move.z + off.z;
            radii[k] = random_real(seed, 0.01, 0.12);
        }
        def.radii = radii;
        sn_body rod;
        CHECK_INT(sn_rod_create(world, &def, &rod), SN_OK);
    }
}

static bool begin_zoo(all_kinds *all, uint64_t seed, int steps) {
    const sn_world_def def = sn_world_def_default();
    if (!all_kinds_begin(all, &def)) return false;
    add_hill(all->world, &seed);
    add_solids(all->world, &seed, 40);
    add_tapered(all->world, &seed, 20);
    for (int i = 0; i < steps; i++) CHECK(sn_world_step(all->world, R(1.0 / 60), 0) == SN_OK);
    return true;
}

static sn_probe any_probe(uint64_t *seed) {
    const sn_vec3 at = {random_real(seed, -4, 4), random_real(seed, -0.2, 5), random_real(seed, -2, 10)};
    const sn_vec3 by = random_vec(seed, 8);
    const sn_real size = random_real(seed, 0, 0.3);
    switch (random_below(seed, 3)) {
    case 0:
        return sn_probe_ray(at, by);
    case 1:
        return sn_probe_sphere(at, size, by);
    default: {
        const sn_vec3 off = random_vec(seed, 0.5);
        const sn_vec3 end = {at.x + off.x, at.y + off.y, at.z + off.z};
        return sn_probe_pill(at, end, size, random_real(seed, 0, 0.3), by);
    }
    }
}

// ---- a twin of plain loops: every element of every body

static sn_query_probe into_frame(const sn_query_body *b, const sn_probe *p) {
    const sn_vec3 o = b->is_local ? b->pose.position : (sn_vec3){0, 0, 0};
    sn_query_probe out = {sn_point_of(p->ends[0], o), sn_point_of(p->ends[1], o),
                          sn_point_of(p->motion, (sn_vec3){0, 0, 0}), p->radii[0], p->radii[1]};
    sn_point *const vectors[3] = {&out.a, &out.b, &out.motion};
    for (int k = 0; b->is_local && k < 3; k++) {
        const sn_quat q = b->pose.rotation;
        const sn_point axis = {-(double)q.x, -(double)q.y, -(double)q.z};
        const sn_point t = sn_point_mul(2, sn_point_cross(axis, *vectors[k]));
        *vectors[k] = sn_point_mul_add(sn_point_mul_add(*vectors[k], (double)q.w, t), 1, sn_point_cross(axis, t));
    }
    return out;
}

static bool same_body(sn_body a, sn_body b) {
    return a.kind == b.kind && a.slot1 == b.slot1 && a.gen == b.gen;
}

typedef struct {
    bool found;
    sn_body body;
    int element;
    double value;
} plain;

// The first that a cast meets, or the one with the smallest gap; of one body, if it is given.
static plain search_plainly(const sn_snapshot *s, const sn_probe *probe, bool casts, double limit, uint32_t groups,
                            const sn_query_body *only) {
    plain best = {.value = limit};
    for (int i = 0; i < s->count; i++) {
        const sn_query_body *b = s->bodies[i];
        const sn_query_probe local = into_frame(b, probe);
        if (!(b->group & groups) || (only && b != only)) continue;
        for (int k = 0; k < b->count; k++) {
            sn_query_contact m;
            if (!casts)
                sn_query_measure(&b->elements[k].primitive, &local, 0, &m);
            else if (!sn_query_cast(&b->elements[k].primitive, &local, limit, &m))
                continue;
            const double value = casts ? m.at : (double)m.gap;
            if (!(value <= limit)) continue;
            const bool tie = best.found && value == best.value && same_body(best.body, b->body);
            if (!best.found || value < best.value || (tie && b->elements[k].number < best.element))
                best = (plain){true, b->body, b->elements[k].number, value};
        }
    }
    return best;
}

static bool agrees(const sn_hit *hit, const plain *twin, bool casts) {
    if (!twin->found) return hit->body.slot1 == 0;
    return same_body(hit->body, twin->body) && hit->element == twin->element &&
           (casts ? hit->fraction : hit->distance) == R(twin->value);
}

TEST(casts_find_what_plain_loops_find) {
    all_kinds all;
    sn_snapshot *s = NULL;
    REQUIRE(begin_zoo(&all, 7, 25));
    REQUIRE(sn_snapshot_create(all.world, &s) == SN_OK);
    uint64_t seed = 11;
    int wrong = 0, hits = 0;
    const int count = casts_wanted(6000);
    for (int i = 0; i < count; i++) {
        const sn_probe probe = any_probe(&seed);
        sn_query_filter filter = sn_query_filter_default();
        filter.groups = i % 3 == 0 ? 2 : UINT32_MAX;
        sn_hit hit;
        wrong += sn_snapshot_cast(s, &probe, 1, &filter, &hit) != SN_OK;
        const plain twin = search_plainly(s, &probe, true, 1, filter.groups, NULL);
        wrong += !agrees(&hit, &twin, true);
        hits += twin.found;
    }
    CHECK_INT(wrong, 0);
    CHECK(hits > count / 4);
    sn_snapshot_destroy(s);
    all_kinds_end(&all);
}

TEST(the_nearest_is_what_plain_loops_find) {
    all_kinds all;
    sn_snapshot *s = NULL;
    REQUIRE(begin_zoo(&all, 8, 25));
    REQUIRE(sn_snapshot_create(all.world, &s) == SN_OK);
    uint64_t seed = 12;
    int wrong = 0;
    const int count = casts_wanted(3000);
    for (int i = 0; i < count; i++) {
        const sn_probe probe = any_probe(&seed);
        const sn_real max = i % 4 ? R(INFINITY) : random_real(&seed, 0, 1);
        sn_hit hit;
        wrong += sn_snapshot_nearest(s, &probe, 1, max, NULL, &hit) != SN_OK;
        const plain twin = search_plainly(s, &probe, false, (double)max, UINT32_MAX, NULL);
        wrong += !agrees(&hit, &twin, false);
    }
    CHECK_INT(wrong, 0);
    sn_snapshot_destroy(s);
    all_kinds_end(&all);
}

// Overlaps and casts through everything: each body that plain loops find, once, in order.
TEST(lists_of_bodies_are_those_of_plain_loops) {
    enum { MOST = 128 };
    all_kinds all;
    sn_snapshot *s = NULL;
    REQUIRE(begin_zoo(&all, 9, 25));
    REQUIRE(sn_snapshot_create(all.world, &s) == SN_OK);
    uint64_t seed = 13;
    int wrong = 0, met = 0;
    const int count = casts_wanted(800);
    for (int i = 0; i < count; i++) {
        const bool casts = i % 2;
        const sn_probe probe = any_probe(&seed);
        sn_hit hits[MOST], few[2];
        const int found = casts ? sn_snapshot_cast_all(s, &probe, NULL, hits, MOST)
                                : sn_snapshot_overlap(s, &probe, NULL, hits, MOST);
        int twins = 0;
        for (int b = 0; b < s->count; b++) {
            const plain twin = search_plainly(s, &probe, casts, casts ? 1 : 0, UINT32_MAX, s->bodies[b]);
            bool listed = !twin.found;
            for (int k = 0; k < found && twin.found; k++) listed = listed || agrees(&hits[k], &twin, casts);
            wrong += !listed;
            twins += twin.found;
        }
        wrong += twins != found;
        for (int k = 1; k < found && casts; k++) wrong += hits[k].fraction < hits[k - 1].fraction;
        const int again =
            casts ? sn_snapshot_cast_all(s, &probe, NULL, few, 2) : sn_snapshot_overlap(s, &probe, NULL, few, 2);
        wrong += again != found;
        for (int k = 0; k < 2 && k < found; k++) wrong += !same_body(few[k].body, hits[k].body);
        met += found;
    }
    CHECK_INT(wrong, 0);
    if (!CHECK(met > count / 4)) printf("%d of %d\n", met, count);
    sn_snapshot_destroy(s);
    all_kinds_end(&all);
}

// ---- gaps by another way: in double, searching instead of solving

static double mix(double a, double b, double t) {
    return a + t * (b - a);
}

typedef struct {
    double x[3], r;
} ball;

static ball mixed_ball(const ball *a, const ball *b, double t) {
    return (ball){{mix(a->x[0], b->x[0], t), mix(a->x[1], b->x[1], t), mix(a->x[2], b->x[2], t)}, mix(a->r, b->r, t)};
}

static double ball_gap(const ball *a, const ball *b) {
    const double x = a->x[0] - b->x[0], y = a->x[1] - b->x[1], z = a->x[2] - b->x[2];
    return sqrt(x * x + y * y + z * z) - a->r - b->r;
}

// Of a ball and the hull of up to three; convex in each parameter.
static double hull_gap(const ball *a, const ball *c, int corners) {
    if (corners == 1) return ball_gap(a, &c[0]);
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        const double s = mix(low, high, 0.382), t = mix(low, high, 0.618);
        double f[2];
        for (int k = 0; k < 2; k++) {
            ball b[2];
            for (int j = 0; j < corners - 1; j++) b[j] = mixed_ball(&c[0], &c[j + 1], k ? t : s);
            f[k] = hull_gap(a, b, corners - 1);
        }
        if (f[0] < f[1])
            high = t;
        else
            low = s;
    }
    ball b[2];
    for (int j = 0; j < corners - 1; j++) b[j] = mixed_ball(&c[0], &c[j + 1], 0.5 * (low + high));
    return hull_gap(a, b, corners - 1);
}

static ball ball_of(sn_vec3 c, sn_real r) {
    return (ball){{(double)c.x, (double)c.y, (double)c.z}, (double)r};
}

static double box_gap(const ball *a, const sn_box *box) {
    const sn_vec3 axes[3] = {sn_q_axis_x(box->rotation), sn_q_axis_y(box->rotation), sn_q_axis_z(box->rotation)};
    const double half[3] = {(double)box->half.x, (double)box->half.y, (double)box->half.z};
    const ball c = ball_of(box->centre, 0);
    double out = 0, in = -1e30;
    for (int k = 0; k < 3; k++) {
        const double q = fabs((a->x[0] - c.x[0]) * (double)axes[k].x + (a->x[1] - c.x[1]) * (double)axes[k].y +
                              (a->x[2] - c.x[2]) * (double)axes[k].z) -
                         half[k];
        out += q > 0 ? q * q : 0;
        in = q > in ? q : in;
    }
    return (out > 0 ? sqrt(out) : in) - a->r;
}

static double gap_of(const sn_query_primitive *s, const ball *a) {
    switch (s->form) {
    case SN_QUERY_PILL: {
        const ball c[2] = {ball_of(s->as.pill.a, s->as.pill.ra), ball_of(s->as.pill.b, s->as.pill.rb)};
        return hull_gap(a, c, 2);
    }
    case SN_QUERY_PLANE: {
        const ball p = ball_of(s->as.plane.point, 0), n = ball_of(s->as.plane.normal, 0);
        return (a->x[0] - p.x[0]) * n.x[0] + (a->x[1] - p.x[1]) * n.x[1] + (a->x[2] - p.x[2]) * n.x[2] - a->r;
    }
    case SN_QUERY_BOX:
        return box_gap(a, &s->as.box);
    default: {
        ball c[3];
        for (int k = 0; k < 3 && s->form == SN_QUERY_SLAB; k++) c[k] = ball_of(s->as.slab.c[k], s->as.slab.r[k]);
        if (s->form == SN_QUERY_TRIANGLE)
            c[0] = ball_of(s->as.triangle.a, 0), c[1] = ball_of(s->as.triangle.b, 0),
            c[2] = ball_of(s->as.triangle.c, 0);
        return hull_gap(a, c, 3);
    }
    }
}

static ball probe_at(const sn_query_probe *p, double t) {
    return (ball){{p->a.x + t * p->motion.x, p->a.y + t * p->motion.y, p->a.z + t * p->motion.z}, (double)p->ra};
}

// A ball meets an element where the gap comes to 0, no earlier, and not at all if it does not.
TEST(balls_meet_elements_where_the_gap_closes) {
    all_kinds all;
    sn_snapshot *s = NULL;
    REQUIRE(begin_zoo(&all, 10, 25));
    REQUIRE(sn_snapshot_create(all.world, &s) == SN_OK);
    uint64_t seed = 14;
    int met[5] = {0}, wrong = 0;
    const double near = sizeof(sn_real) == 8 ? 1e-9 : 2e-5;
    for (int i = 0; i < ROUNDS(3000); i++) {
        const sn_query_body *b = s->bodies[random_below(&seed, s->count)];
        for (int k = 0; k < s->count && i % 5 == 0; k++) b = s->bodies[k]->is_local ? s->bodies[k] : b;
        const sn_query_primitive *shape = &b->elements[random_below(&seed, b->count)].primitive;
        const sn_bounds box = b->is_local ? (sn_bounds){{0, 0, 0}, {4, R(0.4), 4}} : b->bounds;
        const sn_vec3 at = {random_real(&seed, -4, 4), random_real(&seed, -0.2, 5), random_real(&seed, -2, 10)};
        const double u = (double)random_real(&seed, -0.1, 1.1);
        sn_vec3 by = {R(mix((double)box.lo.x, (double)box.hi.x, u)) - at.x,
                      R(mix((double)box.lo.y, (double)box.hi.y, u)) - at.y,
                      R(mix((double)box.lo.z, (double)box.hi.z, u)) - at.z};
        if (shape->form == SN_QUERY_PLANE) by = random_vec(&seed, 5);
        const sn_probe plain_probe = sn_probe_sphere(at, i % 2 ? random_real(&seed, 0, 0.3) : 0, by);
        const sn_query_body world = {0};
        const sn_query_probe probe = into_frame(&world, &plain_probe);
        sn_query_contact m;
        const bool meets = sn_query_cast(shape, &probe, 1, &m);
        double least = 1e30;
        for (int k = 0; k <= 20; k++) {
            const double t = (meets ? m.at : 1) * k / 20;
            const ball a = probe_at(&probe, t);
            const double gap = gap_of(shape, &a);
            least = gap < least ? gap : least;
        }
        const ball end = probe_at(&probe, meets ? m.at : 1);
        if (meets && m.at > 0) wrong += fabs(gap_of(shape, &end)) > near;
        wrong += !(meets && m.at == 0) && least < -near;
        met[shape->form] += meets;
    }
    CHECK_INT(wrong, 0);
    for (int k = 0; k < 5; k++)
        if (!CHECK(met[k] >= ROUNDS(3000) / 300)) printf("form %d: %d\n", k, met[k]);
    sn_snapshot_destroy(s);
    all_kinds_end(&all);
}

// ---- promises

// A snapshot that followed the world finds the same, bit by bit, as a new one.
TEST(fitted_trees_find_what_new_trees_find) {
    all_kinds all;
    sn_snapshot *old = NULL, *new = NULL;
    REQUIRE(begin_zoo(&all, 15, 0));
    REQUIRE(sn_snapshot_create(all.world, &old) == SN_OK);
    const saved before = save_of(all.world);
    CHECK_INT(sn_snapshot_update(old, all.world), SN_OK);
    CHECK(unchanged(all.world, before));
    uint64_t seed = 16;
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 10; i++) sn_world_step(all.world, R(1.0 / 60), 0);
        if (round == 1) CHECK_INT(sn_body_destroy(all.world, sn_world_kind_at(all.world, SN_KIND_ROD, 6)), SN_OK);
        if (round == 2) add_tapered(all.world, &seed, 2), add_solids(all.world, &seed, 3);
        CHECK_INT(sn_snapshot_update(old, all.world), SN_OK);
        REQUIRE(sn_snapshot_create(all.world, &new) == SN_OK);
        CHECK_INT(sn_snapshot_body_count(old), sn_snapshot_body_count(new));
        CHECK_INT(sn_snapshot_element_count(old), sn_snapshot_element_count(new));
        enum { MANY = 200 };
        sn_probe probes[MANY];
        sn_hit a[MANY], b[MANY];
        memset(a, 0, sizeof a), memset(b, 0, sizeof b);
        for (int i = 0; i < MANY; i++) probes[i] = any_probe(&seed);
        CHECK_INT(sn_snapshot_cast(old, probes, MANY, NULL, a), SN_OK);
        CHECK_INT(sn_snapshot_cast(new, probes, MANY, NULL, b), SN_OK);
        CHECK(memcmp(a, b, sizeof a) == 0);
        sn_snapshot_destroy(new);
    }
    sn_snapshot_destroy(old);
    all_kinds_end(&all);
}

static bool not_that(void *user, sn_body body) {
    return !same_body(*(const sn_body *)user, body);
}

TEST(a_filter_takes_bodies_away) {
    sn_world_def def = sn_world_def_default();
    sn_world *world = make_world(&def);
    REQUIRE(world);
    sn_body balls[4];
    for (int i = 0; i < 4; i++) {
        sn_rigid_def ball_def = sn_rigid_def_default();
        ball_def.geometry = SN_GEOMETRY_SPHERE, ball_def.radii[0] = R(0.25);
        ball_def.position.x = R(1 + i), ball_def.surface.group = i == 1 ? 4 : 1;
        balls[i] = add_rigid(world, ball_def);
    }
    sn_snapshot *s = NULL;
    REQUIRE(sn_snapshot_create(world, &s) == SN_OK);
    const sn_probe ray = sn_probe_ray((sn_vec3){0, 0, 0}, (sn_vec3){10, 0, 0});
    sn_query_filter filter = sn_query_filter_default();
    sn_hit hit;
    CHECK_INT(sn_snapshot_cast(s, &ray, 1, &filter, &hit), SN_OK);
    CHECK(same_body(hit.body, balls[0]));
    CHECK_NEAR(hit.fraction, 0.075, 1e-6);
    CHECK_NEAR(hit.normal.x, -1, 1e-6);
    CHECK_NEAR(hit.point.x, 0.75, 1e-6);
    filter.skip = balls[0];
    CHECK_INT(sn_snapshot_cast(s, &ray, 1, &filter, &hit), SN_OK);
    CHECK(same_body(hit.body, balls[1]));
    filter.groups = 1;
    CHECK_INT(sn_snapshot_cast(s, &ray, 1, &filter, &hit), SN_OK);
    CHECK(same_body(hit.body, balls[2]));
    filter.keep = not_that, filter.user = &balls[2];
    CHECK_INT(sn_snapshot_cast(s, &ray, 1, &filter, &hit), SN_OK);
    CHECK(same_body(hit.body, balls[3]));
    CHECK_INT(sn_snapshot_cast_all(s, &ray, &filter, NULL, 0), 1);
    sn_world_destroy(world);
    CHECK_INT(sn_snapshot_cast(s, &ray, 1, NULL, &hit), SN_OK); // it needs the world no more
    CHECK(same_body(hit.body, balls[0]));
    sn_snapshot_destroy(s);
}

// What is picked can be held by a joint.
TEST(a_hit_names_the_place_for_a_joint) {
    all_kinds all;
    sn_snapshot *s = NULL;
    const sn_world_def def = sn_world_def_default();
    REQUIRE(all_kinds_begin(&all, &def));
    REQUIRE(sn_snapshot_create(all.world, &s) == SN_OK);
    const sn_probe down = sn_probe_ray((sn_vec3){R(0.33), 3, 0}, (sn_vec3){0, -5, 0});
    sn_hit hit;
    CHECK_INT(sn_snapshot_cast(s, &down, 1, NULL, &hit), SN_OK);
    CHECK(same_body(hit.body, all.rod));
    CHECK_INT(hit.segment, 4);
    CHECK_NEAR(hit.along, 0.3, 1e-4);
    CHECK_INT(hit.nearest, -1);
    sn_vec3 points[64];
    REQUIRE(sn_body_get_points(all.world, all.springs, points, 64) == 36);
    const sn_vec3 from = {points[14].x + R(0.01), 3, points[14].z};
    const sn_probe on_cloth = sn_probe_ray(from, (sn_vec3){0, -5, 0});
    CHECK_INT(sn_snapshot_cast(s, &on_cloth, 1, NULL, &hit), SN_OK);
    CHECK(same_body(hit.body, all.springs));
    CHECK_INT(hit.nearest, 14);
    CHECK_INT(hit.segment, -1);
    sn_joint_def joint = sn_joint_def_default();
    sn_joint held;
    joint.body_a = hit.body, joint.point_a = hit.nearest, joint.position = hit.point;
    CHECK_INT(sn_joint_create(all.world, &joint, &held), SN_OK);
    sn_snapshot_destroy(s);
    all_kinds_end(&all);
}

// At 10 km from the origin a ray over a kilometre hits a ball of a centimetre within a tenth of a millimetre of where places are exact.
TEST(rays_are_exact_far_away) {
    sn_world_def def = sn_world_def_default();
    sn_world *world = make_world(&def);
    REQUIRE(world);
    sn_rigid_def ball_def = sn_rigid_def_default();
    ball_def.geometry = SN_GEOMETRY_SPHERE, ball_def.radii[0] = R(0.01);
    ball_def.position = (sn_vec3){8192, 0, 8192};
    add_rigid(world, ball_def);
    sn_snapshot *s = NULL;
    REQUIRE(sn_snapshot_create(world, &s) == SN_OK);
    sn_hit hit;
    sn_probe ray = sn_probe_ray((sn_vec3){7168, 0, 8192}, (sn_vec3){2048, 0, 0});
    CHECK_INT(sn_snapshot_cast(s, &ray, 1, NULL, &hit), SN_OK);
    CHECK(hit.body.slot1 == 1);
    CHECK_NEAR((double)hit.fraction * 2048, 1023.99, 2e-4);
    ray.ends[0].y = ray.ends[1].y = R(0.0101);
    CHECK_INT(sn_snapshot_cast(s, &ray, 1, NULL, &hit), SN_OK);
    CHECK(hit.body.slot1 == 0);
    sn_snapshot_destroy(s);
    sn_world_destroy(world);
}

TEST(bad_probes_are_refused) {
    sn_world_def def = sn_world_def_default();
    sn_world *world = make_world(&def);
    REQUIRE(world);
    sn_snapshot *s = NULL;
    CHECK_INT(sn_snapshot_create(NULL, &s), SN_ERR_RANGE);
    CHECK_INT(sn_snapshot_create(world, NULL), SN_ERR_RANGE);
    REQUIRE(sn_snapshot_create(world, &s) == SN_OK);
    CHECK_INT(sn_snapshot_body_count(s), 0);
    sn_hit hit = {.element = 77};
    sn_probe bad = sn_probe_ray((sn_vec3){R(NAN), 0, 0}, (sn_vec3){1, 0, 0});
    CHECK_INT(sn_snapshot_cast(s, &bad, 1, NULL, &hit), SN_ERR_RANGE);
    bad = sn_probe_sphere((sn_vec3){0, 0, 0}, -1, (sn_vec3){1, 0, 0});
    CHECK_INT(sn_snapshot_cast(s, &bad, 1, NULL, &hit), SN_ERR_RANGE);
    CHECK_INT(hit.element, 77);
    CHECK_INT(sn_snapshot_overlap(s, &bad, NULL, &hit, 1), 0);
    CHECK_INT(sn_snapshot_nearest(s, &bad, 1, -1, NULL, &hit), SN_ERR_RANGE);
    const sn_probe good = sn_probe_ray((sn_vec3){0, 0, 0}, (sn_vec3){1, 0, 0});
    CHECK_INT(sn_snapshot_cast(s, &good, 1, NULL, &hit), SN_OK);
    CHECK_INT(hit.body.slot1, 0);
    CHECK_INT(sn_snapshot_update(NULL, world), SN_ERR_RANGE);
    sn_snapshot_destroy(s);
    sn_snapshot_destroy(NULL);
    sn_world_destroy(world);
}

// Memory that runs out anywhere leaves an empty snapshot and no leak.
TEST(snapshots_survive_scarce_memory) {
    for (long fail = 1; fail < 40; fail++) {
        counter c = {0};
        sn_world_def def = sn_world_def_default();
        def.allocator = counted(&c);
        sn_world *world = make_world(&def);
        REQUIRE(world);
        uint64_t seed = 3;
        add_tapered(world, &seed, 3), add_solids(world, &seed, 3), add_hill(world, &seed);
        sn_snapshot *s = NULL;
        c.fail_at = c.calls + fail;
        const sn_status status = sn_snapshot_create(world, &s);
        CHECK(status == SN_OK || (status == SN_ERR_MEMORY && !s));
        c.fail_at = 0;
        if (s) CHECK_INT(sn_snapshot_update(s, world), SN_OK);
        if (s) CHECK_INT(sn_snapshot_body_count(s), 7);
        sn_snapshot_destroy(s);
        sn_world_destroy(world);
        CHECK_INT(c.live, 0);
        CHECK_INT(c.wrong, 0);
    }
}

// Updates of a world that only moves allocate nothing.
TEST(warmed_updates_allocate_nothing) {
    counter c = {0};
    all_kinds all;
    sn_world_def def = sn_world_def_default();
    def.allocator = counted(&c);
    REQUIRE(all_kinds_begin(&all, &def));
    uint64_t seed = 5;
    add_tapered(all.world, &seed, 10), add_solids(all.world, &seed, 10), add_hill(all.world, &seed);
    sn_snapshot *s = NULL;
    REQUIRE(sn_snapshot_create(all.world, &s) == SN_OK);
    for (int i = 0; i < 3; i++) sn_world_step(all.world, R(1.0 / 60), 0), sn_snapshot_update(s, all.world);
    for (int i = 0; i < 5; i++) {
        sn_world_step(all.world, R(1.0 / 60), 0);
        const long before = c.calls;
        CHECK_INT(sn_snapshot_update(s, all.world), SN_OK);
        CHECK_INT(c.calls, before);
    }
    sn_snapshot_destroy(s);
    all_kinds_end(&all);
}
