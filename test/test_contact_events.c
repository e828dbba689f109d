// Events of contacts balance and say what happened; reactions of kinematic bodies are what everything else lost.
#include "all_kinds.h"
#include <stdlib.h>

static const sn_real dt = R(1.0 / 60);

static bool same_body(sn_body a, sn_body b) {
    return a.kind == b.kind && a.slot1 == b.slot1 && a.gen == b.gen;
}

static sn_body add_rigid(sn_world *world, sn_rigid_def def) {
    sn_body body = {0};
    CHECK_INT(sn_rigid_create(world, &def, &body), SN_OK);
    return body;
}

static sn_body add_ball(sn_world *world, sn_vec3 at, double radius) {
    sn_rigid_def def = sn_rigid_def_default();
    def.geometry = SN_GEOMETRY_SPHERE, def.radii[0] = R(radius), def.position = at, def.dynamic = true;
    return add_rigid(world, def);
}

static sn_body add_ground(sn_world *world) {
    return add_rigid(world, sn_rigid_def_default());
}

static sn_world *plain_world(void) {
    const sn_world_def def = sn_world_def_default();
    return make_world(&def);
}

// ---- a book of who touches whom

enum { PAIRS = 512, EVENTS = 1024 };
typedef struct {
    sn_body a[PAIRS], b[PAIRS];
    int count, begins, stays, ends, wrong;
} book;

static int find_pair(const book *k, sn_body a, sn_body b) {
    for (int i = 0; i < k->count; i++)
        if (same_body(k->a[i], a) && same_body(k->b[i], b)) return i;
    return -1;
}

static void note(book *k, const sn_contact_event *e) {
    const int at = find_pair(k, e->body_a, e->body_b);
    k->begins += e->change == SN_CONTACT_BEGIN, k->stays += e->change == SN_CONTACT_STAY;
    k->ends += e->change == SN_CONTACT_END;
    k->wrong += (at >= 0) != (e->change != SN_CONTACT_BEGIN);
    k->wrong += (e->contacts > 0) != (e->change != SN_CONTACT_END);
    k->wrong += !isfinite(e->point.x + e->normal.x + e->impulse.x + e->depth);
    const sn_vec3 n = e->normal;
    k->wrong += fabs((double)(n.x * n.x + n.y * n.y + n.z * n.z) - 1) > 1e-3;
    if (e->change == SN_CONTACT_BEGIN && k->count < PAIRS) k->a[k->count] = e->body_a, k->b[k->count++] = e->body_b;
    if (e->change == SN_CONTACT_END && at >= 0) k->count--, k->a[at] = k->a[k->count], k->b[at] = k->b[k->count];
}

static void note_all(book *k, const sn_world *world) {
    static sn_contact_event events[EVENTS];
    const int count = sn_world_get_contact_events(world, events, EVENTS);
    k->wrong += count > EVENTS;
    for (int i = 0; i < count && i < EVENTS; i++) note(k, &events[i]);
}

// ---- one ball

// A ball falls, lies, sleeps, is lifted: one begin, stays, nothing while it sleeps, one end.
TEST(a_ball_begins_stays_sleeps_and_ends) {
    sn_world *world = plain_world();
    REQUIRE(world);
    const sn_body ground = add_ground(world), ball = add_ball(world, (sn_vec3){0, R(0.3), 0}, 0.1);
    CHECK_INT(sn_world_set_contact_events(world, 1, 1, NULL, NULL), SN_OK);
    book k = {0};
    int slept = 0, silent = 0;
    for (int i = 0; i < 180; i++) {
        CHECK_INT(sn_world_step(world, dt, 1), SN_OK);
        const int before = k.stays;
        note_all(&k, world);
        if (sn_body_asleep(world, ball)) slept++, silent += k.stays == before;
    }
    CHECK_INT(k.begins, 1), CHECK_INT(k.ends, 0), CHECK_INT(k.wrong, 0);
    CHECK(slept > 60 && silent >= slept - 1 && k.count == 1);
    CHECK(same_body(k.a[0], ground) && same_body(k.b[0], ball));
    CHECK_INT(sn_rigid_move(world, ball, (sn_vec3){0, 1, 0}, (sn_quat){0, 0, 0, 1}), SN_OK);
    CHECK_INT(sn_world_step(world, dt, 1), SN_OK);
    note_all(&k, world);
    CHECK_INT(k.ends, 1), CHECK_INT(k.count, 0), CHECK_INT(k.wrong, 0);
    sn_world_destroy(world);
}

// At rest the impulse of a step is the weight's, straight up; b is the ball.
TEST(the_impulse_at_rest_is_the_weight) {
    sn_world *world = plain_world();
    REQUIRE(world);
    add_ground(world);
    const sn_body ball = add_ball(world, (sn_vec3){0, R(0.1), 0}, 0.1);
    CHECK_INT(sn_world_set_sleeping(world, false), SN_OK);
    CHECK_INT(sn_world_set_contact_events(world, 1, 1, NULL, NULL), SN_OK);
    for (int i = 0; i < 120; i++) CHECK_INT(sn_world_step(world, dt, 3), SN_OK);
    sn_contact_event e;
    REQUIRE(sn_world_get_contact_events(world, &e, 1) == 1);
    const double weight = 9.81 * sn_body_mass(world, ball) / 60;
    CHECK_INT(e.change, SN_CONTACT_STAY);
    CHECK(same_body(e.body_b, ball));
    CHECK_NEAR(e.impulse.y, -weight, 1e-4 * weight);
    CHECK_NEAR(e.normal.y, -1, 1e-5);
    CHECK_NEAR(e.point.y, 0, 1e-3);
    sn_contact contacts[4];
    const int count = sn_world_get_contacts_between(world, ball, e.body_a, contacts, 4);
    double press = 0;
    for (int i = 0; i < count && i < 4; i++) press += (double)contacts[i].force;
    CHECK_NEAR(press / 60, weight, 1e-4 * weight);
    CHECK_INT(sn_world_get_contacts_between(world, ball, ball, contacts, 4), 0);
    sn_world_destroy(world);
}

// A slide: friction is in the impulse, and in what get_contacts says.
TEST(friction_is_in_the_impulse) {
    sn_world *world = plain_world();
    REQUIRE(world);
    add_ground(world);
    sn_rigid_def def = sn_rigid_def_default();
    def.geometry = SN_GEOMETRY_BOX, def.half = (sn_vec3){R(0.2), R(0.1), R(0.2)}, def.position.y = R(0.1);
    def.dynamic = true;
    const sn_body box = add_rigid(world, def);
    CHECK_INT(sn_world_set_contact_events(world, 1, 1, NULL, NULL), SN_OK);
    for (int i = 0; i < 60; i++) CHECK_INT(sn_world_step(world, dt, 1), SN_OK);
    CHECK_INT(sn_rigid_set_velocity(world, box, (sn_vec3){5, 0, 0}, (sn_vec3){0, 0, 0}), SN_OK);
    for (int i = 0; i < 10; i++) CHECK_INT(sn_world_step(world, dt, 1), SN_OK);
    sn_vec3 before, after, spin;
    CHECK_INT(sn_rigid_get_velocity(world, box, &before, &spin), SN_OK);
    CHECK_INT(sn_world_step(world, dt, 4), SN_OK);
    CHECK_INT(sn_rigid_get_velocity(world, box, &after, &spin), SN_OK);
    sn_contact_event e;
    REQUIRE(sn_world_get_contact_events(world, &e, 1) == 1);
    const double mass = sn_body_mass(world, box);
    CHECK_NEAR(-e.impulse.x, mass * (double)(after.x - before.x), 1e-3 * mass);
    sn_contact contacts[8];
    const int count = sn_world_get_contacts(world, contacts, 8);
    double pull = 0, press = 0;
    for (int i = 0; i < count && i < 8; i++) pull += (double)contacts[i].friction.x, press += (double)contacts[i].force;
    CHECK_NEAR(fabs(pull) / press, (double)e.impulse.x / (double)-e.impulse.y,
               0.02); // of the last substep, and of the step
    CHECK(fabs(pull) < 0.41 * press && fabs(pull) > 0.25 * press);
    sn_world_destroy(world);
}

// ---- every begin has an end

static bool no_even_slots(void *user, sn_body a, sn_body b) {
    ++*(int *)user;
    return (a.slot1 + b.slot1) % 2 == 1;
}

static void kick_one(sn_world *world, uint64_t *seed) {
    const sn_body ball =
        sn_world_kind_at(world, SN_KIND_RIGID, random_below(seed, sn_world_kind_count(world, SN_KIND_RIGID)));
    const sn_vec3 v = random_vec(seed, 3);
    if (sn_rigid_is_dynamic(world, ball)) CHECK_INT(sn_rigid_set_velocity(world, ball, v, v), SN_OK);
}

// A random pile in which bodies come, go, sleep, are kicked and saved.
static sn_world *random_world(uint64_t *seed) {
    sn_world *world = plain_world();
    if (!world) return NULL;
    add_ground(world);
    for (int i = 0; i < 8; i++) {
        add_ball(world,
                 (sn_vec3){random_real(seed, -0.4, 0.4), random_real(seed, 0.2, 1.5), random_real(seed, -0.4, 0.4)},
                 0.1);
        sn_vec3 points[6];
        sn_rod_def rod = chain_def(points, 6);
        for (int k = 0; k < 6; k++)
            points[k].x -= R(0.25), points[k].y = R(0.2 + 0.15 * i), points[k].z = random_real(seed, -0.3, 0.3);
        rod.label = (uint64_t)i, rod.self_collide = i % 2, rod.surface.group = i % 3 ? 1 : 2;
        sn_body id;
        CHECK_INT(sn_rod_create(world, &rod, &id), SN_OK);
    }
    sn_spring_cloth cloth = sn_spring_cloth_default();
    cloth.corner = (sn_vec3){R(-0.5), 1, R(-0.5)}, cloth.columns = cloth.rows = 6;
    sn_spring_net net;
    CHECK_INT(sn_springs_make_cloth(&cloth, NULL, &net), SN_OK);
    const sn_springs_def def = sn_springs_def_of(&net);
    sn_body id;
    CHECK_INT(sn_springs_create(world, &def, &id), SN_OK);
    sn_spring_net_free(&net);
    return world;
}

static sn_world *restored(sn_world *world) {
    const sn_world_def def = sn_world_def_default();
    saved s = save_of(world);
    sn_world *copy = NULL;
    CHECK_INT(sn_world_restore(&def, s.bytes, s.size, &copy), SN_OK);
    free(s.bytes);
    return copy;
}

TEST(every_begin_has_an_end) {
    book sum = {0};
    for (uint64_t world_seed = 1; world_seed <= (uint64_t)ROUNDS(6); world_seed++) {
        uint64_t seed = world_seed;
        int asked = 0;
        sn_world *world = random_world(&seed);
        REQUIRE(world);
        book k = {0};
        sn_contact_keep_fn *keep = world_seed % 3 == 0 ? no_even_slots : NULL;
        CHECK_INT(sn_world_set_contact_events(world, 3, world_seed % 2 ? 1 : 3, keep, &asked), SN_OK);
        for (int i = 0; i < 150; i++) {
            const int what = i < 140 ? random_below(&seed, 14) : -1;
            if (what == 0) kick_one(world, &seed);
            if (what == 1)
                CHECK_INT(
                    sn_body_destroy(world, sn_world_body_at(world, random_below(&seed, sn_world_body_count(world)))),
                    SN_OK);
            if (what == 2) add_ball(world, (sn_vec3){0, R(1.2), 0}, 0.08);
            if (what == 3 && sn_world_kind_count(world, SN_KIND_RIGID) == 0) add_ground(world);
            if (what == 4 && i % 3 == 0) {
                sn_world *copy = restored(world);
                REQUIRE(copy);
                CHECK_INT(sn_world_get_contact_events(copy, NULL, 0), 0);
                sn_world_destroy(world), world = copy;
                CHECK_INT(sn_world_set_contact_events(world, 3, world_seed % 2 ? 1 : 3, keep, &asked), SN_OK);
            }
            const sn_status status = sn_world_step(world, dt, i % 5 ? 0 : 2);
            CHECK(status == SN_OK || status == SN_WARN_DIVERGED);
            note_all(&k, world);
        }
        CHECK_INT(k.begins - k.ends, k.count);
        CHECK_INT(sn_world_set_contact_events(world, 0, 0, NULL, NULL), SN_OK); // not asked for any more
        sn_world_step(world, dt, 0);
        note_all(&k, world);
        CHECK_INT(k.count, 0), CHECK_INT(k.begins, k.ends), CHECK_INT(k.wrong, 0);
        CHECK((asked > 0) == (keep != NULL));
        sum.begins += k.begins, sum.stays += k.stays;
        sn_world_destroy(world);
    }
    CHECK(sum.begins > ROUNDS(6) * 40 && sum.stays > sum.begins);
}

static int all_events(const sn_world *world, sn_contact_event *out) {
    memset(out, 0, EVENTS * sizeof *out);
    return sn_world_get_contact_events(world, out, EVENTS);
}

// A restored world tells what the saved one does; a step that failed tells nothing.
TEST(restored_worlds_tell_the_same) {
    static sn_contact_event a[EVENTS], b[EVENTS];
    uint64_t seed = 5;
    sn_world *world = random_world(&seed);
    REQUIRE(world);
    CHECK_INT(sn_world_set_contact_events(world, 3, 3, NULL, NULL), SN_OK);
    for (int i = 0; i < 40; i++) CHECK_INT(sn_world_step(world, dt, 0), SN_OK);
    CHECK_INT(sn_body_destroy(world, sn_world_kind_at(world, SN_KIND_RIGID, 3)), SN_OK);
    sn_world *copy = restored(world);
    REQUIRE(copy);
    sn_vec3 force[2], torque[2];
    const sn_body ground = sn_world_kind_at(world, SN_KIND_RIGID, 0);
    CHECK_INT(sn_rigid_get_reaction(world, ground, &force[0], &torque[0]), SN_OK);
    CHECK_INT(sn_rigid_get_reaction(copy, ground, &force[1], &torque[1]), SN_OK);
    CHECK(memcmp(&force[0], &force[1], sizeof *force) == 0 && memcmp(&torque[0], &torque[1], sizeof *torque) == 0);
    CHECK(force[0].y < 0);
    for (int i = 0; i < 30; i++) {
        CHECK_INT(sn_world_step(world, dt, 0), SN_OK);
        CHECK_INT(sn_world_step(copy, dt, 0), SN_OK);
        const int count = all_events(world, a);
        CHECK_INT(all_events(copy, b), count);
        CHECK(count > 0 && memcmp(a, b, (size_t)count * sizeof *a) == 0);
    }
    const int before = all_events(world, a);
    CHECK_INT(sn_world_set_max_pairs(world, 1), SN_OK);
    CHECK_INT(sn_world_step(world, dt, 0), SN_ERR_PAIRS);
    CHECK_INT(all_events(world, b), before);
    CHECK(memcmp(a, b, (size_t)before * sizeof *a) == 0);
    sn_world_destroy(world), sn_world_destroy(copy);
}

TEST(events_do_not_depend_on_workers_or_lanes) {
    static sn_contact_event first[EVENTS], other[EVENTS];
    int lanes[4], count = 0; // a build may have one width only
    const int widths = lane_widths(lanes);
    for (int k = 0; k <= widths; k++) {
        sn_world_def def = sn_world_def_default();
        def.worker_count = 1 + k % 3, def.lanes = k < widths ? lanes[k] : 0;
        sn_world *world = make_world(&def);
        REQUIRE(world);
        const pile p = pile_build(world);
        CHECK_INT(sn_world_set_contact_events(world, 1, 1, NULL, NULL), SN_OK);
        pile_run(world, &p, 0, 20);
        const int found = all_events(world, k ? other : first);
        if (k == 0) count = found;
        CHECK(found == count && count > 3);
        if (k > 0) CHECK(memcmp(first, other, sizeof first) == 0);
        sn_world_destroy(world);
    }
}

// Getters know bodies by their handles: what came or went since the step does not confuse them.
TEST(contacts_stay_readable_when_bodies_come_and_go) {
    sn_world *world = plain_world();
    REQUIRE(world);
    add_ground(world);
    sn_body rods[3], id;
    for (int i = 0; i < 3; i++) {
        sn_vec3 points[5];
        sn_rod_def rod = chain_def(points, 5);
        for (int k = 0; k < 5; k++) points[k].y = R(0.02), points[k].z = R(i);
        CHECK_INT(sn_rod_create(world, &rod, &rods[i]), SN_OK);
    }
    for (int i = 0; i < 30; i++) CHECK_INT(sn_world_step(world, dt, 0), SN_OK);
    sn_contact before[64], after[64];
    const int count = sn_world_get_contacts(world, before, 64);
    REQUIRE(count > 3 && count <= 64);
    sn_vec3 points[9];
    sn_rod_def more = chain_def(points, 9);
    for (int k = 0; k < 9; k++) points[k].y = 3;
    CHECK_INT(sn_body_destroy(world, rods[0]), SN_OK);
    CHECK_INT(sn_rod_create(world, &more, &id), SN_OK);
    CHECK_INT(sn_rod_create(world, &more, &id), SN_OK);
    CHECK(sn_world_penetration(world) > 1); // numbers bodies anew
    CHECK_INT(sn_world_get_contacts(world, after, 64), count);
    for (int i = 0; i < count; i++) {
        const bool gone = same_body(before[i].body_a, rods[0]);
        CHECK(same_body(after[i].body_a, gone ? (sn_body){0} : before[i].body_a));
        CHECK_INT(after[i].segment_a, gone ? -1 : before[i].segment_a);
    }
    sn_world_destroy(world);
}

// ---- reactions

// Sum of mass times place over all that is not held: x and z.
static void first_moment(const sn_world *world, double out[2]) {
    out[0] = out[1] = 0;
    for (int i = 0; i < sn_world_body_count(world); i++) {
        sn_vec3 points[64];
        sn_real masses[64];
        const sn_body body = sn_world_body_at(world, i);
        const int count = sn_body_get_points(world, body, points, 64),
                  known = sn_body_get_masses(world, body, masses, 64);
        for (int k = 0; k < count && k < known && k < 64; k++)
            out[0] += (double)masses[k] * (double)points[k].x, out[1] += (double)masses[k] * (double)points[k].z;
    }
}

// A kinematic body among the others: what the rest gained in momentum is what it and gravity gave, in every step.
static void check_reaction(sn_world *world, sn_body body, double mass, double tolerance, int steps, int substeps) {
    double worst = 0, worst_turn = 0, largest = 0;
    sn_momentum before = sn_world_momentum(world);
    for (int i = 0; i < steps; i++) {
        const sn_vec3 to = {R(0.1 * sin(0.1 * i)), R(0.05 * sin(0.07 * i)), 0};
        const double a = 0.3 * sin(0.05 * i);
        CHECK_INT(sn_rigid_move(world, body, to, (sn_quat){0, R(sin(a)), 0, R(cos(a))}), SN_OK);
        CHECK_INT(sn_world_step(world, dt, substeps), SN_OK);
        const sn_momentum after = sn_world_momentum(world);
        sn_vec3 f, t, at;
        sn_quat turn;
        CHECK_INT(sn_rigid_get_reaction(world, body, &f, &t), SN_OK);
        CHECK_INT(sn_rigid_get_pose(world, body, &at, &turn), SN_OK);
        const double force[3] = {(double)f.x, (double)f.y, (double)f.z},
                     torque[3] = {(double)t.x, (double)t.y, (double)t.z};
        double moment[2];
        first_moment(world, moment);
        const double place[3] = {(double)at.x, (double)at.y, (double)at.z};
        for (int k = 0; k < 3; k++) {
            const double weight = k == 1 ? -9.81 * mass : 0;
            const double gained = (after.linear[k] - before.linear[k]) * 60;
            worst = fmax(worst, fabs(gained - weight + force[k]));
            const int l = (k + 1) % 3, m = (k + 2) % 3;
            const double about = torque[k] + place[l] * force[m] - place[m] * force[l];
            const double weights = k == 2 ? -9.81 * moment[0] : k == 0 ? 9.81 * moment[1] : 0;
            const double turn_error = fabs((after.angular[k] - before.angular[k]) * 60 - weights + about);
            worst_turn = fmax(worst_turn, turn_error);
            largest = fmax(largest, fabs(force[k]));
        }
        before = after;
    }
    CHECK(largest > 0.5 * 9.81 * mass);
    if (!CHECK(worst < tolerance * largest)) printf("force: %g of %g\n", worst, largest);
    if (!CHECK(worst_turn < 0.04 * largest)) printf("torque: %g at %g N\n", worst_turn, largest); // within some cm
}

static sn_body add_tray(sn_world *world) {
    sn_rigid_def def = sn_rigid_def_default();
    def.geometry = SN_GEOMETRY_BOX, def.half = (sn_vec3){1, R(0.1), 1};
    return add_rigid(world, def);
}

TEST(a_kinematic_body_bears_what_rods_lose) {
    sn_world *world = plain_world();
    REQUIRE(world);
    const sn_body tray = add_tray(world);
    double mass = 0;
    for (int i = 0; i < 3; i++) {
        sn_vec3 points[6];
        sn_rod_def rod = chain_def(points, 6);
        for (int k = 0; k < 6; k++) points[k].x -= R(0.3), points[k].y = R(0.15 + 0.06 * i), points[k].z = R(0.02 * i);
        sn_body id;
        rod.material.damping = 0; // a drag: momentum goes to the air
        CHECK_INT(sn_rod_create(world, &rod, &id), SN_OK);
        mass += sn_body_mass(world, id);
    }
    CHECK_INT(sn_world_set_sleeping(world, false), SN_OK);
    check_reaction(world, tray, mass, 1e-4, 120, 2);
    sn_world_destroy(world);
}

TEST(a_kinematic_body_bears_what_dynamic_ones_lose) {
    sn_world *world = plain_world();
    REQUIRE(world);
    const sn_body tray = add_tray(world);
    double mass = 0;
    for (int i = 0; i < 4; i++) {
        const sn_body ball = add_ball(world, (sn_vec3){R(0.05 * i), R(0.25 + 0.22 * i), R(0.03 * i)}, 0.1);
        mass += sn_body_mass(world, ball);
    }
    CHECK_INT(sn_world_set_sleeping(world, false), SN_OK);
    check_reaction(world, tray, mass, 1e-4, 120, 2);
    sn_world_destroy(world);
}

TEST(a_kinematic_body_bears_what_its_joints_pull) {
    sn_world *world = plain_world();
    REQUIRE(world);
    sn_rigid_def def = sn_rigid_def_default();
    def.geometry = SN_GEOMETRY_SPHERE, def.radii[0] = R(0.02);
    const sn_body hand = add_rigid(world, def);
    sn_vec3 points[8];
    sn_rod_def rod = chain_def(points, 8);
    for (int k = 0; k < 8; k++) points[k].y = R(-0.05);
    rod.material.damping = 0;
    sn_body id;
    CHECK_INT(sn_rod_create(world, &rod, &id), SN_OK);
    sn_joint_def joint = sn_joint_def_default();
    joint.kind = SN_JOINT_WELD, joint.body_a = id, joint.segment_a = 1, joint.along_a = 0, joint.body_b = hand;
    joint.keep_offset = true;
    sn_joint held;
    CHECK_INT(sn_joint_create(world, &joint, &held), SN_OK);
    check_reaction(world, hand, sn_body_mass(world, id), 1e-4, 120, 2);
    sn_world_destroy(world);
}

TEST(a_kinematic_body_bears_what_cloth_loses) {
    sn_world *world = plain_world();
    REQUIRE(world);
    const sn_body tray = add_tray(world);
    sn_spring_cloth cloth = sn_spring_cloth_default();
    cloth.corner = (sn_vec3){R(-0.5), R(0.15), R(-0.5)}, cloth.columns = cloth.rows = 6;
    sn_spring_net net;
    sn_body id;
    CHECK_INT(sn_springs_make_cloth(&cloth, NULL, &net), SN_OK);
    const sn_springs_def plan = sn_springs_def_of(&net);
    CHECK_INT(sn_springs_create(world, &plan, &id), SN_OK);
    sn_spring_net_free(&net);
    CHECK_INT(sn_world_set_sleeping(world, false), SN_OK);
    check_reaction(world, tray, sn_body_mass(world, id), 1e-4, 120, 2);
    sn_world_destroy(world);
}

TEST(a_kinematic_body_bears_what_elastic_bodies_lose) {
    all_kinds all = {.world = plain_world()};
    REQUIRE(all.world);
    const sn_body tray = add_tray(all.world);
    const bar_def plan = {{3, 1, 1}, 0.15, {2, 1, 1}, false, false, false};
    all.model = bar_model(&plan, 0.08);
    sn_elastic_def def = sn_elastic_def_default();
    def.model = all.model, def.position = (sn_vec3){R(-0.2), R(0.3), 0};
    CHECK_INT(sn_elastic_create(all.world, &def, &all.elastic), SN_OK);
    CHECK_INT(sn_world_set_sleeping(all.world, false), SN_OK);
    check_reaction(all.world, tray, sn_body_mass(all.world, all.elastic), 0.02, 120,
                   2); // lumped: its own solver moves it after
    sn_world_destroy(all.world);
    CHECK_INT(sn_elastic_model_destroy(all.model), SN_OK);
}

// What sleeps weighs as much: on what it lies on, and on what it hangs from.
TEST(sleepers_weigh) {
    sn_world *world = plain_world();
    REQUIRE(world);
    const sn_body tray = add_tray(world), ball = add_ball(world, (sn_vec3){R(0.5), R(0.2), 0}, 0.1);
    const double weight = 9.81 * sn_body_mass(world, ball);
    int slept = 0;
    for (int i = 0; i < 240; i++) {
        sn_vec3 f, t;
        CHECK_INT(sn_world_step(world, dt, 1), SN_OK);
        slept += sn_body_asleep(world, ball);
        CHECK_INT(sn_rigid_get_reaction(world, tray, &f, &t), SN_OK);
        if (i < 60) continue;
        CHECK_NEAR(f.y, -weight, 0.01 * weight);
        CHECK_NEAR(t.z, -0.5 * weight, 0.01 * weight);
    }
    CHECK(slept > 60);
    sn_world *copy = restored(world);
    REQUIRE(copy);
    sn_vec3 f, t;
    CHECK_INT(sn_world_step(copy, dt, 1), SN_OK);
    CHECK_INT(sn_rigid_get_reaction(copy, tray, &f, &t), SN_OK);
    CHECK_NEAR(f.y, -weight, 0.01 * weight);
    sn_world_destroy(copy), sn_world_destroy(world);
}

// Events cost no allocation once a step is warm.
TEST(warmed_steps_with_events_allocate_nothing) {
    counter c = {0};
    sn_world_def def = sn_world_def_default();
    def.allocator = counted(&c);
    sn_world *world = make_world(&def);
    REQUIRE(world);
    add_ground(world);
    for (int i = 0; i < 30; i++) add_ball(world, (sn_vec3){R(0.01 * i), R(0.15 + 0.25 * i), 0}, 0.1);
    CHECK_INT(sn_world_set_sleeping(world, false), SN_OK);
    CHECK_INT(sn_world_set_contact_events(world, 1, 1, NULL, NULL), SN_OK);
    for (int i = 0; i < 240; i++) CHECK_INT(sn_world_step(world, dt, 1), SN_OK);
    const long before = c.calls;
    for (int i = 0; i < 30; i++) CHECK_INT(sn_world_step(world, dt, 1), SN_OK);
    CHECK_INT(c.calls, before);
    sn_world_destroy(world);
}
