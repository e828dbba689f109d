// Mass-spring bodies as contacts see them: a node a point, with the body's radius; a slab a triangle; and where there
// are no triangles, a pill a spring (model.c). Nodes keep their size, and pills do not turn.
#include "kinds/spring/spring_system.h"

int sn_springs_count_nodes(void *what, int *bodies, int *touching) {
    sn_springs_system *s = what;
    int nodes = 0;
    *touching = 0;
    for (int i = 0; i < s->slots.count; i++) {
        sn_springs_body *b = sn_springs_in(s, i);
        if (!b) continue;
        b->first_node = nodes, nodes += b->body->count;
        *touching += b->touching.touches ? 1 + b->touching.self : 0; // one that touches itself is enough
    }
    *bodies = s->slots.count;
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
    const sn_show *show;
    bool flag; // start, or shift
} job;

// How far a point may go in the step: with its speed, and a change of it like the last one. A body that flies apart, as
// explicit integrators let it, must not make pairs of everything: beyond its own size and a metre nothing is looked
// for.
static sn_real reach_of(const sn_springs_body *b, const sn_show *show, int i) {
    const sn_spring_body *body = b->body;
    const sn_real margin = (sn_real)0.05 * b->radius;
    if (b->rest.asleep) return margin;
    if (!(body->inverse[i] > 0)) return margin + sn_length(sn_sub(b->to[i], sn_spring_point(body, i)));
    const sn_real speed = sn_length(sn_spring_velocity(body, i)) + sn_length(sn_spring_quad(body->gain, i));
    return margin + sn_min(speed * show->dt + show->fall, b->extent + 1);
}

static void show_whole(void *context, int slot, int worker) {
    const job *j = context;
    const sn_show *show = j->show;
    const sn_springs_body *b = sn_springs_in(j->system, slot);
    sn_touching *touching = &show->touching[show->first_body + slot];
    (void)worker;
    *touching = (sn_touching){.asleep = true};
    if (!b) return;
    *touching = b->touching;
    touching->asleep = b->rest.asleep;
    const int first = show->first + b->first_node, number = show->first_body + slot;
    for (int i = 0; i < b->body->count; i++) {
        sn_node *node = &show->proxies->nodes[first + i];
        sn_node_pill *pill = &show->proxies->pills[first + i];
        *node = (sn_node){.c = sn_spring_point(b->body, i), .s = 1, .s0 = 1, .radius = b->radius};
        node->c0 = node->c;
        node->w = b->rest.asleep ? 0 : b->body->inverse[i];
        *pill = (sn_node_pill){.a = -1, .b = -1, .body = number, .surface = number};
        if (b->pill_from[i] >= 0) {
            pill->a = first + b->pill_from[i], pill->b = first + i;
            const sn_vec3 along = sn_sub(node->c, sn_spring_point(b->body, b->pill_from[i]));
            pill->axis = sn_normalize(along, sn_v3(0, 0, 1));
        }
        show->reach[first + i] = reach_of(b, show, i);
        if (!b->rest.asleep && b->body->inverse[i] > 0)
            show->way[first + i] = sn_mul(show->dt, sn_spring_velocity(b->body, i));
    }
    for (int t = 0; t < b->triangle_count; t++) {
        sn_node_slab *slab = &show->proxies->slabs[show->first_slab + b->first_slab + t];
        *slab = (sn_node_slab){.body = number, .surface = number, .owns = b->owns[t]};
        for (int k = 0; k < 3; k++) slab->node[k] = first + b->triangles[t][k];
    }
}

void sn_springs_show(void *what, const sn_show *show, sn_pool *pool) {
    job j = {what, show, false};
    sn_parallel_for(pool, j.system->slots.count, 1, show_whole, &j);
}

// Within a step; sleepers stay as they were shown at its start. Before the integrator's step points are shown where
// they would get without springs.
static void show_now(void *context, int slot, int worker) {
    const job *j = context;
    const sn_springs_body *b = sn_springs_in(j->system, slot);
    (void)worker;
    if (!b || b->rest.asleep) return;
    const sn_spring_body *body = b->body;
    sn_node *nodes = j->show->proxies->nodes + j->show->first + b->first_node;
    sn_node_pill *pills = j->show->proxies->pills + j->show->first + b->first_node;
    const sn_real h = j->show->h;
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

void sn_springs_show_motion(void *what, const sn_show *show, sn_pool *pool, bool start) {
    job j = {what, show, start};
    sn_parallel_for(pool, j.system->slots.count, 1, show_now, &j);
}

static void take_slot(void *context, int slot, int worker) {
    const job *j = context;
    const sn_springs_body *b = sn_springs_in(j->system, slot);
    const int shift = j->show->shift[j->show->first_body + slot];
    (void)worker;
    if (!b || b->rest.asleep || shift == INT32_MIN) return;
    const sn_spring_body *body = b->body;
    const sn_real rate = 1 / j->show->h;
    for (int i = 0; i < body->count; i++) {
        const sn_real *moved = j->show->moved + 4 * (size_t)(j->show->first + b->first_node + i + shift);
        const sn_vec3 d = {moved[0], moved[1], moved[2]};
        if (d.x == 0 && d.y == 0 && d.z == 0) continue;
        sn_spring_add_quad(body->x, i, d);
        if (j->flag) { // the start stays a good state to go back to, whatever contacts come to
            if (sn_finite3(sn_add(sn_spring_quad(b->start, i), d))) sn_spring_add_quad(b->start, i, d);
            continue;
        }
        sn_spring_add_quad(body->v, i, sn_mul(rate, d));
        sn_spring_add_quad(body->way, i, d);
        sn_spring_add_quad(b->wish, i, sn_mul(rate, d));
    }
}

void sn_springs_take(void *what, const sn_show *show, sn_pool *pool, bool shift) {
    job j = {what, show, shift};
    sn_parallel_for(pool, j.system->slots.count, 1, take_slot, &j);
}

// ---- self-contact

// The points of an element: a pill, or a slab under ~ its number.
static int points_of(const sn_springs_body *b, int element, int out[3]) {
    if (element < 0) {
        const int *corner = b->triangles[~element - b->first_slab];
        for (int k = 0; k < 3; k++) out[k] = corner[k];
        return 3;
    }
    out[0] = b->pill_from[element - b->first_node], out[1] = element - b->first_node;
    return 2;
}

// Elements may touch if there is room between their points in the shape that the body was made in: those nearer are
// held apart by their springs.
bool sn_springs_self(void *what, int slot, int x, int y) {
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

int sn_springs_find_slot(void *what, uint32_t slot1, uint32_t gen) {
    return sn_springs_find(what, (sn_springs){slot1, gen}) ? (int)slot1 - 1 : -1;
}

int sn_springs_points(void *what, int slot) {
    const sn_springs_system *s = what;
    return sn_springs_in(s, slot)->body->count;
}

sn_vec3 sn_springs_point_at(void *what, int slot, int point) {
    const sn_springs_system *s = what;
    return sn_spring_point(sn_springs_in(s, slot)->body, point);
}

int sn_springs_point_node(void *what, int slot, int point) {
    const sn_springs_system *s = what;
    return sn_springs_in(s, slot)->first_node + point;
}

sn_rest *sn_springs_rest(void *what, int slot) {
    const sn_springs_system *s = what;
    return sn_springs_in(s, slot) ? &sn_springs_in(s, slot)->rest : NULL;
}

sn_real sn_springs_pace_of(const sn_springs_body *b, sn_real gravity) {
    sn_real energy = 0, mass = 0;
    if (b->rest.asleep) return 0;
    for (int i = 0; i < b->body->count; i++) {
        energy += b->body->mass[i] * sn_length2(sn_spring_velocity(b->body, i));
        mass += b->body->mass[i];
    }
    return mass > 0 && gravity > 0 ? sn_sqrt(energy / (gravity * mass * b->radius)) : 1;
}

void sn_springs_pace(void *what, sn_real gravity, sn_real *out) {
    const sn_springs_system *s = what;
    for (int i = 0; i < s->slots.count; i++)
        out[i] = sn_springs_in(s, i) ? sn_springs_pace_of(sn_springs_in(s, i), gravity) : 0;
}
