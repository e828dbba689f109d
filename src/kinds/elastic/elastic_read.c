// What a body is doing: vertices, energies, momentum. Between steps; x and target serve as room.
#include "kinds/elastic/elastic_run.h"
#include <string.h>

enum { ROW = SN_ELASTIC_ROW };

// x of the state as it is now. What anchors hold is where the last step had it.
static void lift_now(sn_elastic_body *b, sn_pool *pool) {
    sn_elastic_shift(b, b->q);
    sn_elastic_lift_all(b, b->shifted, b->base, b->x, pool);
}

void sn_elastic_body_vertices(sn_elastic_body *b, sn_vec3 *out, sn_pool *pool) {
    const sn_elastic_space *s = b->space;
    lift_now(b, pool);
    for (int v = 0; v < s->vertex_count; v++) {
        const sn_real *x = b->x + 4 * (size_t)s->place[v];
        out[v] = sn_add(b->origin, sn_v3(x[0], x[1], x[2]));
    }
}

void sn_elastic_body_velocities(sn_elastic_body *b, sn_vec3 *out, sn_pool *pool) {
    const sn_elastic_space *s = b->space;
    sn_elastic_lift_all(b, b->rate, NULL, b->target, pool);
    for (int v = 0; v < s->vertex_count; v++) {
        const sn_real *x = b->target + 4 * (size_t)s->place[v];
        out[v] = sn_v3(x[0], x[1], x[2]);
    }
}

void sn_elastic_body_measure(sn_elastic_body *b, sn_vec3 gravity, sn_energy *energy, sn_momentum *momentum,
                             sn_pool *pool) {
    const sn_elastic_space *s = b->space;
    const double g[3] = {(double)gravity.x, (double)gravity.y, (double)gravity.z};
    const double origin[3] = {(double)b->origin.x, (double)b->origin.y, (double)b->origin.z};
    lift_now(b, pool);
    sn_elastic_lift_all(b, b->rate, NULL, b->target, pool);
    sn_elastic_local_all(b, true, pool);
    for (int c = 0; c < s->chunk_count; c++) // what is too much for a float is as much as one can be
        energy->elastic += !(b->energy[c] < 3e38) ? 3e38 : b->energy[c] > -3e38 ? b->energy[c] : -3e38;
    for (int p = 0; p < s->vertex_count; p++) {
        double m = (double)b->def.density * (double)s->share[p], x[3], v[3];
        for (int k = 0; k < 3; k++) x[k] = (double)b->x[4 * p + k] + origin[k], v[k] = (double)b->target[4 * p + k];
        for (int k = 0; k < 3; k++) {
            energy->kinetic += 0.5 * m * v[k] * v[k];
            energy->potential -= m * g[k] * x[k];
            momentum->linear[k] += m * v[k];
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            momentum->angular[k] += m * (x[i] * v[j] - x[j] * v[i]);
        }
    }
}
