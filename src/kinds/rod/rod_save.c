// Hashing and saving of rods. Bodies are visited in order of slots and blocks in order, so the result does not depend on lanes or
// packets.
#include "base/hash.h"
#include "geometry/contact_surface.h"
#include "kinds/rod/rod_body.h"
#include <string.h>

uint64_t sn_rod_hash(void *what, uint64_t hash) {
    const sn_rod_system *s = what;
    for (int b = 0; b < s->slots.count; b++) {
        const sn_rod_body *body = sn_rod_in(s, b);
        hash = sn_hash_u64(hash, ((uint64_t)s->slots.at[b].gen << 32) | (uint64_t)(body ? body->blocks : 0));
        if (!body) continue;
        const sn_packet *packet = sn_rod_packet_of(s, body);
        for (int i = 0; i < body->blocks; i++) {
            sn_real state[X_ROWS + V_ROWS];
            sn_rod_get(s, body, packet->x, X_ROWS, i, state);
            sn_rod_get(s, body, packet->v, V_ROWS, i, state + X_ROWS);
            hash = sn_hash_reals(hash, state, X_ROWS + V_ROWS);
        }
    }
    return hash;
}

// ---- saving

static void visit_material(sn_stream *stream, sn_material *m) {
    sn_real *fields[] = {&m->density, &m->young, &m->shear, &m->transverse, &m->volume, &m->scale_bend, &m->damping};
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) sn_visit_reals(stream, fields[k], 1);
    sn_visit_bool(stream, &m->volume_in_bend);
    sn_stream_check(stream, sn_rod_material_is_fine(m));
}

static bool is_unit(sn_quat q) {
    sn_real square = sn_q_dot(q, q);
    return square > (sn_real)0.99 && square < (sn_real)1.01;
}

// Scales are hardly ever smaller than SN_MIN_SCALE: rounding far away makes them. Of volumes their cubes are a part.
// What rounding left of a centre is a last digit of where it was lately.
static bool is_state(const sn_real *x) {
    for (int k = 0; k < 3; k++)
        if (!(sn_abs(x[X_LX + k]) <= (sn_real)1e-3 * (1 + sn_abs(x[X_CX + k])))) return false;
    return is_unit((sn_quat){x[X_QX], x[X_QY], x[X_QZ], x[X_QW]}) && x[X_S] > 0 && sn_finite(x[X_S] * x[X_S] * x[X_S]);
}

static void visit_block(sn_stream *stream, sn_rod_block *b) {
    sn_visit_reals(stream, &b->length, 1);
    sn_visit_reals(stream, &b->radius, 1);
    sn_visit_reals(stream, &b->contact_radius, 1);
    sn_visit_reals(stream, &b->rel.x, 4);
    sn_visit_reals(stream, &b->bend.x, 3);
    visit_material(stream, &b->material);
    sn_visit_reals(stream, &b->stiffness, 1);
    sn_visit_reals(stream, &b->contraction, 1);
    sn_visit_int(stream, &b->hold);
    sn_visit_bool(stream, &b->ghost);
    sn_visit_reals(stream, &b->rest.x, 3);
    // as sn_rod_create would have it
    sn_stream_check(stream, b->length == 0 || (b->length > (sn_real)1e-6 && b->length <= (sn_real)1e6));
    sn_stream_check(stream, b->radius >= (sn_real)1e-7 && b->radius <= (sn_real)1e5);
    sn_stream_check(stream, b->contact_radius >= 0 && b->contact_radius <= b->radius);
    sn_stream_check(stream,
                    b->stiffness >= 0 && b->stiffness <= 1000 && b->contraction >= -100 && b->contraction <= 100);
    sn_stream_check(stream, (b->hold & ~(SN_HOLD_CENTRE | SN_HOLD_SCALE | SN_HOLD_FRAME | SN_HOLD_CLAMP)) == 0);
}

// Whether the parts of a body that was read fit together: every point has a block of its own, the one block besides may
// be the ghost of the last tip, and just the root of a tree and the ghost have no segment.
static bool consistent(sn_rod_body *body) {
    int ghost = -1, ghosts = 0;
    int *taken = body->held; // not in use yet
    for (int i = 0; i < body->blocks; i++) {
        const sn_rod_block *b = &body->block[i];
        if (b->ghost) ghost = i, ++ghosts;
        if ((b->length > 0) == (body->parent[i] < 0 || b->ghost)) return false;
        if (!is_unit(b->rel) || !(sn_length(b->bend) * sn_rod_joint_length(body, i) <= SN_ROD_MAX_BEND)) return false;
    }
    for (int i = 0; i < body->points; i++) {
        int b = body->block_of_point[i];
        if (body->block[b].ghost || taken[b]) return false;
        taken[b] = 1;
    }
    if (ghosts != body->blocks - body->points || body->clamp[1] != ghost || body->clamp[0] > 0) return false;
    for (int i = 0; i < body->blocks && ghosts; i++)
        if (body->parent[i] == ghost) return false;
    if (body->parent[0] >= 0 && (ghosts || body->clamp[0] == 0)) return false; // a loop has no ends
    return ghosts == 0 || body->parent[ghost] > 0;
}

// Masses follow from what was read, as they did when it was made: they are not saved. Whether none is too large.
static bool weigh_again(sn_rod_body *body) {
    sn_rod_weigh(body);
    for (int i = 0; i < body->blocks; i++)
        if (!sn_rod_is_light(&body->block[i])) return false;
    return true;
}

static void visit_body(sn_stream *stream, sn_rod_body *body) {
    for (int i = 0; i < body->blocks; i++) {
        sn_visit_int(stream, &body->parent[i]);
        // parents come first, so no walk along them can run away; only the root may point forward, closing a loop
        sn_stream_check(stream, i == 0 ? body->parent[0] >= -1 && body->parent[0] < body->blocks && body->parent[0] != 0
                                       : body->parent[i] >= 0 && body->parent[i] < i);
        visit_block(stream, &body->block[i]);
        if (stream->bad) return;
    }
    for (int i = 0; i < body->points; i++) {
        sn_visit_int(stream, &body->block_of_point[i]);
        sn_stream_check(stream, body->block_of_point[i] >= 0 && body->block_of_point[i] < body->blocks);
    }
    for (int k = 0; k < 2; k++) {
        sn_visit_int(stream, &body->clamp[k]);
        sn_visit_reals(stream, &body->clamp_frame[k].x, 4);
        sn_stream_check(stream, body->clamp[k] >= -1 && body->clamp[k] < body->blocks);
    }
    sn_visit_bool(stream, &body->end_caps);
    sn_visit_u64(stream, &body->base.label);
    sn_surface *f = &body->base.contact.surface;
    sn_real *numbers[] = {&f->friction_static, &f->friction_dynamic, &f->restitution,
                          &f->compliance,      &f->rolling,          &f->torsion};
    for (int k = 0; k < 6; k++) sn_visit_reals(stream, numbers[k], 1);
    sn_visit_u32(stream, &f->group);
    sn_visit_u32(stream, &f->mask);
    sn_stream_check(stream, sn_surface_is_fine(f));
    sn_visit_bool(stream, &body->base.contact.collide);
    sn_visit_bool(stream, &body->base.contact.self_collide);
    sn_visit_bool(stream, &body->base.sleep.asleep);
    sn_visit_reals(stream, &body->base.sleep.still, 1);
    sn_stream_check(stream, body->base.sleep.still >= 0);
}

enum { STATE_ROWS = X_ROWS + V_ROWS, SAVED_ROWS = STATE_ROWS + V_ROWS + X_ROWS }; // state, loads, where it is led

static void save_body(const sn_rod_system *s, sn_rod_body *body, sn_stream *stream) {
    sn_visit_int(stream, &body->points);
    sn_visit_int(stream, &body->blocks);
    visit_body(stream, body);
    sn_packet *packet = sn_rod_packet_of(s, body);
    for (int i = 0; i < body->blocks; i++) {
        sn_real rows[SAVED_ROWS];
        sn_rod_get(s, body, packet->x, X_ROWS, i, rows);
        sn_rod_get(s, body, packet->v, V_ROWS, i, rows + X_ROWS);
        sn_rod_get(s, body, packet->load, V_ROWS, i, rows + STATE_ROWS);
        memcpy(rows + STATE_ROWS + V_ROWS, body->driver[i].to, sizeof body->driver[i].to);
        sn_visit_reals(stream, rows, SAVED_ROWS);
    }
}

static void load_body(sn_rod_system *s, sn_stream *stream, int slot) {
    int points = 0, blocks = 0;
    sn_visit_int(stream, &points);
    sn_visit_int(stream, &blocks);
    if (!sn_stream_check(stream, points >= 2 && blocks >= points && blocks <= points + 1)) return;
    if (!sn_stream_check(stream, sn_stream_holds(stream, (size_t)blocks, SAVED_ROWS * sizeof(sn_real)))) return;
    sn_rod_body *body = sn_rod_body_alloc(s->memory, points, blocks);
    sn_real *start = sn_alloc(s->memory, (size_t)blocks, STATE_ROWS * sizeof *start);
    sn_real *rest = sn_alloc(s->memory, (size_t)blocks, (V_ROWS + X_ROWS) * sizeof *rest);
    bool placed = false;
    if (sn_stream_need(stream, body && start && rest)) visit_body(stream, body);
    if (!stream->bad) sn_stream_check(stream, consistent(body) && weigh_again(body));
    for (int i = 0; i < blocks && !stream->bad; i++) {
        sn_visit_reals(stream, start + (size_t)i * STATE_ROWS, STATE_ROWS);
        sn_visit_reals(stream, rest + (size_t)i * (V_ROWS + X_ROWS), V_ROWS + X_ROWS);
        const sn_real *x = start + (size_t)i * STATE_ROWS, *to = rest + (size_t)i * (V_ROWS + X_ROWS) + V_ROWS;
        sn_stream_check(stream, is_state(x) && is_state(to));
    }
    if (!stream->bad) placed = sn_stream_need(stream, sn_rod_restore_slot(s, body, start, slot) == SN_OK);
    if (placed && body->base.contact.self_collide) // makes the table of segments that are apart
        sn_stream_need(stream, sn_rod_set_contact(s, body,
                                                  &(sn_contact_settings){.surface = body->base.contact.surface,
                                                                         .collide = body->base.contact.collide,
                                                                         .self_collide = true}) == SN_OK);
    for (int i = 0; i < blocks && placed; i++) {
        const sn_real *load = rest + (size_t)i * (V_ROWS + X_ROWS);
        sn_packet *packet = sn_rod_packet_of(s, body);
        sn_rod_put(s, body, packet->load, V_ROWS, i, load);
        for (int r = 0; r < V_ROWS; r++) packet->loaded = packet->loaded || load[r] != 0;
        memcpy(body->driver[i].to, load + V_ROWS, sizeof body->driver[i].to);
    }
    if (start) sn_free(s->memory, start, (size_t)blocks, STATE_ROWS * sizeof *start);
    if (rest) sn_free(s->memory, rest, (size_t)blocks, (V_ROWS + X_ROWS) * sizeof *rest);
    if (!placed) sn_rod_body_free(s->memory, body);
}

void sn_rod_save(void *what, sn_stream *stream) {
    sn_rod_system *s = what;
    if (!sn_slots_visit(&s->slots, s->memory, stream)) return;
    for (int i = 0; i < s->slots.count && !stream->bad; i++) {
        if (!sn_slots_visit_one(&s->slots, i, stream)) continue;
        if (stream->mode == SN_STREAM_READ)
            load_body(s, stream, i);
        else
            save_body(s, sn_rod_in(s, i), stream);
    }
    sn_slots_check_list(&s->slots, stream);
}
