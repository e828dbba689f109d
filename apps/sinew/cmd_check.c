// sinew check: reads a scene, says every mistake, and makes its world once, since some mistakes only the engine sees.
#include "command.h"
#include "io/scene.h"
#include "io/scene_kinds.h"
#include "options.h"
#include <inttypes.h>

static int print_schema(void) {
    json_t *schema = scene_schema();
    int failed = json_dumpf(schema, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    json_decref(schema);
    if (failed) fprintf(stderr, "sinew check: cannot write the schema\n");
    printf("\n");
    return failed ? EXIT_RUN_FAILED : EXIT_DONE;
}

// "12 rods, 780 points": each kind that occurs.
static void print_counts(const sn_scene *scene) {
    for (const scene_kind *kind = scene_kinds; kind->type; kind++) {
        int count = 0;
        for (int i = 0; i < scene->spec.bodies.count; i++) {
            if (scene->bodies[i].kind == kind) count += scene->bodies[i].copies;
        }
        if (count) printf("%d %s, ", count, count == 1 ? kind->type->name : kind->plural);
    }
    printf("%" PRId64 " points, %d material%s, %" PRId64 " steps of %.6g s\n", scene->point_count,
           scene->spec.materials.count, scene->spec.materials.count == 1 ? "" : "s",
           scene_step_count(scene, scene->spec.duration), scene->spec.step);
}

static int check(const char *file) {
    sn_scene *scene = scene_read(file);
    sn_world *world = NULL;
    int code = EXIT_DONE;
    if (!scene) {
        fprintf(stderr, "sinew check: out of memory\n");
        return EXIT_RUN_FAILED;
    }
    sn_world_def def = sn_world_def_default();
    sn_status status = scene_build(scene, &def, &world);
    if (scene->mistakes.count > 0) {
        mistakes_print(&scene->mistakes, stderr);
        code = EXIT_BAD_INPUT;
    } else if (status != SN_OK) {
        fprintf(stderr, "sinew check: %s: the world cannot be made: %s\n", file, sn_status_name(status));
        code = EXIT_RUN_FAILED;
    } else {
        printf("%s: fine: ", file);
        print_counts(scene);
    }
    sn_world_destroy(world);
    scene_free(scene);
    return code;
}

int command_check(int count, char **arguments) {
    bool schema = false;
    const option options[] = {
        {.name = "schema", .type = OPTION_FLAG, .out = &schema, .help = "print the JSON schema of scenes instead"},
        {.name = NULL},
    };
    enum { MOST = 1000 };
    static const char *files[MOST];
    const command_usage usage = {
        "check", "SCENE...", "Says every mistake in scenes, as FILE:LINE:COLUMN, or that there is none.",
        options, 0,          MOST};
    int file_count = 0;
    options_result parsed = options_parse(&usage, count, arguments, files, &file_count);
    if (parsed != OPTIONS_GO_ON) return parsed == OPTIONS_HELPED ? EXIT_DONE : EXIT_BAD_INPUT;
    if (schema) return print_schema();
    if (file_count == 0) {
        fprintf(stderr, "sinew check: a scene is missing\nTry 'sinew check --help'.\n");
        return EXIT_BAD_INPUT;
    }
    int worst = EXIT_DONE;
    for (int i = 0; i < file_count; i++) {
        int code = check(files[i]);
        worst = code > worst ? code : worst;
    }
    return worst;
}
