// Triangle meshes in memory: see mesh.h.
#include "mesh/mesh.h"
#include "base/math/double3.h"
#include "mesh/maths.h"
#include "sinew/tools/mesh.h" // exports the area and the volume
#include <math.h>
#include <stdlib.h>

static void *zeroed(int count, size_t size) {
    return calloc(count > 0 ? (size_t)count : 1, size);
}

bool sn_mesh_alloc(sn_mesh *mesh, int vertices, int triangles, unsigned parts) {
    *mesh = (sn_mesh){.vertex_count = vertices, .triangle_count = triangles};
    bool good = (mesh->position = zeroed(vertices, sizeof *mesh->position)) != NULL;
    good = good && (mesh->triangle = zeroed(triangles, sizeof *mesh->triangle));
    if (parts & MESH_NORMAL) good = good && (mesh->normal = zeroed(vertices, sizeof *mesh->normal));
    if (parts & MESH_UV) good = good && (mesh->uv = zeroed(vertices, sizeof *mesh->uv));
    if (parts & MESH_COLOUR) good = good && (mesh->colour = zeroed(vertices, sizeof *mesh->colour));
    if (parts & MESH_SKIN) {
        good = good && (mesh->joint = zeroed(vertices, sizeof *mesh->joint));
        good = good && (mesh->weight = zeroed(vertices, sizeof *mesh->weight));
    }
    if (!good) sn_mesh_free(mesh);
    return good;
}

void sn_mesh_free(sn_mesh *mesh) {
    free(mesh->position);
    free(mesh->normal);
    free(mesh->uv);
    free(mesh->colour);
    free(mesh->joint);
    free(mesh->weight);
    free(mesh->triangle);
    *mesh = (sn_mesh){0};
}

static void edge(const float a[3], const float b[3], double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = (double)b[k] - a[k];
}

bool sn_mesh_make_normals(sn_mesh *mesh) {
    double(*sum)[3] = zeroed(mesh->vertex_count, sizeof *sum);
    if (!mesh->normal) mesh->normal = zeroed(mesh->vertex_count, sizeof *mesh->normal);
    if (!sum || !mesh->normal) {
        free(sum);
        return false;
    }
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            const int v = mesh->triangle[t][k];
            double a[3], b[3], n[3];
            edge(mesh->position[v], mesh->position[mesh->triangle[t][(k + 1) % 3]], a);
            edge(mesh->position[v], mesh->position[mesh->triangle[t][(k + 2) % 3]], b);
            d3_cross(a, b, n);
            double area = sqrt(d3_dot(n, n)), angle = own_atan2(area, d3_dot(a, b));
            for (int i = 0; i < 3 && area > 0; i++) sum[v][i] += angle * n[i] / area;
        }
    for (int v = 0; v < mesh->vertex_count; v++) {
        double length = sqrt(d3_dot(sum[v], sum[v]));
        for (int i = 0; i < 3; i++) mesh->normal[v][i] = length > 0 ? (float)(sum[v][i] / length) : i == 1;
    }
    free(sum);
    return true;
}

void sn_mesh_area_vector(const sn_mesh *mesh, int triangle, double out[3]) {
    const int *corner = mesh->triangle[triangle];
    double a[3], b[3];
    edge(mesh->position[corner[0]], mesh->position[corner[1]], a);
    edge(mesh->position[corner[0]], mesh->position[corner[2]], b);
    d3_cross(a, b, out);
}

double sn_mesh_triangle_area(const sn_mesh *mesh, int triangle) {
    double n[3];
    sn_mesh_area_vector(mesh, triangle, n);
    return 0.5 * sqrt(d3_dot(n, n));
}

double sn_mesh_area(const sn_mesh *mesh) {
    double sum = 0;
    for (int t = 0; t < mesh->triangle_count; t++) sum += sn_mesh_triangle_area(mesh, t);
    return sum;
}

double sn_mesh_volume(const sn_mesh *mesh) {
    double six = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        double p[3][3], n[3]; // relative to the first vertex, for precision far from the origin
        for (int k = 0; k < 3; k++) edge(mesh->position[0], mesh->position[mesh->triangle[t][k]], p[k]);
        d3_cross(p[1], p[2], n);
        six += d3_dot(p[0], n);
    }
    return six / 6;
}

void sn_mesh_box(const sn_mesh *mesh, float low[3], float high[3]) {
    for (int k = 0; k < 3; k++) low[k] = high[k] = mesh->vertex_count ? mesh->position[0][k] : 0;
    for (int v = 1; v < mesh->vertex_count; v++)
        for (int k = 0; k < 3; k++) {
            if (mesh->position[v][k] < low[k]) low[k] = mesh->position[v][k];
            if (mesh->position[v][k] > high[k]) high[k] = mesh->position[v][k];
        }
}

double sn_mesh_diagonal(const sn_mesh *mesh) {
    float low[3], high[3];
    double sum = 0;
    sn_mesh_box(mesh, low, high);
    for (int k = 0; k < 3; k++) sum += ((double)high[k] - low[k]) * ((double)high[k] - low[k]);
    return sqrt(sum);
}
