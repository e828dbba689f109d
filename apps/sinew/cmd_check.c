// sinew check: reads a scene, prints every error, and builds its world, since some errors only the engine finds.
#include "command.h"
#include "messages.h"
#include "options.h"
#include "scene/scene.h"
#include "scene/scene_kinds.h"
#include <inttypes.h>

static int print_schema(void) {
    json_t *schema = scene_schema();
    int failed = json_dumpf(schema, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    json_decref(schema);
    printf("\n");
    return failed ? fail(EXIT_RUN_FAILED, "cannot write the schema") : EXIT_DONE;
}

// "12 rods, 780 points": each kind that occurs.
static void print_counts(const sn_scene *scene) {
    for (int k = 0; scene_kinds[k]; k++) {
        const scene_kind *kind = scene_kinds[k];
        int count = 0;
        for (int i = 0; i < scene->spec.bodies.count; i++) {
            if (scene->bodies[i].kind == kind) count += scene->bodies[i].copies;
        }
        if (count) printf("%d %s, ", count, count == 1 ? kind->table->name : kind->many);
    }
    printf("%" PRId64 " points, %d material%s, %" PRId64 " steps of %.6g s\n", scene->point_count,
           scene->spec.materials.count, plural(scene->spec.materials.count),
           scene_step_count(scene, scene->spec.duration), scene->spec.step);
}

static int check(const char *file, bool quiet) {
    sn_scene *scene = scene_read(file, &disk_files);
    sn_world *world = NULL;
    int code = EXIT_DONE;
    if (!scene) return out_of_memory();
    sn_world_def def = sn_world_def_default();
    sn_status status = scene_build(scene, &def, &world);
    warnings_print(&scene->errors, stderr);
    if (scene->errors.count > 0) {
        errors_print(&scene->errors, stderr);
        code = EXIT_BAD_INPUT;
    } else if (status != SN_OK) {
        code = fail(EXIT_RUN_FAILED, "%s: cannot build the world: %s", file, sn_status_name(status));
    } else if (!quiet) {
        printf("%s: fine: ", file);
        print_counts(scene);
    }
    sn_world_destroy(world);
    scene_free(scene);
    return code;
}

int command_check(int count, char **arguments) {
    bool schema = false, quiet = false;
    const option options[] = {
        option_flag("schema", &schema, "print the JSON schema of scenes instead"),
        option_quiet(&quiet),
        {.name = NULL},
    };
    enum { MOST = 1000 };
    static const char *files[MOST];
    const command_usage usage = {
        "check", "SCENE...", "Prints every error of scenes as FILE:LINE:COLUMN, or that there is none.",
        options, 0,          MOST};
    int file_count = 0;
    int code;
    if (!options_parse(&usage, count, arguments, files, &file_count, &code)) return code;
    if (schema) return print_schema();
    if (file_count == 0) return fail(EXIT_BAD_INPUT, "missing SCENE\nTry 'sinew check --help'.");
    int worst = EXIT_DONE;
    for (int i = 0; i < file_count; i++) {
        code = check(files[i], quiet);
        worst = code > worst ? code : worst;
    }
    return worst;
}
