// Finds the tetrahedron of each point with a BVH, and its weights there. The weight of a corner is the volume of the
// tetrahedron with the point in place of that corner, over the volume of the tetrahedron. A point outside of all
// tetrahedra belongs to the one behind the closest triangle of the boundary, and the same formula extrapolates.
#include "tets/tet_embed.h"
#include "mesh/bvh.h"
#include "mesh/mesh_query.h"
#include <math.h>
#include <stdlib.h>

// Barycentric coordinates. False: the tetrahedron is flat.
static bool weights_in(const sn_tet_mesh *mesh, int t, const double p[3], double out[4]) {
    const double *c[4];
    for (int k = 0; k < 4; k++) c[k] = mesh->position[mesh->tet[t][k]];
    const double all = sn_tet_volume(c[0], c[1], c[2], c[3]);
    if (all == 0 || !isfinite(all)) return false;
    out[1] = sn_tet_volume(c[0], p, c[2], c[3]) / all;
    out[2] = sn_tet_volume(c[0], c[1], p, c[3]) / all;
    out[3] = sn_tet_volume(c[0], c[1], c[2], p) / all;
    out[0] = 1 - out[1] - out[2] - out[3];
    return true;
}

static double min_of(const double w[4]) {
    return fmin(fmin(w[0], w[1]), fmin(w[2], w[3]));
}

static bool build_bvh(const sn_tet_mesh *mesh, bvh *tree) {
    bvh_box *bounds = malloc(((size_t)mesh->tet_count + 1) * sizeof *bounds);
    if (!bounds) return false;
    for (int t = 0; t < mesh->tet_count; t++) {
        bounds[t] = bvh_box_empty();
        for (int k = 0; k < 4; k++) {
            const double *p = mesh->position[mesh->tet[t][k]];
            const float below[3] = {nextafterf((float)p[0], -INFINITY), nextafterf((float)p[1], -INFINITY),
                                    nextafterf((float)p[2], -INFINITY)};
            const float above[3] = {nextafterf((float)p[0], INFINITY), nextafterf((float)p[1], INFINITY),
                                    nextafterf((float)p[2], INFINITY)};
            bvh_box_grow(&bounds[t], below);
            bvh_box_grow(&bounds[t], above);
        }
    }
    const bool good = bvh_build(tree, bounds, NULL, mesh->tet_count);
    free(bounds);
    return good;
}

static bool contains(const bvh_box *box, const double p[3]) {
    for (int k = 0; k < 3; k++)
        if (p[k] < box->low[k] || p[k] > box->high[k]) return false;
    return true;
}

// Finds the tetrahedron with the largest minimal weight of the point.
static bool find_inside(const sn_tet_mesh *mesh, const bvh *tree, const double p[3], sn_tet_point *out) {
    int stack[BVH_MAX_DEPTH], depth = 0;
    double best = -1e-9; // tolerance for points on a face
    bool found = false;
    if (tree->node_count) stack[depth++] = 0;
    while (depth > 0) {
        const bvh_node *node = &tree->node[stack[--depth]];
        if (!contains(&node->bound, p)) continue;
        for (int i = node->first; i < node->first + node->count; i++) {
            double w[4];
            const int t = tree->index[i];
            if (!weights_in(mesh, t, p, w) || min_of(w) <= best) continue;
            best = min_of(w), found = true;
            *out = (sn_tet_point){t, {w[0], w[1], w[2], w[3]}};
        }
        if (node->count == 0) stack[depth++] = node->first + 1, stack[depth++] = node->first;
    }
    return found;
}

bool sn_tet_embed(const sn_tet_mesh *mesh, const float (*points)[3], int count, sn_tet_point *out,
                  sn_tet_embed_report *report) {
    bvh tree = {0};
    sn_mesh boundary = {0};
    sn_mesh_query *query = NULL;
    int *owner = NULL;
    bool good = mesh->tet_count > 0 && build_bvh(mesh, &tree) && sn_tet_mesh_boundary(mesh, &boundary, NULL, &owner) &&
                (query = sn_mesh_query_build(&boundary)) != NULL;
    *report = (sn_tet_embed_report){0};
    for (int i = 0; i < count && good; i++) {
        const double p[3] = {points[i][0], points[i][1], points[i][2]};
        sn_mesh_hit hit;
        if (find_inside(mesh, &tree, p, &out[i])) continue;
        report->outside++;
        out[i] = (sn_tet_point){0, {1, 0, 0, 0}};
        if (!sn_mesh_query_closest_point(query, p, INFINITY, &hit)) continue; // the point is not finite
        out[i].tet = owner[hit.triangle];
        if (!weights_in(mesh, out[i].tet, p, out[i].weight)) out[i].weight[0] = 1;
        report->farthest = fmax(report->farthest, hit.distance);
    }
    bvh_free(&tree);
    sn_mesh_free(&boundary);
    sn_mesh_query_free(query);
    free(owner);
    return good;
}

void sn_tet_point_position(const sn_tet_mesh *mesh, const sn_tet_point *point, double out[3]) {
    for (int c = 0; c < 3; c++) {
        out[c] = 0;
        for (int k = 0; k < 4; k++) out[c] += point->weight[k] * mesh->position[mesh->tet[point->tet][k]][c];
    }
}
