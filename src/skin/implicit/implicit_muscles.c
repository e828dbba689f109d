// A muscle counts as moved when a point of its axis, in the axes of its bone, or its radius there is more than 0.1 mm
// from where it was when it last counted as moved.
#include "skin/implicit/implicit_muscles.h"

struct sn_implicit_swept {
    sn_memory *memory;
    const sn_swept_system *system;
    sn_swept_field_fn *field;
    int count, points; // muscles, and points of all their axes
    int *bones;
    sn_implicit_capsule *bounds, *parts;
    unsigned char *moved;
    sn_real *was; // of each point: its place and radius
    sn_implicit_muscles table;
};

// Whether a ball around 16 points is farther than 'limit' from all of a muscle's capsules.
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
    const sn_implicit_swept *swept = user;
    if (limit < INFINITY && is_beyond(swept->parts + muscle * SN_IMPLICIT_PARTS, limit, q)) {
        for (int i = 0; i < SN_IMPLICIT_ROW; i++) f[i] = limit, gradient[0][i] = gradient[1][i] = gradient[2][i] = 0;
        return;
    }
    swept->field(sn_swept_system_muscle(swept->system, muscle), SN_IMPLICIT_ROW, q, f, gradient, NULL);
}

sn_status sn_implicit_swept_create(sn_memory *memory, const sn_swept_system *system, const int *bones,
                                   sn_implicit_swept **out) {
    sn_implicit_swept *swept = sn_alloc(memory, 1, sizeof *swept);
    if (!swept) return SN_ERR_MEMORY;
    swept->memory = memory, swept->system = system;
    swept->field = sn_swept_field_for(0);
    swept->count = sn_swept_system_count(system);
    for (int m = 0; m < swept->count; m++) swept->points += sn_swept_system_muscle(system, m)->points;
    const size_t count = (size_t)swept->count;
    swept->bones = sn_alloc(memory, count, sizeof *swept->bones);
    swept->bounds = sn_alloc(memory, count, sizeof *swept->bounds);
    swept->parts = sn_alloc(memory, count * SN_IMPLICIT_PARTS, sizeof *swept->parts);
    swept->moved = sn_alloc(memory, count, 1);
    swept->was = sn_alloc(memory, (size_t)swept->points * 4, sizeof(sn_real));
    if (!swept->bones || !swept->bounds || !swept->parts || !swept->moved || !swept->was) {
        sn_implicit_swept_destroy(swept);
        return SN_ERR_MEMORY;
    }
    for (int m = 0; m < swept->count; m++) swept->bones[m] = bones[m];
    for (int i = 0; i < swept->points * 4; i++) swept->was[i] = INFINITY;
    swept->table = (sn_implicit_muscles){.count = swept->count,
                                         .bones = swept->bones,
                                         .bounds = swept->bounds,
                                         .moved = swept->moved,
                                         .field = field,
                                         .user = swept,
                                         .parts = swept->parts};
    *out = swept;
    return SN_OK;
}

void sn_implicit_swept_destroy(sn_implicit_swept *swept) {
    if (!swept) return;
    const size_t count = (size_t)swept->count;
    sn_free(swept->memory, swept->bones, count, sizeof *swept->bones);
    sn_free(swept->memory, swept->bounds, count, sizeof *swept->bounds);
    sn_free(swept->memory, swept->parts, count * SN_IMPLICIT_PARTS, sizeof *swept->parts);
    sn_free(swept->memory, swept->moved, count, 1);
    sn_free(swept->memory, swept->was, (size_t)swept->points * 4, sizeof(sn_real));
    sn_free(swept->memory, swept, 1, sizeof *swept);
}

// Capsules around equal numbers of segments.
static void bound_parts(const sn_swept *muscle, sn_implicit_capsule *out) {
    const int segments = muscle->points - 1;
    for (int k = 0; k < SN_IMPLICIT_PARTS; k++) {
        const int first = k * segments / SN_IMPLICIT_PARTS, last = (k + 1) * segments / SN_IMPLICIT_PARTS;
        const sn_vec3 a = muscle->axis[first], b = muscle->axis[last], d = sn_sub(b, a);
        const sn_real l2 = sn_length2(d);
        sn_real radius = 0;
        for (int i = first; i <= last; i++) {
            const sn_vec3 e = sn_sub(muscle->axis[i], a);
            const sn_real off = sn_length(sn_mul_add(e, l2 > 0 ? -sn_clamp(sn_dot(e, d) / l2, 0, 1) : 0, d));
            // A cubic is nowhere above its control points.
            const sn_real *before = muscle->record + (i > 0 ? i - 1 : 0) * SN_SWEPT_RECORD;
            const sn_real *after = muscle->record + i * SN_SWEPT_RECORD;
            sn_real most = sn_max(muscle->radius[i], after[3] + after[7] / 3);
            const sn_real slope = before[7] + 2 * before[11] + 3 * before[15]; // at the end of the segment before
            if (i > 0) most = sn_max(most, muscle->radius[i] - slope / 3);
            radius = sn_max(radius, off + muscle->thick * most);
        }
        out[k] = (sn_implicit_capsule){a, b, radius * (1 + 8 * SN_REAL_EPSILON)};
    }
}

static bool has_moved(const sn_swept *muscle, const sn_transform *pose, sn_real *was) {
    const sn_real much = (sn_real)1e-4;
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
                    moved = moved || !(sn_abs(now[k] - was[i * 4 + k]) <= much);
        }
        if (!moved) break;
    }
    return moved;
}

const sn_implicit_muscles *sn_implicit_swept_now(sn_implicit_swept *swept, const sn_transform *poses, int bone_count) {
    sn_real *was = swept->was;
    for (int m = 0; m < swept->count; m++) {
        const sn_swept *muscle = sn_swept_system_muscle(swept->system, m);
        const int bone = swept->bones[m];
        swept->bounds[m] = (sn_implicit_capsule){muscle->from, muscle->to, muscle->around};
        bound_parts(muscle, swept->parts + m * SN_IMPLICIT_PARTS);
        swept->moved[m] = bone >= 0 && bone < bone_count && has_moved(muscle, &poses[bone], was);
        was += muscle->points * 4;
    }
    return &swept->table;
}
