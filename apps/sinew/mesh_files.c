// See mesh_files.h.
#include "mesh_files.h"
#include "command.h"
#include "formats/atomic_file.h"
#include "formats/mesh_pose.h"
#include "formats/obj_write.h"
#include "messages.h"

int read_mesh_file(const char *name, mesh_file *out) {
    tool_error error;
    return mesh_read(name, &disk_files, out, &error) ? EXIT_DONE : bad_input(error.text);
}

int read_merged_mesh(const char *name, sn_mesh *out) {
    mesh_file file;
    const int code = read_mesh_file(name, &file);
    if (code != EXIT_DONE) return code;
    const bool good = mesh_merge_at_rest(&file, out);
    mesh_file_free(&file);
    return good ? EXIT_DONE : out_of_memory();
}

static bool write(FILE *out, const void *mesh, tool_error *error) {
    (void)error;
    sn_obj_write(out, mesh);
    return true;
}

int write_obj(const char *name, const sn_mesh *mesh) {
    tool_error error;
    return atomic_file_write(name, write, mesh, &error) ? EXIT_DONE : fail(EXIT_RUN_FAILED, "%s", error.text);
}
