// Runs a scene and exports it: scene_to_glb SCENE.json OUT.glb [SECONDS]. Needs libsinew-tools (sinew::tools).
#include <sinew/tools/tools.h>
#include <stdio.h>
#include <stdlib.h>

static void print_line(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    (void)user, (void)level, (void)code, (void)field;
    fprintf(stderr, "%s\n", text);
}

// The lowest point of all bodies, m.
static double find_lowest(const sn_world *world) {
    double lowest = 1e30;
    for (int i = 0; i < sn_world_body_count(world); i++) {
        const sn_body body = sn_world_body_at(world, i);
        const int count = sn_body_point_count(world, body);
        sn_vec3 *points = malloc((size_t)count * sizeof *points + 1);
        if (!points) return -1e30;
        sn_body_get_points(world, body, points, count);
        for (int k = 0; k < count; k++) lowest = (double)points[k].y < lowest ? (double)points[k].y : lowest;
        free(points);
    }
    return lowest;
}

static sn_status run(sn_scene *scene, const char *output, double seconds, sn_error *error) {
    sn_world *world = NULL;
    sn_capture *capture = NULL;
    sn_status status = sn_scene_build(scene, NULL, &world, error);
    if (status == SN_OK) status = sn_capture_create(scene, NULL, &capture, error);
    if (status == SN_OK) status = sn_capture_add_file(capture, output, error);
    if (status == SN_OK) status = sn_capture_frame(capture, world, error);
    while (status == SN_OK && sn_world_time(world) < seconds - 1e-6) {
        status = sn_scene_step(scene, world, error);
        if (status == SN_OK) status = sn_capture_frame(capture, world, error);
    }
    if (status == SN_OK) status = sn_capture_finish(capture, world, error);
    if (status == SN_OK)
        printf("%d bodies, the lowest point is %.3f m high\n", sn_world_body_count(world), find_lowest(world));
    sn_capture_destroy(capture);
    sn_world_destroy(world);
    return status;
}

int main(int argc, char **argv) {
    sn_error error;
    sn_scene *scene = NULL;
    if (argc < 3) return fprintf(stderr, "usage: scene_to_glb SCENE.json OUT.glb [SECONDS]\n"), 2;
    sn_status status = sn_scene_load(argv[1], print_line, NULL, &scene, &error);
    if (status == SN_OK) status = run(scene, argv[2], argc > 3 ? atof(argv[3]) : sn_scene_duration(scene), &error);
    if (status != SN_OK) fprintf(stderr, "scene_to_glb: %s\n", error.text);
    sn_scene_destroy(scene);
    return status == SN_OK ? 0 : 1;
}
