// Positions, velocities, energy, momentum, volume and hash of elastic bodies, between steps.
#include "kinds/elastic/elastic_internal.h"
#include "kinds/elastic/elastic_system.h"

// A copy of a body with its own work arrays, so that several threads can read the body at the same time.
typedef struct {
    sn_elastic_body body;
    size_t states, quads, locals;
} reader;

static void close_reader(reader *r) {
    sn_elastic_body *b = &r->body;
    sn_free(b->memory, b->shifted, r->states, sizeof *b->shifted);
    sn_free(b->memory, b->x, r->quads, sizeof *b->x);
    sn_free(b->memory, b->target, r->quads, sizeof *b->target);
    sn_free(b->memory, b->local_x, r->locals, sizeof *b->local_x);
    sn_free(b->memory, b->force, r->locals, sizeof *b->force);
    sn_free(b->memory, b->energy, (size_t)b->space->chunk_count, sizeof *b->energy);
}

// 'energy': also allocates the arrays for tetrahedra.
static bool open_reader(reader *r, const sn_elastic_body *from, bool energy) {
    const sn_elastic_space *s = from->space;
    *r = (reader){.body = *from, .states = 3 * (size_t)s->columns, .quads = 4 * (size_t)s->row_count * SN_ELASTIC_ROW};
    r->locals = 4 * (size_t)s->local_first[s->chunk_count];
    sn_elastic_body *b = &r->body;
    b->shifted = sn_alloc(b->memory, r->states, sizeof *b->shifted);
    b->x = sn_alloc(b->memory, r->quads, sizeof *b->x);
    b->target = sn_alloc(b->memory, r->quads, sizeof *b->target);
    b->local_x = energy ? sn_alloc(b->memory, r->locals, sizeof *b->local_x) : NULL;
    b->force = energy ? sn_alloc(b->memory, r->locals, sizeof *b->force) : NULL;
    b->energy = energy ? sn_alloc(b->memory, (size_t)s->chunk_count, sizeof *b->energy) : NULL;
    if (b->shifted && b->x && b->target && (!energy || (b->local_x && b->force && b->energy))) return true;
    close_reader(r);
    return false;
}

// Evaluates x of the current state; anchors are at their positions of the last step.
static void lift_now(sn_elastic_body *b, sn_pool *pool) {
    sn_elastic_recentre(b, b->q);
    sn_elastic_lift_all(b, b->shifted, b->base, b->x, pool);
}

bool sn_elastic_body_vertices(const sn_elastic_body *from, sn_vec3 *out, sn_pool *pool) {
    reader r;
    if (!open_reader(&r, from, false)) return false;
    sn_elastic_body *b = &r.body;
    const sn_elastic_space *s = b->space;
    lift_now(b, pool);
    for (int v = 0; v < s->vertex_count; v++) {
        const sn_real *x = b->x + 4 * (size_t)s->sorted_index[v];
        out[v] = sn_add(b->origin, sn_v3(x[0], x[1], x[2]));
    }
    close_reader(&r);
    return true;
}

bool sn_elastic_body_velocities(const sn_elastic_body *from, sn_vec3 *out, sn_pool *pool) {
    reader r;
    if (!open_reader(&r, from, false)) return false;
    sn_elastic_body *b = &r.body;
    const sn_elastic_space *s = b->space;
    sn_elastic_lift_all(b, b->rate, NULL, b->target, pool);
    for (int v = 0; v < s->vertex_count; v++) {
        const sn_real *x = b->target + 4 * (size_t)s->sorted_index[v];
        out[v] = sn_v3(x[0], x[1], x[2]);
    }
    close_reader(&r);
    return true;
}

bool sn_elastic_body_add_energy(const sn_elastic_body *from, sn_vec3 gravity, sn_energy *energy, sn_momentum *momentum,
                                sn_pool *pool) {
    reader r;
    if (!open_reader(&r, from, true)) return false;
    sn_elastic_body *b = &r.body;
    const sn_elastic_space *s = b->space;
    const double g[3] = {(double)gravity.x, (double)gravity.y, (double)gravity.z};
    const double origin[3] = {(double)b->origin.x, (double)b->origin.y, (double)b->origin.z};
    lift_now(b, pool);
    sn_elastic_lift_all(b, b->rate, NULL, b->target, pool);
    sn_elastic_local_all(b, true, pool);
    for (int c = 0; c < s->chunk_count; c++) // clamp to the range of a float
        energy->elastic += !(b->energy[c] < 3e38) ? 3e38 : b->energy[c] > -3e38 ? b->energy[c] : -3e38;
    for (int p = 0; p < s->vertex_count; p++) {
        double m = (double)b->def.density * (double)s->vertex_volume[p], x[3], v[3];
        for (int k = 0; k < 3; k++) x[k] = (double)b->x[4 * p + k] + origin[k], v[k] = (double)b->target[4 * p + k];
        for (int k = 0; k < 3; k++) {
            energy->kinetic += 0.5 * m * v[k] * v[k];
            energy->potential -= m * g[k] * x[k];
            momentum->linear[k] += m * v[k];
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            momentum->angular[k] += m * (x[i] * v[j] - x[j] * v[i]);
        }
    }
    close_reader(&r);
    return true;
}

// ---- operations of the kind

double sn_elastic_asset_volume(const sn_elastic_asset *a, const sn_vec3 *vertices) {
    double sum = 0;
    for (int t = 0; t < a->tet_count; t++) {
        double e[3][3];
        const sn_vec3 o = vertices[a->tets[t][0]];
        for (int k = 0; k < 3; k++) {
            const sn_vec3 p = vertices[a->tets[t][k + 1]];
            e[k][0] = (double)p.x - (double)o.x, e[k][1] = (double)p.y - (double)o.y,
            e[k][2] = (double)p.z - (double)o.z;
        }
        sum += e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
               e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
    }
    return sum / 6;
}

void sn_elastic_measure(void *what, sn_vec3 gravity, sn_totals *totals) {
    const sn_elastic_system *s = what;
    for (int i = 0; i < s->slots.count; i++)
        if (sn_elastic_in(s, i))
            sn_elastic_body_add_energy(sn_elastic_in(s, i)->body, gravity, &totals->energy, &totals->momentum, NULL);
}

uint64_t sn_elastic_hash(void *what, uint64_t hash) {
    const sn_elastic_system *s = what;
    for (int i = 0; i < s->slots.count; i++)
        if (sn_elastic_in(s, i)) hash = sn_elastic_body_hash(sn_elastic_in(s, i)->body, hash);
    return hash;
}
