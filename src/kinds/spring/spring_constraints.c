// Projects constraints one after the other, in the order of the arrays. See spring_constraints.h.
#include "kinds/spring/spring_constraints.h"
#include "kinds/spring/spring_volume.h"
#include <string.h>

// Moves two points so that they are 'length' apart. Returns the relative error before.
static sn_real keep_distance(sn_spring_body *body, int a, int b, sn_real length, bool max) {
    const sn_vec3 xa = sn_spring_point(body, a), xb = sn_spring_point(body, b), d = sn_sub(xb, xa);
    const sn_real wa = body->inverse[a], wb = body->inverse[b], now = sn_length(d);
    if (wa + wb == 0 || now == 0 || (max && now <= length)) return 0;
    const sn_real k = (now - length) / (now * (wa + wb));
    sn_spring_set_quad(body->x, a, sn_mul_add(xa, wa * k, d));
    sn_spring_set_quad(body->x, b, sn_mul_add(xb, -wb * k, d));
    return sn_abs(now - length) / sn_max(now, length);
}

static sn_real keep_volume(sn_spring_body *body, int tet) {
    const int *at = body->volumes.corner[tet];
    sn_vec3 corner[4], slope[4];
    for (int k = 0; k < 4; k++) corner[k] = sn_spring_point(body, at[k]);
    sn_spring_tet_slopes(corner, slope);
    const sn_real rest = body->volumes.rest[tet], more = sn_spring_tet_volume(corner) - rest;
    sn_real ease = 0;
    for (int k = 0; k < 4; k++) ease += body->inverse[at[k]] * sn_length2(slope[k]);
    if (!(ease > 0)) return 0;
    for (int k = 0; k < 4; k++)
        sn_spring_set_quad(body->x, at[k], sn_mul_add(corner[k], -body->inverse[at[k]] * more / ease, slope[k]));
    return sn_abs(more) / rest;
}

static void keep_out(sn_spring_body *body, const sn_constraints *c) {
    for (int i = 0; i < body->count; i++) {
        if (!(body->inverse[i] > 0)) continue;
        sn_vec3 x = sn_spring_point(body, i);
        for (int k = 0; k < c->plane_count; k++) {
            const sn_real deep = c->planes[k].offset + c->margin - sn_dot(c->planes[k].normal, x);
            if (deep > 0) x = sn_mul_add(x, deep, c->planes[k].normal);
        }
        for (int k = 0; k < c->sphere_count; k++) {
            const sn_sphere_obstacle *s = &c->spheres[k];
            const sn_vec3 out = sn_sub(x, s->centre);
            const sn_real reach = s->around ? s->radius - c->margin : s->radius + c->margin, now = sn_length(out);
            if (s->around ? now <= reach : now >= reach) continue;
            x = sn_mul_add(s->centre, reach, sn_normalize(out, sn_v3(0, 1, 0)));
        }
        sn_spring_set_quad(body->x, i, x);
    }
}

sn_real sn_spring_constrain(sn_spring_body *body, const sn_constraints *c, sn_real h) {
    sn_real *start = body->scratch[0], worst = 0;
    memcpy(start, body->x, 4 * (size_t)body->padded * sizeof(sn_real));
    for (int round = 0; round < c->rounds; round++) {
        worst = 0;
        for (int i = 0; i < c->distance_count; i++) {
            const sn_spring_distance *d = &c->distances[i];
            worst = sn_max(worst, keep_distance(body, d->a, d->b, d->length, d->is_max));
        }
        for (int i = 0; c->strain > 0 && i < body->spring_count; i++) {
            const sn_spring *s = &body->springs[i];
            worst = sn_max(worst, keep_distance(body, s->a, s->b, s->rest * (1 + c->strain), true));
        }
        for (int t = 0; c->volumes && t < body->volumes.count; t++) worst = sn_max(worst, keep_volume(body, t));
        keep_out(body, c);
    }
    for (size_t i = 0; i < 4 * (size_t)body->count; i++) {
        const sn_real moved = body->x[i] - start[i];
        body->v[i] += moved / h;
        body->displacement[i] += moved;
        if (c->also) c->also[i] += moved / h;
    }
    return worst;
}
