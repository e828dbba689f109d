// The arrays of an implicit skin: validation, copying, saving. One table drives everything but the validation.
#include "skin/implicit/implicit_model.h"
#include <string.h>

enum { ARRAYS = 14 };

// The element type of an array.
typedef enum { INTS, REALS, BONES, MUSCLES, COLLIDERS } element;

typedef struct {
    element type;
    void **at;
    size_t count, size; // elements, and bytes of one
    int numbers;        // in one, of ints and reals
} array;

static void list(sn_implicit_asset *a, array out[ARRAYS]) {
    const size_t n = (size_t)a->vertex_count, c = (size_t)a->centre_count, m = (size_t)a->muscle_count;
    const array all[ARRAYS] = {
        {BONES, (void **)&a->bones, (size_t)a->bone_count, sizeof *a->bones, 0},
        {REALS, (void **)&a->centres, c, sizeof *a->centres, 3},
        {REALS, (void **)&a->alphas, c, sizeof *a->alphas, 1},
        {REALS, (void **)&a->betas, c, sizeof *a->betas, 3},
        {REALS, (void **)&a->normals, c, sizeof *a->normals, 3},
        {REALS, (void **)&a->vertices, n, sizeof *a->vertices, 3},
        {INTS, (void **)&a->influences, n, sizeof *a->influences, SN_SKIN_INFLUENCES},
        {REALS, (void **)&a->weights, n, sizeof *a->weights, SN_SKIN_INFLUENCES},
        {INTS, (void **)&a->owners, n, sizeof *a->owners, 1},
        {INTS, (void **)&a->triangles, (size_t)a->triangle_count, sizeof *a->triangles, 3},
        {MUSCLES, (void **)&a->muscles, m, sizeof *a->muscles, 0},
        {INTS, (void **)&a->muscle_bones, m, sizeof *a->muscle_bones, 1},
        {COLLIDERS, (void **)&a->colliders, (size_t)a->collider_count, sizeof *a->colliders, 0},
    };
    memcpy(out, all, sizeof all);
}

bool sn_implicit_asset_copy(sn_memory *memory, const sn_implicit_asset *from, sn_implicit_asset *out) {
    array theirs[ARRAYS], own[ARRAYS];
    sn_implicit_asset source = *from;
    *out = *from;
    list(&source, theirs);
    list(out, own);
    bool good = true;
    for (int i = 0; i < ARRAYS - 1; i++) *own[i].at = NULL;
    for (int i = 0; i < ARRAYS - 1; i++) {
        if (!*theirs[i].at) continue;
        *own[i].at = sn_alloc(memory, own[i].count, own[i].size);
        good = good && *own[i].at;
        if (good) memcpy(*own[i].at, *theirs[i].at, own[i].count * own[i].size);
    }
    for (int i = 0; good && out->muscles && i < out->muscle_count; i++) sn_muscle_def_trim(&out->muscles[i]);
    if (!good) sn_implicit_asset_free(memory, out);
    return good;
}

void sn_implicit_asset_free(sn_memory *memory, sn_implicit_asset *asset) {
    array all[ARRAYS];
    list(asset, all);
    for (int i = 0; i < ARRAYS - 1; i++) sn_free(memory, *all[i].at, all[i].count, all[i].size);
    *asset = (sn_implicit_asset){0};
}

// ---- saving

static void visit_bone(sn_stream *stream, sn_implicit_bone *bone) {
    int kind = (int)bone->kind;
    sn_visit_int(stream, &bone->parent);
    sn_visit_int(stream, &kind);
    sn_visit_reals(stream, &bone->rest.position.x, 3);
    sn_visit_reals(stream, &bone->rest.rotation.x, 4);
    sn_visit_int(stream, &bone->first_centre);
    sn_visit_int(stream, &bone->centre_count);
    sn_visit_reals(stream, &bone->reach, 1);
    sn_visit_reals(stream, &bone->radius, 1);
    sn_visit_reals(stream, &bone->low.x, 3);
    sn_visit_reals(stream, &bone->high.x, 3);
    sn_stream_check(stream, kind >= 0 && kind < SN_FOLD_KINDS);
    bone->kind = (sn_fold_kind)kind;
}

static void visit_array(sn_stream *stream, const array *a) {
    for (size_t i = 0; i < a->count && !stream->bad; i++) {
        char *at = (char *)*a->at + i * a->size;
        if (a->type == BONES) visit_bone(stream, (sn_implicit_bone *)(void *)at);
        if (a->type == MUSCLES) sn_muscle_def_visit(stream, (sn_implicit_muscle_def *)(void *)at);
        if (a->type == COLLIDERS) sn_muscle_bone_visit(stream, (sn_implicit_muscle_bone *)(void *)at);
        if (a->type == REALS) sn_visit_reals(stream, (sn_real *)(void *)at, (size_t)a->numbers);
        for (int k = 0; a->type == INTS && k < a->numbers; k++) sn_visit_int(stream, (int *)(void *)at + k);
    }
}

void sn_implicit_asset_visit(sn_memory *memory, sn_implicit_asset *a, sn_stream *stream) {
    int *counts[] = {&a->bone_count,     &a->centre_count, &a->vertex_count,
                     &a->triangle_count, &a->muscle_count, &a->collider_count};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        sn_visit_int(stream, counts[i]);
        if (sn_stream_check(stream, *counts[i] >= 0 && sn_stream_holds(stream, (size_t)*counts[i], 4))) continue;
        *a = (sn_implicit_asset){0};
        return;
    }
    array all[ARRAYS];
    list(a, all);
    for (int i = 0; i < ARRAYS - 1 && !stream->bad; i++) {
        bool there = *all[i].at != NULL;
        sn_visit_bool(stream, &there);
        if (!there || stream->bad) continue;
        const size_t min_size = 4 * (size_t)(all[i].numbers > 0 ? all[i].numbers : 8);
        if (!sn_stream_check(stream, sn_stream_holds(stream, all[i].count, min_size))) return;
        if (stream->mode == SN_STREAM_READ) *all[i].at = sn_alloc(memory, all[i].count, all[i].size);
        if (sn_stream_need(stream, *all[i].at != NULL)) visit_array(stream, &all[i]);
    }
}

// ---- validation

static bool wrong(const sn_log *log, const char *field, const char *text) {
    sn_log_line(log, SN_LOG_ERROR, SN_ERR_DEF, field, "%s", text);
    return false;
}

static bool check_arrays(const sn_log *log, const sn_implicit_asset *a) {
    bool good = true;
    if (a->bone_count < 1 || a->bone_count > SN_IMPLICIT_MAX_BONES || !a->bones)
        good = wrong(log, "bones", "there must be 1 to 512 bones");
    if (a->centre_count < 0 || (a->centre_count > 0 && !a->centres))
        good = wrong(log, "centres", "must be an array of centre_count");
    else if (a->centre_count > 0 && !(a->alphas && a->betas) && !a->normals)
        good = wrong(log, "alphas", "alphas and betas must be given, or normals to fit them to");
    if (a->vertex_count < 1 || a->vertex_count > (1 << 26) || !a->vertices || !a->influences || !a->weights)
        good = wrong(log, "vertices", "vertices, influences and weights must be arrays of vertex_count, 1 or more");
    if (a->triangle_count < 0 || a->triangle_count > (1 << 27) || (a->triangle_count > 0 && !a->triangles))
        good = wrong(log, "triangles", "must be an array of triangle_count");
    if (a->muscle_count < 0 || a->muscle_count > 65536 || (a->muscle_count > 0 && !(a->muscles && a->muscle_bones)))
        good = wrong(log, "muscles", "muscles and muscle_bones must be arrays of muscle_count");
    if (a->collider_count < 0 || (a->collider_count > 0 && !a->colliders))
        good = wrong(log, "colliders", "must be an array of collider_count");
    return good;
}

// Fields are polynomials of third degree, and steps along their slopes: what is far larger than a body overflows there.
#define MAX_COORDINATE  ((sn_real)1e7)  // m
#define MIN_SIZE        ((sn_real)1e-7) // m
#define MAX_COEFFICIENT ((sn_real)1e12) // of a field in coordinates of its own size

static bool is_near(sn_vec3 p) {
    return sn_abs(p.x) <= MAX_COORDINATE && sn_abs(p.y) <= MAX_COORDINATE && sn_abs(p.z) <= MAX_COORDINATE;
}

static bool centre_is_fine(const sn_implicit_asset *a, int i, sn_real size) {
    return is_near(a->centres[i]) && (!a->normals || sn_abs(sn_length(a->normals[i])) <= 2) &&
           (!a->alphas || sn_abs(a->alphas[i]) * size * size <= MAX_COEFFICIENT) &&
           (!a->betas || sn_length(a->betas[i]) * size <= MAX_COEFFICIENT);
}

// How far a bone's samples are from its origin, at most.
static sn_real extent_of(const sn_implicit_asset *a) {
    sn_real size = 0;
    for (int i = 0; i < a->centre_count; i++) size = sn_max(size, sn_length(a->centres[i]));
    return size;
}

bool sn_implicit_asset_check(const sn_log *log, const sn_implicit_asset *a) {
    enum { MAX_LINES = 10 };
    int lines = 0;
    if (!check_arrays(log, a)) return false;
    for (int v = 0; v < a->vertex_count && lines < MAX_LINES; v++) {
        sn_real sum = 0;
        for (int k = 0; k < SN_SKIN_INFLUENCES; k++) {
            const int bone = a->influences[v][k];
            const sn_real weight = a->weights[v][k];
            if (!(weight >= 0 && sn_finite(weight)) || (weight > 0 && (bone < 0 || bone >= a->bone_count))) {
                sn_log_line(log, SN_LOG_ERROR, SN_ERR_DEF, "weights",
                            "vertex %d has bone %d with weight %g; bones are 0 to %d, weights at least 0", v, bone,
                            (double)weight, a->bone_count - 1);
                sum = -1, ++lines;
                break;
            }
            sum += weight;
        }
        if (sum >= 0 && !(sum > (sn_real)1e-6 && sn_finite(sum))) {
            sn_log_line(log, SN_LOG_ERROR, SN_ERR_DEF, "weights", "vertex %d has no bone: its weights are all 0", v);
            lines++;
        }
        if (!is_near(a->vertices[v])) {
            sn_log_line(log, SN_LOG_ERROR, SN_ERR_DEF, "vertices", "vertex %d is not finite, or farther than %g m", v,
                        (double)MAX_COORDINATE);
            lines++;
        }
    }
    for (int t = 0; t < a->triangle_count && lines < MAX_LINES; t++)
        for (int k = 0; k < 3; k++) {
            const int v = a->triangles[t][k];
            if (v >= 0 && v < a->vertex_count) continue;
            sn_log_line(log, SN_LOG_ERROR, SN_ERR_DEF, "triangles", "triangle %d has vertex %d; there are %d", t, v,
                        a->vertex_count);
            lines++;
        }
    for (int b = 0; b < a->bone_count && lines < MAX_LINES; b++) { // also unused ones: they are saved
        const sn_implicit_bone *bone = &a->bones[b];
        if (!is_near(bone->rest.position) || !is_near(sn_v3(bone->reach, bone->radius, 0)) || !is_near(bone->low) ||
            !is_near(bone->high)) {
            sn_log_line(log, SN_LOG_ERROR, SN_ERR_DEF, "bones",
                        "bone %d: position, reach, radius and box must be finite, and at most %g m", b,
                        (double)MAX_COORDINATE);
            lines++;
        }
        if (bone->centre_count > 0 && !(bone->reach >= MIN_SIZE && bone->radius >= MIN_SIZE)) {
            sn_log_line(log, SN_LOG_ERROR, SN_ERR_DEF, "bones", "bone %d: reach (%g) and radius (%g) must be above 0",
                        b, (double)bone->reach, (double)bone->radius);
            lines++;
        }
        if (bone->centre_count >= 0 && bone->first_centre >= 0 &&
            bone->first_centre <= a->centre_count - bone->centre_count)
            continue;
        sn_log_line(log, SN_LOG_ERROR, SN_ERR_DEF, "bones", "bone %d has %d centres from %d on; there are %d", b,
                    bone->centre_count, bone->first_centre, a->centre_count);
        lines++;
    }
    const sn_real size = extent_of(a);
    for (int i = 0; i < a->centre_count && lines < MAX_LINES; i++) {
        if (centre_is_fine(a, i, size)) continue;
        sn_log_line(log, SN_LOG_ERROR, SN_ERR_DEF, "centres",
                    "centre %d, its normal or its coefficients are not finite, or far too large", i);
        lines++;
    }
    for (int m = 0; m < a->muscle_count && lines < MAX_LINES; m++) {
        if (a->muscle_bones[m] >= -1 && a->muscle_bones[m] < a->bone_count) continue;
        sn_log_line(log, SN_LOG_ERROR, SN_ERR_DEF, "muscle_bones",
                    "muscle %d lies under bone %d; there are %d, -1 is none", m, a->muscle_bones[m], a->bone_count);
        lines++;
    }
    return lines == 0;
}
