// The last two states of all bodies' points and poses. Entries are in the order of bodies, so those of two records are merged.
#include "sinew/history.h"
#include "base/host.h"
#include "base/math/trig.h"
#include "geometry/collider.h"

typedef struct {
    sn_body body;
    int row, slot; // what they are sorted by
    int count, capacity;
    sn_vec3 *points[2]; // before, now
    bool has_pose;
    bool cut; // it was not on its way to where it will be recorded next
    sn_transform pose[2];
} recorded_body;

struct sn_history {
    sn_memory memory;
    recorded_body **bodies, **next;
    int count, capacity, next_capacity;
};

static void free_body(sn_memory *memory, recorded_body *b) {
    if (!b) return;
    for (int k = 0; k < 2; k++) sn_free(memory, b->points[k], (size_t)b->capacity, sizeof **b->points);
    sn_free(memory, b, 1, sizeof *b);
}

void sn_history_destroy(sn_history *h) {
    if (!h) return;
    for (int i = 0; i < h->count; i++) free_body(&h->memory, h->bodies[i]);
    sn_free(&h->memory, h->bodies, (size_t)h->capacity, sizeof *h->bodies);
    sn_free(&h->memory, h->next, (size_t)h->next_capacity, sizeof *h->next);
    sn_memory memory;
    sn_memory_init(&memory, &h->memory.hook);
    sn_free(&memory, h, 1, sizeof *h);
}

static int order_of(const recorded_body *b, int row, int slot) {
    return b->row != row ? b->row - row : b->slot - slot;
}

static bool is_same(sn_body a, sn_body b) {
    return a.kind == b.kind && a.slot1 == b.slot1 && a.gen == b.gen;
}

// Reads a body; one with another number of points, or a new one, was before where it is now.
static bool read_body(sn_history *h, const sn_world *world, recorded_body *b, bool is_new) {
    const int count = sn_body_point_count(world, b->body);
    if (count > b->capacity) {
        sn_vec3 *larger[2] = {sn_alloc(&h->memory, (size_t)count, sizeof **b->points),
                              sn_alloc(&h->memory, (size_t)count, sizeof **b->points)};
        const bool good = larger[0] && larger[1];
        for (int k = 0; k < 2; k++) {
            sn_vec3 *drop = good ? b->points[k] : larger[k];
            sn_free(&h->memory, drop, (size_t)(good ? b->capacity : count), sizeof *drop);
            if (good) b->points[k] = larger[k];
        }
        if (!good) return false;
        b->capacity = count;
    }
    is_new = is_new || b->cut || count != b->count;
    b->cut = false;
    b->count = count;
    sn_vec3 *swap = b->points[0];
    b->points[0] = b->points[1], b->points[1] = swap;
    sn_body_get_points(world, b->body, b->points[1], count);
    for (int i = 0; i < count && is_new; i++) b->points[0][i] = b->points[1][i];
    void *system = sn_world_row_system(world, b->row);
    const sn_collider *rigid = sn_kinds[b->row]->geometry ? sn_kinds[b->row]->geometry(system, b->slot) : NULL;
    b->has_pose = rigid != NULL;
    if (!rigid) return true;
    b->pose[0] = is_new ? rigid->now : b->pose[1];
    b->pose[1] = rigid->now;
    return true;
}

sn_status sn_history_record(sn_history *h, const sn_world *world) {
    if (!h || !world) return SN_ERR_RANGE;
    if (sn_world_is_stepping(world)) return SN_ERR_BUSY;
    const int bodies = sn_world_body_count(world);
    if (!sn_reserve(&h->memory, (void **)&h->next, &h->next_capacity, bodies, sizeof *h->next)) return SN_ERR_MEMORY;
    int old = 0, count = 0;
    bool good = true;
    for (int i = 0; i < bodies && good; i++) {
        const sn_body body = sn_world_body_at(world, i);
        int row;
        const int slot = sn_body_slot(world, body, &row);
        while (old < h->count && order_of(h->bodies[old], row, slot) < 0) old++;
        const bool known = old < h->count && is_same(h->bodies[old]->body, body);
        recorded_body *b = known ? h->bodies[old] : sn_alloc(&h->memory, 1, sizeof *b);
        if (known) h->bodies[old++] = NULL;
        if (b && !known) *b = (recorded_body){.body = body, .row = row, .slot = slot};
        if (b) h->next[count++] = b;
        good = b && read_body(h, world, b, !known);
    }
    for (int i = 0; i < h->count; i++) free_body(&h->memory, h->bodies[i]);
    recorded_body **spare = h->bodies;
    const int spare_capacity = h->capacity;
    h->bodies = h->next, h->capacity = h->next_capacity, h->count = count;
    h->next = spare, h->next_capacity = spare_capacity;
    return good ? SN_OK : SN_ERR_MEMORY;
}

sn_status sn_history_create(const sn_world *world, sn_history **out) {
    if (out) *out = NULL;
    if (!world || !out) return SN_ERR_RANGE;
    sn_memory memory;
    sn_memory_init(&memory, &sn_world_memory(world)->hook);
    sn_history *h = sn_alloc(&memory, 1, sizeof *h);
    if (!h) return SN_ERR_MEMORY;
    *h = (sn_history){0};
    sn_memory_init(&h->memory, &memory.hook);
    const sn_status status = sn_history_record(h, world);
    if (status == SN_OK)
        *out = h;
    else
        sn_history_destroy(h);
    return status;
}

static recorded_body *find(const sn_history *h, sn_body body) {
    const int row = sn_kind_row(body.kind), slot = (int)body.slot1 - 1;
    int low = 0, high = h ? h->count : 0;
    while (row >= 0 && low < high) {
        const int middle = (low + high) / 2, order = order_of(h->bodies[middle], row, slot);
        if (order == 0) return is_same(h->bodies[middle]->body, body) ? h->bodies[middle] : NULL;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

sn_status sn_history_cut(sn_history *h, sn_body body) {
    if (!h) return SN_ERR_RANGE;
    recorded_body *b = find(h, body);
    if (!b) return SN_ERR_STALE_ID;
    b->cut = true;
    for (int i = 0; i < b->count; i++) b->points[0][i] = b->points[1][i];
    b->pose[0] = b->pose[1];
    return SN_OK;
}

int sn_history_get_points(const sn_history *h, sn_body body, sn_real t, sn_vec3 *out, int capacity) {
    const recorded_body *b = find(h, body);
    if (!b) return 0;
    for (int i = 0; out && i < b->count && i < capacity; i++) out[i] = sn_lerp(b->points[0][i], b->points[1][i], t);
    return b->count;
}

// From p to q by t of the angle between them.
static sn_quat slerp(sn_quat p, sn_quat q, sn_real t) {
    if (sn_q_dot(p, q) < 0) q = (sn_quat){-q.x, -q.y, -q.z, -q.w};
    sn_quat by = sn_q_mul(q, sn_q_conj(p));
    const sn_vec3 axis = {by.x, by.y, by.z};
    const sn_real sine = sn_length(axis);
    sn_real new_sine, new_cosine;
    sn_sincos(t * sn_atan2(sine, by.w), &new_sine, &new_cosine);
    const sn_vec3 to = sine > 0 ? sn_mul(new_sine / sine, axis) : axis;
    return sn_q_normalize(sn_q_mul((sn_quat){to.x, to.y, to.z, new_cosine}, p));
}

sn_status sn_history_get_pose(const sn_history *h, sn_body body, sn_real t, sn_vec3 *position, sn_quat *rotation) {
    const recorded_body *b = find(h, body);
    if (!h || !position || !rotation) return SN_ERR_RANGE;
    if (!b) return SN_ERR_STALE_ID;
    if (!b->has_pose) return SN_ERR_KIND;
    *position = sn_lerp(b->pose[0].position, b->pose[1].position, t);
    *rotation = slerp(b->pose[0].rotation, b->pose[1].rotation, t);
    return SN_OK;
}
