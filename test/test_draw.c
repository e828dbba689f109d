// Debug drawing fills buffers with what is there; histories give what lies between two steps; user pointers stay.
#include "all_kinds.h"
#include "geometry/pill.h"
#include "sinew/draw.h"

static const sn_real dt = R(1.0 / 60);

static sn_body add_rigid(sn_world *world, sn_rigid_def def) {
    sn_body body = {0};
    CHECK_INT(sn_rigid_create(world, &def, &body), SN_OK);
    return body;
}

static sn_rigid_def a_ball(void) {
    sn_rigid_def def = sn_rigid_def_default();
    def.geometry = SN_GEOMETRY_SPHERE, def.radii[0] = R(0.1), def.dynamic = true;
    return def;
}

enum { MOST = 1 << 17 };
static sn_draw_vertex triangles[MOST], strokes[MOST];

static sn_draw_buffers all_buffers(void) {
    return (sn_draw_buffers){triangles, MOST, 0, strokes, MOST, 0, 12};
}

static sn_vec3 place(const sn_draw_vertex *v) {
    return (sn_vec3){R(v->position[0]), R(v->position[1]), R(v->position[2])};
}

// Every vertex of a pill is on its surface with its normal, triangles turn outwards and close: the volume inside is nearly the pill's.
static void check_pill(sn_pill p) {
    sn_draw_buffers b = all_buffers();
    b.sides = 48;
    const sn_debug_draw draw = sn_draw_into(&b);
    draw.pill(draw.user, p.a, p.b, p.ra, p.rb, 0x12345678u);
    REQUIRE(b.triangle_count > 0 && b.triangle_count % 3 == 0 && b.triangle_count <= MOST && b.line_count == 0);
    double volume = 0;
    for (int i = 0; i < b.triangle_count; i++) {
        const sn_draw_vertex *v = &triangles[i];
        const sn_vec3 n = {R(v->normal[0]), R(v->normal[1]), R(v->normal[2])};
        CHECK_NEAR(sn_pill_distance(&p, place(v), NULL), 0, 1e-5);
        CHECK_NEAR(sn_length(n), 1, 1e-5);
        CHECK(sn_pill_distance(&p, sn_mul_add(place(v), R(0.01), n), NULL) > R(0.0099));
        CHECK(v->colour == 0x12345678u);
        if (i % 3 == 0) volume += (double)sn_dot(place(v), sn_cross(place(v + 1), place(v + 2))) / 6;
    }
    CHECK_NEAR(volume, sn_pill_volume(&p), 0.02 * (double)sn_pill_volume(&p));
}

TEST(pills_are_drawn_on_their_surface) {
    check_pill((sn_pill){{0, 0, 0}, {1, 0, 0}, R(0.2), R(0.2)});
    check_pill((sn_pill){{0, 1, 0}, {R(0.3), 2, R(-0.4)}, R(0.3), R(0.1)});
    check_pill((sn_pill){{0, 1, 0}, {0, 1, 0}, R(0.3), R(0.3)});
    check_pill((sn_pill){{0, 0, 0}, {0, 0, R(0.1)}, R(0.1), R(0.5)}); // one ball in the other
}

static int lines_of(uint32_t colour, int count) {
    int found = 0;
    for (int i = 0; i < count; i += 2) found += strokes[i].colour == colour;
    return found;
}

TEST(a_world_is_drawn_with_frames_contacts_and_joints) {
    all_kinds all;
    const sn_world_def def = sn_world_def_default();
    REQUIRE(all_kinds_begin(&all, &def));
    sn_rigid_def ball = a_ball();
    ball.position = (sn_vec3){5, R(0.1), 0};
    add_rigid(all.world, ball);
    for (int i = 0; i < 90; i++) CHECK_INT(sn_world_step(all.world, dt, 0), SN_OK);
    sn_snapshot *s = NULL;
    REQUIRE(sn_snapshot_create(all.world, &s) == SN_OK);
    sn_draw_buffers b = all_buffers();
    sn_debug_draw draw = sn_draw_into(&b);
    sn_snapshot_draw(s, &draw);
    CHECK(b.triangle_count > 3 * sn_snapshot_element_count(s) && b.triangle_count <= MOST && b.line_count == 0);
    bool moves = false, fixed = false;
    for (int i = 0; i < b.triangle_count; i++) {
        moves = moves || triangles[i].colour == SN_COLOUR_MOVES,
        fixed = fixed || triangles[i].colour == SN_COLOUR_FIXED;
        CHECK(isfinite(triangles[i].position[0]) && isfinite(triangles[i].normal[0]));
    }
    CHECK(moves && fixed);
    const int before = b.triangle_count;
    sn_world_draw(all.world, &draw);
    CHECK_INT(b.triangle_count, before);
    CHECK_INT(lines_of(SN_COLOUR_JOINT, b.line_count), 1);
    CHECK_INT(lines_of(SN_COLOUR_CONTACT, b.line_count), sn_world_get_contacts(all.world, NULL, 0));
    CHECK_INT(lines_of(0xE0453AFFu, b.line_count), 6 + ALL_FIBRES * (ALL_FIBRE_POINTS - 1) + 2);
    for (int i = 0; i < b.line_count; i += 2) // the joint holds: its two points are one
        if (strokes[i].colour == SN_COLOUR_JOINT) CHECK(distance(place(&strokes[i]), place(&strokes[i + 1])) < 1e-3);
    // Too small buffers are not written past their end, and tell what they lack.
    sn_draw_buffers small = {triangles, 10, 0, strokes, 1, 0, 12};
    triangles[10].colour = strokes[1].colour = 1;
    draw = sn_draw_into(&small);
    sn_snapshot_draw(s, &draw), sn_world_draw(all.world, &draw);
    CHECK(triangles[10].colour == 1 && strokes[1].colour == 1);
    CHECK(small.triangle_count == b.triangle_count && small.line_count == b.line_count);
    draw.what = 0, small.line_count = 0;
    sn_world_draw(all.world, &draw);
    CHECK_INT(small.line_count, 0);
    sn_snapshot_destroy(s);
    all_kinds_end(&all);
}

TEST(sleepers_have_their_colour) {
    const sn_world_def def = sn_world_def_default();
    sn_world *world = make_world(&def);
    REQUIRE(world);
    sn_rigid_def ball = a_ball();
    ball.position.y = R(0.1);
    add_rigid(world, ball), add_rigid(world, sn_rigid_def_default());
    sn_snapshot *s = NULL;
    REQUIRE(sn_snapshot_create(world, &s) == SN_OK);
    for (int i = 0; i < 2; i++) {
        sn_draw_buffers b = all_buffers();
        const sn_debug_draw draw = sn_draw_into(&b);
        sn_snapshot_draw(s, &draw);
        CHECK(triangles[0].colour == (i ? SN_COLOUR_SLEEPS : SN_COLOUR_MOVES));
        for (int k = 0; k < 120; k++) CHECK_INT(sn_world_step(world, dt, 0), SN_OK);
        CHECK_INT(sn_snapshot_update(s, world), SN_OK);
    }
    sn_snapshot_destroy(s);
    sn_world_destroy(world);
}

TEST(a_history_lies_between_two_steps) {
    const sn_world_def def = sn_world_def_default();
    sn_world *world = make_world(&def);
    REQUIRE(world);
    sn_rigid_def hand_def = a_ball();
    hand_def.dynamic = false;
    const sn_body hand = add_rigid(world, hand_def);
    sn_vec3 points[6], now[6], between[6];
    const sn_rod_def rod = chain_def(points, 6);
    sn_body id;
    CHECK_INT(sn_rod_create(world, &rod, &id), SN_OK);
    sn_history *h = NULL;
    REQUIRE(sn_history_create(world, &h) == SN_OK);
    CHECK_INT(sn_rigid_move(world, hand, (sn_vec3){1, 0, 2}, turn_about(0, 1, 0, 1)), SN_OK);
    CHECK_INT(sn_world_step(world, dt, 0), SN_OK);
    CHECK_INT(sn_history_record(h, world), SN_OK);
    sn_vec3 at;
    sn_quat turn;
    CHECK_INT(sn_history_get_pose(h, hand, R(0.25), &at, &turn), SN_OK);
    CHECK_NEAR(at.x, 0.25, 1e-6), CHECK_NEAR(at.z, 0.5, 1e-6);
    CHECK_NEAR(turn.y, sin(0.125), 1e-6), CHECK_NEAR(turn.w, cos(0.125), 1e-6);
    CHECK_INT(sn_history_get_pose(h, hand, 1, &at, &turn), SN_OK);
    CHECK_NEAR(turn.y, sin(0.5), 1e-6);
    CHECK_INT(sn_body_get_points(world, id, now, 6), 6);
    CHECK_INT(sn_history_get_points(h, id, R(0.5), between, 6), 6);
    CHECK_NEAR(between[3].y, 0.5 * (double)now[3].y, 1e-7);
    CHECK_INT(sn_history_get_pose(h, id, 1, &at, &turn), SN_ERR_KIND);
    // Put elsewhere: without a cut it would fly there.
    for (int k = 0; k < 6; k++) points[k] = (sn_vec3){now[k].x, now[k].y + 5, now[k].z};
    for (int cut = 0; cut < 2; cut++) {
        if (cut) CHECK_INT(sn_history_cut(h, hand), SN_OK);
        CHECK_INT(sn_rigid_move(world, hand, (sn_vec3){R(10 + 10 * cut), 0, 0}, (sn_quat){0, 0, 0, 1}), SN_OK);
        CHECK_INT(sn_world_step(world, dt, 0), SN_OK);
        CHECK_INT(sn_history_record(h, world), SN_OK);
        CHECK_INT(sn_history_get_pose(h, hand, 0, &at, &turn), SN_OK);
        CHECK_NEAR(at.x, cut ? 20 : 1, 1e-5);
    }
    CHECK_INT(sn_body_destroy(world, id), SN_OK);
    CHECK_INT(sn_history_record(h, world), SN_OK);
    CHECK_INT(sn_history_get_points(h, id, 0, NULL, 0), 0);
    CHECK_INT(sn_history_cut(h, id), SN_ERR_STALE_ID);
    sn_world_destroy(world);
    CHECK_INT(sn_history_get_pose(h, hand, 0, &at, &turn), SN_OK);
    sn_history_destroy(h), sn_history_destroy(NULL);
}

TEST(everything_has_a_user_pointer) {
    all_kinds all;
    int mine[4];
    const sn_world_def def = sn_world_def_default();
    REQUIRE(all_kinds_begin(&all, &def));
    CHECK(!sn_world_user(all.world) && !sn_joint_user(all.world, all.joint) && !sn_bundle_user(all.world, all.bundle));
    CHECK_INT(sn_world_set_user(all.world, &mine[0]), SN_OK);
    CHECK_INT(sn_joint_set_user(all.world, all.joint, &mine[1]), SN_OK);
    CHECK_INT(sn_bundle_set_user(all.world, all.bundle, &mine[2]), SN_OK);
    CHECK_INT(sn_body_set_user(all.world, all.rod, &mine[3]), SN_OK);
    CHECK_INT(sn_world_step(all.world, dt, 0), SN_OK);
    CHECK(sn_world_user(all.world) == &mine[0] && sn_joint_user(all.world, all.joint) == &mine[1]);
    CHECK(sn_bundle_user(all.world, all.bundle) == &mine[2] && sn_body_user(all.world, all.rod) == &mine[3]);
    CHECK_INT(sn_joint_destroy(all.world, all.joint), SN_OK);
    CHECK(!sn_joint_user(all.world, all.joint));
    CHECK_INT(sn_joint_set_user(all.world, all.joint, NULL), SN_ERR_STALE_ID);
    all_kinds_end(&all);
}
