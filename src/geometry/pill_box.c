// Pill against box: min over alpha of s(c(alpha)) - r(alpha), where s is the signed distance of a point to the box.
// Convex.
//
// In the box's frame, with q_i = |c_i| - h_i, s is the length of the vector of positive q's if there are any, else the
// largest q. Along the axis the formula of s changes only where the axis crosses one of the six face planes, and inside
// the box where two of the six functions +-c_i - h_i are equal. Between these breakpoints s is linear (inside) or the
// distance of a point to a line (outside), whose minimum has the closed form of pill.c. By convexity the minimum is
// next to the best breakpoint.
#include "geometry/pill.h"

// At most two ends, six face planes, fifteen pairs of faces.
#define PLACE_CAPACITY 23

typedef struct {
    sn_real c0[3], u[3], half[3]; // the pill's axis c0 + alpha u, in the box's frame
    sn_real ra, dr;
} scene;

static scene scene_of(const sn_pill *pill, const sn_box *box) {
    sn_quat to_box = sn_q_conj(box->rotation);
    sn_vec3 a = sn_q_rotate(to_box, sn_sub(pill->a, box->centre));
    sn_vec3 u = sn_q_rotate(to_box, sn_sub(pill->b, pill->a));
    return (scene){
        {a.x, a.y, a.z}, {u.x, u.y, u.z}, {box->half.x, box->half.y, box->half.z}, pill->ra, pill->rb - pill->ra};
}

static sn_real along(const scene *s, sn_real alpha, int i) {
    return s->c0[i] + alpha * s->u[i];
}

// Signed distance of the sphere at alpha; also its normal in the box's frame if not null.
static sn_real distance_at(const scene *s, sn_real alpha, sn_real normal[3]) {
    sn_real outside[3], reach2 = 0, largest = 0;
    int face = -1;
    for (int i = 0; i < 3; i++) {
        sn_real c = along(s, alpha, i), q = sn_abs(c) - s->half[i];
        outside[i] = q > 0 ? (c < 0 ? -q : q) : 0;
        reach2 += outside[i] * outside[i];
        if (face < 0 || q > largest) largest = q, face = i;
    }
    sn_real reach = sn_sqrt(reach2);
    if (normal) {
        for (int i = 0; i < 3; i++) normal[i] = reach > 0 ? outside[i] / reach : 0;
        if (!(reach > 0)) normal[face] = along(s, alpha, face) < 0 ? (sn_real)-1 : (sn_real)1;
    }
    return (largest > 0 ? reach : largest) - (s->ra + alpha * s->dr);
}

// Whether the axis passes through the inside of the box.
static bool goes_inside(const scene *s) {
    sn_real enter = 0, leave = 1;
    for (int i = 0; i < 3; i++) {
        if (s->u[i] == 0) {
            if (sn_abs(s->c0[i]) > s->half[i]) return false;
            continue;
        }
        sn_real t0 = (-s->half[i] - s->c0[i]) / s->u[i], t1 = (s->half[i] - s->c0[i]) / s->u[i];
        enter = sn_max(enter, sn_min(t0, t1));
        leave = sn_min(leave, sn_max(t0, t1));
    }
    return enter <= leave;
}

static int add_place(sn_real place[PLACE_CAPACITY], int count, sn_real rise, sn_real run) {
    sn_real alpha = rise / run;
    if (alpha > 0 && alpha < 1) place[count++] = alpha; // false for 0/0 too
    return count;
}

// The ends and the crossings with face planes.
static int outer_places(const scene *s, sn_real place[PLACE_CAPACITY]) {
    int count = 0;
    place[count++] = 0;
    place[count++] = 1;
    for (int i = 0; i < 3; i++) {
        count = add_place(place, count, s->half[i] - s->c0[i], s->u[i]);
        count = add_place(place, count, -s->half[i] - s->c0[i], s->u[i]);
    }
    return count;
}

// The breakpoints where two faces are equally near.
static int inner_places(const scene *s, sn_real place[PLACE_CAPACITY], int count) {
    for (int f = 0; f < 6; f++) {
        sn_real sign_f = f % 2 ? (sn_real)-1 : (sn_real)1;
        for (int g = f + 1; g < 6; g++) {
            sn_real sign_g = g % 2 ? (sn_real)-1 : (sn_real)1;
            sn_real rise = (sign_g * s->c0[g / 2] - s->half[g / 2]) - (sign_f * s->c0[f / 2] - s->half[f / 2]);
            count = add_place(place, count, rise, sign_f * s->u[f / 2] - sign_g * s->u[g / 2]);
        }
    }
    return count;
}

// The minimum between two neighbouring breakpoints if the axis is outside the box there; else one of them.
static sn_real between(const scene *s, sn_real lo, sn_real hi) {
    sn_real middle = (sn_real)0.5 * (lo + hi);
    sn_real ee = 0, fe = 0, f[3], e[3]; // the vector to the box is f + alpha e
    for (int i = 0; i < 3; i++) {
        sn_real c = along(s, middle, i);
        bool off = sn_abs(c) > s->half[i];
        e[i] = off ? s->u[i] : 0;
        f[i] = off ? s->c0[i] - (c < 0 ? -s->half[i] : s->half[i]) : 0;
        ee += e[i] * e[i];
        fe += f[i] * e[i];
    }
    sn_real cone2 = ee - s->dr * s->dr;
    if (!(ee > SN_NO_LENGTH2 && cone2 > 0)) return lo;
    sn_real foot = -fe / ee, rho2 = 0;
    for (int i = 0; i < 3; i++) {
        sn_real off = f[i] + foot * e[i];
        rho2 += off * off;
    }
    return sn_clamp(foot + sn_sqrt(rho2) * s->dr / sn_sqrt(ee * cone2), lo, hi);
}

static sn_real deepest(const scene *s) {
    sn_real place[PLACE_CAPACITY];
    int count = outer_places(s, place);
    if (goes_inside(s)) count = inner_places(s, place, count);
    sn_real best = 0, lowest = distance_at(s, 0, NULL);
    for (int i = 1; i < count; i++) {
        sn_real d = distance_at(s, place[i], NULL);
        if (d < lowest) lowest = d, best = place[i];
    }
    sn_real before = 0, after = 1;
    for (int i = 0; i < count; i++) {
        if (place[i] < best && place[i] > before) before = place[i];
        if (place[i] > best && place[i] < after) after = place[i];
    }
    const sn_real tries[2] = {between(s, before, best), between(s, best, after)};
    for (int i = 0; i < 2; i++) {
        sn_real d = distance_at(s, tries[i], NULL);
        if (d < lowest) lowest = d, best = tries[i];
    }
    return best;
}

static sn_contact_point contact_at(const sn_pill *pill, const sn_box *box, const scene *s, sn_real alpha) {
    sn_real n[3];
    sn_contact_point contact = {.alpha = alpha, .distance = distance_at(s, alpha, n)};
    contact.normal = sn_q_rotate(box->rotation, sn_v3(n[0], n[1], n[2]));
    contact.normal = sn_normalize(contact.normal, sn_v3(0, 1, 0)); // the quaternion is unit only up to rounding
    sn_real back = s->ra + alpha * s->dr + (sn_real)0.5 * contact.distance;
    contact.point = sn_mul_add(sn_lerp(pill->a, pill->b, alpha), -back, contact.normal);
    return contact;
}

sn_contact_point sn_pill_box(const sn_pill *pill, const sn_box *box) {
    scene s = scene_of(pill, box);
    return contact_at(pill, box, &s, deepest(&s));
}

int sn_pill_box_contacts(const sn_pill *pill, const sn_box *box, sn_real margin, sn_contact_point out[2]) {
    const sn_real same_direction = (sn_real)0.9; // cosine between normals of one contact
    const sn_real too_near = (sn_real)0.01;      // of the radius squared: below this two contact points are one

    scene s = scene_of(pill, box);
    out[0] = contact_at(pill, box, &s, deepest(&s));
    if (!(out[0].distance <= margin)) return 0;

    // The second: the farthest end or crossing with a face plane with nearly the same normal.
    sn_real length2 = s.u[0] * s.u[0] + s.u[1] * s.u[1] + s.u[2] * s.u[2];
    sn_real place[PLACE_CAPACITY], farthest = 0;
    int count = outer_places(&s, place), found = 1;
    for (int i = 0; i < count; i++) {
        sn_real separation = sn_abs(place[i] - out[0].alpha), radius = s.ra + place[i] * s.dr;
        if (!(separation > farthest) || !(separation * separation * length2 > too_near * radius * radius)) continue;
        sn_contact_point contact = contact_at(pill, box, &s, place[i]);
        if (!(contact.distance <= margin) || !(sn_dot(contact.normal, out[0].normal) > same_direction)) continue;
        out[1] = contact;
        farthest = separation;
        found = 2;
    }
    if (found == 2) sn_contact_point_order(out);
    return found;
}
