// Pill against triangle: min over alpha and over x in the triangle of |c(alpha) - x| - r(alpha), convex again.
//
// The deepest pair of a sphere of the pill and a point of the triangle has an end of the pill, or a point of an edge
// (pill against edge is pill against pill), or the axis pierces the triangle and the centres coincide. The ends are
// tried first: alpha = 0 is the answer if the distance does not decrease into the pill, n.u >= D, and alpha = 1 if n.u
// <= D. Most contacts end there.
#include "geometry/pill.h"
#include "geometry/triangle.h"

// An edge faces a foot whose weight opposite to it is below this: 0 with a margin for rounding.
#define SEEN ((sn_real)1e-4)

typedef struct {
    sn_contact_point contact;
    sn_vec3 offset; // from the triangle's point to the centre of the pill's sphere
    sn_real reach2;
} candidate;

static candidate end_against(const sn_pill *pill, int end, const sn_triangle *triangle) {
    candidate c = {.contact = {.alpha = (sn_real)end}};
    c.reach2 = sn_point_triangle(end ? pill->b : pill->a, triangle, &c.contact.beta, &c.contact.gamma, &c.offset);
    sn_real reach = sn_sqrt(c.reach2);
    c.contact.distance = reach - (end ? pill->rb : pill->ra);
    c.contact.normal = reach > 0 ? sn_mul(1 / reach, c.offset) : sn_v3(0, 0, 0);
    return c;
}

static sn_vec3 centre_at(const sn_pill *pill, sn_real alpha) {
    return sn_lerp(pill->a, pill->b, alpha);
}

static sn_real radius_at(const sn_pill *pill, sn_real alpha) {
    return pill->ra + alpha * (pill->rb - pill->ra);
}

static void set_point(const sn_pill *pill, sn_contact_point *contact) {
    sn_real back = radius_at(pill, contact->alpha) + (sn_real)0.5 * contact->distance;
    contact->point = sn_mul_add(centre_at(pill, contact->alpha), -back, contact->normal);
}

// A pill whose axis pierces the triangle: the signed distances of both ends to the plane, on the side with the shorter
// way out.
static sn_contact_point exit_search(const sn_pill *pill, const sn_foot foot[2], sn_real beta, sn_real gamma) {
    sn_real up = sn_min(foot[0].height - pill->ra, foot[1].height - pill->rb);
    sn_real down = sn_min(-foot[0].height - pill->ra, -foot[1].height - pill->rb);
    sn_real sign = up >= down ? (sn_real)1 : (sn_real)-1;
    sn_real distance_a = sign * foot[0].height - pill->ra, distance_b = sign * foot[1].height - pill->rb;
    return (sn_contact_point){
        .alpha = distance_b < distance_a ? (sn_real)1 : (sn_real)0,
        .beta = beta,
        .gamma = gamma,
        .distance = sn_min(distance_a, distance_b),
        .normal = sn_mul(sign, foot[0].normal),
    };
}

// An edge with the weights (beta, gamma) of its ends.
static void try_edge(const sn_pill *pill, sn_vec3 from, sn_vec3 to, const sn_real weight_from[2],
                     const sn_real weight_to[2], sn_contact_point *best) {
    sn_contact_point t = sn_pill_pill(pill, &(sn_pill){from, to, 0, 0});
    if (!(t.distance < best->distance)) return;
    sn_real s = t.beta;
    t.beta = (1 - s) * weight_from[0] + s * weight_to[0];
    t.gamma = (1 - s) * weight_from[1] + s * weight_to[1];
    *best = t;
}

static sn_contact_point deepest(const sn_pill *pill, const sn_triangle *triangle) {
    candidate a = end_against(pill, 0, triangle), b = end_against(pill, 1, triangle);
    sn_vec3 u = sn_sub(pill->b, pill->a);
    sn_real dr = pill->rb - pill->ra, length2 = sn_dot(u, u);
    bool ball = !(length2 > dr * dr && length2 > SN_NO_LENGTH2);
    sn_contact_point best = b.contact.distance < a.contact.distance ? b.contact : a.contact;
    if (ball) best = dr > 0 ? b.contact : a.contact;

    sn_real small2 = 4096 * SN_REAL_EPSILON * SN_REAL_EPSILON * (length2 + sn_length2(sn_sub(pill->a, triangle->a)));
    bool a_is_off = a.reach2 > small2, b_is_off = b.reach2 > small2;
    if (ball && (dr > 0 ? b_is_off : a_is_off)) return best;
    if (!ball && a_is_off && sn_dot(a.contact.normal, u) >= dr) return a.contact;
    if (!ball && b_is_off && sn_dot(b.contact.normal, u) <= dr) return b.contact;

    sn_foot foot[2];
    bool has_plane = sn_triangle_foot(triangle, pill->a, &foot[0]) && sn_triangle_foot(triangle, pill->b, &foot[1]);
    sn_real t, beta, gamma;
    if (!ball && has_plane && sn_segment_through_triangle(pill->a, pill->b, triangle, &t, &beta, &gamma)) {
        return exit_search(pill, foot, beta, gamma);
    }
    static const sn_real at_a[2] = {0, 0}, at_b[2] = {1, 0}, at_c[2] = {0, 1};
    if (!ball) { // the nearest points lie on edges that face a foot of the axis, and an end of the pill sees those
        const sn_foot *f = foot;
        bool all = !has_plane;
        if (all || sn_min(f[0].gamma, f[1].gamma) < SEEN) try_edge(pill, triangle->a, triangle->b, at_a, at_b, &best);
        if (all || sn_max(f[0].beta + f[0].gamma, f[1].beta + f[1].gamma) > 1 - SEEN) {
            try_edge(pill, triangle->b, triangle->c, at_b, at_c, &best);
        }
        if (all || sn_min(f[0].beta, f[1].beta) < SEEN) try_edge(pill, triangle->c, triangle->a, at_c, at_a, &best);
    }
    // An end in the triangle's plane has no direction of its own: use the normal towards the rest of the pill.
    bool end_in_plane = (best.alpha == 0 && !a_is_off) || (best.alpha == 1 && !b_is_off);
    if (end_in_plane) {
        sn_vec3 normal = sn_normalize(u, sn_v3(0, 1, 0));
        normal = has_plane ? foot[0].normal : sn_perpendicular(normal);
        bool below = has_plane && foot[0].height + foot[1].height < 0;
        best.normal = sn_mul(below ? (sn_real)-1 : (sn_real)1, normal);
    }
    return best;
}

sn_contact_point sn_pill_triangle(const sn_pill *pill, const sn_triangle *triangle) {
    sn_contact_point contact = deepest(pill, triangle);
    set_point(pill, &contact);
    return contact;
}

// The range [lo, hi] of [0, 1] where the linear function from f0 to f1 is at least 0.
static void clip(sn_real f0, sn_real f1, sn_real *lo, sn_real *hi) {
    if (f0 < 0 && f1 < 0) {
        *hi = -1;
    } else if (f0 < 0) {
        *lo = sn_max(*lo, f0 / (f0 - f1));
    } else if (f1 < 0) {
        *hi = sn_min(*hi, f0 / (f0 - f1));
    }
}

int sn_pill_triangle_contacts(const sn_pill *pill, const sn_triangle *triangle, sn_real margin,
                              sn_contact_point out[2]) {
    const sn_real same_direction = (sn_real)0.9; // cosine between the normal and the face's
    const sn_real slack = (sn_real)1e-4;         // weights this far outside still count: a pill along an edge of a mesh
    const sn_real too_near =
        (sn_real)0.01; // of the radius (squared, along the pill): below, two contact points are one

    out[0] = sn_pill_triangle(pill, triangle);
    if (!(out[0].distance <= margin)) return 0;
    sn_foot a, b;
    if (!sn_triangle_foot(triangle, pill->a, &a) || !sn_triangle_foot(triangle, pill->b, &b)) return 1;
    sn_real along = sn_dot(out[0].normal, a.normal);
    if (!(sn_abs(along) > same_direction)) return 1;
    sn_real sign = along < 0 ? (sn_real)-1 : (sn_real)1;

    // Over the face the distance is linear: the second contact point is the far end of the range over the face.
    sn_real lo = 0, hi = 1;
    clip(a.beta + slack, b.beta + slack, &lo, &hi);
    clip(a.gamma + slack, b.gamma + slack, &lo, &hi);
    clip(1 - a.beta - a.gamma + slack, 1 - b.beta - b.gamma + slack, &lo, &hi);
    if (!(lo < hi)) return 1;
    sn_real alpha = hi - out[0].alpha > out[0].alpha - lo ? hi : lo;
    sn_contact_point second = {
        .alpha = alpha,
        .beta = sn_clamp(a.beta + alpha * (b.beta - a.beta), 0, 1),
        .gamma = sn_clamp(a.gamma + alpha * (b.gamma - a.gamma), 0, 1),
        .distance = sign * (a.height + alpha * (b.height - a.height)) - radius_at(pill, alpha),
        .normal = sn_mul(sign, a.normal),
    };
    sn_real separation = alpha - out[0].alpha, radius = radius_at(pill, alpha);
    bool one = separation * separation * sn_length2(sn_sub(pill->b, pill->a)) <= too_near * radius * radius;
    // Deeper than the deepest: this end is on the other side of the plane, past an edge.
    bool behind = second.distance < out[0].distance - too_near * radius;
    if (one || behind || !(second.distance <= margin)) return 1;
    set_point(pill, &second);
    out[1] = second;
    sn_contact_point_order(out);
    return 2;
}
