// A rubber rod, clamped at one end, bends under its weight for a second; prints where its tip is.
#include <sinew/sinew.h>
#include <stdio.h>

// Mistakes in a definition come here, one line for each bad field.
static void print_line(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    (void)user, (void)level;
    fprintf(stderr, "sinew: %s: %s: %s\n", sn_status_name(code), field, text);
}

int main(void) {
    sn_world_def world_def = sn_world_def_default();
    world_def.log = print_line;
    sn_world *world;
    if (sn_world_create(&world_def, &world) != SN_OK) return 1;

    sn_vec3 points[11];
    for (int i = 0; i < 11; i++) points[i] = (sn_vec3){(sn_real)i * (sn_real)0.05, 1, 0};
    sn_rod_def rod_def = sn_rod_def_default();
    rod_def.points = points;
    rod_def.point_count = 11;
    rod_def.radius = (sn_real)0.02;
    rod_def.clamp_first = true;
    sn_body rod;
    if (sn_rod_create(world, &rod_def, &rod) != SN_OK) return 1;

    for (int frame = 0; frame < 60; frame++) {
        if (sn_world_step(world, (sn_real)(1.0 / 60), 4) != SN_OK) return 1;
    }
    sn_body_get_points(world, rod, points, 11);
    printf("tip %.4f %.4f %.4f\n", (double)points[10].x, (double)points[10].y, (double)points[10].z);
    sn_world_destroy(world);
    return 0;
}
