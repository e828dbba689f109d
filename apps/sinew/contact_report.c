// Labels of a scene have the index of the body in the upper 32 bits, and of the copy in the lower (scene_label).
#include "contact_report.h"
#include "view/view_kinds.h"
#include <stdlib.h>

// The label of a body that the report lists; 0 for obstacles, which it leaves out.
static uint64_t label_of(const sn_world *world, sn_body body) {
    const view_kind *kind = view_kind_of(body);
    return kind && kind->form != VIEW_RIGID ? sn_body_label(world, body) : 0;
}

static uint64_t body_of(uint64_t label) {
    return (label - 1) >> 32;
}

static contact_pair *pair_of(contact_report *list, uint64_t a, uint64_t b) {
    for (int i = 0; i < list->count; i++) {
        contact_pair *pair = &list->pairs[i];
        if (body_of(pair->label_a) == body_of(a) && body_of(pair->label_b) == body_of(b)) return pair;
    }
    if (list->count == list->capacity) {
        const int more = 2 * list->capacity + 16;
        contact_pair *pairs = realloc(list->pairs, (size_t)more * sizeof *pairs);
        if (!pairs) return NULL;
        list->pairs = pairs, list->capacity = more;
    }
    list->pairs[list->count] = (contact_pair){.label_a = a, .label_b = b, .last_step = -1};
    return &list->pairs[list->count++];
}

void contact_report_add(contact_report *list, const sn_world *world) {
    const int64_t step = (int64_t)sn_world_step_count(world);
    const int count = sn_world_get_contacts(world, NULL, 0);
    if (count > list->contact_capacity) {
        sn_contact *more = realloc(list->contacts, (size_t)count * sizeof *more);
        if (!more) return;
        list->contacts = more, list->contact_capacity = count;
    }
    sn_world_get_contacts(world, list->contacts, count);
    for (int i = 0; i < count; i++) {
        const sn_contact *c = &list->contacts[i];
        uint64_t a = label_of(world, c->body_a);
        uint64_t b = label_of(world, c->body_b);
        if (a == 0 || b == 0 || a == b) continue; // a rigid body, or itself
        if (b < a) {
            const uint64_t swap = a;
            a = b, b = swap;
        }
        contact_pair *pair = pair_of(list, a, b);
        if (!pair) return;
        pair->steps += pair->last_step != step;
        pair->last_step = step;
        if ((double)c->force > pair->force) pair->force = (double)c->force;
    }
}

void contact_report_free(contact_report *list) {
    free(list->pairs);
    free(list->contacts);
}
