// A muscle counts as moved if a point of its axis, in its bone's frame, or its radius there differs by more than 0.1 mm
// from the last time it counted as moved.
#include "skin/implicit/implicit_muscles.h"

struct sn_skin_muscles {
    sn_memory *memory;
    const sn_muscle_system *system;
    sn_muscle_field_fn *field;
    int count, points; // muscles, and points of all their axes
    int *bones;
    sn_implicit_capsule *bounds, *parts;
    unsigned char *moved;
    sn_real *was; // position and radius per point
    sn_skin_muscle_table table;
};

// Whether a ball around 16 points is farther than `limit` from all capsules of a muscle.
static bool is_beyond(const sn_implicit_capsule *parts, sn_real limit, const sn_real *const q[3]) {
    sn_real middle[3], far2 = 0;
    for (int k = 0; k < 3; k++) {
        sn_real low = q[k][0], high = low;
        for (int i = 1; i < SN_IMPLICIT_ROW; i++) low = sn_min(low, q[k][i]), high = sn_max(high, q[k][i]);
        middle[k] = (sn_real)0.5 * (low + high);
        far2 += (high - middle[k]) * (high - middle[k]);
    }
    const sn_vec3 p = {middle[0], middle[1], middle[2]};
    const sn_real radius = sn_sqrt(far2) + limit;
    for (int k = 0; k < SN_IMPLICIT_PARTS; k++) {
        const sn_vec3 d = sn_sub(parts[k].b, parts[k].a), e = sn_sub(p, parts[k].a);
        const sn_real l2 = sn_length2(d), t = l2 > 0 ? sn_clamp(sn_dot(d, e) / l2, 0, 1) : 0;
        const sn_real reach = parts[k].radius + radius;
        if (!(sn_length2(sn_mul_add(e, -t, d)) > reach * reach)) return false;
    }
    return true;
}

static void field(const void *user, int muscle, sn_real limit, const sn_real *const q[3], sn_real *f,
                  sn_real *const gradient[3]) {
    const sn_skin_muscles *muscles = user;
    if (limit < INFINITY && is_beyond(muscles->parts + muscle * SN_IMPLICIT_PARTS, limit, q)) {
        for (int i = 0; i < SN_IMPLICIT_ROW; i++) f[i] = limit, gradient[0][i] = gradient[1][i] = gradient[2][i] = 0;
        return;
    }
    muscles->field(sn_muscle_system_get_spindle(muscles->system, muscle), SN_IMPLICIT_ROW, q, f, gradient, NULL);
}

sn_status sn_skin_muscles_create(sn_memory *memory, const sn_muscle_system *system, const int *bones,
                                 sn_skin_muscles **out) {
    sn_skin_muscles *muscles = sn_alloc(memory, 1, sizeof *muscles);
    if (!muscles) return SN_ERR_MEMORY;
    muscles->memory = memory, muscles->system = system;
    muscles->field = sn_muscle_field_for(0);
    muscles->count = sn_muscle_system_count(system);
    for (int m = 0; m < muscles->count; m++) muscles->points += sn_muscle_system_get_spindle(system, m)->points;
    const size_t count = (size_t)muscles->count;
    muscles->bones = sn_alloc(memory, count, sizeof *muscles->bones);
    muscles->bounds = sn_alloc(memory, count, sizeof *muscles->bounds);
    muscles->parts = sn_alloc(memory, count * SN_IMPLICIT_PARTS, sizeof *muscles->parts);
    muscles->moved = sn_alloc(memory, count, 1);
    muscles->was = sn_alloc(memory, (size_t)muscles->points * 4, sizeof(sn_real));
    if (!muscles->bones || !muscles->bounds || !muscles->parts || !muscles->moved || !muscles->was) {
        sn_skin_muscles_destroy(muscles);
        return SN_ERR_MEMORY;
    }
    for (int m = 0; m < muscles->count; m++) muscles->bones[m] = bones[m];
    for (int i = 0; i < muscles->points * 4; i++) muscles->was[i] = INFINITY;
    muscles->table = (sn_skin_muscle_table){.count = muscles->count,
                                            .bones = muscles->bones,
                                            .bounds = muscles->bounds,
                                            .moved = muscles->moved,
                                            .field = field,
                                            .user = muscles,
                                            .parts = muscles->parts};
    *out = muscles;
    return SN_OK;
}

void sn_skin_muscles_destroy(sn_skin_muscles *muscles) {
    if (!muscles) return;
    const size_t count = (size_t)muscles->count;
    sn_free(muscles->memory, muscles->bones, count, sizeof *muscles->bones);
    sn_free(muscles->memory, muscles->bounds, count, sizeof *muscles->bounds);
    sn_free(muscles->memory, muscles->parts, count * SN_IMPLICIT_PARTS, sizeof *muscles->parts);
    sn_free(muscles->memory, muscles->moved, count, 1);
    sn_free(muscles->memory, muscles->was, (size_t)muscles->points * 4, sizeof(sn_real));
    sn_free(muscles->memory, muscles, 1, sizeof *muscles);
}

// Capsules around equal numbers of segments.
static void bound_parts(const sn_muscle_spindle *muscle, sn_implicit_capsule *out) {
    const int segments = muscle->points - 1;
    for (int k = 0; k < SN_IMPLICIT_PARTS; k++) {
        const int first = k * segments / SN_IMPLICIT_PARTS, last = (k + 1) * segments / SN_IMPLICIT_PARTS;
        const sn_vec3 a = muscle->axis[first], b = muscle->axis[last], d = sn_sub(b, a);
        const sn_real l2 = sn_length2(d);
        sn_real radius = 0;
        for (int i = first; i <= last; i++) {
            const sn_vec3 e = sn_sub(muscle->axis[i], a);
            const sn_real off = sn_length(sn_mul_add(e, l2 > 0 ? -sn_clamp(sn_dot(e, d) / l2, 0, 1) : 0, d));
            // A cubic does not exceed its control points.
            const sn_real *before = muscle->segments + (i > 0 ? i - 1 : 0) * SN_MUSCLE_SEGMENT_STRIDE;
            const sn_real *after = muscle->segments + i * SN_MUSCLE_SEGMENT_STRIDE;
            sn_real max_radius = sn_max(muscle->radius[i], after[3] + after[7] / 3);
            const sn_real slope = before[7] + 2 * before[11] + 3 * before[15]; // at the end of the previous segment
            if (i > 0) max_radius = sn_max(max_radius, muscle->radius[i] - slope / 3);
            radius = sn_max(radius, off + muscle->thick * max_radius);
        }
        out[k] = (sn_implicit_capsule){a, b, radius * (1 + 8 * SN_REAL_EPSILON)};
    }
}

static bool has_moved(const sn_muscle_spindle *muscle, const sn_transform *pose, sn_real *was) {
    const sn_real tolerance = (sn_real)1e-4;
    const sn_quat back = sn_q_conj(pose->rotation);
    bool moved = false;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < muscle->points; i++) {
            const sn_vec3 p = sn_q_rotate(back, sn_sub(muscle->axis[i], pose->position));
            const sn_real now[4] = {p.x, p.y, p.z, muscle->radius[i]};
            for (int k = 0; k < 4; k++)
                if (pass == 1)
                    was[i * 4 + k] = now[k];
                else
                    moved = moved || !(sn_abs(now[k] - was[i * 4 + k]) <= tolerance);
        }
        if (!moved) break;
    }
    return moved;
}

const sn_skin_muscle_table *sn_skin_muscles_update(sn_skin_muscles *muscles, const sn_transform *poses,
                                                   int bone_count) {
    sn_real *was = muscles->was;
    for (int m = 0; m < muscles->count; m++) {
        const sn_muscle_spindle *muscle = sn_muscle_system_get_spindle(muscles->system, m);
        const int bone = muscles->bones[m];
        muscles->bounds[m] = (sn_implicit_capsule){muscle->bound_a, muscle->bound_b, muscle->bound_radius};
        bound_parts(muscle, muscles->parts + m * SN_IMPLICIT_PARTS);
        muscles->moved[m] = bone >= 0 && bone < bone_count && has_moved(muscle, &poses[bone], was);
        was += muscle->points * 4;
    }
    return &muscles->table;
}
