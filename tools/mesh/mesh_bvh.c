// The BVH of a mesh: see mesh_bvh.h.
#include "mesh/mesh_bvh.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int collect(const sn_mesh *mesh, bvh_box *bounds, int *indices) {
    int count = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        bvh_box bound = bvh_box_empty();
        bool good = true;
        for (int k = 0; k < 3 && good; k++) {
            const int v = mesh->triangle[t][k];
            good = v >= 0 && v < mesh->vertex_count;
            for (int i = 0; i < 3 && good; i++) good = isfinite(mesh->position[v][i]);
            if (good) bvh_box_grow(&bound, mesh->position[v]);
        }
        if (!good) continue;
        bounds[count] = bound;
        indices[count++] = t;
    }
    return count;
}

bool mesh_bvh_build(mesh_bvh *tree, const sn_mesh *mesh) {
    const size_t capacity = (size_t)mesh->triangle_count + 1;
    *tree = (mesh_bvh){0};
    bvh_box *bounds = malloc(capacity * sizeof *bounds);
    int *indices = malloc(capacity * sizeof *indices);
    tree->corner = malloc(capacity * sizeof *tree->corner);
    const bool good =
        bounds && indices && tree->corner && bvh_build(&tree->bvh, bounds, indices, collect(mesh, bounds, indices));
    for (int i = 0; i < tree->bvh.count && good; i++)
        for (int k = 0; k < 3; k++)
            memcpy(tree->corner[i][k], mesh->position[mesh->triangle[tree->bvh.index[i]][k]], 3 * sizeof(float));
    free(bounds);
    free(indices);
    if (!good) mesh_bvh_free(tree);
    return good;
}

void mesh_bvh_free(mesh_bvh *tree) {
    bvh_free(&tree->bvh);
    free(tree->corner);
    *tree = (mesh_bvh){0};
}
