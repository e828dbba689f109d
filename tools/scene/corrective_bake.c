// See corrective_bake.h. After Lewis et al. 2000 (pose space deformation) and Kry et al. 2002 (a basis for each joint).
//
// Each joint is bent alone, by rotations v_i: those that it has in the clips, as far from each other as possible, and with
// less weight g_i others all around. With the skinning matrix M of a vertex, x at rest and s where the skin is,
//
//     d_i = M^-1 s_i - x
//
// is what has to be added before linear skinning. All d of a joint are fitted by polynomials of the rotation,
//
//     d(v) = C m(v),      C = D G T' (T G T' + e)^-1      T = [m(v_1) m(v_2) ...],   G = diag(g),   sum g = 1
//
// and C is split into shapes, best first: with A = T G T' = L L', and the eigenvectors e_k of L' C' C L,
//
//     d(v) = sum over k of  (C L e_k) (e_k . L^-1 m(v))
//
// The eigenvalues are mean squares of the displacement, summed over the vertices, so the best shapes of all joints are those
// with the largest ones. The shapes of several joints add up.
#include "scene/corrective_bake.h"
#include "base/math/jacobi.h"
#include "base/math/vec.h"
#include "mesh/maths.h"
#include "sinew/implicit_skin.h"
#include "skin/corrective/corrective_terms.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TERMS = SN_CORRECTIVE_TERMS, DIRECTIONS = 26, ANGLES = 3, AROUND = DIRECTIONS * ANGLES, KEPT = 10 };
enum { FROM_CLIPS = 60, SAMPLES = FROM_CLIPS + AROUND, MAX_FRAMES = 240, MAX_SEEN = 1000, CROWDS = 24 };

#define CLIP_WEIGHT 0.8  // of all rotations from clips together
#define STILL       0.02 // a joint that turns less than this (the sine of half the angle) does not move

// Displacements below this fraction of the size are dropped.
#define DUST 2e-5

// A shape of a joint, over all its vertices.
typedef struct {
    int joint;
    double energy;
    float reach, coefficients[TERMS];
    float (*offsets)[3]; // of each vertex
} mode;

typedef struct {
    character *c;
    sn_implicit_model *model;
    int *bone_of;
    sn_implicit_skin *skin;
    sn_vec3 *points;              // of the skin
    sn_transform *poses, *sorted; // of the character's bones; in the order of the model
    float (*offsets)[3];          // of all vertices
    double size;
    mode *modes;
    int mode_count;
    float (*seen)[3]; // rotations of all joints in all frames of the clips
    int seen_count;   // frames
    int unseen;       // a clip that is left out of them; -1: none
} baking;

// ---- displacements

// Evaluates the skin in the poses.
static bool track(baking *b) {
    const sn_implicit_output out = {.positions = &b->points->x, .position_stride = sizeof *b->points};
    for (int i = 0; i < b->c->bone_count; i++) b->sorted[b->bone_of[i]] = b->poses[i];
    return sn_implicit_skin_update(b->skin, NULL, (sn_body){0}, b->sorted, &out, NULL) == SN_OK;
}

// The skinning matrix of a bone, by rows: pose times inverse rest.
static void bone_matrix(const baking *b, int bone, double m[12]) {
    const sn_transform *rest = &b->c->bones[bone].rest, *pose = &b->poses[bone];
    const sn_quat q = sn_q_mul(pose->rotation, sn_q_conj(rest->rotation));
    const sn_vec3 t = sn_sub(pose->position, sn_q_rotate(q, rest->position));
    const sn_vec3 column[3] = {sn_q_axis_x(q), sn_q_axis_y(q), sn_q_axis_z(q)};
    for (int k = 0; k < 3; k++) {
        m[k] = (double)column[k].x, m[4 + k] = (double)column[k].y, m[8 + k] = (double)column[k].z;
    }
    m[3] = (double)t.x, m[7] = (double)t.y, m[11] = (double)t.z;
}

// The blended matrix of a vertex.
static void vertex_matrix(const baking *b, const double (*bones)[12], int v, double m[12]) {
    const sn_mesh *mesh = &b->c->mesh;
    double sum = 0;
    memset(m, 0, 12 * sizeof *m);
    for (int k = 0; k < 4; k++) {
        const double w = (double)mesh->weight[v][k];
        if (!(w > 0)) continue;
        for (int i = 0; i < 12; i++) m[i] += w * bones[mesh->joint[v][k]][i];
        sum += w;
    }
    for (int i = 0; i < 12 && sum > 0; i++) m[i] /= sum;
}

// x of M x = y. False: M squeezes the surroundings to nearly nothing, as linear skinning does where it is twisted by a half turn.
static bool solve_matrix(const double m[12], const double y[3], double x[3]) {
    const double a[3] = {m[0], m[4], m[8]}, b[3] = {m[1], m[5], m[9]}, c[3] = {m[2], m[6], m[10]};
    const double bc[3] = {b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]};
    const double ca[3] = {c[1] * a[2] - c[2] * a[1], c[2] * a[0] - c[0] * a[2], c[0] * a[1] - c[1] * a[0]};
    const double ab[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    const double det = a[0] * bc[0] + a[1] * bc[1] + a[2] * bc[2];
    const double r[3] = {y[0] - m[3], y[1] - m[7], y[2] - m[11]};
    if (!(det > 0.25)) return false;
    x[0] = (bc[0] * r[0] + bc[1] * r[1] + bc[2] * r[2]) / det;
    x[1] = (ca[0] * r[0] + ca[1] * r[1] + ca[2] * r[2]) / det;
    x[2] = (ab[0] * r[0] + ab[1] * r[1] + ab[2] * r[2]) / det;
    return true;
}

// What has to be added before skinning, in the poses that were tracked last. Returns the largest displacement.
static double find_offsets(const baking *b, double (*bones)[12], float (*out)[3]) {
    double max = 0;
    for (int i = 0; i < b->c->bone_count; i++) bone_matrix(b, i, bones[i]);
    for (int v = 0; v < b->c->mesh.vertex_count; v++) {
        const float *rest = b->c->mesh.position[v];
        const double y[3] = {(double)b->points[v].x, (double)b->points[v].y, (double)b->points[v].z};
        double m[12], x[3], length = 0;
        vertex_matrix(b, (const double(*)[12])bones, v, m);
        const bool found = solve_matrix(m, y, x);
        for (int k = 0; k < 3; k++) {
            const double d = found ? x[k] - (double)rest[k] : 0;
            out[v][k] = (float)d;
            length += d * d;
        }
        max = fmax(max, sqrt(length));
    }
    return max;
}

// ---- the range of a joint

typedef struct {
    double v[SAMPLES][3], weight[SAMPLES], reach;
    int count, seen; // all; those of clips, which come first
} joint_range;

// Rotation i of a joint, as (x, y, z) of a quaternion: directions all over the sphere, each at a third of the range, two
// thirds, and all of it.
static void sample_rotation(int i, double degrees, double v[3]) {
    const int direction = i / ANGLES;
    const double z = 1 - (2 * direction + 1.0) / DIRECTIONS,
                 angle = 2.39996322972865332 * direction; // the golden angle
    const double s = own_sin(degrees * (i % ANGLES + 1) / ANGLES * (3.14159265358979323846 / 360));
    const double across = sqrt(1 - z * z);
    v[0] = s * across * own_cos(angle), v[1] = s * across * own_sin(angle), v[2] = s * z;
}

static double range_of(const baking *b, int joint) {
    return b->c->bones[joint].kind == SN_FOLD_UNION ? 80 : 120;
}

static double length_of(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// The rotation of a joint in the current poses.
static void rotation_in_pose(const baking *b, int joint, float v[3]) {
    const int parent = b->c->bones[joint].parent;
    const sn_quat rest = sn_q_mul(sn_q_conj(b->c->bones[parent].rest.rotation), b->c->bones[joint].rest.rotation);
    const sn_corrective_target target = {.joint = joint,
                                         .parent = parent,
                                         .rest = {(float)rest.x, (float)rest.y, (float)rest.z, (float)rest.w},
                                         .reach = 1};
    sn_corrective_rotation(&target, b->poses, v);
}

// Adds rotations of the clips, each as far from those before as possible.
static void add_seen(const baking *b, int joint, joint_range *to) {
    const int bones = b->c->bone_count;
    for (int n = 0; n < FROM_CLIPS; n++) {
        double farthest = STILL * STILL;
        int best = -1;
        for (int i = 0; i < b->seen_count; i++) {
            const float *v = b->seen[(size_t)i * (size_t)bones + (size_t)joint];
            double nearest = (double)v[0] * (double)v[0] + (double)v[1] * (double)v[1] + (double)v[2] * (double)v[2];
            for (int k = 0; k < to->count; k++) {
                double d2 = 0;
                for (int c = 0; c < 3; c++) d2 += ((double)v[c] - to->v[k][c]) * ((double)v[c] - to->v[k][c]);
                nearest = fmin(nearest, d2);
            }
            if (nearest > farthest) farthest = nearest, best = i;
        }
        if (best < 0) break;
        for (int c = 0; c < 3; c++)
            to->v[to->count][c] = (double)b->seen[(size_t)best * (size_t)bones + (size_t)joint][c];
        to->reach = fmax(to->reach, length_of(to->v[to->count]));
        to->count++;
    }
}

static void find_range(const baking *b, int joint, joint_range *out) {
    *out = (joint_range){.count = 0};
    add_seen(b, joint, out);
    const int seen = out->seen = out->count;
    const double all = range_of(b, joint);
    for (int i = 0; i < AROUND; i++) {
        double *v = out->v[out->count++];
        sample_rotation(i, all, v);
        out->reach = fmax(out->reach, length_of(v));
    }
    for (int i = 0; i < out->count; i++)
        out->weight[i] = seen == 0 ? 1.0 / AROUND : i < seen ? CLIP_WEIGHT / seen : (1 - CLIP_WEIGHT) / AROUND;
}

// Turns bones from rest: joint i by the rotation v[i] in its own frame, and what hangs on it with it. False: parents make a loop.
static bool rotate_bones(baking *b, const double (*v)[3]) {
    const character *c = b->c;
    for (int i = 0; i < c->bone_count; i++) { // in the order of the model, parents come first
        int bone = -1;
        for (int k = 0; k < c->bone_count && bone < 0; k++)
            if (b->bone_of[k] == i) bone = k;
        if (bone < 0) return false;
        const int parent = c->bones[bone].parent;
        const sn_transform *rest = &c->bones[bone].rest;
        const double *t = v[bone], w = sqrt(fmax(0, 1 - t[0] * t[0] - t[1] * t[1] - t[2] * t[2]));
        const sn_quat own = {(sn_real)t[0], (sn_real)t[1], (sn_real)t[2], (sn_real)w};
        sn_quat over = sn_q_identity();
        b->poses[bone].position = rest->position;
        if (parent >= 0) {
            const sn_transform *up = &c->bones[parent].rest, *at = &b->poses[parent];
            over = sn_q_mul(at->rotation, sn_q_conj(up->rotation));
            b->poses[bone].position = sn_add(at->position, sn_q_rotate(over, sn_sub(rest->position, up->position)));
        }
        b->poses[bone].rotation = sn_q_normalize(sn_q_mul(sn_q_mul(over, rest->rotation), own));
    }
    return true;
}

// ---- fitting

// Cholesky: a = l l', lower. False: not positive definite.
static bool factor(int n, const double *a, double *l) {
    memset(l, 0, (size_t)(n * n) * sizeof *l);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = a[n * i + j];
            for (int k = 0; k < j; k++) sum -= l[n * i + k] * l[n * j + k];
            if (i == j && !(sum > 0)) return false;
            l[n * i + j] = i == j ? sqrt(sum) : sum / l[n * j + j];
        }
    return true;
}

static void solve_lower(int n, const double *l, double *x) { // l x = x
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) x[i] -= l[n * i + k] * x[k];
        x[i] /= l[n * i + i];
    }
}

static void solve_upper(int n, const double *l, double *x) { // l' x = x
    for (int i = n; i-- > 0;) {
        for (int k = i + 1; k < n; k++) x[i] -= l[n * k + i] * x[k];
        x[i] /= l[n * i + i];
    }
}

typedef struct {
    joint_range range;
    float terms[SAMPLES][TERMS];
    float *moved;         // of each sample: offsets of the joint's vertices
    int *vertices, count; // that the joint moves
    double covariance[TERMS * TERMS], l[TERMS * TERMS];
    double (*fit)[TERMS]; // C: of each number of an offset
} joint_fit;

// What the polynomials of a vertex explain of its squared offsets in the clips, 0 to 1; without clips everywhere.
static double explained(const joint_fit *f, int vertex) {
    const size_t numbers = 3 * (size_t)f->count;
    const int end = f->range.seen > 0 ? f->range.seen : f->range.count;
    double all = 0, left = 0;
    for (int s = 0; s < end; s++)
        for (size_t i = 3 * (size_t)vertex; i < 3 * (size_t)vertex + 3; i++) {
            const double d = (double)f->moved[(size_t)s * numbers + i];
            double miss = d;
            for (int k = 0; k < TERMS; k++) miss -= f->fit[i][k] * (double)f->terms[s][k];
            all += d * d, left += miss * miss;
        }
    return all > 0 ? fmax(0, 1 - left / all) : 0;
}

// C of all numbers of all offsets. What jumps, as contacts do, is fitted badly: it gets only as much of the fit as the fit
// explains, so that it is not worse than without.
static void fit_numbers(joint_fit *f) {
    const size_t numbers = 3 * (size_t)f->count;
    for (size_t i = 0; i < numbers; i++) {
        double *c = f->fit[i];
        memset(c, 0, sizeof *f->fit);
        for (int s = 0; s < f->range.count; s++)
            for (int k = 0; k < TERMS; k++)
                c[k] += f->range.weight[s] * (double)f->moved[(size_t)s * numbers + i] * (double)f->terms[s][k];
        solve_lower(TERMS, f->l, c);
        solve_upper(TERMS, f->l, c);
    }
    for (int v = 0; v < f->count; v++) {
        const double part = explained(f, v);
        for (int k = 0; k < 3 * TERMS; k++) f->fit[3 * v + k / TERMS][k % TERMS] *= part;
    }
}

// Eigenvectors (columns of v) and eigenvalues (the diagonal of g) of L' C' C L.
static void find_modes(const joint_fit *f, double *g, double *v) {
    memset(g, 0, TERMS * TERMS * sizeof *g);
    memset(v, 0, TERMS * TERMS * sizeof *v);
    for (int i = 0; i < 3 * f->count; i++) {
        double u[TERMS]; // L' c
        for (int k = 0; k < TERMS; k++) {
            u[k] = 0;
            for (int j = k; j < TERMS; j++) u[k] += f->l[TERMS * j + k] * f->fit[i][j];
        }
        for (int k = 0; k < TERMS; k++)
            for (int j = 0; j < TERMS; j++) g[TERMS * k + j] += u[k] * u[j];
    }
    for (int k = 0; k < TERMS; k++) v[TERMS * k + k] = 1;
    for (int sweep = 0; sweep < 12; sweep++)
        for (int p = 0; p < TERMS; p++)
            for (int q = p + 1; q < TERMS; q++) sn_jacobi_rotate(TERMS, g, v, p, q);
}

// Shape `column` of a joint, scaled so that its weight is at most 1 in the samples.
static bool make_mode(const baking *b, const joint_fit *f, int joint, const double *g, const double *v, int column,
                      mode *out) {
    double e[TERMS], max = 0;
    *out = (mode){.joint = joint, .energy = g[TERMS * column + column]};
    out->reach = (float)f->range.reach;
    if (!(out->offsets = calloc((size_t)b->c->mesh.vertex_count, sizeof *out->offsets))) return false;
    for (int k = 0; k < TERMS; k++) e[k] = v[TERMS * k + column];
    double target[TERMS]; // L e
    for (int k = 0; k < TERMS; k++) {
        target[k] = 0;
        for (int j = 0; j <= k; j++) target[k] += f->l[TERMS * k + j] * e[j];
    }
    solve_upper(TERMS, f->l, e);
    for (int s = 0; s < f->range.count; s++) {
        double weight = 0;
        for (int k = 0; k < TERMS; k++) weight += e[k] * (double)f->terms[s][k];
        max = fmax(max, fabs(weight));
    }
    if (!(max > 0)) max = 1;
    for (int k = 0; k < TERMS; k++) out->coefficients[k] = (float)(e[k] / max);
    for (int i = 0; i < 3 * f->count; i++) {
        double sum = 0;
        for (int k = 0; k < TERMS; k++) sum += f->fit[i][k] * target[k];
        out->offsets[f->vertices[i / 3]][i % 3] = (float)(sum * max);
    }
    return true;
}

static int by_energy(const void *one, const void *two) {
    const double a = *(const double *)one, b = *(const double *)two;
    return a > b ? -1 : a < b;
}

// Fits the samples of a joint and keeps its best shapes.
static bool add_modes(baking *b, joint_fit *f, int joint) {
    double g[TERMS * TERMS], v[TERMS * TERMS], energies[TERMS];
    double trace = 0;
    memset(f->covariance, 0, sizeof f->covariance);
    for (int s = 0; s < f->range.count; s++)
        for (int k = 0; k < TERMS; k++)
            for (int j = 0; j < TERMS; j++)
                f->covariance[TERMS * k + j] += f->range.weight[s] * (double)f->terms[s][k] * (double)f->terms[s][j];
    for (int k = 0; k < TERMS; k++) trace += f->covariance[TERMS * k + k];
    for (int k = 0; k < TERMS; k++) f->covariance[TERMS * k + k] += 1e-5 * trace;
    if (!factor(TERMS, f->covariance, f->l)) return true;
    if (!(f->fit = malloc((3 * (size_t)f->count + 1) * sizeof *f->fit))) return false;
    fit_numbers(f);
    find_modes(f, g, v);
    for (int k = 0; k < TERMS; k++) energies[k] = g[TERMS * k + k];
    qsort(energies, TERMS, sizeof *energies, by_energy);
    bool good = true;
    for (int k = 0; k < TERMS && good; k++)
        if (g[TERMS * k + k] > energies[KEPT] && g[TERMS * k + k] > 0)
            good = make_mode(b, f, joint, g, v, k, &b->modes[b->mode_count++]);
    free(f->fit);
    return good;
}

// Bends a joint over its range. False: out of memory, or the skin failed.
static bool bend_joint(baking *b, double (*rotations)[3], double (*bones)[12], int joint) {
    const size_t n = (size_t)b->c->mesh.vertex_count;
    joint_fit f = {.vertices = malloc((n + 1) * sizeof *f.vertices)};
    float(*all)[3] = malloc((SAMPLES * n + 1) * sizeof *all);
    double *largest = calloc(n + 1, sizeof *largest);
    bool good = f.vertices && all && largest;
    find_range(b, joint, &f.range);
    for (int s = 0; s < f.range.count && good; s++) {
        memcpy(rotations[joint], f.range.v[s], sizeof *rotations);
        const float at[3] = {(float)rotations[joint][0], (float)rotations[joint][1], (float)rotations[joint][2]};
        sn_corrective_terms(at, f.terms[s]);
        good = rotate_bones(b, (const double(*)[3])rotations) && track(b);
        if (!good) break;
        find_offsets(b, bones, all + (size_t)s * n);
        for (size_t v = 0; v < n; v++) {
            const float *d = all[(size_t)s * n + v];
            largest[v] = fmax(largest[v],
                              (double)d[0] * (double)d[0] + (double)d[1] * (double)d[1] + (double)d[2] * (double)d[2]);
        }
    }
    memset(rotations[joint], 0, sizeof *rotations);
    for (size_t v = 0; v < n && good; v++)
        if (largest[v] > DUST * DUST * b->size * b->size) f.vertices[f.count++] = (int)v;
    if (good && f.count > 0) {
        f.moved = malloc(SAMPLES * 3 * (size_t)f.count * sizeof *f.moved);
        good = f.moved != NULL;
        for (int s = 0; s < f.range.count && good; s++)
            for (int i = 0; i < f.count; i++)
                memcpy(f.moved + ((size_t)s * (size_t)f.count + (size_t)i) * 3,
                       all[(size_t)s * n + (size_t)f.vertices[i]], 3 * sizeof(float));
        good = good && add_modes(b, &f, joint);
    }
    free(f.vertices);
    free(f.moved);
    free(all);
    free(largest);
    return good;
}

// ---- the best shapes

static int by_mode_energy(const void *one, const void *two) {
    const mode *a = one, *b = two;
    if (a->energy != b->energy) return a->energy > b->energy ? -1 : 1;
    return a->joint - b->joint;
}

static double largest_offset(const baking *b, const mode *m) {
    double max = 0;
    for (int v = 0; v < b->c->mesh.vertex_count; v++)
        for (int k = 0; k < 3; k++) max = fmax(max, fabs((double)m->offsets[v][k]));
    return max;
}

// Writes the best modes as shapes with rows, in the units of the file.
static bool keep_best(baking *b, int targets, corrective_bake *out) {
    const character *c = b->c;
    const double unit = c->fit * c->scale, dust = DUST * b->size;
    qsort(b->modes, (size_t)b->mode_count, sizeof *b->modes, by_mode_energy);
    const int count = b->mode_count < targets ? b->mode_count : targets;
    size_t rows = 0;
    for (int i = 0; i < count; i++)
        for (int v = 0; v < c->mesh.vertex_count; v++) {
            const float *d = b->modes[i].offsets[v];
            rows += fabs((double)d[0]) + fabs((double)d[1]) + fabs((double)d[2]) > dust;
        }
    out->targets = calloc((size_t)count + 1, sizeof *out->targets);
    out->rows = calloc(rows + 1, sizeof *out->rows);
    if (!out->targets || !out->rows || rows > INT32_MAX) return false;
    int have = 0;
    for (int i = 0; i < count; i++) {
        const mode *m = &b->modes[i];
        sn_corrective_target *target = &out->targets[i];
        const int parent = c->bones[m->joint].parent;
        const sn_quat rest = sn_q_mul(sn_q_conj(c->bones[parent].rest.rotation), c->bones[m->joint].rest.rotation);
        const double step = largest_offset(b, m) / 32767;
        *target = (sn_corrective_target){.joint = m->joint, .parent = parent, .reach = m->reach, .first = have};
        target->rest[0] = (float)rest.x, target->rest[1] = (float)rest.y;
        target->rest[2] = (float)rest.z, target->rest[3] = (float)rest.w;
        target->scale = (float)(step / unit);
        memcpy(target->coefficients, m->coefficients, sizeof target->coefficients);
        for (int v = 0; v < c->mesh.vertex_count; v++) {
            const float *d = m->offsets[v];
            if (!(fabs((double)d[0]) + fabs((double)d[1]) + fabs((double)d[2]) > dust)) continue;
            sn_corrective_row *row = &out->rows[have++];
            row->vertex = v;
            for (int k = 0; k < 3; k++) row->offset[k] = (int16_t)floor((double)d[k] / step + 0.5);
        }
        target->count = have - target->first;
    }
    out->set = (sn_correctives){c->bone_count, c->mesh.vertex_count, count, out->targets, have, out->rows};
    return true;
}

// ---- the error

typedef struct {
    float *distances[2]; // baked, linear
    size_t count;
    float (*placed)[3], *weights;
} comparison;

// Skins the shaped mesh linearly and measures how far it is from the skin that was tracked.
static void compare(const baking *b, const corrective_bake *out, double (*bones)[12], comparison *to) {
    const double unit = b->c->fit * b->c->scale;
    const int n = b->c->mesh.vertex_count;
    for (int i = 0; i < b->c->bone_count; i++) bone_matrix(b, i, bones[i]);
    memset(to->placed, 0, (size_t)n * sizeof *to->placed);
    sn_correctives_weights(&out->set, b->poses, b->c->bone_count, to->weights);
    sn_correctives_apply(&out->set, to->weights, to->placed[0], sizeof *to->placed, n);
    for (int v = 0; v < n; v++) {
        const sn_vec3 p = b->points[v];
        const double at[3] = {(double)p.x, (double)p.y, (double)p.z};
        double m[12];
        vertex_matrix(b, (const double(*)[12])bones, v, m);
        for (int kind = 0; kind < 2; kind++) {
            double x[3], length2 = 0;
            for (int k = 0; k < 3; k++)
                x[k] = (double)b->c->mesh.position[v][k] + (kind ? 0 : unit * (double)to->placed[v][k]);
            for (int r = 0; r < 3; r++) {
                const double d = m[4 * r] * x[0] + m[4 * r + 1] * x[1] + m[4 * r + 2] * x[2] + m[4 * r + 3] - at[r];
                length2 += d * d;
            }
            to->distances[kind][to->count] = (float)sqrt(length2);
        }
        to->count++;
    }
}

static int by_size(const void *one, const void *two) {
    const float a = *(const float *)one, b = *(const float *)two;
    return a < b ? -1 : a > b;
}

static corrective_error summary(float *distances, size_t count) {
    corrective_error e = {0};
    if (count == 0) return e;
    qsort(distances, count, sizeof *distances, by_size);
    for (size_t i = 0; i < count; i++) e.mean += (double)distances[i] / (double)count;
    e.p95 = (double)distances[(size_t)(0.95 * (double)(count - 1))];
    e.max = (double)distances[count - 1];
    return e;
}

static double next_number(uint64_t *state) { // -1 to 1
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 40) / (double)(1 << 23) - 1;
}

// In frames of the clip that they were not made for, or of all clips; without clips, with all joints turned at once.
static bool compare_all(baking *b, double (*rotations)[3], double (*bones)[12], corrective_bake *out,
                        tool_error *error) {
    character *c = b->c;
    double seconds = 0;
    const int first = b->unseen >= 0 ? b->unseen : 0, end = b->unseen >= 0 ? first + 1 : c->file.clip_count;
    for (int i = first; i < end; i++) seconds += c->file.clip[i].duration;
    const double step = fmax(1.0 / 30, seconds / (MAX_FRAMES - c->file.clip_count - 1));
    const size_t all = (size_t)(MAX_FRAMES + CROWDS) * (size_t)c->mesh.vertex_count;
    comparison to = {{malloc(all * sizeof(float)), malloc(all * sizeof(float))}, 0, NULL, NULL};
    to.placed = malloc((size_t)c->mesh.vertex_count * sizeof *to.placed);
    to.weights = malloc(((size_t)out->set.target_count + 1) * sizeof *to.weights);
    bool good = to.distances[0] && to.distances[1] && to.placed && to.weights;
    if (!good) tool_error_out_of_memory(error);
    out->from_clips = c->file.clip_count > 0;
    for (int i = first; i < end && good; i++) {
        c->clip = &c->file.clip[i];
        for (double t = 0; t <= c->clip->duration && good && out->frames < MAX_FRAMES; t += step) {
            good = character_pose(c, t, false, b->poses, error);
            if (good && !track(b)) good = tool_error_set(error, "its skin cannot be tracked");
            if (good) compare(b, out, bones, &to), out->frames++;
        }
    }
    uint64_t numbers = 12345;
    for (int i = 0; i < CROWDS && !out->from_clips && good; i++) {
        for (int j = 0; j < c->bone_count; j++)
            for (int k = 0; k < 3; k++) rotations[j][k] = c->bones[j].parent < 0 ? 0 : 0.2 * next_number(&numbers);
        good = (rotate_bones(b, (const double(*)[3])rotations) && track(b)) ||
               tool_error_set(error, "its skin cannot be tracked");
        if (good) compare(b, out, bones, &to), out->frames++;
    }
    c->clip = NULL;
    out->baked = summary(to.distances[0], to.count), out->linear = summary(to.distances[1], to.count);
    free(to.distances[0]);
    free(to.distances[1]);
    free(to.placed);
    free(to.weights);
    return good;
}

// ---- all of it

// Whether a clip is the one that the shapes must not know.
static bool is_unseen(const baking *b, int clip) {
    return b->unseen >= 0 && clip == b->unseen;
}

// Notes the rotations of all joints in the clips.
static bool see_clips(baking *b, tool_error *error) {
    character *c = b->c;
    const size_t bones = (size_t)c->bone_count;
    double seconds = 0;
    for (int i = 0; i < c->file.clip_count; i++) seconds += is_unseen(b, i) ? 0 : c->file.clip[i].duration;
    const double step = fmax(1.0 / 30, seconds / (MAX_SEEN - c->file.clip_count - 1));
    if (!(b->seen = calloc(MAX_SEEN * bones, sizeof *b->seen))) return tool_error_out_of_memory(error);
    for (int i = 0; i < c->file.clip_count; i++) {
        if (is_unseen(b, i)) continue;
        c->clip = &c->file.clip[i];
        for (double t = 0; t <= c->clip->duration && b->seen_count < MAX_SEEN; t += step) {
            if (!character_pose(c, t, false, b->poses, error)) return false;
            for (int j = 0; j < c->bone_count; j++)
                if (c->bones[j].parent >= 0) rotation_in_pose(b, j, b->seen[(size_t)b->seen_count * bones + (size_t)j]);
            b->seen_count++;
        }
    }
    c->clip = NULL;
    return true;
}

static double size_of_mesh(const sn_mesh *mesh) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, sum = 0;
    for (int v = 0; v < mesh->vertex_count; v++)
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], (double)mesh->position[v][k]);
            high[k] = fmax(high[k], (double)mesh->position[v][k]);
        }
    for (int k = 0; k < 3; k++) sum += (high[k] - low[k]) * (high[k] - low[k]);
    return sqrt(sum);
}

static bool bake_joints(baking *b, const corrective_options *options, corrective_bake *out, tool_error *error) {
    const size_t bones = (size_t)b->c->bone_count;
    double(*rotations)[3] = calloc(bones, sizeof *rotations), (*matrices)[12] = calloc(bones, sizeof *matrices);
    b->modes = calloc(bones * KEPT, sizeof *b->modes);
    bool good = rotations && matrices && b->modes;
    for (int j = 0; j < b->c->bone_count && good; j++) {
        if (b->c->bones[j].parent < 0) continue;
        double p95 = 0; // three bends tell whether the skin near it has anything to correct
        for (int k = 0; k < 3 && good; k++) {
            rotations[j][k] = own_sin(range_of(b, j) * (3.14159265358979323846 / 360));
            good = rotate_bones(b, (const double(*)[3])rotations) && track(b);
            if (good) p95 = fmax(p95, find_offsets(b, matrices, b->offsets));
            rotations[j][k] = 0;
        }
        if (good && p95 > 1e-3 * b->size) good = bend_joint(b, rotations, matrices, j);
    }
    good = good && keep_best(b, options->targets, out);
    if (!good) tool_error_set(error, "its shapes cannot be baked: out of memory");
    good = good && compare_all(b, rotations, matrices, out, error);
    free(rotations);
    free(matrices);
    return good;
}

bool corrective_bake_make(character *c, const corrective_options *options, corrective_bake *out, tool_error *error) {
    baking b = {.c = c, .size = size_of_mesh(&c->mesh), .unseen = -1};
    const size_t n = (size_t)c->mesh.vertex_count, bones = (size_t)c->bone_count;
    *out = (corrective_bake){0};
    for (int i = 0; options->unseen && i < c->file.clip_count; i++)
        if (strcmp(c->file.clip[i].name, options->unseen) == 0) b.unseen = i;
    if (options->unseen && b.unseen < 0) return tool_error_set(error, "it has no clip \"%.100s\"", options->unseen);
    bool good = character_model(c, NULL, NULL, &b.model, &b.bone_of, error);
    if (good) {
        b.points = malloc((n + 1) * sizeof *b.points), b.offsets = malloc((n + 1) * sizeof *b.offsets);
        b.poses = malloc((bones + 1) * sizeof *b.poses), b.sorted = malloc((bones + 1) * sizeof *b.sorted);
        good = b.points && b.offsets && b.poses && b.sorted && sn_implicit_skin_create(b.model, &b.skin) == SN_OK;
        if (!good) tool_error_out_of_memory(error);
    }
    good = good && see_clips(&b, error) && bake_joints(&b, options, out, error);
    for (int i = 0; i < b.mode_count; i++) free(b.modes[i].offsets);
    free(b.modes);
    free(b.seen);
    free(b.points);
    free(b.offsets);
    free(b.poses);
    free(b.sorted);
    sn_implicit_skin_destroy(b.skin);
    sn_implicit_model_destroy(b.model);
    free(b.bone_of);
    if (!good) corrective_bake_free(out);
    return good;
}

void corrective_bake_free(corrective_bake *bake) {
    free(bake->targets);
    free(bake->rows);
    *bake = (corrective_bake){0};
}
