// A kind from outside the tree (kinds/particle) in a world: it falls, rests, collides with other kinds, is held by joints, sleeps,
// is saved and hashed, all through the table of kinds.
// kinds: particle
#include "base/hash.h"
#include "kinds/particle/particle.h"
#include "test.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static sn_vec3 vec(double x, double y, double z) {
    return (sn_vec3){(sn_real)x, (sn_real)y, (sn_real)z};
}

static char logged[4096]; // the texts of all log lines

static void keep_line(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    (void)user, (void)level, (void)code;
    if (strlen(logged) + strlen(field) + strlen(text) + 4 < sizeof logged) {
        strcat(strcat(strcat(logged, field), ": "), text);
        strcat(logged, "\n");
    }
}

static sn_world_def world_def(double gravity, int workers, int lanes) {
    sn_world_def def = sn_world_def_default();
    def.gravity = vec(0, -gravity, 0), def.worker_count = workers, def.lanes = lanes, def.log = keep_line;
    logged[0] = 0;
    return def;
}

static sn_world *world_with(double gravity, int workers, int lanes) {
    const sn_world_def def = world_def(gravity, workers, lanes);
    sn_world *world = NULL;
    CHECK_INT(sn_world_create(&def, &world), SN_OK);
    return world;
}

// A cube of 'side' particles along each edge, 2.2 radii apart, with its lowest corner at 'at'.
static sn_body cube(sn_world *world, int side, sn_vec3 at, double radius, sn_vec3 velocity) {
    enum { MAX = 512 };
    sn_vec3 points[MAX], velocities[MAX];
    const double gap = 2.2 * radius;
    const int count = side * side * side;
    sn_body id = {0};
    if (!CHECK(count <= MAX)) return id;
    for (int i = 0; i < count; i++) {
        const int x = i % side, y = i / side % side, z = i / (side * side);
        points[i] = vec((double)at.x + gap * x, (double)at.y + gap * y, (double)at.z + gap * z);
        velocities[i] = velocity;
    }
    sn_particles_def def = sn_particles_def_default();
    def.points = points, def.velocities = velocities, def.point_count = count;
    def.radius = (sn_real)radius, def.label = 7;
    CHECK_INT(sn_particles_create(world, &def, &id), SN_OK);
    return id;
}

static sn_body rod_along_x(sn_world *world, double y, double radius) {
    enum { COUNT = 9 };
    sn_vec3 points[COUNT];
    for (int i = 0; i < COUNT; i++) points[i] = vec(-0.4 + 0.1 * i, y, 0);
    sn_rod_def def = sn_rod_def_default();
    def.points = points, def.point_count = COUNT, def.radius = (sn_real)radius;
    def.material.damping = 0; // it would take momentum out of the world
    sn_body id = {0};
    CHECK_INT(sn_rod_create(world, &def, &id), SN_OK);
    return id;
}

static sn_body cloth_at(sn_world *world, double y) {
    sn_spring_cloth cloth = sn_spring_cloth_default();
    cloth.corner = vec(-0.3, y, -0.3), cloth.across = vec(0.6, 0, 0), cloth.down = vec(0, 0, 0.6);
    cloth.columns = cloth.rows = 11, cloth.mass = 1;
    sn_spring_net net;
    sn_body id = {0};
    CHECK_INT(sn_springs_make_cloth(&cloth, NULL, &net), SN_OK);
    const sn_springs_def def = sn_springs_def_of(&net);
    CHECK_INT(sn_springs_create(world, &def, &id), SN_OK);
    sn_spring_net_free(&net);
    return id;
}

static void add_ground(sn_world *world) {
    const sn_rigid_def def = sn_rigid_def_default(); // the plane y = 0
    sn_body id;
    CHECK_INT(sn_rigid_create(world, &def, &id), SN_OK);
}

static void run(sn_world *world, int steps) {
    for (int i = 0; i < steps; i++) CHECK_INT(sn_world_step(world, (sn_real)(1.0 / 60), 4), SN_OK);
}

static sn_vec3 point_of(const sn_world *world, sn_body body, int i) {
    sn_vec3 points[512] = {{0, 0, 0}};
    const int count = sn_body_get_points(world, body, points, 512);
    return CHECK(i < count && count <= 512) ? points[i] : points[0];
}

TEST(the_table_names_it) {
    CHECK_STRING(sn_kind_name(SN_KIND_PARTICLE), "particle");
    sn_world *world = world_with(0, 1, 0);
    const sn_body body = cube(world, 2, vec(0, 1, 0), 0.05, vec(1, 2, 3));
    CHECK(sn_body_exists(world, body));
    CHECK_INT(sn_world_kind_count(world, SN_KIND_PARTICLE), 1);
    CHECK_INT(sn_world_body_count(world), 1);
    CHECK_INT(sn_world_dof_count(world), 24);
    CHECK_INT(sn_body_label(world, body), 7);
    const double volume = 8 * 4 * 3.14159265358979 / 3 * 0.05 * 0.05 * 0.05;
    CHECK_NEAR(sn_body_volume(world, body), volume, 1e-7);
    CHECK_NEAR(sn_body_mass(world, body), 1000 * volume, 1e-4);
    sn_real masses[8];
    sn_vec3 velocities[8];
    CHECK_INT(sn_body_get_masses(world, body, masses, 8), 8);
    CHECK_INT(sn_body_get_velocities(world, body, velocities, 8), 8);
    CHECK_NEAR(masses[7], 1000 * volume / 8, 1e-5);
    CHECK_NEAR(velocities[7].z, 3, 0);
    CHECK_NEAR(sn_body_energy(world, body).kinetic, 1000 * volume * 14 / 2, 1e-3);
    CHECK_NEAR(sn_world_energy(world).kinetic, 1000 * volume * 14 / 2, 1e-3);
    const sn_box3 box = sn_body_bounds(world, body);
    CHECK_NEAR(box.min.y, 0.95, 1e-6);
    CHECK_NEAR(box.max.y, 1 + 0.11 + 0.05, 1e-6);
    CHECK_INT(sn_rod_hold(world, body, 0, SN_HOLD_CENTRE), SN_ERR_KIND);
    sn_world_destroy(world);
}

TEST(bad_definitions_are_refused_by_field) {
    sn_world *world = world_with(0, 1, 0);
    sn_particles_def def = sn_particles_def_default();
    sn_body id;
    def.radius = 0, def.density = -1;
    CHECK_INT(sn_particles_create(world, &def, &id), SN_ERR_DEF);
    CHECK(strstr(logged, "radius: ") && strstr(logged, "density: ") && strstr(logged, "points: "));
    CHECK_INT(id.slot1, 0);
    def.init_mark = 0;
    CHECK_INT(sn_particles_create(world, &def, &id), SN_ERR_DEF);
    CHECK_INT(sn_world_body_count(world), 0);
    sn_world_destroy(world);
}

// x = g t^2 / 2, but for the step: symplectic Euler is ahead by g h t / 2.
TEST(it_falls_freely) {
    sn_world *world = world_with(9.81, 1, 0);
    const sn_body body = cube(world, 1, vec(0, 10, 0), 0.05, vec(1, 0, 0));
    run(world, 60);
    const double h = 1.0 / 240;
    CHECK_NEAR(10 - (double)point_of(world, body, 0).y, 0.5 * 9.81 + 0.5 * 9.81 * h, 1e-3);
    CHECK_NEAR(point_of(world, body, 0).x, 1, 1e-5);
    sn_world_destroy(world);
}

TEST(it_rests_on_a_plane_and_sleeps) {
    sn_world *world = world_with(9.81, 1, 0);
    add_ground(world);
    const sn_body body = cube(world, 3, vec(0, 0.1, 0), 0.05, vec(0, 0, 0));
    double deepest = 0;
    for (int i = 0; i < 600 && !sn_body_asleep(world, body); i++) {
        run(world, 1);
        deepest = fmax(deepest, sn_world_penetration(world));
    }
    CHECK(deepest < 0.05);
    CHECK(sn_body_asleep(world, body));
    for (int i = 0; i < 27; i++) CHECK((double)point_of(world, body, i).y > 0.05 - 0.002);
    run(world, 1);
    CHECK_NEAR(sn_body_energy(world, body).kinetic, 0, 0);
    CHECK_INT(sn_particles_add_impulse(world, body, 0, vec(0, 5, 0)), SN_OK);
    CHECK(!sn_body_asleep(world, body));
    run(world, 5);
    CHECK((double)point_of(world, body, 0).y > 0.1);
    sn_world_destroy(world);
}

// What particles give, the other body takes: to 1e-5 of what went over.
static void exchange(sn_body (*make)(sn_world *world), const char *name) {
    sn_world *world = world_with(0, 1, 0);
    const sn_body other = make(world), body = cube(world, 3, vec(-0.11, 0.15, -0.11), 0.05, vec(0, -2, 0));
    const sn_momentum before = sn_world_momentum(world);
    bool named = false;
    for (int i = 0; i < 40; i++) {
        run(world, 1);
        sn_contact contacts[256];
        const int count = sn_world_get_contacts(world, contacts, 256);
        for (int k = 0; k < count && k < 256; k++)
            named |= contacts[k].body_a.kind + contacts[k].body_b.kind == SN_KIND_PARTICLE + other.kind;
    }
    const sn_momentum after = sn_world_momentum(world);
    sn_body_destroy(world, body);
    const sn_momentum given = sn_world_momentum(world);
    CHECK(named);
    CHECK(fabs(given.linear[1]) > 0.05 * fabs(before.linear[1]));
    for (int k = 0; k < 3; k++)
        if (!CHECK(fabs(after.linear[k] - before.linear[k]) < 1e-5 * fabs(given.linear[1])))
            printf("%s, %d: %g of %g N s\n", name, k, after.linear[k] - before.linear[k], given.linear[1]);
    sn_world_destroy(world);
}

static sn_body make_rod(sn_world *world) {
    return rod_along_x(world, 0, 0.05);
}
static sn_body make_cloth(sn_world *world) {
    return cloth_at(world, 0);
}
static sn_body make_particles(sn_world *world) {
    return cube(world, 3, vec(-0.1, -0.3, -0.1), 0.05, vec(0, 0, 0));
}

TEST(it_collides_with_other_kinds_and_momentum_balances) {
    exchange(make_rod, "rod");
    exchange(make_cloth, "cloth");
    exchange(make_particles, "particles");
}

TEST(a_joint_connects_it_to_a_rod) {
    sn_world *world = world_with(9.81, 1, 0);
    const sn_body rod = rod_along_x(world, 1, 0.02);
    CHECK_INT(sn_rod_hold(world, rod, 0, SN_HOLD_CENTRE), SN_OK);
    CHECK_INT(sn_rod_hold(world, rod, 8, SN_HOLD_CENTRE), SN_OK);
    const sn_body body = cube(world, 1, vec(0, 0.9, 0), 0.05, vec(0, 0, 0));
    sn_joint_def def = sn_joint_def_default();
    def.body_a = rod, def.segment_a = 4, def.along_a = 1, def.body_b = body, def.keep_offset = true;
    sn_joint joint;
    CHECK_INT(sn_joint_create(world, &def, &joint), SN_OK);
    def.point_b = 1;
    CHECK_INT(sn_joint_create(world, &def, &joint), SN_ERR_DEF);
    run(world, 180);
    sn_vec3 rod_points[9];
    sn_body_get_points(world, rod, rod_points, 9);
    const sn_vec3 at = point_of(world, body, 0);
    const double d[3] = {(double)(at.x - rod_points[4].x), (double)(at.y - rod_points[4].y),
                         (double)(at.z - rod_points[4].z)};
    CHECK_NEAR(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), 0.1, 0.002);
    CHECK((double)at.y > 0.5);
    sn_body_destroy(world, body); // and the joint with it
    CHECK_INT(sn_world_joint_count(world), 0);
    sn_world_destroy(world);
}

static sn_world *mixed_world(int workers, int lanes) {
    sn_world *world = world_with(9.81, workers, lanes);
    add_ground(world);
    rod_along_x(world, 0.3, 0.05);
    cloth_at(world, 0.5);
    cube(world, 4, vec(-0.2, 0.6, -0.2), 0.03, vec(0, 0, 0));
    cube(world, 2, vec(-0.2, 1.6, -0.2), 0.04, vec(0.5, 0, 0));
    return world;
}

// Whether this build and this machine have kernels of that many lanes.
static bool has_lanes(int lanes) {
    sn_world_def def = sn_world_def_default();
    sn_world *world = NULL;
    def.lanes = lanes;
    const bool has = sn_world_create(&def, &world) == SN_OK;
    sn_world_destroy(world);
    return has;
}

TEST(the_hash_is_the_same_for_workers_and_lanes) {
    static const int lanes[] = {0, 1, 4, 8, 16};
    uint64_t first = 0;
    for (int workers = 1; workers <= 2; workers++)
        for (size_t k = 0; k < sizeof lanes / sizeof *lanes; k++) {
            if (!has_lanes(lanes[k])) continue;
            sn_world *world = mixed_world(workers, lanes[k]);
            run(world, 60);
            const uint64_t hash = sn_world_hash(world);
            if (workers == 1 && k == 0) first = hash;
            CHECK(hash == first);
            sn_world_destroy(world);
        }
}

typedef struct {
    unsigned char *bytes;
    size_t size;
} saved;

static saved save_of(const sn_world *world) {
    saved s = {.size = sn_world_save(world, NULL, 0)};
    s.bytes = malloc(s.size);
    if (!s.bytes || sn_world_save(world, s.bytes, s.size) != s.size) abort();
    return s;
}

TEST(it_is_saved_and_restored_bitwise) {
    sn_world *world = mixed_world(1, 0), *copy = NULL;
    run(world, 30);
    saved s = save_of(world);
    const sn_world_def def = world_def(0, 2, has_lanes(4) ? 4 : 0);
    CHECK_INT(sn_world_restore(&def, s.bytes, s.size, &copy), SN_OK);
    saved again = save_of(copy);
    CHECK(again.size == s.size && memcmp(again.bytes, s.bytes, s.size) == 0);
    run(world, 30), run(copy, 30);
    CHECK(sn_world_hash(world) == sn_world_hash(copy));
    const sn_body body = sn_world_kind_at(copy, SN_KIND_PARTICLE, 1);
    CHECK_INT(sn_body_point_count(copy, body), 8);
    CHECK_NEAR(sn_particles_radius(copy, body), 0.04, 1e-6);
    sn_world_destroy(world);
    sn_world_destroy(copy);
    free(s.bytes);
    free(again.bytes);
}

TEST(destroyed_handles_are_stale) {
    sn_world *world = world_with(0, 1, 0);
    const sn_body body = cube(world, 2, vec(0, 0, 0), 0.05, vec(0, 0, 0));
    CHECK_INT(sn_body_destroy(world, body), SN_OK);
    const sn_body next = cube(world, 1, vec(0, 0, 0), 0.05, vec(0, 0, 0));
    CHECK_INT(next.slot1, body.slot1);
    CHECK(!sn_body_exists(world, body) && sn_body_exists(world, next));
    CHECK_INT(sn_body_destroy(world, body), SN_ERR_STALE_ID);
    CHECK_INT(sn_particles_add_impulse(world, body, 0, vec(0, 0, 0)), SN_ERR_STALE_ID);
    CHECK_INT(sn_body_point_count(world, body), 0);
    CHECK_NEAR(sn_particles_radius(world, body), 0, 0);
    sn_world_destroy(world);
}

// Saved bytes whose kind this library lacks: every word that may be the id is replaced, with a right hash. One of them is the id.
TEST(an_unknown_kind_in_saved_bytes_is_refused) {
    enum { HEADER_SIZE = 32, HASH_AT = 24 }; // see base/file_header.c
    sn_world *world = world_with(0, 1, 0), *copy = NULL;
    cube(world, 1, vec(1, 1, 1), 1, vec(0, 0, 0));
    saved s = save_of(world);
    sn_world_destroy(world);
    int refused = 0;
    for (size_t at = HEADER_SIZE; at + 4 <= s.size; at++) {
        uint32_t word, other = SN_KIND_PARTICLE + 1;
        memcpy(&word, s.bytes + at, 4);
        if (word != SN_KIND_PARTICLE) continue;
        memcpy(s.bytes + at, &other, 4);
        const uint64_t hash = sn_hash_bytes(0, s.bytes + HEADER_SIZE, s.size - HEADER_SIZE);
        memcpy(s.bytes + HASH_AT, &hash, 8);
        const sn_world_def def = world_def(0, 1, 0);
        const sn_status status = sn_world_restore(&def, s.bytes, s.size, &copy);
        refused += status == SN_ERR_FORMAT && strstr(logged, "built without") != NULL;
        sn_world_destroy(copy);
        memcpy(s.bytes + at, &word, 4);
    }
    CHECK_INT(refused, 1);
    free(s.bytes);
}
