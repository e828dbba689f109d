// The elastic bodies of elastic_bodies.h. Their settings look right at minimal cost: enough tetrahedra for a surface
// that moves smoothly, and one handle for each part that bends on its own.
#include "zoo/elastic_bodies.h"
#include "zoo/distance_fields.h"
#include "zoo/isosurface.h"
#include "zoo/puffer_body.h"
#include "zoo/surfaces.h"
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int surface; // a zoo_surface_kind, -1: built here
    int triangles, tets, spheres, extra;
    elastic_quadratic quadratic;
    const char *anchor;
} kinds[ZOO_ELASTIC_KINDS] = {
    [ZOO_ELASTIC_CREATURE] = {"creature", ZOO_CREATURE, 12000, 60000, 90, 0, ELASTIC_QUADRATIC_SPARSE, NULL},
    [ZOO_ELASTIC_CACTUS] = {"cactus", ZOO_CACTUS, 20000, 80000, 60, 0, ELASTIC_QUADRATIC_SPARSE, "plane:y<0.05"},
    [ZOO_ELASTIC_CACTUS_LIGHT] = {"cactus-light", ZOO_CACTUS, 8000, 35000, 28, 0, ELASTIC_QUADRATIC_SPARSE,
                                  "plane:y<0.05"},
    [ZOO_ELASTIC_SHIP] = {"ship", ZOO_SHIP, 30000, 480000, 200, 0, ELASTIC_QUADRATIC_SPARSE, NULL},
    [ZOO_ELASTIC_PUFFER] = {"puffer", ZOO_PUFFER, 57800, 0, 0, 0, ELASTIC_QUADRATIC_NONE, NULL},
    [ZOO_ELASTIC_MARSHMALLOW] = {"marshmallow", ZOO_MARSHMALLOW, 6000, 40000, 12, 24, ELASTIC_QUADRATIC_ALL, NULL},
    [ZOO_ELASTIC_TORUS] = {"torus", ZOO_TORUS, 6000, 30000, 24, 0, ELASTIC_QUADRATIC_SPARSE, NULL},
    [ZOO_ELASTIC_BLOCK] = {"block", -1, 5000, 40000, 20, 24, ELASTIC_QUADRATIC_ALL, NULL},
};

const char *zoo_elastic_name(zoo_elastic_kind kind) {
    return kinds[kind].name;
}

int zoo_elastic_find(const char *name) {
    for (int i = 0; i < ZOO_ELASTIC_KINDS; i++)
        if (strcmp(kinds[i].name, name) == 0) return i;
    return -1;
}

static const double block_half[3] = {0.5, 0.3, 0.3};

static double block_field(const void *context, const double p[3]) {
    (void)context;
    return zoo_box_distance(p, block_half, 0.04);
}

static bool make_block(int triangles, sn_mesh *out) {
    const double area = 3.0, cell = sqrt(area / (0.5 * triangles)); // two triangles per grid square
    zoo_iso iso = {block_field, NULL, NULL, {0}, {0}, cell, 8};
    for (int k = 0; k < 3; k++) iso.high[k] = block_half[k] + 1.5 * cell, iso.low[k] = -iso.high[k];
    if (!zoo_isosurface(&iso, out)) return false;
    for (int v = 0; v < out->vertex_count; v++) out->position[v][1] += (float)block_half[1];
    strcpy(out->name, "block");
    if (sn_mesh_make_normals(out)) return true;
    sn_mesh_free(out);
    return false;
}

bool zoo_elastic_make(zoo_elastic_kind kind, zoo_elastic *out) {
    *out = (zoo_elastic){0};
    if (kind == ZOO_ELASTIC_BLOCK) return make_block(kinds[kind].triangles, &out->surface);
    if (kind != ZOO_ELASTIC_PUFFER)
        return zoo_surface((zoo_surface_kind)kinds[kind].surface, kinds[kind].triangles, &out->surface);
    zoo_puffer_body puffer;
    if (!zoo_puffer_body_make(kinds[kind].triangles, &puffer)) return false;
    *out = (zoo_elastic){puffer.surface, puffer.tets, puffer.medial, puffer.handle, puffer.handle_count};
    return true;
}

void zoo_elastic_free(zoo_elastic *body) {
    sn_mesh_free(&body->surface);
    sn_tet_mesh_free(&body->tets);
    sn_medial_mesh_free(&body->medial);
    free(body->handle);
    *body = (zoo_elastic){0};
}

elastic_source zoo_elastic_source(const zoo_elastic *body) {
    return (elastic_source){&body->surface, body->tets.tet_count ? &body->tets : NULL,
                            body->medial.sphere_count ? &body->medial : NULL, body->handle, body->handle_count};
}

elastic_bake_options zoo_elastic_options(zoo_elastic_kind kind) {
    elastic_bake_options o = elastic_bake_default();
    o.spheres = kinds[kind].spheres;
    o.extra = kinds[kind].extra;
    o.tets = kinds[kind].tets;
    o.quadratic = kinds[kind].quadratic;
    // All strings of the puffer ball are adjacent to the ball, and so within two rings of each other. One ring is
    // enough.
    if (kind == ZOO_ELASTIC_PUFFER) o.patch = 16000, o.rings = 1;
    if (kinds[kind].anchor) o.anchor_count = elastic_anchor_parse(kinds[kind].anchor, &o.anchor[0]);
    return o;
}
