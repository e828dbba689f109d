// Contacts of rigid bodies: each moves a node of its own (base/solve.h), at the point of the surface
//
//     p = axis -+ r n        below side a's pill, above side b's
//
// The gap changes with the normal motion of p as with that of the axis; the slip differs by what the rotation t of the body in the
// substep makes of the rest:  slip_p = slip_axis + t x e, e = p - axis. It is the way along the surface: what rolls by an angle has
// gone an arc, not its chord. All weights of a side are of its one node, and sum to 1.
#include "base/math/trig.h"
#include "couplings/contact/contact_pack.h"

#define EACH_SIDE(b, k, side)                                                                                          \
    for (int k = 0; k < (b)->count; k++)                                                                               \
        for (int side = 0; side < (sn_form_both((b)->form) ? 2 : 1); side++)

// The number of a side's node; -1: it has none.
static int node_of(const sn_contacts *c, const sn_contact_block *b, int k, int side) {
    return b->slot[2 * side][k] - c->first_contact_node;
}

static void set_slot(const sn_contacts *c, sn_contact_block *b, int k, int side, int node) {
    b->slot[2 * side][k] = b->slot[2 * side + 1][k] = c->first_contact_node + node;
    if (sn_form_third(b->form, side)) b->third_slot[side][k] = c->first_contact_node + node;
    b->has_nodes = true;
}

bool sn_contacts_number_nodes(sn_contacts *c) {
    const size_t bodies = (size_t)c->body_count + 2;
    c->contact_node_count = 0, c->first_contact_node = c->slots;
    c->contact_node_first = sn_arena_alloc(&c->arena, bodies, sizeof *c->contact_node_first);
    c->contact_nodes = sn_arena_alloc(&c->arena, 2 * (size_t)c->row_count + 1, sizeof *c->contact_nodes);
    c->contact_node_list = sn_arena_alloc(&c->arena, 2 * (size_t)c->row_count + 1, sizeof *c->contact_node_list);
    if (!c->contact_node_first || !c->contact_nodes || !c->contact_node_list) return false;
    int32_t *first = c->contact_node_first;
    for (size_t i = 0; i < bodies; i++) first[i] = 0;
    for (int i = 0; i < c->block_count; i++) {
        sn_contact_block *b = &c->blocks[i];
        b->has_nodes = false;
        if (!c->has_contact_nodes) continue;
        EACH_SIDE(b, k, side) {
            if (!sn_has_contact_node(c, b->pill[side][k])) continue;
            const int body = sn_element_body(c, b->pill[side][k]);
            c->contact_nodes[c->contact_node_count] = (sn_contact_node){body, {0, 0, 0}};
            set_slot(c, b, k, side, c->contact_node_count++);
            first[body + 2]++;
        }
    }
    for (size_t i = 2; i < bodies; i++) first[i] += first[i - 1];
    for (int i = 0; i < c->contact_node_count; i++) c->contact_node_list[first[c->contact_nodes[i].body + 1]++] = i;
    c->slots += c->contact_node_count;
    return true;
}

// How a body has rotated since the start of the substep (see frame_of in joint_solve.c), as a vector.
sn_vec3 sn_contacts_rotation(const sn_contacts *c, int centre) {
    const sn_node *a = &c->proxies.nodes[centre], *b = a + 1;
    const sn_node_pill *pill = &c->proxies.pills[centre + 1];
    const sn_vec3 start = sn_normalize(sn_sub(b->c0, a->c0), pill->axis);
    const sn_quat min = sn_q_between(start, pill->axis);
    sn_real sine = min.w > (sn_real)0.01 ? (sn_real)0.5 * pill->spin / min.w : 0;
    sine = sn_min(sn_max(sine, -1), 1);
    const sn_quat about = {sine * pill->axis.x, sine * pill->axis.y, sine * pill->axis.z, sn_sqrt(1 - sine * sine)};
    const sn_quat q = sn_q_mul(about, min);
    const sn_vec3 v = {q.x, q.y, q.z};
    const sn_real size = sn_length(v), angle = 2 * sn_atan2(size, sn_abs(q.w));
    const sn_real scale = size > (sn_real)1e-3 ? angle / size : 2 + size * size / 3; // of asin(x)/x
    return sn_mul(q.w < 0 ? -scale : scale, v);
}

// The point of a side's axis that a contact is at, from the body's centre.
static sn_vec3 axis_arm(const sn_contacts *c, const sn_contact_block *b, int k, int side, int centre) {
    const bool third = sn_form_third(b->form, side);
    const sn_real second = third ? b->spot[side][0][k] : (side ? b->beta : b->alpha)[k];
    const sn_real last = third ? b->spot[side][1][k] : 0, weight[3] = {1 - second - last, second, last};
    const int32_t node[3] = {b->node[2 * side][k], b->node[2 * side + 1][k], third ? b->third_node[side][k] : 0};
    const sn_vec3 from = c->proxies.nodes[centre].c;
    sn_vec3 arm = sn_v3(0, 0, 0);
    for (int i = 0; i < (third ? 3 : 2); i++)
        arm = sn_mul_add(arm, weight[i], sn_sub(c->proxies.nodes[node[i]].c, from));
    return arm;
}

static void place_node(const sn_contacts *c, sn_contact_block *b, int k, int side) {
    sn_contact_node *node = &c->contact_nodes[node_of(c, b, k, side)];
    const int centre = node->body > 0 ? c->body_end[node->body - 1] : 0;
    const sn_vec3 n = sn_v3(b->n[0][k], b->n[1][k], b->n[2][k]);
    const sn_vec3 e = sn_mul(side ? b->radius[1][k] : -b->radius[0][k], n);
    node->arm = sn_add(axis_arm(c, b, k, side, centre), e);
    const sn_vec3 more = sn_cross(sn_contacts_rotation(c, centre), e);
    const sn_vec3 across = sn_mul_add(more, -sn_dot(more, n), n);
    const sn_real sign = side ? -1 : 1;
    b->slip[0][k] += sign * across.x, b->slip[1][k] += sign * across.y, b->slip[2][k] += sign * across.z;
}

void sn_contacts_place_nodes(sn_contacts *c, sn_contact_block *blocks, int count) {
    for (int i = 0; i < count; i++) {
        sn_contact_block *b = &blocks[i];
        if (!b->has_nodes) continue;
        EACH_SIDE(b, k, side) if (node_of(c, b, k, side) >= 0) place_node(c, b, k, side);
    }
}
