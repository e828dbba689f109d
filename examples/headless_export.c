// A simulation without a window: cloth falls over a ball, and every tenth frame is written as an .obj that any 3D
// program opens. Usage: headless_export [FOLDER]; without a folder it writes none, and tells how the cloth lies.
#include <sinew/sinew.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 24, FRAMES = 90 };

static bool write_obj(const char *folder, int frame, const sn_vec3 *points, int count, const int32_t *triangles,
                      int triangle_count) {
    char name[512];
    snprintf(name, sizeof name, "%s/cloth-%03d.obj", folder, frame);
    FILE *file = fopen(name, "w");
    if (!file) return false;
    for (int i = 0; i < count; i++)
        fprintf(file, "v %.5f %.5f %.5f\n", (double)points[i].x, (double)points[i].y, (double)points[i].z);
    for (int i = 0; i < triangle_count; i++) {
        const int32_t *t = triangles + 3 * i;
        fprintf(file, "f %d %d %d\n", (int)t[0] + 1, (int)t[1] + 1, (int)t[2] + 1);
    }
    return fclose(file) == 0;
}

int main(int argc, char **argv) {
    sn_world_def world_def = sn_world_def_default();
    world_def.worker_count = 2;
    sn_world *world;
    if (sn_world_create(&world_def, &world) != SN_OK) return 1;

    sn_rigid_def ball_def = sn_rigid_def_default();
    ball_def.geometry = SN_GEOMETRY_SPHERE;
    ball_def.radii[0] = (sn_real)0.25;
    sn_body ball;
    if (sn_rigid_create(world, &ball_def, &ball) != SN_OK) return 1;

    sn_spring_cloth cloth = sn_spring_cloth_default();
    cloth.corner = (sn_vec3){(sn_real)-0.5, (sn_real)0.3, (sn_real)-0.5};
    cloth.columns = cloth.rows = SIDE;
    sn_spring_net net;
    if (sn_springs_make_cloth(&cloth, NULL, &net) != SN_OK) return 1;
    sn_springs_def def = sn_springs_def_of(&net);
    sn_body towel;
    if (sn_springs_create(world, &def, &towel) != SN_OK) return 1;
    sn_spring_net_free(&net);

    const int count = sn_body_point_count(world, towel), faces = sn_springs_triangle_count(world, towel);
    sn_vec3 *points = calloc((size_t)count, sizeof *points);
    int32_t *triangles = calloc(3 * (size_t)faces, sizeof *triangles);
    if (!points || !triangles) return 1;
    sn_springs_get_triangles(world, towel, triangles, faces);
    for (int frame = 0; frame <= FRAMES; frame++) {
        sn_body_get_points(world, towel, points, count);
        if (argc > 1 && frame % 10 == 0 && !write_obj(argv[1], frame, points, count, triangles, faces)) {
            fprintf(stderr, "headless_export: cannot write into '%s'\n", argv[1]);
            return 1;
        }
        if (sn_world_step(world, (sn_real)(1.0 / 60), 0) != SN_OK) return 1;
    }
    // It lies over the ball: its middle on top, its corners below, nothing inside.
    double low = 1, high = -1, nearest = 1;
    for (int i = 0; i < count; i++) {
        double x = (double)points[i].x, y = (double)points[i].y, z = (double)points[i].z, r2 = x * x + y * y + z * z;
        low = y < low ? y : low, high = y > high ? y : high, nearest = r2 < nearest ? r2 : nearest;
    }
    printf("cloth from %.3f to %.3f m high\n", low, high);
    free(points);
    free(triangles);
    sn_world_destroy(world);
    return high > 0.24 && high < 0.3 && low < 0 && nearest > 0.24 * 0.24 ? 0 : 1;
}
