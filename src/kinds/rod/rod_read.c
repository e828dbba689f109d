// Reading one rod: the rows of the kind's table that are about one body.
#include "kinds/rod/rod_body.h"
#include <math.h>

// Three rows of each point: centres and velocities are the first three rows of their arrays.
static int get_vectors(const sn_rod_system *s, const sn_rod_body *body, sn_real *array, int rows, sn_vec3 *out,
                       int capacity) {
    for (int i = 0; out && i < body->points && i < capacity; i++) {
        const sn_real *x = sn_rod_at(s, body, array, rows, body->block_of_point[i], 0);
        out[i] = sn_v3(x[0], x[s->lanes], x[2 * s->lanes]);
    }
    return body->points;
}

int sn_rod_get_points(void *what, int slot, sn_vec3 *out, int capacity) {
    const sn_rod_system *s = what;
    const sn_rod_body *body = sn_rod_in(s, slot);
    return get_vectors(s, body, sn_rod_packet_of(s, body)->x, X_ROWS, out, capacity);
}

int sn_rod_get_velocities(void *what, int slot, sn_vec3 *out, int capacity) {
    const sn_rod_system *s = what;
    const sn_rod_body *body = sn_rod_in(s, slot);
    return get_vectors(s, body, sn_rod_packet_of(s, body)->v, V_ROWS, out, capacity);
}

int sn_rod_get_masses(void *what, int slot, sn_real *out, int capacity) {
    const sn_rod_body *body = sn_rod_in(what, slot);
    for (int i = 0; out && i < body->points && i < capacity; i++) out[i] = body->block[body->block_of_point[i]].mass;
    return body->points;
}

double sn_rod_mass(void *what, int slot) {
    const sn_rod_body *body = sn_rod_in(what, slot);
    double mass = 0;
    for (int i = 0; i < body->points; i++) mass += (double)body->block[body->block_of_point[i]].mass;
    return mass;
}

// Adds up a segment's share: its length, and its volume with the cross-section in its middle.
void sn_rod_add_up(const sn_rod_system *s, const sn_rod_body *body, double *length, double *volume) {
    *length = *volume = 0;
    for (int i = 0; i < body->blocks; i++) {
        int p = body->parent[i];
        sn_real a[X_ROWS], b[X_ROWS], *x = sn_rod_packet_of(s, body)->x;
        if (p < 0 || body->block[i].ghost) continue;
        sn_rod_get(s, body, x, X_ROWS, i, a);
        sn_rod_get(s, body, x, X_ROWS, p, b);
        double d[3] = {(double)a[0] - (double)b[0], (double)a[1] - (double)b[1], (double)a[2] - (double)b[2]};
        double l = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        double r = 0.5 * ((double)body->block[i].radius + (double)body->block[p].radius) * 0.5 *
                   ((double)a[X_S] + (double)b[X_S]);
        *length += l;
        *volume += (double)SN_PI * r * r * l;
    }
}

double sn_rod_volume(void *what, int slot, bool at_rest) {
    const sn_rod_system *s = what;
    const sn_rod_body *body = sn_rod_in(s, slot);
    double length, volume;
    if (at_rest) return (double)body->rest_volume;
    sn_rod_add_up(s, body, &length, &volume);
    for (int i = 0; i < body->blocks && body->end_caps; i++) {
        if (!(body->block[i].cap_inertia > 0)) continue;
        const double r =
            (double)body->block[i].radius * (double)*sn_rod_at(s, body, sn_rod_packet_of(s, body)->x, X_ROWS, i, X_S);
        volume += 2.0 / 3 * (double)SN_PI * r * r * r;
    }
    return volume;
}

sn_box3 sn_rod_bounds(void *what, int slot) {
    const sn_rod_system *s = what;
    const sn_rod_body *body = sn_rod_in(s, slot);
    const sn_real far = (sn_real)1e30;
    sn_box3 box = {sn_v3(far, far, far), sn_v3(-far, -far, -far)};
    for (int i = 0; i < body->points; i++) {
        sn_real x[X_ROWS];
        const int block = body->block_of_point[i];
        sn_rod_get(s, body, sn_rod_packet_of(s, body)->x, X_ROWS, block, x);
        sn_box3_add(&box, sn_v3(x[X_CX], x[X_CY], x[X_CZ]), x[X_S] * body->block[block].radius);
    }
    return box;
}

// ---- contacts

int sn_rod_segment_of(void *what, int slot, int pill) {
    const sn_rod_body *body = sn_rod_in(what, slot);
    for (int i = 0; i < body->points; i++)
        if (body->block_of_point[i] == pill - body->first_node) return i;
    return -1;
}

int sn_rod_node_range(void *what, int slot, int *first) {
    *first = sn_rod_in(what, slot)->first_node;
    return sn_rod_in(what, slot)->blocks;
}

void sn_rod_set_contact_radii(void *what, int slot, const sn_real *radii) {
    sn_rod_body *body = sn_rod_in(what, slot);
    for (int i = 0; i < body->blocks; i++) body->block[i].contact_radius = radii ? radii[i] : body->block[i].radius;
}

// ---- joints

static bool has_segment(const sn_rod_body *body, int segment) {
    return segment >= 0 && segment < body->points && body->parent[body->block_of_point[segment]] >= 0;
}

int sn_rod_check_attachment(void *what, int slot, const sn_attachment *at, const sn_attachment_fields *fields,
                            const sn_log *log) {
    int errors = 0;
    if (!has_segment(sn_rod_in(what, slot), at->segment))
        errors += sn_def_error(log, fields->segment, "the rod has no such segment");
    if (!(at->along >= 0 && at->along <= 1)) errors += sn_def_error(log, fields->along, "must be from 0 to 1");
    return errors;
}

bool sn_rod_attachment_pill(void *what, int slot, const sn_attachment *at, sn_attachment_pill *out) {
    const sn_rod_body *body = sn_rod_in(what, slot);
    if (!has_segment(body, at->segment)) return false;
    *out = (sn_attachment_pill){.pill = body->first_node + body->block_of_point[at->segment], .along = at->along};
    sn_rod_end_compliance(body, body->block_of_point[at->segment], at->along, &out->bend, &out->twist);
    return true;
}

sn_attachment_state sn_rod_attachment_state(void *what, int slot, const sn_attachment *at, bool start) {
    const sn_rod_system *s = what;
    const sn_rod_body *body = sn_rod_in(s, slot);
    const sn_packet *packet = sn_rod_packet_of(s, body);
    const int block = body->block_of_point[at->segment];
    sn_real x[X_ROWS], y[X_ROWS];
    sn_real *from = start && !body->base.sleep.asleep ? packet->x0 : packet->x; // a sleeper started nothing
    sn_rod_get(s, body, from, X_ROWS, body->parent[block], x);
    sn_rod_get(s, body, from, X_ROWS, block, y);
    const sn_vec3 a = sn_v3(x[X_CX], x[X_CY], x[X_CZ]), b = sn_v3(y[X_CX], y[X_CY], y[X_CZ]);
    const sn_quat frame = {y[X_QX], y[X_QY], y[X_QZ], y[X_QW]};
    if (start) return (sn_attachment_state){sn_lerp(a, b, at->along), frame};
    const sn_vec3 along = sn_normalize(sn_sub(b, a), sn_q_axis_z(frame));
    return (sn_attachment_state){sn_lerp(a, b, at->along), sn_q_align_z(frame, along)};
}
