// Nearest medial elements of surface vertices. Elements whose bounding ball is farther than the best so far are passed over, and the search
// begins with the element of the vertex before, which is often near.
#include "kinds/elastic/surface_points.h"
#include "geometry/slab.h"
#include <math.h>

static sn_slab slab_of(const sn_elastic_asset *a, const int sphere[3]) {
    sn_slab slab;
    for (int k = 0; k < 3; k++) slab.c[k] = a->centre[sphere[k]], slab.r[k] = a->radius[sphere[k]];
    return slab;
}

typedef struct {
    const sn_elastic_asset *asset;
    const int (*elements)[3];
    int count, last;
    sn_sphere *ball; // of each element
} search;

static sn_real distance_to(const search *s, int element, sn_vec3 p, sn_real weight[3]) {
    const sn_slab slab = slab_of(s->asset, s->elements[element]);
    return sn_slab_distance(&slab, p, weight);
}

// The sphere that a point belongs to.
static int sphere_of(search *s, sn_vec3 p) {
    sn_real weight[3], best_weight[3] = {1, 0, 0}, best = distance_to(s, s->last, p, best_weight);
    int nearest = s->last;
    for (int i = 0; i < s->count; i++) {
        const sn_real reach = best + s->ball[i].radius;
        if (i == s->last || (reach > 0 && sn_length2(sn_sub(p, s->ball[i].centre)) > reach * reach)) continue;
        const sn_real distance = distance_to(s, i, p, weight);
        if (!(distance < best)) continue;
        best = distance, nearest = i;
        for (int k = 0; k < 3; k++) best_weight[k] = weight[k];
    }
    s->last = nearest;
    int corner = 0;
    for (int k = 1; k < 3; k++)
        if (best_weight[k] > best_weight[corner]) corner = k;
    return s->elements[nearest][corner];
}

// Marks the spheres of vertices that move, by vertex; -1: others.
static void assign(search *s, int *sphere) {
    const sn_elastic_asset *a = s->asset;
    for (int v = 0; v < a->vertex_count; v++) sphere[v] = -1;
    for (int i = 0; i < 3 * a->triangle_count; i++) {
        const int v = a->triangles[i / 3][i % 3];
        if (sphere[v] < 0 && a->first[v] < a->first[v + 1]) sphere[v] = sphere_of(s, a->rest[v]);
    }
}

static void list(const sn_elastic_asset *a, const int *sphere, sn_surface_points *out) {
    for (int v = 0; v < a->vertex_count; v++) {
        if (sphere[v] < 0) continue;
        const int handles = a->first[v + 1] - a->first[v], i = sphere[v];
        out->max_handles = handles > out->max_handles ? handles : out->max_handles;
        out->first[i + 1]++, out->vertex_count++;
        out->beyond[i] = sn_max(out->beyond[i], sn_length(sn_sub(a->rest[v], a->centre[i])) - a->radius[i]);
    }
    for (int i = 0; i < a->sphere_count; i++) out->first[i + 1] += out->first[i];
    for (int v = a->vertex_count - 1; v >= 0; --v)
        if (sphere[v] >= 0) out->vertex[--out->first[sphere[v] + 1]] = v;
    for (int i = 0; i < a->sphere_count; i++) out->first[i] = out->first[i + 1];
    out->first[a->sphere_count] = out->vertex_count;
}

// ---- patches

// Of the vertices of a sphere one in PART is a patch, but at least FEW of them, and no more than MANY.
enum { PART = 4, FEW = 12, MANY = 48 };

#define AGREES ((sn_real)0.02) // of the radius; of weights

// Whether a vertex moves as the sphere does.
static bool has_weights_of(const sn_elastic_asset *a, int vertex, int sphere) {
    sn_real left = 1, left_of_sphere = 1;
    for (int k = a->sphere_first[sphere]; k < a->sphere_first[sphere + 1]; k++) left_of_sphere -= a->sphere_weight[k];
    for (int e = a->first[vertex]; e < a->first[vertex + 1]; e++) {
        sn_real of_sphere = 0;
        for (int k = a->sphere_first[sphere]; k < a->sphere_first[sphere + 1]; k++)
            if (a->sphere_handle[k] == a->handle[e]) of_sphere = a->sphere_weight[k];
        if (sn_abs(a->weight[e] - of_sphere) > AGREES) return false;
        left -= a->weight[e];
    }
    return sn_abs(left - left_of_sphere) <= AGREES;
}

static int patches_of(const sn_elastic_asset *a, const sn_surface_points *p, int sphere) {
    const int first = p->first[sphere], end = p->first[sphere + 1];
    bool agrees = p->beyond[sphere] <= AGREES * a->radius[sphere];
    for (int k = first; k < end && agrees; k++) agrees = has_weights_of(a, p->vertex[k], sphere);
    const int count = end - first, part = (count + PART - 1) / PART, wanted = part > FEW ? part : FEW;
    if (agrees) return 0;
    return count < wanted ? count : wanted < MANY ? wanted : MANY;
}

// Of the vertices of a sphere as many as wanted, as far from each other as possible: rims and corners come first.
static void choose(const sn_elastic_asset *a, sn_surface_points *p, int sphere, int wanted) {
    const int *vertex = p->vertex + p->first[sphere], count = p->first[sphere + 1] - p->first[sphere];
    int *chosen = p->patch_vertex + p->patch_count;
    for (int n = 0; n < wanted; n++) {
        int best = 0;
        sn_real farthest = -1;
        for (int k = 0; k < count; k++) {
            const sn_vec3 at = a->rest[vertex[k]];
            sn_real near = n == 0 ? sn_length2(sn_sub(at, a->centre[sphere])) : INFINITY;
            for (int m = 0; m < n; m++) near = sn_min(near, sn_length2(sn_sub(at, a->rest[chosen[m]])));
            if (near > farthest) farthest = near, best = k;
        }
        chosen[n] = vertex[best], p->patch_sphere[p->patch_count + n] = sphere;
    }
    p->has_patches[sphere] = wanted > 0;
    p->patch_count += wanted;
}

static bool make_patches(sn_memory *memory, const sn_elastic_asset *a, sn_surface_points *p) {
    for (int i = 0; i < a->sphere_count; i++) p->patch_capacity += patches_of(a, p, i);
    p->patch_vertex = sn_alloc(memory, (size_t)p->patch_capacity + 1, sizeof *p->patch_vertex);
    p->patch_sphere = sn_alloc(memory, (size_t)p->patch_capacity + 1, sizeof *p->patch_sphere);
    p->has_patches = sn_alloc(memory, (size_t)p->sphere_count + 1, sizeof *p->has_patches);
    if (!p->has_patches || !p->patch_vertex || !p->patch_sphere) return false;
    for (int i = 0; i < a->sphere_count; i++) {
        const int patches = patches_of(a, p, i);
        if (patches > 0) choose(a, p, i, patches);
    }
    return true;
}

// ----

sn_status sn_surface_points_create(sn_memory *memory, const sn_elastic_asset *a, const int (*elements)[3],
                                   int element_count, sn_surface_points *out) {
    const size_t spheres = (size_t)a->sphere_count, vertices = (size_t)a->vertex_count;
    *out = (sn_surface_points){.sphere_count = a->sphere_count, .capacity = a->vertex_count};
    search s = {a, elements, element_count, 0, sn_alloc(memory, (size_t)element_count + 1, sizeof(sn_sphere))};
    int *sphere = sn_alloc(memory, vertices + 1, sizeof *sphere);
    out->first = sn_alloc(memory, spheres + 1, sizeof *out->first);
    out->beyond = sn_alloc(memory, spheres + 1, sizeof *out->beyond);
    out->vertex = sn_alloc(memory, vertices + 1, sizeof *out->vertex);
    bool good = s.ball && sphere && out->first && out->beyond && out->vertex;
    if (good && element_count > 0) {
        for (int i = 0; i < element_count; i++) {
            const sn_slab slab = slab_of(a, elements[i]);
            sn_sphere *ball = &s.ball[i];
            *ball = (sn_sphere){slab.c[0], 0};
            for (int k = 0; k < 3; k++)
                ball->radius = sn_max(ball->radius, sn_length(sn_sub(slab.c[k], slab.c[0])) + slab.r[k]);
        }
        assign(&s, sphere);
        list(a, sphere, out);
        good = make_patches(memory, a, out);
    }
    sn_free(memory, s.ball, (size_t)element_count + 1, sizeof *s.ball);
    sn_free(memory, sphere, vertices + 1, sizeof *sphere);
    if (good) return SN_OK;
    sn_surface_points_free(memory, out);
    return SN_ERR_MEMORY;
}

void sn_surface_points_free(sn_memory *memory, sn_surface_points *p) {
    sn_free(memory, p->first, (size_t)p->sphere_count + 1, sizeof *p->first);
    sn_free(memory, p->beyond, (size_t)p->sphere_count + 1, sizeof *p->beyond);
    sn_free(memory, p->vertex, (size_t)p->capacity + 1, sizeof *p->vertex);
    sn_free(memory, p->patch_vertex, (size_t)p->patch_capacity + 1, sizeof *p->patch_vertex);
    sn_free(memory, p->patch_sphere, (size_t)p->patch_capacity + 1, sizeof *p->patch_sphere);
    sn_free(memory, p->has_patches, (size_t)p->sphere_count + 1, sizeof *p->has_patches);
    *p = (sn_surface_points){0};
}
