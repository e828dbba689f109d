// Who touches whom: events of contacts, and what colliders bear.
//
// At the end of the solve of each substep every contact that bears a force f adds to the pair of its bodies: h f to the impulse, and its
// point and normal by the size of the force. After the step, pairs are compared with those that touched before:
//
//     before   now
//       -       x     begin
//       x       x     stay
//       x       -     end; nothing while neither of the two can move, for contacts of sleepers are not looked for
//
// A static or kinematic body bears what rests on it, also when that sleeps: such pairs are kept whether anybody asks for events or not,
// and their last force stands for those that are not solved for.
//
// All of this lies outside of what a step may take back (sn_contacts is copied for that): a step begins with empty pairs, and what touched
// before changes at its very end, where nothing fails any more.
#include "base/host.h"
#include "couplings/contact/contact.h"

typedef struct {
    int32_t a, b;    // numbers of the bodies in this step, a <= b; -1: destroyed
    bool refused;    // nobody asked for it
    bool rests;      // neither of the two could move when the step began
    bool wanted;     // it is asked for still
    bool found;      // in the last step, too
    double duration; // of the step, s
    double weight, point[3], normal[3], impulse[3];
    int contacts, max_contacts, substep;
    sn_contact_event event; // as it was told last
} body_pair;

typedef struct {
    body_pair *at;
    int count, capacity;
} pair_list;

typedef struct sn_body_pairs {
    uint32_t groups, with;
    sn_contact_keep_fn *keep;
    void *user;
    pair_list now, before, next; // of the running step; of the last; room for what the next one compares with
    int32_t *table;              // of 'now' by bodies: open addressing, -1 is empty
    int table_size;              // a power of two, or 0
    sn_contact_event *events;
    int event_count, event_capacity;
} sn_body_pairs;

bool sn_body_pairs_create(sn_contacts *c) {
    c->body_pairs = sn_alloc(c->memory, 1, sizeof *c->body_pairs);
    return c->body_pairs != NULL;
}

static void free_list(sn_memory *memory, pair_list *list) {
    sn_free(memory, list->at, (size_t)list->capacity, sizeof *list->at);
}

void sn_body_pairs_free(sn_contacts *c) {
    sn_body_pairs *t = c->body_pairs;
    if (!t) return;
    free_list(c->memory, &t->now), free_list(c->memory, &t->before), free_list(c->memory, &t->next);
    sn_free(c->memory, t->table, (size_t)t->table_size, sizeof *t->table);
    sn_free(c->memory, t->events, (size_t)t->event_capacity, sizeof *t->events);
    sn_free(c->memory, t, 1, sizeof *t);
}

static bool reserve(sn_memory *memory, pair_list *list, int count) {
    return sn_reserve(memory, (void **)&list->at, &list->capacity, count, sizeof *list->at);
}

// The collider of a handle; null: it is none.
static sn_collider *collider_of(const sn_contacts *c, sn_body body) {
    int row;
    const int slot = sn_body_slot(c->world, body, &row);
    return slot >= 0 && sn_kinds[row]->collider ? sn_kinds[row]->collider(sn_world_row_system(c->world, row), slot)
                                                : NULL;
}

// Pages ask for no events and move nothing that bears: builds for them leave this out, to be small.
#ifdef SN_NO_QUERIES
void sn_body_pairs_begin(sn_contacts *c) {
    (void)c;
}
void sn_body_pairs_measure(const sn_contacts *c, sn_solve *solve) {
    (void)c, (void)solve;
}
void sn_body_pairs_add(sn_contacts *c, const sn_stage *stage, const sn_solve *solve) {
    (void)c, (void)stage, (void)solve;
}
void sn_body_pairs_end(sn_contacts *c) {
    (void)c;
}
#else

// ---- pairs by their bodies

static uint32_t scatter(int a, int b) {
    return (uint32_t)(((uint64_t)(uint32_t)a << 32 | (uint32_t)b) * 0x9E3779B97F4A7C15u >> 32);
}

// The place of a pair in the table, or where it would be. The table has room.
static int32_t *entry_of(const sn_body_pairs *t, int a, int b) {
    const uint32_t mask = (uint32_t)t->table_size - 1;
    uint32_t at = scatter(a, b) & mask;
    while (t->table[at] >= 0 && (t->now.at[t->table[at]].a != a || t->now.at[t->table[at]].b != b))
        at = (at + 1) & mask;
    return &t->table[at];
}

// Room for a pair more, here and in what follows from it.
static bool reserve_pair(sn_contacts *c) {
    sn_body_pairs *t = c->body_pairs;
    const int max = t->now.count + 1 + t->before.count;
    if (!reserve(c->memory, &t->now, t->now.count + 1) || !reserve(c->memory, &t->next, max) ||
        !sn_reserve(c->memory, (void **)&t->events, &t->event_capacity, max, sizeof *t->events))
        return false;
    if (2 * (t->now.count + 1) <= t->table_size) return true;
    const int size = t->table_size > 0 ? 2 * t->table_size : 64;
    int32_t *larger = sn_alloc(c->memory, (size_t)size, sizeof *larger);
    if (!larger) return false;
    sn_free(c->memory, t->table, (size_t)t->table_size, sizeof *t->table);
    t->table = larger, t->table_size = size;
    for (int i = 0; i < size; i++) larger[i] = -1;
    for (int i = 0; i < t->now.count; i++) *entry_of(t, t->now.at[i].a, t->now.at[i].b) = i;
    return true;
}

// ---- a step

static int number_of(const sn_contacts *c, sn_body body) {
    int row;
    const int slot = sn_body_slot(c->world, body, &row);
    return slot < 0 ? -1 : sn_world_first_body(c->world, row) + slot;
}

static bool may_move(const sn_contacts *c, int number) {
    const int row = sn_world_row_of_body(c->world, number), slot = number - sn_world_first_body(c->world, row);
    void *system = sn_world_row_system(c->world, row);
    if (sn_kinds[row]->collider && sn_kinds[row]->collider(system, slot)) return false;
    return !sn_world_sleep_state(c->world, number)->asleep;
}

static uint32_t group_of(const sn_contacts *c, sn_body body) {
    const int row = sn_kind_row(body.kind);
    return sn_body_base_at(sn_kinds[row]->slots(sn_world_row_system(c->world, row)), (int)body.slot1 - 1)
        ->contact.surface.group;
}

static bool is_asked_for(const sn_contacts *c, sn_body a, sn_body b) {
    const sn_body_pairs *t = c->body_pairs;
    const uint32_t x = group_of(c, a), y = group_of(c, b);
    if (!((x & t->groups) && (y & t->with)) && !((y & t->groups) && (x & t->with))) return false;
    return !t->keep || t->keep(t->user, a, b);
}

void sn_body_pairs_begin(sn_contacts *c) {
    sn_body_pairs *t = c->body_pairs;
    for (int k = 0; k < sn_kind_count; k++) {
        void *system = sn_world_row_system(c->world, k);
        for (int i = 0; sn_kinds[k]->collider && i < sn_kinds[k]->slots(system)->count; i++) {
            sn_collider *collider = sn_kinds[k]->collider(system, i);
            for (int x = 0; collider && x < 3; x++) collider->force[x] = collider->torque[x] = 0;
        }
    }
    t->now.count = 0;
    for (int i = 0; i < t->table_size; i++) t->table[i] = -1;
    if (t->before.count > 0 && !reserve_pair(c)) return; // the step ends here and did not happen
    for (int i = 0; i < t->before.count; i++) {
        body_pair *x = &t->before.at[i];
        x->a = number_of(c, x->event.body_a), x->b = number_of(c, x->event.body_b);
        const bool alive = x->a >= 0 && x->b >= 0;
        x->rests = alive && !may_move(c, x->a) && !may_move(c, x->b);
        x->wanted = x->rests && !x->refused && is_asked_for(c, x->event.body_a, x->event.body_b);
    }
}

// The pair of two bodies in this step; null: no memory, and the step ends here.
static body_pair *pair_of(sn_contacts *c, int a, int b) {
    sn_body_pairs *t = c->body_pairs;
    if (!reserve_pair(c)) return NULL;
    int32_t *entry = entry_of(t, a, b);
    if (*entry >= 0) return &t->now.at[*entry];
    *entry = t->now.count;
    body_pair *x = &t->now.at[t->now.count++];
    *x = (body_pair){.a = a, .b = b, .refused = !is_asked_for(c, c->bodies[a], c->bodies[b]), .substep = -1};
    x->event.body_a = c->bodies[a], x->event.body_b = c->bodies[b];
    return x;
}

static int collider_number(const sn_contacts *c, int collider) {
    const sn_body body = c->collider_bodies[collider];
    return sn_world_first_body(c->world, sn_kind_row(body.kind)) + (int)body.slot1 - 1;
}

// A contact with its force on side a.
static void add_to_pair(sn_contacts *c, const sn_contact_block *b, int k, const sn_stage *stage, sn_vec3 point,
                        sn_vec3 force) {
    const int x = sn_element_body(c, b->pill[0][k]);
    const int y = sn_form_both(b->form) ? sn_element_body(c, b->pill[1][k]) : collider_number(c, b->collider[k]);
    body_pair *t = pair_of(c, x < y ? x : y, x < y ? y : x);
    if (!t) return;
    const double sign = x < y ? 1 : x > y ? -1 : 0, load = (double)b->load[k], h = (double)stage->h;
    t->duration = h * stage->substeps;
    const double p[3] = {(double)point.x, (double)point.y, (double)point.z};
    const double f[3] = {(double)force.x, (double)force.y, (double)force.z};
    for (int i = 0; i < 3; i++) {
        t->point[i] += load * p[i];
        t->normal[i] += (x <= y ? load : -load) * (double)b->n[i][k];
        t->impulse[i] += sign * h * f[i];
    }
    t->weight += load;
    t->contacts = t->substep == stage->substep ? t->contacts + 1 : 1;
    t->substep = stage->substep;
    if (t->contacts > t->max_contacts) t->max_contacts = t->contacts;
    t->event.depth = t->weight > load ? sn_max(t->event.depth, -b->gap_now[k]) : -b->gap_now[k];
}

// The force of a contact on side a, and where it is; false: it bears none.
static bool measure_force(const sn_contacts *c, const sn_contact_block *b, int k, sn_vec3 *point, sn_vec3 *force) {
    if (!(b->load[k] > 0) || !(b->k[k] > 0)) return false;
    const sn_vec3 n = sn_v3(b->n[0][k], b->n[1][k], b->n[2][k]);
    *force = sn_mul_add(sn_contact_friction(b, k), b->load[k], n);
    *point = sn_contact_point_of(c, b, k);
    return sn_finite3(*force) && sn_finite3(*point); // else of a body that will be put back
}

// Whether a contact pushes an island from outside: 1 on side a, -1 on side b; 0: it does not.
static int side_inside(const sn_contacts *c, const sn_solve *solve, const sn_contact_block *b, int k) {
    const bool a = solve->coupled[sn_element_body(c, b->pill[0][k])];
    const bool other = sn_form_both(b->form) && solve->coupled[sn_element_body(c, b->pill[1][k])];
    return (int)a - (int)other;
}

void sn_body_pairs_measure(const sn_contacts *c, sn_solve *solve) {
    for (int i = 0; i < c->block_count; i++) {
        const sn_contact_block *b = &c->blocks[i];
        for (int k = 0; k < b->count && !b->far; k++) {
            sn_vec3 point, force;
            const int side = side_inside(c, solve, b, k);
            if (side != 0 && measure_force(c, b, k, &point, &force))
                sn_solve_add_outside(solve, b->island[k], sn_mul((sn_real)side, force));
        }
    }
}

void sn_body_pairs_add(sn_contacts *c, const sn_stage *stage, const sn_solve *solve) {
    const bool asked = c->body_pairs->groups != 0 && c->body_pairs->with != 0;
    for (int i = 0; i < c->block_count; i++) {
        const sn_contact_block *b = &c->blocks[i];
        if (b->far || (!asked && sn_form_both(b->form))) continue;
        for (int k = 0; k < b->count; k++) {
            sn_vec3 point, force;
            if (!measure_force(c, b, k, &point, &force)) continue;
            const int side = side_inside(c, solve, b, k);
            if (side != 0)
                force = sn_mul((sn_real)side, sn_solve_outside(solve, b->island[k], sn_mul((sn_real)side, force)));
            else if (solve->failed[b->island[k]])
                force = sn_v3(0, 0, 0);
            if (!sn_finite3(force)) continue;
            if (!sn_form_both(b->form))
                sn_collider_add_force(c->colliders[b->collider[k]], point, sn_mul(-1, force),
                                      1 / (double)stage->substeps);
            add_to_pair(c, b, k, stage, point, force);
        }
    }
}

// ---- after the step

static void tell(sn_body_pairs *t, const body_pair *x, sn_contact_change change) {
    sn_contact_event *event = &t->events[t->event_count++];
    *event = x->event;
    event->change = change;
    if (change == SN_CONTACT_END) event->contacts = 0, event->impulse = sn_v3(0, 0, 0), event->depth = 0;
}

// Means instead of sums.
static void settle(body_pair *x) {
    const double w = 1 / x->weight;
    x->event.point = sn_v3((sn_real)(w * x->point[0]), (sn_real)(w * x->point[1]), (sn_real)(w * x->point[2]));
    const sn_vec3 n = sn_v3((sn_real)(w * x->normal[0]), (sn_real)(w * x->normal[1]), (sn_real)(w * x->normal[2]));
    x->event.normal = sn_normalize(n, sn_v3(0, 1, 0));
    x->event.impulse = sn_v3((sn_real)x->impulse[0], (sn_real)x->impulse[1], (sn_real)x->impulse[2]);
    x->event.contacts = x->max_contacts;
}

// A pair that rests still: its collider bears what it bore before.
static void keep_pair(sn_contacts *c, body_pair *x) {
    sn_body_pairs *t = c->body_pairs;
    if (!x->refused && !x->wanted) tell(t, x, SN_CONTACT_END), x->refused = true;
    for (int side = 0; side < 2; side++) {
        sn_collider *collider = collider_of(c, side ? x->event.body_b : x->event.body_a);
        const double k = (side ? -1 : 1) / x->duration;
        const sn_vec3 force = {(sn_real)(k * x->impulse[0]), (sn_real)(k * x->impulse[1]),
                               (sn_real)(k * x->impulse[2])};
        if (collider) sn_collider_add_force(collider, x->event.point, force, 1);
    }
    t->next.at[t->next.count++] = *x;
}

void sn_body_pairs_end(sn_contacts *c) {
    sn_body_pairs *t = c->body_pairs;
    t->event_count = t->next.count = 0;
    for (int i = 0; i < t->before.count; i++) {
        body_pair *x = &t->before.at[i];
        const int32_t entry = x->a >= 0 && x->b >= 0 && t->table_size > 0 ? *entry_of(t, x->a, x->b) : -1;
        if (entry >= 0) t->now.at[entry].found = !x->refused;
        if (entry < 0 && x->rests)
            keep_pair(c, x);
        else if (!x->refused && (entry < 0 || t->now.at[entry].refused))
            tell(t, x, SN_CONTACT_END);
    }
    for (int i = 0; i < t->now.count; i++) {
        body_pair *x = &t->now.at[i];
        settle(x);
        if (!x->refused) tell(t, x, x->found ? SN_CONTACT_STAY : SN_CONTACT_BEGIN);
        t->next.at[t->next.count++] = *x;
    }
    const pair_list spare = t->before;
    t->before = t->next, t->next = spare;
}

#endif

// ---- saving: what is asked for, who touches whom, what colliders bear

static void visit_pair(sn_stream *stream, body_pair *x) {
    sn_contact_event *event = &x->event;
    sn_visit_body(stream, &event->body_a);
    sn_visit_body(stream, &event->body_b);
    sn_visit_reals(stream, &event->point.x, 3);
    sn_visit_reals(stream, &event->normal.x, 3);
    sn_visit_bool(stream, &x->refused);
    sn_visit_double(stream, &x->duration);
    for (int k = 0; k < 3; k++) {
        sn_visit_double(stream, &x->impulse[k]);
        sn_stream_check(stream, sn_finite((sn_real)x->impulse[k]));
    }
    sn_stream_check(stream, sn_finite3(event->point) && sn_finite3(event->normal));
    sn_stream_check(stream, x->duration >= 1e-8 && x->duration <= 2);
}

static bool bears(const sn_collider *c) {
    for (int k = 0; c && k < 3; k++)
        if (c->force[k] != 0 || c->torque[k] != 0) return true;
    return false;
}

static void visit_reaction(const sn_contacts *c, sn_stream *stream, sn_body body) {
    sn_visit_body(stream, &body);
    sn_collider *collider = collider_of(c, body);
    if (!sn_stream_check(stream, collider != NULL)) return;
    for (int k = 0; k < 3; k++) {
        sn_visit_double(stream, &collider->force[k]);
        sn_visit_double(stream, &collider->torque[k]);
        sn_stream_check(stream, sn_finite((sn_real)collider->force[k]) && sn_finite((sn_real)collider->torque[k]));
    }
}

static void visit_reactions(const sn_contacts *c, sn_stream *stream) {
    const int bodies = sn_world_body_count(c->world);
    int count = 0;
    for (int i = 0; i < bodies && stream->mode != SN_STREAM_READ; i++)
        count += bears(collider_of(c, sn_world_body_at(c->world, i)));
    sn_visit_int(stream, &count);
    if (!sn_stream_check(stream, count >= 0 && count <= bodies)) return;
    for (int i = 0; i < count && stream->mode == SN_STREAM_READ && !stream->bad; i++)
        visit_reaction(c, stream, (sn_body){0});
    for (int i = 0; i < bodies && stream->mode != SN_STREAM_READ; i++) {
        const sn_body body = sn_world_body_at(c->world, i);
        if (bears(collider_of(c, body))) visit_reaction(c, stream, body);
    }
}

void sn_body_pairs_visit(sn_contacts *c, sn_stream *stream) {
    sn_body_pairs *t = c->body_pairs;
    sn_visit_u32(stream, &t->groups);
    sn_visit_u32(stream, &t->with);
    int count = t->before.count;
    sn_visit_int(stream, &count);
    const size_t min = 6 * sizeof(uint32_t) + 6 * sizeof(sn_real) + 4 * sizeof(double);
    if (!sn_stream_check(stream, count >= 0 && sn_stream_holds(stream, (size_t)count, min))) return;
    if (stream->mode == SN_STREAM_READ) {
        if (!sn_stream_need(stream, reserve(c->memory, &t->before, count))) return;
        for (int i = 0; i < count; i++) t->before.at[i] = (body_pair){0};
        t->before.count = count;
    }
    for (int i = 0; i < count && !stream->bad; i++) visit_pair(stream, &t->before.at[i]);
    if (!stream->bad) visit_reactions(c, stream);
}

// ---- public calls

sn_status sn_world_set_contact_events(sn_world *world, uint32_t groups, uint32_t with, sn_contact_keep_fn *keep,
                                      void *user) {
    const sn_status status = sn_world_check_edit(world);
    if (status != SN_OK) return status;
    sn_body_pairs *t = sn_world_contacts(world)->body_pairs;
    t->groups = groups, t->with = with, t->keep = keep, t->user = user;
    return SN_OK;
}

int sn_world_get_contact_events(const sn_world *world, sn_contact_event *out, int capacity) {
    if (!world) return 0;
    const sn_body_pairs *t = sn_world_contacts(world)->body_pairs;
    for (int i = 0; out && i < t->event_count && i < capacity; i++) out[i] = t->events[i];
    return t->event_count;
}
