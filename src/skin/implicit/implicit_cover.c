// A muscle may be under the skin of three bones: the one it belongs to, and those of its ends. Each bone has d, the
// function of its field: 0 on the skin, positive outside (implicit_field.h). The distance of a point is
//
//     d = min d_b - margin,    margin = max(0, min d_b at rest),
//
// so that muscles that define the skin's shape above the fields (samples of the skin under them were moved inwards, and
// over joints fields close) stay in place at rest, and none leaves the body when a joint rotates.
#include "skin/implicit/implicit_internal.h"
#include "skin/implicit/implicit_muscles.h"

enum { ROW = SN_IMPLICIT_ROW, MAX_BONES = 3 };

typedef struct {
    const sn_implicit_rig *rig;
    const sn_transform *poses; // of the system's bones
    int count;                 // of bones
    int of_rig[MAX_BONES], of_system[MAX_BONES];
    const sn_real *margin;
} one_cover;

struct sn_implicit_cover {
    sn_memory *memory;
    int count, points;
    one_cover *each;
    const void **contexts;
    sn_real *margin; // of the points of all muscles
};

// The minimum d at 16 points, and its gradient; stops at a bone that contains all of them.
static void min_row(const one_cover *c, const sn_transform *poses, const sn_real *const q[3], sn_real *d,
                    sn_real *const gradient[3]) {
    sn_real local[3][SN_IMPLICIT_ROW] __attribute__((aligned(64))), g[3][SN_IMPLICIT_ROW] __attribute__((aligned(64)));
    sn_real value[SN_IMPLICIT_ROW] __attribute__((aligned(64)));
    for (int b = 0; b < c->count; b++) {
        const sn_transform *pose = &poses[c->of_system[b]];
        const sn_quat back = sn_q_conj(pose->rotation);
        for (int i = 0; i < ROW; i++) {
            const sn_vec3 p = sn_q_rotate(back, sn_sub(sn_v3(q[0][i], q[1][i], q[2][i]), pose->position));
            local[0][i] = p.x, local[1][i] = p.y, local[2][i] = p.z;
        }
        c->rig->kernels->depth(c->rig, c->of_rig[b], (const sn_real *const[3]){local[0], local[1], local[2]}, value,
                               (sn_real *const[3]){g[0], g[1], g[2]});
        for (int i = 0; i < ROW; i++) {
            if (b > 0 && !(value[i] < d[i])) continue;
            const sn_vec3 turned = sn_q_rotate(pose->rotation, sn_v3(g[0][i], g[1][i], g[2][i]));
            d[i] = value[i], gradient[0][i] = turned.x, gradient[1][i] = turned.y, gradient[2][i] = turned.z;
        }
        bool out = false;
        for (int i = 0; i < ROW; i++) out = out || d[i] > 0;
        if (!out) break;
    }
}

static void distances(const void *context, int count, const sn_real *const q[3], sn_real *d,
                      sn_real *const gradient[3]) {
    const one_cover *c = context;
    for (int first = 0; first < count; first += ROW) {
        if (c->count == 0) {
            for (int i = first; i < first + ROW; i++) d[i] = -1, gradient[0][i] = gradient[1][i] = gradient[2][i] = 0;
            continue;
        }
        min_row(c, c->poses, (const sn_real *const[3]){q[0] + first, q[1] + first, q[2] + first}, d + first,
                (sn_real *const[3]){gradient[0] + first, gradient[1] + first, gradient[2] + first});
        for (int i = first; i < first + ROW; i++) d[i] -= c->margin[i];
    }
}

static int rows_of(int points) {
    return (points + ROW - 1) / ROW * ROW;
}

static void add_bone(one_cover *c, int of_rig, int of_system) {
    if (of_rig < 0 || of_system < 0 || c->rig->bone[of_rig].centre_count == 0) return;
    for (int b = 0; b < c->count; b++)
        if (c->of_rig[b] == of_rig) return;
    c->of_rig[c->count] = of_rig, c->of_system[c->count] = of_system;
    c->count += 1;
}

// Computes the margins of the points at rest.
static void find_margins(const one_cover *c, const sn_muscle_spindle *spindle, const sn_transform *rest,
                         sn_real *margin) {
    sn_real q[3][SN_IMPLICIT_ROW] __attribute__((aligned(64))), g[3][SN_IMPLICIT_ROW] __attribute__((aligned(64)));
    sn_real d[SN_IMPLICIT_ROW] __attribute__((aligned(64)));
    for (int first = 0; first < rows_of(spindle->points) && c->count > 0; first += ROW) {
        for (int i = 0; i < ROW; i++) {
            const sn_vec3 p = spindle->axis[first + i < spindle->points ? first + i : spindle->points - 1];
            q[0][i] = p.x, q[1][i] = p.y, q[2][i] = p.z;
        }
        min_row(c, rest, (const sn_real *const[3]){q[0], q[1], q[2]}, d, (sn_real *const[3]){g[0], g[1], g[2]});
        for (int i = 0; i < ROW; i++) margin[first + i] = sn_max(d[i], 0);
    }
}

sn_status sn_implicit_cover_create(sn_memory *memory, const sn_implicit_rig *rig, const sn_muscle_system *rest,
                                   const int *shown, const int *rig_bone, sn_muscle_system *system,
                                   sn_implicit_cover **out) {
    sn_implicit_cover *cover = sn_alloc(memory, 1, sizeof *cover);
    if (!cover) return SN_ERR_MEMORY;
    cover->memory = memory, cover->count = sn_muscle_system_count(system);
    for (int m = 0; m < cover->count; m++) cover->points += rows_of(sn_muscle_system_get_spindle(system, m)->points);
    const size_t count = (size_t)cover->count;
    cover->each = sn_alloc(memory, count, sizeof *cover->each);
    cover->contexts = sn_alloc(memory, count, sizeof *cover->contexts);
    cover->margin = sn_alloc(memory, (size_t)cover->points, sizeof *cover->margin);
    if (!cover->each || !cover->contexts || !cover->margin) {
        sn_implicit_cover_destroy(cover);
        return SN_ERR_MEMORY;
    }
    sn_real *margin = cover->margin;
    for (int m = 0; m < cover->count; m++) {
        const sn_implicit_muscle_def *def = sn_muscle_system_get_def(system, m);
        one_cover *c = &cover->each[m];
        *c = (one_cover){.rig = rig, .poses = sn_muscle_system_get_poses(system), .margin = margin};
        int over = -1; // the muscle's bone, as index in the system
        for (int b = 0; b < sn_implicit_bones(rig) && shown[m] >= 0 && over < 0; b++)
            if (rig_bone[b] == shown[m]) over = b;
        add_bone(c, shown[m], over);
        add_bone(c, rig_bone[def->bone[0]], def->bone[0]);
        add_bone(c, rig_bone[def->bone[1]], def->bone[1]);
        find_margins(c, sn_muscle_system_get_spindle(rest, m), sn_muscle_system_get_poses(rest), margin);
        margin += rows_of(sn_muscle_system_get_spindle(system, m)->points);
        cover->contexts[m] = c;
    }
    sn_muscle_system_set_skin(system, distances, cover->contexts);
    *out = cover;
    return SN_OK;
}

void sn_implicit_cover_destroy(sn_implicit_cover *cover) {
    if (!cover) return;
    const size_t count = (size_t)cover->count;
    sn_free(cover->memory, cover->each, count, sizeof *cover->each);
    sn_free(cover->memory, cover->contexts, count, sizeof *cover->contexts);
    sn_free(cover->memory, cover->margin, (size_t)cover->points, sizeof *cover->margin);
    sn_free(cover->memory, cover, 1, sizeof *cover);
}
