// Removes primitives that add nothing, or stick out.
//
// Degenerate: a triangle with one sphere on the cone between the other two (as a point in four dimensions) is that cone
// twice. The slab is removed, and the cone over it unless another slab needs it.
//
// Sticking out: a slab over a concavity of the surface is removed. Its cones stay: they may hold a handle together.
#include "medial/medial_internal.h"
#include "mesh/sort.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The edges of all slabs, sorted. Null: out of memory.
static uint64_t *slab_edges(const sn_medial_mesh *mesh) {
    uint64_t *keys = malloc((3 * (size_t)mesh->slab_count + 1) * sizeof *keys);
    for (int f = 0; f < mesh->slab_count && keys; f++)
        for (int k = 0; k < 3; k++) keys[3 * f + k] = edge_key(mesh->slab[f][k], mesh->slab[f][(k + 1) % 3]);
    if (keys) qsort(keys, 3 * (size_t)mesh->slab_count, sizeof *keys, compare_uint64);
    return keys;
}

static void drop_slab(sn_medial_mesh *mesh, int f) {
    memmove(&mesh->slab[f], &mesh->slab[f + 1], (size_t)(mesh->slab_count - f - 1) * sizeof *mesh->slab);
    mesh->slab_count--;
}

static void drop_cone(sn_medial_mesh *mesh, int e) {
    memmove(&mesh->cone[e], &mesh->cone[e + 1], (size_t)(mesh->cone_count - e - 1) * sizeof *mesh->cone);
    mesh->cone_count--;
}

// The distance of sphere w from the cone between a and b, in four dimensions.
static double distance_from_cone(const sn_medial_mesh *mesh, int a, int b, int w) {
    double axis[4], d[4], ll = 0, dl = 0, sum = 0;
    for (int k = 0; k < 4; k++) {
        axis[k] = k < 3 ? mesh->centre[b][k] - mesh->centre[a][k] : mesh->radius[b] - mesh->radius[a];
        d[k] = k < 3 ? mesh->centre[w][k] - mesh->centre[a][k] : mesh->radius[w] - mesh->radius[a];
        ll += axis[k] * axis[k];
        dl += axis[k] * d[k];
    }
    const double t = ll > 0 ? fmin(fmax(dl / ll, 0), 1) : 0;
    for (int k = 0; k < 4; k++) sum += (d[k] - t * axis[k]) * (d[k] - t * axis[k]);
    return sqrt(sum);
}

static bool prune_flat(sn_medial_mesh *mesh, double tolerance) {
    bool *redundant = calloc((size_t)mesh->cone_count + 1, sizeof *redundant); // cones that other cones cover
    if (!redundant) return false;
    for (int f = mesh->slab_count - 1; f >= 0; --f) {
        const int *s = mesh->slab[f];
        for (int k = 0; k < 3; k++) {
            const int a = s[k], b = s[(k + 1) % 3], w = s[(k + 2) % 3];
            if (distance_from_cone(mesh, a, b, w) > tolerance) continue;
            for (int e = 0; e < mesh->cone_count; e++)
                if (edge_key(mesh->cone[e][0], mesh->cone[e][1]) == edge_key(a, b)) redundant[e] = true;
            drop_slab(mesh, f);
            break;
        }
    }
    uint64_t *keys = slab_edges(mesh);
    for (int e = mesh->cone_count - 1; e >= 0 && keys; --e) {
        const uint64_t key = edge_key(mesh->cone[e][0], mesh->cone[e][1]);
        if (!redundant[e] || bsearch(&key, keys, 3 * (size_t)mesh->slab_count, sizeof key, compare_uint64)) continue;
        // only if a third sphere is connected to both: two cones must not be removed because of each other
        for (int i = 0; i < mesh->sphere_count; i++) {
            if (i == mesh->cone[e][0] || i == mesh->cone[e][1]) continue;
            if (distance_from_cone(mesh, mesh->cone[e][0], mesh->cone[e][1], i) > tolerance) continue;
            int connections = 0;
            for (int g = 0; g < mesh->cone_count; g++) {
                const uint64_t other = edge_key(mesh->cone[g][0], mesh->cone[g][1]);
                connections += other == edge_key(mesh->cone[e][0], i) || other == edge_key(mesh->cone[e][1], i);
            }
            if (connections < 2) continue;
            drop_cone(mesh, e);
            break;
        }
    }
    const bool good = keys != NULL;
    free(keys);
    free(redundant);
    return good;
}

// The distance of a point from the solid; 0 inside.
static double outside_distance(const sn_winding *winding, const sn_mesh_query *query, const double p[3]) {
    sn_mesh_hit hit;
    if (sn_winding_evaluate(winding, p) >= 0.5 || !sn_mesh_query_closest_point(query, p, INFINITY, &hit)) return 0;
    return hit.distance;
}

static bool slab_sticks_out(const sn_medial_mesh *mesh, const int s[3], const sn_winding *winding,
                            const sn_mesh_query *query, double max_distance) {
    static const double weights[4][3] = {
        {1. / 3, 1. / 3, 1. / 3}, {0.5, 0.25, 0.25}, {0.25, 0.5, 0.25}, {0.25, 0.25, 0.5}};
    double normal[2][3], p[3];
    if (!sn_medial_slab_normals(mesh, s, normal)) return false;
    for (int i = 0; i < 8; i++) {
        const double *w = weights[i / 2],
                     r = w[0] * mesh->radius[s[0]] + w[1] * mesh->radius[s[1]] + w[2] * mesh->radius[s[2]];
        for (int k = 0; k < 3; k++)
            p[k] = w[0] * mesh->centre[s[0]][k] + w[1] * mesh->centre[s[1]][k] + w[2] * mesh->centre[s[2]][k] +
                   r * normal[i % 2][k];
        if (outside_distance(winding, query, p) > max_distance) return true;
    }
    return false;
}

bool medial_prune(sn_medial_mesh *mesh, const sn_winding *winding, const sn_mesh_query *query, double flat,
                  double max_distance) {
    if (!prune_flat(mesh, flat)) return false;
    for (int f = mesh->slab_count - 1; f >= 0; --f)
        if (slab_sticks_out(mesh, mesh->slab[f], winding, query, max_distance)) drop_slab(mesh, f);
    return true;
}
