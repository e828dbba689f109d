// Draws medial primitives as triangles: a sphere as rings between two poles, a cone as two rings where its side is
// tangent to its spheres, a slab as the two triangles of its tangent planes.
#include "medial/medial_surface.h"
#include "mesh/maths.h"
#include <math.h>

enum { AROUND = 24, RINGS = 11 };

static const double two_pi = 6.283185307179586;

static void set_point(float out[3], const double c[3], double r, const double n[3]) {
    for (int k = 0; k < 3; k++) out[k] = (float)(c[k] + r * n[k]);
}

bool medial_surface_spheres(const sn_medial_mesh *mesh, sn_mesh *out) {
    const int each = AROUND * RINGS + 2, triangles = 2 * AROUND * RINGS;
    if (!sn_mesh_alloc(out, mesh->sphere_count * each, mesh->sphere_count * triangles, MESH_NORMAL)) return false;
    for (int i = 0; i < mesh->sphere_count; i++) {
        const int first = i * each, south = first + each - 2, north = first + each - 1;
        int t = i * triangles;
        for (int v = 0; v < each; v++) {
            const double angle = two_pi * (v % AROUND) / AROUND, up = 0.5 * two_pi * (v / AROUND + 1) / (RINGS + 1);
            const double ring[3] = {own_sin(up) * own_cos(angle), -own_cos(up), own_sin(up) * own_sin(angle)};
            const double pole[3] = {0, first + v == north ? 1 : -1, 0}, *n = first + v >= south ? pole : ring;
            const double zero[3] = {0};
            set_point(out->position[first + v], mesh->centre[i], mesh->radius[i], n);
            set_point(out->normal[first + v], zero, 1, n);
        }
        for (int k = 0; k < AROUND; k++) {
            const int next = (k + 1) % AROUND, top = first + (RINGS - 1) * AROUND;
            const int cap[2][3] = {{south, first + k, first + next}, {north, top + next, top + k}};
            for (int c = 0; c < 3; c++) out->triangle[t][c] = cap[0][c], out->triangle[t + 1][c] = cap[1][c];
            t += 2;
            for (int r = 0; r + 1 < RINGS; ++r, t += 2) {
                const int a = first + r * AROUND + k, b = first + r * AROUND + next;
                const int square[2][3] = {{a, a + AROUND, b}, {b, a + AROUND, b + AROUND}};
                for (int c = 0; c < 3; c++) out->triangle[t][c] = square[0][c], out->triangle[t + 1][c] = square[1][c];
            }
        }
    }
    return true;
}

// Writes the side of a cone, starting at these indices. False: it has none.
static bool cone_sides(const sn_medial_mesh *mesh, const int cone[2], sn_mesh *out, int vertex, int triangle) {
    const double ra = mesh->radius[cone[0]], rb = mesh->radius[cone[1]];
    double axis[3], u[3], v[3], l = 0, lu = 0;
    for (int k = 0; k < 3; k++) axis[k] = mesh->centre[cone[1]][k] - mesh->centre[cone[0]][k], l += axis[k] * axis[k];
    l = sqrt(l);
    if (!(l > fabs(ra - rb) * (1 + 1e-9))) return false;
    for (int k = 0; k < 3; k++) axis[k] /= l;
    const double pole[3] = {fabs(axis[0]) < 0.6, fabs(axis[0]) >= 0.6, 0};
    for (int k = 0; k < 3; k++) {
        u[k] = axis[(k + 1) % 3] * pole[(k + 2) % 3] - axis[(k + 2) % 3] * pole[(k + 1) % 3];
        lu += u[k] * u[k];
    }
    for (int k = 0; k < 3; k++) u[k] /= sqrt(lu);
    for (int k = 0; k < 3; k++) v[k] = axis[(k + 1) % 3] * u[(k + 2) % 3] - axis[(k + 2) % 3] * u[(k + 1) % 3];
    const double sine = (ra - rb) / l, cosine = sqrt(1 - sine * sine), zero[3] = {0};
    for (int i = 0; i < 2 * AROUND; i++) {
        const double angle = two_pi * (i / 2) / AROUND;
        double n[3];
        for (int k = 0; k < 3; k++) n[k] = sine * axis[k] + cosine * (own_cos(angle) * u[k] + own_sin(angle) * v[k]);
        set_point(out->position[vertex + i], mesh->centre[cone[i % 2]], mesh->radius[cone[i % 2]], n);
        set_point(out->normal[vertex + i], zero, 1, n);
    }
    for (int i = 0; i < AROUND; i++) {
        const int a = vertex + 2 * i, b = vertex + 2 * ((i + 1) % AROUND);
        const int square[2][3] = {{a, b, a + 1}, {a + 1, b, b + 1}};
        for (int c = 0; c < 3; c++)
            out->triangle[triangle + 2 * i][c] = square[0][c], out->triangle[triangle + 2 * i + 1][c] = square[1][c];
    }
    return true;
}

bool medial_surface_cones(const sn_medial_mesh *mesh, sn_mesh *out) {
    const int each = 2 * AROUND; // vertices, and triangles
    if (!sn_mesh_alloc(out, mesh->cone_count * each, mesh->cone_count * each, MESH_NORMAL)) return false;
    int written = 0;
    for (int e = 0; e < mesh->cone_count; e++)
        written += cone_sides(mesh, mesh->cone[e], out, written * each, written * each);
    out->vertex_count = out->triangle_count = written * each;
    return true;
}

bool medial_surface_slabs(const sn_medial_mesh *mesh, sn_mesh *out) {
    if (!sn_mesh_alloc(out, mesh->slab_count * 6, mesh->slab_count * 2, MESH_NORMAL)) return false;
    int written = 0;
    for (int f = 0; f < mesh->slab_count; f++) {
        const int *s = mesh->slab[f];
        double normal[2][3];
        const double zero[3] = {0};
        if (!sn_medial_slab_normals(mesh, s, normal)) continue;
        for (int i = 0; i < 6; i++) {
            const int corner = s[i % 3];
            set_point(out->position[6 * written + i], mesh->centre[corner], mesh->radius[corner], normal[i / 3]);
            set_point(out->normal[6 * written + i], zero, 1, normal[i / 3]);
            out->triangle[2 * written + i / 3][i < 3 ? i % 3 : 2 - i % 3] = 6 * written + i;
        }
        written++;
    }
    out->vertex_count = 6 * written;
    out->triangle_count = 2 * written;
    return true;
}
