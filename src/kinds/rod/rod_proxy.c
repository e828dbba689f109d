// Rods as contacts see them: a node a point, a pill a segment. Nodes are numbered by body slot and block, never by
// lane, so that the order of contacts is the same for every lane width.
//
// Taking over: where contacts moved a centre by d, the state moves by d and so does the inertial prediction: that is
// the impulse m d / h. A scale yields with its stiffness included (else most of every correction would go into a radius
// that springs back), so its prediction moves by the same impulse over its bare inertia. A pill turned about its axis
// likewise.
#include "geometry/pill.h"
#include "kinds/rod/rod_body.h"
#include <string.h>

int sn_rod_count_nodes(void *what, int *colliding) {
    sn_rod_system *s = what;
    int nodes = 0;
    *colliding = 0;
    for (int i = 0; i < s->slots.count; i++) {
        sn_rod_body *body = sn_rod_in(s, i);
        if (!body) continue;
        body->first_node = nodes, nodes += body->blocks;
        // One that touches itself is enough, or that is tied.
        *colliding += body->assembled ? 2 : body->base.contact.collide ? 1 + body->base.contact.self_collide : 0;
    }
    return nodes;
}

typedef struct {
    const sn_rod_system *system;
    const sn_proxy_writer *writer;
    bool flag; // start, or shift
} job;

// Stiffness of each scale over a substep, its own segment's and those of its children: twice the diagonal of the
// energy.
static sn_real scale_stiffness(const sn_rod_system *s, const sn_rod_body *body, const sn_packet *packet, int i) {
    sn_real k[P_ROWS];
    sn_rod_get(s, body, packet->param, P_ROWS, i, k);
    return (sn_real)0.25 * k[P_SECTION] + k[P_VOLUME] + k[P_GRADIENT];
}

// How much each scale yields: once a step, for parameters and substep stay.
static void write_scale_compliance(const job *j, const sn_rod_body *body, const sn_packet *packet, sn_node *nodes) {
    const sn_rod_system *s = j->system;
    const sn_real h2 = j->writer->h * j->writer->h;
    for (int i = 0; i < body->blocks; i++) {
        if (body->block[i].ghost || body->parent[i] < 0) continue;
        sn_real k = scale_stiffness(s, body, packet, i);
        nodes[i].ws += k;
        nodes[body->parent[i]].ws += k;
    }
    for (int i = 0; i < body->blocks; i++) {
        sn_real m = *sn_rod_at(s, body, packet->param, P_ROWS, i, P_MASS_S);
        nodes[i].ws = m < SN_IS_HELD && !body->base.sleep.asleep ? 1 / (m + h2 * nodes[i].ws) : 0;
    }
}

// A body at the start of a step: all of its nodes and pills.
static void write_body(void *context, int slot, int worker) {
    (void)worker;
    const job *j = context;
    const sn_rod_system *s = j->system;
    const sn_proxy_writer *writer = j->writer;
    sn_rod_body *body = sn_rod_in(s, slot);
    sn_contact_settings *settings = &writer->settings[writer->first_body + slot];
    *settings = (sn_contact_settings){.asleep = true};
    if (!body) return;
    *settings = body->base.contact;
    settings->asleep = body->base.sleep.asleep;
    settings->assembled = body->assembled;
    const sn_packet *packet = sn_rod_packet_of(s, body);
    const int first = writer->first + body->first_node;
    for (int i = 0; i < body->blocks; i++) {
        const sn_rod_block *b = &body->block[i];
        sn_node *node = &writer->proxies->nodes[first + i];
        sn_node_pill *pill = &writer->proxies->pills[first + i];
        const sn_real *x = sn_rod_at(s, body, packet->x, X_ROWS, i, 0),
                      *v = sn_rod_at(s, body, packet->v, V_ROWS, i, 0);
        const int lanes = s->lanes;
        *node = (sn_node){.c = {x[0], x[lanes], x[2 * lanes]}, .s = x[X_S * lanes], .radius = b->contact_radius};
        node->contact_disabled = b->contact_radius == 0;
        node->c0 = node->c, node->s0 = node->s;
        node->w = (b->hold & SN_HOLD_CENTRE) || b->ghost || body->base.sleep.asleep ? 0 : 1 / b->mass;
        *pill =
            (sn_node_pill){.a = -1, .b = -1, .body = writer->first_body + slot, .surface = writer->first_body + slot};
        pill->held = (b->hold & SN_HOLD_CENTRE) != 0;
        if (b->length > 0) pill->a = first + body->parent[i], pill->b = first + i;
        writer->displacement[first + i] = sn_mul(writer->dt, sn_v3(v[0], v[lanes], v[2 * lanes]));
        sn_real displacement = sn_length(writer->displacement[first + i]) + writer->fall;
        if (b->hold & SN_HOLD_CENTRE) { // held nodes go where they are led
            const sn_real *to = body->driver[i].to;
            displacement = sn_max(displacement, sn_length(sn_sub(sn_v3(to[X_CX], to[X_CY], to[X_CZ]), node->c)));
        }
        if (body->base.sleep.asleep) displacement = 0, writer->displacement[first + i] = sn_v3(0, 0, 0);
        sn_real swell = sn_max(v[V_S * lanes], 0) * writer->dt * b->radius;
        writer->reach[first + i] = displacement + swell + (sn_real)0.2 * b->radius * node->s;
    }
    write_scale_compliance(j, body, packet, writer->proxies->nodes + first);
}

void sn_rod_write_proxies(void *what, const sn_proxy_writer *writer, sn_pool *pool) {
    job j = {what, writer, false};
    sn_parallel_for(pool, j.system->slots.count, 8, write_body, &j);
}

// Contacts squeeze a point to no less.
#define SMALLEST_SCALE ((sn_real)0.02)

static void acquire_body(const job *j, sn_rod_body *body, int shift) {
    const sn_rod_system *s = j->system;
    sn_packet *packet = sn_rod_packet_of(s, body);
    const int first = j->writer->first + body->first_node, lanes = s->lanes;
    const sn_node *nodes = j->writer->proxies->nodes + first;
    const sn_node_pill *pills = j->writer->proxies->pills + first;
    for (int i = 0; i < body->blocks; i++) {
        const int slot = first + i + shift;
        const sn_real *moved = j->writer->moved + 4 * slot, spin = j->writer->spin[slot];
        sn_real *x = sn_rod_at(s, body, packet->x, X_ROWS, i, 0), *xh = sn_rod_at(s, body, packet->xh, X_ROWS, i, 0);
        sn_real *x0 = sn_rod_at(s, body, packet->x0, X_ROWS, i, 0);
        const sn_real mass = *sn_rod_at(s, body, packet->param, P_ROWS, i, P_MASS);
        for (int r = X_CX; r <= X_CZ; r++) {
            sn_real d = moved[r - X_CX];
            if (d == 0) continue;
            x[r * lanes] += d;
            xh[r * lanes] += d;
            packet->measured = false;
            // the start stays a good state to go back to, whatever contacts come to
            if (j->flag && sn_finite(x0[r * lanes] + d)) x0[r * lanes] += d;
            if (!j->flag) packet->mass_displacement[(r - X_CX) * lanes + body->lane] += mass * d;
        }
        if (j->flag) continue;
        sn_real ds = sn_max(moved[3], SMALLEST_SCALE - x[X_S * lanes]);
        if (moved[3] != 0) {
            packet->measured = false;
            x[X_S * lanes] = sn_max(x[X_S * lanes] + ds, SMALLEST_SCALE); // of a large one the difference rounds
            xh[X_S * lanes] += ds / (nodes[i].ws * *sn_rod_at(s, body, packet->param, P_ROWS, i, P_MASS_S));
        }
        if (pills[i].a < 0 || spin == 0) continue;
        packet->measured = false;
        sn_vec3 half = sn_mul((sn_real)0.5 * spin, pills[i].axis);
        sn_quat rotation = {half.x, half.y, half.z, 1};
        for (int k = 0; k < 2; k++) {
            sn_real *y = k ? xh : x;
            sn_quat q = {y[X_QX * lanes], y[X_QY * lanes], y[X_QZ * lanes], y[X_QW * lanes]};
            q = sn_q_normalize(sn_q_mul(rotation, q));
            y[X_QX * lanes] = q.x, y[X_QY * lanes] = q.y, y[X_QZ * lanes] = q.z, y[X_QW * lanes] = q.w;
        }
    }
}

// A packet within a step; sleepers stay as they were shown at its start.
static void write_packet(void *context, int place, int worker) {
    (void)worker;
    const job *j = context;
    const sn_rod_system *s = j->system;
    const sn_rod_group *group = &s->groups[s->places[place].group];
    const int *occupant = group->occupant + s->places[place].packet * s->lanes;
    int32_t first[SN_LANES_MAX];
    bool any = false;
    const sn_packet *packet = &group->packets[s->places[place].packet];
    const sn_rod_coupled *c = &packet->coupled; // in the common solve: the state there, of who takes part
    for (int lane = 0; lane < s->lanes; lane++) {
        const sn_rod_body *body = occupant[lane] >= 0 ? sn_rod_in(s, occupant[lane]) : NULL;
        const bool shown = body && !body->base.sleep.asleep && !(c->any && c->first[lane] < 0);
        first[lane] = shown ? j->writer->first + body->first_node : -1;
        any = any || shown;
    }
    if (any) s->kernels->update_nodes(packet, c->any ? c->x : packet->x, first, j->writer->proxies, !j->flag);
}

static void acquire_slot(void *context, int slot, int worker) {
    (void)worker;
    const job *j = context;
    sn_rod_body *body = sn_rod_in(j->system, slot);
    const int shift = j->writer->shift[j->writer->first_body + slot];
    if (body && !body->base.sleep.asleep && shift != INT32_MIN) acquire_body(j, body, shift);
}

void sn_rod_update_proxies(void *what, const sn_proxy_writer *writer, sn_pool *pool, bool start) {
    job j = {what, writer, start};
    sn_parallel_for(pool, j.system->place_count, 1, write_packet, &j);
}

void sn_rod_apply(void *what, const sn_proxy_writer *writer, sn_pool *pool, bool shift) {
    job j = {what, writer, shift};
    sn_parallel_for(pool, j.system->slots.count, 8, acquire_slot, &j);
}

// ---- self-contact

size_t sn_rod_collide_table_size(int blocks) {
    return ((size_t)blocks * (size_t)blocks + 31) / 32;
}

// Above this a body has no table of its segments' rest distances; the way along the rod stands in for it.
enum { MAX_TABLED = 1024 };

static sn_pill rest_pill(const sn_rod_body *body, int i) {
    const sn_rod_block *a = &body->block[body->parent[i]], *b = &body->block[i];
    return (sn_pill){a->rest, b->rest, a->radius, b->radius};
}

// Segments may touch if at rest there is room between them, half the smaller radius: those nearer are held apart by the
// rod itself.
static bool are_separate(const sn_rod_body *body, int i, int j) {
    sn_pill a = rest_pill(body, i), b = rest_pill(body, j);
    sn_contact_point contact = sn_pill_pill(&a, &b);
    return contact.distance > (sn_real)0.5 * sn_min(sn_min(a.ra, a.rb), sn_min(b.ra, b.rb));
}

// The way along the body from segment i to segment j, given up beyond 'most'.
static sn_real path_length(const sn_rod_body *body, int i, int j, sn_real max) {
    sn_real displacement = 0;
    while (i != j && displacement <= max) {
        int *later = i > j ? &i : &j; // parents come first, so the later block cannot be an ancestor of the other
        displacement += body->block[*later].length;
        *later = body->parent[*later];
        if (*later <= 0) break;
    }
    return displacement;
}

bool sn_rod_self_collides(void *what, int slot, int a, int b) {
    const sn_rod_system *s = what;
    const sn_rod_body *body = sn_rod_in(s, slot);
    int i = a - body->first_node, j = b - body->first_node;
    if (body->may_self_collide) {
        size_t bit = (size_t)i * (size_t)body->blocks + (size_t)j;
        return body->may_self_collide[bit / 32] >> (bit % 32) & 1;
    }
    sn_real near = 2 * (body->block[i].radius + body->block[j].radius);
    return path_length(body, i, j, near) > near && are_separate(body, i, j);
}

sn_status sn_rod_set_contact(sn_rod_system *s, sn_rod_body *body, const sn_contact_settings *settings) {
    if (settings->self_collide && !body->may_self_collide && body->blocks <= MAX_TABLED) {
        uint32_t *may_self_collide =
            sn_alloc(s->memory, sn_rod_collide_table_size(body->blocks), sizeof *may_self_collide);
        if (!may_self_collide) return SN_ERR_MEMORY;
        for (int i = 0; i < body->blocks; i++)
            for (int j = i + 1; j < body->blocks; j++) {
                if (!(body->block[i].length > 0) || !(body->block[j].length > 0) || !are_separate(body, i, j)) continue;
                size_t ij = (size_t)i * (size_t)body->blocks + (size_t)j,
                       ji = (size_t)j * (size_t)body->blocks + (size_t)i;
                may_self_collide[ij / 32] |= 1u << (ij % 32);
                may_self_collide[ji / 32] |= 1u << (ji % 32);
            }
        body->may_self_collide = may_self_collide;
    }
    const uint32_t family = body->base.contact.family; // the bundle's to change
    body->base.contact = *settings;
    body->base.contact.family = family;
    return SN_OK;
}

// ---- rest

void sn_rod_normalised_speeds(void *what, sn_real gravity, sn_real *out) {
    const sn_rod_system *s = what;
    for (int k = 0; k < s->slots.count; k++) {
        const sn_rod_body *body = sn_rod_in(s, k);
        out[k] = 0;
        if (!body || body->base.sleep.asleep) continue;
        const sn_packet *packet = sn_rod_packet_of(s, body);
        sn_real energy = 0, mass = 0, radius = 0;
        for (int i = 0; i < body->blocks; i++) {
            const sn_real *v = sn_rod_at(s, body, packet->v, V_ROWS, i, V_CX);
            sn_real m = body->block[i].mass, x = v[0], y = v[s->lanes], z = v[2 * s->lanes];
            energy += m * (x * x + y * y + z * z);
            mass += m;
            radius += m * body->block[i].radius;
        }
        out[k] = mass > 0 && gravity > 0 ? sn_sqrt(energy / (gravity * radius)) : 1;
    }
}
