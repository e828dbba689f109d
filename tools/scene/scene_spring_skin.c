// Skins of solids of springs: the surface that was filled with tetrahedra, embedded in them.
#include "kinds/spring/tet_embedding.h"
#include "scene/scene_spring.h"
#include <stdlib.h>

static const sn_mesh *embedded(const scene_body *body) {
    const spring_form *form = scene_spring_form(body);
    return form && form->skin.vertex_count > 0 && form->net.tet_count > 0 ? &form->skin : NULL;
}

static void put_place(view_place *out, const sn_spring_place *place) {
    for (int k = 0; k < 4; k++) out->corner[k] = place->corner[k], out->weight[k] = (float)place->weight[k];
}

static view_place *places_of(const scene_body *body) {
    const sn_mesh *skin = embedded(body);
    const sn_spring_net *net = &scene_spring_form(body)->net;
    const size_t n = (size_t)net->count, m = (size_t)skin->vertex_count;
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    sn_real *quads = calloc(4 * n + 4, sizeof *quads);
    sn_vec3 *at = malloc((m + 1) * sizeof *at);
    sn_spring_place *found = malloc((m + 1) * sizeof *found);
    view_place *places = malloc((m + 1) * sizeof *places);
    bool good = quads && at && found && places;
    for (size_t i = 0; good && i < n; i++)
        quads[4 * i] = net->points[i].x, quads[4 * i + 1] = net->points[i].y, quads[4 * i + 2] = net->points[i].z;
    for (size_t v = 0; good && v < m; v++) {
        const float *p = skin->position[v];
        at[v] = (sn_vec3){(sn_real)p[0], (sn_real)p[1], (sn_real)p[2]};
    }
    int outside;
    good = good && sn_spring_embed(&memory, quads, net->count, (const int(*)[4])(const void *)net->tets, net->tet_count,
                                   at, (int)m, found, &outside) == SN_OK;
    for (size_t v = 0; good && v < m; v++) put_place(&places[v], &found[v]);
    if (!good) {
        free(places);
        places = NULL;
    }
    free(quads);
    free(at);
    free(found);
    return places;
}

const scene_skins scene_spring_skins = {.embedded = embedded, .places = places_of};
