// Rigid bodies and joints refuse bad definitions: the status, a log line that names the field, and an unchanged world.
#include "mixed_world.h"
#include <limits.h>

static const double wild[3] = {NAN, INFINITY, -INFINITY};

typedef struct {
    sn_world *world;
    lines log;
    sn_body rod, other;
    sn_body shape;
    sn_joint joint, space;
    sn_rigid_def shape_def;
    sn_joint_def joint_def;
    sn_vec3 corners[4];
    int32_t triangles[6];
} bench;

static void good_defs(bench *b) {
    static const sn_vec3 corners[4] = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}};
    static const int32_t triangles[6] = {0, 2, 1, 0, 3, 2};
    memcpy(b->corners, corners, sizeof corners);
    memcpy(b->triangles, triangles, sizeof triangles);
    b->shape_def = sn_rigid_def_default();
    b->shape_def.radii[0] = b->shape_def.radii[1] = R(0.1);
    b->shape_def.ends[1] = (sn_vec3){1, 0, 0};
    b->shape_def.half = (sn_vec3){1, 1, 1};
    b->shape_def.vertices = b->corners, b->shape_def.vertex_count = 4;
    b->shape_def.triangles = b->triangles, b->shape_def.triangle_count = 2;
    b->joint_def = sn_joint_def_default();
    b->joint_def.body_a = b->rod;
}

static bool set_up(bench *b) {
    memset(b, 0, sizeof *b);
    sn_world_def def = sn_world_def_default();
    def.log = remember_line, def.log_user = &b->log;
    b->world = make_world(&def);
    if (!b->world) return false;
    sn_vec3 points[5];
    sn_rod_def rod = chain_def(points, 5);
    rod.clamp_first = true;
    bool good = CHECK_INT(sn_rod_create(b->world, &rod, &b->rod), SN_OK);
    for (int i = 0; i < 5; i++) points[i].y = 1;
    good = CHECK_INT(sn_rod_create(b->world, &rod, &b->other), SN_OK) && good;
    good_defs(b);
    b->shape_def.position.y = -1;
    good = CHECK_INT(sn_rigid_create(b->world, &b->shape_def, &b->shape), SN_OK) && good;
    b->joint_def.body_b = b->other;
    good = CHECK_INT(sn_joint_create(b->world, &b->joint_def, &b->joint), SN_OK) && good;
    b->joint_def.body_b = (sn_body){0};
    good = CHECK_INT(sn_joint_create(b->world, &b->joint_def, &b->space), SN_OK) && good;
    CHECK_INT(sn_world_step(b->world, R(0.01), 1), SN_OK);
    good_defs(b);
    return good;
}

// Tries the shape (or joint) of the bench, which is bad in one field, and makes it good again.
static void refuse(bench *b, bool joint, const char *field) {
    saved before = save_of(b->world);
    sn_body shape = {9, 9, 9};
    sn_joint tie = {9, 9};
    b->log.count = 0;
    sn_status status =
        joint ? sn_joint_create(b->world, &b->joint_def, &tie) : sn_rigid_create(b->world, &b->shape_def, &shape);
    bool good = CHECK_INT(status, SN_ERR_DEF);
    good = CHECK(joint ? tie.slot1 == 0 && tie.gen == 0 : shape.slot1 == 0 && shape.gen == 0) && good;
    good = CHECK_INT(b->log.count, 1) && good;
    good = CHECK_INT(lines_about(&b->log, field), 1) && good;
    good = CHECK(unchanged(b->world, before)) && good;
    if (!good) printf("about %s; the log said: %s: %s\n", field, b->log.field[0], b->log.text[0]);
    good_defs(b);
}

TEST(rigid_bodies_with_errors_are_refused) {
    bench b;
    REQUIRE(set_up(&b));
    sn_rigid_def *d = &b.shape_def;
    for (int w = 0; w < 3; w++) {
        const sn_real bad = R(wild[w]);
        for (int k = 0; k < 3; k++) {
            ((sn_real *)&d->position)[k] = bad, refuse(&b, false, "position");
            d->geometry = SN_GEOMETRY_PILL, ((sn_real *)&d->ends[k % 2])[k] = bad, refuse(&b, false, "ends");
            d->geometry = SN_GEOMETRY_BOX, ((sn_real *)&d->half)[k] = bad, refuse(&b, false, "half");
            d->geometry = SN_GEOMETRY_MESH, ((sn_real *)&b.corners[2])[k] = bad, refuse(&b, false, "triangles");
        }
        for (int k = 0; k < 4; k++) ((sn_real *)&d->rotation)[k] = bad, refuse(&b, false, "rotation");
        d->geometry = SN_GEOMETRY_SPHERE, d->radii[0] = bad, refuse(&b, false, "radii[0]");
        d->geometry = SN_GEOMETRY_PILL, d->radii[1] = bad, refuse(&b, false, "radii[1]");
    }
    const double bad_radius[] = {0, -1, 1e9};
    for (int k = 0; k < 3; k++) {
        d->geometry = SN_GEOMETRY_SPHERE, d->radii[0] = R(bad_radius[k]), refuse(&b, false, "radii[0]");
        d->geometry = SN_GEOMETRY_BOX, d->half.z = R(bad_radius[k]), refuse(&b, false, "half");
    }
    d->rotation = (sn_quat){0, 0, 0, 0}, refuse(&b, false, "rotation");
    if (sizeof(sn_real) == 4) d->rotation = (sn_quat){0, R(1e30), 0, 0}, refuse(&b, false, "rotation");
    const int kinds[] = {-1, 6, INT_MAX};
    for (int k = 0; k < 3; k++) d->geometry = (sn_geometry_kind)kinds[k], refuse(&b, false, "geometry");
    d->geometry = SN_GEOMETRY_MESH, d->vertices = NULL, refuse(&b, false, "vertices");
    d->geometry = SN_GEOMETRY_MESH, d->triangles = NULL, refuse(&b, false, "triangles");
    d->geometry = SN_GEOMETRY_MESH, d->triangle_count = 0, refuse(&b, false, "triangles");
    d->geometry = SN_GEOMETRY_MESH, d->triangle_count = -1, refuse(&b, false, "triangles");
    d->geometry = SN_GEOMETRY_MESH, d->vertex_count = 2, refuse(&b, false, "vertices");
    d->geometry = SN_GEOMETRY_MESH, b.triangles[4] = 4, refuse(&b, false, "triangles");
    d->geometry = SN_GEOMETRY_MESH, b.triangles[1] = -1, refuse(&b, false, "triangles");
    d->init_mark = 0, refuse(&b, false, "init_mark");
    sn_world_destroy(b.world);
}

TEST(surfaces_with_errors_are_refused) {
    bench b;
    REQUIRE(set_up(&b));
    const size_t at[] = {offsetof(sn_surface, friction_static), offsetof(sn_surface, friction_dynamic),
                         offsetof(sn_surface, restitution), offsetof(sn_surface, compliance)};
    const double bad[] = {NAN, INFINITY, -INFINITY, -0.1};
    for (int k = 0; k < 4; k++)
        for (int w = 0; w < 4; w++) {
            sn_real number = R(bad[w]);
            sn_surface surface = sn_surface_default();
            memcpy((char *)&surface + at[k], &number, sizeof number);
            saved before = save_of(b.world);
            b.log.count = 0;
            CHECK_INT(sn_body_set_contact(b.world, b.rod, &surface, true, true), SN_ERR_DEF);
            CHECK(b.log.count > 0);
            b.shape_def.surface = surface;
            sn_body id;
            CHECK_INT(sn_rigid_create(b.world, &b.shape_def, &id), SN_ERR_DEF);
            CHECK(unchanged(b.world, before));
        }
    sn_world_destroy(b.world);
}

TEST(joints_with_errors_are_refused) {
    bench b;
    REQUIRE(set_up(&b));
    sn_joint_def *d = &b.joint_def;
    for (int w = 0; w < 3; w++) {
        const sn_real bad = R(wild[w]);
        for (int k = 0; k < 3; k++) ((sn_real *)&d->position)[k] = bad, refuse(&b, true, "position");
        d->along_a = bad, refuse(&b, true, "along_a");
        d->body_b = b.other, d->along_b = bad, refuse(&b, true, "along_b");
        d->compliance = bad, refuse(&b, true, "compliance");
        d->max_force = bad, refuse(&b, true, "max_force");
    }
    d->along_a = R(1.1), refuse(&b, true, "along_a");
    d->along_a = R(-0.1), refuse(&b, true, "along_a");
    d->compliance = -1, refuse(&b, true, "compliance");
    d->max_force = -1, refuse(&b, true, "max_force");
    const int outside[] = {-1, 0, 5, INT_MAX, INT_MIN}; // a chain has no segment 0
    for (int k = 0; k < 5; k++) {
        d->segment_a = outside[k], refuse(&b, true, "segment_a");
        d->body_b = b.other, d->segment_b = outside[k], refuse(&b, true, "segment_b");
    }
    d->body_a = (sn_body){0}, refuse(&b, true, "body_a");
    d->body_a.gen += 1, refuse(&b, true, "body_a");
    d->body_b = (sn_body){b.other.kind, b.other.slot1, b.other.gen + 1}, refuse(&b, true, "body_b");
    d->body_b = (sn_body){b.shape.kind, b.shape.slot1, b.shape.gen + 1}, refuse(&b, true, "body_b");
    d->init_mark = 0, refuse(&b, true, "init_mark");
    sn_world_destroy(b.world);
}

TEST(stale_ids_and_bad_arguments_are_refused) {
    bench b;
    REQUIRE(set_up(&b));
    const sn_vec3 zero = {0, 0, 0};
    const sn_quat none = {0, 0, 0, 1};
    sn_vec3 position;
    sn_quat rotation;
    saved before = save_of(b.world);
    const sn_body stale[] = {{0},
                             {SN_KIND_RIGID, 0, 1},
                             {SN_KIND_RIGID, b.shape.slot1, b.shape.gen + 1},
                             {SN_KIND_RIGID, b.shape.slot1 + 1, 1},
                             {SN_KIND_RIGID, UINT32_MAX, 1}};
    for (int i = 0; i < 5; i++) {
        CHECK(!sn_body_exists(b.world, stale[i]));
        CHECK_INT(sn_body_destroy(b.world, stale[i]), SN_ERR_STALE_ID);
        CHECK_INT(sn_rigid_move(b.world, stale[i], zero, none), SN_ERR_STALE_ID);
        CHECK_INT(sn_rigid_get_pose(b.world, stale[i], &position, &rotation), SN_ERR_STALE_ID);
    }
    const sn_joint gone[] = {{0, 0}, {0, 1}, {b.joint.slot1, b.joint.gen + 1}, {b.joint.slot1 + 9, 1}, {UINT32_MAX, 1}};
    for (int i = 0; i < 5; i++) {
        CHECK(!sn_joint_exists(b.world, gone[i]));
        CHECK_INT(sn_joint_destroy(b.world, gone[i]), SN_ERR_STALE_ID);
        CHECK_INT(sn_joint_move(b.world, gone[i], zero), SN_ERR_STALE_ID);
        CHECK_NEAR(sn_joint_force(b.world, gone[i]), 0, 0);
    }
    for (int w = 0; w < 3; w++) {
        const sn_real bad = R(wild[w]);
        for (int k = 0; k < 4; k++) {
            sn_vec3 at = zero;
            sn_quat turn = none;
            ((sn_real *)&turn)[k] = bad;
            CHECK_INT(sn_rigid_move(b.world, b.shape, at, turn), SN_ERR_RANGE);
            if (k == 3) continue;
            ((sn_real *)&at)[k] = bad;
            CHECK_INT(sn_rigid_move(b.world, b.shape, at, none), SN_ERR_RANGE);
            CHECK_INT(sn_joint_move(b.world, b.space, at), SN_ERR_RANGE);
        }
    }
    CHECK_INT(sn_rigid_move(b.world, b.shape, zero, (sn_quat){0, 0, 0, 0}), SN_ERR_RANGE);
    if (sizeof(sn_real) == 4)
        CHECK_INT(sn_rigid_move(b.world, b.shape, zero, (sn_quat){0, R(1e30), 0, 0}), SN_ERR_RANGE);
    CHECK_INT(sn_joint_move(b.world, b.joint, zero), SN_ERR_RANGE); // it is tied to a rod, not to space
    CHECK_INT(sn_rigid_get_pose(b.world, b.shape, NULL, &rotation), SN_ERR_RANGE);
    CHECK_INT(sn_rigid_get_pose(b.world, b.shape, &position, NULL), SN_ERR_RANGE);
    CHECK_INT(sn_body_set_contact(b.world, b.rod, NULL, true, true), SN_ERR_RANGE);
    const sn_surface surface = sn_surface_default();
    CHECK_INT(sn_body_set_contact(b.world, (sn_body){0}, &surface, true, true), SN_ERR_STALE_ID);
    const int sweeps[] = {0, -1, 101, INT_MAX};
    for (int i = 0; i < 4; i++) CHECK_INT(sn_world_set_contact_sweeps(b.world, sweeps[i]), SN_ERR_RANGE);
    CHECK(unchanged(b.world, before));
    sn_body shape;
    sn_joint joint;
    CHECK_INT(sn_rigid_create(NULL, &b.shape_def, &shape), SN_ERR_RANGE);
    CHECK_INT(sn_rigid_create(b.world, NULL, &shape), SN_ERR_RANGE);
    CHECK_INT(sn_rigid_create(b.world, &b.shape_def, NULL), SN_ERR_RANGE);
    CHECK_INT(sn_joint_create(NULL, &b.joint_def, &joint), SN_ERR_RANGE);
    CHECK_INT(sn_joint_create(b.world, NULL, &joint), SN_ERR_RANGE);
    CHECK_INT(sn_joint_create(b.world, &b.joint_def, NULL), SN_ERR_RANGE);
    CHECK_INT(sn_world_get_contacts(NULL, NULL, 0), 0);
    CHECK_NEAR(sn_world_penetration(NULL), 0, 0);
    sn_world_destroy(b.world);
}

TEST(ids_of_slots_that_are_used_again_are_stale) {
    bench b;
    REQUIRE(set_up(&b));
    sn_body shape = b.shape, next;
    CHECK_INT(sn_body_destroy(b.world, shape), SN_OK);
    CHECK_INT(sn_rigid_create(b.world, &b.shape_def, &next), SN_OK);
    CHECK(next.slot1 == shape.slot1 && next.gen != shape.gen);
    CHECK(!sn_body_exists(b.world, shape) && sn_body_exists(b.world, next));
    sn_joint joint = b.joint, again;
    CHECK_INT(sn_joint_destroy(b.world, joint), SN_OK);
    CHECK_INT(sn_joint_create(b.world, &b.joint_def, &again), SN_OK);
    CHECK(again.slot1 == joint.slot1 && again.gen != joint.gen);
    CHECK(!sn_joint_exists(b.world, joint) && sn_joint_exists(b.world, again));
    CHECK_INT(sn_body_destroy(b.world, b.rod), SN_OK); // joints go with their rod
    CHECK(!sn_joint_exists(b.world, again) && !sn_joint_exists(b.world, b.space));
    CHECK_INT(sn_world_step(b.world, R(0.01), 1), SN_OK);
    sn_world_destroy(b.world);
}

// What a kind does not use may hold anything, and does not get into the world.
TEST(unused_fields_may_hold_anything) {
    bench b;
    REQUIRE(set_up(&b));
    const sn_real nan = R(NAN);
    for (int kind = SN_GEOMETRY_PLANE; kind <= SN_GEOMETRY_MESH; kind++) {
        good_defs(&b);
        sn_rigid_def *d = &b.shape_def;
        sn_body id;
        d->geometry = (sn_geometry_kind)kind;
        d->position.y = -1;
        if (kind != SN_GEOMETRY_PILL) d->ends[0].x = nan, d->ends[1].z = nan, d->radii[1] = nan;
        if (kind != SN_GEOMETRY_PILL && kind != SN_GEOMETRY_SPHERE) d->radii[0] = nan;
        if (kind != SN_GEOMETRY_BOX) d->half.y = nan;
        if (kind != SN_GEOMETRY_MESH) d->vertices = NULL, d->triangles = NULL, d->triangle_count = -5;
        CHECK_INT(sn_rigid_create(b.world, d, &id), SN_OK);
    }
    saved bytes = save_of(b.world);
    sn_world_def def = sn_world_def_default();
    sn_world *copy = NULL;
    CHECK_INT(sn_world_restore(&def, bytes.bytes, bytes.size, &copy), SN_OK);
    free(bytes.bytes);
    sn_world_destroy(copy);
    sn_world_destroy(b.world);
}

static void *intrude(void *user, sn_task_fn *fn, void *task) {
    bench *b = user;
    const sn_surface surface = sn_surface_default();
    sn_body shape = {9, 9, 9};
    sn_joint joint = {9, 9};
    CHECK_INT(sn_rigid_create(b->world, &b->shape_def, &shape), SN_ERR_BUSY);
    CHECK_INT(sn_joint_create(b->world, &b->joint_def, &joint), SN_ERR_BUSY);
    CHECK(shape.slot1 == 0 && joint.slot1 == 0);
    CHECK_INT(sn_body_destroy(b->world, b->shape), SN_ERR_BUSY);
    CHECK_INT(sn_rigid_move(b->world, b->shape, (sn_vec3){0, 0, 0}, (sn_quat){0, 0, 0, 1}), SN_ERR_BUSY);
    CHECK_INT(sn_joint_destroy(b->world, b->joint), SN_ERR_BUSY);
    CHECK_INT(sn_joint_move(b->world, b->space, (sn_vec3){0, 0, 0}), SN_ERR_BUSY);
    CHECK_INT(sn_body_set_contact(b->world, b->rod, &surface, false, false), SN_ERR_BUSY);
    CHECK_INT(sn_world_set_contact_sweeps(b->world, 2), SN_ERR_BUSY);
    CHECK_INT(sn_world_set_sleeping(b->world, false), SN_ERR_BUSY);
    fn(task);
    return NULL;
}
static void nothing_to_wait_for(void *user, void *handle) {
    (void)user, (void)handle;
}

TEST(a_world_that_steps_refuses_changes) {
    bench b;
    REQUIRE(set_up(&b));
    sn_vec3 points[3]; // another topology, so that there is more than one packet
    sn_rod_def rod = chain_def(points, 3);
    for (int i = 0; i < 3; i++) points[i].z = 2;
    sn_body id;
    CHECK_INT(sn_rod_create(b.world, &rod, &id), SN_OK);
    saved bytes = save_of(b.world);
    sn_world_def def = sn_world_def_default();
    def.worker_count = 2;
    def.tasks = (sn_tasks){intrude, nothing_to_wait_for, &b};
    sn_world *busy = NULL, *twin = b.world;
    CHECK_INT(sn_world_restore(&def, bytes.bytes, bytes.size, &busy), SN_OK);
    REQUIRE(busy);
    free(bytes.bytes);
    b.world = busy;
    CHECK_INT(sn_world_step(busy, R(0.01), 1), SN_OK);
    CHECK_INT(sn_world_step(twin, R(0.01), 1), SN_OK);
    CHECK(sn_world_hash(busy) == sn_world_hash(twin));
    sn_world_destroy(busy);
    sn_world_destroy(twin);
}

// Finite numbers of any size in shapes and joints: rods stay readable.
TEST(no_rigid_body_makes_a_rod_unreadable) {
    const double sizes[] = {1e6, 1e12, 1e18, 1e30, 3e38};
    for (int kind = SN_GEOMETRY_PLANE; kind <= SN_GEOMETRY_MESH; kind++)
        for (int k = 0; k < 5; k++)
            for (int way = 0; way < 3; way++) {
                bench b;
                REQUIRE(set_up(&b));
                const sn_real big = R(sizes[k]);
                sn_body id;
                sn_joint joint;
                b.shape_def.geometry = (sn_geometry_kind)kind;
                if (way == 1) b.shape_def.position = (sn_vec3){big, -big, big};
                if (way == 2) {
                    b.shape_def.ends[0].x = -big, b.shape_def.ends[1].x = big, b.shape_def.radii[1] = R(1e7);
                    b.shape_def.half = (sn_vec3){R(1e7), R(1e-7), R(1e7)};
                    for (int i = 0; i < 4; i++) b.corners[i].x *= big, b.corners[i].z *= big;
                }
                sn_status made = sn_rigid_create(b.world, &b.shape_def, &id); // may be refused
                CHECK(made == SN_OK || made == SN_ERR_DEF);
                b.joint_def.position = (sn_vec3){big, 0, 0};
                CHECK_INT(sn_joint_create(b.world, &b.joint_def, &joint), SN_OK);
                for (int step = 0; step < 6; step++) {
                    if (made == SN_OK && step == 2 && way == 0)
                        CHECK_INT(sn_rigid_move(b.world, id, (sn_vec3){big, big, 0}, (sn_quat){1, 0, 0, 1}), SN_OK);
                    sn_status status = sn_world_step(b.world, R(0.01), 2);
                    CHECK(status == SN_OK || status == SN_WARN_DIVERGED);
                    sn_vec3 c[5], v[5];
                    sn_body_get_points(b.world, b.rod, c, 5), sn_body_get_velocities(b.world, b.rod, v, 5);
                    bool good = true;
                    for (int i = 0; i < 5; i++)
                        good = good && isfinite(c[i].x) && isfinite(c[i].y) && isfinite(c[i].z) && isfinite(v[i].x) &&
                               isfinite(v[i].y) && isfinite(v[i].z);
                    if (!CHECK(good)) printf("kind %d, way %d, %g\n", kind, way, sizes[k]);
                }
                CHECK(!isnan(sn_world_penetration(b.world)));
                sn_world_destroy(b.world);
            }
}
