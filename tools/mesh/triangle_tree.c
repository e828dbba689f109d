// See triangle_tree.h.
#include "mesh/triangle_tree.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int collect(const sn_mesh *mesh, tree_box *bounds, int *numbers) {
    int count = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        tree_box bound = tree_box_empty();
        bool good = true;
        for (int k = 0; k < 3 && good; k++) {
            const int v = mesh->triangle[t][k];
            good = v >= 0 && v < mesh->vertex_count;
            for (int i = 0; i < 3 && good; i++) good = isfinite(mesh->position[v][i]);
            if (good) tree_box_grow(&bound, mesh->position[v]);
        }
        if (!good) continue;
        bounds[count] = bound;
        numbers[count++] = t;
    }
    return count;
}

bool triangle_tree_make(triangle_tree *tree, const sn_mesh *mesh) {
    const size_t room = (size_t)mesh->triangle_count + 1;
    *tree = (triangle_tree){0};
    tree_box *bounds = malloc(room * sizeof *bounds);
    int *numbers = malloc(room * sizeof *numbers);
    tree->corner = malloc(room * sizeof *tree->corner);
    const bool good = bounds && numbers && tree->corner &&
                      box_tree_make(&tree->boxes, bounds, numbers, collect(mesh, bounds, numbers));
    for (int i = 0; i < tree->boxes.count && good; i++)
        for (int k = 0; k < 3; k++)
            memcpy(tree->corner[i][k], mesh->position[mesh->triangle[tree->boxes.number[i]][k]], 3 * sizeof(float));
    free(bounds);
    free(numbers);
    if (!good) triangle_tree_free(tree);
    return good;
}

void triangle_tree_free(triangle_tree *tree) {
    box_tree_free(&tree->boxes);
    free(tree->corner);
    *tree = (triangle_tree){0};
}
