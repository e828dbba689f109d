// Slabs of solids: rigid bodies are convex and have an inside, so that where their faces have crossed it is still known which way
// is out. (Other slabs are surfaces: cloth has no inside.)
//
//     a corner inside of the other solid    belongs to the face that it is least deep under
//     two edges that have crossed           n across both, if it is a separating axis: nothing of b beyond its edge along n, nothing
//                                           of a beyond its own against it
#include "couplings/contact/contact.h"

#define ON_AXIS ((sn_real)1e-3) // of the radius: how far corners may stand out beyond an edge that is to separate
#define INSIDE  ((sn_real)1e-4) // weights of a point in a triangle, so that neighbours leave no gap

static int first_slab_of(const sn_contacts *c, int slab) {
    const int body = c->proxies.slabs[slab].body;
    while (slab > 0 && c->proxies.slabs[slab - 1].body == body) --slab;
    return slab;
}

static sn_vec3 centre_of(const sn_contacts *c, int body) {
    return c->proxies.nodes[body > 0 ? c->body_end[body - 1] : 0].c0;
}

static sn_vec3 outward(const sn_contacts *c, int slab, sn_vec3 centre) {
    const sn_slab *s = &c->slab_at[slab];
    const sn_vec3 n = sn_normalize(sn_cross(sn_sub(s->c[1], s->c[0]), sn_sub(s->c[2], s->c[0])), sn_v3(0, 0, 0));
    return sn_dot(n, sn_sub(s->c[0], centre)) < 0 ? sn_mul(-1, n) : n;
}

// Weights of the projection of a point on the plane of a slab.
static void project(const sn_slab *s, sn_vec3 p, sn_real weight[3]) {
    const sn_vec3 u = sn_sub(s->c[1], s->c[0]), v = sn_sub(s->c[2], s->c[0]), d = sn_sub(p, s->c[0]);
    const sn_real uu = sn_dot(u, u), uv = sn_dot(u, v), vv = sn_dot(v, v), du = sn_dot(d, u), dv = sn_dot(d, v);
    const sn_real determinant = uu * vv - uv * uv;
    weight[1] = (du * vv - dv * uv) / determinant, weight[2] = (dv * uu - du * uv) / determinant;
    weight[0] = 1 - weight[1] - weight[2];
}

bool sn_contacts_is_solid(const sn_contacts *c, int element) {
    return sn_is_slab(c, element) && sn_has_contact_node(c, element) && !sn_contact_kind(c, element)->contact_point;
}

sn_solid_place sn_contacts_in_solid(const sn_contacts *c, int element, sn_vec3 point, sn_slab_contact *out) {
    const int slab = element - c->proxies.count, body = c->proxies.slabs[slab].body;
    const sn_vec3 centre = centre_of(c, body), normal = outward(c, slab, centre);
    const sn_real mine = sn_dot(normal, sn_sub(point, c->slab_at[slab].c[0]));
    if (mine >= 0) return SN_OUTSIDE;
    for (int i = first_slab_of(c, slab); i < c->proxies.slab_count && c->proxies.slabs[i].body == body; i++) {
        const sn_vec3 n = outward(c, i, centre);
        const sn_real depth = sn_dot(n, sn_sub(point, c->slab_at[i].c[0]));
        if (depth >= 0) return SN_OUTSIDE;
        if (depth > mine && sn_dot(n, normal) < (sn_real)0.999) return SN_UNDER_ANOTHER_FACE;
    }
    project(&c->slab_at[slab], point, out->b);
    for (int k = 0; k < 3; k++)
        if (out->b[k] < -INSIDE) return SN_UNDER_ANOTHER_FACE;
    out->normal = normal;
    out->distance = mine;
    return SN_UNDER_THIS_FACE;
}

// Whether all of a body's slabs lie below a plane through a point.
static bool lies_below(const sn_contacts *c, int slab, sn_vec3 point, sn_vec3 normal, sn_real tolerance) {
    const int body = c->proxies.slabs[slab].body;
    for (int i = first_slab_of(c, slab); i < c->proxies.slab_count && c->proxies.slabs[i].body == body; i++)
        for (int k = 0; k < 3; k++)
            if (sn_dot(normal, sn_sub(c->slab_at[i].c[k], point)) > tolerance) return false;
    return true;
}

// Two edges; false: they do not cross within their lengths, or do not separate the bodies.
static bool cross_edges(const sn_contacts *c, int a, int b, int edge_a, int edge_b, sn_slab_contact *out) {
    const sn_slab *x = &c->slab_at[a], *y = &c->slab_at[b];
    const sn_vec3 p = x->c[edge_a], q = y->c[edge_b];
    const sn_vec3 u = sn_sub(x->c[(edge_a + 1) % 3], p), v = sn_sub(y->c[(edge_b + 1) % 3], q), d = sn_sub(p, q);
    sn_vec3 n = sn_cross(u, v);
    const sn_real size2 = sn_length2(n), uu = sn_dot(u, u), vv = sn_dot(v, v), uv = sn_dot(u, v);
    if (!(size2 > (sn_real)1e-4 * uu * vv)) return false;
    const sn_real s = (uv * sn_dot(v, d) - vv * sn_dot(u, d)) / size2,
                  t = (uu * sn_dot(v, d) - uv * sn_dot(u, d)) / size2;
    if (!(s >= 0 && s <= 1 && t >= 0 && t <= 1)) return false;
    n = sn_mul(1 / sn_sqrt(size2), n);
    if (sn_dot(n, sn_sub(q, centre_of(c, c->proxies.slabs[b].body))) < 0) n = sn_mul(-1, n);
    const sn_real tolerance = ON_AXIS * sn_min(x->r[0], y->r[0]);
    if (!lies_below(c, b, q, n, tolerance) || !lies_below(c, a, p, sn_mul(-1, n), tolerance)) return false;
    *out = (sn_slab_contact){.normal = n, .distance = sn_dot(n, d) - x->r[edge_a] - y->r[edge_b]};
    out->a[edge_a] = 1 - s, out->a[(edge_a + 1) % 3] = s;
    out->b[edge_b] = 1 - t, out->b[(edge_b + 1) % 3] = t;
    return true;
}

bool sn_contacts_solid_edges(const sn_contacts *c, sn_pair pair, sn_slab_contact *out) {
    const int a = pair.a - c->proxies.count, b = pair.b - c->proxies.count;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            if (!(c->proxies.slabs[a].owns >> (3 + i) & 1) || !(c->proxies.slabs[b].owns >> (3 + k) & 1)) continue;
            if (cross_edges(c, a, b, i, k, out)) return true;
        }
    return false;
}
