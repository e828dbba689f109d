// Pills against points, spheres, planes and each other.
//
// Point to pill. With x from end a to the point, u from end a to end b, D = rb - ra, the signed distance is
//     min over t of |x - t u| - (ra + t D).
// In the plane through axis and point, the nearest sphere lies where the normal n has n.u = -D: the foot of the
// perpendicular, moved along the axis by rho D / sqrt(l^2 - D^2), where rho is the distance to the axis. (The paper's
// appendix D has the square of rho and the wrong sign.) If |D| >= l there is no such n: the pill is its larger ball.
//
// Pill to pill (VIPER eq. 29, Medial Elastics eq. 22). With d = d0 + alpha u - beta v, d0 from b's start to a's start:
//     f(alpha, beta) = |d| - (ra + alpha Da) - (rb + beta Db)
// is convex: the norm of an affine map minus an affine map. Its minimum over the plane is where n = d/|d| has
//     n.u = Da,   n.v = -Db,                                                                   (*)
// so its component in the plane of u and v is known: n' = (Da/u.u) u + (q/w.w) w where w = v - k u is
// perpendicular to u and q = -(Db + k Da). The height h of d0 over that plane is constant, hence |d| = h /
// sqrt(1 - n'.n'), and alpha, beta follow from the components along w and u. If |n'| >= 1, f is unbounded in the
// direction in which alpha u - beta v is n'; if u and v are parallel, in the direction (k, 1) or its opposite.
//
//      beta       What remains is the square [0,1]^2. On the line from the square's minimum to the plane's *, f does
//     1 +----+    not increase, so the square's minimum lies on a side that faces *. Clamp alpha* and project that
//       |    |    sphere to pill b; clamp beta* and project that one to pill a: the better of the two is the answer.
//       |    |  * If * is inside the square both are, and the projections remove rounding errors.
//     0 +----+
//       0    1 alpha
//
// w comes from two passes of Gram-Schmidt and everything else from the frame (u, w), never from the normal equations:
// nearly parallel axes then lose no digits of the distance (alpha and beta are only as certain as the problem is).
// Where the axes cross, d vanishes; (*) still gives the normal, n' + sqrt(1 - n'.n') m with m perpendicular to u and v.
//
// pill_kernel.c has the same function in SIMD lanes, operation by operation. Change both together.
#include "geometry/pill.h"

// Up to this ratio of w.w to v.v the axes are parallel within rounding.
#define PARALLEL2 (64 * SN_REAL_EPSILON * SN_REAL_EPSILON)
// If the axes are closer than this times the size of the pair, d has no usable direction.
#define CROSSING2 (4096 * SN_REAL_EPSILON * SN_REAL_EPSILON)
// Squares below this may have lost digits to underflow.
#define UNDERFLOW2 ((sn_real)1e-36)

// A pill's axis, prepared for projecting points onto it.
typedef struct {
    sn_vec3 u;          // from end a to end b
    sn_real dr;         // rb - ra
    sn_real length2;    // u.u
    sn_real inverse;    // 1 / u.u, or 0 if it has no length
    sn_real slope;      // dr / (l sqrt(l^2 - dr^2)), or 0 if it is a ball
    bool cone;          // false: a ball, one end contains the other
    sn_real larger_end; // 1 or 0
} axis;

static axis axis_of(sn_vec3 u, sn_real dr) {
    sn_real length2 = sn_dot(u, u);
    bool long_enough = length2 > SN_NO_LENGTH2;
    sn_real cone2 = length2 - dr * dr;
    bool cone = long_enough && cone2 > 0;
    return (axis){
        .u = u,
        .dr = dr,
        .length2 = length2,
        .inverse = long_enough ? 1 / length2 : 0,
        .slope = cone ? dr / sn_sqrt(length2 * cone2) : 0,
        .cone = cone,
        .larger_end = dr > 0 ? 1 : 0,
    };
}

// The parameter of the pill's sphere nearest to x, a point relative to end a.
static sn_real project(const axis *p, sn_vec3 x) {
    sn_real foot = sn_dot(x, p->u) * p->inverse;
    sn_vec3 off = sn_sub(x, sn_mul(foot, p->u));
    sn_real t = foot + sn_sqrt(sn_dot(off, off)) * p->slope;
    return p->cone ? sn_clamp(t, 0, 1) : p->larger_end;
}

// A vector perpendicular to u, not of unit length; (0, 1, 0) if u has no direction.
static sn_vec3 beside(sn_vec3 u) {
    sn_real length2 = sn_dot(u, u);
    sn_vec3 with_x = {0, u.z, -u.y}, with_y = {-u.z, 0, u.x};
    sn_vec3 side = u.x * u.x < (sn_real)0.36 * length2 ? with_x : with_y;
    return sn_dot(side, side) > UNDERFLOW2 ? side : sn_v3(0, 1, 0);
}

typedef struct {
    sn_real alpha, beta, distance;
    sn_vec3 normal;
} pair;

// A candidate for the deepest pair of spheres.
typedef struct {
    sn_real alpha, beta;
    sn_vec3 d; // between their centres
    sn_real reach2, reach, distance;
} candidate;

static candidate measure(sn_real alpha, sn_real beta, sn_vec3 d, sn_real radius_a, sn_real radius_b) {
    sn_real reach2 = sn_dot(d, d), reach = sn_sqrt(reach2);
    return (candidate){alpha, beta, d, reach2, reach, reach - radius_a - radius_b};
}

static pair deepest_pair(const sn_pill *a, const sn_pill *b) {
    axis pa = axis_of(sn_sub(a->b, a->a), a->rb - a->ra);
    axis pb = axis_of(sn_sub(b->b, b->a), b->rb - b->ra);
    sn_vec3 u = pa.u, v = pb.u, d0 = sn_sub(a->a, b->a);

    // v = k u + w.
    sn_real k = sn_dot(u, v) * pa.inverse;
    sn_vec3 w = sn_sub(v, sn_mul(k, u));
    sn_real rest = sn_dot(u, w) * pa.inverse;
    w = sn_sub(w, sn_mul(rest, u));
    k = k + rest;
    sn_real ww = sn_dot(w, w);
    bool spread = ww > PARALLEL2 * pb.length2 && ww > 0; // else parallel
    sn_real inverse_ww = spread ? 1 / ww : 0;

    // The minimum (alpha, beta) over the plane, or a direction in which f is unbounded.
    sn_real q = -(pb.dr + k * pa.dr);
    sn_real nu = pa.dr * pa.inverse, nw = q * inverse_ww;
    sn_real n2 = pa.dr * nu + q * nw;
    sn_real du = sn_dot(d0, u) * pa.inverse, dw = sn_dot(d0, w) * inverse_ww;
    sn_vec3 height = sn_sub(sn_sub(d0, sn_mul(du, u)), sn_mul(dw, w));
    sn_real up2 = 1 - n2; // square of the normal's component out of the plane
    bool bottom = spread && up2 > 0;
    sn_real reach = bottom ? sn_sqrt(sn_dot(height, height) / up2) : 0; // |d|
    sn_real beta_bottom = dw - reach * nw;
    sn_real alpha_bottom = reach * nu - du + beta_bottom * k;
    sn_real beta_fall = spread ? -q : (q > 0 ? (sn_real)-1 : (sn_real)1);
    sn_real alpha_fall = nu * ww + k * beta_fall;
    sn_real alpha_wish = bottom ? alpha_bottom : (alpha_fall > 0 ? (sn_real)1 : (sn_real)0);
    sn_real beta_wish = bottom ? beta_bottom : (beta_fall > 0 ? (sn_real)1 : (sn_real)0);

    sn_real alpha1 = pa.cone ? sn_clamp(alpha_wish, 0, 1) : pa.larger_end;
    sn_vec3 from_b = sn_add(d0, sn_mul(alpha1, u));
    sn_real beta1 = project(&pb, from_b);
    sn_vec3 d1 = sn_sub(from_b, sn_mul(beta1, v));
    candidate first = measure(alpha1, beta1, d1, a->ra + alpha1 * pa.dr, b->ra + beta1 * pb.dr);

    sn_real beta2 = pb.cone ? sn_clamp(beta_wish, 0, 1) : pb.larger_end;
    sn_vec3 from_a = sn_sub(sn_mul(beta2, v), d0);
    sn_real alpha2 = project(&pa, from_a);
    sn_vec3 d2 = sn_sub(sn_mul(alpha2, u), from_a);
    candidate second = measure(alpha2, beta2, d2, a->ra + alpha2 * pa.dr, b->ra + beta2 * pb.dr);

    candidate best = second.distance < first.distance ? second : first;

    // The normal: d, or (*) where the axes cross.
    sn_real size2 = pa.length2 + pb.length2 + sn_dot(d0, d0);
    bool crossing = !(best.reach2 > CROSSING2 * size2 && best.reach2 > UNDERFLOW2);
    sn_vec3 normal = best.d;
    sn_real length = best.reach;
    if (crossing) {
        sn_vec3 m = sn_cross(u, w);
        bool plane = spread && sn_dot(m, m) > UNDERFLOW2;
        m = plane ? m : beside(pa.length2 < pb.length2 ? v : u);
        sn_real out = sn_sqrt((up2 > 0 ? up2 : 1) / sn_dot(m, m));
        out = sn_dot(d0, m) < 0 ? -out : out;
        sn_vec3 inside = sn_add(sn_mul(nu, u), sn_mul(nw, w));
        sn_vec3 up = sn_mul(out, m);
        normal = up2 > 0 ? sn_add(inside, up) : up;
        length = sn_sqrt(sn_dot(normal, normal));
    }
    return (pair){best.alpha, best.beta, best.distance, sn_mul(1 / length, normal)};
}

static sn_contact_point contact_of(const sn_pill *b, pair p) {
    sn_real radius = b->ra + p.beta * (b->rb - b->ra);
    sn_vec3 centre = sn_lerp(b->a, b->b, p.beta);
    return (sn_contact_point){
        .alpha = p.alpha,
        .beta = p.beta,
        .distance = p.distance,
        .normal = p.normal,
        .point = sn_mul_add(centre, radius + (sn_real)0.5 * p.distance, p.normal),
    };
}

sn_contact_point sn_pill_pill(const sn_pill *a, const sn_pill *b) {
    return contact_of(b, deepest_pair(a, b));
}

sn_contact_point sn_pill_sphere(const sn_pill *pill, const sn_sphere *sphere) {
    sn_pill ball = {sphere->centre, sphere->centre, sphere->radius, sphere->radius};
    return contact_of(&ball, deepest_pair(pill, &ball));
}

sn_real sn_pill_distance(const sn_pill *pill, sn_vec3 point, sn_real *t) {
    axis p = axis_of(sn_sub(pill->b, pill->a), pill->rb - pill->ra);
    sn_vec3 x = sn_sub(point, pill->a);
    sn_real at = project(&p, x);
    if (t) *t = at;
    return sn_length(sn_sub(x, sn_mul(at, p.u))) - (pill->ra + at * p.dr);
}

// ---- two contact points

// The pair of spheres at given parameters; uses 'normal' if their centres coincide.
static pair pair_at(const sn_pill *a, const sn_pill *b, sn_real alpha, sn_real beta, sn_vec3 normal) {
    sn_vec3 from_b = sn_add(sn_sub(a->a, b->a), sn_mul(alpha, sn_sub(a->b, a->a)));
    sn_vec3 d = sn_sub(from_b, sn_mul(beta, sn_sub(b->b, b->a)));
    sn_real length = sn_length(d);
    return (pair){
        .alpha = alpha,
        .beta = beta,
        .distance = length - (a->ra + alpha * (a->rb - a->ra)) - (b->ra + beta * (b->rb - b->ra)),
        .normal = length > 0 ? sn_mul(1 / length, d) : normal,
    };
}

// One end of the common range of two pills side by side: end 0 or 1 of b against a, or if that is past an end of a,
// that end of a against b.
static pair stretch_end(const sn_pill *a, const sn_pill *b, int end_of_b, sn_vec3 normal) {
    axis pa = axis_of(sn_sub(a->b, a->a), a->rb - a->ra);
    sn_real beta = (sn_real)end_of_b;
    sn_real alpha = project(&pa, sn_sub(end_of_b ? b->b : b->a, a->a));
    if (!(alpha > 0 && alpha < 1)) {
        axis pb = axis_of(sn_sub(b->b, b->a), b->rb - b->ra);
        beta = project(&pb, sn_add(sn_sub(a->a, b->a), sn_mul(alpha, pa.u)));
    }
    return pair_at(a, b, alpha, beta, normal);
}

// The squared distance of two contact points of the same pills, the smaller along either axis.
static sn_real separation2(const sn_pill *a, const sn_pill *b, pair p, pair q) {
    sn_real on_a = (p.alpha - q.alpha) * (p.alpha - q.alpha) * sn_length2(sn_sub(a->b, a->a));
    sn_real on_b = (p.beta - q.beta) * (p.beta - q.beta) * sn_length2(sn_sub(b->b, b->a));
    return sn_min(on_a, on_b);
}

int sn_pill_pill_contacts(const sn_pill *a, const sn_pill *b, sn_real margin, sn_contact_point out[2]) {
    pair best = deepest_pair(a, b);
    out[0] =
        (sn_contact_point){.alpha = best.alpha, .beta = best.beta, .distance = best.distance, .normal = best.normal};
    return sn_pill_pill_more_contacts(a, b, margin, out);
}

int sn_pill_pill_more_contacts(const sn_pill *a, const sn_pill *b, sn_real margin, sn_contact_point out[2]) {
    const sn_real sag = (sn_real)0.01; // of the smaller radius: how much deeper the middle may be than both ends
    const sn_real same_direction = (sn_real)0.9; // cosine between normals of one contact
    const sn_real along2 = (sn_real)0.9;         // squared cosine between axes of pills side by side
    const sn_real too_near = (sn_real)0.25;      // of the smaller radius squared: below this two contact points are one

    pair best = {.alpha = out[0].alpha, .beta = out[0].beta, .distance = out[0].distance, .normal = out[0].normal};
    if (!(best.distance <= margin)) return 0;
    out[0] = contact_of(b, best);

    // Pills that cross have one contact point.
    sn_vec3 u = sn_sub(a->b, a->a), v = sn_sub(b->b, b->a);
    sn_real uv = sn_dot(u, v);
    if (uv * uv < along2 * sn_dot(u, u) * sn_dot(v, v)) return 1;

    sn_real small = sn_min(a->ra + best.alpha * (a->rb - a->ra), b->ra + best.beta * (b->rb - b->ra));
    sn_real near2 = too_near * small * small;
    pair end[2];
    bool good[2];
    for (int i = 0; i < 2; i++) {
        end[i] = stretch_end(a, b, i, best.normal);
        good[i] = end[i].distance <= margin && sn_dot(end[i].normal, best.normal) > same_direction;
    }
    bool flat = end[0].distance <= best.distance + sag * small && end[1].distance <= best.distance + sag * small;
    if (good[0] && good[1] && flat && separation2(a, b, end[0], end[1]) > near2) {
        out[0] = contact_of(b, end[0]);
        out[1] = contact_of(b, end[1]);
        sn_contact_point_order(out);
        return 2;
    }
    int farther = separation2(a, b, end[1], best) > separation2(a, b, end[0], best);
    if (!good[farther]) farther = !farther;
    if (!good[farther] || !(separation2(a, b, end[farther], best) > near2)) return 1;
    out[1] = contact_of(b, end[farther]);
    sn_contact_point_order(out);
    return 2;
}

// The sphere at one end against a half-space.
static sn_contact_point end_on_plane(const sn_pill *pill, int end, const sn_plane *plane) {
    sn_vec3 centre = end ? pill->b : pill->a;
    sn_real height = sn_dot(plane->normal, sn_sub(centre, plane->point));
    sn_real distance = height - (end ? pill->rb : pill->ra);
    return (sn_contact_point){
        .alpha = (sn_real)end,
        .distance = distance,
        .normal = plane->normal,
        .point = sn_mul_add(centre, (sn_real)0.5 * distance - height, plane->normal),
    };
}

int sn_pill_plane_contacts(const sn_pill *pill, const sn_plane *plane, sn_real margin, sn_contact_point out[2]) {
    sn_contact_point end[2] = {end_on_plane(pill, 0, plane), end_on_plane(pill, 1, plane)};
    // If one ball contains the other, the pill is that ball.
    sn_real dr = pill->rb - pill->ra;
    bool ball = !(sn_length2(sn_sub(pill->b, pill->a)) > dr * dr);
    int count = 0;
    for (int i = 0; i < 2; i++) {
        if (ball && i != (dr > 0)) continue;
        if (end[i].distance <= margin) out[count++] = end[i];
    }
    return count;
}

sn_contact_point sn_pill_plane(const sn_pill *pill, const sn_plane *plane) {
    sn_contact_point a = end_on_plane(pill, 0, plane), b = end_on_plane(pill, 1, plane);
    return b.distance < a.distance ? b : a; // linear along the pill: the minimum is at an end
}

// ---- bounds and volumes

sn_sphere sn_pill_sphere_bound(const sn_pill *pill) {
    sn_vec3 u = sn_sub(pill->b, pill->a);
    sn_real length = sn_length(u), dr = pill->rb - pill->ra;
    if (!(length > sn_abs(dr))) {
        sn_sphere ball = dr > 0 ? (sn_sphere){pill->b, pill->rb} : (sn_sphere){pill->a, pill->ra};
        ball.radius += 4 * SN_REAL_EPSILON * ball.radius; // the smaller ball may stick out by a rounding error
        return ball;
    }
    sn_sphere bound = {
        .centre = sn_mul_add(pill->a, (sn_real)0.5 * (1 + dr / length), u),
        .radius = (sn_real)0.5 * (length + pill->ra + pill->rb),
    };
    // The centre is rounded to the precision at that distance from the origin.
    sn_real out_there = sn_abs(bound.centre.x) + sn_abs(bound.centre.y) + sn_abs(bound.centre.z);
    bound.radius += 2 * SN_REAL_EPSILON * (2 * bound.radius + out_there);
    return bound;
}

// x rounded down (sign +1: up) by a little more than a rounding error of x or r.
static sn_real outward(sn_real x, sn_real r, sn_real sign) {
    return x + sign * (r + SN_REAL_EPSILON * (sn_abs(x) + r));
}

sn_bounds sn_pill_bounds(const sn_pill *pill) {
    const sn_vec3 *a = &pill->a, *b = &pill->b;
    sn_real ra = pill->ra, rb = pill->rb;
    return (sn_bounds){
        .lo = {sn_min(outward(a->x, ra, -1), outward(b->x, rb, -1)),
               sn_min(outward(a->y, ra, -1), outward(b->y, rb, -1)),
               sn_min(outward(a->z, ra, -1), outward(b->z, rb, -1))},
        .hi = {sn_max(outward(a->x, ra, 1), outward(b->x, rb, 1)), sn_max(outward(a->y, ra, 1), outward(b->y, rb, 1)),
               sn_max(outward(a->z, ra, 1), outward(b->z, rb, 1))},
    };
}

sn_real sn_pill_segment_volume(const sn_pill *pill) {
    sn_real ra = pill->ra, rb = pill->rb, dr = sn_abs(rb - ra);
    sn_real length = sn_length(sn_sub(pill->b, pill->a));
    sn_real q = ra * ra + ra * rb + rb * rb;
    sn_real stretch = length > dr ? length + dr * dr / length : 2 * dr;
    return SN_PI / 3 * q * stretch;
}

sn_real sn_pill_volume(const sn_pill *pill) {
    // Two spherical caps and a cone between the circles of tangency; the sum simplifies to this.
    sn_real ra = pill->ra, rb = pill->rb;
    return 2 * SN_PI / 3 * (ra * ra * ra + rb * rb * rb) + sn_pill_segment_volume(pill);
}

sn_real sn_pill_frustum_volume(const sn_pill *pill) {
    sn_real ra = pill->ra, rb = pill->rb;
    return SN_PI / 3 * (ra * ra + ra * rb + rb * rb) * sn_length(sn_sub(pill->b, pill->a));
}

// ---- segments

sn_real sn_segment_nearest(sn_vec3 p, sn_vec3 a, sn_vec3 b) {
    sn_vec3 u = sn_sub(b, a);
    sn_real length2 = sn_dot(u, u);
    if (!(length2 > SN_NO_LENGTH2)) return 0;
    return sn_clamp(sn_dot(sn_sub(p, a), u) / length2, 0, 1);
}
