// All elements are convex, and so is the probe: the gap g between them is a convex function of the way t that the probe has gone,
// and its derivative is n . d, with n the normal at the nearest points and d the motion. Newton's method from the start,
//
//     t <- t - g(t) / (n . d),
//
// follows tangents, which lie below g: it comes to the first root from below, never goes past it, and converges quadratically, or
// linearly where the probe only grazes. Where n . d >= 0 the gap does not close any more.
//
// Places are relative to the element and come from doubles: a float is exact enough for what is near, and near the root all is.
#include "query/probe.h"

enum { STEPS = 64 };

static sn_vec3 origin_of(const sn_query_primitive *s) {
    switch (s->form) {
    case SN_QUERY_PILL:
        return s->as.pill.a;
    case SN_QUERY_SLAB:
        return s->as.slab.c[0];
    case SN_QUERY_BOX:
        return s->as.box.centre;
    case SN_QUERY_PLANE:
        return s->as.plane.point;
    default:
        return s->as.triangle.a;
    }
}

// How large it is: what rounding errors are relative to.
static sn_real size_of(const sn_query_primitive *s) {
    switch (s->form) {
    case SN_QUERY_PILL:
        return sn_length(sn_sub(s->as.pill.b, s->as.pill.a)) + sn_max(s->as.pill.ra, s->as.pill.rb);
    case SN_QUERY_SLAB:
        return sn_max(sn_length(sn_sub(s->as.slab.c[1], s->as.slab.c[0])),
                      sn_length(sn_sub(s->as.slab.c[2], s->as.slab.c[0]))) +
               sn_max(s->as.slab.r[0], sn_max(s->as.slab.r[1], s->as.slab.r[2]));
    case SN_QUERY_BOX:
        return sn_length(s->as.box.half);
    case SN_QUERY_PLANE:
        return 0;
    default:
        return sn_max(sn_length(sn_sub(s->as.triangle.b, s->as.triangle.a)),
                      sn_length(sn_sub(s->as.triangle.c, s->as.triangle.a)));
    }
}

sn_bounds sn_query_bounds(const sn_query_primitive *s) {
    const sn_real far = (sn_real)INFINITY;
    switch (s->form) {
    case SN_QUERY_PILL:
        return sn_pill_bounds(&s->as.pill);
    case SN_QUERY_SLAB:
        return sn_slab_bounds(&s->as.slab);
    case SN_QUERY_PLANE:
        return (sn_bounds){{-far, -far, -far}, {far, far, far}};
    case SN_QUERY_BOX: {
        const sn_box *box = &s->as.box;
        const sn_vec3 x = sn_mul(box->half.x, sn_q_axis_x(box->rotation)),
                      y = sn_mul(box->half.y, sn_q_axis_y(box->rotation)),
                      z = sn_mul(box->half.z, sn_q_axis_z(box->rotation));
        const sn_vec3 r = {sn_abs(x.x) + sn_abs(y.x) + sn_abs(z.x), sn_abs(x.y) + sn_abs(y.y) + sn_abs(z.y),
                           sn_abs(x.z) + sn_abs(y.z) + sn_abs(z.z)};
        return (sn_bounds){sn_sub(box->centre, r), sn_add(box->centre, r)};
    }
    default: {
        const sn_slab flat = {{s->as.triangle.a, s->as.triangle.b, s->as.triangle.c}, {0, 0, 0}};
        return sn_slab_bounds(&flat);
    }
    }
}

static sn_vec3 to_vec(sn_point p) {
    return (sn_vec3){(sn_real)p.x, (sn_real)p.y, (sn_real)p.z};
}

// With everything relative to the element's origin.
static sn_contact_point contact_of(const sn_query_primitive *s, const sn_pill *probe, sn_real weight[3]) {
    const sn_vec3 o = origin_of(s), zero = {0, 0, 0};
    sn_contact_point c;
    weight[0] = 1, weight[1] = weight[2] = 0;
    switch (s->form) {
    case SN_QUERY_PILL: {
        const sn_pill pill = {zero, sn_sub(s->as.pill.b, o), s->as.pill.ra, s->as.pill.rb};
        c = sn_pill_pill(probe, &pill);
        weight[0] = 1 - c.beta, weight[1] = c.beta;
        return c;
    }
    case SN_QUERY_SLAB: {
        const sn_slab *slab = &s->as.slab;
        const sn_slab local = {{zero, sn_sub(slab->c[1], o), sn_sub(slab->c[2], o)},
                               {slab->r[0], slab->r[1], slab->r[2]}};
        sn_slab_pair pair;
        sn_slab_pill(&local, probe, &pair);
        for (int k = 0; k < 3; k++) weight[k] = pair.a[k];
        return (sn_contact_point){.alpha = pair.b[1], .distance = pair.gap, .normal = sn_mul(-1, pair.normal)};
    }
    case SN_QUERY_BOX: {
        const sn_box box = {zero, s->as.box.rotation, s->as.box.half};
        return sn_pill_box(probe, &box);
    }
    case SN_QUERY_PLANE: {
        const sn_plane plane = {zero, s->as.plane.normal};
        return sn_pill_plane(probe, &plane);
    }
    default: {
        const sn_triangle *t = &s->as.triangle, local = {zero, sn_sub(t->b, o), sn_sub(t->c, o)};
        c = sn_pill_triangle(probe, &local);
        weight[0] = 1 - c.beta - c.gamma, weight[1] = c.beta, weight[2] = c.gamma;
        return c;
    }
    }
}

// The probe at some of its motion, relative to the element.
static sn_pill pill_at(const sn_query_primitive *s, const sn_query_probe *probe, double at) {
    const sn_vec3 origin = origin_of(s);
    const sn_point o = {(double)origin.x, (double)origin.y, (double)origin.z};
    return (sn_pill){to_vec(sn_point_sub(sn_point_mul_add(probe->a, at, probe->motion), o)),
                     to_vec(sn_point_sub(sn_point_mul_add(probe->b, at, probe->motion), o)), probe->ra, probe->rb};
}

void sn_query_measure(const sn_query_primitive *s, const sn_query_probe *probe, double at, sn_query_contact *out) {
    const sn_pill pill = pill_at(s, probe, at);
    const sn_contact_point c = contact_of(s, &pill, out->weight);
    const sn_vec3 origin = origin_of(s);
    const sn_real from = pill.ra + c.alpha * (pill.rb - pill.ra) + c.distance;
    const sn_vec3 p = sn_mul_add(sn_lerp(pill.a, pill.b, c.alpha), -from, c.normal);
    out->at = at, out->gap = c.distance, out->normal = c.normal;
    out->point =
        (sn_point){(double)origin.x + (double)p.x, (double)origin.y + (double)p.y, (double)origin.z + (double)p.z};
}

bool sn_query_cast(const sn_query_primitive *s, const sn_query_probe *probe, double max, sn_query_contact *out) {
    const sn_real own = size_of(s) + sn_max(probe->ra, probe->rb);
    double at = 0;
    sn_vec3 normal = {0, 0, 0};
    for (int i = 0; i < STEPS; i++) {
        const sn_pill pill = pill_at(s, probe, at);
        sn_real weight[3];
        const sn_contact_point c = contact_of(s, &pill, weight);
        const sn_real reached = 4 * SN_REAL_EPSILON * (own + sn_length(pill.a) + sn_length(sn_sub(pill.b, pill.a)));
        if (c.distance <= reached) {
            sn_query_measure(s, probe, at, out);
            if (i > 0) out->normal = normal, out->gap = 0; // where they touch, normals are no longer sure
            return true;
        }
        normal = c.normal;
        const double closing = -((double)normal.x * probe->motion.x + (double)normal.y * probe->motion.y +
                                 (double)normal.z * probe->motion.z);
        if (!(closing > 0)) return false;
        at += (double)c.distance / closing;
        if (!(at <= max)) return false;
    }
    return false;
}
