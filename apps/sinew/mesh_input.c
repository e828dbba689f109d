// See mesh_input.h.
#include "mesh_input.h"
#include "command.h"
#include "formats/mesh_pose.h"
#include "messages.h"

int read_mesh_file(const char *name, mesh_file *out) {
    char why[MESH_WHY_SIZE];
    return mesh_read(name, out, why) ? EXIT_DONE : bad_input(why);
}

int read_whole_mesh(const char *name, sn_mesh *out) {
    mesh_file file;
    const int code = read_mesh_file(name, &file);
    if (code != EXIT_DONE) return code;
    const bool good = mesh_merge_at_rest(&file, out);
    mesh_file_free(&file);
    return good ? EXIT_DONE : out_of_memory();
}
