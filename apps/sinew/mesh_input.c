// See mesh_input.h.
#include "mesh_input.h"
#include "command.h"
#include "io/mesh_pose.h"
#include <stdio.h>

int read_whole_mesh(const char *command, const char *name, sn_mesh *out) {
    char why[MESH_WHY_SIZE];
    mesh_file file;
    if (!mesh_read(name, &file, why)) {
        fprintf(stderr, "%s\n", why);
        return EXIT_BAD_INPUT;
    }
    const bool good = mesh_merge_at_rest(&file, out);
    mesh_file_free(&file);
    if (!good) fprintf(stderr, "sinew %s: out of memory\n", command);
    return good ? EXIT_DONE : EXIT_RUN_FAILED;
}
