// Bodies of every two kinds collide, and are joined to each other, in free space. The momentum of the world is
// conserved, to 1e-5 of what one body transfers to the other.
//
//     v |  =======   one of each kind, along x, falls upon
//       v
//          =======   another, at rest
#include "elastic_asset_util.h"
#include "sinew/sinew.h"
#include "test.h"
#include <math.h>
#include <stdio.h>

#define R(x) ((sn_real)(x))

typedef enum { ROD, BUNDLE, CLOTH, SOLID, ELASTIC, BOX, PARTS, KINDS } kind_of;
static const char *const names[KINDS] = {"rod", "bundle", "cloth", "solid", "elastic", "box", "body of parts"};

enum { FIBRES = 3, POINTS = 9, MOST = 200 };

typedef struct {
    kind_of kind;
    sn_body rods[FIBRES];
    int rod_count;
    sn_body springs;
    sn_body elastic;
    sn_body rigid;
} body;

// A block of 0.4 x 0.1 x 0.1 m about the origin: its vertices and tetrahedra serve two kinds.
static sn_elastic_asset block(sn_memory *memory) {
    sn_elastic_asset asset = {0};
    const bar_def def = {.cells = {8, 2, 2}, .cell = 0.05, .handles = {5, 1, 1}};
    bar_make(memory, &def, &asset);
    asset.cone_count = asset.sphere_count - 1;
    asset.cones = sn_alloc(memory, (size_t)asset.cone_count, sizeof *asset.cones);
    for (int i = 0; i < asset.sphere_count; i++) {
        asset.radius[i] = R(0.05);
        if (i > 0) asset.cones[i - 1][0] = i - 1, asset.cones[i - 1][1] = i;
    }
    return asset;
}

static sn_body fibre(sn_world *world, double y, double z, double radius, double velocity) {
    sn_vec3 points[POINTS], velocities[POINTS];
    for (int i = 0; i < POINTS; i++) {
        points[i] = (sn_vec3){R(-0.2 + 0.4 * i / (POINTS - 1)), R(y), R(z)};
        velocities[i] = (sn_vec3){0, R(velocity), 0};
    }
    sn_rod_def def = sn_rod_def_default();
    def.points = points, def.point_count = POINTS, def.radius = R(radius), def.material.damping = 0;
    sn_body id = {0};
    CHECK_INT(sn_rod_create(world, &def, &id), SN_OK);
    sn_rod_set_velocities(world, id, velocities, POINTS);
    return id;
}

static void spring_body(sn_world *world, body *b, sn_spring_net *net, double velocity) {
    sn_springs_def def = sn_springs_def_of(net);
    CHECK_INT(sn_springs_create(world, &def, &b->springs), SN_OK);
    sn_vec3 velocities[MOST];
    REQUIRE(net->count <= MOST);
    for (int i = 0; i < net->count; i++) velocities[i] = (sn_vec3){0, R(velocity), 0};
    sn_springs_set_velocities(world, b->springs, velocities, net->count);
    sn_spring_net_free(net);
}

// A box, or a hull and a pill across it.
static sn_body rigid_body(sn_world *world, kind_of kind, double y, double velocity) {
    sn_vec3 corner[8];
    for (int i = 0; i < 8; i++)
        corner[i] = (sn_vec3){R(i & 1 ? 0.15 : -0.15), R(i & 2 ? 0.04 : -0.04), R(i & 4 ? 0.05 : -0.05)};
    const sn_rigid_part parts[2] = {{.geometry = SN_GEOMETRY_HULL, .vertices = corner, .vertex_count = 8},
                                    {.geometry = SN_GEOMETRY_PILL,
                                     .ends = {{R(-0.1), 0, R(-0.1)}, {R(-0.1), 0, R(0.1)}},
                                     .radii = {R(0.04), R(0.045)}}};
    sn_rigid_def def = sn_rigid_def_default();
    def.dynamic = true, def.geometry = SN_GEOMETRY_BOX, def.half = (sn_vec3){R(0.2), R(0.04), R(0.05)};
    if (kind == PARTS) def.parts = parts, def.part_count = 2;
    def.position = (sn_vec3){0, R(y), 0}, def.velocity = (sn_vec3){0, R(velocity), 0};
    sn_body id = {0};
    CHECK_INT(sn_rigid_create(world, &def, &id), SN_OK);
    return id;
}

static body make(sn_world *world, kind_of kind, sn_elastic_model *model, double y, double velocity) {
    body b = {.kind = kind};
    sn_spring_net net;
    switch (kind) {
    case ROD:
        b.rods[b.rod_count++] = fibre(world, y, 0.01, 0.04, velocity);
        break;
    case BUNDLE: {
        static const double at[FIBRES][2] = {{0.02, -0.03}, {0.02, 0.03}, {-0.02, 0}};
        for (int i = 0; i < FIBRES; i++)
            b.rods[b.rod_count++] = fibre(world, y + at[i][0], at[i][1], 0.02 + 0.005 * i, velocity);
        sn_bundle_def def = sn_bundle_def_default();
        def.rods = b.rods, def.rod_count = b.rod_count;
        sn_bundle id;
        CHECK_INT(sn_bundle_create(world, &def, &id), SN_OK);
        break;
    }
    case CLOTH: {
        sn_spring_cloth cloth = sn_spring_cloth_default();
        cloth.corner = (sn_vec3){R(-0.2), R(y), R(-0.2)}, cloth.mass = 1;
        cloth.across = (sn_vec3){R(0.4), 0, 0}, cloth.down = (sn_vec3){0, 0, R(0.4)};
        cloth.columns = cloth.rows = 11;
        CHECK_INT(sn_springs_make_cloth(&cloth, NULL, &net), SN_OK);
        spring_body(world, &b, &net, velocity);
        break;
    }
    case SOLID: {
        const sn_elastic_asset *a = sn_elastic_model_asset(model);
        sn_vec3 points[MOST];
        for (int i = 0; i < a->vertex_count; i++)
            points[i] = (sn_vec3){a->rest[i].x - R(0.2), a->rest[i].y - R(0.05) + R(y), a->rest[i].z - R(0.05)};
        sn_spring_solid solid = sn_spring_solid_default();
        solid.points = points, solid.count = a->vertex_count;
        solid.tets = &a->tets[0][0], solid.tet_count = a->tet_count;
        CHECK_INT(sn_springs_make_solid(&solid, NULL, &net), SN_OK);
        spring_body(world, &b, &net, velocity);
        break;
    }
    case ELASTIC: {
        sn_elastic_def def = sn_elastic_def_default();
        def.model = model, def.damping = 0;
        def.velocity = (sn_vec3){0, R(velocity), 0}, def.position = (sn_vec3){R(-0.2), R(y - 0.05), R(-0.05)};
        CHECK_INT(sn_elastic_create(world, &def, &b.elastic), SN_OK);
        break;
    }
    case BOX:
    case PARTS:
        b.rigid = rigid_body(world, kind, y, velocity);
        break;
    case KINDS:
        break;
    }
    return b;
}

static void destroy(sn_world *world, const body *b) {
    for (int i = 0; i < b->rod_count; i++) sn_body_destroy(world, b->rods[i]);
    if (b->springs.slot1) sn_body_destroy(world, b->springs);
    if (b->elastic.slot1) sn_body_destroy(world, b->elastic);
    if (b->rigid.slot1) sn_body_destroy(world, b->rigid);
}

static void join(sn_world *world, const body *a, const body *b) {
    sn_joint_def def = sn_joint_def_default();
    def.keep_offset = true;
    if (a->rod_count) def.body_a = a->rods[0], def.segment_a = 4, def.along_a = R(0.3);
    if (a->springs.slot1) def.body_a = a->springs, def.point_a = 2;
    if (a->elastic.slot1) def.body_a = a->elastic, def.point_a = 2;
    if (a->rigid.slot1) def.body_a = a->rigid;
    if (b->rod_count) def.body_b = b->rods[0], def.segment_b = 4, def.along_b = R(0.3);
    if (b->springs.slot1) def.body_b = b->springs, def.point_b = 2;
    if (b->elastic.slot1) def.body_b = b->elastic, def.point_b = 2;
    if (b->rigid.slot1) def.body_b = b->rigid;
    sn_joint id;
    CHECK_INT(sn_joint_create(world, &def, &id), SN_OK);
}

// How many contacts are between the two bodies, each named as what it is; all others are of a body with itself.
static int contacts_between(const sn_world *world, const body *a, const body *b) {
    sn_contact contacts[256];
    const int count = sn_world_get_contacts(world, contacts, 256);
    int between = 0;
    for (int i = 0; i < count && i < 256; i++) {
        const sn_contact *c = &contacts[i];
        const sn_body bodies[2] = {c->body_a, c->body_b};
        bool rods[2];
        uint32_t springs[2], elastic[2], rigid[2];
        for (int side = 0; side < 2; side++) {
            rods[side] = bodies[side].kind == SN_KIND_ROD;
            springs[side] = bodies[side].kind == SN_KIND_SPRING ? bodies[side].slot1 : 0;
            elastic[side] = bodies[side].kind == SN_KIND_ELASTIC ? bodies[side].slot1 : 0;
            rigid[side] = bodies[side].kind == SN_KIND_RIGID ? bodies[side].slot1 : 0;
        }
        bool of[2][2] = {{false}};
        for (int side = 0; side < 2; side++) {
            CHECK_INT(rods[side] + (springs[side] != 0) + (elastic[side] != 0) + (rigid[side] != 0), 1);
            for (int k = 0; k < 2; k++) {
                const body *is = k ? b : a;
                if (springs[side] || elastic[side] || rigid[side])
                    of[side][k] = springs[side] == is->springs.slot1 && elastic[side] == is->elastic.slot1 &&
                                  rigid[side] == is->rigid.slot1;
                for (int r = 0; rods[side] && r < is->rod_count; r++)
                    of[side][k] |= (side ? c->body_b : c->body_a).slot1 == is->rods[r].slot1;
            }
        }
        between += (of[0][0] && of[1][1]) || (of[0][1] && of[1][0]);
        CHECK((of[0][0] || of[0][1]) && (of[1][0] || of[1][1]));
    }
    return between;
}

// The upper body moves, the lower one is still. Returns the contacts between them that were seen; how the world's momentum has changed at the end, over what the lower
// one has by then.
static int exchange(kind_of upper, kind_of lower, bool tied, double *drift, double *given) {
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    sn_elastic_asset asset = block(&memory);
    sn_elastic_model_def model_def = sn_elastic_model_def_default();
    model_def.asset = &asset;
    sn_elastic_model *model = NULL;
    CHECK_INT(sn_elastic_model_create(&model_def, &model), SN_OK);
    sn_world_def def = sn_world_def_default();
    def.gravity = (sn_vec3){0, 0, 0}, def.iterations = 4;
    sn_world *world = NULL;
    CHECK_INT(sn_world_create(&def, &world), SN_OK);
    const body a = make(world, upper, model, 0.2, tied ? 1 : -2), b = make(world, lower, model, 0, 0);
    if (tied) join(world, &a, &b);
    const sn_momentum before = sn_world_momentum(world);
    int touched = 0, named = 0;
    for (int i = 0; i < 30; i++) {
        CHECK_INT(sn_world_step(world, R(1.0 / 60), 4), SN_OK);
        touched += sn_world_profile(world).contacts > 0;
        named += contacts_between(world, &a, &b);
    }
    const sn_momentum after = sn_world_momentum(world);
    CHECK(tied || touched > 0);
    destroy(world, &a);
    const sn_momentum of_lower = sn_world_momentum(world);
    *drift = *given = 0;
    for (int k = 0; k < 3; k++) {
        *drift = fmax(*drift, fabs(after.linear[k] - before.linear[k]));
        *given = fmax(*given, fabs(of_lower.linear[k]));
    }
    CHECK(*given > 0.05 * fabs(before.linear[1]));
    sn_world_destroy(world);
    sn_elastic_model_destroy(model);
    sn_elastic_asset_free(&memory, &asset);
    return named;
}

static void exchange_all(bool tied) {
    int named = 0; // a short blow may be between two looks
    for (int upper = 0; upper < KINDS; upper++)
        for (int lower = 0; lower < KINDS; lower++) {
            double drift, given;
            named += exchange((kind_of)upper, (kind_of)lower, tied, &drift, &given);
            if (!CHECK(drift < (sizeof(sn_real) == 8 ? 1e-10 : 2e-5) * given))
                printf("%s upon %s: %g of %g N s\n", names[upper], names[lower], drift, given);
        }
    CHECK(tied || named > 100);
}

TEST(bodies_of_any_two_kinds_collide_and_momentum_balances) {
    exchange_all(false);
}

TEST(bodies_of_any_two_kinds_are_joined_and_momentum_balances) {
    exchange_all(true);
}
