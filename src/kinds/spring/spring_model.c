// Creates a mass-spring body of the world from its definition: checks every field, copies it, and derives the surface
// for contacts and wind.
#include "base/validate.h"
#include "geometry/slab_owners.h"
#include "kinds/spring/spring_faces.h"
#include "kinds/spring/spring_system.h"
#include "kinds/spring/spring_volume.h"
#include <stdio.h>
#include <string.h>

// ---- checks

enum {
    MAX_LINES = 20,      // lines logged per array
    MAX_ITEMS = 50000000 // in any array: kernels index entries with int
};

static int wrong_at(const sn_log *log, const char *array, int i, const char *member, const char *text) {
    char field[64];
    snprintf(field, sizeof field, "%s[%d]%s", array, i, member);
    return sn_def_error(log, field, "%s", text);
}

// Checks an array against its count.
static int wrong_array(const sn_log *log, const char *field, const char *count_field, const void *array, int count) {
    if (count < 0 || count > MAX_ITEMS) return sn_def_error(log, count_field, "must be from 0 to 50000000");
    if (count > 0 && !array) return sn_def_error(log, field, "is null, but its count is not 0");
    return 0;
}

static int wrong_points(const sn_log *log, const sn_springs_def *d) {
    int count = 0;
    for (int i = 0; i < d->point_count && count < MAX_LINES; i++) {
        const sn_real m = d->masses[i];
        if (!sn_valid3(d->points[i])) count += wrong_at(log, "points", i, "", "must be finite, and its cube too");
        if (d->velocities && !sn_has_length(d->velocities[i]))
            count += wrong_at(log, "velocities", i, "", "must be finite, and its square too");
        if (m != 0 && !sn_between(m, (sn_real)1e-12, (sn_real)1e12))
            count += wrong_at(log, "masses", i, "", "must be 0 (held), or from 1e-12 to 1e12 kg");
    }
    return count;
}

static bool is_point(const sn_springs_def *d, int i) {
    return i >= 0 && i < d->point_count;
}

static int wrong_springs(const sn_log *log, const sn_springs_def *d) {
    const sn_real max = (sn_real)1e15;
    int count = 0;
    for (int i = 0; i < d->spring_count && count < MAX_LINES; i++) {
        const sn_spring *s = &d->springs[i];
        if (!is_point(d, s->a)) count += wrong_at(log, "springs", i, ".a", "is no point");
        if (!is_point(d, s->b)) count += wrong_at(log, "springs", i, ".b", "is no point");
        if (s->a == s->b) count += wrong_at(log, "springs", i, ".b", "must not be its other end");
        if (!sn_between(s->stiffness, 0, max)) count += wrong_at(log, "springs", i, ".stiffness", "must be 0 to 1e15");
        if (!sn_between(s->damping, 0, max)) count += wrong_at(log, "springs", i, ".damping", "must be 0 to 1e15");
        if (d->law == SN_SPRING_RELATIVE ? !sn_between(s->rest, (sn_real)1e-9, (sn_real)1e9)
                                         : !sn_between(s->rest, 0, (sn_real)1e9))
            count += wrong_at(log, "springs", i, ".rest",
                              "must be from 0 to 1e9 m, and with the relative law at least 1e-9 m");
    }
    return count;
}

static int wrong_elements(const sn_log *log, const sn_springs_def *d) {
    int count = 0, lines = 0;
    for (int t = 0; t < d->tet_count && count < MAX_LINES; t++) {
        const int32_t *at = d->tets + 4 * (size_t)t;
        sn_vec3 corner[4];
        bool known = true;
        for (int k = 0; k < 4; k++) known = known && is_point(d, at[k]);
        for (int k = 0; k < 4 && known; k++) corner[k] = d->points[at[k]];
        if (!known)
            count += wrong_at(log, "tets", t, "", "has a corner that is no point");
        else if (!(sn_spring_tet_volume(corner) > 0))
            count += wrong_at(log, "tets", t, "", "has no volume, or is inside out: exchange two of its corners");
    }
    for (int t = 0; t < d->triangle_count && lines < MAX_LINES; t++) {
        const int32_t *at = d->triangles + 3 * (size_t)t;
        if (!is_point(d, at[0]) || !is_point(d, at[1]) || !is_point(d, at[2]))
            lines += wrong_at(log, "triangles", t, "", "has a corner that is no point");
        else if (at[0] == at[1] || at[1] == at[2] || at[2] == at[0])
            lines += wrong_at(log, "triangles", t, "", "must have three different corners");
    }
    return count + lines;
}

static int wrong_distances(const sn_log *log, const sn_springs_def *d) {
    int count = 0;
    for (int i = 0; i < d->distance_count && count < MAX_LINES; i++) {
        const sn_spring_distance *s = &d->distances[i];
        if (!is_point(d, s->a) || !is_point(d, s->b) || s->a == s->b)
            count += wrong_at(log, "distances", i, "", "must be between two points");
        if (!sn_between(s->length, 0, (sn_real)1e9))
            count += wrong_at(log, "distances", i, ".length", "must be from 0 to 1e9 m");
    }
    return count;
}

static int wrong_numbers(const sn_log *log, const sn_springs_def *d) {
    int count = 0;
    if ((int)d->law < SN_SPRING_ABSOLUTE || (int)d->law > SN_SPRING_RELATIVE)
        count += sn_def_error(log, "law", "must be one of sn_spring_law");
    if ((int)d->integrator < SN_SPRING_IMPLICIT_EULER || (int)d->integrator > SN_SPRING_VERLET_CORRECTED)
        count += sn_def_error(log, "integrator", "must be one of sn_spring_integrator");
    if (!sn_between(d->bulk, 0, (sn_real)1e15)) count += sn_def_error(log, "bulk", "must be from 0 to 1e15 Pa");
    if (!sn_between(d->radius, (sn_real)1e-7, (sn_real)1e5))
        count += sn_def_error(log, "radius", "must be from 1e-7 to 1e5 m");
    if (!sn_between(d->tolerance, (sn_real)1e-12, (sn_real)0.5))
        count += sn_def_error(log, "tolerance", "must be from 1e-12 to 0.5");
    if (d->iterations < 1 || d->iterations > 100000)
        count += sn_def_error(log, "iterations", "must be from 1 to 100000");
    if (!sn_between(d->drag, 0, (sn_real)1e6)) count += sn_def_error(log, "drag", "must be from 0 to 1e6 1/s");
    if (!sn_finite3(d->wind) || !(sn_length2(d->wind) <= (sn_real)1e8))
        count += sn_def_error(log, "wind", "must be finite and at most 1e4 m/s");
    else if (sn_length2(d->wind) > 0 && d->air == 0)
        count += sn_def_error(log, "air", "must be more than 0 where there is wind; air has 1.2 kg/m^3");
    if (!sn_between(d->air, 0, (sn_real)1e5)) count += sn_def_error(log, "air", "must be from 0 to 1e5 kg/m^3");
    if (!sn_between(d->strain, 0, (sn_real)1e6)) count += sn_def_error(log, "strain", "must be from 0 to 1e6");
    if (d->rounds < 1 || d->rounds > 1000) count += sn_def_error(log, "rounds", "must be from 1 to 1000");
    if (!sn_between(d->penalty, 0, (sn_real)1e15)) count += sn_def_error(log, "penalty", "must be from 0 to 1e15 N/m");
    if (d->penalty > 0 && d->tet_count < 1) count += sn_def_error(log, "penalty", "needs tetrahedra");
    if (d->keep_volumes && d->tet_count < 1) count += sn_def_error(log, "keep_volumes", "needs tetrahedra");
    if (d->family >= 1u << 30) count += sn_def_error(log, "family", "must be below 2^30");
    return count + sn_surface_errors(log, &d->surface);
}

static int wrong_fields(const sn_log *log, const sn_springs_def *d) {
    int count = wrong_numbers(log, d), arrays = 0;
    if (d->point_count < 1 || d->point_count > MAX_ITEMS)
        arrays += sn_def_error(log, "point_count", "must be from 1 to 50000000");
    else if (!d->points)
        arrays += sn_def_error(log, "points", "is null");
    if (!d->masses) arrays += sn_def_error(log, "masses", "is null; every point needs one");
    arrays += wrong_array(log, "springs", "spring_count", d->springs, d->spring_count);
    arrays += wrong_array(log, "tets", "tet_count", d->tets, d->tet_count);
    arrays += wrong_array(log, "triangles", "triangle_count", d->triangles, d->triangle_count);
    arrays += wrong_array(log, "distances", "distance_count", d->distances, d->distance_count);
    if (arrays > 0) return count + arrays; // the arrays cannot be read
    return count + wrong_points(log, d) + wrong_springs(log, d) + wrong_elements(log, d) + wrong_distances(log, d);
}

// ---- surfaces

// The body's triangles: as given, or the boundary of its tetrahedra.
static bool make_triangles(sn_memory *memory, const sn_springs_def *d, sn_springs_body *b) {
    if (d->triangle_count > 0 || d->tet_count == 0) {
        b->triangles = sn_alloc(memory, (size_t)d->triangle_count, sizeof *b->triangles);
        if (!b->triangles) return false;
        b->triangle_count = d->triangle_count;
        if (d->triangle_count > 0) memcpy(b->triangles, d->triangles, (size_t)d->triangle_count * sizeof *b->triangles);
        return true;
    }
    int count = 0;
    sn_tet_face *faces = sn_tet_faces(memory, d->point_count, (const int(*)[4])b->tets, d->tet_count, &count);
    if (!faces) return false;
    b->triangles = sn_alloc(memory, (size_t)count, sizeof *b->triangles);
    if (b->triangles) {
        b->triangle_count = count;
        for (int f = 0; f < count; f++) memcpy(b->triangles[f], faces[f].corner, sizeof b->triangles[f]);
    }
    sn_free(memory, faces, 4 * (size_t)d->tet_count, sizeof *faces);
    return b->triangles != NULL;
}

// The triangles around each point, in order.
static bool list_triangles(sn_memory *memory, sn_springs_body *b) {
    const int points = b->body->count, corners = 3 * b->triangle_count;
    b->triangle_first = sn_alloc(memory, (size_t)points + 1, sizeof *b->triangle_first);
    b->triangle_list = sn_alloc(memory, (size_t)corners, sizeof *b->triangle_list);
    b->triangle_at = sn_alloc(memory, (size_t)b->triangle_count, sizeof *b->triangle_at);
    if (!b->triangle_first || !b->triangle_list || !b->triangle_at) return false;
    const int *corner = b->triangle_count > 0 ? b->triangles[0] : NULL;
    for (int k = 0; k < corners; k++) ++b->triangle_first[corner[k]];
    for (int i = 0, sum = 0; i <= points; i++) b->triangle_first[i] = sum += b->triangle_first[i];   // ends,
    for (int k = corners - 1; k >= 0; --k) b->triangle_list[--b->triangle_first[corner[k]]] = k / 3; // then starts
    return true;
}

static bool share_out(sn_memory *memory, sn_springs_body *b) {
    b->owns = sn_alloc(memory, (size_t)b->triangle_count, sizeof *b->owns);
    return b->owns && sn_slab_owners(memory, b->body->count, b->triangle_count > 0 ? b->triangles[0] : NULL,
                                     b->triangle_count, b->owns);
}

// A body without triangles collides with its springs: a pill from each point to its predecessor in a traversal of all
// springs. A chain then has exactly its springs, and every point with a spring is in a pill.
static bool make_pills(sn_memory *memory, sn_springs_body *b) {
    const sn_spring_body *body = b->body;
    const int points = body->count, ends = 2 * body->spring_count;
    b->pill_from = sn_alloc(memory, (size_t)points, sizeof *b->pill_from);
    int *first = sn_alloc(memory, (size_t)points + 1, sizeof *first),
        *list = sn_alloc(memory, (size_t)ends, sizeof *list);
    int *queue = sn_alloc(memory, (size_t)points, sizeof *queue);
    bool *seen = sn_alloc(memory, (size_t)points, sizeof *seen);
    const bool good = b->pill_from && first && list && queue && seen;
    if (good) {
        for (int i = 0; i < points; i++) b->pill_from[i] = -1;
        for (int k = 0; k < ends; k++) ++first[k % 2 ? body->springs[k / 2].b : body->springs[k / 2].a];
        for (int i = 0, sum = 0; i <= points; i++) first[i] = sum += first[i];
        for (int k = ends - 1; k >= 0; --k) {
            const sn_spring *s = &body->springs[k / 2];
            list[--first[k % 2 ? s->b : s->a]] = k % 2 ? s->a : s->b;
        }
        for (int root = 0; root < points && b->triangle_count == 0; root++) {
            if (seen[root]) continue;
            int from = 0, to = 0;
            seen[queue[to++] = root] = true;
            while (from < to) {
                const int i = queue[from++];
                for (int k = first[i]; k < first[i + 1]; k++) {
                    if (seen[list[k]]) continue;
                    seen[queue[to++] = list[k]] = true;
                    b->pill_from[list[k]] = i;
                }
            }
        }
    }
    sn_free(memory, first, (size_t)points + 1, sizeof *first);
    sn_free(memory, list, (size_t)ends, sizeof *list);
    sn_free(memory, queue, (size_t)points, sizeof *queue);
    sn_free(memory, seen, (size_t)points, sizeof *seen);
    return good;
}

// ---- creating

void sn_springs_list_held(sn_springs_body *b) {
    b->held_count = 0;
    for (int i = 0; i < b->body->count; i++)
        if (!(b->body->inverse[i] > 0)) b->held[b->held_count++] = i;
}

// Families of springs are separate from families of rod bundles. Bodies with a penalty and without a family form one,
// because the penalty separates them.
#define SPRING_FAMILY  (1u << 30)
#define PENALTY_FAMILY (1u << 31)

static sn_contact_settings contact_of(const sn_springs_def *d) {
    return (sn_contact_settings){.surface = d->surface,
                                 .collide = d->collide,
                                 .self_collide = d->self_collide,
                                 .family = d->family        ? SPRING_FAMILY + d->family
                                           : d->penalty > 0 ? PENALTY_FAMILY
                                                            : 0};
}

static sn_status make_body(sn_memory *memory, int lanes, const sn_springs_def *d, sn_springs_body *b) {
    const size_t n = (size_t)d->point_count;
    const sn_spring_def plain = {.points = d->points,
                                 .velocities = d->velocities,
                                 .masses = d->masses,
                                 .count = d->point_count,
                                 .springs = d->springs,
                                 .spring_count = d->spring_count,
                                 .law = d->law,
                                 .tets = (const int(*)[4])(const void *)d->tets,
                                 .tet_count = d->tet_count,
                                 .bulk = d->bulk,
                                 .lanes = lanes};
    const sn_status status = sn_spring_body_create(memory, &plain, &b->body, NULL, NULL);
    if (status != SN_OK) return status;
    b->body->drag = d->drag;
    b->tet_count = d->tet_count;
    b->distance_count = d->distance_count;
    b->tets = sn_alloc(memory, (size_t)d->tet_count, sizeof *b->tets);
    b->home = sn_alloc(memory, n, sizeof *b->home);
    b->applied_force = sn_alloc(memory, n, sizeof *b->applied_force);
    b->to = sn_alloc(memory, n, sizeof *b->to);
    b->from = sn_alloc(memory, n, sizeof *b->from);
    b->held = sn_alloc(memory, n, sizeof *b->held);
    b->start = sn_alloc(memory, (size_t)b->body->padded, 4 * sizeof(sn_real));
    b->target = sn_alloc(memory, (size_t)b->body->padded, 4 * sizeof(sn_real));
    b->distances = sn_alloc(memory, (size_t)d->distance_count, sizeof *b->distances);
    if (!b->tets || !b->home || !b->applied_force || !b->to || !b->from || !b->held || !b->start || !b->target ||
        !b->distances)
        return SN_ERR_MEMORY;
    if (d->tet_count > 0) memcpy(b->tets, d->tets, (size_t)d->tet_count * sizeof *b->tets);
    if (d->distance_count > 0) memcpy(b->distances, d->distances, (size_t)d->distance_count * sizeof *b->distances);
    memcpy(b->home, d->points, n * sizeof *b->home);
    memcpy(b->to, d->points, n * sizeof *b->to);
    sn_springs_list_held(b);
    for (int k = 0; k < b->held_count; k++) sn_spring_set_quad(b->body->v, b->held[k], sn_v3(0, 0, 0));
    if (!make_triangles(memory, d, b) || !list_triangles(memory, b) || !share_out(memory, b) || !make_pills(memory, b))
        return SN_ERR_MEMORY;
    if (d->penalty > 0)
        return sn_tet_collider_create(memory, d->point_count, (const int(*)[4])b->tets, d->tet_count, &b->collider);
    return SN_OK;
}

static sn_real extent_of(const sn_springs_body *b) {
    sn_vec3 low = b->home[0], high = low;
    for (int i = 1; i < b->body->count; i++) {
        const sn_vec3 p = b->home[i];
        low = sn_v3(sn_min(low.x, p.x), sn_min(low.y, p.y), sn_min(low.z, p.z));
        high = sn_v3(sn_max(high.x, p.x), sn_max(high.y, p.y), sn_max(high.z, p.z));
    }
    return sn_length(sn_sub(high, low));
}

sn_status sn_springs_model(sn_memory *memory, const sn_log *log, int lanes, const sn_springs_def *d,
                           sn_springs_body **out) {
    *out = NULL;
    if (wrong_fields(log, d)) return SN_ERR_DEF;
    sn_springs_body *b = sn_alloc(memory, 1, sizeof *b);
    if (!b) return SN_ERR_MEMORY;
    *b = (sn_springs_body){.integrator = d->integrator,
                           .solver = {d->tolerance, d->iterations, d->exact},
                           .radius = d->radius,
                           .wind = d->wind,
                           .air = d->air,
                           .keep_volumes = d->keep_volumes,
                           .strain = d->strain,
                           .rounds = d->rounds,
                           .penalty = d->penalty,
                           .naive = d->penalty_naive,
                           .base = {.label = d->label, .contact = contact_of(d)},
                           .family = d->family};
    const sn_status status = make_body(memory, lanes, d, b);
    if (status != SN_OK) {
        sn_springs_body_free(memory, b);
        return status == SN_ERR_RANGE ? SN_ERR_DEF : status;
    }
    b->rest_volume = sn_springs_volume_of(b, b->home);
    b->extent = extent_of(b);
    *out = b;
    return SN_OK;
}

void sn_springs_body_free(sn_memory *memory, sn_springs_body *b) {
    if (!b) return;
    if (b->body) {
        const size_t n = (size_t)b->body->count, quad = 4 * sizeof(sn_real);
        sn_free(memory, b->tets, (size_t)b->tet_count, sizeof *b->tets);
        sn_free(memory, b->home, n, sizeof *b->home);
        sn_free(memory, b->applied_force, n, sizeof *b->applied_force);
        sn_free(memory, b->to, n, sizeof *b->to);
        sn_free(memory, b->from, n, sizeof *b->from);
        sn_free(memory, b->held, n, sizeof *b->held);
        sn_free(memory, b->start, (size_t)b->body->padded, quad);
        sn_free(memory, b->target, (size_t)b->body->padded, quad);
        sn_free(memory, b->distances, (size_t)b->distance_count, sizeof *b->distances);
        sn_free(memory, b->triangles, (size_t)b->triangle_count, sizeof *b->triangles);
        sn_free(memory, b->triangle_at, (size_t)b->triangle_count, sizeof *b->triangle_at);
        sn_free(memory, b->triangle_first, n + 1, sizeof *b->triangle_first);
        sn_free(memory, b->triangle_list, 3 * (size_t)b->triangle_count, sizeof *b->triangle_list);
        sn_free(memory, b->owns, (size_t)b->triangle_count, sizeof *b->owns);
        sn_free(memory, b->pill_from, n, sizeof *b->pill_from);
        sn_tet_collider_destroy(b->collider);
    }
    sn_spring_body_destroy(b->body);
    sn_free(memory, b, 1, sizeof *b);
}
