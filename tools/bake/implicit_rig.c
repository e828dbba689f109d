// 1. Vertices at the same position are merged and belong to the bone with the largest weight. Bones with very few
//    vertices get no field and their vertices are only skinned: the field of another bone would pull them away from
//    their own.
// 2. A bone extends from its start to the mean of its children, or as far as its skin.
// 3. Samples of its skin (implicit_samples.h) determine its field (implicit_fit.h), in the bone's frame.
// 4. The field ends at d = r, where r is the largest distance of its vertices from the bone. The bounding box of its
//    support is found on a grid.
// 5. Neighbours and edge weights (implicit_rings.h).
#include "bake/implicit_rig.h"
#include "bake/implicit_rings.h"
#include "bake/implicit_samples.h"
#include "base/math/vec.h"
#include "fields/laplacian.h"
#include "mesh/error.h"
#include "skin/implicit/implicit_fit.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sn_rig_options sn_rig_options_default(void) {
    return (sn_rig_options){.samples = 50, .min_vertices = 12, .joint_gap = 0.1};
}

// --- matrices --------------------------------------------------------------------------------------------------------

// Decomposes a matrix into column scales and a rotation, and reports whether the columns are orthogonal.
static bool decompose(const float m[16], double scale[3], bool *orthogonal, double r[3][3]) {
    for (int i = 0; i < 16; i++)
        if (!isfinite(m[i])) return false;
    for (int c = 0; c < 3; c++) {
        const double x = (double)m[c * 4], y = (double)m[c * 4 + 1], z = (double)m[c * 4 + 2];
        scale[c] = sqrt(x * x + y * y + z * z);
        if (!(scale[c] > 1e-12)) return false;
        r[0][c] = x / scale[c], r[1][c] = y / scale[c], r[2][c] = z / scale[c];
    }
    *orthogonal = true;
    for (int c = 0; c < 3; c++) {
        const int d = (c + 1) % 3;
        if (fabs(r[0][c] * r[0][d] + r[1][c] * r[1][d] + r[2][c] * r[2][d]) > 2e-3) *orthogonal = false;
    }
    const double det = r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) -
                       r[0][1] * (r[1][0] * r[2][2] - r[1][2] * r[2][0]) +
                       r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
    return det > 0;
}

// Converts a rotation matrix to a quaternion, by its largest component.
static sn_quat quaternion(double r[3][3]) {
    const double four[4] = {1 + r[0][0] - r[1][1] - r[2][2], 1 - r[0][0] + r[1][1] - r[2][2],
                            1 - r[0][0] - r[1][1] + r[2][2], 1 + r[0][0] + r[1][1] + r[2][2]};
    int best = 0;
    for (int i = 1; i < 4; i++)
        if (four[i] > four[best]) best = i;
    const double s = 2 * sqrt(four[best]);
    double q[4];
    if (best == 3)
        q[0] = (r[2][1] - r[1][2]) / s, q[1] = (r[0][2] - r[2][0]) / s, q[2] = (r[1][0] - r[0][1]) / s, q[3] = s / 4;
    else {
        const int i = best, j = (i + 1) % 3, k = (i + 2) % 3;
        q[i] = s / 4, q[j] = (r[j][i] + r[i][j]) / s, q[k] = (r[k][i] + r[i][k]) / s, q[3] = (r[k][j] - r[j][k]) / s;
    }
    return sn_q_normalize((sn_quat){(sn_real)q[0], (sn_real)q[1], (sn_real)q[2], (sn_real)q[3]});
}

bool sn_rig_rest(const float inverse_bind[16], sn_transform *out, tool_error *error) {
    double scale[3], r[3][3];
    bool orthogonal;
    if (!decompose(inverse_bind, scale, &orthogonal, r))
        return tool_error_set(error, "its inverse bind matrix is not finite, singular, or a reflection");
    const double largest = fmax(scale[0], fmax(scale[1], scale[2])),
                 min_vertices = fmin(scale[0], fmin(scale[1], scale[2]));
    if (!orthogonal || largest > 1.002 * min_vertices)
        return tool_error_set(error, "its inverse bind matrix scales by %.4g, %.4g, %.4g%s; the scale must be uniform",
                              scale[0], scale[1], scale[2], orthogonal ? "" : " and shears");
    // x' = s R x + t, so the bone starts at -R^T t / s with rotation R^T.
    const double t[3] = {(double)inverse_bind[12], (double)inverse_bind[13], (double)inverse_bind[14]};
    double p[3], back[3][3];
    for (int k = 0; k < 3; k++) {
        p[k] = -(r[0][k] * t[0] + r[1][k] * t[1] + r[2][k] * t[2]) / scale[0];
        for (int c = 0; c < 3; c++) back[k][c] = r[c][k];
    }
    *out = (sn_transform){{(sn_real)p[0], (sn_real)p[1], (sn_real)p[2]}, quaternion(back)};
    return true;
}

bool sn_rig_pose(const sn_transform *rest, const float matrix[16], sn_transform *out, tool_error *error) {
    double scale[3], r[3][3];
    bool orthogonal;
    if (!decompose(matrix, scale, &orthogonal, r))
        return tool_error_set(error, "its matrix is not finite, singular, or a reflection");
    for (int k = 0; k < 3; k++)
        if (!orthogonal || fabs(scale[k] - 1) > 0.01)
            return tool_error_set(error, "it is scaled by %.4g, %.4g, %.4g%s; bones of an implicit skin must be rigid",
                                  scale[0], scale[1], scale[2], orthogonal ? "" : " and sheared");
    const sn_quat rotation = quaternion(r);
    const sn_vec3 t = {(sn_real)matrix[12], (sn_real)matrix[13], (sn_real)matrix[14]};
    *out = (sn_transform){sn_add(sn_q_rotate(rotation, rest->position), t),
                          sn_q_normalize(sn_q_mul(rotation, rest->rotation))};
    return true;
}

sn_fold_kind sn_rig_kind(const char *name) {
    static const char *const elbows[] = {"elbow", "forearm",  "lowerarm",  "lower_arm", "arm_lower", "knee",   "calf",
                                         "shin",  "lowerleg", "lower_leg", "leg_lower", "_leg_",     "lowleg", NULL};
    static const char *const fingers[] = {"finger", "thumb", "index", "middle", "ring", "pinky", "digit", NULL};
    char lower[64];
    size_t n = 0;
    for (; name[n] && n < sizeof lower - 1; n++) lower[n] = (char)tolower((unsigned char)name[n]);
    lower[n] = 0;
    for (int i = 0; elbows[i]; i++)
        if (strstr(lower, elbows[i])) return SN_FOLD_ELBOW;
    for (int i = 0; fingers[i]; i++)
        if (strstr(lower, fingers[i])) return SN_FOLD_FINGER;
    return SN_FOLD_UNION;
}

// --- rig -------------------------------------------------------------------------------------------------------------

typedef struct {
    const sn_mesh *mesh;
    const sn_rig_bone *bones;
    const sn_rig_options *options;
    sn_rig_model *model;
    int bone_count, count, triangle_count; // of merged vertices
    sn_laplacian welded;
    double (*points)[3];
    int (*triangles)[3];
    int *owner; // rig bone index; -1: none
    sn_rings rings;
    // The model's arrays, which def holds as const.
    sn_implicit_bone *bone;
    sn_vec3 *centres, *betas, *rest;
    sn_real *alphas, *cotangents, *mean_values;
    int (*influences)[SN_IMPLICIT_INFLUENCES];
    sn_real (*weights)[SN_IMPLICIT_INFLUENCES];
    int centre_count;
} work;

static bool check(const work *w, tool_error *error) {
    const sn_mesh *mesh = w->mesh;
    if (w->bone_count < 1 || w->bone_count > SN_IMPLICIT_MAX_BONES)
        return tool_error_set(error, "the skeleton has %d bones; 1 to %d are allowed", w->bone_count,
                              SN_IMPLICIT_MAX_BONES);
    if (mesh->vertex_count < 1) return tool_error_set(error, "the mesh has no vertices");
    if (!mesh->joint || !mesh->weight) return tool_error_set(error, "the mesh has no skin weights");
    for (int b = 0; b < w->bone_count; b++) {
        const sn_rig_bone *bone = &w->bones[b];
        if (bone->parent < -1 || bone->parent >= w->bone_count || bone->parent == b)
            return tool_error_set(error, "bone %d '%s' has the parent %d; there are %d bones", b, bone->name,
                                  bone->parent, w->bone_count);
        if (!sn_finite3(bone->rest.position) || !sn_q_finite(bone->rest.rotation) ||
            !(sn_abs(sn_q_dot(bone->rest.rotation, bone->rest.rotation) - 1) < (sn_real)0.02))
            return tool_error_set(error,
                                  "bone %d '%s': its rest pose is not finite or its rotation is not a unit quaternion",
                                  b, bone->name);
    }
    for (int v = 0; v < mesh->vertex_count; v++) {
        double sum = 0;
        for (int k = 0; k < 3; k++)
            if (!isfinite(mesh->position[v][k])) return tool_error_set(error, "vertex %d of the mesh is not finite", v);
        for (int k = 0; k < 4; k++) {
            const float weight = mesh->weight[v][k];
            if (!(weight >= 0 && isfinite(weight)))
                return tool_error_set(error, "vertex %d of the mesh has weight %g; weights must not be negative", v,
                                      (double)weight);
            if (weight > 0 && (mesh->joint[v][k] < 0 || mesh->joint[v][k] >= w->bone_count))
                return tool_error_set(error, "vertex %d of the mesh refers to bone %d; there are %d", v,
                                      mesh->joint[v][k], w->bone_count);
            sum += (double)weight;
        }
        if (!(sum > 1e-6))
            return tool_error_set(error, "vertex %d of the mesh has no bone: its weights are all 0 and must sum to 1",
                                  v);
    }
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            if (mesh->triangle[t][k] < 0 || mesh->triangle[t][k] >= mesh->vertex_count)
                return tool_error_set(error, "triangle %d of the mesh refers to vertex %d; there are %d", t,
                                      mesh->triangle[t][k], mesh->vertex_count);
    return true;
}

// Sorts bones so that parents come first.
static bool order_bones(work *w, tool_error *error) {
    sn_rig_model *m = w->model;
    int ordered = 0;
    for (int b = 0; b < w->bone_count; b++) m->rig_bone_of[b] = -1;
    for (bool more = true; more;) {
        more = false;
        for (int b = 0; b < w->bone_count; b++) {
            const int parent = w->bones[b].parent;
            if (m->rig_bone_of[b] >= 0 || (parent >= 0 && m->rig_bone_of[parent] < 0)) continue;
            m->source_bone_of[ordered] = b, m->rig_bone_of[b] = ordered++;
            more = true;
        }
    }
    for (int b = 0; b < w->bone_count; b++)
        if (m->rig_bone_of[b] < 0)
            return tool_error_set(error, "bone %d '%s' is its own ancestor", b, w->bones[b].name);
    for (int b = 0; b < w->bone_count; b++) {
        const sn_rig_bone *from = &w->bones[m->source_bone_of[b]];
        w->bone[b] = (sn_implicit_bone){.parent = from->parent < 0 ? -1 : m->rig_bone_of[from->parent],
                                        .kind = from->kind,
                                        .rest = {from->rest.position, sn_q_normalize(from->rest.rotation)}};
    }
    return true;
}

static bool build_surface(work *w) {
    const sn_mesh *mesh = w->mesh;
    sn_rig_model *m = w->model;
    w->count = w->welded.count;
    const size_t n = (size_t)w->count;
    w->points = malloc(n * sizeof *w->points);
    w->triangles = malloc(((size_t)mesh->triangle_count + 1) * sizeof *w->triangles);
    w->owner = malloc(n * sizeof *w->owner);
    w->rest = malloc(n * sizeof *w->rest);
    w->influences = malloc(n * sizeof *w->influences);
    w->weights = malloc(n * sizeof *w->weights);
    if (!w->points || !w->triangles || !w->owner || !w->rest || !w->influences || !w->weights) return false;
    for (int p = 0; p < w->count; p++) {
        const int v = w->welded.vertex[p];
        const float *x = mesh->position[v];
        double sum = 0;
        int best = 0;
        w->rest[p] = sn_v3((sn_real)x[0], (sn_real)x[1], (sn_real)x[2]);
        for (int k = 0; k < 3; k++) w->points[p][k] = (double)x[k];
        for (int k = 0; k < 4; k++) sum += (double)mesh->weight[v][k];
        for (int k = 0; k < 4; k++) {
            const double weight = (double)mesh->weight[v][k] / sum;
            w->influences[p][k] = weight > 0 ? m->rig_bone_of[mesh->joint[v][k]] : 0;
            w->weights[p][k] = (sn_real)weight;
            if (weight > (double)mesh->weight[v][best] / sum) best = k;
        }
        w->owner[p] = w->influences[p][best];
    }
    for (int t = 0; t < mesh->triangle_count; t++) {
        int *target = w->triangles[w->triangle_count];
        for (int k = 0; k < 3; k++) target[k] = w->welded.node[mesh->triangle[t][k]];
        w->triangle_count += target[0] != target[1] && target[1] != target[2] && target[2] != target[0];
    }
    for (int v = 0; v < mesh->vertex_count; v++) m->vertex_index[v] = w->welded.node[v];
    return sn_rings_make((const double(*)[3])w->points, w->count, (const int(*)[3])w->triangles, w->triangle_count,
                         &w->rings);
}

// Whether the skin faces away from the start of its bones.
static bool faces_outward(const work *w) {
    double sum = 0;
    for (int p = 0; p < w->count; p++) {
        const sn_vec3 start = w->bone[w->owner[p]].rest.position;
        const double from[3] = {(double)start.x, (double)start.y, (double)start.z};
        for (int k = 0; k < 3; k++) sum += w->rings.normal[p][k] * (w->points[p][k] - from[k]);
    }
    return sum > 0;
}

// Finds the end of a bone.
static void find_end(const work *w, int b, const sn_skin_part *part, double end[3]) {
    const sn_rig_bone *source = &w->bones[w->model->source_bone_of[b]];
    const double *start = part->start;
    double mean[3] = {0, 0, 0}, length2 = 0, farthest = 0;
    int children = 0;
    if (source->has_tail) {
        memcpy(end, source->tail, 3 * sizeof *end);
        return;
    }
    for (int c = 0; c < w->bone_count; c++)
        if (w->bone[c].parent == b) {
            const sn_vec3 p = w->bone[c].rest.position;
            mean[0] += (double)p.x, mean[1] += (double)p.y, mean[2] += (double)p.z;
            children++;
        }
    for (int k = 0; k < 3 && children; k++) {
        end[k] = mean[k] / children;
        length2 += (end[k] - start[k]) * (end[k] - start[k]);
    }
    double size = 0, t;
    for (int i = 0; i < part->vertex_count; i++)
        size = fmax(size, sn_bone_distance(w->points[part->vertices[i]], start, start, &t));
    if (length2 > 1e-6 * size * size) return;
    // No child at another position: towards the centroid of its skin, 0.8 of the way to the farthest vertex.
    double u[3] = {0, 0, 0}, l = 0;
    for (int i = 0; i < part->vertex_count; i++)
        for (int k = 0; k < 3; k++) u[k] += (w->points[part->vertices[i]][k] - start[k]) / part->vertex_count;
    for (int k = 0; k < 3; k++) l += u[k] * u[k];
    l = sqrt(l);
    for (int i = 0; i < part->vertex_count && l > 0; i++) {
        double along = 0;
        for (int k = 0; k < 3; k++) along += (w->points[part->vertices[i]][k] - start[k]) * u[k] / l;
        farthest = fmax(farthest, along);
    }
    for (int k = 0; k < 3; k++) end[k] = start[k] + (l > 0 ? 0.8 * farthest * u[k] / l : 0);
}

static void to_local(const sn_transform *pose, const double p[3], bool rotate_only, double out[3]) {
    // In double precision: rotate by the conjugate.
    const double q[4] = {-(double)pose->rotation.x, -(double)pose->rotation.y, -(double)pose->rotation.z,
                         (double)pose->rotation.w};
    const double origin[3] = {(double)pose->position.x, (double)pose->position.y, (double)pose->position.z};
    double v[3];
    for (int k = 0; k < 3; k++) v[k] = p[k] - (rotate_only ? 0 : origin[k]);
    const double t[3] = {2 * (q[1] * v[2] - q[2] * v[1]), 2 * (q[2] * v[0] - q[0] * v[2]),
                         2 * (q[0] * v[1] - q[1] * v[0])};
    out[0] = v[0] + q[3] * t[0] + (q[1] * t[2] - q[2] * t[1]);
    out[1] = v[1] + q[3] * t[1] + (q[2] * t[0] - q[0] * t[2]);
    out[2] = v[2] + q[3] * t[2] + (q[0] * t[1] - q[1] * t[0]);
}

// Bounding box of d < reach, on a grid around the samples.
static void find_box(const sn_hermite *h, double reach, sn_implicit_bone *bone) {
    enum { SIDE = 20 };
    double low[3], high[3], cell[3];
    int min_vertices[3] = {SIDE, SIDE, SIDE}, largest[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        low[k] = high[k] = h->centre[0][k];
        for (int i = 0; i < h->count; i++)
            low[k] = fmin(low[k], h->centre[i][k]), high[k] = fmax(high[k], h->centre[i][k]);
        low[k] -= 1.5 * reach, high[k] += 1.5 * reach, cell[k] = (high[k] - low[k]) / SIDE;
    }
    for (int i = 0; i <= SIDE; i++)
        for (int j = 0; j <= SIDE; j++)
            for (int k = 0; k <= SIDE; k++) {
                const double p[3] = {low[0] + i * cell[0], low[1] + j * cell[1], low[2] + k * cell[2]};
                if (!(sn_hermite_at(h, p, NULL) < reach)) continue;
                const int at[3] = {i, j, k};
                for (int c = 0; c < 3; c++) {
                    if (at[c] < min_vertices[c]) min_vertices[c] = at[c];
                    if (at[c] > largest[c]) largest[c] = at[c];
                }
            }
    double from[3], target[3];
    for (int c = 0; c < 3; c++) {
        from[c] = min_vertices[c] > largest[c] ? low[c] : fmax(low[c], low[c] + (min_vertices[c] - 1) * cell[c]);
        target[c] = min_vertices[c] > largest[c] ? high[c] : fmin(high[c], low[c] + (largest[c] + 1) * cell[c]);
    }
    bone->low = sn_v3((sn_real)from[0], (sn_real)from[1], (sn_real)from[2]);
    bone->high = sn_v3((sn_real)target[0], (sn_real)target[1], (sn_real)target[2]);
}

static bool store_field(work *w, int b, const sn_hermite *h) {
    const size_t all = (size_t)w->centre_count + (size_t)h->count;
    sn_vec3 *centres = realloc(w->centres, all * sizeof *centres);
    if (centres) w->centres = centres;
    sn_real *alphas = realloc(w->alphas, all * sizeof *alphas);
    if (alphas) w->alphas = alphas;
    sn_vec3 *betas = realloc(w->betas, all * sizeof *betas);
    if (betas) w->betas = betas;
    if (!centres || !alphas || !betas) return false;
    w->bone[b].first_centre = w->centre_count, w->bone[b].centre_count = h->count;
    for (int i = 0; i < h->count; i++, w->centre_count++) {
        const double *c = h->centre[i], *beta = h->beta[i];
        centres[w->centre_count] = sn_v3((sn_real)c[0], (sn_real)c[1], (sn_real)c[2]);
        betas[w->centre_count] = sn_v3((sn_real)beta[0], (sn_real)beta[1], (sn_real)beta[2]);
        alphas[w->centre_count] = (sn_real)h->alpha[i];
    }
    return true;
}

// False: no memory. A part that cannot be fitted gets no field.
static bool fit_field(work *w, int b, const sn_skin_part *part) {
    const sn_rig_options *options = w->options;
    sn_samples samples;
    sn_memory memory;
    sn_hermite h = {0};
    sn_memory_init(&memory, NULL);
    if (!sn_samples_make(part, options->samples, options->joint_gap, &samples)) return false;
    for (int i = 0; i < samples.count; i++) {
        double t, *p = samples.point[i];
        const double distance = sn_bone_distance(p, part->start, part->end, &t);
        double inward = options->inward ? options->inward(options->user, w->model->source_bone_of[b], p) : 0;
        inward = fmin(fmax(inward, 0), 0.6 * distance);
        for (int k = 0; k < 3; k++) p[k] -= inward * samples.normal[i][k];
        to_local(&w->bone[b].rest, p, false, p);
        to_local(&w->bone[b].rest, samples.normal[i], true, samples.normal[i]);
    }
    bool good = true;
    if (samples.reach > 0 && samples.radius > 0 &&
        sn_hermite_fit(&memory, (const double(*)[3])samples.point, (const double(*)[3])samples.normal, samples.count,
                       &h)) {
        w->bone[b].reach = (sn_real)samples.reach, w->bone[b].radius = (sn_real)samples.radius;
        find_box(&h, samples.reach, &w->bone[b]);
        w->model->samples[b] = h.count;
        good = store_field(w, b, &h);
    }
    sn_hermite_free(&h);
    sn_samples_free(&samples);
    return good;
}

static bool is_joint_with_skin(const work *w, int b, const int *counts, bool end) {
    if (!end) {
        for (int p = w->bone[b].parent; p >= 0; p = w->bone[p].parent)
            if (counts[p] > 0) return true;
        return false;
    }
    for (int c = b + 1; c < w->bone_count; c++) { // any descendant with skin
        int p = w->bone[c].parent;
        while (p > b && counts[p] == 0) p = w->bone[p].parent;
        if (p == b && counts[c] > 0) return true;
    }
    return false;
}

static bool fit_fields(work *w, tool_error *error) {
    int *counts = calloc((size_t)w->bone_count, sizeof *counts);
    int *vertices = malloc((size_t)w->count * sizeof *vertices);
    int(*triangles)[3] = malloc(((size_t)w->triangle_count + 1) * sizeof *triangles);
    bool good = counts && vertices && triangles;
    for (int p = 0; good && p < w->count; p++) counts[w->owner[p]] += 1;
    for (int b = 0; good && b < w->bone_count; b++) {
        const sn_vec3 p = w->bone[b].rest.position;
        sn_skin_part part = {.points = (const double(*)[3])w->points,
                             .normals = (const double(*)[3])w->rings.normal,
                             .vertices = vertices,
                             .triangles = (const int(*)[3])triangles,
                             .start = {(double)p.x, (double)p.y, (double)p.z}};
        if (counts[b] < w->options->min_vertices) continue;
        for (int v = 0; v < w->count; v++)
            if (w->owner[v] == b) vertices[part.vertex_count++] = v;
        for (int t = 0; t < w->triangle_count; t++) {
            const int *c = w->triangles[t];
            if (w->owner[c[0]] == b && w->owner[c[1]] == b && w->owner[c[2]] == b)
                memcpy(triangles[part.triangle_count++], c, sizeof *triangles);
        }
        find_end(w, b, &part, part.end);
        part.start_is_joint = is_joint_with_skin(w, b, counts, false);
        part.start_is_ball = part.start_is_joint && w->bone[b].kind == SN_FOLD_UNION && w->options->samples >= 36;
        part.end_is_joint = is_joint_with_skin(w, b, counts, true);
        good = fit_field(w, b, &part);
    }
    for (int v = 0; good && v < w->count; v++) {
        if (w->bone[w->owner[v]].centre_count == 0) w->owner[v] = -1;
        w->model->fieldless_vertices += w->owner[v] < 0;
    }
    free(counts);
    free(vertices);
    free(triangles);
    if (!good) return tool_error_out_of_memory(error);
    if (w->centre_count == 0)
        return tool_error_set(error,
                              "no bone has enough skin for a field: at least %d vertices that are not in one plane",
                              w->options->min_vertices);
    return true;
}

// ---- rigid pieces

static int root_of(int *up, int v) {
    while (up[v] != v) v = up[v] = up[up[v]];
    return v;
}

// The bone that a vertex follows alone; -1: several.
static int only_bone(const work *w, int v) {
    int best = 0;
    for (int k = 1; k < SN_IMPLICIT_INFLUENCES; k++)
        if (w->weights[v][k] > w->weights[v][best]) best = k;
    return w->weights[v][best] > (sn_real)0.999 ? w->influences[v][best] : -1;
}

// Connected parts that follow one bone alone stay rigid: shoes, armour, eyes, teeth, buttons.
static bool leave_rigid(work *w) {
    int *up = malloc(((size_t)w->count + 1) * sizeof *up), *bone = malloc(((size_t)w->count + 1) * sizeof *bone);
    const bool good = up && bone;
    for (int v = 0; good && v < w->count; v++) up[v] = v, bone[v] = only_bone(w, v);
    for (int t = 0; good && t < w->triangle_count; t++)
        for (int k = 0; k < 2; k++) {
            const int a = root_of(up, w->triangles[t][k]), b = root_of(up, w->triangles[t][k + 1]);
            if (a == b) continue;
            up[b] = a;
            if (bone[a] != bone[b]) bone[a] = -1;
        }
    for (int v = 0; good && v < w->count; v++) {
        if (bone[root_of(up, v)] < 0) continue;
        w->owner[v] = -1;
        w->model->rigid_vertices++;
    }
    free(up);
    free(bone);
    return good;
}

static bool store_edges(work *w) {
    const size_t entries = (size_t)w->rings.first[w->count];
    w->cotangents = malloc((entries + 1) * sizeof *w->cotangents);
    w->mean_values = malloc((entries + 1) * sizeof *w->mean_values);
    if (!w->cotangents || !w->mean_values) return false;
    for (size_t i = 0; i < entries; i++) {
        w->cotangents[i] = (sn_real)w->rings.cotangent[i];
        w->mean_values[i] = (sn_real)w->rings.mean_value[i];
    }
    return true;
}

bool sn_rig_make(const sn_mesh *mesh, const sn_rig_bone *bones, int bone_count, const sn_rig_options *options,
                 sn_rig_model *out, tool_error *error) {
    const sn_rig_options defaults = sn_rig_options_default();
    *out = (sn_rig_model){0};
    work w = {.mesh = mesh, .bones = bones, .bone_count = bone_count, .model = out};
    w.options = options ? options : &defaults;
    if (w.options->samples < 8 || w.options->samples > SN_HERMITE_MAX - 2 || w.options->min_vertices < 4 ||
        !(w.options->joint_gap >= 0 && w.options->joint_gap < 0.5))
        return tool_error_set(error, "samples must be 8 to %d, min_vertices at least 4 and joint_gap from 0 to 0.5",
                              SN_HERMITE_MAX - 2);
    if (!check(&w, error)) return false;
    const size_t count = (size_t)bone_count;
    out->rig_bone_of = malloc(count * sizeof *out->rig_bone_of);
    out->source_bone_of = malloc(count * sizeof *out->source_bone_of);
    out->samples = calloc(count, sizeof *out->samples);
    out->vertex_index = malloc((size_t)mesh->vertex_count * sizeof *out->vertex_index);
    w.bone = calloc(count, sizeof *w.bone);
    bool good = out->rig_bone_of && out->source_bone_of && out->samples && out->vertex_index && w.bone;
    if (!good) tool_error_out_of_memory(error);
    good = good && order_bones(&w, error);
    if (good) good = (sn_laplacian_make(mesh, &w.welded) && build_surface(&w)) || tool_error_out_of_memory(error);
    if (good && !faces_outward(&w))
        good = tool_error_set(
            error, "the mesh has no surface or is inside out; triangles must be counter-clockwise seen from outside");
    good = good && fit_fields(&w, error);
    if (good) good = (leave_rigid(&w) && store_edges(&w)) || tool_error_out_of_memory(error);
    out->def = (sn_implicit_def){.bones = w.bone,
                                 .bone_count = bone_count,
                                 .centres = w.centres,
                                 .alphas = w.alphas,
                                 .betas = w.betas,
                                 .centre_count = w.centre_count,
                                 .points = w.rest,
                                 .count = w.count,
                                 .owners = w.owner,
                                 .influences = (const int(*)[SN_IMPLICIT_INFLUENCES])w.influences,
                                 .weights = (const sn_real(*)[SN_IMPLICIT_INFLUENCES])w.weights,
                                 .first_other = w.rings.first,
                                 .others = w.rings.other,
                                 .cotangents = w.cotangents,
                                 .mean_values = w.mean_values};
    sn_laplacian_free(&w.welded);
    free(w.points);
    free(w.triangles);
    free(w.rings.normal);
    free(w.rings.cotangent);
    free(w.rings.mean_value);
    if (!good) sn_rig_free(out);
    return good;
}

void sn_rig_free(sn_rig_model *model) {
    const sn_implicit_def *d = &model->def;
    const void *const all[] = {
        d->bones,      d->centres,     d->alphas,           d->betas,           d->points,
        d->owners,     d->influences,  d->weights,          d->first_other,     d->others,
        d->cotangents, d->mean_values, model->vertex_index, model->rig_bone_of, model->source_bone_of,
        model->samples};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free((void *)(uintptr_t)all[i]);
    *model = (sn_rig_model){0};
}
