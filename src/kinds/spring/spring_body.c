// Creates, changes and measures mass-spring bodies, and computes their forces. See spring_body.h.
#include "kinds/spring/spring_body.h"
#include "base/float_mode.h"
#include "kinds/spring/spring_coarse.h"
#include "kinds/spring/spring_kernels.h"
#include "kinds/spring/spring_volume.h"
#include <string.h>

void sn_spring_run_count(sn_pool *pool, int count, sn_iteration_fn *fn, void *context) {
    if (pool) {
        sn_parallel_for(pool, count, 1, fn, context);
        return;
    }
    const sn_float_mode before = sn_float_mode_enter();
    for (int i = 0; i < count; i++) fn(context, i, 0);
    sn_float_mode_leave(before);
}

void sn_spring_run(const sn_spring_body *body, sn_pool *pool, sn_iteration_fn *fn, void *context) {
    sn_spring_run_count(pool, body->chunks, fn, context);
}

// ---- creating

enum { SPRINGS_MAX = 60000000 }; // each has two ends, each of which may need a row of 16

// Null, or an error message.
static const char *wrong_with(const sn_spring_def *def, int *which) {
    *which = 0;
    if (def->count < 1 || !def->points || !def->masses) return "a body needs points with masses";
    if (def->spring_count < 0 || (def->spring_count > 0 && !def->springs)) return "springs are missing";
    if (def->tet_count < 0 || (def->tet_count > 0 && !def->tets)) return "tetrahedra are missing";
    for (int i = 0; i < def->count; i++) {
        *which = i;
        if (!sn_finite3(def->points[i])) return "a point is not finite";
        if (def->velocities && !sn_finite3(def->velocities[i])) return "a velocity is not finite";
        if (!(def->masses[i] >= 0) || !sn_finite(def->masses[i])) return "a mass must be 0 (held) or more";
        if (def->masses[i] > 0 && !sn_finite(1 / def->masses[i])) return "a mass is too small";
    }
    for (int i = 0; i < def->spring_count; i++) {
        const sn_spring *s = &def->springs[i];
        *which = i;
        if (s->a < 0 || s->a >= def->count || s->b < 0 || s->b >= def->count) return "a spring's end is no point";
        if (s->a == s->b) return "a spring joins a point to itself";
        if (!(s->stiffness >= 0) || !sn_finite(s->stiffness)) return "a spring's stiffness must be 0 or more";
        if (!(s->damping >= 0) || !sn_finite(s->damping)) return "a spring's damping must be 0 or more";
        if (!(s->rest >= 0) || !sn_finite(s->rest)) return "a spring's rest length must be 0 or more";
        if (def->law == SN_SPRING_RELATIVE && !(s->rest > 0))
            return "with the relative law a spring's rest length must be more than 0";
    }
    if (def->tet_count > 0 && (!(def->bulk >= 0) || !sn_finite(def->bulk))) return "the bulk modulus must be 0 or more";
    for (int i = 0; i < def->tet_count; i++) {
        sn_vec3 corner[4];
        *which = i;
        for (int k = 0; k < 4; k++) {
            if (def->tets[i][k] < 0 || def->tets[i][k] >= def->count) return "a tetrahedron's corner is no point";
            corner[k] = def->points[def->tets[i][k]];
        }
        if (!(sn_spring_tet_volume(corner) > 0)) return "a tetrahedron has no volume, or is inside out";
    }
    return NULL;
}

static sn_real effective(const sn_spring_body *body, const sn_spring *spring) {
    return body->law == SN_SPRING_RELATIVE ? spring->stiffness / spring->rest : spring->stiffness;
}

static void write_entries(sn_spring_body *body, int i) {
    const sn_spring *spring = &body->springs[i];
    for (int end = 0; end < 2; end++) {
        const int e = body->rows.entry[2 * i + end];
        body->rows.stiffness[e] = effective(body, spring);
        body->rows.rest[e] = spring->rest;
        body->rows.damping[e] = spring->damping;
    }
    if (spring->damping > 0) body->damped = true;
}

static size_t entries_of(const sn_spring_body *body) {
    return body->rows.first ? (size_t)body->rows.first[body->rows.group_count] * SN_SPRING_ROW : 0;
}

static bool make_rows(sn_spring_body *body) {
    sn_spring_rows *rows = &body->rows;
    sn_memory *memory = body->memory;
    rows->group_count = body->padded / SN_SPRING_ROW;
    int *degree = sn_alloc(memory, (size_t)body->padded, sizeof *degree);
    rows->first = sn_alloc(memory, (size_t)rows->group_count + 1, sizeof *rows->first);
    rows->entry = sn_alloc(memory, 2 * (size_t)body->spring_count, sizeof *rows->entry);
    bool good = degree && rows->first && rows->entry;
    if (good) {
        for (int i = 0; i < body->spring_count; i++) ++degree[body->springs[i].a], ++degree[body->springs[i].b];
        for (int g = 0; g < rows->group_count; g++) {
            int max = 0;
            for (int k = 0; k < SN_SPRING_ROW; k++)
                max = degree[g * SN_SPRING_ROW + k] > max ? degree[g * SN_SPRING_ROW + k] : max;
            rows->first[g + 1] = rows->first[g] + max;
        }
        const size_t entries = entries_of(body);
        rows->other = sn_alloc(memory, entries, sizeof *rows->other);
        rows->stiffness = sn_alloc(memory, entries, sizeof *rows->stiffness);
        rows->rest = sn_alloc(memory, entries, sizeof *rows->rest);
        rows->damping = sn_alloc(memory, entries, sizeof *rows->damping);
        good = rows->other && rows->stiffness && rows->rest && rows->damping;
    }
    if (good) {
        for (int g = 0; g < rows->group_count; g++)
            for (int e = rows->first[g] * SN_SPRING_ROW; e < rows->first[g + 1] * SN_SPRING_ROW; e++)
                rows->other[e] = g * SN_SPRING_ROW + e % SN_SPRING_ROW; // empty slot: a spring to itself
        memset(degree, 0, (size_t)body->padded * sizeof *degree);
        for (int i = 0; i < body->spring_count; i++) {
            const int ends[2] = {body->springs[i].a, body->springs[i].b};
            for (int end = 0; end < 2; end++) {
                const int p = ends[end];
                const int e = (rows->first[p / SN_SPRING_ROW] + degree[p]++) * SN_SPRING_ROW + p % SN_SPRING_ROW;
                rows->other[e] = ends[1 - end];
                rows->entry[2 * i + end] = e;
            }
            write_entries(body, i);
        }
    }
    sn_free(memory, degree, (size_t)body->padded, sizeof *degree);
    return good;
}

static bool make_volumes(sn_spring_body *body, const sn_spring_def *def) {
    sn_spring_volumes *volumes = &body->volumes;
    const size_t n = (size_t)def->tet_count;
    volumes->count = def->tet_count;
    volumes->bulk = def->bulk;
    if (n == 0) return true;
    volumes->corner = sn_alloc(body->memory, n, sizeof *volumes->corner);
    volumes->rest = sn_alloc(body->memory, n, sizeof *volumes->rest);
    volumes->first = sn_alloc(body->memory, (size_t)body->count + 1, sizeof *volumes->first);
    volumes->at = sn_alloc(body->memory, 4 * n, sizeof *volumes->at);
    volumes->slope = sn_alloc(body->memory, 16 * n, sizeof *volumes->slope);
    volumes->elastic = sn_alloc(body->memory, n, sizeof *volumes->elastic);
    if (!volumes->corner || !volumes->rest || !volumes->first || !volumes->at || !volumes->slope || !volumes->elastic)
        return false;
    memcpy(volumes->corner, def->tets, n * sizeof *volumes->corner);
    for (int t = 0; t < def->tet_count; t++) {
        sn_vec3 corner[4];
        for (int k = 0; k < 4; k++) {
            corner[k] = def->points[def->tets[t][k]];
            ++volumes->first[def->tets[t][k]];
        }
        volumes->rest[t] = sn_spring_tet_volume(corner);
    }
    for (int i = 0, sum = 0; i <= body->count; i++) volumes->first[i] = sum += volumes->first[i]; // ends,
    for (int k = 4 * def->tet_count - 1; k >= 0; --k)                                             // then starts
        volumes->at[--volumes->first[def->tets[k / 4][k % 4]]] = k;
    return true;
}

sn_status sn_spring_body_create(sn_memory *memory, const sn_spring_def *def, sn_spring_body **out, const char **what,
                                int *which) {
    int number = 0;
    const char *wrong = wrong_with(def, &number);
    const sn_spring_kernels *kernels = sn_spring_kernels_for(def->lanes);
    if (!wrong && !kernels) wrong = "this build or machine has no lanes of that width";
    if (!wrong && (def->count > SPRINGS_MAX || def->spring_count > SPRINGS_MAX || def->tet_count > SPRINGS_MAX))
        wrong = "too many points, springs or tetrahedra";
    if (what) *what = wrong;
    if (which) *which = number;
    *out = NULL;
    if (wrong) return SN_ERR_RANGE;

    sn_spring_body *body = sn_alloc(memory, 1, sizeof *body);
    if (!body) return SN_ERR_MEMORY;
    body->memory = memory;
    body->kernels = kernels;
    body->count = def->count;
    body->padded = (def->count + SN_SPRING_ROW - 1) / SN_SPRING_ROW * SN_SPRING_ROW;
    body->chunks = (body->padded + SN_SPRING_CHUNK - 1) / SN_SPRING_CHUNK;
    body->spring_count = def->spring_count;
    body->law = def->law;
    const size_t padded = (size_t)body->padded, quad = 4 * sizeof(sn_real);
    sn_real **quads[] = {&body->x, &body->v, &body->load, &body->force, &body->displacement, &body->gain};
    bool good = true;
    for (size_t k = 0; k < sizeof quads / sizeof quads[0]; k++)
        good = (*quads[k] = sn_alloc(memory, padded, quad)) != NULL && good;
    for (int k = 0; k < SN_SPRING_SCRATCH; k++)
        good = (body->scratch[k] = sn_alloc(memory, padded, quad)) != NULL && good;
    good = (body->mass = sn_alloc(memory, padded, sizeof(sn_real))) != NULL && good;
    good = (body->inverse = sn_alloc(memory, padded, sizeof(sn_real))) != NULL && good;
    good = (body->precondition = sn_alloc(memory, 6 * padded, sizeof(sn_real))) != NULL && good;
    good = (body->partial = sn_alloc(memory, 2 * (size_t)body->chunks, sizeof(double))) != NULL && good;
    good = (body->springs = sn_alloc(memory, (size_t)def->spring_count, sizeof(sn_spring))) != NULL && good;
    if (good) {
        if (def->spring_count) memcpy(body->springs, def->springs, (size_t)def->spring_count * sizeof(sn_spring));
        good = make_rows(body) && make_volumes(body, def);
    }
    if (good) good = (body->tangent = sn_alloc(memory, entries_of(body), quad)) != NULL;
    if (good) good = sn_spring_coarse_create(body, &body->coarse);
    if (!good) {
        sn_spring_body_destroy(body);
        return SN_ERR_MEMORY;
    }
    for (int i = 0; i < def->count; i++) {
        sn_spring_set_mass(body, i, def->masses[i]);
        sn_spring_put(body, i, def->points[i], def->velocities ? def->velocities[i] : sn_v3(0, 0, 0));
    }
    *out = body;
    return SN_OK;
}

void sn_spring_body_destroy(sn_spring_body *body) {
    if (!body) return;
    sn_memory *memory = body->memory;
    const size_t padded = (size_t)body->padded, quad = 4 * sizeof(sn_real), entries = entries_of(body);
    sn_real *quads[] = {body->x, body->v, body->load, body->force, body->displacement, body->gain};
    for (size_t k = 0; k < sizeof quads / sizeof quads[0]; k++) sn_free(memory, quads[k], padded, quad);
    for (int k = 0; k < SN_SPRING_SCRATCH; k++) sn_free(memory, body->scratch[k], padded, quad);
    sn_free(memory, body->mass, padded, sizeof(sn_real));
    sn_free(memory, body->inverse, padded, sizeof(sn_real));
    sn_free(memory, body->precondition, 6 * padded, sizeof(sn_real));
    sn_free(memory, body->partial, 2 * (size_t)body->chunks, sizeof(double));
    sn_free(memory, body->springs, (size_t)body->spring_count, sizeof(sn_spring));
    sn_free(memory, body->tangent, entries, quad);
    sn_free(memory, body->rows.other, entries, sizeof *body->rows.other);
    sn_free(memory, body->rows.stiffness, entries, sizeof *body->rows.stiffness);
    sn_free(memory, body->rows.rest, entries, sizeof *body->rows.rest);
    sn_free(memory, body->rows.damping, entries, sizeof *body->rows.damping);
    sn_free(memory, body->rows.first, (size_t)body->rows.group_count + 1, sizeof *body->rows.first);
    sn_free(memory, body->rows.entry, 2 * (size_t)body->spring_count, sizeof *body->rows.entry);
    sn_spring_volumes *volumes = &body->volumes;
    const size_t n = (size_t)volumes->count;
    sn_free(memory, volumes->corner, n, sizeof *volumes->corner);
    sn_free(memory, volumes->rest, n, sizeof *volumes->rest);
    sn_free(memory, volumes->first, (size_t)body->count + 1, sizeof *volumes->first);
    sn_free(memory, volumes->at, 4 * n, sizeof *volumes->at);
    sn_free(memory, volumes->slope, 16 * n, sizeof *volumes->slope);
    sn_free(memory, volumes->elastic, n, sizeof *volumes->elastic);
    sn_spring_coarse_destroy(body->coarse);
    sn_free(memory, body, 1, sizeof *body);
}

// ---- state

sn_vec3 sn_spring_point(const sn_spring_body *body, int i) {
    return sn_spring_quad(body->x, i);
}

sn_vec3 sn_spring_velocity(const sn_spring_body *body, int i) {
    return sn_spring_quad(body->v, i);
}

void sn_spring_put(sn_spring_body *body, int i, sn_vec3 point, sn_vec3 velocity) {
    sn_spring_set_quad(body->x, i, point);
    sn_spring_set_quad(body->v, i, velocity);
    sn_spring_set_quad(body->displacement, i,
                       sn_mul(body->displacement_h, velocity)); // Verlet continues with this velocity
    sn_spring_set_quad(body->gain, i, sn_v3(0, 0, 0));
}

void sn_spring_set_mass(sn_spring_body *body, int i, sn_real mass) {
    body->mass[i] = mass;
    body->inverse[i] = mass > 0 ? 1 / mass : 0;
    sn_spring_set_quad(body->gain, i, sn_v3(0, 0, 0));
}

void sn_spring_set(sn_spring_body *body, int spring, sn_real stiffness, sn_real damping, sn_real rest) {
    sn_spring *s = &body->springs[spring];
    s->stiffness = stiffness, s->damping = damping, s->rest = rest;
    write_entries(body, spring);
}

// ---- forces

typedef struct {
    sn_spring_body *body;
    const sn_real *x, *v;
    sn_real *force;
} force_job;

static void force_task(void *context, int index, int worker) {
    const force_job *job = context;
    sn_spring_body *body = job->body;
    (void)worker;
    const int begin = index * SN_SPRING_CHUNK, end = sn_spring_chunk_end(body, index);
    const sn_spring_span span = {body, begin / SN_SPRING_ROW, end / SN_SPRING_ROW};
    body->kernels->forces(span, job->x, job->v, job->force);
    if (sn_spring_has_volumes(body)) sn_spring_volume_add(body, begin, end, NULL, job->force);
}

void sn_spring_forces(sn_spring_body *body, const sn_real *x, const sn_real *v, sn_real *force, sn_pool *pool) {
    if (sn_spring_has_volumes(body)) sn_spring_volume_impulses(body, x, NULL, 1, pool);
    force_job job = {body, x, v, force};
    sn_spring_run(body, pool, force_task, &job);
}

// ---- measures

// In double: the energy of a diverging body overflows float.
static double volume_now(const sn_spring_body *body, int tet) {
    const int *corner = body->volumes.corner[tet];
    double e[3][3];
    for (int k = 0; k < 3; k++)
        for (int r = 0; r < 3; r++)
            e[k][r] = (double)body->x[4 * (size_t)corner[k + 1] + (size_t)r] -
                      (double)body->x[4 * (size_t)corner[0] + (size_t)r];
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6;
}

sn_spring_totals sn_spring_measure(const sn_spring_body *body, sn_vec3 gravity) {
    sn_spring_totals all = {0};
    for (int i = 0; i < body->count; i++) {
        const double m = (double)body->mass[i];
        const sn_real *xi = body->x + 4 * (size_t)i, *vi = body->v + 4 * (size_t)i;
        const double x[3] = {(double)xi[0], (double)xi[1], (double)xi[2]};
        const double v[3] = {(double)vi[0], (double)vi[1], (double)vi[2]};
        const double g[3] = {(double)gravity.x, (double)gravity.y, (double)gravity.z};
        for (int k = 0; k < 3; k++) {
            const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            all.kinetic += 0.5 * m * v[k] * v[k];
            all.gravity -= m * g[k] * x[k];
            all.momentum[k] += m * v[k];
            all.spin[k] += m * (x[k1] * v[k2] - x[k2] * v[k1]);
        }
    }
    for (int i = 0; i < body->spring_count; i++) {
        const sn_spring *s = &body->springs[i];
        double length2 = 0;
        for (int k = 0; k < 3; k++) {
            const double d =
                (double)body->x[4 * (size_t)s->b + (size_t)k] - (double)body->x[4 * (size_t)s->a + (size_t)k];
            length2 += d * d;
        }
        const double longer = sqrt(length2) - (double)s->rest;
        all.elastic += 0.5 * (double)effective(body, s) * longer * longer;
    }
    for (int t = 0; t < body->volumes.count; t++) {
        const double rest = (double)body->volumes.rest[t], more = volume_now(body, t) - rest;
        all.elastic += 0.5 * (double)body->volumes.bulk * more * more / rest;
    }
    return all;
}

bool sn_spring_is_finite(const sn_spring_body *body) {
    for (int i = 0; i < body->count; i++)
        if (!sn_valid3(sn_spring_point(body, i)) || !sn_finite(sn_length2(sn_spring_velocity(body, i)))) return false;
    return true;
}
