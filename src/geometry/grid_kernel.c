// Stage 6 of the grid: finds the partners of each sphere, SN_LANES at a time. See grid.c.
#include "geometry/grid_work.h"
#include "geometry/lane_bits.h"

#define CANDIDATES 1024

sn_iteration_fn SN_LANE_NAME(sn_grid_look);

// The spheres at all places, separate from the rest so that the compiler knows they do not change.
typedef struct {
    const sn_real *restrict x, *restrict y, *restrict z, *restrict radius;
    const sn_real_bits *restrict body;
} rows;

// One bit for each of SN_LANES places from 'place' on whose sphere overlaps the one at 'at' and has another body.
SN_INLINE uint32_t overlapping(const rows *r, int place, int at) {
    vreal dx = v_load_any(r->x + place) - r->x[at], dy = v_load_any(r->y + place) - r->y[at],
          dz = v_load_any(r->z + place) - r->z[at];
    vreal sum = v_load_any(r->radius + place) + r->radius[at];
    vmask bodies;
    __builtin_memcpy(&bodies, r->body + place, sizeof bodies);
#if SN_LANES == 1
    vmask same = -(vmask)(bodies == r->body[at]);
#else
    vmask same = (vmask)(bodies == r->body[at]);
#endif
    return ALL_BITS & ~(v_bits(same) | v_bits(v_less(sum * sum, dx * dx + dy * dy + dz * dz)));
}

// A block's list of pairs, in chunks; without free chunks it only counts.
typedef struct {
    sn_grid_work *w;
    sn_grid_block *block;
    sn_pair *chunk;
    int32_t last_chunk, filled;
} list;

static void new_chunk(list *l) {
    int id = atomic_fetch_add_explicit(&l->w->chunk_count, 1, memory_order_relaxed);
    l->chunk = id < l->w->chunk_capacity ? l->w->chunks + (size_t)id * CHUNK_PAIRS : NULL;
    l->filled = 0;
    if (!l->chunk) return;
    *(l->last_chunk == NO_CHUNK ? &l->block->first_chunk : &l->w->next_chunk[l->last_chunk]) = id;
    l->w->next_chunk[id] = NO_CHUNK;
    l->last_chunk = id;
}

static void add_pair(list *l, int i, int j) {
    const sn_grid_items *items = l->w->items;
    int a = i < j ? i : j, b = i < j ? j : i;
    if (items->groups && items->masks) {
        if (!(items->groups[a] & items->masks[b]) || !(items->groups[b] & items->masks[a])) return;
    }
    if (items->keep && !items->keep(items->user, a, b)) return;
    if (l->block->pair_count % CHUNK_PAIRS == 0) new_chunk(l);
    l->block->pair_count += 1;
    if (l->chunk) l->chunk[l->filled++] = (sn_pair){a, b};
}

// ---- candidates

// SN_LANES neighbouring places; those in 'bits' may overlap the group.
typedef struct {
    int32_t place;
    uint32_t bits;
    sn_grid_key row; // only spheres of this row count
} candidate;

// Spheres of one cell, at neighbouring places, and their candidates.
typedef struct {
    list *list;
    int first, end; // places
    sn_vec3 lo, hi; // box of the centres
    sn_real radius; // the largest
    int seen;       // places visited since the last test
    int candidate_count;
    candidate candidates[CANDIDATES + 1]; // one spare entry, written before it counts
} group;

// Tests every sphere of the group against every candidate.
static void overlap(group *g) {
    const sn_grid_work *w = g->list->w;
    const rows r = {w->x, w->y, w->z, w->radius, w->body};
    const int count = g->candidate_count;
    for (int i = g->first; i < g->end; i++) {
        for (int k = 0; k < count; k++) {
            const candidate *c = &g->candidates[k];
            uint32_t hits = c->bits & overlapping(&r, c->place, i);
            for (; hits; hits &= hits - 1) {
                int place = c->place + __builtin_ctz(hits);
                if (sn_grid_key_row(w->key_at[place]) == c->row) add_pair(g->list, w->item_at[i], w->item_at[place]);
            }
        }
    }
    g->candidate_count = 0;
    g->seen = 0;
}

// Collects those of at most CANDIDATES places from 'from' to 'to' that are near the group's box.
SN_INLINE void note_piece(group *g, int from, int to, sn_grid_key row) {
    const sn_grid_work *w = g->list->w;
    const rows r = {w->x, w->y, w->z, w->radius, w->body};
    const sn_vec3 lo = g->lo, hi = g->hi;
    vreal zero = v_set(0);
    for (int j = from; j < to; j += SN_LANES) {
        vreal x = v_load_any(r.x + j), y = v_load_any(r.y + j), z = v_load_any(r.z + j);
        vreal dx = v_max(v_max(lo.x - x, x - hi.x), zero);
        vreal dy = v_max(v_max(lo.y - y, y - hi.y), zero);
        vreal dz = v_max(v_max(lo.z - z, z - hi.z), zero);
        vreal sum = v_load_any(r.radius + j) + g->radius;
        uint32_t bits = ALL_BITS & ~v_bits(v_less(sum * sum, dx * dx + dy * dy + dz * dz));
        if (to - j < SN_LANES) bits &= (1u << (to - j)) - 1;
        g->candidates[g->candidate_count] = (candidate){j, bits, row};
        g->candidate_count += bits != 0;
    }
}

// The same for any number of places. When the list is full, the group is tested first. That is decided by places, not
// by candidates, so that the order of pairs is the same for every lane width.
SN_INLINE void note_stretch(group *g, int from, int to, sn_grid_key row) {
    while (from < to) {
        int piece = to - from < CANDIDATES ? to - from : CANDIDATES;
        if (g->seen + piece > CANDIDATES) overlap(g);
        g->seen += piece;
        note_piece(g, from, from + piece, row);
        from += piece;
    }
}

// The same for the cells x0 to x1 of a row; if after >= 0, only for places from there on.
static void note_row(group *g, sn_grid_key row, int x0, int x1, int after) {
    const sn_grid_work *w = g->list->w;
    uint32_t size = 1u << w->table_bits, bucket = sn_grid_bucket(w, row, x0), end = bucket + (uint32_t)(x1 - x0) + 1;
    int from = after >= 0 ? after : w->start[bucket];
    if (end <= size) {
        note_stretch(g, from, w->start[end], row);
    } else { // wraps around the end of the table
        note_stretch(g, from, w->placed, row);
        note_stretch(g, 0, w->start[end - size], row);
    }
}

// ---- groups

// Pairs within the group.
static void overlap_each_other(group *g) {
    const sn_grid_work *w = g->list->w;
    const rows r = {w->x, w->y, w->z, w->radius, w->body};
    for (int i = g->first; i < g->end - 1; i++) {
        for (int j = i + 1; j < g->end; j += SN_LANES) {
            uint32_t hits = overlapping(&r, j, i);
            if (g->end - j < SN_LANES) hits &= (1u << (g->end - j)) - 1;
            for (; hits; hits &= hits - 1) add_pair(g->list, w->item_at[i], w->item_at[j + __builtin_ctz(hits)]);
        }
    }
}

// The spheres of one cell from 'first' on, as far as they are at neighbouring places.
static void make_group(group *g, int first, int end) {
    const sn_grid_work *w = g->list->w;
    sn_grid_key key = w->key_at[first];
    sn_vec3 lo = {w->x[first], w->y[first], w->z[first]}, hi = lo;
    sn_real radius = w->radius[first];
    int i = first + 1;
    for (; i < end && w->key_at[i] == key; i++) {
        lo = sn_v3(sn_min(lo.x, w->x[i]), sn_min(lo.y, w->y[i]), sn_min(lo.z, w->z[i]));
        hi = sn_v3(sn_max(hi.x, w->x[i]), sn_max(hi.y, w->y[i]), sn_max(hi.z, w->z[i]));
        radius = sn_max(radius, w->radius[i]);
    }
    g->first = first;
    g->end = i;
    g->lo = lo;
    g->hi = hi;
    g->radius = radius;
}

static void look(group *g) {
    const sn_grid_work *w = g->list->w;
    sn_grid_key key = w->key_at[g->first];
    int own = sn_grid_key_level(key), own_y = sn_grid_key_y(key), own_z = sn_grid_key_z(key);
    overlap_each_other(g);
    for (int level = own; level < w->levels; level++) {
        if (!w->used[level]) continue;
        sn_real reach = (g->radius + w->reach[level]) * (1 + 8 * SN_REAL_EPSILON);
        int x0 = sn_grid_cell(w, level, 0, g->lo.x - reach), x1 = sn_grid_cell(w, level, 0, g->hi.x + reach);
        int y0 = sn_grid_cell(w, level, 1, g->lo.y - reach), y1 = sn_grid_cell(w, level, 1, g->hi.y + reach);
        int z0 = sn_grid_cell(w, level, 2, g->lo.z - reach), z1 = sn_grid_cell(w, level, 2, g->hi.z + reach);
        // A pair on one level is found by the sphere whose row is first; in one row, by the earlier cell and place.
        if (level == own) {
            note_row(g, sn_grid_key_row(key), sn_grid_key_x(key), x1, g->end);
            z0 = own_z;
        }
        for (int z = z0; z <= z1; z++) {
            int first = level == own && z == own_z ? own_y + 1 : y0;
            for (int y = first; y <= y1; y++) note_row(g, sn_grid_row(level, y, z), x0, x1, -1);
        }
    }
    overlap(g);
}

void SN_LANE_NAME(sn_grid_look)(void *context, int index, int worker) {
    sn_grid_work *w = context;
    (void)worker;
    sn_grid_block *b = &w->blocks[index];
    b->first_chunk = NO_CHUNK;
    b->pair_count = 0;
    list l = {.w = w, .block = b, .last_chunk = NO_CHUNK};
    group g;
    g.list = &l;
    g.candidate_count = g.seen = 0;
    int end = sn_grid_block_end(w, index, w->placed);
    for (int place = index * w->block_size; place < end; place = g.end) {
        make_group(&g, place, end);
        look(&g);
    }
}
