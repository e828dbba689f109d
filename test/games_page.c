// Calls the functions of docs/games.md; test/docs_games.sh compiles both.
#include "page.h"
#include <stdio.h>

static int failures;

static void expect(bool good, const char *what) {
    if (good) return;
    printf("FAILED: %s\n", what);
    failures++;
}

static sn_body add_ball(sn_world *world, sn_vec3 at, uint32_t group) {
    sn_rigid_def def = sn_rigid_def_default();
    def.geometry = SN_GEOMETRY_SPHERE, def.radii[0] = (sn_real)0.5, def.position = at;
    def.surface.group = group, def.dynamic = true;
    sn_body body;
    expect(sn_rigid_create(world, &def, &body) == SN_OK, "a ball");
    return body;
}

static void try_queries(sn_world *world) {
    const sn_body ball = add_ball(world, (sn_vec3){0, 1, 0}, 2);
    sn_snapshot *snapshot;
    expect(sn_snapshot_create(world, &snapshot) == SN_OK, "a snapshot");
    sn_joint_def hold;
    sn_joint joint;
    expect(pick(snapshot, (sn_vec3){-5, 1, 0}, (sn_vec3){1, 0, 0}, &hold), "the ray hits");
    expect(hold.body_a.slot1 == ball.slot1 && hold.position.x > (sn_real)-0.51, "the ball, at its near side");
    expect(sn_joint_create(world, &hold, &joint) == SN_OK, "the ball can be held there");
    expect(!pick(snapshot, (sn_vec3){-5, 3, 0}, (sn_vec3){1, 0, 0}, &hold), "a ray above hits nothing");
    const sn_body none = {0, 0, 0};
    const sn_vec3 feet = {-5, 0, 0}, forward = {5, 0, 0};
    expect(!can_walk(snapshot, none, feet, forward, 2), "the ball is in the way");
    expect(can_walk(snapshot, none, feet, forward, 1) && can_walk(snapshot, ball, feet, forward, 2), "filters");
    sn_snapshot_destroy(snapshot);
}

// A ball falls onto the ground and is heard once.
static void try_events(void) {
    const sn_world_def def = sn_world_def_default();
    sn_world *world;
    expect(sn_world_create(&def, &world) == SN_OK, "a world");
    const sn_rigid_def ground = sn_rigid_def_default();
    sn_body id;
    expect(sn_rigid_create(world, &ground, &id) == SN_OK, "a ground");
    add_ball(world, (sn_vec3){0, 1, 0}, 2);
    expect(sn_world_set_contact_events(world, 2, 1, NULL, NULL) == SN_OK, "events");
    int heard = 0;
    for (int i = 0; i < 60; i++) {
        sn_vec3 where = {0, 0, 0};
        expect(sn_world_step(world, (sn_real)(1.0 / 60), 0) == SN_OK, "a step");
        const sn_real blow = loudest(world, &where);
        heard += blow > 0;
        expect(blow <= 0 || (blow > 500 && where.y < (sn_real)0.1), "where and how hard");
    }
    expect(heard == 1, "once");
    sn_world_destroy(world);
}

// A kinematic ball bears a dynamic one.
static void try_push(sn_world *world) {
    sn_rigid_def def = sn_rigid_def_default();
    def.geometry = SN_GEOMETRY_BOX, def.half = (sn_vec3){2, (sn_real)0.1, 2}, def.position.y = (sn_real)-0.1;
    sn_body tray;
    expect(sn_rigid_create(world, &def, &tray) == SN_OK, "a tray");
    const sn_body ball = add_ball(world, (sn_vec3){1, (sn_real)0.5, 0}, 1);
    sn_vec3 impulse = {0, 0, 0}, angular = {0, 0, 0};
    const sn_quat turn = {0, 0, 0, 1};
    for (int i = 0; i < 60; i++)
        expect(push(world, tray, def.position, turn, (sn_real)(1.0 / 60), &impulse, &angular) == SN_OK, "pushed");
    const double weight = 9.81 / 60 * sn_body_mass(world, ball);
    expect((double)impulse.y < -0.99 * weight && (double)impulse.y > -1.01 * weight, "the weight");
    expect((double)angular.z < -0.99 * weight && (double)angular.z > -1.01 * weight, "and its torque");
}

static void try_drawing(sn_world *world) {
    const sn_body ball = add_ball(world, (sn_vec3){0, 5, 0}, 1);
    sn_history *history;
    sn_snapshot *snapshot;
    expect(sn_history_create(world, &history) == SN_OK, "a history");
    double left = 0;
    sn_vec3 before, between;
    sn_body_get_points(world, ball, &before, 1);
    expect(advance(world, history, 0.025, &left) == SN_OK && sn_world_step_count(world) == 1, "one step is due");
    expect(points_to_draw(history, ball, left, &between, 1) == 1, "a point");
    sn_vec3 now;
    sn_body_get_points(world, ball, &now, 1);
    expect(between.y < before.y && between.y > now.y, "on its way");
    expect(sn_snapshot_create(world, &snapshot) == SN_OK, "a snapshot");
    static sn_draw_vertex vertices[2][4096];
    sn_draw_buffers buffers = {vertices[0], 4096, 0, vertices[1], 4096, 0, 8};
    expect(draw_all(world, snapshot, &buffers) && buffers.triangle_count > 0 && buffers.line_count > 0, "drawn");
    buffers.triangle_capacity = 3;
    expect(!draw_all(world, snapshot, &buffers), "too small");
    sn_snapshot_destroy(snapshot), sn_history_destroy(history);
}

int main(void) {
    const sn_world_def def = sn_world_def_default();
    sn_world *world;
    expect(sn_world_create(&def, &world) == SN_OK, "a world");
    try_queries(world);
    sn_world_destroy(world);
    try_events();
    expect(sn_world_create(&def, &world) == SN_OK, "a world");
    try_push(world);
    sn_world_destroy(world);
    expect(sn_world_create(&def, &world) == SN_OK, "a world");
    try_drawing(world);
    sn_world_destroy(world);
    return failures > 0;
}
