// Worlds of all kinds, made and driven by choices, for those who try to break the engine: fuzz/fuzz_calls.c, where
// choices are a fuzzer's bytes and any number may come, and test/abuse.c, where they come from a seed and are extreme but
// allowed. Every function of include/sinew is called here or in fuzz_calls.c (test/api_fuzzed.sh).
#ifndef SN_TEST_ANY_CALLS_H
#define SN_TEST_ANY_CALLS_H

#include "base/hash.h"
#include "elastic_asset_util.h"
#include "mixed_world.h"
#include "sinew/asset.h"
#include "sinew/implicit_skin.h"

// --- choices ---

typedef struct {
    const uint8_t *bytes; // null: the seed's
    size_t left;
    uint64_t seed;
} choices;

static inline bool is_wild(const choices *c) {
    return c->bytes != NULL;
}

// A number below n, which is at most 256.
static inline int choose(choices *c, int n) {
    if (!is_wild(c)) return random_below(&c->seed, n);
    if (c->left == 0) return 0;
    c->left -= 1;
    return (int)(*c->bytes++ % n);
}
static inline bool chance(choices *c, int one_in) {
    return choose(c, one_in) == one_in - 1;
}

// Between two numbers, now and then just one of them; if they are far apart and above 0, by their size. Wild ones may be
// anything.
static inline sn_real number(choices *c, double low, double high) {
    static const double strange[] = {0,    1,    -1,   1e-7, 1e-3,  0.02, 1000,     1e6,
                                     1e13, 1e20, 1e30, 3e38, -3e38, NAN,  INFINITY, -INFINITY};
    double along;
    if (is_wild(c)) {
        const int kind = choose(c, 256);
        if (kind >= 245) {
            const uint32_t a = (uint32_t)choose(c, 256), b = (uint32_t)choose(c, 256), d = (uint32_t)choose(c, 256);
            const uint32_t bits = a | b << 8 | d << 16 | (uint32_t)choose(c, 256) << 24;
            float value;
            memcpy(&value, &bits, sizeof value);
            return R(value);
        }
        if (kind >= 220) return R(strange[kind % 16]);
        along = choose(c, 256) / 255.0;
    } else
        along = chance(c, 8) ? choose(c, 2) : (double)random_real(&c->seed, 0, 1);
    if (along >= 1) return R(high);
    return R(low > 0 && high > 50 * low ? low * exp(along * log(high / low)) : low + along * (high - low));
}

// The same from 0 on, by size below it.
static inline sn_real number_or_0(choices *c, double high) {
    return chance(c, 6) ? 0 : number(c, high * 1e-12, high);
}
static inline sn_vec3 vector(choices *c, double size) {
    const sn_real x = number(c, -size, size), y = number(c, -size, size);
    return (sn_vec3){x, y, number(c, -size, size)};
}
// How far away things are thrown: mostly near.
static inline double far(choices *c, double size) {
    return chance(c, 12) ? 100 * size : size;
}
static inline sn_quat turned(choices *c) {
    const sn_vec3 v = vector(c, 1);
    const sn_real w = number(c, -1, 1);
    const double length = sqrt((double)(v.x * v.x + v.y * v.y + v.z * v.z + w * w));
    if (is_wild(c) && chance(c, 4)) return (sn_quat){v.x, v.y, v.z, w};
    if (!(length > 0.1 && length < 10)) return (sn_quat){0, 0, 0, 1};
    return (sn_quat){R((double)v.x / length), R((double)v.y / length), R((double)v.z / length), R((double)w / length)};
}
static inline int index_below(choices *c, int n) {
    if (is_wild(c)) return choose(c, 64) - 1;
    return n > 0 ? random_below(&c->seed, n) : 0;
}

// --- the world ---

enum { ANY_BODIES = 12, ANY_SHAPES = 6, ANY_JOINTS = 12, ANY_POINTS = 160, ANY_MODELS = 3, ANY_SKINS = 2 };

typedef struct {
    sn_skin *skin;
    sn_skin_instance *copy;
    int vertices, handles;
} any_skin;

typedef struct {
    sn_world_def def; // hooks, workers and lanes
    sn_world *world;
    double size;                            // of bodies, m
    sn_elastic_model *models[ANY_MODELS];   // made when they are first used
    sn_joint joints[ANY_JOINTS];            // those made last
    any_skin skins[ANY_SKINS];              //
    sn_implicit_model *implicit;            // one of them, with a copy and its muscles
    sn_implicit_skin *cover;                //
    sn_body covered;                        //
    int joint_count, models_made, diverged; // diverged: bodies put back so far
    uint64_t label;                         // given last
    uint64_t told;                          // a hash of the names of bodies put back so far
    choices *from;
} any_world;

// A call's outcome: whatever is allowed must be done; whatever is wild must be done or refused.
static inline bool outcome(const any_world *any, sn_status status) {
    CHECK(status >= SN_OK && status <= SN_WARN_DIVERGED && status != SN_ERR_BUSY && status != SN_ERR_MEMORY);
    CHECK(sn_status_name(status)[0] != 0);
    return is_wild(any->from) ? status == SN_OK : CHECK_INT(status, SN_OK);
}
// The same where a refusal is fine too: what is held is not known here, for instance.
static inline void any_outcome(sn_status status) {
    CHECK(status == SN_OK || status == SN_ERR_RANGE || status == SN_ERR_DEF || status == SN_ERR_STALE_ID ||
          status == SN_ERR_KIND);
}

static inline bool finite3(sn_vec3 v) {
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}
static inline bool unit_turn(sn_quat q) {
    return fabs((double)(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w) - 1) < 0.01;
}
static inline bool finite_energy(sn_energy e) {
    return isfinite(e.kinetic) && isfinite(e.elastic) && isfinite(e.potential);
}

// One of some ids, by a function of the world that lists them; now and then none there is.
static inline sn_body pick_body(any_world *any, uint32_t kind) {
    const int n = sn_world_kind_count(any->world, kind);
    if (is_wild(any->from) && chance(any->from, 40)) {
        const uint32_t slot = (uint32_t)choose(any->from, 8);
        return (sn_body){chance(any->from, 4) ? (uint32_t)choose(any->from, 8) : kind, slot,
                         (uint32_t)choose(any->from, 8)};
    }
    return sn_world_kind_at(any->world, kind, n ? choose(any->from, n) : 0);
}
static inline sn_body pick_rod(any_world *any) {
    return pick_body(any, SN_KIND_ROD);
}
static inline sn_body pick_shape(any_world *any) {
    return pick_body(any, SN_KIND_RIGID);
}
// Bundles follow what is not dynamic.
static inline sn_body pick_bone(any_world *any) {
    const sn_body body = pick_shape(any);
    return !is_wild(any->from) && sn_rigid_is_dynamic(any->world, body) ? (sn_body){0} : body;
}
static inline sn_body pick_springs(any_world *any) {
    return pick_body(any, SN_KIND_SPRING);
}
static inline sn_body pick_elastic(any_world *any) {
    return pick_body(any, SN_KIND_ELASTIC);
}
static inline sn_body pick_muscles(any_world *any) {
    return pick_body(any, SN_KIND_IMPLICIT_MUSCLE);
}
static inline sn_bundle pick_bundle(any_world *any) {
    const int n = sn_world_bundle_count(any->world);
    if (is_wild(any->from) && chance(any->from, 40)) {
        const uint32_t slot = (uint32_t)choose(any->from, 8);
        return (sn_bundle){slot, (uint32_t)choose(any->from, 8)};
    }
    return sn_world_bundle_at(any->world, n ? choose(any->from, n) : 0);
}

static inline sn_surface any_surface(choices *c) {
    sn_surface s = sn_surface_default();
    if (chance(c, 2)) return s;
    s.friction_dynamic = number(c, 0, 2);
    s.friction_static = s.friction_dynamic + number(c, 0, 1);
    s.restitution = number(c, 0, 1);
    s.compliance = chance(c, 3) ? number(c, 1e-9, 1) : 0;
    if (chance(c, 4)) s.rolling = number(c, 0, 0.1), s.torsion = number(c, 0, 0.1);
    if (chance(c, 6)) s.mask = (uint32_t)choose(c, 4);
    return s;
}

static inline sn_material any_material(choices *c) {
    sn_material m = sn_material_preset((sn_preset)choose(c, SN_PRESET_COUNT + (is_wild(c) ? 1 : 0)));
    if (chance(c, 3)) m = sn_material_make(number(c, 1, 1e12), number(c, 0, 0.4999), number(c, 1e-3, 1e6));
    if (chance(c, 3)) m.young = number_or_0(c, 1e12), m.shear = number_or_0(c, 1e12);
    if (chance(c, 3)) m.transverse = number_or_0(c, 1e12), m.volume = number_or_0(c, 1e12);
    if (chance(c, 3)) m.damping = number_or_0(c, 1e3);
    if (chance(c, 4)) m.scale_bend = number_or_0(c, 1e6);
    return m;
}

// --- making ---

static inline void make_rod(any_world *any, sn_vec3 at, sn_body *out) {
    choices *c = any->from;
    mixed_rod rod;
    memset(&rod, 0, sizeof rod);
    mixed_fill(&rod, (mixed_kind)choose(c, MIXED_KINDS), (uint64_t)choose(c, 200) + 1);
    sn_rod_def *d = &rod.def;
    const sn_vec3 from = rod.points[0];
    for (int i = 0; i < d->point_count; i++) { // to its place and size
        sn_vec3 *lists[2] = {&rod.points[i], &rod.rest[i]};
        for (int k = 0; k < 2; k++)
            *lists[k] = (sn_vec3){R((double)at.x + any->size * (double)(lists[k]->x - from.x)),
                                  R((double)at.y + any->size * (double)(lists[k]->y - from.y)),
                                  R((double)at.z + any->size * (double)(lists[k]->z - from.z))};
        rod.radii[i] *= R(any->size);
    }
    d->radius *= R(any->size);
    d->label = ++any->label;
    const bool bends = d->material.volume_in_bend;
    if (chance(c, 2)) d->material = any_material(c), d->material.volume_in_bend = bends;
    d->velocity = chance(c, 3) ? vector(c, far(c, 10)) : (sn_vec3){0, 0, 0};
    d->surface = any_surface(c), d->self_collide = chance(c, 3), d->collide = !chance(c, 10);
    if (is_wild(c) && chance(c, 3)) { // and some of it goes wrong
        const int i = choose(c, MIXED_POINTS_MOST);
        rod.points[i] = vector(c, 1), rod.parents[i] = choose(c, 40) - 2;
        if (chance(c, 2)) d->parents = rod.parents;
        d->radius = number(c, 0, 1), d->rest_twist = number(c, -10, 10);
        d->point_count = choose(c, MIXED_POINTS_MOST), d->closed = chance(c, 2);
        d->clamp_first = chance(c, 2), d->clamp_last = chance(c, 2);
        if (chance(c, 20)) d->init_mark = 0;
    }
    outcome(any, sn_rod_create(any->world, d, out));
}

static inline void make_shape(any_world *any) {
    static const sn_vec3 corners[5] = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}, {0, 1, 0}};
    choices *c = any->from;
    const int32_t triangles[18] = {0, 2, 1, 0, 3, 2, 0, 1, 4,
                                   1, 2, 4, 2, 3, 4, 3, 0, is_wild(c) ? choose(c, 8) - 1 : 4};
    sn_rigid_def d = sn_rigid_def_default();
    sn_vec3 vertices[5];
    const double s = any->size;
    d.geometry = (sn_geometry_kind)choose(c, is_wild(c) ? 7 : 6);
    d.position = vector(c, far(c, s)), d.rotation = turned(c);
    if (d.geometry == SN_GEOMETRY_PLANE) d.position.y = number(c, -s, 0), d.rotation = (sn_quat){0, 0, 0, 1};
    d.half = (sn_vec3){number(c, 0.01 * s, s), number(c, 0.01 * s, s), number(c, 0.01 * s, s)};
    d.radii[0] = number(c, 0.01 * s, s), d.radii[1] = number(c, 0.01 * s, s);
    d.ends[0] = vector(c, s), d.ends[1] = vector(c, s);
    for (int i = 0; i < 5; i++)
        vertices[i] = (sn_vec3){R(s * (double)corners[i].x), R(s * (double)corners[i].y), R(s * (double)corners[i].z)};
    if (is_wild(c) && chance(c, 4)) vertices[choose(c, 5)] = vector(c, s);
    d.vertices = vertices, d.vertex_count = 5, d.triangles = triangles, d.triangle_count = 6;
    d.surface = any_surface(c), d.label = ++any->label;
    d.dynamic = chance(c, 2) && (is_wild(c) || d.geometry != SN_GEOMETRY_PLANE);
    sn_rigid_part parts[2];
    for (int i = 0; i < 2; i++)
        parts[i] = (sn_rigid_part){.geometry = (sn_geometry_kind)(is_wild(c) ? choose(c, 7) : 1 + choose(c, 5)),
                                   .position = vector(c, s),
                                   .rotation = turned(c),
                                   .ends = {d.ends[0], d.ends[1]},
                                   .radii = {d.radii[0], d.radii[1]},
                                   .half = d.half,
                                   .vertices = vertices,
                                   .vertex_count = 5,
                                   .triangles = triangles,
                                   .triangle_count = 6,
                                   .density = chance(c, 2) ? number(c, 1, 1e4) : 0};
    if (d.dynamic) {
        if (chance(c, 3)) d.parts = parts, d.part_count = 1 + choose(c, 2);
        d.density = number(c, 1, 1e4), d.mass = chance(c, 2) ? number(c, 1e-5, 1e5) : 0;
        d.velocity = chance(c, 3) ? vector(c, far(c, 10)) : (sn_vec3){0, 0, 0};
        d.angular_velocity = chance(c, 3) ? vector(c, far(c, 10)) : (sn_vec3){0, 0, 0};
        if (is_wild(c) && chance(c, 3)) d.inertia = vector(c, 1), d.rounding = number(c, 0, s);
    }
    sn_body id;
    outcome(any, sn_rigid_create(any->world, &d, &id));
}

static inline sn_spring_params any_params(choices *c) {
    const sn_real stiffness = number_or_0(c, 1e12);
    return (sn_spring_params){stiffness, number_or_0(c, 1e6)};
}

static inline sn_status any_net(any_world *any, sn_vec3 at, sn_spring_net *net) {
    static const sn_vec3 cube[8] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                    {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
    static const int32_t tets[20] = {0, 1, 2, 4, 3, 2, 1, 7, 5, 4, 7, 1, 6, 7, 4, 2, 1, 2, 4, 7};
    static const int32_t faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                      2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    choices *c = any->from;
    const double s = any->size;
    const sn_real mass = number(c, 1e-6, 1e6);
    sn_vec3 points[8];
    for (int i = 0; i < 8; i++)
        points[i] =
            (sn_vec3){at.x + R(0.3 * s) * cube[i].x, at.y + R(0.3 * s) * cube[i].y, at.z + R(0.3 * s) * cube[i].z};
    sn_spring_chain chain = sn_spring_chain_default();
    sn_spring_cloth cloth = sn_spring_cloth_default();
    sn_spring_surface surface = sn_spring_surface_default();
    sn_spring_solid solid = sn_spring_solid_default();
    switch (choose(c, 4)) {
    case 0:
        chain.from = at, chain.to = (sn_vec3){at.x + R(s), at.y, at.z};
        chain.count = 2 + choose(c, 8), chain.mass = mass;
        if (chance(c, 2)) chain.params = any_params(c);
        return sn_springs_make_chain(&chain, NULL, net);
    case 1:
        cloth.corner = at, cloth.across = (sn_vec3){R(s), 0, 0}, cloth.down = (sn_vec3){0, 0, R(s)};
        cloth.columns = 2 + choose(c, 5), cloth.rows = 2 + choose(c, 5), cloth.mass = mass;
        if (chance(c, 2)) cloth.structural = any_params(c), cloth.bend = any_params(c);
        return sn_springs_make_cloth(&cloth, NULL, net);
    case 2:
        surface.points = points, surface.count = 8, surface.triangles = faces, surface.triangle_count = 12;
        surface.density = number(c, 1e-3, 1e3), surface.shells = choose(c, 3), surface.spacing = R(-0.05 * s);
        if (chance(c, 2)) surface.edge = any_params(c), surface.straight = any_params(c);
        return sn_springs_make_surface(&surface, NULL, net);
    default:
        solid.points = points, solid.count = 8, solid.tets = tets, solid.tet_count = 5;
        solid.density = number(c, 1e-3, 1e6);
        if (chance(c, 2)) solid.edge = any_params(c);
        return sn_springs_make_solid(&solid, NULL, net);
    }
}

static inline void make_springs(any_world *any) {
    choices *c = any->from;
    sn_spring_net net;
    if (!outcome(any, any_net(any, vector(c, any->size), &net))) {
        CHECK((net.error != NULL) == is_wild(c));
        sn_spring_net_free(&net);
        return;
    }
    // Masses beyond what a body may have come of shapes that are far too large or too small for their density.
    for (int i = 0; i < net.count && !is_wild(c); i++)
        net.masses[i] = net.masses[i] < R(1e-9) ? R(1e-9) : net.masses[i] > R(1e9) ? R(1e9) : net.masses[i];
    for (int k = choose(c, 3); k > 0; --k) net.masses[choose(c, net.count < 256 ? net.count : 256)] = 0;
    sn_springs_def d = chance(c, 50) ? sn_springs_def_default() : sn_springs_def_of(&net);
    if (d.point_count == 0) d.points = net.points, d.masses = net.masses, d.point_count = net.count;
    d.radius = number(c, 0.001 * any->size, 0.05 * any->size);
    d.integrator = chance(c, 3) ? (sn_spring_integrator)choose(c, is_wild(c) ? 8 : 7) : SN_SPRING_IMPLICIT_EULER;
    d.law = chance(c, 3) ? SN_SPRING_RELATIVE : SN_SPRING_ABSOLUTE;
    d.exact = chance(c, 3), d.drag = chance(c, 4) ? number_or_0(c, 1e3) : 0;
    d.iterations = chance(c, 2) ? 1 + choose(c, 200) : 50;
    if (chance(c, 4)) d.tolerance = number(c, 1e-9, 0.5);
    if (chance(c, 4)) d.wind = vector(c, 100), d.air = number(c, 0.1, 1000);
    if (chance(c, 5)) d.strain = number(c, 0.01, 10);
    if (chance(c, 4)) d.rounds = 1 + choose(c, 30);
    if (d.tet_count > 0 && chance(c, 2)) d.bulk = number_or_0(c, 1e12), d.keep_volumes = chance(c, 2);
    if (d.tet_count > 0 && chance(c, 3)) d.penalty = number_or_0(c, 1e9), d.penalty_naive = chance(c, 3);
    const sn_spring_distance apart = {0, d.point_count - 1, number(c, 0, 2 * any->size), chance(c, 2)};
    if (chance(c, 5)) d.distances = &apart, d.distance_count = 1;
    d.surface = any_surface(c), d.self_collide = chance(c, 4), d.collide = !chance(c, 10);
    d.family = chance(c, 5) ? 1 : 0, d.label = ++any->label;
    if (is_wild(c) && chance(c, 3)) { // and some of it goes wrong
        if (net.spring_count > 0) {
            sn_spring *bad = &net.springs[choose(c, 256) % net.spring_count];
            bad->a = choose(c, 64) - 1, bad->stiffness = number(c, 0, 1), bad->rest = number(c, 0, 1);
        }
        if (net.tet_count > 0) net.tets[choose(c, 256) % (4 * net.tet_count)] = choose(c, 64) - 1;
        if (net.triangle_count > 0) net.triangles[choose(c, 256) % (3 * net.triangle_count)] = choose(c, 64) - 1;
        net.points[choose(c, 256) % net.count] = vector(c, 1), net.masses[choose(c, 256) % net.count] = number(c, 0, 1);
        if (chance(c, 20)) d.init_mark = 0;
    }
    sn_body id;
    outcome(any, sn_springs_create(any->world, &d, &id));
    sn_spring_net_free(&net);
}

// Saves a model and loads it again, now and then cut off or with a damaged byte.
static inline void load_model(any_world *any, const sn_elastic_model *model) {
    choices *c = any->from;
    const size_t size = sn_elastic_model_save(model, NULL, 0);
    unsigned char *bytes = malloc(size);
    sn_elastic_model_def d = sn_elastic_model_def_default();
    sn_elastic_model *again = NULL;
    d.allocator = any->def.allocator;
    if (!CHECK(bytes && sn_elastic_model_save(model, bytes, size) == size)) return;
    const bool damaged = is_wild(c) && chance(c, 3);
    if (damaged) bytes[(size_t)choose(c, 256) * 7 % size] ^= 64;
    const sn_status status = sn_elastic_model_load(&d, bytes, damaged && chance(c, 3) ? size / 2 : size, &again);
    CHECK_INT(status, damaged ? SN_ERR_FORMAT : SN_OK);
    CHECK_INT(sn_elastic_model_destroy(again), SN_OK);
    free(bytes);
}

// A bar of some cubes; some are anchored, some have quadratic handles, and cones and a drawn surface.
static inline sn_elastic_model *any_model(any_world *any, int which) {
    if (any->models[which]) return any->models[which];
    static const bar_def plans[ANY_MODELS] = {{{2, 1, 1}, 0.2, {2, 1, 1}, false, false, false},
                                              {{3, 1, 1}, 0.15, {2, 1, 1}, true, false, false},
                                              {{3, 2, 1}, 0.1, {3, 1, 1}, false, true, false}};
    bar_def plan = plans[which];
    plan.cell *= any->size;
    sn_memory memory;
    sn_elastic_asset asset;
    sn_memory_init(&memory, NULL);
    bar_make(&memory, &plan, &asset);
    asset.cone_count = asset.sphere_count - 1;
    asset.cones = bar_array(&memory, asset.cone_count, sizeof *asset.cones);
    for (int i = 0; i < asset.cone_count; i++) asset.cones[i][0] = i, asset.cones[i][1] = i + 1;
    choices *c = any->from;
    if (is_wild(c) && chance(c, 10)) asset.tets[0][choose(c, 4)] = choose(c, 64) - 1;
    if (is_wild(c) && chance(c, 10)) asset.weight[choose(c, 8)] = number(c, 0, 1);
    if (is_wild(c) && chance(c, 10)) asset.rest[choose(c, 8)] = vector(c, 1), asset.radius[0] = number(c, 0, 1);
    sn_elastic_model_def d = sn_elastic_model_def_default();
    d.asset = &asset, d.allocator = any->def.allocator;
    outcome(any, sn_elastic_model_create(&d, &any->models[which]));
    sn_elastic_asset_free(&memory, &asset);
    if (any->models[which]) load_model(any, any->models[which]);
    return any->models[which];
}

static inline void make_elastic(any_world *any) {
    choices *c = any->from;
    sn_elastic_def d = sn_elastic_def_default();
    d.model = any_model(any, choose(c, ANY_MODELS));
    d.position = vector(c, any->size), d.rotation = turned(c);
    if (chance(c, 2)) d.velocity = vector(c, far(c, 10)), d.spin = vector(c, 20);
    if (chance(c, 2)) d.young = number(c, 1, 1e12), d.poisson = number(c, 0, 0.499);
    if (chance(c, 2)) d.density = number(c, 1e-3, 1e6);
    if (chance(c, 2)) d.damping = number_or_0(c, 1e3);
    d.iterations = 1 + choose(c, 12);
    d.law = chance(c, 2) ? (sn_elastic_law)choose(c, SN_LAW_COUNT + (is_wild(c) ? 2 : 0)) : SN_LAW_PROJECTIVE;
    CHECK(sn_elastic_law_name(d.law) || is_wild(c));
    d.surface = any_surface(c), d.self_collide = chance(c, 3), d.collide = !chance(c, 10);
    d.family = chance(c, 5) ? 1 : 0, d.label = ++any->label;
    sn_body id;
    outcome(any, sn_elastic_create(any->world, &d, &id));
}

// Two or three rods side by side.
static inline void make_bundle(any_world *any) {
    choices *c = any->from;
    sn_body rods[3];
    sn_vec3 points[6];
    const int count = 1 + choose(c, 3), n = 3 + choose(c, 4);
    const double s = any->size;
    const sn_vec3 at = vector(c, s);
    const sn_material material = any_material(c);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < n; k++)
            points[k] = (sn_vec3){at.x + R(0.1 * s * k), at.y + R(0.04 * s * (i % 2)), at.z + R(0.04 * s * (i / 2))};
        sn_rod_def d = sn_rod_def_default();
        d.points = points, d.point_count = n, d.radius = R(0.02 * s), d.label = ++any->label;
        if (chance(c, 2)) d.material = material;
        d.clamp_first = chance(c, 2);
        if (!outcome(any, sn_rod_create(any->world, &d, &rods[i]))) return;
    }
    if (is_wild(c) && chance(c, 8)) rods[0] = pick_rod(any);
    sn_bundle_def d = sn_bundle_def_default();
    d.rods = rods, d.rod_count = count;
    const int kinds[] = {any->label % 2 ? SN_BUNDLE_SOFT : SN_BUNDLE_SIMILAR, SN_BUNDLE_RIGID, 3};
    d.kind = (sn_bundle_kind)kinds[choose(c, is_wild(c) ? 3 : 2)];
    d.hertz = chance(c, 2) ? number_or_0(c, 1e4) : 0;
    d.activate = (sn_activate)choose(c, is_wild(c) ? 3 : 2);
    d.shortest = number(c, 0.2, 1), d.stress = number_or_0(c, 1e9);
    if (d.activate == SN_ACTIVATE_FORCE) {
        d.optimal = number(c, 0.1, 10), d.max_speed = number_or_0(c, 1000);
        d.rise = number_or_0(c, 1000), d.fall = number_or_0(c, 1000);
    }
    if (chance(c, 3)) d.bone_first = pick_bone(any), d.bone_last = pick_bone(any);
    if (chance(c, 3)) d.from = number(c, 0, 0.5), d.to = number(c, 0.5, 1);
    d.label = ++any->label;
    sn_bundle id;
    outcome(any, sn_bundle_create(any->world, &d, &id));
}

static inline sn_implicit_muscle_profile any_muscle_shape(choices *c) {
    const sn_real alpha = number(c, 2, 9), beta = chance(c, 2) ? number(c, 2, 9) : (sn_real)(2 + choose(c, 8));
    return (sn_implicit_muscle_profile){alpha, beta, chance(c, 2) ? number(c, 0, 0.99) : 0};
}
static inline sn_implicit_muscle_def any_muscle(any_world *any, int points) {
    choices *c = any->from;
    sn_implicit_muscle_def d = sn_implicit_muscle_def_default();
    const double s = any->size;
    d.bone[0] = 0, d.bone[1] = 1;
    d.end[0] = (sn_vec3){R(0.1 * s), number(c, 0, 0.2 * s), 0};
    d.end[1] = (sn_vec3){R(0.1 * s), number(c, 0, 0.2 * s), number(c, 0, 0.1 * s)};
    d.normal[0] = d.normal[1] = (sn_vec3){0, 0, 1};
    d.bowed = chance(c, 4), d.via = vector(c, s);
    d.points = points, d.rest = any_muscle_shape(c), d.active = any_muscle_shape(c);
    const double volume = s * s * s;
    d.volume = number(c, fmax(1e-12, 1e-6 * volume), fmin(1e3, 1e-2 * volume));
    if (chance(c, 2)) d.density = number(c, 1e-3, 1e6), d.hertz = number(c, 1e-3, 1e3);
    if (chance(c, 2)) d.damping = number_or_0(c, 1e4), d.tendon = number(c, 0, 0.45);
    d.friction = number(c, 0, 2), d.collide_bones = !chance(c, 4), d.collide_muscles = !chance(c, 4);
    d.group = choose(c, 2);
    if (is_wild(c) && chance(c, 5)) d.bone[1] = choose(c, 6) - 1, d.normal[0] = vector(c, 1), d.end[1] = vector(c, 1);
    return d;
}
static inline void any_poses(any_world *any, sn_transform poses[3], double reach) {
    choices *c = any->from;
    for (int b = 0; b < 3; b++) {
        const sn_vec3 at = vector(c, reach);
        poses[b] = (sn_transform){{at.x + R(0.5 * any->size) * (sn_real)b, at.y, at.z}, turned(c)};
    }
}
static inline void make_muscles(any_world *any) {
    choices *c = any->from;
    const double s = any->size;
    sn_transform poses[3];
    any_poses(any, poses, 0.1 * s);
    const sn_implicit_muscle_bone bones[2] = {{0, {{0, 0, 0}, {R(0.4 * s), 0, 0}}, {R(0.05 * s), R(0.03 * s)}, {0, 0}},
                                              {1,
                                               {{0, 0, 0}, {R(0.4 * s), 0, 0}},
                                               {R(0.03 * s), number(c, 0.01 * s, 0.1 * s)},
                                               {number(c, 0, 0.1 * s), number(c, 0, 0.1 * s)}}};
    sn_implicit_muscle_def muscles[2];
    for (int i = 0; i < 2; i++) muscles[i] = any_muscle(any, chance(c, 4) ? 3 + choose(c, 60) : 10);
    sn_implicit_muscles_def d = sn_implicit_muscles_def_default();
    d.poses = poses, d.bone_count = 3, d.bones = bones, d.collider_count = choose(c, 3);
    d.muscles = muscles, d.muscle_count = 1 + choose(c, 2);
    if (chance(c, 3)) d.gravity = vector(c, 10);
    d.substeps = 1 + choose(c, 4), d.passes = 1 + choose(c, 3), d.label = ++any->label;
    d.collide = !chance(c, 4), d.surface = any_surface(c), d.cover = chance(c, 2) ? number(c, 0, 0.05 * s) : 0;
    sn_body id;
    outcome(any, sn_implicit_muscles_create(any->world, &d, &id));
}

// A tube around two bones with a muscle under it, and an implicit skin: one in a world.
static inline void make_implicit(any_world *any) {
    enum { RINGS = 7, AROUND = 6, VERTICES = RINGS * AROUND + 2, TRIANGLES = 2 * RINGS * AROUND, CENTRES = 40 };
    choices *c = any->from;
    const double s = any->size;
    sn_vec3 vertices[VERTICES], centres[CENTRES], normals[CENTRES];
    int influences[VERTICES][SN_SKIN_INFLUENCES] = {{0}}, triangles[TRIANGLES][3], count = 0, samples = 0;
    sn_real weights[VERTICES][SN_SKIN_INFLUENCES] = {{0}};
    sn_implicit_bone bones[2] = {{.parent = -1}, {.parent = 0, .kind = (sn_fold_kind)choose(c, 3)}};
    for (int v = 0; v < VERTICES; v++) {
        const int ring = v < RINGS * AROUND ? v / AROUND : v == RINGS * AROUND ? 0 : RINGS - 1;
        const double angle = 6.2831853 * (v % AROUND) / AROUND, out = v < RINGS * AROUND ? 0.1 * s : 0;
        const double first = fmin(1, fmax(0, 1.5 - 0.25 * (ring + 1)));
        vertices[v] = (sn_vec3){R(s * (0.05 + 0.15 * ring)), R(out * cos(angle)), R(out * sin(angle))};
        influences[v][1] = 1, weights[v][0] = R(first), weights[v][1] = R(1 - first);
    }
    for (int r = 0; r + 1 < RINGS; r++)
        for (int a = 0; a < AROUND; a++) {
            const int i = r * AROUND + a, j = r * AROUND + (a + 1) % AROUND;
            const int pair[2][3] = {{i, j, i + AROUND}, {j, j + AROUND, i + AROUND}};
            memcpy(triangles[count], pair, sizeof pair);
            count += 2;
        }
    for (int a = 0; a < AROUND; a++) {
        const int last = (RINGS - 1) * AROUND, b = (a + 1) % AROUND;
        const int pair[2][3] = {{RINGS * AROUND, b, a}, {RINGS * AROUND + 1, last + a, last + b}};
        memcpy(triangles[count], pair, sizeof pair);
        count += 2;
    }
    for (int b = 0; b < 2; b++) {
        sn_implicit_bone *bone = &bones[b];
        bone->rest = (sn_transform){{R(0.5 * s * b), 0, 0}, {0, 0, 0, 1}};
        bone->first_centre = samples, bone->reach = bone->radius = R(0.1 * s);
        for (int k = 0; k < 2; k++) // beyond its ends
            centres[samples] = (sn_vec3){R((k ? 0.6 : -0.1) * s), 0, 0},
            normals[samples++] = (sn_vec3){R(2 * k - 1), 0, 0};
        for (int v = 4 * b * AROUND; v < (4 * b + 3) * AROUND; v++) {
            const double length = 0.1 * s;
            centres[samples] = vertices[v], centres[samples].x -= bone->rest.position.x;
            normals[samples++] = (sn_vec3){0, R((double)vertices[v].y / length), R((double)vertices[v].z / length)};
        }
        bone->centre_count = samples - bone->first_centre;
    }
    sn_implicit_muscle_def muscle = any_muscle(any, 10);
    int under = 0;
    muscle.bone[0] = 0, muscle.bone[1] = 1, muscle.in_skin = chance(c, 2);
    muscle.end[0] = (sn_vec3){R(0.1 * s), R(0.03 * s), 0}, muscle.end[1] = (sn_vec3){R(0.1 * s), R(0.03 * s), 0};
    if (is_wild(c) && chance(c, 3)) {
        bones[choose(c, 2)].reach = number(c, 0, 1), bones[1].parent = choose(c, 4) - 2;
        centres[choose(c, samples)] = vector(c, 1), vertices[choose(c, VERTICES)] = vector(c, 1);
        influences[choose(c, VERTICES)][0] = choose(c, 4) - 1, weights[choose(c, VERTICES)][0] = number(c, 0, 1);
        triangles[choose(c, TRIANGLES)][choose(c, 3)] = choose(c, 64) - 1;
    }
    const sn_implicit_asset asset = {.bone_count = 2,
                                     .bones = bones,
                                     .centre_count = samples,
                                     .centres = centres,
                                     .normals = normals,
                                     .vertex_count = VERTICES,
                                     .vertices = vertices,
                                     .influences = influences,
                                     .weights = weights,
                                     .triangle_count = count,
                                     .triangles = triangles,
                                     .muscle_count = chance(c, 4) ? 0 : 1,
                                     .muscles = &muscle,
                                     .muscle_bones = &under};
    sn_implicit_model_def d = sn_implicit_model_def_default();
    d.asset = &asset, d.lanes = any->def.lanes, d.allocator = any->def.allocator;
    d.log = any->def.log;
    if (any->implicit || !outcome(any, sn_implicit_model_create(&d, &any->implicit))) return;
    CHECK_INT(sn_implicit_model_asset(any->implicit)->vertex_count, VERTICES);
    // By way of its bytes.
    const size_t size = sn_implicit_model_save(any->implicit, NULL, 0);
    unsigned char *bytes = malloc(size);
    if (!bytes) abort();
    CHECK(sn_implicit_model_save(any->implicit, bytes, size) == size);
    sn_implicit_model *copy = NULL;
    CHECK_INT(sn_implicit_model_restore(&d, bytes, size, &copy), SN_OK);
    if (is_wild(c)) {
        sn_implicit_model *damaged = NULL;
        bytes[(size_t)choose(c, 256) * size / 256] ^= (unsigned char)choose(c, 256);
        any_outcome(sn_implicit_model_restore(&d, bytes, size - (size_t)choose(c, 2), &damaged) == SN_ERR_FORMAT
                        ? SN_ERR_RANGE
                        : SN_OK);
        CHECK_INT(sn_implicit_model_destroy(damaged), SN_OK);
    }
    free(bytes);
    if (copy) {
        CHECK_INT(sn_implicit_model_destroy(any->implicit), SN_OK);
        any->implicit = copy;
    }
    CHECK_INT(sn_implicit_skin_create(any->implicit, &any->cover), SN_OK);
    CHECK_INT(sn_implicit_model_destroy(any->implicit), SN_ERR_BUSY);
    sn_implicit_muscles_def muscles = sn_implicit_model_muscles(any->implicit);
    muscles.label = ++any->label;
    if (muscles.muscle_count > 0) outcome(any, sn_implicit_muscles_create(any->world, &muscles, &any->covered));
}

static inline void use_implicit(any_world *any) {
    choices *c = any->from;
    if (!any->cover) return;
    sn_implicit_settings set = sn_implicit_settings_default();
    sn_transform poses[2];
    switch (choose(c, 4)) {
    case 0:
        set.relaxations = choose(c, 4), set.newton = choose(c, 20), set.smoothings = choose(c, 5);
        set.tolerance = number(c, 1e-6, 0.1), set.pull = number(c, 0, 1);
        any_outcome(sn_implicit_skin_set(any->cover, &set));
        break;
    case 1:
        for (int b = 0; b < 2; b++) {
            const sn_vec3 at = vector(c, far(c, any->size));
            poses[b] = (sn_transform){at, turned(c)};
        }
        outcome(any, sn_implicit_skin_place(any->cover, poses, (sn_blend)choose(c, 2)));
        break;
    case 2: {
        const size_t size = sn_implicit_skin_save(any->cover, NULL, 0);
        unsigned char *bytes = malloc(size);
        if (!bytes) abort();
        sn_implicit_skin_save(any->cover, bytes, size);
        CHECK_INT(sn_implicit_skin_restore(any->cover, bytes, size), SN_OK);
        if (is_wild(c)) {
            bytes[(size_t)choose(c, 256) * size / 256] ^= (unsigned char)choose(c, 256);
            sn_implicit_skin_restore(any->cover, bytes, size - (size_t)choose(c, 2));
        }
        free(bytes);
        break;
    }
    default:
        break;
    }
}

static inline sn_joint_motor any_motor(choices *c) {
    sn_joint_motor m = {.stiffness = number_or_0(c, 1e12)};
    m.damping = number_or_0(c, 1e12);
    m.target = number(c, -10, 10);
    m.speed = number(c, -100, 100);
    if (chance(c, 2)) m.max_force = number_or_0(c, 1e12);
    return m;
}

// A joint of any kind on rigid bodies, with limits and a motor.
static inline void leave_free(any_world *any, sn_joint_def *d) {
    choices *c = any->from;
    d->kind = (sn_joint_kind)choose(c, is_wild(c) ? 7 : 5);
    if (d->kind != SN_JOINT_WELD && d->kind != SN_JOINT_DISTANCE) d->axis = vector(c, 1);
    d->position_b = vector(c, any->size);
    const bool axis = d->axis.x != 0 || d->axis.y != 0 || d->axis.z != 0 || d->kind == SN_JOINT_DISTANCE;
    if (!is_wild(c) && !axis) return;
    d->limited = chance(c, 2), d->lower = number(c, -3, 0), d->upper = number(c, 0, 3);
    if (d->kind == SN_JOINT_POINT && chance(c, 2)) d->swing = number(c, 0, 3);
    if (chance(c, 2)) d->motor = any_motor(c);
    if (chance(c, 3)) d->friction = number_or_0(c, 1e12);
    if (chance(c, 4)) d->break_torque = number_or_0(c, 1e12);
}

// Between bodies of any two kinds, or a body and a shape or a place.
static inline void make_joint(any_world *any) {
    choices *c = any->from;
    sn_joint_def d = sn_joint_def_default();
    sn_world *w = any->world;
    const bool weld = chance(c, 3);
    switch (choose(c, 4)) {
    case 0:
        d.body_a = pick_muscles(any), d.point_a = index_below(c, sn_body_get_points(w, d.body_a, NULL, 0));
        break;
    case 2:
        d.body_a = pick_springs(any), d.point_a = index_below(c, sn_body_point_count(w, d.body_a));
        break;
    case 1:
        d.body_a = pick_elastic(any), d.point_a = index_below(c, sn_body_get_points(w, d.body_a, NULL, 0));
        break;
    default:
        d.body_a = pick_rod(any), d.segment_a = 1 + index_below(c, sn_body_point_count(w, d.body_a) - 1);
        d.along_a = number(c, 0, 1);
    }
    switch (choose(c, 6)) {
    case 5:
        d.body_b = pick_muscles(any), d.point_b = index_below(c, sn_body_get_points(w, d.body_b, NULL, 0));
        break;
    case 0:
        d.body_b = pick_springs(any), d.point_b = index_below(c, sn_body_point_count(w, d.body_b));
        break;
    case 1:
        d.body_b = pick_elastic(any), d.point_b = index_below(c, sn_body_get_points(w, d.body_b, NULL, 0));
        break;
    case 2:
        d.body_b = pick_rod(any), d.segment_b = 1 + index_below(c, sn_body_point_count(w, d.body_b) - 1);
        d.along_b = number(c, 0, 1);
        break;
    case 3:
        d.body_b = pick_shape(any);
        break;
    default:
        break;
    }
    const sn_body solid = chance(c, 3) ? pick_shape(any) : (sn_body){0};
    if (sn_rigid_is_dynamic(w, solid)) d.body_a = solid;
    d.position = vector(c, any->size), d.keep_offset = chance(c, 2), d.collide = chance(c, 4);
    if (chance(c, 2)) d.compliance = number_or_0(c, 1000), d.angular_compliance = number_or_0(c, 1e6);
    if (chance(c, 3)) d.max_force = number_or_0(c, 1e12);
    if (chance(c, 3)) d.break_force = number_or_0(c, 1e12);
    if (weld && (is_wild(c) || (d.body_a.slot1 && !d.body_b.slot1 && !d.body_b.slot1 && !d.body_b.slot1)))
        d.kind = chance(c, 2) ? SN_JOINT_WELD : SN_JOINT_DIRECTION;
    if (sn_rigid_is_dynamic(w, d.body_a)) leave_free(any, &d);
    sn_joint id;
    const sn_status status = sn_joint_create(w, &d, &id); // there may be nothing yet of the kind that was picked
    any_outcome(status);
    CHECK((status == SN_OK) == sn_joint_exists(w, id));
    if (status == SN_OK) any->joints[any->joint_count++ % ANY_JOINTS] = id;
}

// A muscle of two rods with Hill's force from one body to another, in front of them.
static inline void make_pull(any_world *any, sn_body from, sn_body to, sn_vec3 at, double length) {
    choices *c = any->from;
    enum { POINTS = 5 };
    const double radius = 0.02 * any->size;
    sn_body rods[2];
    for (int i = 0; i < 2; i++) {
        sn_vec3 points[POINTS];
        for (int k = 0; k < POINTS; k++)
            points[k] =
                (sn_vec3){at.x + R(length * k / (POINTS - 1)), at.y + R(0.1 * any->size), at.z + R(2.5 * radius * i)};
        sn_rod_def d = sn_rod_def_default();
        d.points = points, d.point_count = POINTS, d.radius = R(radius), d.label = ++any->label;
        if (chance(c, 3)) d.material = any_material(c);
        if (!outcome(any, sn_rod_create(any->world, &d, &rods[i]))) return;
        for (int end = 0; end < 2; end++) {
            sn_joint_def j = sn_joint_def_default();
            j.body_a = rods[i], j.segment_a = end ? POINTS - 1 : 1, j.along_a = (sn_real)end;
            j.body_b = end ? to : from, j.position = points[end ? POINTS - 1 : 0], j.keep_offset = chance(c, 2);
            sn_joint id;
            outcome(any, sn_joint_create(any->world, &j, &id));
        }
    }
    sn_bundle_def d = sn_bundle_def_default();
    d.rods = rods, d.rod_count = 2, d.activate = SN_ACTIVATE_FORCE, d.stress = number(c, 1e2, 1e9);
    if (chance(c, 3)) d.rise = d.fall = 0, d.max_speed = number_or_0(c, 1000);
    d.label = ++any->label;
    sn_bundle id;
    if (outcome(any, sn_bundle_create(any->world, &d, &id)))
        outcome(any, sn_bundle_set_activation(any->world, id, number(c, 0, 1)));
}

// What one joint holds, another pulls elsewhere.
static inline void contradict(any_world *any, sn_joint_def d) {
    sn_joint id;
    const sn_vec3 by = vector(any->from, far(any->from, any->size));
    d.position = sn_add(d.position, by), d.keep_offset = false;
    const sn_status status = sn_joint_create(any->world, &d, &id);
    any_outcome(status);
    if (status == SN_OK) any->joints[any->joint_count++ % ANY_JOINTS] = id;
}

// Links in a row, with masses that may differ by a factor of 1e9, by joints of any kind with limits and motors: a chain, or a limb. The
// first may hang in space, and joints may contradict each other. A muscle with Hill's force may span it.
static inline void make_limb(any_world *any) {
    choices *c = any->from;
    enum { LINKS = 4 };
    const int count = 2 + choose(c, LINKS - 1);
    const double s = any->size, length = 0.3 * s;
    const sn_vec3 at = vector(c, s);
    sn_body links[LINKS];
    for (int i = 0; i < count; i++) {
        sn_rigid_def d = sn_rigid_def_default();
        d.geometry = chance(c, 3) ? SN_GEOMETRY_BOX : chance(c, 4) ? SN_GEOMETRY_SPHERE : SN_GEOMETRY_PILL;
        d.position = (sn_vec3){at.x + R(length * i), at.y, at.z};
        d.ends[1] = (sn_vec3){R(0.9 * length), 0, 0}, d.radii[0] = d.radii[1] = R(0.05 * s);
        d.half = (sn_vec3){R(0.45 * length), R(0.05 * s), R(0.05 * s)};
        d.dynamic = true, d.mass = number(c, 1e-4, 1e5);
        if (chance(c, 4)) d.velocity = vector(c, 10), d.angular_velocity = vector(c, 10);
        d.surface = any_surface(c), d.label = ++any->label;
        if (!outcome(any, sn_rigid_create(any->world, &d, &links[i]))) return;
    }
    for (int i = chance(c, 2); i < count; i++) {
        sn_joint_def d = sn_joint_def_default();
        d.body_a = links[i], d.body_b = i > 0 ? links[i - 1] : (sn_body){0};
        d.position = (sn_vec3){at.x + R(length * (i - 0.05)), at.y, at.z};
        leave_free(any, &d);
        d.position_b = d.position;
        if (chance(c, 3)) d.compliance = number_or_0(c, 1000), d.angular_compliance = number_or_0(c, 1000);
        sn_joint id;
        const sn_status status = sn_joint_create(any->world, &d, &id); // an axis may be none
        any_outcome(status);
        if (status == SN_OK) any->joints[any->joint_count++ % ANY_JOINTS] = id;
        if (status == SN_OK && chance(c, 6)) contradict(any, d);
    }
    if (chance(c, 2)) make_pull(any, links[0], links[count - 1], at, length * (count - 1));
}

// A few vertices on a rod or a bundle.
static inline void make_skin(any_world *any) {
    choices *c = any->from;
    any_skin *s = &any->skins[choose(c, ANY_SKINS)];
    sn_skin_instance_destroy(s->copy);
    CHECK_INT(sn_skin_destroy(s->skin), SN_OK);
    *s = (any_skin){0};
    enum { VERTICES = 6 };
    sn_vec3 positions[VERTICES], normals[VERTICES];
    uint16_t handles[VERTICES * SN_SKIN_INFLUENCES];
    float weights[VERTICES * SN_SKIN_INFLUENCES];
    const sn_body rod = pick_rod(any);
    const sn_bundle bundle = chance(c, 3) ? pick_bundle(any) : (sn_bundle){0, 0};
    const bool bundled = sn_bundle_exists(any->world, bundle);
    const int count =
        bundled ? sn_bundle_get_sections(any->world, bundle, NULL, 0) : sn_body_point_count(any->world, rod);
    for (int i = 0; i < VERTICES; i++)
        positions[i] = vector(c, any->size), normals[i] = (sn_vec3){0, i % 2 ? 1 : -1, 0};
    for (int i = 0; i < VERTICES * SN_SKIN_INFLUENCES; i++) {
        handles[i] = (uint16_t)(choose(c, 64) % (count > 0 ? count : 1));
        weights[i] = (float)number(c, 0.1, 1);
    }
    if (is_wild(c) && chance(c, 10)) handles[choose(c, 24)] = (uint16_t)choose(c, 256);
    sn_skin_def d = sn_skin_def_default();
    d.positions = positions, d.normals = chance(c, 4) ? NULL : normals, d.vertex_count = VERTICES;
    d.handles = handles, d.weights = weights, d.handle_count = count > 0 ? count : 1;
    d.lanes = any->def.lanes, d.allocator = any->def.allocator;
    if (!outcome(any, sn_skin_create(&d, &s->skin))) return;
    if (!outcome(any, sn_skin_instance_create(s->skin, &s->copy))) return;
    CHECK_INT(sn_skin_destroy(s->skin), SN_ERR_BUSY);
    s->vertices = sn_skin_vertex_count(s->skin), s->handles = sn_skin_handle_count(s->skin);
    const sn_placement placement = {vector(c, any->size), turned(c), number(c, 0.1, 10)};
    if (bundled)
        any_outcome(sn_skin_instance_bind_bundle(s->copy, any->world, bundle, chance(c, 2) ? &placement : NULL));
    else
        any_outcome(sn_skin_instance_bind(s->copy, any->world, &rod, 1, chance(c, 2) ? &placement : NULL));
}

static inline void any_make(any_world *any) {
    choices *c = any->from;
    const int kind = choose(c, 16);
    sn_body rod;
    if (kind >= 14 || sn_world_body_count(any->world) >= ANY_BODIES) {
        if (kind < 9)
            make_joint(any);
        else
            make_skin(any);
    } else if (kind >= 12) {
        if (sn_world_kind_count(any->world, SN_KIND_RIGID) < ANY_SHAPES) make_shape(any);
    } else if (kind >= 11)
        make_limb(any);
    else if (kind < 2)
        make_rod(any, vector(c, any->size), &rod);
    else if (kind < 4)
        make_springs(any);
    else if (kind < 6)
        make_elastic(any);
    else if (kind < 7)
        make_bundle(any);
    else if (kind < 8) {
        if (chance(c, 3))
            make_implicit(any);
        else
            make_muscles(any);
    } else
        make_joint(any);
}

// --- changing ---

static inline void use_rod(any_world *any) {
    choices *c = any->from;
    sn_world *w = any->world;
    const sn_body rod = pick_rod(any);
    const int n = sn_body_point_count(w, rod), count = n < ANY_POINTS ? n : 0, i = index_below(c, n);
    const int segment = is_wild(c) ? i : n > 1 ? 1 + i % (n - 1) : 0;
    if (n == 0 && !is_wild(c)) return;
    sn_vec3 v[ANY_POINTS] = {{0, 0, 0}};
    sn_real s[ANY_POINTS] = {0};
    sn_material m[ANY_POINTS];
    sn_surface surface;
    bool collide, self;
    switch (choose(c, 17)) {
    case 0: // a teleport: all of it, or one point a little
        sn_body_get_points(w, rod, v, count);
        if (chance(c, 3) && count > 0) {
            const sn_vec3 by = vector(c, 0.02 * any->size);
            v[i < 0 || i >= count ? 0 : i] = sn_add(v[i < 0 || i >= count ? 0 : i], by);
        } else {
            const sn_vec3 by = vector(c, far(c, any->size));
            for (int k = 0; k < count; k++) v[k] = sn_add(v[k], by);
        }
        any_outcome(sn_rod_set_centres(w, rod, v, count));
        break;
    case 1:
        for (int k = 0; k < count; k++) v[k] = vector(c, 100);
        outcome(any, sn_rod_set_velocities(w, rod, v, count));
        for (int k = 0; k < count; k++) v[k] = vector(c, 100);
        outcome(any, sn_rod_set_spins(w, rod, v, count));
        break;
    case 2:
        for (int k = 0; k < count; k++) s[k] = number(c, 0.1, 10);
        outcome(any, sn_rod_set_scales(w, rod, s, count));
        for (int k = 0; k < count; k++) s[k] = number(c, -10, 10);
        outcome(any, sn_rod_set_scale_rates(w, rod, s, count));
        break;
    case 3:
        any_outcome(sn_rod_hold(w, rod, i, choose(c, is_wild(c) ? 17 : 8)));
        sn_rod_held(w, rod, i);
        break;
    case 4:
        any_outcome(sn_rod_move_centre(w, rod, i, vector(c, far(c, any->size))));
        break;
    case 5:
        any_outcome(sn_rod_move_scale(w, rod, i, number(c, 0.1, 10)));
        break;
    case 6:
        any_outcome(sn_rod_move_frame(w, rod, segment, turned(c)));
        any_outcome(sn_rod_move_clamp(w, rod, i, turned(c)));
        break;
    case 7:
        outcome(any, sn_rod_set_force(w, rod, i, vector(c, (double)number_or_0(c, 1e6))));
        break;
    case 8:
        any_outcome(sn_rod_set_torque(w, rod, segment, vector(c, (double)number_or_0(c, 1e4))));
        break;
    case 9:
        outcome(any, sn_rod_set_radial_force(w, rod, i, number(c, -10, 10)));
        break;
    case 10:
    case 11:
        any_outcome(sn_rod_set_segment(w, rod, segment, number_or_0(c, 1000), number(c, 0.01, 100)));
        any_outcome(sn_rod_set_rest_curvature(w, rod, segment, vector(c, 10)));
        break;
    case 12:
    case 13: { // other materials while it runs
        const sn_material to = any_material(c);
        sn_rod_get_materials(w, rod, m, count);
        for (int k = 0; k < count; k++) {
            m[k].young = to.young, m[k].shear = to.shear, m[k].volume = to.volume, m[k].damping = to.damping;
            m[k].transverse = to.transverse;
            if (is_wild(c) && chance(c, 20)) m[k] = to;
        }
        any_outcome(sn_rod_set_materials(w, rod, m, count));
        break;
    }
    case 14:
        sn_body_get_contact(w, rod, &surface, &collide, &self);
        surface = any_surface(c);
        collide = !chance(c, 4), self = chance(c, 2);
        outcome(any, sn_body_set_contact(w, rod, &surface, collide, self));
        if (chance(c, 2)) { // and lie in each other, or no longer
            const sn_body two[2] = {rod, pick_rod(any)};
            outcome(any, sn_world_shrink_overlaps(w, two, chance(c, 2) ? 2 : 1));
        }
        break;
    default:
        if (!chance(c, 3)) break;
        outcome(any, sn_body_destroy(w, rod));
        CHECK(!sn_body_exists(w, rod) && sn_body_point_count(w, rod) == 0 && sn_body_label(w, rod) == 0);
    }
}

static inline void use_springs(any_world *any) {
    choices *c = any->from;
    sn_world *w = any->world;
    const sn_body id = pick_springs(any);
    const int n = sn_body_point_count(w, id), count = n < ANY_POINTS ? n : 0, i = index_below(c, n);
    const int springs = sn_springs_spring_count(w, id);
    if (n == 0 && !is_wild(c)) return;
    sn_vec3 v[ANY_POINTS] = {{0, 0, 0}};
    sn_surface surface;
    bool collide, self;
    switch (choose(c, 13)) {
    case 0: {
        const sn_vec3 by = vector(c, far(c, any->size));
        sn_body_get_points(w, id, v, count);
        for (int k = 0; k < count; k++) v[k] = sn_add(v[k], by);
        outcome(any, sn_springs_set_points(w, id, v, count));
        break;
    }
    case 1:
        for (int k = 0; k < count; k++) v[k] = vector(c, 100);
        outcome(any, sn_springs_set_velocities(w, id, v, count));
        break;
    case 2:
        v[0] = vector(c, far(c, any->size));
        outcome(any, sn_springs_put(w, id, i, v[0], vector(c, 10)));
        break;
    case 3:
        outcome(any, sn_springs_set_mass(w, id, i, chance(c, 3) ? 0 : number(c, 1e-6, 1e6)));
        break;
    case 4:
    case 5:
        any_outcome(sn_springs_move(w, id, i, vector(c, far(c, any->size))));
        break;
    case 6:
    case 7: {
        const sn_real stiffness = number_or_0(c, 1e12), damping = number_or_0(c, 1e6);
        any_outcome(sn_springs_set_spring(w, id, index_below(c, springs), stiffness, damping,
                                          number(c, 0.01 * any->size, 10 * any->size)));
        break;
    }
    case 8:
        outcome(any, sn_springs_set_force(w, id, i, vector(c, (double)number_or_0(c, 1e6))));
        break;
    case 9:
        any_outcome(sn_springs_add_impulse(w, id, i, vector(c, (double)number_or_0(c, 1e3))));
        break;
    case 10:
        v[0] = vector(c, 100);
        outcome(any, sn_springs_set_wind(w, id, v[0], number(c, 0.1, 1000)));
        break;
    case 11:
        sn_body_get_contact(w, id, &surface, &collide, &self);
        surface = any_surface(c), collide = !chance(c, 4), self = chance(c, 2);
        outcome(any, sn_body_set_contact(w, id, &surface, collide, self));
        break;
    default:
        if (!chance(c, 3)) break;
        outcome(any, sn_body_destroy(w, id));
        CHECK(!sn_body_exists(w, id) && sn_body_label(w, id) == 0);
    }
}

static inline void use_elastic(any_world *any) {
    choices *c = any->from;
    sn_world *w = any->world;
    const sn_body id = pick_elastic(any);
    const int n = sn_elastic_get_vertices(w, id, NULL, 0);
    sn_surface surface;
    sn_vec3 v;
    if (n == 0 && !is_wild(c)) return;
    switch (choose(c, 6)) {
    case 0:
    case 1:
        v = vector(c, far(c, any->size));
        any_outcome(sn_elastic_move_anchors(w, id, v, turned(c)));
        break;
    case 2:
    case 3:
        outcome(any, sn_elastic_set_force(w, id, index_below(c, n), vector(c, (double)number_or_0(c, 1e6))));
        break;
    case 4:
        surface = any_surface(c);
        outcome(any, sn_body_set_contact(w, id, &surface, !chance(c, 4), chance(c, 2)));
        break;
    default:
        if (!chance(c, 3)) break;
        outcome(any, sn_body_destroy(w, id));
        CHECK(!sn_body_exists(w, id) && sn_body_label(w, id) == 0);
    }
}

// An implicit skin over muscles: made, led for a few steps, saved, put back, and given up.
enum { TUBE_RINGS = 9, TUBE_AROUND = 8, TUBE = TUBE_RINGS * TUBE_AROUND, TUBE_SAMPLES = 18 };
static inline void cover_muscles(any_world *any, sn_body id) {
    choices *c = any->from;
    const double s = any->size, radius = 0.2 * s;
    static sn_vec3 vertices[TUBE], centres[2 * TUBE_SAMPLES], normals[2 * TUBE_SAMPLES], out[TUBE];
    static int influences[TUBE][SN_SKIN_INFLUENCES], triangles[2 * (TUBE_RINGS - 1) * TUBE_AROUND][3];
    static sn_real weights[TUBE][SN_SKIN_INFLUENCES];
    sn_implicit_muscle_def muscles[2];
    int under[2] = {choose(c, 3) - 1, 1};
    for (int i = 0; i < TUBE; i++) {
        const double x = s * (i / TUBE_AROUND) / (TUBE_RINGS - 1), turn = 6.2831853 * (i % TUBE_AROUND) / TUBE_AROUND;
        vertices[i] = (sn_vec3){R(x), R(radius * cos(turn)), R(radius * sin(turn))};
        influences[i][0] = x > 0.5 * s, influences[i][1] = x <= 0.5 * s;
        weights[i][0] = number(c, 0.5, 1), weights[i][1] = number(c, 0, 0.5);
    }
    for (int i = 0, t = 0; i < TUBE - TUBE_AROUND; ++i, t += 2) {
        const int next = i % TUBE_AROUND == TUBE_AROUND - 1 ? i + 1 - TUBE_AROUND : i + 1;
        memcpy(triangles[t], (int[]){i, next, i + TUBE_AROUND}, sizeof triangles[t]);
        memcpy(triangles[t + 1], (int[]){next, next + TUBE_AROUND, i + TUBE_AROUND}, sizeof triangles[t]);
    }
    for (int i = 0; i < 2 * TUBE_SAMPLES; i++) {
        const int k = i % TUBE_SAMPLES;
        const double x = 0.5 * s * (0.1 + 0.8 * k / TUBE_SAMPLES), turn = 2.4 * k;
        centres[i] = (sn_vec3){R(x), R(radius * cos(turn)), R(radius * sin(turn))};
        normals[i] = (sn_vec3){0, R(cos(turn)), R(sin(turn))};
    }
    sn_implicit_bone bones[3] = {{.parent = -1}, {.parent = 0}, {.parent = 1}};
    for (int b = 0; b < 3; b++) {
        bones[b].rest = (sn_transform){{R(0.5 * s * b), 0, 0}, {0, 0, 0, 1}};
        bones[b].kind = (sn_fold_kind)choose(c, SN_FOLD_KINDS);
        if (b < 2) bones[b].first_centre = b * TUBE_SAMPLES, bones[b].centre_count = TUBE_SAMPLES;
        bones[b].reach = R(radius), bones[b].radius = R(radius);
    }
    if (is_wild(c) && chance(c, 3)) bones[choose(c, 3)].rest.position = vector(c, 1), vertices[3] = vector(c, 1);
    sn_implicit_asset asset = {.bone_count = 3, .bones = bones, .centre_count = 2 * TUBE_SAMPLES};
    asset.centres = centres, asset.normals = normals;
    asset.vertex_count = TUBE, asset.vertices = vertices, asset.influences = influences, asset.weights = weights;
    asset.triangle_count = 2 * (TUBE_RINGS - 1) * TUBE_AROUND, asset.triangles = triangles;
    asset.muscles = muscles, asset.muscle_bones = under;
    for (int m = 0; m < sn_implicit_muscles_count(any->world, id) && m < 2; m++)
        asset.muscle_count += sn_implicit_muscles_get_muscle(any->world, id, m, &muscles[m]) == SN_OK;
    sn_implicit_model_def def = sn_implicit_model_def_default();
    def.asset = &asset;
    sn_implicit_model *model = NULL, *again = NULL;
    sn_implicit_skin *skin = NULL;
    any_outcome(sn_implicit_model_create(&def, &model));
    if (!model) return;
    CHECK(sn_implicit_model_asset(model)->vertex_count == TUBE && sn_implicit_model_muscles(model).bone_count == 3);
    size_t size = sn_implicit_model_save(model, NULL, 0);
    unsigned char *bytes = malloc(size);
    CHECK(sn_implicit_model_save(model, bytes, size) == size);
    if (chance(c, 2)) bytes[(size_t)choose(c, 256) * size / 256] ^= (unsigned char)(1 + choose(c, 255));
    sn_implicit_model_restore(&def, bytes, chance(c, 4) ? size / 2 : size, &again);
    sn_implicit_model_destroy(again);
    free(bytes);
    outcome(any, sn_implicit_skin_create(model, &skin));
    sn_implicit_settings settings = sn_implicit_settings_default();
    settings.newton = choose(c, 20), settings.smoothings = choose(c, 5), settings.pull = number(c, 0, 1);
    any_outcome(sn_implicit_skin_set(skin, &settings));
    any_outcome(sn_implicit_model_cover(model, any->world, id, NULL));
    const sn_implicit_output to = {&out[0].x, sizeof *out, NULL, 0};
    sn_transform poses[3];
    any_poses(any, poses, any->size);
    any_outcome(sn_implicit_skin_place(skin, poses, chance(c, 2) ? SN_BLEND_DUAL : SN_BLEND_LINEAR));
    size = sn_implicit_skin_save(skin, NULL, 0);
    bytes = malloc(size);
    CHECK(sn_implicit_skin_save(skin, bytes, size) == size);
    for (int k = 0; k < 2; k++) {
        any_poses(any, poses, any->size);
        any_outcome(sn_implicit_skin_update(skin, any->world, id, chance(c, 2) ? poses : NULL, &to, NULL));
        sn_implicit_skin_read(skin, &to);
        for (int v = 0; v < TUBE; v++) CHECK(isfinite(out[v].x) && isfinite(out[v].y) && isfinite(out[v].z));
    }
    CHECK_INT(sn_implicit_skin_restore(skin, bytes, size), SN_OK);
    free(bytes);
    sn_implicit_skin_destroy(skin);
    any_outcome(sn_implicit_model_cover(NULL, any->world, id, NULL));
    CHECK_INT(sn_implicit_model_destroy(model), SN_OK);
}

static inline void use_muscles(any_world *any) {
    choices *c = any->from;
    sn_world *w = any->world;
    const sn_body id = pick_muscles(any);
    const int n = sn_implicit_muscles_count(w, id), i = index_below(c, n),
              bones = sn_implicit_muscles_bone_count(w, id);
    if (n == 0 && !is_wild(c)) return;
    sn_transform poses[3];
    sn_implicit_muscle_keys keys;
    sn_implicit_muscle_def old;
    switch (choose(c, 10)) {
    case 0:
        any_poses(any, poses, far(c, any->size));
        outcome(any, sn_implicit_muscles_move(w, id, poses, bones));
        break;
    case 1:
        any_poses(any, poses, far(c, any->size));
        outcome(any, sn_implicit_muscles_move_bone(w, id, index_below(c, bones), &poses[0]));
        break;
    case 8:
        any_outcome(sn_implicit_muscles_set_bundle(w, id, i, chance(c, 3) ? (sn_bundle){0, 0} : pick_bundle(any)));
        sn_implicit_muscles_get_bundle(w, id, i);
        break;
    case 9:
        cover_muscles(any, id);
        break;
    case 2:
        any_poses(any, poses, far(c, any->size));
        outcome(any, sn_implicit_muscles_put(w, id, poses, bones));
        break;
    case 3:
    case 4:
    case 5:
        sn_implicit_muscles_get_keys(w, id, i, &keys);
        keys.activation = number(c, 0, 1), keys.exaggeration = number(c, 0.1, 10);
        keys.eccentricity = chance(c, 2) ? -1 : number(c, 0, 0.99);
        any_outcome(sn_implicit_muscles_set_keys(w, id, i, &keys));
        break;
    case 6:
        if (sn_implicit_muscles_get_muscle(w, id, i, &old) != SN_OK) break;
        const sn_implicit_muscle_def now = any_muscle(any, old.points);
        any_outcome(sn_implicit_muscles_set_muscle(w, id, i, &now));
        break;
    default:
        if (!chance(c, 3)) break;
        outcome(any, sn_body_destroy(w, id));
        CHECK(!sn_body_exists(w, id) && sn_body_label(w, id) == 0 && sn_implicit_muscles_bone_count(w, id) == 0);
    }
}

static inline void use_joint(any_world *any) {
    choices *c = any->from;
    const sn_joint id = any->joints[choose(c, ANY_JOINTS)];
    if (chance(c, 10)) {
        any_outcome(sn_joint_destroy(any->world, id));
    } else if (chance(c, 3)) {
        any_outcome(sn_joint_rotate(any->world, id, turned(c)));
    } else if (chance(c, 3)) {
        const sn_joint_motor motor = any_motor(c);
        any_outcome(sn_joint_set_motor(any->world, id, &motor));
    } else {
        any_outcome(sn_joint_move(any->world, id, vector(c, far(c, any->size))));
    }
}

static inline void use_dynamic(any_world *any, sn_body id) {
    choices *c = any->from;
    const sn_vec3 first = vector(c, far(c, 10)), second = vector(c, far(c, 10));
    // A light body may become too fast.
    const int call = choose(c, 3);
    if (call == 0) any_outcome(sn_rigid_set_velocity(any->world, id, first, second));
    if (call == 1) any_outcome(sn_rigid_apply_impulse(any->world, id, first, second));
    if (call == 2) outcome(any, sn_rigid_set_load(any->world, id, first, second));
}

static inline void use_shape(any_world *any) {
    choices *c = any->from;
    sn_world *w = any->world;
    const sn_body id = pick_shape(any);
    if (!sn_body_exists(w, id) && !is_wild(c)) return;
    sn_surface surface;
    sn_vec3 at;
    sn_quat turn;
    if (sn_rigid_is_dynamic(w, id) && chance(c, 2)) {
        use_dynamic(any, id);
        return;
    }
    switch (choose(c, 6)) {
    case 0:
        surface = any_surface(c);
        outcome(any, sn_body_set_surface(w, id, &surface));
        any_outcome(sn_body_get_surface(w, id, &surface));
        break;
    case 1:
        if (chance(c, 3)) outcome(any, sn_body_destroy(w, id));
        break;
    default: // often a little, for shapes that push
        if (sn_rigid_get_pose(w, id, &at, &turn) != SN_OK) break;
        at = sn_add(at, vector(c, chance(c, 2) ? 0.05 * any->size : far(c, any->size)));
        outcome(any, sn_rigid_move(w, id, at, chance(c, 2) ? turned(c) : turn));
    }
}

static inline void use_skin(any_world *any) {
    choices *c = any->from;
    any_skin *s = &any->skins[choose(c, ANY_SKINS)];
    if (!s->copy) return;
    sn_handle handles[ANY_POINTS];
    if (s->handles > ANY_POINTS) return;
    switch (choose(c, 4)) {
    case 0:
        any_outcome(sn_skin_instance_set_blend(s->copy, (sn_blend)choose(c, is_wild(c) ? 3 : 2)));
        break;
    case 1:
        for (int i = 0; i < s->handles; i++) {
            const sn_vec3 rest = vector(c, 1), centre = vector(c, 1);
            handles[i] = sn_handle_similarity(rest, centre, turned(c), number(c, 0.1, 10));
        }
        any_outcome(sn_skin_instance_set_handles(s->copy, handles, s->handles));
        break;
    default:
        break;
    }
}

// Shapes need no world. Whatever the bytes say, what is opened can be used.
static inline void use_correctives(any_world *any) {
    enum { VERTICES = 5 };
    choices *c = any->from;
    sn_corrective_target target = {.joint = choose(c, 3), .parent = choose(c, 3), .scale = 1e-4f, .reach = 1};
    const sn_corrective_row rows[2] = {{choose(c, VERTICES), {1, 2, 3, 0}}, {choose(c, VERTICES + 1), {4, 5, 6, 0}}};
    for (int k = 0; k < SN_CORRECTIVE_TERMS; k++) target.coefficients[k] = (float)number(c, -1, 1);
    target.rest[3] = 1, target.count = choose(c, 4);
    const sn_correctives set = {3, VERTICES, 1, &target, 2, rows};
    const size_t size = sn_correctives_save(&set, NULL, 0);
    if (size == 0) return;
    unsigned char *bytes = malloc(size);
    if (!bytes) abort();
    CHECK(sn_correctives_save(&set, bytes, size) == size);
    if (is_wild(c)) bytes[(size_t)choose(c, 256) * size / 256] ^= (unsigned char)choose(c, 256);
    sn_correctives open;
    sn_transform poses[3];
    float weights[1], positions[3 * VERTICES] = {0};
    any_poses(any, poses, any->size);
    if (sn_correctives_open(bytes, size, &open) == SN_OK && open.target_count == 1 &&
        sn_correctives_weights(&open, poses, 3, weights) == SN_OK)
        any_outcome(sn_correctives_apply(&open, weights, positions, 3 * sizeof(float), VERTICES));
    free(bytes);
}

// The helpers for users' own poses.
static inline void use_maths(choices *c) {
    sn_real sine, cosine;
    sn_sincos(number(c, -1e3, 1e3), &sine, &cosine);
    const sn_vec3 a = vector(c, 1), b = vector(c, 1);
    const sn_transform t = {.position = a, .rotation = sn_quat_about(b, sn_atan2(sine, cosine))};
    const sn_transform u = {.position = sn_vec3_lerp(a, b, sn_exp(-number(c, 0, 9))),
                            .rotation = sn_quat_slerp(sn_quat_between(a, b), sn_quat_inverse(t.rotation), sine)};
    const sn_transform both = sn_transform_multiply(t, sn_transform_inverse(u));
    const sn_vec3 p =
        sn_transform_apply(both, sn_quat_rotate(sn_quat_multiply(t.rotation, u.rotation), (sn_vec3){1, 2, 3}));
    CHECK(is_wild(c) || (isfinite(p.x) && isfinite(p.y) && isfinite(p.z)));
}

static inline void use_world(any_world *any) {
    choices *c = any->from;
    sn_world *w = any->world;
    sn_bundle bundle;
    sn_body body;
    switch (choose(c, 9)) {
    case 0: // flips, floats, or falls the other way
        outcome(any, sn_world_set_gravity(w, chance(c, 3) ? vector(c, 100)
                                                          : (sn_vec3){0, R(chance(c, 2) ? 9.81 : -9.81), 0}));
        break;
    case 1: {
        const sn_solver solver = (sn_solver)choose(c, is_wild(c) ? 4 : 3);
        outcome(any, sn_world_set_solver(w, solver, 1 + choose(c, 3)));
        break;
    }
    case 2:
        outcome(any, sn_world_set_sleeping(w, chance(c, 2)));
        outcome(any, sn_world_set_energy_check(w, chance(c, 2)));
        break;
    case 3:
        outcome(any, sn_world_set_contact_sweeps(w, 1 + choose(c, 12)));
        outcome(any, sn_world_set_max_pairs(w, 100000 + choose(c, 12)));
        break;
    case 4:
    case 5:
        bundle = pick_bundle(any);
        if (is_wild(c) || sn_bundle_exists(w, bundle))
            outcome(any, sn_bundle_set_activation(w, bundle, number(c, 0, 1)));
        break;
    case 6:
        bundle = pick_bundle(any);
        if (chance(c, 4)) any_outcome(sn_bundle_destroy(w, bundle));
        break;
    case 7: // the same label again; a user pointer does not stay
        body = sn_world_body_at(w, index_below(c, sn_world_body_count(w)));
        any_outcome(sn_body_wake(w, body));
        any_outcome(sn_body_set_label(w, body, sn_body_label(w, body)));
        any_outcome(sn_body_set_user(w, body, any));
        CHECK(sn_body_user(w, body) == (sn_body_exists(w, body) ? any : NULL));
        any_outcome(sn_body_set_user(w, body, NULL));
        break;
    default:
        CHECK(isfinite(sn_length_tension(number(c, 0, 2))) || is_wild(c));
        CHECK(isfinite(sn_velocity_tension(number(c, -2, 2))) || is_wild(c));
        use_maths(c);
    }
}

static inline void any_change(any_world *any) {
    switch (choose(any->from, 11)) {
    case 0:
    case 1:
        use_rod(any);
        break;
    case 2:
    case 3:
        use_springs(any);
        break;
    case 4:
        use_elastic(any);
        break;
    case 5:
        use_muscles(any);
        break;
    case 6:
        use_joint(any);
        break;
    case 7:
    case 8:
        use_shape(any);
        break;
    case 9:
        use_skin(any);
        use_implicit(any);
        use_correctives(any);
        break;
    default:
        use_world(any);
    }
}

// --- reading: nothing that any reader hands out may be other than a number ---

static inline bool all_finite3(const sn_vec3 *v, int n) {
    for (int i = 0; i < n && i < ANY_POINTS; i++)
        if (!finite3(v[i])) return false;
    return true;
}
static inline bool all_finite(const sn_real *s, int n) {
    for (int i = 0; i < n && i < ANY_POINTS; i++)
        if (!isfinite(s[i])) return false;
    return true;
}

// What bodies of every kind have.
static inline void read_body(const sn_world *w, sn_body id) {
    CHECK(sn_kind_name(id.kind) && sn_body_exists(w, id) && sn_body_mass(w, id) >= 0 && !sn_body_user(w, id));
    const sn_box3 box = sn_body_bounds(w, id);
    sn_vec3 v[ANY_POINTS];
    const int n = sn_body_get_points(w, id, v, ANY_POINTS);
    CHECK(finite3(box.min) && finite3(box.max) && finite_energy(sn_body_energy(w, id)));
    for (int i = 0; i < n && i < ANY_POINTS && id.kind != SN_KIND_RIGID; i++) // its position may be outside of it
        CHECK(box.min.x <= v[i].x && box.min.y <= v[i].y && box.min.z <= v[i].z && v[i].x <= box.max.x &&
              v[i].y <= box.max.y && v[i].z <= box.max.z);
}

static inline void read_rod(const sn_world *w, sn_body id) {
    sn_vec3 v[ANY_POINTS];
    sn_real s[ANY_POINTS];
    sn_quat q[ANY_POINTS];
    int parents[ANY_POINTS];
    const int n = sn_body_get_points(w, id, v, ANY_POINTS);
    CHECK(sn_body_exists(w, id) && n == sn_body_point_count(w, id) && all_finite3(v, n));
    CHECK(sn_body_get_velocities(w, id, v, ANY_POINTS) == n && all_finite3(v, n));
    CHECK(sn_rod_get_scales(w, id, s, ANY_POINTS) == n && all_finite(s, n));
    CHECK(sn_rod_get_radii(w, id, s, ANY_POINTS) == n && all_finite(s, n));
    CHECK(sn_body_get_masses(w, id, s, ANY_POINTS) == n && all_finite(s, n));
    CHECK(sn_rod_get_parents(w, id, parents, ANY_POINTS) == n && sn_rod_get_frames(w, id, q, ANY_POINTS) == n);
    for (int i = 0; i < n && i < ANY_POINTS; i++) CHECK(unit_turn(q[i]) && parents[i] >= -1 && parents[i] < n);
    CHECK(isfinite(sn_body_volume(w, id)) && isfinite(sn_body_rest_volume(w, id)) && isfinite(sn_rod_length(w, id)));
    CHECK(sn_rod_get_scale_rates(w, id, s, ANY_POINTS) == n && all_finite(s, n));
    CHECK(sn_rod_get_spins(w, id, v, ANY_POINTS) == n && all_finite3(v, n));
    sn_vec3 force, torque, centre;
    sn_real radial, stiffness, length, scale;
    CHECK_INT(sn_rod_get_force(w, id, n - 1, &force), SN_OK);
    CHECK_INT(sn_rod_get_torque(w, id, n - 1, &torque), parents[n - 1] < 0 ? SN_ERR_RANGE : SN_OK);
    CHECK_INT(sn_rod_get_radial_force(w, id, n - 1, &radial), SN_OK);
    any_outcome(sn_rod_get_segment(w, id, n - 1, &stiffness, &length));
    sn_vec3 curvature;
    any_outcome(sn_rod_get_rest_curvature(w, id, n - 1, &curvature));
    any_outcome(sn_rod_get_centre_target(w, id, 0, &centre));
    any_outcome(sn_rod_get_scale_target(w, id, 0, &scale));
    any_outcome(sn_rod_get_frame_target(w, id, 0, q));
    any_outcome(sn_rod_get_clamp_target(w, id, 0, q));
}

static inline void read_springs(const sn_world *w, sn_body id) {
    sn_vec3 v[ANY_POINTS];
    sn_real s[ANY_POINTS];
    sn_spring springs[ANY_POINTS];
    int32_t corners[4 * ANY_POINTS];
    const int n = sn_body_get_points(w, id, v, ANY_POINTS);
    CHECK(sn_body_exists(w, id) && n == sn_body_point_count(w, id) && all_finite3(v, n));
    CHECK(sn_body_get_velocities(w, id, v, ANY_POINTS) == n && all_finite3(v, n));
    CHECK(sn_body_get_masses(w, id, s, ANY_POINTS) == n && all_finite(s, n));
    const int count = sn_springs_get_springs(w, id, springs, ANY_POINTS);
    CHECK_INT(count, sn_springs_spring_count(w, id));
    for (int i = 0; i < count && i < ANY_POINTS; i++)
        CHECK(springs[i].a >= 0 && springs[i].a < n && springs[i].b >= 0 && springs[i].b < n);
    const int triangles = sn_springs_get_triangles(w, id, corners, ANY_POINTS);
    CHECK_INT(triangles, sn_springs_triangle_count(w, id));
    for (int i = 0; i < 3 * triangles && i < 3 * ANY_POINTS; i++) CHECK(corners[i] >= 0 && corners[i] < n);
    CHECK_INT(sn_springs_get_tets(w, id, corners, ANY_POINTS), sn_springs_tet_count(w, id));
    CHECK(isfinite(sn_springs_radius(w, id)) && finite_energy(sn_body_energy(w, id)));
    CHECK(isfinite(sn_body_volume(w, id)) && isfinite(sn_body_rest_volume(w, id)));
    CHECK(sn_springs_last_solve(w, id).iterations >= 0);
    sn_vec3 force, target, wind;
    sn_real mass, air;
    CHECK_INT(sn_springs_get_mass(w, id, 0, &mass), SN_OK);
    CHECK_INT(sn_springs_get_target(w, id, 0, &target), mass > 0 ? SN_ERR_RANGE : SN_OK);
    CHECK_INT(sn_springs_get_force(w, id, 0, &force), SN_OK);
    CHECK_INT(sn_springs_get_wind(w, id, &wind, &air), SN_OK);
    CHECK_INT(sn_springs_get_spring(w, id, 0, springs), count > 0 ? SN_OK : SN_ERR_RANGE);
}

static inline void read_elastic(const sn_world *w, sn_body id) {
    sn_vec3 v[ANY_POINTS];
    sn_real s[ANY_POINTS];
    const sn_elastic_asset *asset = sn_elastic_model_asset(sn_elastic_get_model(w, id));
    const int n = sn_elastic_get_vertices(w, id, v, ANY_POINTS);
    CHECK(sn_body_exists(w, id) && asset && n == asset->vertex_count && all_finite3(v, n));
    CHECK(sn_elastic_get_drawn(w, id, v, ANY_POINTS) == n && all_finite3(v, n));
    const int spheres = sn_body_get_points(w, id, v, ANY_POINTS);
    CHECK(spheres == asset->sphere_count && all_finite3(v, spheres));
    CHECK(sn_elastic_get_radii(w, id, s, ANY_POINTS) == spheres && all_finite(s, spheres));
    CHECK(finite_energy(sn_body_energy(w, id)));
    CHECK(isfinite(sn_body_volume(w, id)) && isfinite(sn_body_rest_volume(w, id)));
    sn_quat rotation;
    CHECK_INT(sn_elastic_get_force(w, id, 0, v), SN_OK);
    any_outcome(sn_elastic_get_anchor_target(w, id, v, &rotation));
}

static inline void read_bundle(const sn_world *w, sn_bundle id) {
    sn_section sections[ANY_POINTS];
    const int n = sn_bundle_get_sections(w, id, sections, ANY_POINTS);
    CHECK(n > 0 && sn_bundle_exists(w, id));
    for (int i = 0; i < n && i < ANY_POINTS; i++)
        CHECK(finite3(sections[i].centre) && unit_turn(sections[i].rotation) && isfinite(sections[i].scale));
    CHECK(isfinite(sn_bundle_volume(w, id)) && isfinite(sn_bundle_rest_volume(w, id)));
    CHECK(sn_bundle_activation(w, id) >= 0 && sn_bundle_activation(w, id) <= 1);
    sn_muscle_state state;
    any_outcome(sn_bundle_get_state(w, id, &state));
}

static inline void read_muscles(const sn_world *w, sn_body id) {
    sn_vec3 v[ANY_POINTS], gradient;
    sn_real s[ANY_POINTS];
    sn_transform poses[4];
    const int bones = sn_implicit_muscles_get_poses(w, id, poses, 4);
    CHECK(sn_body_exists(w, id) && bones == sn_implicit_muscles_bone_count(w, id));
    for (int b = 0; b < bones && b < 4; b++) CHECK(finite3(poses[b].position) && unit_turn(poses[b].rotation));
    CHECK_INT(sn_implicit_muscles_get_targets(w, id, poses, 4), bones);
    const int points = sn_body_get_points(w, id, v, ANY_POINTS);
    CHECK(all_finite3(v, points < ANY_POINTS ? points : ANY_POINTS));
    for (int m = 0; m < sn_implicit_muscles_count(w, id); m++) {
        const int n = sn_implicit_muscles_get_axis(w, id, m, v, ANY_POINTS);
        CHECK(n >= 3 && all_finite3(v, n));
        CHECK(sn_implicit_muscles_get_radii(w, id, m, s, ANY_POINTS) == n && all_finite(s, n));
        CHECK(isfinite(sn_implicit_muscles_volume(w, id, m)));
        sn_vec3 ring[ANY_POINTS];
        const int around = sn_implicit_muscles_get_surface(w, id, m, 5, ring, ANY_POINTS);
        CHECK(around == 5 * n && all_finite3(ring, around));
        CHECK(isfinite(sn_implicit_muscles_field(w, id, m, v[n / 2], &gradient)) && finite3(gradient));
    }
    CHECK(isfinite(sn_implicit_muscles_penetration(w, id)));
}

static inline void read_skin(const any_world *any, const any_skin *s) {
    enum { MOST = 64 };
    sn_vec3 positions[MOST], normals[MOST];
    sn_handle handles[ANY_POINTS];
    sn_joint_pose rest[ANY_POINTS], now[ANY_POINTS];
    if (!s->copy || s->vertices > MOST) return;
    const sn_skin_output out = {s->copy, &positions[0].x, sizeof *positions, &normals[0].x, sizeof *normals};
    any_outcome(sn_skin_update(any->world, &out, 1));
    CHECK(sn_skin_instance_blend(s->copy) <= SN_BLEND_DUAL);
    sn_skin_instance_get_handles(s->copy, any->world, handles, ANY_POINTS);
    sn_skin_instance_get_joints(s->copy, any->world, rest, now, ANY_POINTS);
}

static inline void read_implicit(const any_world *any) {
    if (!any->cover) return;
    sn_vec3 positions[64], normals[64];
    const sn_implicit_output out = {&positions[0].x, sizeof *positions, &normals[0].x, sizeof *normals};
    const sn_transform poses[2] = {{{0, 0, 0}, {0, 0, 0, 1}}, {{R(0.4 * any->size), 0, 0}, {0, 0, 0, 1}}};
    const int count = sn_implicit_model_asset(any->implicit)->vertex_count;
    const bool muscles = sn_body_exists(any->world, any->covered);
    sn_implicit_tracked tracked;
    const sn_status status =
        sn_implicit_skin_update(any->cover, any->world, any->covered, muscles ? NULL : poses, &out, &tracked);
    any_outcome(status);
    CHECK(status != SN_OK || (all_finite3(positions, count) && all_finite3(normals, count)));
    CHECK_INT(sn_implicit_skin_read(any->cover, &out), SN_OK);
    sn_implicit_settings settings;
    CHECK_INT(sn_implicit_skin_get(any->cover, &settings), SN_OK);
    CHECK(all_finite3(positions, count) && all_finite3(normals, count));
}

// Whatever a world can be asked, also one of bytes that somebody bent.
static inline void read_contacts(const sn_world *w) {
    sn_contact contacts[32];
    const int count = sn_world_get_contacts(w, contacts, 32);
    for (int i = 0; i < count && i < 32; i++)
        CHECK(finite3(contacts[i].point) && finite3(contacts[i].normal) && isfinite(contacts[i].depth) &&
              isfinite(contacts[i].force) && finite3(contacts[i].friction));
}

static inline void read_world(sn_world *w) {
    int asleep = 0;
    for (int i = 0; i < sn_world_body_count(w); i++) {
        read_body(w, sn_world_body_at(w, i));
        asleep += sn_body_asleep(w, sn_world_body_at(w, i));
    }
    CHECK(asleep == 0 || sn_world_sleeping(w));
    for (int i = 0; i < sn_world_joint_count(w); i++) {
        sn_joint_def joint;
        CHECK_INT(sn_joint_get_def(w, sn_world_joint_at(w, i), &joint), SN_OK);
        CHECK(finite3(joint.position) && unit_turn(sn_joint_rotation(w, sn_world_joint_at(w, i))));
    }
    CHECK(finite3(sn_world_gravity(w)) && sn_world_iterations(w) >= 1 && sn_world_contact_sweeps(w) >= 1 &&
          sn_world_max_pairs(w) >= 1);
    CHECK(sn_world_solver(w) <= SN_SOLVER_JACOBI);
    for (int i = 0; i < sn_world_kind_count(w, SN_KIND_ROD); i++) read_rod(w, sn_world_kind_at(w, SN_KIND_ROD, i));
    for (int i = 0; i < sn_world_kind_count(w, SN_KIND_SPRING); i++)
        read_springs(w, sn_world_kind_at(w, SN_KIND_SPRING, i));
    for (int i = 0; i < sn_world_kind_count(w, SN_KIND_ELASTIC); i++)
        read_elastic(w, sn_world_kind_at(w, SN_KIND_ELASTIC, i));
    for (int i = 0; i < sn_world_bundle_count(w); i++) read_bundle(w, sn_world_bundle_at(w, i));
    for (int i = 0; i < sn_world_kind_count(w, SN_KIND_IMPLICIT_MUSCLE); i++)
        read_muscles(w, sn_world_kind_at(w, SN_KIND_IMPLICIT_MUSCLE, i));
    for (int i = 0; i < sn_world_kind_count(w, SN_KIND_RIGID); i++) {
        sn_vec3 at;
        sn_quat turn;
        CHECK_INT(sn_rigid_get_pose(w, sn_world_kind_at(w, SN_KIND_RIGID, i), &at, &turn), SN_OK);
        CHECK(finite3(at) && unit_turn(turn));
        CHECK_INT(sn_rigid_get_target(w, sn_world_kind_at(w, SN_KIND_RIGID, i), &at, &turn), SN_OK);
        CHECK(finite3(at) && unit_turn(turn));
        const sn_body id = sn_world_kind_at(w, SN_KIND_RIGID, i);
        sn_vec3 spin = {0, 0, 0};
        const sn_status told = sn_rigid_get_reaction(w, id, &at, &spin);
        CHECK_INT(told, sn_rigid_is_dynamic(w, id) ? SN_ERR_KIND : SN_OK);
        CHECK(finite3(at) && finite3(spin));
        if (!sn_rigid_is_dynamic(w, id)) continue;
        CHECK_INT(sn_rigid_get_velocity(w, id, &at, &spin), SN_OK);
        CHECK(finite3(at) && finite3(spin));
        CHECK_INT(sn_rigid_get_centre(w, id, &at), SN_OK);
        CHECK_INT(sn_rigid_get_angular_momentum(w, id, &spin), SN_OK);
        CHECK(finite3(at) && finite3(spin));
        CHECK_INT(sn_rigid_get_load(w, id, &at, &spin), SN_OK);
    }
    read_contacts(w);
    const sn_momentum momentum = sn_world_momentum(w);
    for (int k = 0; k < 3; k++) CHECK(isfinite(momentum.linear[k]) && isfinite(momentum.angular[k]));
    CHECK(finite_energy(sn_world_energy(w)) && !isnan(sn_world_penetration(w)));
    const sn_energy_balance balance = sn_world_energy_balance(w);
    CHECK(sn_world_energy_check(w) || (balance.work == 0 && balance.rise_time < 0));
    CHECK(isfinite(sn_world_time(w)) && sn_world_dof_count(w) >= 0);
}

static inline void read_events(sn_world *w) {
    sn_contact_event events[32];
    sn_contact contacts[4];
    CHECK_INT(sn_world_set_contact_events(w, 1, UINT32_MAX, NULL, NULL), SN_OK);
    const int count = sn_world_get_contact_events(w, events, 32);
    for (int i = 0; i < count && i < 32; i++) {
        const sn_contact_event *e = &events[i];
        CHECK(finite3(e->point) && finite3(e->normal) && finite3(e->impulse) && isfinite(e->depth));
        CHECK(sn_world_get_contacts_between(w, e->body_a, e->body_b, contacts, 4) >= 0);
    }
}

static inline void read_drawn(sn_world *w, const sn_snapshot *s) {
    sn_draw_vertex vertices[2][64];
    sn_draw_buffers buffers = {vertices[0], 64, 0, vertices[1], 64, 0, 5};
    const sn_debug_draw draw = sn_draw_into(&buffers);
    CHECK(sn_debug_draw_default().what == SN_DRAW_ALL);
    sn_snapshot_draw(s, &draw), sn_world_draw(w, &draw);
    CHECK(buffers.triangle_count % 3 == 0 && buffers.line_count % 2 == 0);
    for (int i = 0; i < 64 && i < buffers.line_count; i++) CHECK(isfinite(vertices[1][i].position[0]));
    sn_history *h = NULL;
    if (!CHECK_INT(sn_history_create(w, &h), SN_OK)) return;
    const sn_body body = sn_world_body_at(w, 0);
    sn_vec3 at;
    sn_quat turn;
    if (body.slot1) CHECK_INT(sn_history_cut(h, body), SN_OK);
    CHECK_INT(sn_history_record(h, w), SN_OK);
    CHECK_INT(sn_history_get_points(h, body, R(0.5), NULL, 0), sn_body_point_count(w, body));
    any_outcome(sn_history_get_pose(h, body, R(0.5), &at, &turn));
    sn_history_destroy(h);
}

// User pointers of all there is.
static inline void read_users(sn_world *w) {
    CHECK_INT(sn_world_set_user(w, w), SN_OK);
    CHECK(sn_world_user(w) == w);
    const sn_joint joint = sn_world_joint_at(w, 0);
    const sn_bundle bundle = sn_world_bundle_at(w, 0);
    CHECK_INT(sn_joint_set_user(w, joint, w), joint.slot1 ? SN_OK : SN_ERR_STALE_ID);
    CHECK_INT(sn_bundle_set_user(w, bundle, w), bundle.slot1 ? SN_OK : SN_ERR_STALE_ID);
    CHECK(sn_joint_user(w, joint) == (joint.slot1 ? w : NULL));
    CHECK(sn_bundle_user(w, bundle) == (bundle.slot1 ? w : NULL));
}

static inline void good_hit(const sn_hit *hit) {
    if (!hit->body.slot1) return;
    CHECK(finite3(hit->point) && finite3(hit->normal) && isfinite(hit->distance));
    CHECK(hit->fraction >= 0 && hit->fraction <= 1 && hit->along >= 0 && hit->along <= 1);
}

// Rays, pills and balls where the bodies are.
static inline void read_queries(sn_world *w) {
    sn_snapshot *s = NULL;
    if (!CHECK_INT(sn_snapshot_create(w, &s), SN_OK)) return;
    CHECK_INT(sn_snapshot_update(s, w), SN_OK);
    CHECK(sn_snapshot_element_count(s) >= 0);
    for (int i = 0; i < sn_snapshot_body_count(s) && i < 8; i++) {
        sn_vec3 at;
        const sn_body body = sn_world_body_at(w, i);
        if (sn_body_get_points(w, body, &at, 1) < 1 || !(at.x * at.x + at.y * at.y + at.z * at.z < R(1e20))) continue;
        const sn_vec3 above = {at.x, at.y + 1, at.z}, down = {0, -2, 0};
        const sn_probe probes[3] = {sn_probe_ray(above, down), sn_probe_sphere(above, R(0.1), down),
                                    sn_probe_pill(above, at, R(0.1), 0, down)};
        sn_hit hits[3];
        sn_query_filter filter = sn_query_filter_default();
        filter.skip = i % 2 ? body : (sn_body){0};
        CHECK_INT(sn_snapshot_cast(s, probes, 3, &filter, hits), SN_OK);
        for (int k = 0; k < 3; k++) good_hit(&hits[k]);
        CHECK_INT(sn_snapshot_nearest(s, probes, 3, 1, &filter, hits), SN_OK);
        for (int k = 0; k < 3; k++) good_hit(&hits[k]);
        CHECK(sn_snapshot_cast_all(s, &probes[1], NULL, hits, 3) >= sn_snapshot_overlap(s, &probes[1], NULL, hits, 3));
    }
    read_drawn(w, s);
    read_users(w);
    sn_snapshot_destroy(s);
}

static inline void any_read(any_world *any) {
    sn_world *w = any->world;
    if (sn_world_step_count(w) % 8 == 0) read_queries(w);
    read_events(w);
    read_implicit(any);
    read_world(w);
    for (int i = 0; i < sn_world_kind_count(w, SN_KIND_ROD); i++)
        CHECK(sn_body_label(w, sn_world_kind_at(w, SN_KIND_ROD, i)) > 0);
    for (int i = 0; i < sn_world_kind_count(w, SN_KIND_SPRING); i++)
        CHECK(sn_body_label(w, sn_world_kind_at(w, SN_KIND_SPRING, i)) > 0);
    for (int i = 0; i < sn_world_kind_count(w, SN_KIND_ELASTIC); i++)
        CHECK(sn_body_label(w, sn_world_kind_at(w, SN_KIND_ELASTIC, i)) > 0);
    for (int i = 0; i < sn_world_bundle_count(w); i++) CHECK(sn_bundle_label(w, sn_world_bundle_at(w, i)) > 0);
    for (int i = 0; i < sn_world_kind_count(w, SN_KIND_IMPLICIT_MUSCLE); i++)
        CHECK(sn_body_label(w, sn_world_kind_at(w, SN_KIND_IMPLICIT_MUSCLE, i)) > 0);
    for (int i = 0; i < ANY_SKINS; i++) read_skin(any, &any->skins[i]);
    for (int i = 0; i < ANY_JOINTS; i++)
        CHECK(isfinite(sn_joint_force(w, any->joints[i])) && isfinite(sn_joint_torque(w, any->joints[i])));
    sn_vec3 reaction[3];
    for (int i = 0; i < ANY_JOINTS; i++)
        CHECK(sn_joint_get_reaction(w, any->joints[i], &reaction[0], &reaction[1], &reaction[2]) != SN_OK ||
              isfinite(sn_joint_coordinate(w, any->joints[i])));
}

// --- stepping ---

// Steps, and sees to it that whatever diverged is told by name.
static inline void any_step(any_world *any, double dt, int substeps) {
    sn_world *w = any->world;
    const uint64_t before = sn_world_step_count(w);
    const sn_status status = sn_world_step(w, R(dt), substeps);
    CHECK(status == SN_OK || status == SN_WARN_DIVERGED || (status == SN_WARN_ENERGY && sn_world_energy_check(w)));
    CHECK(sn_world_step_count(w) == before + 1);
    uint64_t labels[64];
    const int diverged = sn_world_diverged(w, labels, 64);
    CHECK((status == SN_WARN_DIVERGED) == (diverged > 0));
    for (int i = 0; i < diverged && i < 64; i++) {
        CHECK(labels[i] > 0 && labels[i] <= any->label);
        any->told = sn_hash_u64(any->told, before << 32 ^ labels[i]);
    }
    any->diverged += diverged;
    CHECK(sn_profile_stage_name(0) && !sn_profile_stage_name(SN_STAGE_CAPACITY));
    CHECK(sn_world_profile(w).step_ms >= 0);
    any_read(any);
}

static inline bool any_begin(any_world *any, const sn_world_def *def, choices *from, double size) {
    *any = (any_world){.def = *def, .size = size, .from = from};
    any->world = make_world(def);
    return any->world != NULL;
}

// Puts a copy in the world's place that was saved and restored; ids stay the same.
static inline void any_restore(any_world *any) {
    saved bytes = save_of(any->world);
    sn_world *copy = NULL;
    if (CHECK_INT(sn_world_restore(&any->def, bytes.bytes, bytes.size, &copy), SN_OK)) {
        CHECK(sn_world_hash(copy) == sn_world_hash(any->world));
        sn_world_destroy(any->world);
        any->world = copy;
        CHECK(unchanged(copy, bytes));
    } else
        free(bytes.bytes);
}

static inline void any_end(any_world *any) {
    for (int i = 0; i < ANY_SKINS; i++) {
        sn_skin_instance_destroy(any->skins[i].copy);
        CHECK_INT(sn_skin_destroy(any->skins[i].skin), SN_OK);
    }
    sn_implicit_skin_destroy(any->cover);
    CHECK_INT(sn_implicit_model_destroy(any->implicit), SN_OK);
    sn_world_destroy(any->world);
    for (int i = 0; i < ANY_MODELS; i++) CHECK_INT(sn_elastic_model_destroy(any->models[i]), SN_OK);
}

#endif
