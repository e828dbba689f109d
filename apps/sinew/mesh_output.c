// See mesh_output.h.
#include "mesh_output.h"
#include "command.h"
#include "formats/atomic_file.h"
#include "formats/obj_write.h"
#include "messages.h"

static bool write(FILE *out, const void *mesh, char why[256]) {
    (void)why;
    sn_obj_write(out, mesh);
    return true;
}

int write_obj(const char *name, const sn_mesh *mesh) {
    char why[256];
    return atomic_file_write(name, write, mesh, why) ? EXIT_DONE : fail(EXIT_RUN_FAILED, "%s", why);
}
