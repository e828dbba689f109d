// Shaping a swept muscle: tangents, normals, radii, and the numbers that its field is evaluated from.
//
// Normals are carried along the axis without turning about it (parallel transport), from the one given at the origin;
// what is then left to the one at the insertion is a twist, shared out along the length. Unlike normals taken from the
// axis' own curvature they do not shiver when the axis is nearly straight.
#include "kinds/implicit_muscle/muscle_shape.h"
#include "base/math/trig.h"

size_t sn_swept_padded(int points) {
    return ((size_t)points + SN_SWEPT_ROW - 1) / SN_SWEPT_ROW * SN_SWEPT_ROW;
}

// The arrays of a muscle are one block each.
typedef struct {
    void **array;
    size_t count, size;
} part;

enum { PARTS = 9 };

static void list_parts(sn_swept *m, int points, part out[PARTS]) {
    const size_t n = (size_t)points;
    out[0] = (part){(void **)&m->axis, n, sizeof *m->axis};
    out[1] = (part){(void **)&m->tangent, n, sizeof *m->tangent};
    out[2] = (part){(void **)&m->normal, n, sizeof *m->normal};
    out[3] = (part){(void **)&m->along, n, sizeof *m->along};
    out[4] = (part){(void **)&m->radius, n, sizeof *m->radius};
    out[5] = (part){(void **)&m->slope, n, sizeof *m->slope};
    out[6] = (part){(void **)&m->scan, n * SN_SWEPT_SCAN, sizeof *m->scan};
    out[7] = (part){(void **)&m->record, n * SN_SWEPT_RECORD, sizeof *m->record};
    out[8] = (part){(void **)&m->planes, sn_swept_padded(points) * 6, sizeof *m->planes};
}

sn_status sn_swept_init(sn_swept *muscle, sn_memory *memory, int points) {
    *muscle = (sn_swept){0};
    if (points < 2 || points > SN_SWEPT_MOST) return SN_ERR_RANGE;
    muscle->points = points;
    muscle->thin = muscle->thick = 1;
    part parts[PARTS];
    list_parts(muscle, points, parts);
    for (int i = 0; i < PARTS; i++) {
        *parts[i].array = sn_alloc(memory, parts[i].count, parts[i].size);
        if (!*parts[i].array) {
            sn_swept_free(muscle, memory);
            return SN_ERR_MEMORY;
        }
    }
    return SN_OK;
}

void sn_swept_free(sn_swept *muscle, sn_memory *memory) {
    part parts[PARTS];
    list_parts(muscle, muscle->points, parts);
    for (int i = 0; i < PARTS; i++) sn_free(memory, *parts[i].array, parts[i].count, parts[i].size);
    *muscle = (sn_swept){0};
}

// The direction of the first segment that has one; x if all points are in one place.
static sn_vec3 first_direction(const sn_swept *m) {
    for (int i = 0; i + 1 < m->points; i++) {
        sn_vec3 e = sn_sub(m->axis[i + 1], m->axis[i]);
        if (sn_length(e) > 0) return sn_normalize(e, e);
    }
    return sn_v3(1, 0, 0);
}

static void make_tangents(sn_swept *m) {
    const int last = m->points - 1;
    sn_vec3 before = first_direction(m);
    m->length = 0, m->along[0] = 0, m->tangent[0] = before;
    for (int i = 0; i < last; i++) {
        sn_vec3 e = sn_sub(m->axis[i + 1], m->axis[i]), direction = sn_normalize(e, before);
        // A chain that turns right back has no middle tangent: the plane is then across the segment before.
        if (i > 0) m->tangent[i] = sn_normalize(sn_add(before, direction), before);
        m->length += sn_length(e);
        m->along[i + 1] = m->length;
        before = direction;
    }
    m->tangent[last] = before;
    // No length, no s: equal steps then, so that everything stays finite.
    for (int i = 1; i <= last; i++) m->along[i] = m->length > 0 ? m->along[i] / m->length : (sn_real)i / (sn_real)last;
}

static sn_vec3 across(sn_vec3 normal, sn_vec3 tangent) {
    return sn_normalize(sn_mul_add(normal, -sn_dot(normal, tangent), tangent), sn_perpendicular(tangent));
}

// The normal n at tangent a after the least turn that takes a to b: n - (n . b) / (1 + a . b) (a + b).
static sn_vec3 carried(sn_vec3 n, sn_vec3 a, sn_vec3 b) {
    const sn_real sum = 1 + sn_dot(a, b);
    if (sum > (sn_real)1e-4) n = sn_mul_add(n, -sn_dot(n, b) / sum, sn_add(a, b));
    return across(n, b);
}

static void make_normals(sn_swept *m, const sn_vec3 *normals) {
    const int last = m->points - 1;
    m->normal[0] = normals ? across(normals[0], m->tangent[0]) : sn_perpendicular(m->tangent[0]);
    for (int i = 0; i < last; i++) {
        m->normal[i + 1] = carried(m->normal[i], m->tangent[i], m->tangent[i + 1]);
    }
    if (!normals) return;
    sn_vec3 target = across(normals[1], m->tangent[last]);
    sn_vec3 side = sn_cross(m->tangent[last], m->normal[last]);
    sn_real twist = sn_atan2(sn_dot(target, side), sn_dot(target, m->normal[last]));
    // The turn nearest to that of the frame before, so that half a turn does not snap back. One that a damaged file
    // says, of more turns than a float can count, is forgotten.
    if (!(sn_abs(m->twist) < (sn_real)1e4)) m->twist = twist;
    while (twist - m->twist > SN_PI) twist -= 2 * SN_PI;
    while (m->twist - twist > SN_PI) twist += 2 * SN_PI;
    m->twist = twist;
    for (int i = 1; i <= last && twist != 0; i++) {
        sn_real sine, cosine;
        sn_sincos(twist * m->along[i], &sine, &cosine);
        m->normal[i] = sn_mul_add(sn_mul(cosine, m->normal[i]), sine, sn_cross(m->tangent[i], m->normal[i]));
    }
}

static void make_ellipse(sn_swept *m, sn_real eccentricity) {
    sn_real e = sn_clamp(eccentricity, 0, SN_SWEPT_MOST_ECCENTRICITY);
    m->thin = sn_sqrt(sn_sqrt(1 - e * e));
    m->thick = 1 / m->thin;
}

// What the field needs of each segment, and the capsule around all of it.
static void make_field(sn_swept *m) {
    const int last = m->points - 1;
    m->most = 0, m->around = 0;
    m->from = m->axis[0], m->to = m->axis[last];
    const sn_vec3 span = sn_sub(m->to, m->from);
    const sn_real span2 = sn_length2(span);
    const size_t row = sn_swept_padded(m->points);
    for (int i = 0; i <= last; i++) {
        const int next = i < last ? i + 1 : i;
        const sn_vec3 p = m->axis[i], e = sn_sub(m->axis[next], p), t = m->tangent[i], u = m->tangent[next];
        const sn_vec3 n = m->normal[i], turn = sn_sub(m->normal[next], n);
        const sn_real length2 = sn_length2(e), share = m->along[next] - m->along[i];
        sn_real *scan = m->scan + i * SN_SWEPT_SCAN, *record = m->record + i * SN_SWEPT_RECORD;
        sn_real *planes = m->planes + i;
        planes[0] = p.x, planes[row] = p.y, planes[2 * row] = p.z;
        planes[3 * row] = t.x, planes[4 * row] = t.y, planes[5 * row] = t.z;
        scan[0] = p.x, scan[1] = p.y, scan[2] = p.z;
        scan[3] = t.x, scan[4] = t.y, scan[5] = t.z;
        scan[6] = e.x, scan[7] = e.y, scan[8] = e.z;
        scan[9] = length2 > 0 ? 1 / length2 : 0;
        // The cubic of the radius.
        const sn_real r0 = m->radius[i], r1 = m->radius[next], s0 = m->slope[i] * share, s1 = m->slope[next] * share;
        record[0] = p.x, record[1] = p.y, record[2] = p.z, record[3] = r0;
        record[4] = e.x, record[5] = e.y, record[6] = e.z, record[7] = s0;
        record[8] = t.x, record[9] = t.y, record[10] = t.z, record[11] = 3 * (r1 - r0) - 2 * s0 - s1;
        record[12] = u.x, record[13] = u.y, record[14] = u.z, record[15] = 2 * (r0 - r1) + s0 + s1;
        record[16] = n.x, record[17] = n.y, record[18] = n.z;
        record[20] = turn.x, record[21] = turn.y, record[22] = turn.z;
        // A cubic is nowhere above its control points, and the distance to a line on a segment nowhere above its ends.
        const sn_real third = (sn_real)1 / 3, thick = m->thick;
        const sn_real radius = thick * sn_max(sn_max(r0, r0 + third * s0), sn_max(r1, r1 - third * s1));
        m->most = sn_max(m->most, radius);
        for (int end = 0; end < 2; end++) {
            const sn_vec3 away = sn_sub(m->axis[end ? next : i], m->from);
            const sn_real at = span2 > 0 ? sn_clamp(sn_dot(away, span) / span2, 0, 1) : 0;
            m->around = sn_max(m->around, radius + sn_length(sn_mul_add(away, -at, span)));
        }
    }
    m->around *= 1 + 4 * SN_REAL_EPSILON;
}

static void make_radii(sn_swept *m, const sn_swept_profile *profile, sn_real activation, sn_real volume,
                       sn_real exaggeration) {
    m->width = m->length > 0 ? exaggeration * sn_sqrt(volume / (SN_PI * m->length)) : 0;
    const sn_swept_mix mix = sn_swept_mix_of(profile, activation);
    for (int i = 0; i < m->points; i++) {
        sn_real slope;
        m->radius[i] = m->width * sn_swept_mixed(profile, mix, m->along[i], &slope);
        m->slope[i] = m->width * slope;
    }
}

void sn_swept_form(sn_swept *m, const sn_swept_profile *profile, sn_real activation, sn_real volume,
                   sn_real exaggeration, const sn_vec3 normals[2]) {
    const sn_real a = sn_clamp(activation, 0, 1);
    make_tangents(m);
    make_ellipse(m, profile->rest.eccentricity + a * (profile->active.eccentricity - profile->rest.eccentricity));
    make_normals(m, normals);
    make_radii(m, profile, a, volume, exaggeration);
    make_field(m);
}

void sn_swept_form_again(sn_swept *m, const sn_swept_profile *profile, sn_real activation, sn_real volume,
                         sn_real exaggeration) {
    make_tangents(m);
    make_radii(m, profile, sn_clamp(activation, 0, 1), volume, exaggeration);
}

// The slope of three radii: of the parabola through them.
static sn_real slope_of(const sn_swept *m, int i) {
    const int last = m->points - 1, a = i > 0 ? i - 1 : 0, b = i < last ? i + 1 : last;
    const sn_real left = m->along[i] - m->along[a], right = m->along[b] - m->along[i];
    const sn_real fall = left > 0 ? (m->radius[i] - m->radius[a]) / left : 0;
    const sn_real rise = right > 0 ? (m->radius[b] - m->radius[i]) / right : 0;
    if (left > 0 && right > 0) return (right * fall + left * rise) / (left + right);
    return left > 0 ? fall : rise;
}

void sn_swept_form_radii(sn_swept *m, const sn_real *radii, sn_real eccentricity, const sn_vec3 normals[2]) {
    make_tangents(m);
    make_ellipse(m, eccentricity);
    make_normals(m, normals);
    m->width = 0;
    for (int i = 0; i < m->points; i++) m->radius[i] = sn_max(radii[i], 0);
    for (int i = 0; i < m->points; i++) m->slope[i] = slope_of(m, i);
    make_field(m);
}

void sn_swept_untwist(sn_swept *muscle) {
    muscle->twist = 0;
}

sn_real sn_swept_volume(const sn_swept *m) {
    // Of each cubic's square, exactly: Gauss with four places is exact up to degree 7.
    static const double place[4] = {0.06943184420297371, 0.33000947820757187, 0.66999052179242813, 0.93056815579702629};
    static const double weight[4] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                                     0.17392742256872693};
    double sum = 0;
    for (int i = 0; i + 1 < m->points; i++) {
        const sn_real *record = m->record + i * SN_SWEPT_RECORD;
        const double c[4] = {(double)record[3], (double)record[7], (double)record[11], (double)record[15]};
        for (int k = 0; k < 4; k++) {
            const double t = place[k], r = ((c[3] * t + c[2]) * t + c[1]) * t + c[0];
            sum += weight[k] * r * r * (double)(m->along[i + 1] - m->along[i]);
        }
    }
    return (sn_real)(3.14159265358979323846 * (double)m->length * sum);
}
