// Contacts that pass from one feature to another. As bodies slide along each other, a contact goes from a pill to the next, or
// from between the ends to a ball at an end. One that pressed in the last substep and is not found any more gives its force to
// another on the same two pills or their neighbours, with the same energy; else whatever rests there would fall a little each time.
#include "base/host.h"
#include "couplings/contact/contact_pack.h"

#define NEAR ((sn_real)0.05) // of the radius: contacts that are farther apart take nothing over

typedef struct {
    sn_contacts *contacts;
    sn_found_contact **near; // contacts that may take over
    int32_t *next, *head;    // lists of them, by a hash of their pills
    uint32_t mask;
    int count;
} handing;

static uint32_t scatter(int a, int b) {
    return (uint32_t)(((uint64_t)(uint32_t)a << 32 | (uint32_t)b) * 0x9E3779B97F4A7C15u >> 32);
}

static bool is_near(const sn_contacts *c, const sn_found_contact *f) {
    const sn_pair pair = c->pairs[f->pair];
    if (sn_is_slab(c, pair.a) || (pair.b < c->elements && sn_is_slab(c, pair.b))) return false;
    if (sn_is_nodal(c, pair.a) || (pair.b < c->elements && sn_is_nodal(c, pair.b))) return false;
    return f->distance < NEAR * c->pill_at[pair.a].rb;
}

// A pill and its neighbours; a collider has none. Returns how many.
static int list_neighbours(const sn_contacts *c, int element, int out[3]) {
    int count = 0;
    out[count++] = element;
    if (element >= c->proxies.count) return count;
    const int before = c->proxies.pills[element].a, after = element + 1;
    if (before >= 0 && c->proxies.pills[before].a >= 0) out[count++] = before;
    if (after < c->proxies.count && c->proxies.pills[after].a == element) out[count++] = after;
    return count;
}

static void hand_over(handing *h, int pair, int feature) {
    sn_contacts *c = h->contacts;
    sn_warm_start *from = &c->warm_starts[SN_FEATURES * pair + feature];
    int a[3], b[3], best = -1;
    const int count_a = list_neighbours(c, c->pairs[pair].a, a), count_b = list_neighbours(c, c->pairs[pair].b, b);
    for (int i = 0; i < count_a * count_b; i++) {
        const int x = a[i % count_a], y = b[i / count_a];
        for (int k = h->head[scatter(x, y) & h->mask]; k >= 0; k = h->next[k]) {
            const sn_pair who = c->pairs[h->near[k]->pair];
            if (who.a != x || who.b != y) continue;
            if (best < 0 || h->near[k]->distance < h->near[best]->distance) best = k;
        }
    }
    if (best < 0 || !(from->stiffness > 0)) return;
    sn_found_contact *to = h->near[best];
    sn_warm_start *warm = &c->warm_starts[SN_FEATURES * to->pair + to->which];
    if (!(warm->load > 0)) {
        *warm = *from;
    } else {
        const sn_real energy = from->load * from->load / from->stiffness + warm->load * warm->load / warm->stiffness;
        warm->load = sn_sqrt(energy * warm->stiffness);
        warm->strength = sn_max(warm->strength, warm->load);
    }
    warm->target = to->distance + warm->load / warm->stiffness;
    to->far = false;
    *from = (sn_warm_start){0};
}

// Bits of the features that pressed and are not found any more.
static unsigned gone(const sn_contacts *c, int pair) {
    return c->pressing[pair] & ~(unsigned)c->found[pair] & SN_PRESSING;
}

sn_status sn_contacts_hand_over(sn_contacts *c, const sn_contact_search *s, int chunks) {
    handing h = {.contacts = c};
    bool any = false;
    for (int i = 0; i < c->pair_count && !any; i++) any = gone(c, i) != 0;
    if (!any) return SN_OK;
    int count = 0;
    for (int chunk = 0; chunk < chunks; chunk++)
        for (int i = 0; i < s->found_count[chunk]; i++)
            count += is_near(c, &s->found[(size_t)chunk * SN_FEATURES * SN_CONTACT_CHUNK + (size_t)i]);
    uint32_t size = 16;
    while (size < 2 * (uint32_t)count) size *= 2;
    h.mask = size - 1;
    h.near = sn_arena_alloc(&c->arena, (size_t)count + 1, sizeof(sn_found_contact *));
    h.next = sn_arena_alloc(&c->arena, (size_t)count + 1, sizeof *h.next);
    h.head = sn_arena_alloc(&c->arena, size, sizeof *h.head);
    if (!h.near || !h.next || !h.head) return SN_ERR_MEMORY;
    for (uint32_t i = 0; i < size; i++) h.head[i] = -1;
    for (int chunk = 0; chunk < chunks; chunk++)
        for (int i = 0; i < s->found_count[chunk]; i++) {
            sn_found_contact *f = &s->found[(size_t)chunk * SN_FEATURES * SN_CONTACT_CHUNK + (size_t)i];
            if (!is_near(c, f)) continue;
            int32_t *head = &h.head[scatter(c->pairs[f->pair].a, c->pairs[f->pair].b) & h.mask];
            h.near[h.count] = f;
            h.next[h.count] = *head;
            *head = h.count++;
        }
    for (int i = 0; h.count > 0 && i < c->pair_count; i++)
        for (int k = 0; k < SN_FEATURES; k++)
            if (gone(c, i) & 1u << k) hand_over(&h, i, k);
    return SN_OK;
}
