// Points in tetrahedra. See tet_embedding.h. Inside, the spatial hash finds the tetrahedron; outside, the nearest
// boundary face does; faces that are too far by their bounding spheres are skipped.
#include "kinds/spring/tet_embedding.h"
#include "geometry/triangle.h"
#include "kinds/spring/spring_body.h"
#include "kinds/spring/spring_faces.h"
#include "kinds/spring/tet_hash.h"

bool sn_tet_weights(const sn_vec3 corner[4], sn_vec3 p, double weight[4]) {
    double d[4][3]; // the corners relative to p
    for (int k = 0; k < 4; k++) {
        d[k][0] = (double)corner[k].x - (double)p.x;
        d[k][1] = (double)corner[k].y - (double)p.y;
        d[k][2] = (double)corner[k].z - (double)p.z;
    }
    static const int other[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    double whole = 0;
    for (int k = 0; k < 4; k++) { // six times the volume of p with the opposite face; positive inside
        const double *a = d[other[k][0]], *b = d[other[k][1]], *c = d[other[k][2]];
        weight[k] = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                    a[2] * (b[0] * c[1] - b[1] * c[0]);
        whole += weight[k];
    }
    if (whole == 0 || !(whole - whole == 0)) return false;
    for (int k = 0; k < 4; k++) weight[k] /= whole;
    return true;
}

typedef struct {
    const sn_real *x;
    const int (*tets)[4];
    sn_vec3 point;
    int found;
    double weight[4], min; // of the best tetrahedron so far; min: its smallest weight
} search;

static bool look(void *context, int tet) {
    search *s = context;
    sn_vec3 corner[4];
    double weight[4];
    for (int k = 0; k < 4; k++) corner[k] = sn_spring_quad(s->x, s->tets[tet][k]);
    if (!sn_tet_weights(corner, s->point, weight)) return true;
    double min = weight[0];
    for (int k = 1; k < 4; k++) min = weight[k] < min ? weight[k] : min;
    if (min <= s->min) return true;
    s->found = tet, s->min = min;
    for (int k = 0; k < 4; k++) s->weight[k] = weight[k];
    return true;
}

typedef struct {
    sn_vec3 centre;
    sn_real radius;
} ball;

static int nearest_tet(const sn_real *x, const sn_tet_face *faces, const ball *balls, int count, sn_vec3 p) {
    sn_real best = 0;
    int found = -1;
    for (int f = 0; f < count; f++) {
        const sn_real reach = sn_length(sn_sub(p, balls[f].centre)) - balls[f].radius;
        if (found >= 0 && reach > 0 && reach * reach > best) continue;
        const sn_triangle triangle = {sn_spring_quad(x, faces[f].corner[0]), sn_spring_quad(x, faces[f].corner[1]),
                                      sn_spring_quad(x, faces[f].corner[2])};
        sn_real beta, gamma;
        sn_vec3 offset;
        const sn_real distance2 = sn_point_triangle(p, &triangle, &beta, &gamma, &offset);
        if (found >= 0 && distance2 >= best) continue;
        best = distance2, found = faces[f].tet;
    }
    return found;
}

sn_status sn_spring_embed(sn_memory *memory, const sn_real *x, int points, const int (*tets)[4], int tet_count,
                          const sn_vec3 *surface, int count, sn_spring_place *out, int *outside) {
    *outside = 0;
    if (tet_count < 1) return SN_ERR_RANGE;
    int face_count = 0;
    sn_tet_face *faces = sn_tet_faces(memory, points, tets, tet_count, &face_count);
    const size_t ball_count = (size_t)face_count;
    ball *balls = faces ? sn_alloc(memory, ball_count, sizeof *balls) : NULL;
    sn_tet_grid grid;
    sn_tet_grid_init(&grid, memory);
    sn_status status = balls && sn_tet_grid_build(&grid, x, tets, tet_count) ? SN_OK : SN_ERR_MEMORY;
    for (int f = 0; status == SN_OK && f < face_count; f++) {
        sn_vec3 corner[3], middle = {0, 0, 0};
        for (int k = 0; k < 3; k++) {
            corner[k] = sn_spring_quad(x, faces[f].corner[k]);
            middle = sn_mul_add(middle, (sn_real)(1.0 / 3), corner[k]);
        }
        balls[f].centre = middle;
        for (int k = 0; k < 3; k++)
            balls[f].radius = sn_max(balls[f].radius, sn_length(sn_sub(corner[k], middle)) * (sn_real)1.0001);
    }
    for (int i = 0; status == SN_OK && i < count; i++) {
        search s = {.x = x, .tets = tets, .point = surface[i], .found = -1, .min = -1e-6};
        const sn_tet_box box = {surface[i], surface[i]};
        sn_tet_grid_visit(&grid, &box, look, &s);
        if (s.found < 0) {
            const int tet = nearest_tet(x, faces, balls, face_count, surface[i]);
            s.min = -HUGE_VAL;
            if (tet >= 0) look(&s, tet);
            ++*outside;
        }
        if (s.found < 0) {
            status = SN_ERR_RANGE;
            break;
        }
        for (int k = 0; k < 4; k++) {
            out[i].corner[k] = tets[s.found][k];
            out[i].weight[k] = (sn_real)s.weight[k];
        }
    }
    sn_tet_grid_free(&grid);
    sn_free(memory, balls, ball_count, sizeof *balls);
    sn_free(memory, faces, 4 * (size_t)tet_count, sizeof *faces);
    return status;
}

enum { PLACES_PER_TASK = 1024 };

typedef struct {
    const sn_real *x;
    const sn_spring_place *places;
    int count;
    sn_vec3 *out;
} move_job;

static void move_task(void *context, int index, int worker) {
    const move_job *j = context;
    (void)worker;
    const int end = (index + 1) * PLACES_PER_TASK < j->count ? (index + 1) * PLACES_PER_TASK : j->count;
    for (int i = index * PLACES_PER_TASK; i < end; i++) {
        const sn_spring_place *place = &j->places[i];
        sn_vec3 at = sn_mul(place->weight[0], sn_spring_quad(j->x, place->corner[0]));
        for (int k = 1; k < 4; k++) at = sn_mul_add(at, place->weight[k], sn_spring_quad(j->x, place->corner[k]));
        j->out[i] = at;
    }
}

void sn_spring_embed_move(const sn_real *x, const sn_spring_place *places, int count, sn_vec3 *out, sn_pool *pool) {
    move_job job = {x, places, count, out};
    sn_spring_run_count(pool, (count + PLACES_PER_TASK - 1) / PLACES_PER_TASK, move_task, &job);
}
