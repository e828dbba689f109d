// Vertex smoothing by a pattern search. Moving one vertex changes only the tetrahedra around it, so vertices are moved
// one by one to maximise the worst score around them: a few positions around the vertex are tried, with decreasing
// step, and the best is taken if it is better than before. The score is
//
//     score = min( quality, min angle / 66.7, (180 - max angle) / 133 ),
//
// so that a quality of 0.15 is as bad as an angle of 10 or of 160 degrees.
#include "tets/tet_improve.h"
#include "mesh/maths.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEGREES 57.29577951308232

enum { QUICK_ROUNDS = 3 }; // iterations in which a vertex is left alone once all around it is good enough

typedef struct {
    sn_tet_mesh *mesh;
    const sn_mesh_query *query;
    int *start, *around;     // tetrahedra of each vertex
    unsigned char *boundary; // 1: slides on the surface; 0: interior, or over a hole of the surface
} vertex_stars;

// The dihedral angle of faces i and j has the cosine -ni.nj / |ni| |nj|, with n their normals.
static double score(const sn_tet_mesh *mesh, int t) {
    static const int face[4][3] = {{2, 3, 1}, {0, 3, 2}, {1, 3, 0}, {0, 2, 1}};
    const double *p[4];
    double n[4][3], length[4], longest = 0, widest = -1, narrowest = 1;
    for (int k = 0; k < 4; k++) p[k] = mesh->position[mesh->tet[t][k]];
    for (int i = 0; i < 4; i++) {
        const double *a = p[face[i][0]], *b = p[face[i][1]], *c = p[face[i][2]];
        const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
        for (int k = 0; k < 3; k++) n[i][k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
        length[i] = n[i][0] * n[i][0] + n[i][1] * n[i][1] + n[i][2] * n[i][2];
        longest = fmax(longest, u[0] * u[0] + u[1] * u[1] + u[2] * u[2]); // all six edges occur here
        longest = fmax(longest, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    double six = 0; // 6 volumes
    for (int k = 0; k < 3; k++) six -= n[0][k] * (p[0][k] - p[1][k]);
    const double quality = longest > 0 ? sqrt(2.0) * six / (longest * sqrt(longest)) : 0;
    if (quality <= 0) return quality;
    for (int i = 0; i < 4; i++)
        for (int j = i + 1; j < 4; j++) {
            const double cosine =
                -(n[i][0] * n[j][0] + n[i][1] * n[j][1] + n[i][2] * n[j][2]) / sqrt(length[i] * length[j]);
            widest = fmax(widest, cosine), narrowest = fmin(narrowest, cosine);
        }
    const double min_angle = DEGREES * own_acos(fmin(widest, 1)), max_angle = DEGREES * own_acos(fmax(narrowest, -1));
    return fmin(quality, fmin(min_angle / 66.7, (180 - max_angle) / 133));
}

// The worst score around a vertex; stops when it is not above 'enough'.
static double worst_around(const vertex_stars *s, int v, double enough, int *which) {
    double worst = INFINITY;
    for (int i = s->start[v]; i < s->start[v + 1]; i++) {
        const double one = score(s->mesh, s->around[i]);
        if (one >= worst) continue;
        worst = one;
        if (which) *which = s->around[i];
        if (worst <= enough) break;
    }
    return worst;
}

static bool build_stars(vertex_stars *s) {
    const sn_tet_mesh *mesh = s->mesh;
    sn_mesh surface;
    int *vertex_of = NULL;
    s->start = calloc((size_t)mesh->vertex_count + 2, sizeof *s->start);
    s->around = malloc((4 * (size_t)mesh->tet_count + 1) * sizeof *s->around);
    s->boundary = calloc((size_t)mesh->vertex_count + 1, 1);
    if (!s->start || !s->around || !s->boundary) return false;
    if (!sn_tet_mesh_boundary(mesh, &surface, &vertex_of, NULL)) return false;
    for (int i = 0; i < surface.vertex_count; i++) s->boundary[vertex_of[i]] = 1;
    sn_mesh_free(&surface);
    free(vertex_of);
    for (int t = 0; t < mesh->tet_count; t++)
        for (int k = 0; k < 4; k++) ++s->start[mesh->tet[t][k] + 2];
    for (int v = 0; v < mesh->vertex_count; v++) s->start[v + 2] += s->start[v + 1];
    for (int t = 0; t < mesh->tet_count; t++)
        for (int k = 0; k < 4; k++) s->around[s->start[mesh->tet[t][k] + 1]++] = t;
    return true;
}

// The mean of the neighbours' positions. Returns their mean distance.
static double neighbour_mean(const vertex_stars *s, int v, double middle[3]) {
    const sn_tet_mesh *mesh = s->mesh;
    double sum = 0;
    int count = 0;
    memset(middle, 0, 3 * sizeof *middle);
    for (int i = s->start[v]; i < s->start[v + 1]; i++)
        for (int k = 0; k < 4; k++) {
            const int w = mesh->tet[s->around[i]][k];
            if (w == v) continue;
            double d = 0;
            for (int c = 0; c < 3; c++) {
                const double e = mesh->position[w][c] - mesh->position[v][c];
                d += e * e, middle[c] += mesh->position[w][c];
            }
            sum += sqrt(d), ++count;
        }
    for (int c = 0; c < 3; c++) middle[c] /= count;
    return sum / count;
}

// The unit vector from the opposite face of a tetrahedron towards v.
static void direction_from_face(const vertex_stars *s, int v, int t, double out[3]) {
    const sn_tet_mesh *mesh = s->mesh;
    const double *p[3];
    for (int k = 0, n = 0; k < 4; k++)
        if (mesh->tet[t][k] != v) p[n++] = mesh->position[mesh->tet[t][k]];
    double a[3], b[3], length = 0, side = 0;
    for (int c = 0; c < 3; c++) a[c] = p[1][c] - p[0][c], b[c] = p[2][c] - p[0][c];
    for (int c = 0; c < 3; c++) {
        const int i = (c + 1) % 3, j = (c + 2) % 3;
        out[c] = a[i] * b[j] - a[j] * b[i];
        length += out[c] * out[c], side += out[c] * (mesh->position[v][c] - p[0][c]);
    }
    length = side < 0 ? -sqrt(length) : sqrt(length);
    for (int c = 0; c < 3; c++) out[c] = length != 0 ? out[c] / length : 0;
}

static bool improve_vertex(vertex_stars *s, int v, double wanted, bool thorough) {
    double *p = s->mesh->position[v], best[3], middle[3];
    int worst_tet = s->around[s->start[v]];
    const double before = worst_around(s, v, -INFINITY, &worst_tet);
    if (before >= wanted && !thorough) return false;
    const double size = neighbour_mean(s, v, middle);
    sn_mesh_hit hit;
    if (s->boundary[v] && (!s->query || !sn_mesh_query_closest_point(s->query, p, 1e-3 * size, &hit))) {
        s->boundary[v] = 0;
    }
    double now = before;
    memcpy(best, p, sizeof best);
    for (double step = 0.2; step > (thorough ? 0.004 : 0.02) && (thorough || now < wanted); step *= 0.5) {
        double from[3], offsets[9][3] = {{0}};
        memcpy(from, best, sizeof from);
        for (int k = 0; k < 3; k++) offsets[2 * k][k] = size, offsets[2 * k + 1][k] = -size;
        memcpy(p, from, sizeof best);
        direction_from_face(s, v, worst_tet, offsets[6]);
        for (int k = 0; k < 3; k++)
            offsets[6][k] *= size, offsets[7][k] = -offsets[6][k], offsets[8][k] = 2 * (middle[k] - from[k]);
        for (int i = 0; i < 9; i++) {
            for (int k = 0; k < 3; k++) p[k] = from[k] + step * offsets[i][k];
            if (s->boundary[v]) {
                if (!sn_mesh_query_closest_point(s->query, p, 2 * size, &hit)) continue;
                memcpy(p, hit.point, sizeof hit.point);
            }
            int tet = worst_tet;
            const double after = worst_around(s, v, now, &tet);
            if (after > now) now = after, memcpy(best, p, sizeof best), worst_tet = tet;
        }
    }
    memcpy(p, best, sizeof best);
    return now > before;
}

// Marks the vertices of bad tetrahedra. Returns whether there are any. Only tetrahedra with a vertex in 'active' are
// tested: elsewhere nothing has changed.
static bool find_bad(const vertex_stars *s, double wanted, unsigned char *active, unsigned char *bad) {
    bool any = false;
    for (int t = 0; t < s->mesh->tet_count; t++) {
        const int *v = s->mesh->tet[t];
        if (!(active[v[0]] | active[v[1]] | active[v[2]] | active[v[3]]) || score(s->mesh, t) >= wanted) continue;
        for (int k = 0; k < 4; k++) bad[v[k]] = 1;
        any = true;
    }
    return any;
}

int sn_tet_improve(sn_tet_mesh *mesh, const sn_mesh_query *query, double wanted, int rounds) {
    vertex_stars s = {.mesh = mesh, .query = query};
    const size_t count = (size_t)mesh->vertex_count;
    unsigned char *active = malloc(count + 1), *bad = malloc(count + 1), *moved = calloc(count + 1, 1);
    int moves = -1;
    if (active && bad && moved && build_stars(&s)) {
        memset(active, 1, count);
        for (int round = 0; round < rounds; round++) {
            bool any = false;
            memset(bad, 0, count);
            if (!find_bad(&s, wanted, active, bad)) break;
            const bool thorough = round >= QUICK_ROUNDS; // few are left: search longer, and move their neighbours too
            for (int i = 0; i < mesh->tet_count && thorough; i++) {
                const int *v = mesh->tet[i];
                if ((bad[v[0]] | bad[v[1]] | bad[v[2]] | bad[v[3]]) & 1)
                    for (int k = 0; k < 4; k++) bad[v[k]] |= 2;
            }
            for (int v = 0; v < mesh->vertex_count; v++)
                if (bad[v] && improve_vertex(&s, v, wanted, thorough)) moved[v] = 1, any = true;
            if (!any && thorough) break;
            memcpy(active, bad, count);
        }
        moves = 0;
        for (int v = 0; v < mesh->vertex_count; v++) moves += moved[v];
    }
    free(s.start), free(s.around), free(s.boundary), free(active), free(bad), free(moved);
    return moves;
}
