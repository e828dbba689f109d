// A skin is carried by the tetrahedra: see spring/embed.h.
#include "capture/scene_view_springs.h"
#include "kinds/spring/tet_embedding.h"
#include <stdlib.h>

const sn_mesh *springs_skin(const scene_body *body) {
    const spring_form *form = scene_springs_of(body) ? body->form : NULL;
    return form && form->skin.vertex_count > 0 && form->net.tet_count > 0 ? &form->skin : NULL;
}

static void put_place(surface_place *out, const sn_spring_place *place) {
    for (int k = 0; k < 4; k++) out->corner[k] = place->corner[k], out->weight[k] = (float)place->weight[k];
}

surface_place *springs_skin_places(const scene_body *body) {
    const sn_mesh *skin = springs_skin(body);
    const sn_spring_net *net = &body->form->net;
    const size_t n = (size_t)net->count, m = (size_t)skin->vertex_count;
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    sn_real *quads = calloc(4 * n + 4, sizeof *quads);
    sn_vec3 *at = malloc((m + 1) * sizeof *at);
    sn_spring_place *found = malloc((m + 1) * sizeof *found);
    surface_place *places = malloc((m + 1) * sizeof *places);
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
