// Dynamic rigid bodies as contacts see them: the nodes, pills and slabs of rigid_solid.c where the body is. Their contacts have nodes of
// their own (base/solve.h), so pills here have no spin that contacts could turn.
//
// 'spin' and the axis of the frame's pill tell joints and contacts how the body has rotated in the substep: by the smallest rotation
// from the old axis to the new one, then about the new one; spin is 2 sin(f/2) cos(b/2) of the angles of both (geometry/proxy.h).
#include "base/math/double3.h"
#include "geometry/pill.h"
#include "geometry/proxy.h"
#include "kinds/rigid/rigid.h"
#include <math.h>

int sn_rigid_count_nodes(void *what, int *colliding) {
    const sn_rigid_system *s = what;
    int nodes = 0;
    *colliding = 0;
    for (int i = 0; i < s->slots.count && s->dynamic_count > 0; i++) {
        sn_rigid_dynamic *d = sn_rigid_dynamic_in(s, i);
        if (!d) continue;
        d->first_node = nodes, nodes += d->solid.node_count;
        *colliding += sn_rigid_in(s, i)->base.contact.collide;
    }
    return nodes;
}

int sn_rigid_count_slabs(void *what) {
    const sn_rigid_system *s = what;
    int slabs = 0;
    for (int i = 0; i < s->slots.count && s->dynamic_count > 0; i++) {
        sn_rigid_dynamic *d = sn_rigid_dynamic_in(s, i);
        if (d) d->first_slab = slabs, slabs += d->solid.slab_count;
    }
    return slabs;
}

#define THICKNESS ((sn_real)0.5) // the rounding of a box is no measure of how far it may go in a substep

typedef struct {
    const sn_rigid_system *system;
    const sn_proxy_writer *writer;
    bool start;
} job;

// Where a node is; 'low' is what rounding leaves.
static sn_vec3 node_place(const sn_rigid_dynamic *d, const sn_rigid_state *s, int i, sn_vec3 *low) {
    const sn_vec3 n = d->solid.node[i];
    const double local[3] = {(double)n.x, (double)n.y, (double)n.z};
    double p[3];
    sn_rigid_rotate(s->rotation, local, p);
    for (int k = 0; k < 3; k++) p[k] += s->place[k];
    const sn_vec3 c = {sn_round(p[0], &low->x), sn_round(p[1], &low->y), sn_round(p[2], &low->z)};
    return c;
}

static sn_vec3 body_axis(const sn_rigid_state *s) {
    double z[3];
    sn_rigid_rotate(s->rotation, (const double[3]){0, 0, 1}, z);
    return sn_v3((sn_real)z[0], (sn_real)z[1], (sn_real)z[2]);
}

// Of a node in the step: its velocity times dt, and how much farther it may come.
static sn_vec3 displacement_of(const sn_rigid_dynamic *d, const double w[3], const sn_proxy_writer *writer,
                               sn_vec3 from_centre, sn_real *reach) {
    const double r[3] = {(double)from_centre.x, (double)from_centre.y, (double)from_centre.z}, dt = (double)writer->dt;
    const double *v = d->now.velocity, w2 = d3_dot(w, w);
    double across[3];
    d3_cross(w, r, across);
    const sn_vec3 out = {(sn_real)(dt * (v[0] + across[0])), (sn_real)(dt * (v[1] + across[1])),
                         (sn_real)(dt * (v[2] + across[2]))};
    const double arc = fmin(0.5 * w2 * dt * dt, 2) * sqrt(d3_dot(r, r));
    *reach =
        sn_length(out) + writer->fall + (sn_real)arc + (sn_real)0.2 * d->solid.radius[0] + (sn_real)0.01 * d->thickness;
    return out;
}

static void write_nodes(const job *j, const sn_rigid_body *body, int number) {
    const sn_rigid_dynamic *d = body->dynamic;
    const sn_proxy_writer *writer = j->writer;
    const bool asleep = body->base.sleep.asleep;
    const int first = writer->first + d->first_node;
    const sn_vec3 axis = body_axis(&d->now);
    double w[3];
    sn_rigid_angular_velocity(d, &d->now, w);
    for (int i = 0; i < d->solid.node_count; i++) {
        sn_node *node = &writer->proxies->nodes[first + i];
        sn_node_pill *pill = &writer->proxies->pills[first + i];
        *node = (sn_node){.s = 1, .s0 = 1, .radius = d->solid.radius[i]};
        node->c = node->c0 = node_place(d, &d->now, i, &node->low);
        node->w = asleep ? 0 : (sn_real)((double)d->solid.node_count / d->mass.mass);
        node->contact_disabled = i < SN_RIGID_FRAME_NODES;
        *pill = (sn_node_pill){.a = -1, .b = -1, .body = number, .surface = number, .low0 = node->low};
        if (d->solid.pill_from[i] >= 0) {
            pill->a = first + d->solid.pill_from[i], pill->b = first + i;
            const sn_vec3 along = sn_sub(node->c, writer->proxies->nodes[pill->a].c);
            pill->axis = i < SN_RIGID_FRAME_NODES ? axis : sn_normalize(along, axis);
        }
        sn_real reach;
        const sn_vec3 from_centre = sn_sub(node->c, writer->proxies->nodes[first].c);
        const sn_vec3 moves = displacement_of(d, w, writer, from_centre, &reach);
        writer->displacement[first + i] = asleep ? sn_v3(0, 0, 0) : moves;
        writer->reach[first + i] = asleep ? (sn_real)0.05 * d->solid.radius[i] : reach;
    }
}

static void write_body(void *context, int slot, int worker) {
    (void)worker;
    const job *j = context;
    const sn_proxy_writer *writer = j->writer;
    const sn_rigid_body *body = sn_rigid_in(j->system, slot);
    const int number = writer->first_body + slot;
    sn_contact_settings *settings = &writer->settings[number];
    *settings = (sn_contact_settings){.asleep = true};
    if (!body || !body->dynamic) return;
    const sn_rigid_dynamic *d = body->dynamic;
    *settings = body->base.contact;
    settings->asleep = body->base.sleep.asleep;
    writer->thickness[number] = THICKNESS * d->thickness;
    write_nodes(j, body, number);
    for (int t = 0; t < d->solid.slab_count; t++) {
        sn_node_slab *slab = &writer->proxies->slabs[writer->first_slab + d->first_slab + t];
        const int first = writer->first_slab + d->first_slab, node = writer->first + d->first_node;
        *slab = (sn_node_slab){.body = number,
                               .surface = number,
                               .owns = d->solid.owns[t],
                               .solid_first = first + d->solid.slab_first[t],
                               .solid_end = first + d->solid.slab_end[t],
                               .core = node + d->solid.core[t],
                               .under = d->solid.under[t]};
        for (int k = 0; k < 3; k++) slab->node[k] = writer->first + d->first_node + d->solid.slab[t][k];
    }
}

void sn_rigid_write_proxies(void *what, const sn_proxy_writer *writer, sn_pool *pool) {
    job j = {what, writer, false};
    if (j.system->dynamic_count > 0) sn_parallel_for(pool, j.system->slots.count, 8, write_body, &j);
}

// How the body has rotated about its axis since the start of the substep.
static sn_real spin_of(const sn_rigid_dynamic *d, sn_vec3 from, sn_vec3 to) {
    double twice[3], scalar;
    sn_rigid_rotation_error(d->now.rotation, d->start.rotation, twice, &scalar);
    const sn_quat whole = {(sn_real)(0.5 * twice[0]), (sn_real)(0.5 * twice[1]), (sn_real)(0.5 * twice[2]),
                           (sn_real)scalar};
    const sn_quat min = sn_q_between(from, to), about = sn_q_mul(whole, sn_q_conj(min));
    const sn_real sine = sn_dot(sn_v3(about.x, about.y, about.z), to);
    return 2 * (about.w < 0 ? -sine : sine) * min.w;
}

static void update_body(void *context, int slot, int worker) {
    (void)worker;
    const job *j = context;
    const sn_rigid_body *body = sn_rigid_in(j->system, slot);
    if (!body || !body->dynamic || body->base.sleep.asleep) return;
    const sn_rigid_dynamic *d = body->dynamic;
    const int first = j->writer->first + d->first_node;
    sn_node *nodes = j->writer->proxies->nodes + first;
    sn_node_pill *pills = j->writer->proxies->pills + first;
    const sn_vec3 axis = body_axis(&d->now);
    for (int i = 0; i < d->solid.node_count; i++) {
        nodes[i].c = node_place(d, &d->now, i, &nodes[i].low);
        if (j->start) nodes[i].c0 = node_place(d, &d->start, i, &pills[i].low0);
    }
    for (int i = 1; i < d->solid.node_count; i++) {
        if (pills[i].a < 0) continue;
        const sn_vec3 along = sn_sub(nodes[i].c, nodes[d->solid.pill_from[i]].c);
        pills[i].axis = i < SN_RIGID_FRAME_NODES ? axis : sn_normalize(along, axis);
    }
    pills[1].spin = spin_of(d, body_axis(&d->start), axis);
}

void sn_rigid_update_proxies(void *what, const sn_proxy_writer *writer, sn_pool *pool, bool start) {
    job j = {what, writer, start};
    if (j.system->dynamic_count > 0) sn_parallel_for(pool, j.system->slots.count, 8, update_body, &j);
}
