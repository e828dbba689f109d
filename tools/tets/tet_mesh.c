// Tetrahedral meshes: see tet_mesh.h. Face adjacency comes from a list of all faces, sorted by their vertices: two
// equal entries are the two sides of an interior face, a single one is on the boundary.
#include "tets/tet_mesh.h"
#include "base/math/double3.h"
#include "base/union_find.h"
#include "mesh/maths.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEGREES 57.29577951308232

bool sn_tet_mesh_alloc(sn_tet_mesh *mesh, int vertices, int tets) {
    *mesh = (sn_tet_mesh){.vertex_count = vertices, .tet_count = tets};
    mesh->position = calloc((size_t)vertices + 1, sizeof *mesh->position);
    mesh->tet = calloc((size_t)tets + 1, sizeof *mesh->tet);
    if (mesh->position && mesh->tet) return true;
    sn_tet_mesh_free(mesh);
    return false;
}

void sn_tet_mesh_free(sn_tet_mesh *mesh) {
    free(mesh->position);
    free(mesh->tet);
    *mesh = (sn_tet_mesh){0};
}

// ---- single tetrahedra

double sn_tet_volume(const double a[3], const double b[3], const double c[3], const double d[3]) {
    double u[3], v[3], w[3], n[3];
    d3_sub(b, a, u), d3_sub(c, a, v), d3_sub(d, a, w);
    d3_cross(u, v, n);
    return d3_dot(n, w) / 6;
}

double sn_tet_quality(const double a[3], const double b[3], const double c[3], const double d[3]) {
    const double *p[4] = {a, b, c, d};
    double longest = 0, e[3];
    for (int i = 0; i < 4; i++)
        for (int j = i + 1; j < 4; j++) {
            d3_sub(p[i], p[j], e);
            longest = fmax(longest, d3_dot(e, e));
        }
    return longest > 0 ? 6 * sqrt(2.0) * sn_tet_volume(a, b, c, d) / (longest * sqrt(longest)) : 0;
}

void sn_tet_dihedral(const double a[3], const double b[3], const double c[3], const double d[3], double *min_angle,
                     double *max_angle) {
    const double *p[4] = {a, b, c, d};
    static const int face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}; // outward
    double n[4][3], u[3], v[3], x[3];
    for (int i = 0; i < 4; i++) {
        d3_sub(p[face[i][1]], p[face[i][0]], u), d3_sub(p[face[i][2]], p[face[i][0]], v);
        d3_cross(u, v, n[i]);
    }
    *min_angle = 180, *max_angle = 0;
    for (int i = 0; i < 4; i++)
        for (int j = i + 1; j < 4; j++) {
            d3_cross(n[i], n[j], x);
            const double angle = DEGREES * own_atan2(sqrt(d3_dot(x, x)), -d3_dot(n[i], n[j]));
            *min_angle = fmin(*min_angle, angle), *max_angle = fmax(*max_angle, angle);
        }
}

sn_tet_report sn_tet_mesh_measure(const sn_tet_mesh *mesh) {
    sn_tet_report r = {.min_quality = mesh->tet_count ? 1 : 0, .min_angle = 180};
    double sum = 0;
    for (int t = 0; t < mesh->tet_count; t++) {
        const double *p[4];
        for (int k = 0; k < 4; k++) p[k] = mesh->position[mesh->tet[t][k]];
        const double volume = sn_tet_volume(p[0], p[1], p[2], p[3]), quality = sn_tet_quality(p[0], p[1], p[2], p[3]);
        double min_angle, max_angle;
        sn_tet_dihedral(p[0], p[1], p[2], p[3], &min_angle, &max_angle);
        r.volume += volume, sum += quality;
        r.inverted += !(volume > 0);
        r.min_quality = fmin(r.min_quality, quality);
        r.min_angle = fmin(r.min_angle, min_angle), r.max_angle = fmax(r.max_angle, max_angle);
    }
    if (mesh->tet_count)
        r.mean_quality = sum / mesh->tet_count;
    else
        r.min_angle = 0;
    for (int v = 0; v < mesh->vertex_count; v++)
        for (int k = 0; k < 3; k++) {
            const double x = mesh->position[v][k];
            if (v == 0 || x < r.low[k]) r.low[k] = x;
            if (v == 0 || x > r.high[k]) r.high[k] = x;
        }
    return r;
}

// ---- faces

// A face: its sorted vertices, the tetrahedron, which of its faces it is, and whether its outward side sees the sorted
// vertices clockwise. 16 bytes, since large meshes have many.
typedef struct {
    int low, middle, high;
    uint32_t owner_bits; // 8 tet + 2 side + odd permutation
} face;

static int tet_of_face(const face *f) {
    return (int)(f->owner_bits >> 3);
}

static int side_of_face(const face *f) {
    return f->owner_bits >> 1 & 3;
}

static const int outward[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

static face make_face(const sn_tet_mesh *mesh, int t, int side) {
    int v[3], odd = 0;
    for (int k = 0; k < 3; k++) v[k] = mesh->tet[t][outward[side][k]];
    for (int k = 0; k < 3; k++) { // bubble sort
        const int i = k == 1 ? 1 : 0;
        if (v[i] <= v[i + 1]) continue;
        const int swapped = v[i];
        v[i] = v[i + 1], v[i + 1] = swapped;
        odd ^= 1;
    }
    return (face){v[0], v[1], v[2], (uint32_t)t << 3 | (uint32_t)side << 1 | (uint32_t)odd};
}

static int compare_faces(const void *a, const void *b) {
    const face *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    if (x->middle != y->middle) return x->middle < y->middle ? -1 : 1;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return x->owner_bits < y->owner_bits ? -1 : x->owner_bits > y->owner_bits;
}

static bool same_face(const face *x, const face *y) {
    return x->low == y->low && x->middle == y->middle && x->high == y->high;
}

// All faces, sorted: first binned by their lowest vertex, then each bin is sorted. Null: out of memory.
static face *sorted_faces(const sn_tet_mesh *mesh) {
    const size_t count = 4 * (size_t)mesh->tet_count;
    face *faces = malloc((count + 1) * sizeof *faces);
    size_t *start = calloc((size_t)mesh->vertex_count + 2, sizeof *start);
    if (!faces || !start) {
        free(faces);
        free(start);
        return NULL;
    }
    for (int t = 0; t < mesh->tet_count; t++)
        for (int s = 0; s < 4; s++) start[make_face(mesh, t, s).low + 1]++;
    for (int v = 0; v < mesh->vertex_count; v++) start[v + 1] += start[v];
    for (int t = 0; t < mesh->tet_count; t++)
        for (int s = 0; s < 4; s++) {
            const face f = make_face(mesh, t, s);
            faces[start[f.low]++] = f;
        }
    for (size_t i = 0; i < count;) {
        const size_t end = start[faces[i].low], length = end - i; // start[] has advanced to the bin's end
        if (length > 64) {
            qsort(faces + i, length, sizeof *faces, compare_faces);
        } else {
            for (size_t k = i + 1; k < end; k++) {
                const face f = faces[k];
                size_t to = k;
                for (; to > i && compare_faces(&faces[to - 1], &f) > 0; --to) faces[to] = faces[to - 1];
                faces[to] = f;
            }
        }
        i = end;
    }
    free(start);
    return faces;
}

bool sn_tet_mesh_is_conforming(const sn_tet_mesh *mesh, tool_error *error) {
    for (int t = 0; t < mesh->tet_count; t++)
        for (int k = 0; k < 4; k++) {
            const int v = mesh->tet[t][k];
            if (v < 0 || v >= mesh->vertex_count)
                return tool_error_set(error, "tetrahedron %d names vertex %d; there are 0 to %d", t, v,
                                      mesh->vertex_count - 1);
            for (int l = 0; l < k; l++)
                if (mesh->tet[t][l] == v) return tool_error_set(error, "tetrahedron %d has vertex %d twice", t, v);
        }
    face *faces = sorted_faces(mesh);
    if (!faces) return tool_error_out_of_memory(error);
    const size_t count = 4 * (size_t)mesh->tet_count;
    bool good = true;
    for (size_t i = 0, next; i < count && good; i = next) {
        for (next = i + 1; next < count && same_face(&faces[i], &faces[next]);) next++;
        const face *f = &faces[i];
        if (next - i > 2)
            good = tool_error_set(error, "the face of vertices %d, %d and %d belongs to %zu tetrahedra", f->low,
                                  f->middle, f->high, next - i);
        else if (next - i == 2 && ((f[0].owner_bits ^ f[1].owner_bits) & 1) == 0)
            good = tool_error_set(error, "tetrahedra %d and %d lie on the same side of their face", tet_of_face(&f[0]),
                                  tet_of_face(&f[1]));
    }
    free(faces);
    return good;
}

bool sn_tet_mesh_boundary(const sn_tet_mesh *mesh, sn_mesh *out, int **vertex_of, int **tet_of) {
    *out = (sn_mesh){0};
    if (vertex_of) *vertex_of = NULL;
    if (tet_of) *tet_of = NULL;
    face *faces = sorted_faces(mesh);
    int *index = calloc((size_t)mesh->vertex_count + 1, sizeof *index), *from = NULL, *owner = NULL;
    bool good = faces && index;
    const size_t count = 4 * (size_t)mesh->tet_count;
    size_t single = 0;
    for (size_t i = 0, next; i < count && good; i = next) {
        for (next = i + 1; next < count && same_face(&faces[i], &faces[next]);) next++;
        if (next - i != 1) continue;
        faces[single++] = faces[i]; // single <= i + 1
        const face *f = &faces[single - 1];
        index[f->low] = index[f->middle] = index[f->high] = 1;
    }
    int used = 0;
    for (int v = 0; v < mesh->vertex_count && good; v++) index[v] = index[v] ? used++ : -1;
    good = good && single <= 0x7fffffff && sn_mesh_alloc(out, used, (int)single, 0);
    good = good && (from = malloc(((size_t)used + 1) * sizeof *from)) && (owner = malloc((single + 1) * sizeof *owner));
    for (int v = 0; v < mesh->vertex_count && good; v++) {
        if (index[v] < 0) continue;
        from[index[v]] = v;
        for (int k = 0; k < 3; k++) out->position[index[v]][k] = (float)mesh->position[v][k];
    }
    for (size_t i = 0; i < single && good; i++) {
        for (int k = 0; k < 3; k++)
            out->triangle[i][k] = index[mesh->tet[tet_of_face(&faces[i])][outward[side_of_face(&faces[i])][k]]];
        owner[i] = tet_of_face(&faces[i]);
    }
    if (!good) sn_mesh_free(out);
    if (good && vertex_of) *vertex_of = from, from = NULL;
    if (good && tet_of) *tet_of = owner, owner = NULL;
    free(faces);
    free(index);
    free(from);
    free(owner);
    return good;
}

// ---- components

typedef struct {
    double volume;
    int root;
} piece;

static int compare_pieces(const void *a, const void *b) {
    const piece *x = a, *y = b;
    if (x->volume != y->volume) return x->volume > y->volume ? -1 : 1;
    return x->root < y->root ? -1 : x->root > y->root;
}

int sn_tet_mesh_components(const sn_tet_mesh *mesh, int *component) {
    const int tets = mesh->tet_count;
    const size_t count = 4 * (size_t)tets;
    face *faces = sorted_faces(mesh);
    int *parent = malloc(((size_t)tets + 1) * sizeof *parent);
    piece *components = calloc((size_t)tets + 1, sizeof *components);
    int found = -1;
    if (faces && parent && components) {
        for (int t = 0; t < tets; t++) parent[t] = t;
        for (size_t i = 1; i < count; i++) {
            if (!same_face(&faces[i - 1], &faces[i])) continue;
            sn_union(parent, tet_of_face(&faces[i - 1]), tet_of_face(&faces[i]));
        }
        found = 0;
        for (int t = 0; t < tets; t++) { // a root is the first of its component
            const int root = sn_find_root(parent, t);
            if (root == t)
                component[t] = found, components[found++].root = t;
            else
                component[t] = component[root];
            const int *v = mesh->tet[t];
            components[component[t]].volume +=
                sn_tet_volume(mesh->position[v[0]], mesh->position[v[1]], mesh->position[v[2]], mesh->position[v[3]]);
        }
        qsort(components, (size_t)found, sizeof *components, compare_pieces);
        for (int i = 0; i < found; i++) parent[component[components[i].root]] = i; // old index -> new index
        for (int t = 0; t < tets; t++) component[t] = parent[component[t]];
    }
    free(faces);
    free(parent);
    free(components);
    return found;
}

bool sn_tet_mesh_keep(sn_tet_mesh *mesh, const bool *keep) {
    int *index = calloc((size_t)mesh->vertex_count + 1, sizeof *index), tets = 0, vertices = 0;
    if (!index) return false;
    for (int t = 0; t < mesh->tet_count; t++)
        for (int k = 0; k < 4 && keep[t]; k++) index[mesh->tet[t][k]] = 1;
    for (int v = 0; v < mesh->vertex_count; v++) {
        if (!index[v]) continue;
        memmove(mesh->position[vertices], mesh->position[v], sizeof *mesh->position);
        index[v] = vertices++;
    }
    for (int t = 0; t < mesh->tet_count; t++) {
        if (!keep[t]) continue;
        for (int k = 0; k < 4; k++) mesh->tet[tets][k] = index[mesh->tet[t][k]];
        tets++;
    }
    mesh->vertex_count = vertices, mesh->tet_count = tets;
    free(index);
    return true;
}
