// The room's memory.
#include "couplings/contact/contact.h"

void sn_contacts_init(sn_contacts *c, sn_memory *memory, const sn_log *log, int lanes) {
    *c = (sn_contacts){.memory = memory, .log = log, .lanes = lanes, .sweeps = 8, .free_shape = -1, .free_joint = -1};
    c->kernels = sn_contact_kernels_for(lanes);
    c->measure = sn_pill_pairs_for(lanes);
    sn_arena_init(&c->arena, memory);
    sn_arena_init(&c->last, memory);
    sn_arena_init(&c->query, memory);
}

void sn_contacts_free(sn_contacts *c) {
    for (int i = 0; i < c->shape_count; i++) sn_tree_free(c->memory, &c->shapes[i].tree);
    sn_free(c->memory, c->shapes, (size_t)c->shape_capacity, sizeof *c->shapes);
    sn_free(c->memory, c->joints, (size_t)c->joint_capacity, sizeof *c->joints);
    sn_arena_free(&c->arena);
    sn_arena_free(&c->last);
    sn_arena_free(&c->query);
}
