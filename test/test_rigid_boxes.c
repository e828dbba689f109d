// Boxes and fast bodies: stacks, ropes with heavy loads, impacts on thin and soft bodies; and how they sleep.
#include "base/math/vec.h"
#include "known.h"
#include "lane_widths.h"

#define R(x)                  ((sn_real)(x))
#define CHECK_REL(a, b, part) CHECK_NEAR(a, b, (part)*fabs((double)(b)))

static sn_body add(sn_world *world, const sn_rigid_def *def) {
    sn_body body = {0};
    CHECK_INT(sn_rigid_create(world, def, &body), SN_OK);
    return body;
}

static sn_rigid_def box_def(double x, double y, double z) {
    sn_rigid_def def = sn_rigid_def_default();
    def.dynamic = true, def.geometry = SN_GEOMETRY_BOX, def.half = vec(x, y, z);
    return def;
}

static sn_vec3 place_of(const sn_world *world, sn_body body) {
    sn_vec3 c = {0, 0, 0};
    CHECK_INT(sn_rigid_get_centre(world, body, &c), SN_OK);
    return c;
}
static sn_vec3 velocity_of(const sn_world *world, sn_body body) {
    sn_vec3 v, w;
    CHECK_INT(sn_rigid_get_velocity(world, body, &v, &w), SN_OK);
    return v;
}

static void run(sn_world *world, double seconds) {
    bool good = true;
    for (int i = 0; i < (int)(seconds * 60 + 0.5); i++) good = sn_world_step(world, R(1.0 / 60), 0) == SN_OK && good;
    CHECK(good);
}

static sn_world *ground(double gravity) {
    sn_world *world = world_with(gravity);
    sn_rigid_def floor = sn_rigid_def_default();
    add(world, &floor);
    CHECK_INT(sn_world_set_energy_check(world, true), SN_OK);
    return world;
}

TEST(a_stack_of_ten_boxes_stands) {
    enum { COUNT = 10 };
    sn_world *world = ground(-9.81);
    sn_world_set_sleeping(world, false);
    sn_body box[COUNT];
    sn_vec3 settled[COUNT];
    for (int i = 0; i < COUNT; i++) {
        sn_rigid_def def = box_def(0.2, 0.2, 0.2);
        def.position = vec(0.01 * (i % 3), 0.2 + 0.4 * i, 0.01 * (i % 2));
        box[i] = add(world, &def);
    }
    run(world, 0.5);
    for (int i = 0; i < COUNT; i++) settled[i] = place_of(world, box[i]);
    run(world, 29.5);
    for (int i = 0; i < COUNT; i++) CHECK(sn_length(sn_sub(place_of(world, box[i]), settled[i])) < R(1e-3));
    sn_world_destroy(world);
}

TEST(a_stack_sleeps_and_wakes) {
    sn_world *world = ground(-9.81);
    sn_body box[3];
    for (int i = 0; i < 3; i++) {
        sn_rigid_def def = box_def(0.2, 0.2, 0.2);
        def.position = vec(0, 0.2 + 0.4 * i, 0);
        box[i] = add(world, &def);
    }
    run(world, 2);
    for (int i = 0; i < 3; i++) CHECK(sn_body_asleep(world, box[i]));
    sn_rigid_def def = box_def(0.1, 0.1, 0.1);
    def.position = vec(0, 2, 0);
    add(world, &def);
    run(world, 0.6);
    CHECK(!sn_body_asleep(world, box[2]));
    run(world, 4);
    CHECK(sn_body_asleep(world, box[2]));
    CHECK_NEAR(place_of(world, box[2]).y, 1.0, 1e-3);
    sn_world_destroy(world);
}

TEST(boxes_dropped_anyhow_come_to_rest_on_faces) {
    for (int seed = 0; seed < 8; seed++) {
        sn_world *world = ground(-9.81);
        sn_rigid_def def = box_def(0.3, 0.2, 0.1);
        def.position = vec(0, 1.5, 0);
        def.angular_velocity = vec(3 * sin(seed), 4 * cos(2 * seed), 5 * sin(3 * seed + 1));
        def.velocity = vec(seed % 3, 0, 0);
        const sn_body box = add(world, &def);
        run(world, 5);
        const double y = (double)place_of(world, box).y;
        const double off = fmin(fabs(y - 0.1), fmin(fabs(y - 0.2), fabs(y - 0.3)));
        CHECK_NEAR(off, 0, 1e-3);
        CHECK(sn_length(velocity_of(world, box)) < R(0.01));
        const sn_energy_balance e = sn_world_energy_balance(world);
        CHECK(e.rise <= 1e-3 * e.scale);
        sn_world_destroy(world);
    }
}

TEST(a_capsule_at_300_metres_a_second_does_not_pass_a_thin_plate) {
    for (int k = 0; k < 2; k++) {
        sn_world *world = world_with(0);
        sn_rigid_def plate = box_def(0.5, 0.005, 0.5), def = box_def(0, 0, 0);
        plate.dynamic = k > 0, plate.mass = 100;
        const sn_body target = add(world, &plate);
        def.geometry = SN_GEOMETRY_PILL, def.radii[0] = def.radii[1] = R(0.02), def.ends[1] = vec(0.1, 0.05, 0);
        def.position = vec(0.03, 1.7, 0.02), def.velocity = vec(0, -300, 0);
        const sn_body capsule = add(world, &def);
        run(world, 0.2);
        const double above = (double)place_of(world, capsule).y - (k > 0 ? (double)place_of(world, target).y : 0);
        CHECK(above > 0);
        sn_world_destroy(world);
    }
}

TEST(a_rope_holds_a_box_of_a_hundred_times_its_mass) {
    sn_world *world = world_with(-9.81);
    CHECK_INT(sn_world_set_energy_check(world, true), SN_OK);
    sn_vec3 points[MOST_POINTS];
    line(points, 21, vec(0, 0, 0), vec(0, -1, 0));
    sn_rod_def rod = sn_rod_def_default();
    rod.points = points, rod.point_count = 21, rod.radius = R(0.01), rod.material = stuff(1e8, 1000);
    rod.clamp_first = true;
    sn_body rope;
    CHECK_INT(sn_rod_create(world, &rod, &rope), SN_OK);
    const double mass = PI * 1e-4 * 1000;
    sn_rigid_def def = box_def(0.1, 0.1, 0.1);
    def.mass = R(100 * mass), def.position = vec(0, -1.1, 0);
    const sn_body box = add(world, &def);
    sn_joint_def joint = sn_joint_def_default();
    sn_joint id;
    joint.body_a = rope, joint.segment_a = 20, joint.along_a = 1, joint.body_b = box, joint.position = vec(0, -1, 0);
    CHECK_INT(sn_joint_create(world, &joint, &id), SN_OK);
    run(world, 5);
    const double stretch = (100.5 * mass) * 9.81 / (PI * 1e-4 * 1e8);
    CHECK_NEAR(tip_of(world, rope).y, -(1 + stretch), 1e-3);
    CHECK_NEAR(place_of(world, box).y, -(1.1 + stretch), 1e-3);
    CHECK_REL(sn_joint_force(world, id), 100 * mass * 9.81, 0.01);
    sn_world_destroy(world);
}

TEST(a_chain_of_boxes_on_joints_keeps_its_length) {
    enum { LINKS = 50 };
    sn_world *world = world_with(-9.81);
    CHECK_INT(sn_world_set_energy_check(world, true), SN_OK);
    sn_body before = {0}, box = {0};
    for (int i = 0; i < LINKS; i++) {
        sn_rigid_def def = box_def(0.1, 0.02, 0.02);
        def.position = vec(0.1 + 0.2 * i, 0, 0);
        if (i == LINKS - 1) def.mass = R(1000 * 0.32 * (LINKS - 1));
        box = add(world, &def);
        sn_joint_def joint = sn_joint_def_default();
        sn_joint id;
        joint.body_a = box, joint.body_b = before, joint.position = vec(0.2 * i, 0, 0);
        CHECK_INT(sn_joint_create(world, &joint, &id), SN_OK);
        before = box;
    }
    run(world, 5);
    double far = 0;
    for (int i = 0; i < 300; i++) {
        run(world, 1.0 / 60);
        far = fmax(far, (double)sn_length(place_of(world, box)));
    }
    CHECK_NEAR(far, 0.2 * LINKS - 0.1, 0.01 * 0.2 * LINKS);
    const sn_energy_balance e = sn_world_energy_balance(world);
    CHECK(e.rise <= 1e-3 * e.scale);
    sn_world_destroy(world);
}

TEST(a_box_lands_on_cloth) {
    sn_world *world = world_with(-9.81);
    sn_spring_cloth cloth = sn_spring_cloth_default();
    sn_spring_net net;
    cloth.corner = vec(-0.5, 0, -0.5), cloth.columns = cloth.rows = 15;
    CHECK_INT(sn_springs_make_cloth(&cloth, NULL, &net), SN_OK);
    for (int i = 0; i < net.count; i++)
        if (fabs((double)net.points[i].x) > 0.49 || fabs((double)net.points[i].z) > 0.49) net.masses[i] = 0;
    sn_springs_def def = sn_springs_def_of(&net);
    sn_body id;
    CHECK_INT(sn_springs_create(world, &def, &id), SN_OK);
    sn_spring_net_free(&net);
    sn_rigid_def box = box_def(0.1, 0.1, 0.1);
    box.density = 100, box.position = vec(0.02, 0.4, 0.01);
    const sn_body on = add(world, &box);
    run(world, 2);
    const double y = (double)place_of(world, on).y;
    CHECK(y > -0.5 && y < 0.3);
    sn_world_destroy(world);
}

// A heap of boxes, balls and pills, with a hinge: the same for any number of workers and lanes.
static uint64_t heap_hash(int workers, int lanes) {
    sn_world_def settings = sn_world_def_default();
    settings.worker_count = workers, settings.lanes = lanes;
    sn_world *world = NULL;
    CHECK_INT(sn_world_create(&settings, &world), SN_OK);
    sn_rigid_def floor = sn_rigid_def_default();
    add(world, &floor);
    sn_body before = {0};
    for (int i = 0; i < 24; i++) {
        sn_rigid_def def = box_def(0.1, 0.05 + 0.01 * (i % 5), 0.08);
        if (i % 3 == 1) def.geometry = SN_GEOMETRY_SPHERE, def.radii[0] = R(0.08);
        if (i % 3 == 2)
            def.geometry = SN_GEOMETRY_PILL, def.ends[1] = vec(0.2, 0, 0), def.radii[0] = def.radii[1] = R(0.05);
        def.position = vec(0.13 * (i % 3), 0.2 + 0.12 * i, 0.07 * (i % 2)), def.angular_velocity = vec(i % 4, 1, i % 3);
        const sn_body body = add(world, &def);
        sn_joint_def joint = sn_joint_def_default();
        sn_joint id;
        joint.kind = SN_JOINT_DIRECTION, joint.axis = vec(0, 0, 1), joint.position = def.position;
        joint.body_a = body, joint.body_b = before;
        if (i % 6 == 5) CHECK_INT(sn_joint_create(world, &joint, &id), SN_OK);
        before = body;
    }
    run(world, 1.5);
    const uint64_t hash = sn_world_hash(world);
    sn_world_destroy(world);
    return hash;
}

TEST(a_heap_is_the_same_for_any_workers_and_lanes) {
    const uint64_t first = heap_hash(1, 1);
    int widths[4];
    const int count = lane_widths(widths);
    for (int k = 0; k < count; k++) CHECK(heap_hash(1 + k % 3, widths[k]) == first);
}

// Crossed rods that are held at both ends catch a box, and no energy is made.
TEST(a_net_of_rods_catches_a_box) {
    sn_world *world = world_with(-9.81);
    CHECK_INT(sn_world_set_energy_check(world, true), SN_OK);
    for (int i = 0; i < 2 * 7; i++) {
        sn_vec3 points[MOST_POINTS];
        const double at = -0.3 + 0.1 * (i / 2), y = i % 2 ? 0.021 : 0;
        line(points, 13, i % 2 ? vec(-0.5, y, at) : vec(at, y, -0.5), i % 2 ? vec(0.5, y, at) : vec(at, y, 0.5));
        sn_rod_def rod = sn_rod_def_default();
        rod.points = points, rod.point_count = 13, rod.radius = R(0.01), rod.material = stuff(1e7, 1000);
        sn_joint_def joint = sn_joint_def_default();
        sn_joint id;
        rod.clamp_first = true;
        CHECK_INT(sn_rod_create(world, &rod, &joint.body_a), SN_OK);
        joint.segment_a = 12, joint.along_a = 1, joint.position = points[12];
        CHECK_INT(sn_joint_create(world, &joint, &id), SN_OK);
    }
    sn_rigid_def def = box_def(0.12, 0.12, 0.12);
    def.density = 300, def.position = vec(0.01, 0.3, 0.02), def.angular_velocity = vec(0.5, 0, 1);
    const sn_body box = add(world, &def);
    run(world, 2);
    const double y = (double)place_of(world, box).y;
    CHECK(y > -0.15 && y < 0.2);
    const sn_energy_balance e = sn_world_energy_balance(world);
    CHECK(e.rise <= 1e-3 * e.scale);
    sn_world_destroy(world);
}

// A sleeping box has no mass to others until it wakes: it must be awake when it is struck, and what stands behind it too.
TEST(a_ball_strikes_sleeping_boxes_as_it_does_others) {
    double speed[2];
    for (int sleeps = 0; sleeps < 2; sleeps++) {
        sn_world *world = ground(-9.81);
        sn_world_set_sleeping(world, sleeps);
        sn_body box[2];
        for (int i = 0; i < 2; i++) {
            sn_rigid_def def = box_def(0.1, 0.1, 0.1);
            def.position = vec(0.2 * i, 0.1, 0), def.mass = 1;
            box[i] = add(world, &def);
        }
        run(world, 1.5);
        CHECK_INT(sn_body_asleep(world, box[0]), sleeps);
        sn_rigid_def ball = sn_rigid_def_default();
        ball.dynamic = true, ball.geometry = SN_GEOMETRY_SPHERE, ball.radii[0] = R(0.1), ball.mass = 10;
        ball.position = vec(-0.6, 0.12, 0), ball.velocity = vec(5, 0, 0);
        const sn_body striker = add(world, &ball);
        run(world, 0.2);
        speed[sleeps] = (double)velocity_of(world, striker).x;
        CHECK(velocity_of(world, box[1]).x > 3);
        sn_world_destroy(world);
    }
    CHECK(speed[0] > 3 && speed[0] < 5.0 * 10 / 12); // the ground brakes all three
    CHECK_NEAR(speed[1], speed[0], 0.05);
}
