// sinew zoo: writes a procedural model.
#include "command.h"
#include "io/atomic_file.h"
#include "io/obj_write.h"
#include "io/quote.h"
#include "options.h"
#include "zoo/octopus.h"
#include "zoo/tube.h"
#include <stdio.h>
#include <string.h>

static const char *const names[] = {"octopus", "band", "muscle", "cylinder", NULL};

static bool make(const char *name, sn_mesh *mesh) {
    if (strcmp(name, "octopus") == 0) {
        zoo_octopus octopus = zoo_octopus_default();
        return zoo_octopus_skin(&octopus, mesh);
    }
    zoo_tube tube = zoo_tube_default(strcmp(name, "band") == 0     ? ZOO_BAND
                                     : strcmp(name, "muscle") == 0 ? ZOO_MUSCLE
                                                                   : ZOO_CYLINDER);
    return zoo_tube_skin(&tube, mesh);
}

static int wrong(const char *format, const char *what) {
    char quoted[QUOTE_SIZE];
    fprintf(stderr, format, quote(what, quoted));
    return EXIT_BAD_INPUT;
}

static bool known(const char *name) {
    for (int i = 0; names[i]; i++) {
        if (strcmp(name, names[i]) == 0) return true;
    }
    return false;
}

static int unknown(const char *name) {
    const char *near = suggest(name, names);
    wrong("sinew zoo: there is no model %s", name);
    if (near) fprintf(stderr, "; did you mean \"%s\"?", near);
    fprintf(stderr, " The models are");
    for (int i = 0; names[i]; i++) fprintf(stderr, "%s %s", i ? "," : "", names[i]);
    fprintf(stderr, ".\n");
    return EXIT_BAD_INPUT;
}

static int write_obj(const char *file, const sn_mesh *mesh) {
    atomic_file out;
    bool good = atomic_file_open(&out, file);
    if (good) {
        sn_obj_write(out.out, mesh); // errors come back at the commit
        good = atomic_file_commit(&out);
    }
    if (good) return EXIT_DONE;
    fprintf(stderr, "sinew zoo: %s\n", out.why);
    atomic_file_abort(&out);
    return EXIT_RUN_FAILED;
}

int command_zoo(int count, char **arguments) {
    const char *output = NULL, *name = NULL;
    double size = 1;
    const option options[] = {
        {.name = "output",
         .letter = 'o',
         .type = OPTION_TEXT,
         .out = &output,
         .value = "OUT.obj",
         .help = "the file to write"},
        {.name = "size",
         .type = OPTION_NUMBER,
         .out = &size,
         .value = "S",
         .help = "multiplies every length, default 1",
         .min = 0,
         .max = 1e6},
        {.name = NULL},
    };
    const command_usage usage = {
        "zoo",
        "NAME -o OUT.obj [--size S]",
        "Writes a model of our own: octopus, band, muscle or cylinder, as a closed surface with normals and texture\n"
        "coordinates, around the rods that scenes use.",
        options,
        1,
        1};
    int words;
    options_result parsed = options_parse(&usage, count, arguments, &name, &words);
    if (parsed != OPTIONS_GO_ON) return parsed == OPTIONS_HELPED ? EXIT_DONE : EXIT_BAD_INPUT;
    if (!known(name)) return unknown(name);
    if (!output) return wrong("sinew zoo: where to? Say -o OUT.obj for %s\n", name);
    size_t length = strlen(output);
    if (length < 5 || strcmp(output + length - 4, ".obj") != 0)
        return wrong("sinew zoo: the ending of %s is not .obj\n", output);
    sn_mesh mesh;
    if (!make(name, &mesh)) {
        fprintf(stderr, "sinew zoo: out of memory\n");
        return EXIT_RUN_FAILED;
    }
    for (int v = 0; v < mesh.vertex_count; v++) {
        for (int k = 0; k < 3; k++) mesh.position[v][k] *= (float)size;
    }
    int code = write_obj(output, &mesh);
    if (code == EXIT_DONE) printf("%s: %d vertices, %d triangles\n", output, mesh.vertex_count, mesh.triangle_count);
    sn_mesh_free(&mesh);
    return code;
}
