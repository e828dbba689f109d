// Every sphere of the medial mesh is a handle. If fewer are requested, farthest-point sampling chooses them: the
// largest sphere first, then always the sphere farthest from all chosen ones.
//
// Weights are prescribed at held vertices of the tetrahedra. A handle's weight should be 1 at its sphere's centre, so
// all four corners of the tetrahedron around the centre are held. Where handles are so close that they would share
// corners or hold adjacent ones, each holds a single corner.
#include "bake/elastic_internal.h"
#include "mesh/maths.h"
#include "tets/tet_embed.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void elastic_handles_free(elastic_handles *h) {
    free(h->sphere), free(h->few_neighbours), free(h->vertex), free(h->handle);
    *h = (elastic_handles){0};
}

static double distance_between(const double a[3], const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static bool choose_farthest(const sn_medial_mesh *medial, int max_handles, elastic_handles *out) {
    const int n = medial->sphere_count;
    double *distance = malloc(((size_t)n + 1) * sizeof *distance);
    if (!distance) return false;
    int next = 0;
    for (int i = 0; i < n; i++) {
        distance[i] = INFINITY;
        if (medial->radius[i] > medial->radius[next]) next = i;
    }
    while (out->count < max_handles) {
        out->sphere[out->count++] = next;
        int best = -1;
        for (int i = 0; i < n; i++) {
            distance[i] = fmin(distance[i], distance_between(medial->centre[i], medial->centre[next]));
            if (distance[i] > 0 && (best < 0 || distance[i] > distance[best])) best = i;
        }
        if (best < 0) break; // all others coincide with chosen spheres
        next = best;
    }
    free(distance);
    return true;
}

static int compare_ints(const void *a, const void *b) {
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// Counts the handles that each handle is connected to along cones, through spheres that are not handles.
static bool count_neighbours(const sn_medial_mesh *medial, const elastic_handles *h, int *degree) {
    const int n = medial->sphere_count;
    int *label = malloc(((size_t)n + 1) * sizeof *label);
    int(*pair)[2] = malloc(((size_t)medial->cone_count + 1) * sizeof *pair), pairs = 0;
    if (!label || !pair) {
        free(label), free(pair);
        return false;
    }
    for (int i = 0; i < n; i++) label[i] = -1;
    for (int i = 0; i < h->count; i++) label[h->sphere[i]] = i, degree[i] = 0;
    for (bool changed = true; changed;) { // flood fill: spheres next to a handle's sphere belong to the handle
        changed = false;
        for (int e = 0; e < medial->cone_count; e++)
            for (int k = 0; k < 2; k++) {
                const int from = medial->cone[e][k], to = medial->cone[e][1 - k];
                if (label[from] < 0 || label[to] >= 0) continue;
                label[to] = label[from], changed = true;
            }
    }
    for (int e = 0; e < medial->cone_count; e++) {
        const int a = label[medial->cone[e][0]], b = label[medial->cone[e][1]];
        bool seen_before = a < 0 || b < 0 || a == b;
        for (int i = 0; i < pairs && !seen_before; i++)
            seen_before = (pair[i][0] == a && pair[i][1] == b) || (pair[i][0] == b && pair[i][1] == a);
        if (seen_before) continue;
        pair[pairs][0] = a, pair[pairs++][1] = b;
        ++degree[a], ++degree[b];
    }
    free(label), free(pair);
    return true;
}

// Few neighbours: the end of a branch. In a body with few handles also the middle of one.
enum { FEW_HANDLES = 30 };

bool elastic_handles_choose(const sn_medial_mesh *medial, const elastic_source *source, int max_handles,
                            elastic_handles *out) {
    const int n = medial->sphere_count, target = max_handles > 0 && max_handles < n ? max_handles : n;
    *out = (elastic_handles){0};
    out->sphere = malloc(((size_t)n + 1) * sizeof *out->sphere);
    out->few_neighbours = calloc((size_t)n + 1, sizeof *out->few_neighbours);
    int *degree = calloc((size_t)n + 1, sizeof *degree);
    bool good = out->sphere && out->few_neighbours && degree;
    if (source->handle) // skip duplicates and invalid indices
        for (int i = 0; i < source->handle_count && good; i++) {
            if (source->handle[i] < 0 || source->handle[i] >= n || degree[source->handle[i]]) continue;
            degree[source->handle[i]] = 1;
            out->sphere[out->count++] = source->handle[i];
        }
    else
        good = good && choose_farthest(medial, target, out);
    if (good) qsort(out->sphere, (size_t)out->count, sizeof *out->sphere, compare_ints);
    good = good && count_neighbours(medial, out, degree);
    for (int i = 0; i < out->count && good; i++)
        out->few_neighbours[i] = degree[i] <= (out->count < FEW_HANDLES ? 2 : 1);
    free(degree);
    if (!good) elastic_handles_free(out);
    return good;
}

// Owner of each vertex: a handle, ANCHORED, FREE, or NEIGHBOUR (adjacent to a held vertex). Two handles in one
// tetrahedron would tear it.
enum { ANCHORED = -1, FREE = -2, NEIGHBOUR = -3 };

// Tetrahedra around each vertex.
typedef struct {
    int *start, *tet;
} vertex_tets;

static bool vertex_tets_make(const sn_tet_mesh *mesh, vertex_tets *out) {
    out->start = calloc((size_t)mesh->vertex_count + 2, sizeof *out->start);
    out->tet = malloc((4 * (size_t)mesh->tet_count + 1) * sizeof *out->tet);
    if (!out->start || !out->tet) return false;
    for (int i = 0; i < 4 * mesh->tet_count; i++) ++out->start[mesh->tet[i / 4][i % 4] + 2];
    for (int v = 1; v <= mesh->vertex_count; v++) out->start[v + 1] += out->start[v];
    for (int i = 0; i < 4 * mesh->tet_count; i++) out->tet[out->start[mesh->tet[i / 4][i % 4] + 1]++] = i / 4;
    return true;
}

// Vertices that a handle holds: all corners if all are free and no other handle is near, else the nearest free corner.
static int choose_held(const sn_tet_mesh *mesh, const sn_tet_point *place, const int *owner, bool crowded, int out[4]) {
    int count = 0, best = -1;
    for (int k = 0; k < 4; k++)
        if (owner[mesh->tet[place->tet][k]] == FREE) out[count++] = mesh->tet[place->tet][k];
    if ((count == 4 && !crowded) || count == 0) return count;
    for (int k = 0; k < 4; k++)
        if (owner[mesh->tet[place->tet][k]] == FREE && (best < 0 || place->weight[k] > place->weight[best])) best = k;
    out[0] = mesh->tet[place->tet][best];
    return 1;
}

static void claim(const sn_tet_mesh *mesh, const vertex_tets *tets, const int *vertex, int count, int handle,
                  int *owner) {
    for (int k = 0; k < count; k++) owner[vertex[k]] = handle;
    for (int k = 0; k < count; k++)
        for (int i = tets->start[vertex[k]]; i < tets->start[vertex[k] + 1]; i++)
            for (int c = 0; c < 4; c++) {
                int *next = &owner[mesh->tet[tets->tet[i]][c]];
                if (*next == FREE) *next = NEIGHBOUR;
            }
}

// Edge length of a regular tetrahedron with the mesh's mean volume.
static double mean_edge(const sn_tet_mesh *mesh) {
    return mesh->tet_count ? own_cbrt(6 * sqrt(2) * sn_tet_mesh_measure(mesh).volume / mesh->tet_count) : 0;
}

#define CROWDED 3.5 // edge lengths

static bool is_crowded(const sn_medial_mesh *medial, const elastic_handles *h, int handle, double edge) {
    for (int i = 0; i < h->count; i++)
        if (i != handle &&
            distance_between(medial->centre[h->sphere[i]], medial->centre[h->sphere[handle]]) < CROWDED * edge)
            return true;
    return false;
}

bool elastic_handles_place(const sn_medial_mesh *medial, const sn_tet_mesh *mesh, const unsigned char *anchored,
                           bool keep_unheld, elastic_handles *h) {
    const size_t n = (size_t)mesh->vertex_count;
    int *owner = malloc((n + 1) * sizeof *owner), kept = 0;
    float(*centre)[3] = malloc(((size_t)h->count + 1) * sizeof *centre);
    sn_tet_point *place = malloc(((size_t)h->count + 1) * sizeof *place);
    bool *crowded = malloc((size_t)h->count + 1);
    vertex_tets tets = {0};
    sn_tet_embed_report report;
    free(h->vertex), free(h->handle);
    h->vertex = malloc((n + 1) * sizeof *h->vertex);
    h->handle = malloc((n + 1) * sizeof *h->handle);
    h->hold_count = 0;
    bool good = owner && centre && place && crowded && h->vertex && h->handle && vertex_tets_make(mesh, &tets);
    for (int i = 0; i < h->count && good; i++)
        for (int k = 0; k < 3; k++) centre[i][k] = (float)medial->centre[h->sphere[i]][k];
    good = good && sn_tet_embed(mesh, (const float(*)[3])centre, h->count, place, &report);
    const double edge = mean_edge(mesh);
    for (int i = 0; i < h->count && good; i++) crowded[i] = is_crowded(medial, h, i, edge);
    for (size_t v = 0; v < n && good; v++) owner[v] = anchored && anchored[v] ? ANCHORED : FREE;
    for (int i = 0; i < h->count && good; i++) {
        int corner[4];
        const int count = choose_held(mesh, &place[i], owner, crowded[i], corner);
        if (count == 0 && !keep_unheld) {
            h->lost++;
            continue;
        }
        claim(mesh, &tets, corner, count, kept, owner);
        h->sphere[kept] = h->sphere[i], h->few_neighbours[kept++] = h->few_neighbours[i];
    }
    h->count = good ? kept : h->count;
    for (size_t v = 0; v < n && good; v++) {
        if (owner[v] == FREE || owner[v] == NEIGHBOUR) continue;
        h->vertex[h->hold_count] = (int)v, h->handle[h->hold_count++] = owner[v];
    }
    free(owner), free(centre), free(place), free(crowded), free(tets.start), free(tets.tet);
    return good;
}
