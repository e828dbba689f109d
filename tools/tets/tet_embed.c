// Tetrahedra are found by a tree of their boxes. With the volume D of the tetrahedron, the weight of a corner is the
// volume that is left when the point takes the corner's place, over D. A point in none of them goes to the tetrahedron
// behind the nearest triangle of the boundary; the same formula continues it.
#include "tets/tet_embed.h"
#include "mesh/box_tree.h"
#include "mesh/closest_point.h"
#include <math.h>
#include <stdlib.h>

// False when the tetrahedron is flat.
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

static double least_of(const double w[4]) {
    return fmin(fmin(w[0], w[1]), fmin(w[2], w[3]));
}

static bool make_tree(const sn_tet_mesh *mesh, box_tree *tree) {
    tree_box *bounds = malloc(((size_t)mesh->tet_count + 1) * sizeof *bounds);
    if (!bounds) return false;
    for (int t = 0; t < mesh->tet_count; t++) {
        bounds[t] = tree_box_empty();
        for (int k = 0; k < 4; k++) {
            const double *p = mesh->position[mesh->tet[t][k]];
            const float below[3] = {nextafterf((float)p[0], -INFINITY), nextafterf((float)p[1], -INFINITY),
                                    nextafterf((float)p[2], -INFINITY)};
            const float above[3] = {nextafterf((float)p[0], INFINITY), nextafterf((float)p[1], INFINITY),
                                    nextafterf((float)p[2], INFINITY)};
            tree_box_grow(&bounds[t], below);
            tree_box_grow(&bounds[t], above);
        }
    }
    const bool good = box_tree_make(tree, bounds, NULL, mesh->tet_count);
    free(bounds);
    return good;
}

static bool holds(const tree_box *box, const double p[3]) {
    for (int k = 0; k < 3; k++)
        if (p[k] < box->low[k] || p[k] > box->high[k]) return false;
    return true;
}

// The tetrahedron that holds the point best.
static bool find_inside(const sn_tet_mesh *mesh, const box_tree *tree, const double p[3], sn_tet_place *out) {
    int stack[TREE_DEPTH], depth = 0;
    double best = -1e-9; // on a face, rounding decides
    bool found = false;
    if (tree->node_count) stack[depth++] = 0;
    while (depth > 0) {
        const tree_node *node = &tree->node[stack[--depth]];
        if (!holds(&node->bound, p)) continue;
        for (int i = node->first; i < node->first + node->count; i++) {
            double w[4];
            const int t = tree->number[i];
            if (!weights_in(mesh, t, p, w) || least_of(w) <= best) continue;
            best = least_of(w), found = true;
            *out = (sn_tet_place){t, {w[0], w[1], w[2], w[3]}};
        }
        if (node->count == 0) stack[depth++] = node->first + 1, stack[depth++] = node->first;
    }
    return found;
}

bool sn_tet_embed(const sn_tet_mesh *mesh, const float (*points)[3], int count, sn_tet_place *out,
                  sn_tet_embed_report *report) {
    box_tree tree = {0};
    sn_mesh boundary = {0};
    sn_near *near = NULL;
    int *owner = NULL;
    bool good = mesh->tet_count > 0 && make_tree(mesh, &tree) && sn_tet_mesh_boundary(mesh, &boundary, NULL, &owner) &&
                (near = sn_near_make(&boundary)) != NULL;
    *report = (sn_tet_embed_report){0};
    for (int i = 0; i < count && good; i++) {
        const double p[3] = {points[i][0], points[i][1], points[i][2]};
        sn_near_hit hit;
        if (find_inside(mesh, &tree, p, &out[i])) continue;
        report->outside++;
        out[i] = (sn_tet_place){0, {1, 0, 0, 0}};
        if (!sn_near_point(near, p, INFINITY, &hit)) continue; // not finite
        out[i].tet = owner[hit.triangle];
        if (!weights_in(mesh, out[i].tet, p, out[i].weight)) out[i].weight[0] = 1;
        report->farthest = fmax(report->farthest, hit.distance);
    }
    box_tree_free(&tree);
    sn_mesh_free(&boundary);
    sn_near_free(near);
    free(owner);
    return good;
}

void sn_tet_place_at(const sn_tet_mesh *mesh, const sn_tet_place *place, double out[3]) {
    for (int c = 0; c < 3; c++) {
        out[c] = 0;
        for (int k = 0; k < 4; k++) out[c] += place->weight[k] * mesh->position[mesh->tet[place->tet][k]][c];
    }
}
