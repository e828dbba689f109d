// Penalty forces between tetrahedral bodies (tet_collision.h), as loads of a substep. Each pair is processed both ways:
// points of one in tetrahedra of the other, and vice versa.
//
// The forces are explicit, so a stiffness above a fraction of m/h^2 of the lightest point would eject points: it is
// clamped to that.
#include "kinds/spring/spring_system.h"

#define MAX_PART ((sn_real)0.25) // of m/h^2

// A body is woken by one that is faster than this (the normalised speed of spring_proxy.c) and overlaps it.
#define WAKES ((sn_real)0.06)

static sn_tet_box box_of(const sn_spring_body *body) {
    sn_tet_box box = {sn_spring_point(body, 0), sn_spring_point(body, 0)};
    for (int i = 1; i < body->count; i++) {
        const sn_vec3 p = sn_spring_point(body, i);
        box.low = sn_v3(sn_min(box.low.x, p.x), sn_min(box.low.y, p.y), sn_min(box.low.z, p.z));
        box.high = sn_v3(sn_max(box.high.x, p.x), sn_max(box.high.y, p.y), sn_max(box.high.z, p.z));
    }
    return box;
}

static bool are_separate(const sn_tet_box *a, const sn_tet_box *b) {
    return a->low.x > b->high.x || b->low.x > a->high.x || a->low.y > b->high.y || b->low.y > a->high.y ||
           a->low.z > b->high.z || b->low.z > a->high.z;
}

static sn_real lightest(const sn_spring_body *body) {
    sn_real min = (sn_real)1e30;
    for (int i = 0; i < body->count; i++)
        if (body->mass[i] > 0) min = sn_min(min, body->mass[i]);
    return min;
}

static bool may_collide(const sn_springs_body *p, const sn_springs_body *q) {
    if (!p->base.contact.collide || !q->base.contact.collide || (p->base.sleep.asleep && q->base.sleep.asleep))
        return false;
    if (p->family != 0 && p->family == q->family) return false;
    return (p->base.contact.surface.group & q->base.contact.surface.mask) &&
           (q->base.contact.surface.group & p->base.contact.surface.mask);
}

static void wake(sn_springs_body *sleeper, const sn_springs_body *other, sn_real gravity) {
    if (sleeper->base.sleep.asleep && sn_springs_normalised_speed(other, gravity) > WAKES) sleeper->woken = true;
}

// Forces on the points of p that are in q. False: out of memory.
static bool add_penalties(sn_springs_system *s, sn_springs_body *p, sn_springs_body *q, sn_real stiffness,
                          sn_real gravity) {
    const sn_tet_response response = p->naive || q->naive ? SN_TET_NAIVE : SN_TET_CONSISTENT;
    if (sn_tet_contacts_find(&s->contacts, p->collider, p->body->x, q->collider, q->body->x, response) != SN_OK)
        return false;
    if (s->contacts.inside == 0) return true;
    sn_tet_contacts_response(&s->contacts, p->collider, q->collider, stiffness, p->body->load, q->body->load);
    wake(p, q, gravity), wake(q, p, gravity); // from the next step on
    return true;
}

void sn_springs_add_penalties(sn_springs_system *s, const sn_stage *stage) {
    const sn_real gravity = sn_length(stage->gravity);
    bool ok = true;
    for (int i = 0; i < s->slots.count; i++) {
        sn_springs_body *p = sn_springs_in(s, i);
        if (!p || !p->collider) continue;
        const sn_tet_box box = box_of(p->body);
        for (int k = i + 1; k < s->slots.count; k++) {
            sn_springs_body *q = sn_springs_in(s, k);
            if (!q || !q->collider || !may_collide(p, q)) continue;
            const sn_tet_box other = box_of(q->body);
            if (are_separate(&box, &other)) continue;
            const sn_real mass = sn_min(lightest(p->body), lightest(q->body));
            const sn_real stiffness =
                sn_min((sn_real)0.5 * (p->penalty + q->penalty), MAX_PART * mass / (stage->h * stage->h));
            ok = add_penalties(s, p, q, stiffness, gravity) && add_penalties(s, q, p, stiffness, gravity) && ok;
        }
    }
    if (!ok) sn_memory_fail(s->memory); // the step ends here and did not happen
}
