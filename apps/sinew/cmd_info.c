// sinew info: what a scene contains.
#include "command.h"
#include "io/scene.h"
#include "io/scene_kinds.h"
#include "io/scene_material.h"
#include "options.h"
#include <inttypes.h>

static void print_settings(const sn_scene *scene) {
    static const char *const solvers[] = {"direct", "xpbd", "jacobi"}; // as sn_solver
    const scene_spec *spec = &scene->spec;
    if (spec->title) printf("%s\n", spec->title);
    if (spec->description) printf("%s\n", spec->description);
    printf("\n%-12s %.6g s in %" PRId64 " steps of %.6g s, %d substep%s each\n", "time", spec->duration,
           scene_step_count(scene, spec->duration), spec->step, spec->substeps, spec->substeps == 1 ? "" : "s");
    printf("%-12s %s, %d iteration%s\n", "solver", solvers[spec->solver], spec->iterations,
           spec->iterations == 1 ? "" : "s");
    printf("%-12s %.6g %.6g %.6g m/s^2\n", "gravity", spec->gravity[0], spec->gravity[1], spec->gravity[2]);
}

static void print_materials(const sn_scene *scene) {
    const material_spec *materials = scene->spec.materials.items;
    for (int i = 0; i < scene->spec.materials.count; i++) {
        sn_material m = scene_material(scene, materials[i].head.key);
        printf("%-12s %s: density %.6g kg/m^3, young %.4g Pa, shear %.4g Pa, volume %.4g Pa\n",
               i == 0 ? "materials" : "", materials[i].head.key, (double)m.density, (double)m.young, (double)m.shear,
               (double)m.volume);
    }
}

static void print_bodies(const sn_scene *scene, const sn_world *world) {
    for (int i = 0; i < scene->spec.bodies.count; i++) {
        const scene_body *body = &scene->bodies[i];
        sn_rod rod = scene->rods[body->first];
        printf("%-12s %s: %d %s of %d points, %.4g m long%s\n", i == 0 ? "bodies" : "",
               body->spec->name ? body->spec->name : "(no name)", body->copies,
               body->copies == 1 ? body->kind->type->name : body->kind->plural, body->points_per_copy,
               sn_rod_length(world, rod), body->copies == 1 ? "" : " each");
    }
    printf("%-12s %d bod%s, %" PRId64 " points, %" PRId64 " unknowns\n", "in all", scene->body_count,
           scene->body_count == 1 ? "y" : "ies", scene->point_count, sn_world_dof_count(world));
    printf("%-12s %d motions, %d loads, %d activations, %d releases\n", "in time", scene->spec.motion.count,
           scene->spec.loads.count, scene->spec.activation.count, scene->spec.release.count);
}

int command_info(int count, char **arguments) {
    const option options[] = {{.name = NULL}};
    const command_usage usage = {"info", "SCENE", "Says what a scene contains.", options, 1, 1};
    const char *file = NULL;
    int words, code = EXIT_DONE;
    options_result parsed = options_parse(&usage, count, arguments, &file, &words);
    if (parsed != OPTIONS_GO_ON) return parsed == OPTIONS_HELPED ? EXIT_DONE : EXIT_BAD_INPUT;
    sn_scene *scene = scene_read(file);
    sn_world *world = NULL;
    sn_world_def def = sn_world_def_default();
    sn_status status = scene ? scene_build(scene, &def, &world) : SN_ERR_MEMORY;
    if (scene && scene->mistakes.count > 0) {
        mistakes_print(&scene->mistakes, stderr);
        code = EXIT_BAD_INPUT;
    } else if (status != SN_OK) {
        fprintf(stderr, "sinew info: %s: %s\n", file, sn_status_name(status));
        code = EXIT_RUN_FAILED;
    } else {
        print_settings(scene);
        print_materials(scene);
        print_bodies(scene, world);
    }
    sn_world_destroy(world);
    scene_free(scene);
    return code;
}
