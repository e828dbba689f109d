// Assembles the Laplacian of tetrahedra. A linear function f in a tetrahedron has the energy 1/2 V |grad f|^2 with grad
// f = sum f_i n_i / (3 V), where n_i is the area vector of the face opposite to corner i, pointing inward. So the
// tetrahedron's contribution to the Laplacian is
//     L_ij = n_i . n_j / (9 V),
// off the diagonal -1/6 of the opposite edge's length times the cotangent of the dihedral angle there. For flat
// tetrahedra this is huge, so V is taken as at least a thousandth of the longest edge cubed. That scales the whole
// contribution, so it stays positive semidefinite and zero for constants. Each corner gets a fourth of the volume.
#include "fields/tet_laplacian.h"
#include "base/math/double3.h"
#include <math.h>
#include <stdlib.h>

static void add_tet(const sn_tet_mesh *mesh, const int corner[4], sn_tet_laplacian *out) {
    double edge[3][3], n[4][3], longest = 0;
    for (int e = 0; e < 3; e++) // from the first corner
        for (int k = 0; k < 3; k++) edge[e][k] = mesh->position[corner[e + 1]][k] - mesh->position[corner[0]][k];
    for (int e = 0; e < 3; e++) { // twice the area vectors
        d3_cross(edge[(e + 1) % 3], edge[(e + 2) % 3], n[e + 1]);
        longest = fmax(longest, d3_dot(edge[e], edge[e]));
        double across[3];
        for (int k = 0; k < 3; k++) across[k] = edge[e][k] - edge[(e + 1) % 3][k];
        longest = fmax(longest, d3_dot(across, across));
    }
    for (int k = 0; k < 3; k++) n[0][k] = -n[1][k] - n[2][k] - n[3][k];
    const double volume = fabs(d3_dot(edge[0], n[1])) / 6, cube = longest * sqrt(longest);
    const double scale = cube > 0 ? 1 / (36 * fmax(volume, 1e-3 * cube)) : 0; // 36 = 9 * 4: both vectors are doubled
    for (int i = 0; i < 4; i++) {
        out->mass[corner[i]] += volume / 4;
        for (int j = 0; j <= i; j++) {
            const int a = corner[i], b = corner[j];
            out->entries[out->entry_count++] =
                (sn_sparse_entry){a > b ? a : b, a > b ? b : a, scale * d3_dot(n[i], n[j])};
        }
    }
}

bool sn_tet_laplacian_make(const sn_tet_mesh *mesh, sn_tet_laplacian *out) {
    *out = (sn_tet_laplacian){.count = mesh->vertex_count};
    out->mass = calloc((size_t)mesh->vertex_count + 1, sizeof *out->mass);
    out->entries = malloc((10 * (size_t)mesh->tet_count + 1) * sizeof *out->entries);
    if (!out->mass || !out->entries) {
        sn_tet_laplacian_free(out);
        return false;
    }
    for (int t = 0; t < mesh->tet_count; t++) add_tet(mesh, mesh->tet[t], out);
    // Gives vertices without volume a millionth of the mean.
    double sum = 0;
    for (int v = 0; v < out->count; v++) sum += out->mass[v];
    const double min_mass = sum > 0 ? 1e-6 * sum / out->count : 1;
    for (int v = 0; v < out->count; v++) out->mass[v] = fmax(out->mass[v], min_mass);
    return true;
}

void sn_tet_laplacian_free(sn_tet_laplacian *laplacian) {
    free(laplacian->mass);
    free(laplacian->entries);
    *laplacian = (sn_tet_laplacian){0};
}
