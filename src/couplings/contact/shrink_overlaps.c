// Accepts existing overlap by shrinking contact radii. Modelled muscles overlap each other a little, and bones at their
// ends; contacts would press them apart for good. In each round every overlapping pill shrinks by the depth, or two
// pills that may both shrink by half of it each, until nothing overlaps. A node left with less than MIN_LEFT of its
// radius stops colliding.
#include "couplings/contact/contact.h"

enum { ROUNDS = 16 };
#define MIN_LEFT ((sn_real)0.3) // of the full radius

// Shrinks the ends of a pill that have weight at the contact.
static void shrink_by(sn_contacts *c, const bool *may_shrink, int pill, sn_real t, sn_real depth) {
    const sn_node_pill *p = &c->proxies.pills[pill];
    for (int end = 0; end < 2; end++) {
        const int32_t node = end ? p->b : p->a;
        sn_node *n = &c->proxies.nodes[node];
        if (!may_shrink[node] || (end ? t : 1 - t) < (sn_real)0.01) continue;
        n->radius = sn_max(n->radius - depth / n->s, 0);
    }
}

static bool can_shrink(const sn_contacts *c, const bool *may_shrink, int pill) {
    const sn_node_pill *p = &c->proxies.pills[pill];
    return may_shrink[p->a] || may_shrink[p->b];
}

static bool collides(const sn_contacts *c, int pill) {
    const sn_node_pill *p = &c->proxies.pills[pill];
    return c->proxies.nodes[p->a].contact_disabled == 0 && c->proxies.nodes[p->b].contact_disabled == 0;
}

static bool shrink_pair(sn_contacts *c, const bool *may_shrink, sn_pair pair) {
    const bool is_collider = pair.b >= c->elements;
    if (sn_is_slab(c, pair.a) || (!is_collider && sn_is_slab(c, pair.b)) || !collides(c, pair.a)) return false;
    const bool a = can_shrink(c, may_shrink, pair.a), b = !is_collider && can_shrink(c, may_shrink, pair.b);
    if ((!a && !b) || (!is_collider && !collides(c, pair.b))) return false;
    const sn_pill pill = sn_proxy_pill(&c->proxies, pair.a, false);
    const sn_real part = a && b ? (sn_real)0.5 : 1;
    sn_contact_point contact[2];
    int count = 1;
    if (is_collider) {
        const sn_collider *body = c->colliders[pair.b - c->elements];
        count = sn_collider_contacts(body, &body->now, &pill, 0, contact);
    } else {
        const sn_pill other = sn_proxy_pill(&c->proxies, pair.b, false);
        contact[0] = sn_pill_pill(&pill, &other);
    }
    bool any = false;
    for (int k = 0; k < count; k++) {
        const sn_real depth = -contact[k].distance;
        if (!(depth > 0)) continue;
        if (a) shrink_by(c, may_shrink, pair.a, contact[k].alpha, part * depth);
        if (b) shrink_by(c, may_shrink, pair.b, contact[k].beta, part * depth);
        any = true;
    }
    return any;
}

void sn_contacts_shrink_overlaps(sn_contacts *c, const bool *may_shrink, const sn_real *full) {
    bool any = true;
    for (int round = 0; round < ROUNDS && any; round++) {
        any = false;
        for (int i = 0; i < c->pair_count; i++) any = shrink_pair(c, may_shrink, c->pairs[i]) || any;
        for (int i = 0; i < c->proxies.count; i++) {
            sn_node *node = &c->proxies.nodes[i];
            if (may_shrink[i] && node->radius < MIN_LEFT * full[i]) node->radius = 0, node->contact_disabled = 1;
        }
    }
}
