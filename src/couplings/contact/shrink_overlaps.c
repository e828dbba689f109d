// Overlap that is forgiven. Muscles that were modelled side by side lie a little in each other, and their ends in bones;
// contacts would press them apart with force, for good. So radii that touch are made smaller where there is overlap, until there
// is none, in rounds: of two pills that may both yield each yields half. What is left with next to no radius lay in
// something with its very middle: it does not touch at all.
#include "couplings/contact/contact.h"

enum { ROUNDS = 16 };
#define LEAST_LEFT ((sn_real)0.3) // of a radius: below, the point does not touch

// The ends of a pill yield, those that are at the touch.
static void yield_by(sn_contacts *c, const bool *yields, int pill, sn_real t, sn_real depth) {
    const sn_node_pill *p = &c->proxies.pills[pill];
    for (int end = 0; end < 2; end++) {
        const int32_t node = end ? p->b : p->a;
        sn_node *n = &c->proxies.nodes[node];
        if (!yields[node] || (end ? t : 1 - t) < (sn_real)0.01) continue;
        n->radius = sn_max(n->radius - depth / n->s, 0);
    }
}

static bool can_yield(const sn_contacts *c, const bool *yields, int pill) {
    const sn_node_pill *p = &c->proxies.pills[pill];
    return yields[p->a] || yields[p->b];
}

static bool touches_at_all(const sn_contacts *c, int pill) {
    const sn_node_pill *p = &c->proxies.pills[pill];
    return c->proxies.nodes[p->a].contact_disabled == 0 && c->proxies.nodes[p->b].contact_disabled == 0;
}

static bool forgive_pair(sn_contacts *c, const bool *yields, sn_pair pair) {
    const bool shape = pair.b >= c->elements;
    if (sn_is_slab(c, pair.a) || (!shape && sn_is_slab(c, pair.b)) || !touches_at_all(c, pair.a)) return false;
    const bool a = can_yield(c, yields, pair.a), b = !shape && can_yield(c, yields, pair.b);
    if ((!a && !b) || (!shape && !touches_at_all(c, pair.b))) return false;
    const sn_pill pill = sn_proxy_pill(&c->proxies, pair.a, false);
    const sn_real part = a && b ? (sn_real)0.5 : 1;
    sn_contact_point touch[2];
    int count = 1;
    if (shape) {
        const sn_collider *body = c->colliders[pair.b - c->elements];
        count = sn_collider_contacts(body, &body->now, &pill, 0, touch);
    } else {
        const sn_pill other = sn_proxy_pill(&c->proxies, pair.b, false);
        touch[0] = sn_pill_pill(&pill, &other);
    }
    bool any = false;
    for (int k = 0; k < count; k++) {
        const sn_real depth = -touch[k].distance;
        if (!(depth > 0)) continue;
        if (a) yield_by(c, yields, pair.a, touch[k].alpha, part * depth);
        if (b) yield_by(c, yields, pair.b, touch[k].beta, part * depth);
        any = true;
    }
    return any;
}

void sn_contacts_shrink_overlaps(sn_contacts *c, const bool *yields, const sn_real *full) {
    bool any = true;
    for (int round = 0; round < ROUNDS && any; round++) {
        any = false;
        for (int i = 0; i < c->pair_count; i++) any = forgive_pair(c, yields, c->pairs[i]) || any;
        for (int i = 0; i < c->proxies.count; i++) {
            sn_node *node = &c->proxies.nodes[i];
            if (yields[i] && node->radius < LEAST_LEFT * full[i]) node->radius = 0, node->contact_disabled = 1;
        }
    }
}
