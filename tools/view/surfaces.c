// The table, and what is the same for every kind. See surfaces.h.
#include "view/surfaces.h"
#include <stdlib.h>
#include <string.h>

// --- springs ---

static sn_body springs_of(surface_body body) {
    return (sn_body){SN_KIND_SPRING, body.slot1, body.gen};
}

static int springs_count(const sn_world *world) {
    return sn_world_kind_count(world, SN_KIND_SPRING);
}

static surface_body springs_at(const sn_world *world, int i) {
    const sn_body springs = sn_world_kind_at(world, SN_KIND_SPRING, i);
    return (surface_body){0, springs.slot1, springs.gen};
}

static uint64_t springs_label(const sn_world *world, surface_body body) {
    return sn_body_label(world, springs_of(body));
}

static int springs_points(const sn_world *world, surface_body body, sn_vec3 *out, int capacity) {
    return sn_body_get_points(world, springs_of(body), out, capacity);
}

static int springs_velocities(const sn_world *world, surface_body body, sn_vec3 *out, int capacity) {
    return sn_body_get_velocities(world, springs_of(body), out, capacity);
}

static int springs_masses(const sn_world *world, surface_body body, sn_real *out, int capacity) {
    return sn_body_get_masses(world, springs_of(body), out, capacity);
}

static int springs_triangles(const sn_world *world, surface_body body, int32_t (*out)[3], int capacity) {
    return sn_springs_get_triangles(world, springs_of(body), out ? &out[0][0] : NULL, capacity);
}

static int springs_lines(const sn_world *world, surface_body body, int32_t (*out)[2], int capacity) {
    const int count = sn_springs_spring_count(world, springs_of(body));
    if (!out || count == 0) return count;
    sn_spring *all = malloc((size_t)count * sizeof *all);
    if (!all) return 0;
    sn_springs_get_springs(world, springs_of(body), all, count);
    for (int i = 0; i < count && i < capacity; i++) out[i][0] = all[i].a, out[i][1] = all[i].b;
    free(all);
    return count;
}

static sn_real springs_radius(const sn_world *world, surface_body body) {
    return sn_springs_radius(world, springs_of(body));
}

static bool springs_solid(const sn_world *world, surface_body body) {
    return sn_springs_tet_count(world, springs_of(body)) > 0;
}

static double springs_volume(const sn_world *world, surface_body body) {
    return sn_body_volume(world, springs_of(body));
}

static double springs_rest_volume(const sn_world *world, surface_body body) {
    return sn_body_rest_volume(world, springs_of(body));
}

static sn_status springs_push(sn_world *world, surface_body body, int point, sn_vec3 impulse) {
    return sn_springs_add_impulse(world, springs_of(body), point, impulse);
}

typedef struct {
    sn_surface surface;
    bool collide, self;
    int count;
    sn_spring springs[];
} springs_made;

static void *make_of_springs(const sn_world *world, surface_body body) {
    const int count = sn_springs_spring_count(world, springs_of(body));
    springs_made *made = malloc(sizeof *made + (size_t)count * sizeof *made->springs);
    if (!made) return NULL;
    made->count = count;
    sn_springs_get_springs(world, springs_of(body), made->springs, count);
    sn_body_get_contact(world, springs_of(body), &made->surface, &made->collide, &made->self);
    return made;
}

static void set_springs(sn_world *world, surface_body body, const void *made, float stiffness, float friction) {
    const springs_made *of = made;
    for (int i = 0; i < of->count; i++) {
        const sn_spring *s = &of->springs[i];
        sn_springs_set_spring(world, springs_of(body), i, (sn_real)stiffness * s->stiffness, s->damping, s->rest);
    }
    sn_surface surface = of->surface;
    surface.friction_static *= (sn_real)friction;
    surface.friction_dynamic *= (sn_real)friction;
    sn_body_set_contact(world, springs_of(body), &surface, of->collide, of->self);
}

// --- elastic bodies: what is drawn of them ---

static sn_body elastic_of(surface_body body) {
    return (sn_body){SN_KIND_ELASTIC, body.slot1, body.gen};
}

static int elastic_count(const sn_world *world) {
    return sn_world_kind_count(world, SN_KIND_ELASTIC);
}

static surface_body elastic_at(const sn_world *world, int i) {
    const sn_body elastic = sn_world_kind_at(world, SN_KIND_ELASTIC, i);
    return (surface_body){0, elastic.slot1, elastic.gen};
}

static uint64_t elastic_label(const sn_world *world, surface_body body) {
    return sn_body_label(world, elastic_of(body));
}

static int elastic_points(const sn_world *world, surface_body body, sn_vec3 *out, int capacity) {
    return sn_elastic_get_drawn(world, elastic_of(body), out, capacity);
}

static int elastic_triangles(const sn_world *world, surface_body body, int32_t (*out)[3], int capacity) {
    const sn_elastic_asset *a = sn_elastic_model_asset(sn_elastic_get_model(world, elastic_of(body)));
    if (!a) return 0;
    const int count = a->drawn_count > 0 ? a->drawn_triangle_count : a->triangle_count;
    int(*const from)[3] = a->drawn_count > 0 ? a->drawn_triangles : a->triangles;
    for (int i = 0; out && i < count && i < capacity; i++)
        for (int k = 0; k < 3; k++) out[i][k] = from[i][k];
    return count;
}

static int no_lines(const sn_world *world, surface_body body, int32_t (*out)[2], int capacity) {
    (void)world, (void)body, (void)out, (void)capacity;
    return 0;
}

static sn_real elastic_radius(const sn_world *world, surface_body body) {
    (void)world, (void)body;
    return 0;
}

static bool elastic_solid(const sn_world *world, surface_body body) {
    (void)world, (void)body;
    return true;
}

static double elastic_volume(const sn_world *world, surface_body body) {
    return sn_body_volume(world, elastic_of(body));
}

static double elastic_rest_volume(const sn_world *world, surface_body body) {
    return sn_body_rest_volume(world, elastic_of(body));
}

// --- the table ---

const surface_kind surface_kinds[] = {
    {.name = "springs",
     .count = springs_count,
     .at = springs_at,
     .label = springs_label,
     .points = springs_points,
     .velocities = springs_velocities,
     .masses = springs_masses,
     .triangles = springs_triangles,
     .lines = springs_lines,
     .radius = springs_radius,
     .solid = springs_solid,
     .volume = springs_volume,
     .rest_volume = springs_rest_volume,
     .push = springs_push,
     .made = make_of_springs,
     .set = set_springs},
    {.name = "elastic",
     .count = elastic_count,
     .at = elastic_at,
     .label = elastic_label,
     .points = elastic_points,
     .triangles = elastic_triangles,
     .lines = no_lines,
     .radius = elastic_radius,
     .solid = elastic_solid,
     .volume = elastic_volume,
     .rest_volume = elastic_rest_volume},
    {0},
};

const surface_kind *surface_kind_of(surface_body body) {
    for (uint32_t i = 0; surface_kinds[i].name; i++)
        if (i == body.kind) return &surface_kinds[i];
    return NULL;
}

int surface_count(const sn_world *world) {
    int count = 0;
    for (const surface_kind *kind = surface_kinds; kind->name; kind++) count += kind->count(world);
    return count;
}

surface_body surface_at(const sn_world *world, int i) {
    for (uint32_t k = 0; surface_kinds[k].name; k++) {
        const int count = surface_kinds[k].count(world);
        if (i < count) {
            surface_body body = surface_kinds[k].at(world, i);
            body.kind = k;
            return body;
        }
        i -= count;
    }
    return (surface_body){0, 0, 0};
}

// --- vertices ---

static int point_count(const sn_world *world, surface_body body) {
    const surface_kind *kind = surface_kind_of(body);
    return kind ? kind->points(world, body, NULL, 0) : 0;
}

bool surface_fits(const sn_world *world, const live_surface *surface) {
    const int points = point_count(world, surface->body);
    if (surface->vertex_count < 0 || points == 0) return false;
    if (!surface->points && !surface->places) return surface->vertex_count == points;
    for (int v = 0; v < surface->vertex_count; v++) {
        const int32_t *corners = surface->points ? &surface->points[v] : surface->places[v].corner;
        for (int k = 0; k < (surface->points ? 1 : 4); k++)
            if (corners[k] < 0 || corners[k] >= points) return false;
    }
    return true;
}

static void put(float out[3], sn_vec3 v) {
    out[0] = (float)v.x, out[1] = (float)v.y, out[2] = (float)v.z;
}

static void put_between(float out[3], const surface_place *place, const sn_vec3 *points) {
    out[0] = out[1] = out[2] = 0;
    for (int k = 0; k < 4; k++) {
        const sn_vec3 p = points[place->corner[k]];
        out[0] += place->weight[k] * (float)p.x;
        out[1] += place->weight[k] * (float)p.y;
        out[2] += place->weight[k] * (float)p.z;
    }
}

bool surface_read(const sn_world *world, const live_surface *surface, float (*out)[3]) {
    const int count = point_count(world, surface->body);
    sn_vec3 *points = count ? malloc((size_t)count * sizeof *points) : NULL;
    if (!points) return false;
    surface_kind_of(surface->body)->points(world, surface->body, points, count);
    for (int v = 0; v < surface->vertex_count; v++) {
        if (surface->places)
            put_between(out[v], &surface->places[v], points);
        else
            put(out[v], points[surface->points ? surface->points[v] : v]);
    }
    free(points);
    return true;
}

// --- what a body consists of ---

int surface_outline(const sn_world *world, surface_body body, int32_t **points, int32_t (**triangles)[3],
                    int *triangle_count) {
    const surface_kind *kind = surface_kind_of(body);
    const int n = point_count(world, body), m = kind && n ? kind->triangles(world, body, NULL, 0) : 0;
    *points = NULL, *triangles = NULL, *triangle_count = m;
    if (m == 0) return 0;
    int32_t *number = calloc((size_t)n, sizeof *number), used = 0;
    *points = malloc((size_t)n * sizeof **points);
    *triangles = malloc((size_t)m * sizeof **triangles);
    if (number && *points && *triangles) {
        kind->triangles(world, body, *triangles, m);
        for (int t = 0; t < m; t++)
            for (int k = 0; k < 3; k++) number[(*triangles)[t][k]] = 1;
        for (int32_t i = 0; i < n; i++) {
            if (!number[i]) continue;
            number[i] = used;
            (*points)[used++] = i;
        }
        for (int t = 0; t < m; t++)
            for (int k = 0; k < 3; k++) (*triangles)[t][k] = number[(*triangles)[t][k]];
    } else {
        free(*points);
        free(*triangles);
        *points = NULL, *triangles = NULL;
        used = -1;
    }
    free(number);
    return used;
}

// A line hangs its higher point on its lower one: nothing goes around in circles.
int surface_chain(const sn_world *world, surface_body body, int32_t **points, int32_t **parents) {
    const surface_kind *kind = surface_kind_of(body);
    const int n = point_count(world, body), m = kind && kind->lines && n ? kind->lines(world, body, NULL, 0) : 0;
    *points = NULL, *parents = NULL;
    if (m == 0) return 0;
    const size_t most = (size_t)n + (size_t)m;
    int32_t(*lines)[2] = malloc((size_t)m * sizeof *lines);
    *points = malloc(most * sizeof **points);
    *parents = malloc(most * sizeof **parents);
    int count = n;
    if (lines && *points && *parents) {
        const int got = kind->lines(world, body, lines, m);
        for (int i = 0; i < n; i++) (*points)[i] = i, (*parents)[i] = -1;
        for (int i = 0; i < got; i++) {
            const int32_t low = lines[i][0] < lines[i][1] ? lines[i][0] : lines[i][1];
            const int32_t high = lines[i][0] < lines[i][1] ? lines[i][1] : lines[i][0];
            if (low == high) continue;
            const int joint = (*parents)[high] < 0 ? high : count++;
            (*points)[joint] = high;
            (*parents)[joint] = low;
        }
    } else {
        free(*points);
        free(*parents);
        *points = NULL, *parents = NULL;
        count = -1;
    }
    free(lines);
    return count;
}
