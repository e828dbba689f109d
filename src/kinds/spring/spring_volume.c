// Volume springs on tetrahedra. See spring_volume.h.
//
// The tangent keeps -bulk/V0 g g^T, where g are the twelve derivatives, and drops the pressure times the second
// derivative of V, which is indefinite. What remains is exact at the rest volume and never has negative curvature.
#include "kinds/spring/spring_volume.h"

sn_real sn_spring_tet_volume(const sn_vec3 corner[4]) {
    const sn_vec3 u = sn_sub(corner[1], corner[0]), v = sn_sub(corner[2], corner[0]), w = sn_sub(corner[3], corner[0]);
    return sn_dot(sn_cross(u, v), w) / 6;
}

void sn_spring_tet_slopes(const sn_vec3 corner[4], sn_vec3 slope[4]) {
    const sn_vec3 u = sn_sub(corner[1], corner[0]), v = sn_sub(corner[2], corner[0]), w = sn_sub(corner[3], corner[0]);
    slope[1] = sn_mul((sn_real)(1.0 / 6), sn_cross(v, w));
    slope[2] = sn_mul((sn_real)(1.0 / 6), sn_cross(w, u));
    slope[3] = sn_mul((sn_real)(1.0 / 6), sn_cross(u, v));
    slope[0] = sn_mul(-1, sn_add(slope[1], sn_add(slope[2], slope[3])));
}

static void corners_of(const sn_spring_volumes *volumes, const sn_real *x, int tet, sn_vec3 corner[4]) {
    for (int k = 0; k < 4; k++) corner[k] = sn_spring_quad(x, volumes->corner[tet][k]);
}

double sn_spring_volume(const sn_spring_body *body) {
    double all = 0;
    for (int t = 0; t < body->volumes.count; t++) {
        sn_vec3 corner[4];
        corners_of(&body->volumes, body->x, t, corner);
        all += (double)sn_spring_tet_volume(corner);
    }
    return all;
}

double sn_spring_rest_volume(const sn_spring_body *body) {
    double all = 0;
    for (int t = 0; t < body->volumes.count; t++) all += (double)body->volumes.rest[t];
    return all;
}

enum { TETS_PER_TASK = 512 };

typedef struct {
    sn_spring_volumes *volumes;
    const sn_real *x, *v;
    sn_real h;
} job;

static sn_real along_slopes(const sn_spring_volumes *volumes, int tet, const sn_real *quads) {
    sn_real sum = 0;
    for (int k = 0; k < 4; k++)
        sum += sn_dot(sn_spring_quad(volumes->slope, 4 * tet + k), sn_spring_quad(quads, volumes->corner[tet][k]));
    return sum;
}

static void impulse_task(void *context, int index, int worker) {
    const job *j = context;
    sn_spring_volumes *volumes = j->volumes;
    (void)worker;
    const int end = (index + 1) * TETS_PER_TASK < volumes->count ? (index + 1) * TETS_PER_TASK : volumes->count;
    for (int t = index * TETS_PER_TASK; t < end; t++) {
        sn_vec3 corner[4], slope[4];
        corners_of(volumes, j->x, t, corner);
        sn_spring_tet_slopes(corner, slope);
        for (int k = 0; k < 4; k++) sn_spring_set_quad(volumes->slope, 4 * t + k, slope[k]);
        const sn_real stiff = volumes->bulk / volumes->rest[t];
        sn_real pressure = stiff * (volumes->rest[t] - sn_spring_tet_volume(corner));
        if (j->v) pressure -= j->h * stiff * along_slopes(volumes, t, j->v);
        volumes->elastic[t] = j->h * pressure;
    }
}

static void spread_task(void *context, int index, int worker) {
    const job *j = context;
    sn_spring_volumes *volumes = j->volumes;
    (void)worker;
    const int end = (index + 1) * TETS_PER_TASK < volumes->count ? (index + 1) * TETS_PER_TASK : volumes->count;
    for (int t = index * TETS_PER_TASK; t < end; t++)
        volumes->elastic[t] = j->h * j->h * volumes->bulk / volumes->rest[t] * along_slopes(volumes, t, j->v);
}

void sn_spring_volume_impulses(sn_spring_body *body, const sn_real *x, const sn_real *v, sn_real h, sn_pool *pool) {
    job j = {&body->volumes, x, v, h};
    sn_spring_run_count(pool, (body->volumes.count + TETS_PER_TASK - 1) / TETS_PER_TASK, impulse_task, &j);
}

void sn_spring_volume_spread(sn_spring_body *body, const sn_real *from, sn_real h, sn_pool *pool) {
    job j = {&body->volumes, NULL, from, h};
    sn_spring_run_count(pool, (body->volumes.count + TETS_PER_TASK - 1) / TETS_PER_TASK, spread_task, &j);
}

double sn_spring_volume_add(const sn_spring_body *body, int begin, int end, const sn_real *dot, sn_real *to) {
    const sn_spring_volumes *volumes = &body->volumes;
    double sum = 0;
    for (int i = begin; i < end && i < body->count; i++) {
        sn_vec3 more = {0, 0, 0};
        for (int k = volumes->first[i]; k < volumes->first[i + 1]; k++)
            more =
                sn_mul_add(more, volumes->elastic[volumes->at[k] / 4], sn_spring_quad(volumes->slope, volumes->at[k]));
        sn_spring_add_quad(to, i, more);
        if (dot) sum += (double)sn_dot(sn_spring_quad(dot, i), more);
    }
    return sum;
}

void sn_spring_volume_diagonal(const sn_spring_body *body, int begin, int end, sn_real h) {
    const sn_spring_volumes *volumes = &body->volumes;
    for (int i = begin; i < end && i < body->count; i++) {
        sn_real *m = body->precondition + (size_t)(i / SN_SPRING_ROW) * 6 * SN_SPRING_ROW + i % SN_SPRING_ROW;
        for (int k = volumes->first[i]; k < volumes->first[i + 1]; k++) {
            const sn_vec3 g = sn_spring_quad(volumes->slope, volumes->at[k]);
            const sn_real stiff = h * h * volumes->bulk / volumes->rest[volumes->at[k] / 4];
            m[0] += stiff * g.x * g.x;
            m[SN_SPRING_ROW] += stiff * g.y * g.y;
            m[2 * SN_SPRING_ROW] += stiff * g.z * g.z;
            m[3 * SN_SPRING_ROW] += stiff * g.x * g.y;
            m[4 * SN_SPRING_ROW] += stiff * g.x * g.z;
            m[5 * SN_SPRING_ROW] += stiff * g.y * g.z;
        }
    }
}
