// Builds a spindle: tangents, normals, radii, and the coefficients of its field.
//
// Normals are parallel transported along the axis from the given normal at the origin. The remaining angle to the
// normal at the insertion is a twist, distributed along the length. Unlike Frenet normals they do not jitter when the
// axis is nearly straight.
#include "kinds/implicit_muscle/muscle_spindle.h"
#include "base/math/trig.h"

size_t sn_muscle_padded_count(int points) {
    return ((size_t)points + SN_MUSCLE_ROW - 1) / SN_MUSCLE_ROW * SN_MUSCLE_ROW;
}

typedef struct {
    void **data;
    size_t count, size;
} array;

enum { ARRAYS = 9 };

static void list_arrays(sn_muscle_spindle *m, int points, array out[ARRAYS]) {
    const size_t n = (size_t)points;
    out[0] = (array){(void **)&m->axis, n, sizeof *m->axis};
    out[1] = (array){(void **)&m->tangent, n, sizeof *m->tangent};
    out[2] = (array){(void **)&m->normal, n, sizeof *m->normal};
    out[3] = (array){(void **)&m->along, n, sizeof *m->along};
    out[4] = (array){(void **)&m->radius, n, sizeof *m->radius};
    out[5] = (array){(void **)&m->slope, n, sizeof *m->slope};
    out[6] = (array){(void **)&m->scan, n * SN_MUSCLE_SCAN_STRIDE, sizeof *m->scan};
    out[7] = (array){(void **)&m->segments, n * SN_MUSCLE_SEGMENT_STRIDE, sizeof *m->segments};
    out[8] = (array){(void **)&m->planes, sn_muscle_padded_count(points) * 6, sizeof *m->planes};
}

sn_status sn_muscle_spindle_init(sn_muscle_spindle *muscle, sn_memory *memory, int points) {
    *muscle = (sn_muscle_spindle){0};
    if (points < 2 || points > SN_MUSCLE_MAX_POINTS) return SN_ERR_RANGE;
    muscle->points = points;
    muscle->thin = muscle->thick = 1;
    array arrays[ARRAYS];
    list_arrays(muscle, points, arrays);
    for (int i = 0; i < ARRAYS; i++) {
        *arrays[i].data = sn_alloc(memory, arrays[i].count, arrays[i].size);
        if (!*arrays[i].data) {
            sn_muscle_spindle_free(muscle, memory);
            return SN_ERR_MEMORY;
        }
    }
    return SN_OK;
}

void sn_muscle_spindle_free(sn_muscle_spindle *muscle, sn_memory *memory) {
    array arrays[ARRAYS];
    list_arrays(muscle, muscle->points, arrays);
    for (int i = 0; i < ARRAYS; i++) sn_free(memory, *arrays[i].data, arrays[i].count, arrays[i].size);
    *muscle = (sn_muscle_spindle){0};
}

void sn_muscle_spindle_visit(sn_muscle_spindle *muscle, sn_stream *stream) {
    array arrays[ARRAYS];
    list_arrays(muscle, muscle->points, arrays);
    for (int i = 0; i < ARRAYS; i++) sn_visit_bytes(stream, *arrays[i].data, arrays[i].count * arrays[i].size);
}

// The direction of the first segment of non-zero length; x if all points coincide.
static sn_vec3 first_direction(const sn_muscle_spindle *m) {
    for (int i = 0; i + 1 < m->points; i++) {
        sn_vec3 e = sn_sub(m->axis[i + 1], m->axis[i]);
        if (sn_length(e) > 0) return sn_normalize(e, e);
    }
    return sn_v3(1, 0, 0);
}

static void update_tangents(sn_muscle_spindle *m) {
    const int last = m->points - 1;
    sn_vec3 before = first_direction(m);
    m->length = 0, m->along[0] = 0, m->tangent[0] = before;
    for (int i = 0; i < last; i++) {
        sn_vec3 e = sn_sub(m->axis[i + 1], m->axis[i]), direction = sn_normalize(e, before);
        // If the chain folds back on itself, the plane is perpendicular to the previous segment.
        if (i > 0) m->tangent[i] = sn_normalize(sn_add(before, direction), before);
        m->length += sn_length(e);
        m->along[i + 1] = m->length;
        before = direction;
    }
    m->tangent[last] = before;
    // Without length use equal steps to keep everything finite.
    for (int i = 1; i <= last; i++) m->along[i] = m->length > 0 ? m->along[i] / m->length : (sn_real)i / (sn_real)last;
}

static sn_vec3 project_normal(sn_vec3 normal, sn_vec3 tangent) {
    return sn_normalize(sn_mul_add(normal, -sn_dot(normal, tangent), tangent), sn_perpendicular(tangent));
}

// Rotates the normal n by the minimal rotation from tangent a to b: n - (n . b) / (1 + a . b) (a + b).
static sn_vec3 transport(sn_vec3 n, sn_vec3 a, sn_vec3 b) {
    const sn_real sum = 1 + sn_dot(a, b);
    if (sum > (sn_real)1e-4) n = sn_mul_add(n, -sn_dot(n, b) / sum, sn_add(a, b));
    return project_normal(n, b);
}

static void update_normals(sn_muscle_spindle *m, const sn_vec3 *normals) {
    const int last = m->points - 1;
    m->normal[0] = normals ? project_normal(normals[0], m->tangent[0]) : sn_perpendicular(m->tangent[0]);
    for (int i = 0; i < last; i++) {
        m->normal[i + 1] = transport(m->normal[i], m->tangent[i], m->tangent[i + 1]);
    }
    if (!normals) return;
    sn_vec3 target = project_normal(normals[1], m->tangent[last]);
    sn_vec3 side = sn_cross(m->tangent[last], m->normal[last]);
    sn_real twist = sn_atan2(sn_dot(target, side), sn_dot(target, m->normal[last]));
    // Choose the multiple of 2 pi closest to the previous frame, so that the twist does not snap back at 180 degrees.
    // Ignore the previous twist if it is too large for a float to resolve (from a damaged file).
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

static void update_ellipse(sn_muscle_spindle *m, sn_real eccentricity) {
    sn_real e = sn_clamp(eccentricity, 0, SN_MUSCLE_MAX_ECCENTRICITY);
    m->thin = sn_sqrt(sn_sqrt(1 - e * e));
    m->thick = 1 / m->thin;
}

// Computes the field's coefficients for each segment and the bounding capsule.
static void update_field(sn_muscle_spindle *m) {
    const int last = m->points - 1;
    m->max_radius = 0, m->bound_radius = 0;
    m->bound_a = m->axis[0], m->bound_b = m->axis[last];
    const sn_vec3 span = sn_sub(m->bound_b, m->bound_a);
    const sn_real span2 = sn_length2(span);
    const size_t row = sn_muscle_padded_count(m->points);
    for (int i = 0; i <= last; i++) {
        const int next = i < last ? i + 1 : i;
        const sn_vec3 p = m->axis[i], e = sn_sub(m->axis[next], p), t = m->tangent[i], u = m->tangent[next];
        const sn_vec3 n = m->normal[i], change = sn_sub(m->normal[next], n);
        const sn_real length2 = sn_length2(e), share = m->along[next] - m->along[i];
        sn_real *scan = m->scan + i * SN_MUSCLE_SCAN_STRIDE, *segment = m->segments + i * SN_MUSCLE_SEGMENT_STRIDE;
        sn_real *planes = m->planes + i;
        planes[0] = p.x, planes[row] = p.y, planes[2 * row] = p.z;
        planes[3 * row] = t.x, planes[4 * row] = t.y, planes[5 * row] = t.z;
        scan[0] = p.x, scan[1] = p.y, scan[2] = p.z;
        scan[3] = t.x, scan[4] = t.y, scan[5] = t.z;
        scan[6] = e.x, scan[7] = e.y, scan[8] = e.z;
        scan[9] = length2 > 0 ? 1 / length2 : 0;
        // The cubic of the radius.
        const sn_real r0 = m->radius[i], r1 = m->radius[next], s0 = m->slope[i] * share, s1 = m->slope[next] * share;
        segment[0] = p.x, segment[1] = p.y, segment[2] = p.z, segment[3] = r0;
        segment[4] = e.x, segment[5] = e.y, segment[6] = e.z, segment[7] = s0;
        segment[8] = t.x, segment[9] = t.y, segment[10] = t.z, segment[11] = 3 * (r1 - r0) - 2 * s0 - s1;
        segment[12] = u.x, segment[13] = u.y, segment[14] = u.z, segment[15] = 2 * (r0 - r1) + s0 + s1;
        segment[16] = n.x, segment[17] = n.y, segment[18] = n.z;
        segment[20] = change.x, segment[21] = change.y, segment[22] = change.z;
        // A cubic does not exceed its control points, and the distance to a line on a segment that of its ends.
        const sn_real third = (sn_real)1 / 3, thick = m->thick;
        const sn_real radius = thick * sn_max(sn_max(r0, r0 + third * s0), sn_max(r1, r1 - third * s1));
        m->max_radius = sn_max(m->max_radius, radius);
        for (int end = 0; end < 2; end++) {
            const sn_vec3 away = sn_sub(m->axis[end ? next : i], m->bound_a);
            const sn_real at = span2 > 0 ? sn_clamp(sn_dot(away, span) / span2, 0, 1) : 0;
            m->bound_radius = sn_max(m->bound_radius, radius + sn_length(sn_mul_add(away, -at, span)));
        }
    }
    m->bound_radius *= 1 + 4 * SN_REAL_EPSILON;
}

static void update_radii(sn_muscle_spindle *m, const sn_muscle_profile *profile, sn_real activation, sn_real volume,
                         sn_real exaggeration) {
    m->width = m->length > 0 ? exaggeration * sn_sqrt(volume / (SN_PI * m->length)) : 0;
    const sn_muscle_profile_mix mix = sn_muscle_profile_get_mix(profile, activation);
    for (int i = 0; i < m->points; i++) {
        sn_real slope;
        m->radius[i] = m->width * sn_muscle_profile_eval_mix(profile, mix, m->along[i], &slope);
        m->slope[i] = m->width * slope;
    }
}

void sn_muscle_spindle_build(sn_muscle_spindle *m, const sn_muscle_profile *profile, sn_real activation, sn_real volume,
                             sn_real exaggeration, const sn_vec3 normals[2]) {
    const sn_real a = sn_clamp(activation, 0, 1);
    update_tangents(m);
    update_ellipse(m, profile->rest.eccentricity + a * (profile->active.eccentricity - profile->rest.eccentricity));
    update_normals(m, normals);
    update_radii(m, profile, a, volume, exaggeration);
    update_field(m);
}

void sn_muscle_spindle_update_radii(sn_muscle_spindle *m, const sn_muscle_profile *profile, sn_real activation,
                                    sn_real volume, sn_real exaggeration) {
    update_tangents(m);
    update_radii(m, profile, sn_clamp(activation, 0, 1), volume, exaggeration);
}

// The slope at a point of the parabola through its radius and those of its neighbours.
static sn_real slope_of(const sn_muscle_spindle *m, int i) {
    const int last = m->points - 1, a = i > 0 ? i - 1 : 0, b = i < last ? i + 1 : last;
    const sn_real left = m->along[i] - m->along[a], right = m->along[b] - m->along[i];
    const sn_real fall = left > 0 ? (m->radius[i] - m->radius[a]) / left : 0;
    const sn_real rise = right > 0 ? (m->radius[b] - m->radius[i]) / right : 0;
    if (left > 0 && right > 0) return (right * fall + left * rise) / (left + right);
    return left > 0 ? fall : rise;
}

void sn_muscle_spindle_build_from_radii(sn_muscle_spindle *m, const sn_real *radii, sn_real eccentricity,
                                        const sn_vec3 normals[2]) {
    update_tangents(m);
    update_ellipse(m, eccentricity);
    update_normals(m, normals);
    m->width = 0;
    for (int i = 0; i < m->points; i++) m->radius[i] = sn_max(radii[i], 0);
    for (int i = 0; i < m->points; i++) m->slope[i] = slope_of(m, i);
    update_field(m);
}

void sn_muscle_spindle_reset_twist(sn_muscle_spindle *muscle) {
    muscle->twist = 0;
}

sn_real sn_muscle_spindle_volume(const sn_muscle_spindle *m) {
    // Integrates the square of each cubic exactly: four-point Gauss quadrature is exact up to degree 7.
    static const double node[4] = {0.06943184420297371, 0.33000947820757187, 0.66999052179242813, 0.93056815579702629};
    static const double weight[4] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                                     0.17392742256872693};
    double sum = 0;
    for (int i = 0; i + 1 < m->points; i++) {
        const sn_real *segment = m->segments + i * SN_MUSCLE_SEGMENT_STRIDE;
        const double c[4] = {(double)segment[3], (double)segment[7], (double)segment[11], (double)segment[15]};
        for (int k = 0; k < 4; k++) {
            const double t = node[k], r = ((c[3] * t + c[2]) * t + c[1]) * t + c[0];
            sum += weight[k] * r * r * (double)(m->along[i + 1] - m->along[i]);
        }
    }
    return (sn_real)(3.14159265358979323846 * (double)m->length * sum);
}
