// The functions of docs/engines.md do what the page says.
#include "page.h"
#include <math.h>
#include <stdio.h>

static double apart(sn_vec3 a, sn_vec3 b) {
    return fabs((double)(a.x - b.x)) + fabs((double)(a.y - b.y)) + fabs((double)(a.z - b.z));
}

#define CHECK(condition)                                                                                               \
    if (!(condition)) return printf("line %d: %s\n", __LINE__, #condition), 1

int main(void) {
    // Rotating there is rotating here: in a mirrored system by the mirrored quaternion.
    const sn_vec3 axis = {1, 2, -3}, p = {(sn_real)0.3, -1, 2};
    const sn_quat q = sn_quat_about(axis, (sn_real)1.1);
    const sn_vec3 there = sn_quat_rotate(q, p);
    CHECK(apart(sn_quat_rotate(rotation_to_unity(q), to_unity(p)), to_unity(there)) < 1e-5);
    CHECK(apart(sn_quat_rotate(rotation_to_unreal(q), to_unreal(p)), to_unreal(there)) < 1e-3);

    game_world game;
    CHECK(game_world_open(&game));
    const sn_vec3 points[3] = {{0, 1, 0}, {(sn_real)0.1, 1, 0}, {(sn_real)0.2, 1, 0}};
    sn_rod_def def = sn_rod_def_default();
    def.points = points, def.point_count = 3;
    sn_body rod;
    CHECK(sn_rod_create(game.world, &def, &rod) == SN_OK);
    sn_history_record(game.history, game.world);
    sn_real between = 0;
    for (int frame = 0; frame < 70; frame++)
        between = game_world_advance(&game, 1.0 / 144); // 0.486 s: 29 steps and a bit
    CHECK(fabs(sn_world_time(game.world) - 29.0 / 60) < 1e-5 && between > 0 && between < 1);
    sn_vec3 now[3], drawn[3];
    CHECK(sn_body_get_points(game.world, rod, now, 3) == 3);
    CHECK(sn_history_get_points(game.history, rod, between, drawn, 3) == 3);
    CHECK(drawn[0].y >= now[0].y && drawn[0].y < now[0].y + (sn_real)0.1); // it falls: the picture is a little behind
    CHECK(game_world_advance(&game, 100) >= 0 && sn_world_time(game.world) < 0.8); // no catching up

    // A skin in a buffer with other things in between: a vertex on each point of the rod, up as its normal.
    const sn_vec3 up[3] = {{0, 1, 0}, {0, 1, 0}, {0, 1, 0}};
    const uint16_t handles[12] = {0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0};
    const float weights[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    sn_skin_def skin_def = sn_skin_def_default();
    skin_def.positions = points, skin_def.normals = up, skin_def.vertex_count = 3;
    skin_def.handles = handles, skin_def.weights = weights, skin_def.handle_count = 3;
    sn_skin *skin;
    sn_skin_instance *instance;
    CHECK(sn_skin_create(&skin_def, &skin) == SN_OK && sn_skin_instance_create(skin, &instance) == SN_OK);
    CHECK(sn_skin_instance_bind(instance, game.world, &rod, 1, NULL) == SN_OK);
    struct {
        sn_vec3 position, normal;
        float uv[2];
    } buffer[3] = {{{0, 0, 0}, {0, 0, 0}, {5, 6}}};
    game_skin_write(&game, instance, &buffer[0].position, &buffer[0].normal, sizeof buffer[0]);
    sn_body_get_points(game.world, rod, now, 3);
    for (int i = 0; i < 3; i++)
        CHECK(apart(buffer[i].position, now[i]) < 1e-4 && fabs((double)buffer[i].normal.y - 1) < 1e-2);
    CHECK(buffer[0].uv[0] == 5 && buffer[0].uv[1] == 6);
    sn_skin_instance_destroy(instance);
    CHECK(sn_skin_destroy(skin) == SN_OK);
    game_world_close(&game);
    return 0;
}
