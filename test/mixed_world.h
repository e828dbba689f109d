// What tests of whole worlds share: a log that remembers, an allocator that counts and may fail, shapes of rods, and a
// mixed world: rods of every topology and kind, held, loaded and contracted while it runs.
#ifndef SN_TEST_MIXED_WORLD_H
#define SN_TEST_MIXED_WORLD_H

#include "base/platform.h"
#include "lane_widths.h"
#include "sinew/sinew.h"
#include "test.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define R(x) ((sn_real)(x))

enum { MIXED_POINTS_MOST = 40, MIXED_RODS_MOST = 64 };

// ---- random numbers, the same everywhere

static inline uint32_t random_u32(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) ^ (uint32_t)(*seed >> 11);
}
static inline int random_below(uint64_t *seed, int n) {
    return (int)(random_u32(seed) % (uint32_t)n);
}
static inline sn_real random_real(uint64_t *seed, double lo, double hi) {
    return R(lo + (hi - lo) * (double)(random_u32(seed) >> 8) / 16777216.0);
}
static inline sn_vec3 random_vec(uint64_t *seed, double size) {
    sn_real x = random_real(seed, -size, size), y = random_real(seed, -size, size);
    return (sn_vec3){x, y, random_real(seed, -size, size)};
}

// ---- a log that remembers the last lines

enum { LINES_MOST = 64 };
typedef struct {
    int count;
    sn_status code[LINES_MOST];
    char field[LINES_MOST][64];
    char text[LINES_MOST][256];
} lines;

static inline void remember_line(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    lines *log = user;
    int i = log->count < LINES_MOST ? log->count : LINES_MOST - 1;
    log->count += 1;
    log->code[i] = code;
    snprintf(log->field[i], sizeof log->field[i], "%s", field);
    snprintf(log->text[i], sizeof log->text[i], "%s", text);
    CHECK(level == SN_LOG_ERROR || code == SN_WARN_DIVERGED);
    CHECK(text[0] != 0);
}

// How many lines are about a field.
static inline int lines_about(const lines *log, const char *field) {
    int found = 0;
    for (int i = 0; i < log->count && i < LINES_MOST; i++) found += strcmp(log->field[i], field) == 0;
    return found;
}

// ---- an allocator that counts, checks what comes back, and may fail

typedef struct {
    long calls, fail_at; // the fail_at-th call fails, from 1; 0: none does
    long fail_from;      // all from this one on; 0: none
    long live;           // blocks
    size_t used_bytes, most_bytes, largest;
    int wrong; // blocks that came back with another size or alignment
} counter;

typedef struct {
    size_t size, alignment;
} block_head;

static inline void *counted_allocate(void *user, size_t size, size_t alignment) {
    counter *c = user;
    c->calls += 1;
    if (size > c->largest) c->largest = size;
    if (c->calls == c->fail_at || (c->fail_from && c->calls >= c->fail_from)) return NULL;
    if (alignment < 64 || (alignment & (alignment - 1)) != 0) c->wrong += 1;
    char *block = sn_platform_allocate(alignment + (size + alignment - 1) / alignment * alignment, alignment);
    if (!block) return NULL;
    *(block_head *)block = (block_head){size, alignment};
    memset(block + alignment, 0xAB, size); // nobody may count on zeroes
    c->live += 1;
    c->used_bytes += size;
    if (c->used_bytes > c->most_bytes) c->most_bytes = c->used_bytes;
    return block + alignment;
}

static inline void counted_release(void *user, void *memory, size_t size, size_t alignment) {
    counter *c = user;
    char *block = (char *)memory - alignment;
    const block_head *head = (const block_head *)block;
    if (head->size != size || head->alignment != alignment) c->wrong += 1;
    c->live -= 1;
    c->used_bytes -= size;
    sn_platform_release(block);
}

static inline sn_allocator counted(counter *c) {
    return (sn_allocator){counted_allocate, counted_release, c};
}

// ---- everything a world says about itself

typedef struct {
    unsigned char *bytes;
    size_t size;
} saved;

static inline saved save_of(const sn_world *world) {
    saved s = {NULL, sn_world_save(world, NULL, 0)};
    s.bytes = malloc(s.size);
    if (!s.bytes || sn_world_save(world, s.bytes, s.size) != s.size) abort();
    return s;
}

// Whether the world is bit by bit as it was saved; frees the bytes.
static inline bool unchanged(const sn_world *world, saved before) {
    saved now = save_of(world);
    bool same = now.size == before.size && memcmp(now.bytes, before.bytes, now.size) == 0;
    free(now.bytes);
    free(before.bytes);
    return same;
}

static inline sn_world *make_world(const sn_world_def *def) {
    sn_world *world = NULL;
    if (sn_world_create(def, &world) != SN_OK) printf("the test could not make its world\n");
    return world;
}

// ---- shapes

// n points along x from 'from', 'step' apart.
static inline void line_of(sn_vec3 *points, int n, sn_vec3 from, sn_real step) {
    for (int i = 0; i < n; i++) points[i] = (sn_vec3){from.x + step * (sn_real)i, from.y, from.z};
}

static inline void circle_of(sn_vec3 *points, int n, double radius) {
    for (int i = 0; i < n; i++) {
        double angle = 2 * 3.14159265358979323846 * i / n;
        points[i] = (sn_vec3){R(radius * cos(angle)), R(radius * sin(angle)), 0};
    }
}

// A chain of n points along x at the origin, 0.1 m apart, radius 0.02; add to it and create.
static inline sn_rod_def chain_def(sn_vec3 *points, int n) {
    line_of(points, n, (sn_vec3){0, 0, 0}, R(0.1));
    sn_rod_def def = sn_rod_def_default();
    def.points = points;
    def.point_count = n;
    def.radius = R(0.02);
    return def;
}

static inline sn_vec3 centre_of(const sn_world *world, sn_body rod, int point) {
    sn_vec3 c[256] = {{0, 0, 0}};
    sn_body_get_points(world, rod, c, 256);
    return c[point];
}

static inline double distance(sn_vec3 a, sn_vec3 b) {
    double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
    return sqrt(x * x + y * y + z * z);
}

// ---- the mixed world

typedef enum {
    MIXED_DUMBBELL,    // two points
    MIXED_CHAIN,       // free
    MIXED_CLAMPED,     // at point 0
    MIXED_BRIDGE,      // clamped at both ends
    MIXED_VOLUME_BEND, //
    MIXED_SCALE_BEND,  //
    MIXED_FORK,        // a Y, clamped at its foot
    MIXED_STAR,        // eight arms, the root a tip
    MIXED_LOOP,        //
    MIXED_LOOP_SCALE,  // with scale bending
    MIXED_LOOP_VOLUME, // with volume in bending
    MIXED_LOOP_BRANCH, // with branches
    MIXED_SHAPED,      // with rest points, rest twist, radii and materials
    MIXED_SOFT,        // a standard rod: no volume
    MIXED_KINDS
} mixed_kind;

typedef struct {
    sn_rod_def def;
    sn_vec3 points[MIXED_POINTS_MOST], rest[MIXED_POINTS_MOST];
    sn_real radii[MIXED_POINTS_MOST];
    int parents[MIXED_POINTS_MOST];
    sn_material materials[MIXED_POINTS_MOST];
} mixed_rod;

static inline void mixed_fill(mixed_rod *rod, mixed_kind kind, uint64_t seed) {
    sn_rod_def *def = &rod->def;
    *def = sn_rod_def_default();
    def->points = rod->points;
    def->radius = R(0.02);
    def->label = seed;
    def->material = sn_material_preset((sn_preset)random_below(&seed, SN_PRESET_ROPE));
    sn_vec3 at = {R(3) * (sn_real)(def->label % 37), 0, R(3) * (sn_real)(def->label / 37)}; // too far apart to touch
    int n = kind == MIXED_DUMBBELL ? 2 : kind == MIXED_CHAIN ? 5 + 3 * random_below(&seed, 3) : 9;
    line_of(rod->points, n, at, R(0.08));
    switch (kind) {
    case MIXED_CLAMPED:
        def->clamp_first = true;
        break;
    case MIXED_BRIDGE:
        def->clamp_first = def->clamp_last = true;
        break;
    case MIXED_VOLUME_BEND:
        def->material.volume_in_bend = true;
        break;
    case MIXED_SCALE_BEND:
        def->material.scale_bend = 1;
        def->clamp_first = true;
        break;
    case MIXED_FORK:
    case MIXED_STAR: {
        int arms = kind == MIXED_FORK ? 2 : 7, per = 3;
        n = 3 + arms * per;
        for (int i = 0; i < 3; i++) rod->parents[i] = i - 1;
        for (int i = 3; i < n; i++) {
            int arm = (i - 3) / per, k = (i - 3) % per;
            double angle = 0.7 * (arm + 1);
            rod->parents[i] = k == 0 ? 2 : i - 1;
            rod->points[i] = (sn_vec3){R(at.x + R(0.16) + R(0.08 * (k + 1) * cos(angle))),
                                       at.y + R(0.08 * (k + 1) * sin(angle)), at.z};
        }
        def->parents = rod->parents;
        def->clamp_first = kind == MIXED_FORK;
        break;
    }
    case MIXED_LOOP:
    case MIXED_LOOP_SCALE:
    case MIXED_LOOP_VOLUME:
    case MIXED_LOOP_BRANCH:
        n = 10;
        circle_of(rod->points, n, 0.2);
        for (int i = 0; i < n; i++) {
            rod->points[i].x += at.x, rod->points[i].y += at.y, rod->points[i].z += at.z;
            rod->parents[i] = (i + n - 1) % n;
        }
        def->closed = kind != MIXED_LOOP_BRANCH;
        def->material.scale_bend = kind == MIXED_LOOP_SCALE ? 1 : 0;
        def->material.volume_in_bend = kind == MIXED_LOOP_VOLUME;
        if (def->closed) break;
        def->parents = rod->parents;
        for (int k = 0; k < 4; k++, n++) { // two branches of two points, at points 0 and 5
            int foot = k < 2 ? 0 : 5;
            rod->parents[n] = k % 2 == 0 ? foot : n - 1;
            rod->points[n] = (sn_vec3){rod->points[foot].x, rod->points[foot].y,
                                       rod->points[foot].z + R(0.08) * (sn_real)(k % 2 + 1)};
        }
        break;
    case MIXED_SHAPED:
        def->rest_points = rod->rest;
        def->radii = rod->radii;
        def->materials = rod->materials;
        def->rest_twist = 1;
        for (int i = 0; i < n; i++) {
            rod->rest[i] =
                (sn_vec3){rod->points[i].x, rod->points[i].y + R(0.001) * (sn_real)(i * i), rod->points[i].z};
            rod->radii[i] = R(0.02) + R(0.002) * (sn_real)i;
            rod->materials[i] = sn_material_preset(random_below(&seed, 2) ? SN_PRESET_RUBBER : SN_PRESET_SILICONE);
        }
        break;
    case MIXED_SOFT:
        def->material.volume = 0;
        break;
    default:
        break;
    }
    def->point_count = n;
    sn_vec3 lean = random_vec(&seed, 0.3); // so that no two rods are alike
    for (int i = 0; i < n; i++) {
        sn_real x = rod->points[i].x - at.x;
        rod->points[i].y += lean.y * x, rod->points[i].z += lean.z * x;
    }
    def->velocity = def->clamp_first ? (sn_vec3){0, 0, 0} : random_vec(&seed, 1);
}

typedef struct {
    int count;
    sn_body id[MIXED_RODS_MOST];
    mixed_kind kind[MIXED_RODS_MOST];
} mixed;

static inline bool mixed_add(sn_world *world, mixed *m, mixed_kind kind, uint64_t seed) {
    mixed_rod rod;
    mixed_fill(&rod, kind, seed);
    m->kind[m->count] = kind;
    return CHECK_INT(sn_rod_create(world, &rod.def, &m->id[m->count++]), SN_OK);
}

// Three to five of every kind, in an order that mixes them.
static inline mixed mixed_build(sn_world *world) {
    mixed m = {0};
    for (int round = 0; round < 5; round++)
        for (int kind = 0; kind < MIXED_KINDS; kind++)
            if (round < 3 || kind == MIXED_CLAMPED || kind == MIXED_CHAIN)
                mixed_add(world, &m, (mixed_kind)kind, (uint64_t)(100 * kind + round + 1));
    return m;
}

static inline sn_quat turn_about(double x, double y, double z, double angle) {
    double s = sin(angle / 2);
    return (sn_quat){R(x * s), R(y * s), R(z * s), R(cos(angle / 2))};
}

// What happens to rod i before step 'step': the same whatever lives beside it.
static inline void mixed_drive_one(sn_world *world, sn_body id, mixed_kind kind, int i, int step) {
    int n = sn_body_point_count(world, id);
    double t = step / 60.0;
    if (i % 3 == 1 && step == 5) // about every third rod is loaded; the others in its lanes are not
        CHECK_INT(sn_rod_set_force(world, id, n - 1, (sn_vec3){0, R(0.05 * (i % 5)), R(0.02)}), SN_OK);
    if (i % 6 == 2 && step == 7) CHECK_INT(sn_rod_set_torque(world, id, 1, (sn_vec3){R(0.001), 0, R(0.002)}), SN_OK);
    if (i % 7 == 3 && step == 9) CHECK_INT(sn_rod_set_radial_force(world, id, n / 2, R(0.0001)), SN_OK);
    if (i % 3 == 1 && step == 40) CHECK_INT(sn_rod_set_force(world, id, n - 1, (sn_vec3){0, 0, 0}), SN_OK);
    if (i % 4 == 0) // contracts and relaxes
        CHECK_INT(sn_rod_set_segment(world, id, 1, R(1 + 0.5 * sin(t)), R(1 - 0.3 * sin(2 * t))), SN_OK);
    if (kind == MIXED_BRIDGE || kind == MIXED_FORK) {
        CHECK_INT(sn_rod_move_clamp(world, id, 0, turn_about(1, 0, 0, t)), SN_OK);
        if (kind == MIXED_BRIDGE) {
            CHECK_INT(sn_rod_move_clamp(world, id, n - 1, turn_about(0, 1, 0, 0.3 * t)), SN_OK);
            if (i % 2 == 1 && step == 25) CHECK_INT(sn_rod_hold(world, id, n - 1, SN_HOLD_NONE), SN_OK);
            if (i % 2 == 1 && step == 25) CHECK_INT(sn_rod_hold(world, id, n - 1, SN_HOLD_CLAMP), SN_OK);
        }
    }
    if (kind == MIXED_LOOP || kind == MIXED_STAR || kind == MIXED_SOFT) {
        if (step == 3) {
            CHECK_INT(sn_rod_hold(world, id, 1, SN_HOLD_CENTRE | SN_HOLD_SCALE), SN_OK);
            CHECK_INT(sn_rod_hold(world, id, 4, SN_HOLD_FRAME), SN_OK);
        }
        if (step >= 3) {
            sn_vec3 c[MIXED_POINTS_MOST];
            sn_body_get_points(world, id, c, MIXED_POINTS_MOST);
            sn_vec3 to = {c[1].x + R(0.002), c[1].y, c[1].z - R(0.001)};
            CHECK_INT(sn_rod_move_centre(world, id, 1, to), SN_OK);
            CHECK_INT(sn_rod_move_scale(world, id, 1, R(1 + 0.1 * sin(3 * t))), SN_OK);
            sn_quat q[MIXED_POINTS_MOST], turn = turn_about(0, 0, 1, 0.01);
            sn_rod_get_frames(world, id, q, MIXED_POINTS_MOST);
            sn_quat f = q[4];
            CHECK_INT(sn_rod_move_frame(world, id, 4,
                                        (sn_quat){turn.w * f.x - turn.z * f.y, turn.w * f.y + turn.z * f.x,
                                                  turn.w * f.z + turn.z * f.w, turn.w * f.w - turn.z * f.z}),
                      SN_OK);
        }
    }
}

static inline void mixed_drive(sn_world *world, const mixed *m, int step) {
    for (int i = 0; i < m->count; i++) mixed_drive_one(world, m->id[i], m->kind[i], i, step);
}

// Steps 'from' to 'to' - 1 of the mixed world's story.
static inline void mixed_run(sn_world *world, const mixed *m, int from, int to) {
    for (int step = from; step < to; step++) {
        mixed_drive(world, m, step);
        CHECK_INT(sn_world_step(world, R(1.0 / 60), 1 + step % 3), SN_OK);
    }
}

// ---- a pile: rods on each other and on shapes of every kind, tied by joints

enum { PILE_RODS = 9, PILE_SHAPES = 5, PILE_JOINTS = 3 };
typedef struct {
    sn_body rod[PILE_RODS];
    sn_body shape[PILE_SHAPES];
    sn_joint joint[PILE_JOINTS];
} pile;

static inline pile pile_build(sn_world *world) {
    static const sn_vec3 corners[4] = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}};
    static const int32_t triangles[6] = {0, 2, 1, 0, 3, 2};
    pile p;
    memset(&p, 0, sizeof p);
    for (int i = 0; i < PILE_SHAPES; i++) {
        sn_rigid_def def = sn_rigid_def_default();
        def.geometry = (sn_geometry_kind)i;
        def.label = (uint64_t)i + 1;
        def.radii[0] = def.radii[1] = R(0.1);
        def.ends[0] = (sn_vec3){R(-0.2), 0, 0}, def.ends[1] = (sn_vec3){R(0.2), 0, 0};
        def.half = (sn_vec3){R(0.1), R(0.1), R(0.1)};
        def.vertices = corners, def.vertex_count = 4, def.triangles = triangles, def.triangle_count = 2;
        def.position = i == SN_GEOMETRY_PLANE  ? (sn_vec3){0, 0, 0}
                       : i == SN_GEOMETRY_MESH ? (sn_vec3){2, R(0.05), 0}
                                               : (sn_vec3){R(0.3) * (sn_real)(i - 1), R(0.1), 0};
        CHECK_INT(sn_rigid_create(world, &def, &p.shape[i]), SN_OK);
    }
    for (int i = 0; i < PILE_RODS; i++) {
        sn_vec3 points[7];
        sn_rod_def def = chain_def(points, 7);
        def.label = (uint64_t)i + 1;
        def.material = sn_material_preset(i % 2 ? SN_PRESET_SILICONE : SN_PRESET_RUBBER);
        for (int k = 0; k < 7; k++) {
            double along = 0.1 * k - 0.2, across = 0.01 * i;
            points[k] = i % 2 ? (sn_vec3){R(0.1 + across), R(0.25 + 0.05 * i), R(along - 0.1)}
                              : (sn_vec3){R(along), R(0.25 + 0.05 * i), R(across)};
            if (i >= 7) points[k].x += R(1.8); // onto the mesh
        }
        CHECK_INT(sn_rod_create(world, &def, &p.rod[i]), SN_OK);
    }
    for (int i = 0; i < PILE_JOINTS; i++) {
        sn_joint_def def = sn_joint_def_default();
        def.body_a = p.rod[i], def.segment_a = 2, def.along_a = R(0.5);
        if (i == 1) def.body_b = p.rod[5], def.segment_b = 3, def.along_b = R(0.25), def.keep_offset = true;
        if (i == 2) def.body_b = p.shape[1];
        if (i != 1) def.position = (sn_vec3){R(0.05), R(0.3), 0};
        def.compliance = R(1e-3);
        CHECK_INT(sn_joint_create(world, &def, &p.joint[i]), SN_OK);
    }
    return p;
}

static inline void pile_drive(sn_world *world, const pile *p, int step) {
    double t = step / 60.0;
    CHECK_INT(sn_joint_move(world, p->joint[0], (sn_vec3){R(0.05), R(0.3 + 0.1 * sin(3 * t)), 0}), SN_OK);
    CHECK_INT(sn_rigid_move(world, p->shape[SN_GEOMETRY_SPHERE], (sn_vec3){R(0.1 * sin(2 * t)), R(0.1), 0},
                            turn_about(0, 1, 0, t)),
              SN_OK);
}

static inline void pile_run(sn_world *world, const pile *p, int from, int to) {
    for (int step = from; step < to; step++) {
        pile_drive(world, p, step);
        CHECK_INT(sn_world_step(world, R(1.0 / 60), 1 + step % 2), SN_OK);
    }
}

// Whether two rods, perhaps of different worlds, are in the same state bit by bit (-0 counts as 0).
static inline bool same_state(const sn_world *a, sn_body ra, const sn_world *b, sn_body rb) {
    int n = sn_body_point_count(a, ra);
    if (n == 0 || n != sn_body_point_count(b, rb) || n > MIXED_POINTS_MOST) return false;
    sn_vec3 c[2][MIXED_POINTS_MOST], v[2][MIXED_POINTS_MOST];
    sn_real s[2][MIXED_POINTS_MOST];
    sn_quat q[2][MIXED_POINTS_MOST];
    for (int k = 0; k < 2; k++) {
        const sn_world *w = k ? b : a;
        sn_body r = k ? rb : ra;
        sn_body_get_points(w, r, c[k], n), sn_body_get_velocities(w, r, v[k], n);
        sn_rod_get_scales(w, r, s[k], n), sn_rod_get_frames(w, r, q[k], n);
    }
    for (int i = 0; i < n; i++) {
        const sn_vec3 *x = &c[0][i], *y = &c[1][i], *u = &v[0][i], *w = &v[1][i];
        const sn_quat *f = &q[0][i], *g = &q[1][i];
        if (x->x != y->x || x->y != y->y || x->z != y->z || u->x != w->x || u->y != w->y || u->z != w->z) return false;
        if (s[0][i] != s[1][i] || f->x != g->x || f->y != g->y || f->z != g->z || f->w != g->w) return false;
    }
    return true;
}

#endif
