// The work done on elastic bodies from outside in a substep: by loads, and by anchors that move. An anchor bears the slope of the
// elastic energy and of the weight at the end of the substep: a central difference along its way.
#include "kinds/elastic/elastic_internal.h"
#include "kinds/elastic/elastic_system.h"

static double energy_with(const sn_elastic_body *b, sn_vec3 gravity, sn_pool *pool) {
    sn_energy energy = {0};
    sn_momentum momentum = {0};
    sn_elastic_body_add_energy(b, gravity, &energy, &momentum, pool);
    return energy.elastic + energy.potential;
}

// The pose of the anchors at the start of the substep.
static void pose_before(const sn_elastic_item *item, const sn_stage *stage, sn_elastic_body *b) {
    const sn_real share = (sn_real)stage->substep / (sn_real)stage->substeps;
    sn_quat p = item->anchor_rotation_from, q = item->anchor_rotation_to;
    if (sn_q_dot(p, q) < 0) q = (sn_quat){-q.x, -q.y, -q.z, -q.w};
    b->anchor_rotation = sn_q_normalize((sn_quat){p.x + share * (q.x - p.x), p.y + share * (q.y - p.y),
                                                  p.z + share * (q.z - p.z), p.w + share * (q.w - p.w)});
    b->anchor_position = sn_lerp(item->anchor_position_from, item->anchor_position_to, share);
}

static bool anchors_moved(const sn_elastic_item *item) {
    const sn_vec3 d = sn_sub(item->anchor_position_to, item->anchor_position_from);
    const sn_quat p = item->anchor_rotation_from, q = item->anchor_rotation_to;
    return sn_length2(d) > 0 || p.x != q.x || p.y != q.y || p.z != q.z || p.w != q.w;
}

static double work_of_anchors(const sn_elastic_item *item, const sn_stage *stage) {
    sn_elastic_body b = *item->body;
    const size_t quads = 4 * (size_t)b.space->row_count * SN_ELASTIC_ROW;
    sn_real *base = sn_alloc(b.memory, quads, sizeof *base);
    if (!base) return 0;
    const sn_real *now = b.base;
    b.base = base;
    pose_before(item, stage, &b);
    sn_elastic_update_anchors(&b);
    const double behind = energy_with(&b, stage->gravity, stage->pool);
    for (size_t i = 0; i < quads; i++) base[i] = 2 * now[i] - base[i];
    const double ahead = energy_with(&b, stage->gravity, stage->pool);
    sn_free(b.memory, base, quads, sizeof *base);
    return 0.5 * (ahead - behind);
}

static double work_of_loads(const sn_elastic_item *item, sn_pool *pool) {
    const sn_elastic_body *b = item->body;
    const sn_elastic_space *s = b->space;
    const size_t quads = 4 * (size_t)s->row_count * SN_ELASTIC_ROW, states = 3 * (size_t)s->columns;
    sn_real *moved = sn_alloc(b->memory, quads, sizeof *moved), *change = sn_alloc(b->memory, states, sizeof *change);
    double work = 0;
    if (moved && change) {
        for (size_t i = 0; i < states; i++) change[i] = b->q[i] - b->start[i];
        sn_elastic_lift_all(b, change, NULL, moved, pool);
        for (int v = 0; v < s->vertex_count; v++) {
            const sn_real *d = moved + 4 * (size_t)s->sorted_index[v];
            if (s->vertex_volume[s->sorted_index[v]] > 0)
                work += (double)sn_dot(item->loads[v], sn_v3(d[0], d[1], d[2]));
        }
    }
    sn_free(b->memory, moved, quads, sizeof *moved);
    sn_free(b->memory, change, states, sizeof *change);
    return work;
}

double sn_elastic_work(void *what, const sn_stage *stage) {
    const sn_elastic_system *s = what;
    double work = 0;
    for (int i = 0; i < s->slots.count; i++) {
        const sn_elastic_item *item = sn_elastic_in(s, i);
        if (!item || item->base.sleep.asleep || item->diverged) continue;
        if (item->loads) work += work_of_loads(item, stage->pool);
        if (item->body->base && anchors_moved(item)) work += work_of_anchors(item, stage);
    }
    return work;
}
