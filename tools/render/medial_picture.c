// The picture of a medial mesh: see picture.h.
#include "base/math/vec.h"
#include "medial/medial_surface.h"
#include "render/picture.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float surface_colour[3] = {0.50f, 0.52f, 0.56f};
static const float sphere_colour[3] = {0.80f, 0.22f, 0.14f};
static const float cone_colour[3] = {0.10f, 0.42f, 0.55f};
static const float slab_colour[3] = {0.86f, 0.62f, 0.16f};

enum { MAX_BODIES = 7 };

// Takes ownership of the mesh and moves it to the side by 'step'.
static void add(view_model *model, sn_mesh *mesh, const char *name, const float colour[3], double step, bool z_up) {
    view_mesh *skin = &model->meshes[model->mesh_count];
    view_body *body = &model->bodies[model->body_count++];
    if (mesh->triangle_count == 0) { // for example, no slabs
        sn_mesh_free(mesh);
        --model->body_count;
        return;
    }
    *skin = (view_mesh){.mesh = *mesh};
    *body = (view_body){.mesh = model->mesh_count++, .colour = {colour[0], colour[1], colour[2]}};
    snprintf(body->name, sizeof body->name, "%s", name);
    for (int v = 0; v < mesh->vertex_count; v++) {
        float *p = skin->mesh.position[v], *n = skin->mesh.normal[v];
        if (z_up) { // files and pictures have y up
            const float y = p[1], ny = n[1];
            p[1] = p[2], p[2] = -y, n[1] = n[2], n[2] = -ny;
        }
        p[0] += (float)step;
    }
}

static bool copy_surface(const sn_mesh *from, sn_mesh *to) {
    if (!sn_mesh_alloc(to, from->vertex_count, from->triangle_count, 0)) return false;
    memcpy(to->position, from->position, (size_t)from->vertex_count * sizeof *to->position);
    memcpy(to->triangle, from->triangle, (size_t)from->triangle_count * sizeof *to->triangle);
    if (sn_mesh_make_normals(to)) return true;
    sn_mesh_free(to);
    return false;
}

static bool add_parts(view_model *model, const sn_medial_mesh *mesh, const char *kind, double step, bool z_up) {
    sn_mesh part;
    char name[64];
    bool good = medial_surface_slabs(mesh, &part);
    snprintf(name, sizeof name, "%s slabs", kind);
    if (good) add(model, &part, name, slab_colour, step, z_up);
    good = good && medial_surface_cones(mesh, &part);
    snprintf(name, sizeof name, "%s cones", kind);
    if (good) add(model, &part, name, cone_colour, step, z_up);
    return good;
}

bool medial_picture_make(const sn_mesh *surface, const sn_medial_mesh *mesh, bool z_up, view_model *out) {
    float low[3], high[3];
    sn_mesh part;
    sn_medial_mesh thin = {0};
    *out = (view_model){.meshes = calloc(MAX_BODIES, sizeof *out->meshes),
                        .bodies = calloc(MAX_BODIES, sizeof *out->bodies),
                        .planes = calloc(1, sizeof *out->planes)};
    sn_mesh_box(surface, low, high);
    const double width = (double)high[0] - (double)low[0];
    double diagonal = 0;
    for (int k = 0; k < 3; k++) diagonal += pow((double)high[k] - (double)low[k], 2);
    diagonal = sqrt(diagonal);
    const double step = width + 0.12 * diagonal;
    bool good = out->meshes && out->bodies && out->planes && copy_surface(surface, &part);
    if (good) { // the ground, for pictures
        const double lowest = (double)(z_up ? low[2] : low[1]) - 0.003 * diagonal;
        out->planes[out->plane_count++] = (view_plane){sn_v3(0, (sn_real)lowest, 0), sn_v3(0, 1, 0)};
    }
    if (good) add(out, &part, "surface", surface_colour, 0, z_up);
    good = good && add_parts(out, mesh, "medial", step, z_up);
    good = good && medial_surface_spheres(mesh, &part);
    if (good) add(out, &part, "medial spheres", sphere_colour, step, z_up);
    good = good && sn_medial_mesh_copy(mesh, &thin);
    for (int i = 0; i < thin.sphere_count && good; i++) thin.radius[i] = 0.003 * diagonal;
    good = good && add_parts(out, &thin, "axis", 2 * step, z_up);
    for (int i = 0; i < thin.sphere_count && good; i++) thin.radius[i] = 0.007 * diagonal;
    good = good && medial_surface_spheres(&thin, &part);
    if (good) add(out, &part, "axis spheres", sphere_colour, 2 * step, z_up);
    sn_medial_mesh_free(&thin);
    if (!good) view_model_free(out);
    return good;
}
