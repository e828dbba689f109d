// See scene_mesh.h.
#include "scene/scene_mesh.h"
#include "formats/mesh_pose.h"
#include "mesh/mesh_repair.h"

bool scene_mesh_read(sn_scene *scene, const char *file, const json_path *path, sn_mesh *out) {
    const json_path at = {path, "file", 0};
    tool_error error;
    char name[1024];
    mesh_file read;
    sn_mesh found = {0};
    mesh_repair_report report;
    if (!scene_beside(scene, file, name, sizeof name)) {
        error_at(&scene->errors, &at, "the name is too long");
        return false;
    }
    if (!mesh_read(name, scene->files, &read, &error)) {
        error_at(&scene->errors, &at, "cannot be read: %s", error.text);
        return false;
    }
    const mesh_repair_options options = mesh_repair_options_default();
    const bool good = mesh_merge_at_rest(&read, &found) && mesh_repair(&found, &options, out, NULL, &report);
    mesh_file_free(&read);
    sn_mesh_free(&found);
    if (good && out->triangle_count > 0) return true;
    error_at(&scene->errors, &at, good ? "has no triangle with an area" : "does not fit into memory");
    sn_mesh_free(out);
    return false;
}
