// Hashes and saves mass-spring bodies: bodies in order of slots, points in order.
#include "base/hash.h"
#include "kinds/spring/spring_system.h"

uint64_t sn_springs_hash(void *what, uint64_t hash) {
    const sn_springs_system *s = what;
    for (int i = 0; i < s->slots.count; i++) {
        const sn_springs_body *b = sn_springs_in(s, i);
        hash = sn_hash_u64(hash, ((uint64_t)s->slots.at[i].gen << 32) | (uint64_t)(b ? b->body->count : 0));
        for (int k = 0; b && k < b->body->count; k++) {
            const sn_vec3 x = sn_spring_point(b->body, k), v = sn_spring_velocity(b->body, k);
            const sn_real state[6] = {x.x, x.y, x.z, v.x, v.y, v.z};
            hash = sn_hash_reals(hash, state, 6);
        }
    }
    return hash;
}

// ---- saving: the current definition, then the state. Reading creates the body from its definition, with all checks.

// The fields of a definition besides its arrays, which are the body's.
static void visit_def(sn_stream *stream, sn_springs_def *d) {
    int law = (int)d->law, integrator = (int)d->integrator;
    int *counts[] = {&d->point_count, &d->spring_count, &d->tet_count, &d->triangle_count, &d->distance_count,
                     &d->iterations,  &d->rounds,       &law,          &integrator};
    sn_real *numbers[] = {&d->bulk,
                          &d->radius,
                          &d->tolerance,
                          &d->drag,
                          &d->wind.x,
                          &d->wind.y,
                          &d->wind.z,
                          &d->air,
                          &d->strain,
                          &d->penalty,
                          &d->surface.friction_static,
                          &d->surface.friction_dynamic,
                          &d->surface.restitution,
                          &d->surface.compliance,
                          &d->surface.rolling,
                          &d->surface.torsion};
    bool *flags[] = {&d->exact, &d->keep_volumes, &d->penalty_naive, &d->collide, &d->self_collide};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) sn_visit_int(stream, counts[k]);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) sn_visit_reals(stream, numbers[k], 1);
    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) sn_visit_bool(stream, flags[k]);
    sn_visit_u32(stream, &d->surface.group);
    sn_visit_u32(stream, &d->surface.mask);
    sn_visit_u32(stream, &d->family);
    sn_visit_u64(stream, &d->label);
    d->law = (sn_spring_law)law, d->integrator = (sn_spring_integrator)integrator;
    sn_stream_check(stream, law >= SN_SPRING_ABSOLUTE && law <= SN_SPRING_RELATIVE);
    sn_stream_check(stream, integrator >= SN_SPRING_IMPLICIT_EULER && integrator <= SN_SPRING_VERLET_CORRECTED);
    sn_stream_check(stream, d->point_count >= 1 && d->spring_count >= 0 && d->tet_count >= 0 &&
                                d->triangle_count >= 0 && d->distance_count >= 0);
}

static void visit_arrays(sn_stream *stream, const sn_springs_def *d, sn_vec3 *points, sn_real *masses,
                         sn_spring *springs, int *tets, int *triangles, sn_spring_distance *distances) {
    sn_visit_reals(stream, &points[0].x, 3 * (size_t)d->point_count);
    sn_visit_reals(stream, masses, (size_t)d->point_count);
    for (int i = 0; i < d->spring_count; i++) {
        sn_visit_int(stream, &springs[i].a);
        sn_visit_int(stream, &springs[i].b);
        sn_visit_reals(stream, &springs[i].stiffness, 1);
        sn_visit_reals(stream, &springs[i].damping, 1);
        sn_visit_reals(stream, &springs[i].rest, 1);
    }
    for (size_t i = 0; i < 4 * (size_t)d->tet_count; i++) sn_visit_int(stream, &tets[i]);
    for (size_t i = 0; i < 3 * (size_t)d->triangle_count; i++) sn_visit_int(stream, &triangles[i]);
    for (int i = 0; i < d->distance_count; i++) {
        sn_visit_int(stream, &distances[i].a);
        sn_visit_int(stream, &distances[i].b);
        sn_visit_reals(stream, &distances[i].length, 1);
        sn_visit_bool(stream, &distances[i].is_max);
    }
}

static void visit_state(sn_stream *stream, sn_springs_body *b) {
    sn_spring_body *body = b->body;
    sn_real *quads[] = {body->x, body->v, body->displacement, body->gain};
    for (int i = 0; i < body->count; i++) {
        for (size_t k = 0; k < sizeof quads / sizeof *quads; k++) sn_visit_reals(stream, quads[k] + 4 * (size_t)i, 3);
        sn_visit_reals(stream, &b->applied_force[i].x, 3);
        sn_visit_reals(stream, &b->to[i].x, 3);
    }
    sn_visit_reals(stream, &body->displacement_h, 1);
    sn_stream_check(stream, body->displacement_h >= 0);
    sn_visit_bool(stream, &b->base.sleep.asleep);
    sn_visit_reals(stream, &b->base.sleep.still, 1);
    sn_visit_bool(stream, &b->woken);
    if (stream->mode != SN_STREAM_READ || stream->bad) return;
    bool fine = b->base.sleep.still >= 0 && sn_spring_is_finite(body);
    for (int i = 0; i < body->count && fine; i++) fine = sn_valid3(b->to[i]);
    sn_stream_check(stream, fine);
}

static sn_springs_def def_of(const sn_springs_body *b) {
    return (sn_springs_def){.point_count = b->body->count,
                            .spring_count = b->body->spring_count,
                            .law = b->body->law,
                            .tet_count = b->tet_count,
                            .bulk = b->body->volumes.bulk,
                            .triangle_count = b->triangle_count,
                            .radius = b->radius,
                            .integrator = b->integrator,
                            .tolerance = b->solver.tolerance,
                            .iterations = b->solver.iterations,
                            .exact = b->solver.exact,
                            .drag = b->body->drag,
                            .wind = b->wind,
                            .air = b->air,
                            .distance_count = b->distance_count,
                            .keep_volumes = b->keep_volumes,
                            .strain = b->strain,
                            .rounds = b->rounds,
                            .penalty = b->penalty,
                            .penalty_naive = b->naive,
                            .surface = b->base.contact.surface,
                            .collide = b->base.contact.collide,
                            .self_collide = b->base.contact.self_collide,
                            .family = b->family,
                            .label = b->base.label};
}

static void save_body(sn_springs_body *b, sn_stream *stream) {
    sn_springs_def d = def_of(b);
    visit_def(stream, &d);
    visit_arrays(stream, &d, b->home, b->body->mass, b->body->springs, b->tet_count > 0 ? b->tets[0] : NULL,
                 b->triangle_count > 0 ? b->triangles[0] : NULL, b->distances);
    visit_state(stream, b);
}

static void load_body(sn_springs_system *s, sn_stream *stream, int slot) {
    static const sn_log silent = {0};
    sn_springs_def d = {0};
    visit_def(stream, &d);
    // Allocates only what the bytes can hold.
    if (stream->bad ||
        !sn_stream_check(stream, sn_stream_holds(stream, (size_t)d.point_count, 22 * sizeof(sn_real)) &&
                                     sn_stream_holds(stream, (size_t)d.spring_count, 8 + 3 * sizeof(sn_real)) &&
                                     sn_stream_holds(stream, (size_t)d.tet_count, 16) &&
                                     sn_stream_holds(stream, (size_t)d.triangle_count, 12) &&
                                     sn_stream_holds(stream, (size_t)d.distance_count, 9 + sizeof(sn_real))))
        return;
    const size_t points = (size_t)d.point_count, springs = (size_t)d.spring_count, tets = 4 * (size_t)d.tet_count,
                 triangles = 3 * (size_t)d.triangle_count, distances = (size_t)d.distance_count;
    sn_vec3 *point = sn_alloc(s->memory, points, sizeof *point);
    sn_real *mass = sn_alloc(s->memory, points, sizeof *mass);
    sn_spring *spring = sn_alloc(s->memory, springs, sizeof *spring);
    int *tet = sn_alloc(s->memory, tets, sizeof *tet), *triangle = sn_alloc(s->memory, triangles, sizeof *triangle);
    sn_spring_distance *distance = sn_alloc(s->memory, distances, sizeof *distance);
    sn_springs_body *b = NULL;
    if (sn_stream_need(stream, point && mass && spring && tet && triangle && distance))
        visit_arrays(stream, &d, point, mass, spring, tet, triangle, distance);
    if (!stream->bad) {
        d.points = point, d.masses = mass, d.springs = spring, d.tets = tet, d.triangles = triangle;
        d.distances = distance;
        const sn_status status = sn_springs_model(s->memory, &silent, s->lanes, &d, &b);
        sn_stream_need(stream, status != SN_ERR_MEMORY);
        sn_stream_check(stream, status == SN_OK);
    }
    if (b && !stream->bad) {
        visit_state(stream, b);
        sn_springs_put_slot(s, b, slot);
    }
    sn_free(s->memory, point, points, sizeof *point);
    sn_free(s->memory, mass, points, sizeof *mass);
    sn_free(s->memory, spring, springs, sizeof *spring);
    sn_free(s->memory, tet, tets, sizeof *tet);
    sn_free(s->memory, triangle, triangles, sizeof *triangle);
    sn_free(s->memory, distance, distances, sizeof *distance);
}

void sn_springs_save(void *what, sn_stream *stream) {
    sn_springs_system *s = what;
    if (!sn_slots_visit(&s->slots, s->memory, stream)) return;
    for (int i = 0; i < s->slots.count && !stream->bad; i++) {
        if (!sn_slots_visit_one(&s->slots, i, stream)) continue;
        if (stream->mode == SN_STREAM_READ)
            load_body(s, stream, i);
        else
            save_body(sn_springs_in(s, i), stream);
    }
    sn_slots_check_list(&s->slots, stream);
}
