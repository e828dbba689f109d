// Drops a baked elastic body on a plane: load_elastic BODY.elastic. libsinew alone; bake one with
// `sinew elastic MESH -o BODY.elastic`.
#include <sinew/sinew.h>
#include <stdio.h>
#include <stdlib.h>

static void print_line(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    (void)level, (void)code;
    fprintf(stderr, "%s: %s: %s\n", (const char *)user, field, text);
}

// The library opens no files: the program reads them.
static unsigned char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    const long length = ftell(file);
    rewind(file);
    unsigned char *bytes = length > 0 ? malloc((size_t)length) : NULL;
    *size = bytes ? fread(bytes, 1, (size_t)length, file) : 0;
    fclose(file);
    return bytes;
}

int main(int argc, char **argv) {
    size_t size = 0;
    unsigned char *bytes = argc > 1 ? read_file(argv[1], &size) : NULL;
    if (!bytes) {
        fprintf(stderr, "load_elastic: cannot read %s\n", argc > 1 ? argv[1] : "a file: none is given");
        return 2;
    }
    sn_elastic_model_def model_def = sn_elastic_model_def_default();
    model_def.log = print_line;
    model_def.log_user = argv[1];
    sn_elastic_model *model;
    const sn_status status = sn_elastic_model_load(&model_def, bytes, size, &model);
    free(bytes);
    if (status != SN_OK) return 1;

    sn_world_def world_def = sn_world_def_default();
    sn_world *world;
    if (sn_world_create(&world_def, &world) != SN_OK) return 1;
    sn_rigid_def floor_def = sn_rigid_def_default();
    floor_def.geometry = SN_GEOMETRY_PLANE; // y = 0
    sn_body floor, body;
    if (sn_rigid_create(world, &floor_def, &floor) != SN_OK) return 1;
    sn_elastic_def def = sn_elastic_def_default(); // soft rubber
    def.model = model;
    def.position.y = (sn_real)0.5;
    if (sn_elastic_create(world, &def, &body) != SN_OK) return 1;

    const double volume = sn_body_rest_volume(world, body);
    for (int i = 0; i < 120; i++)
        if (sn_world_step(world, (sn_real)(1.0 / 60), 1) != SN_OK) return 1;
    const double low = (double)sn_body_bounds(world, body).min.y, kept = sn_body_volume(world, body) / volume;
    printf("the body lies at %.3f m with %.3f of its volume\n", low, kept);
    sn_world_destroy(world);
    sn_elastic_model_destroy(model);
    return low > -0.01 && low < 0.1 && kept > 0.9 && kept < 1.1 ? 0 : 1;
}
