// Contacts in the balance of energy (world/energy_check.c).
#include "couplings/contact/contact.h"

// Work of the held nodes of a side, which bears 'force' in all.
static double held_work(const sn_contacts *c, const sn_contact_block *b, int k, int side, sn_vec3 force) {
    const bool slab = sn_form_third(b->form, side);
    const sn_real second = side ? b->beta[k] : b->alpha[k], third = slab ? b->third[side][k] : 0;
    const sn_real weight[3] = {1 - second - third, second, third};
    const int32_t node[3] = {b->driver[2 * side][k], b->driver[2 * side + 1][k], slab ? b->third_driver[side][k] : 0};
    double work = 0;
    for (int i = 0; i < (slab ? 3 : 2); i++) {
        const sn_node *n = &c->proxies.nodes[node[i]];
        if (!(n->w > 0)) work -= (double)(weight[i] * sn_dot(force, sn_sub(n->c, n->c0)));
    }
    return work;
}

void sn_contacts_balance(const sn_contacts *c, const sn_solve *solve, sn_work_balance *balance) {
    for (int i = 0; i < c->block_count; i++) {
        const sn_contact_block *b = &c->blocks[i];
        for (int k = 0; k < b->count && !b->far; k++) {
            if (!(b->load[k] > 0) || !(b->k[k] > 0) || solve->failed[b->island[k]]) continue;
            const sn_warm_start end = sn_contact_warm_start(b, k);
            const double load = (double)b->load[k], stiff = (double)b->k[k];
            balance->stored += 0.5 * load * load / stiff + 0.5 * stiff * (double)sn_length2(end.stretch);
            // on side a
            const sn_vec3 force =
                sn_sub(sn_mul(b->load[k], sn_v3(b->n[0][k], b->n[1][k], b->n[2][k])), sn_mul(b->k[k], end.stretch));
            balance->work += held_work(c, b, k, 0, force);
            if (sn_form_both(b->form))
                balance->work += held_work(c, b, k, 1, sn_mul(-1, force));
            else
                balance->work += (double)sn_dot(force, sn_v3(b->drift[0][k], b->drift[1][k], b->drift[2][k]));
        }
    }
}
