// The world of consumer.ts, by the native library: prints its hash, to be compared.
#include <inttypes.h>
#include <sinew/sinew.h>
#include <stdio.h>

int main(void) {
    sn_world *world;
    sn_world_def world_def = sn_world_def_default();
    if (sn_world_create(&world_def, &world) != SN_OK) return 1;
    sn_rigid_def ground = sn_rigid_def_default();
    sn_body body;
    if (sn_rigid_create(world, &ground, &body) != SN_OK) return 1;
    for (int k = 0; k < 4; k++) {
        sn_vec3 points[9];
        for (int i = 0; i < 9; i++) points[i] = (sn_vec3){i / 32.0f, 0.125f + 0.0625f * k, 0.015625f * i * (k % 2)};
        sn_rod_def rod = sn_rod_def_default();
        rod.points = points, rod.point_count = 9, rod.radius = 0.015625f;
        if (sn_rod_create(world, &rod, &body) != SN_OK) return 1;
    }
    sn_spring_cloth cloth = sn_spring_cloth_default();
    cloth.columns = 6, cloth.rows = 5, cloth.corner = (sn_vec3){0, 0.5f, 0};
    sn_spring_net net;
    if (sn_springs_make_cloth(&cloth, NULL, &net) != SN_OK) return 1;
    sn_springs_def springs = sn_springs_def_of(&net);
    if (sn_springs_create(world, &springs, &body) != SN_OK) return 1;
    sn_spring_net_free(&net);
    sn_rigid_def box = sn_rigid_def_default();
    box.geometry = SN_GEOMETRY_BOX, box.half = (sn_vec3){0.0625f, 0.03125f, 0.0625f};
    box.position = (sn_vec3){0.125f, 0.75f, 0.0625f}, box.dynamic = true;
    if (sn_rigid_create(world, &box, &body) != SN_OK) return 1;
    for (int frame = 0; frame < 60; frame++)
        if (sn_world_step(world, 1.0f / 64, 0) != SN_OK) return 1;
    printf("%016" PRIx64 "\n", sn_world_hash(world));
    sn_world_destroy(world);
    return 0;
}
