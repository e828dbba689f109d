// A muscle counts as moved when a point of its axis, in the axes of its bone, or its radius there is more than 0.1 mm
// from where it was when it last counted as moved.
#include "skin/implicit_swept.h"

struct sn_implicit_swept {
    sn_memory *memory;
    const sn_swept_system *system;
    sn_swept_field_fn *field;
    int count, points; // muscles, and points of all their axes
    int *bones;
    sn_implicit_capsule *bounds;
    unsigned char *moved;
    sn_real *was; // of each point: its place and radius
    sn_implicit_muscles table;
};

static void field(const void *user, int muscle, const sn_real *const q[3], sn_real *f, sn_real *const gradient[3]) {
    const sn_implicit_swept *swept = user;
    swept->field(sn_swept_system_muscle(swept->system, muscle), SN_IMPLICIT_ROW, q, f, gradient, NULL);
}

sn_status sn_implicit_swept_create(sn_memory *memory, const sn_swept_system *system, const int *bones,
                                   sn_implicit_swept **out) {
    sn_implicit_swept *swept = sn_alloc(memory, 1, sizeof *swept);
    if (!swept) return SN_ERR_MEMORY;
    swept->memory = memory, swept->system = system;
    swept->field = sn_swept_field_for(0);
    swept->count = sn_swept_system_count(system);
    for (int m = 0; m < swept->count; ++m) swept->points += sn_swept_system_muscle(system, m)->points;
    const size_t count = (size_t)swept->count;
    swept->bones = sn_alloc(memory, count, sizeof *swept->bones);
    swept->bounds = sn_alloc(memory, count, sizeof *swept->bounds);
    swept->moved = sn_alloc(memory, count, 1);
    swept->was = sn_alloc(memory, (size_t)swept->points * 4, sizeof(sn_real));
    if (!swept->bones || !swept->bounds || !swept->moved || !swept->was) {
        sn_implicit_swept_destroy(swept);
        return SN_ERR_MEMORY;
    }
    for (int m = 0; m < swept->count; ++m) swept->bones[m] = bones[m];
    for (int i = 0; i < swept->points * 4; ++i) swept->was[i] = INFINITY;
    swept->table = (sn_implicit_muscles){swept->count, swept->bones, swept->bounds, swept->moved, field, swept};
    *out = swept;
    return SN_OK;
}

void sn_implicit_swept_destroy(sn_implicit_swept *swept) {
    if (!swept) return;
    const size_t count = (size_t)swept->count;
    sn_free(swept->memory, swept->bones, count, sizeof *swept->bones);
    sn_free(swept->memory, swept->bounds, count, sizeof *swept->bounds);
    sn_free(swept->memory, swept->moved, count, 1);
    sn_free(swept->memory, swept->was, (size_t)swept->points * 4, sizeof(sn_real));
    sn_free(swept->memory, swept, 1, sizeof *swept);
}

static bool has_moved(const sn_swept *muscle, const sn_bone_pose *pose, sn_real *was) {
    const sn_real much = (sn_real)1e-4;
    const sn_quat back = sn_q_conj(pose->rotation);
    bool moved = false;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < muscle->points; ++i) {
            const sn_vec3 p = sn_q_rotate(back, sn_sub(muscle->axis[i], pose->position));
            const sn_real now[4] = {p.x, p.y, p.z, muscle->radius[i]};
            for (int k = 0; k < 4; ++k)
                if (pass == 1)
                    was[i * 4 + k] = now[k];
                else
                    moved = moved || !(sn_abs(now[k] - was[i * 4 + k]) <= much);
        }
        if (!moved) break;
    }
    return moved;
}

const sn_implicit_muscles *sn_implicit_swept_now(sn_implicit_swept *swept, const sn_bone_pose *poses, int bone_count) {
    sn_real *was = swept->was;
    for (int m = 0; m < swept->count; ++m) {
        const sn_swept *muscle = sn_swept_system_muscle(swept->system, m);
        const int bone = swept->bones[m];
        swept->bounds[m] = (sn_implicit_capsule){muscle->from, muscle->to, muscle->around};
        swept->moved[m] = bone >= 0 && bone < bone_count && has_moved(muscle, &poses[bone], was);
        was += muscle->points * 4;
    }
    return &swept->table;
}
