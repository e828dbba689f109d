// Proxies of mass-spring bodies: a node per point, with the body's radius; a slab per triangle; without triangles, a
// pill per spring (spring_model.c). Nodes keep their size, and pills do not rotate.
#include "kinds/spring/spring_system.h"

int sn_springs_count_nodes(void *what, int *colliding) {
    sn_springs_system *s = what;
    int nodes = 0;
    *colliding = 0;
    for (int i = 0; i < s->slots.count; i++) {
        sn_springs_body *b = sn_springs_in(s, i);
        if (!b) continue;
        b->first_node = nodes, nodes += b->body->count;
        *colliding +=
            b->base.contact.collide ? 1 + b->base.contact.self_collide : 0; // one body with self-contact is enough
    }
    return nodes;
}

int sn_springs_count_slabs(void *what) {
    sn_springs_system *s = what;
    int slabs = 0;
    for (int i = 0; i < s->slots.count; i++) {
        sn_springs_body *b = sn_springs_in(s, i);
        if (b) b->first_slab = slabs, slabs += b->triangle_count;
    }
    return slabs;
}

typedef struct {
    const sn_springs_system *system;
    const sn_proxy_writer *writer;
    bool flag; // start, or shift
} job;

// How far a point may move in the step: its speed, plus a change of it like the last one. A diverging body, as explicit
// integrators can produce, must not form pairs with everything: the reach is limited to the body's size plus a metre.
static sn_real reach_of(const sn_springs_body *b, const sn_proxy_writer *writer, int i) {
    const sn_spring_body *body = b->body;
    const sn_real margin = (sn_real)0.05 * b->radius;
    if (b->base.sleep.asleep) return margin;
    if (!(body->inverse[i] > 0)) return margin + sn_length(sn_sub(b->to[i], sn_spring_point(body, i)));
    const sn_real speed = sn_length(sn_spring_velocity(body, i)) + sn_length(sn_spring_quad(body->gain, i));
    return margin + sn_min(speed * writer->dt + writer->fall, b->extent + 1);
}

static void write_body(void *context, int slot, int worker) {
    const job *j = context;
    const sn_proxy_writer *writer = j->writer;
    const sn_springs_body *b = sn_springs_in(j->system, slot);
    sn_contact_settings *settings = &writer->settings[writer->first_body + slot];
    (void)worker;
    *settings = (sn_contact_settings){.asleep = true};
    if (!b) return;
    *settings = b->base.contact;
    settings->asleep = b->base.sleep.asleep;
    const int first = writer->first + b->first_node, number = writer->first_body + slot;
    for (int i = 0; i < b->body->count; i++) {
        sn_node *node = &writer->proxies->nodes[first + i];
        sn_node_pill *pill = &writer->proxies->pills[first + i];
        *node = (sn_node){.c = sn_spring_point(b->body, i), .s = 1, .s0 = 1, .radius = b->radius};
        node->c0 = node->c;
        node->w = b->base.sleep.asleep ? 0 : b->body->inverse[i];
        *pill = (sn_node_pill){.a = -1, .b = -1, .body = number, .surface = number};
        pill->held = !(b->body->inverse[i] > 0);
        if (b->pill_from[i] >= 0) {
            pill->a = first + b->pill_from[i], pill->b = first + i;
            const sn_vec3 along = sn_sub(node->c, sn_spring_point(b->body, b->pill_from[i]));
            pill->axis = sn_normalize(along, sn_v3(0, 0, 1));
        }
        writer->reach[first + i] = reach_of(b, writer, i);
        if (!b->base.sleep.asleep && b->body->inverse[i] > 0)
            writer->displacement[first + i] = sn_mul(writer->dt, sn_spring_velocity(b->body, i));
    }
    for (int t = 0; t < b->triangle_count; t++) {
        sn_node_slab *slab = &writer->proxies->slabs[writer->first_slab + b->first_slab + t];
        *slab = (sn_node_slab){.body = number, .surface = number, .owns = b->owns[t]};
        for (int k = 0; k < 3; k++) slab->node[k] = first + b->triangles[t][k];
    }
}

void sn_springs_write_proxies(void *what, const sn_proxy_writer *writer, sn_pool *pool) {
    job j = {what, writer, false};
    sn_parallel_for(pool, j.system->slots.count, 1, write_body, &j);
}

// Updates proxies within a step; those of sleeping bodies stay as written at its start. Before the integrator's step,
// nodes are where points would move without springs.
static void write_now(void *context, int slot, int worker) {
    const job *j = context;
    const sn_springs_body *b = sn_springs_in(j->system, slot);
    (void)worker;
    if (!b || b->base.sleep.asleep) return;
    const sn_spring_body *body = b->body;
    sn_node *nodes = j->writer->proxies->nodes + j->writer->first + b->first_node;
    sn_node_pill *pills = j->writer->proxies->pills + j->writer->first + b->first_node;
    const sn_real h = j->writer->h;
    for (int i = 0; i < body->count; i++) {
        sn_vec3 c = sn_spring_point(body, i);
        if (!b->moved) {
            const sn_vec3 fall = body->inverse[i] > 0 ? sn_mul(h, body->gravity) : sn_v3(0, 0, 0);
            c = sn_mul_add(c, h, sn_add(sn_spring_velocity(body, i), fall));
        }
        nodes[i].c = c;
        if (j->flag) nodes[i].c0 = sn_spring_quad(b->start, i);
    }
    for (int i = 0; i < body->count; i++)
        if (b->pill_from[i] >= 0)
            pills[i].axis = sn_normalize(sn_sub(nodes[i].c, nodes[b->pill_from[i]].c), pills[i].axis);
}

void sn_springs_update_proxies(void *what, const sn_proxy_writer *writer, sn_pool *pool, bool start) {
    job j = {what, writer, start};
    sn_parallel_for(pool, j.system->slots.count, 1, write_now, &j);
}

static void apply_body(void *context, int slot, int worker) {
    const job *j = context;
    const sn_springs_body *b = sn_springs_in(j->system, slot);
    const int shift = j->writer->shift[j->writer->first_body + slot];
    (void)worker;
    if (!b || b->base.sleep.asleep || shift == INT32_MIN || (b->coupled && !j->flag)) return;
    const sn_spring_body *body = b->body;
    const sn_real rate = 1 / j->writer->h;
    for (int i = 0; i < body->count; i++) {
        const sn_real *moved = j->writer->moved + 4 * (size_t)(j->writer->first + b->first_node + i + shift);
        const sn_vec3 d = {moved[0], moved[1], moved[2]};
        if (d.x == 0 && d.y == 0 && d.z == 0) continue;
        sn_spring_add_quad(body->x, i, d);
        if (j->flag) { // the start stays finite, whatever contacts do, to return to
            if (sn_finite3(sn_add(sn_spring_quad(b->start, i), d))) sn_spring_add_quad(b->start, i, d);
            continue;
        }
        sn_spring_add_quad(body->v, i, sn_mul(rate, d));
        sn_spring_add_quad(body->displacement, i, d);
        sn_spring_add_quad(b->target, i, sn_mul(rate, d));
    }
}

void sn_springs_apply(void *what, const sn_proxy_writer *writer, sn_pool *pool, bool shift) {
    job j = {what, writer, shift};
    sn_parallel_for(pool, j.system->slots.count, 1, apply_body, &j);
}

// ---- self-contact

// The points of an element: a pill, or ~ the index of a slab.
static int points_of(const sn_springs_body *b, int element, int out[3]) {
    if (element < 0) {
        const int *corner = b->triangles[~element - b->first_slab];
        for (int k = 0; k < 3; k++) out[k] = corner[k];
        return 3;
    }
    out[0] = b->pill_from[element - b->first_node], out[1] = element - b->first_node;
    return 2;
}

// Whether two elements may collide: their points have a gap in the body's original shape. Springs keep closer ones
// apart.
bool sn_springs_self_collides(void *what, int slot, int x, int y) {
    const sn_springs_system *s = what;
    const sn_springs_body *b = sn_springs_in(s, slot);
    const sn_real near = 3 * b->radius;
    int of_x[3], of_y[3];
    const int nx = points_of(b, x, of_x), ny = points_of(b, y, of_y);
    for (int i = 0; i < nx; i++)
        for (int k = 0; k < ny; k++)
            if (sn_length2(sn_sub(b->home[of_x[i]], b->home[of_y[k]])) < near * near) return false;
    return true;
}

// ---- rest

sn_real sn_springs_normalised_speed(const sn_springs_body *b, sn_real gravity) {
    sn_real energy = 0, mass = 0;
    if (b->base.sleep.asleep) return 0;
    for (int i = 0; i < b->body->count; i++) {
        energy += b->body->mass[i] * sn_length2(sn_spring_velocity(b->body, i));
        mass += b->body->mass[i];
    }
    return mass > 0 && gravity > 0 ? sn_sqrt(energy / (gravity * mass * b->radius)) : 1;
}

void sn_springs_normalised_speeds(void *what, sn_real gravity, sn_real *out) {
    const sn_springs_system *s = what;
    for (int i = 0; i < s->slots.count; i++)
        out[i] = sn_springs_in(s, i) ? sn_springs_normalised_speed(sn_springs_in(s, i), gravity) : 0;
}
