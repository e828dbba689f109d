// Finds overlapping pairs of spheres with a hierarchy of hashed grids (after Green 2010 and VIPER, section 7.1).
//
// Level l has cubic cells of edge base * 2^l. A sphere is stored on the finest level whose cells are at least its
// diameter, in the cell of its centre. Overlapping spheres of a level are then at most one cell apart. A sphere finds
// larger ones by searching their levels, where it visits even fewer cells. Small spheres search for large ones, never
// the other way.
//
//   row (level, z, y) --hash--> +---+---+---+---+---+---     Cells of one row along x are neighbours in the table,
//                      x ->     | 4 | 5 | 6 | 7 |            so the three cells x-1, x, x+1 are one range of the
//                               +---+---+---+---+---+---     sorted spheres: 9 lookups instead of 27.
//
// The spheres of a cell search together: candidates near their common box are collected once, then each sphere is
// tested against the candidates, one row of SIMD lanes at a time.
//
// Different rows may hash to the same bucket. That costs time but gives no wrong pairs: the spheres are tested, and a
// pair counts only if its row is the one searched for, so no pair is found twice.
//
// Rounding cannot lose a pair. A cell's number is a monotone function of the coordinate, and a group searches from the
// cell of lo - reach to the cell of hi + reach, computed by the same function. The rounded distance to the group's box
// is never more than that to a sphere in it.
//
// Stages, each a parallel loop over blocks of fixed size, so that results do not depend on the number of workers:
//   1 measure the scene                        5 counting sort within each part
//   2 number the cells, count them by part     6 find pairs (grid_kernel.c)
//   3 prefix sums (serial)                     7 concatenate the blocks' lists
//   4 scatter to the parts of the table
#include "base/simd/lanes.h"
#include "geometry/grid_work.h"
#include <string.h>

#define CELL_PER_RADIUS 2 // an edge of at least the diameter. Measured: 1.5 costs 25 % more, 4 costs 33 % more
#define PARTS_BITS      8 // at most 256 parts of the table,
#define PART_MIN_BITS   6 // each of at least 64 buckets
#define BLOCK_MIN       512
#define BLOCKS_MAX      1024
#define NO_BUCKET       UINT32_MAX

static bool is_included(const sn_sphere *s) {
    const double limit = sizeof(sn_real) == 4 ? 1e18 : 1e150; // squares stay finite
    double max_coordinate =
        (double)sn_abs(s->centre.x) + (double)sn_abs(s->centre.y) + (double)sn_abs(s->centre.z) + (double)s->radius;
    return s->radius >= 0 && max_coordinate <= limit; // false for NaN
}

// ---- 1: measure

static void measure(void *context, int index, int worker) {
    sn_grid_work *w = context;
    (void)worker;
    sn_grid_block *b = &w->blocks[index];
    *b = (sn_grid_block){.lo = {1e300, 1e300, 1e300}, .hi = {-1e300, -1e300, -1e300}, .smallest = 1e300, .largest = -1};
    for (int i = index * w->block_size; i < sn_grid_block_end(w, index, w->count); i++) {
        const sn_sphere *s = &w->items->spheres[i];
        if (!is_included(s)) continue;
        const double c[3] = {s->centre.x, s->centre.y, s->centre.z}, r = s->radius;
        for (int k = 0; k < 3; k++) {
            b->lo[k] = c[k] < b->lo[k] ? c[k] : b->lo[k];
            b->hi[k] = c[k] > b->hi[k] ? c[k] : b->hi[k];
        }
        b->smallest = r < b->smallest ? r : b->smallest;
        b->largest = r > b->largest ? r : b->largest;
    }
}

// Chooses the levels. False: there are no valid spheres.
static bool choose_levels(sn_grid_work *w) {
    sn_grid_block all = w->blocks[0];
    for (int i = 1; i < w->block_count; i++) {
        const sn_grid_block *b = &w->blocks[i];
        for (int k = 0; k < 3; k++) {
            all.lo[k] = b->lo[k] < all.lo[k] ? b->lo[k] : all.lo[k];
            all.hi[k] = b->hi[k] > all.hi[k] ? b->hi[k] : all.hi[k];
        }
        all.smallest = b->smallest < all.smallest ? b->smallest : all.smallest;
        all.largest = b->largest > all.largest ? b->largest : all.largest;
    }
    if (all.largest < 0) return false;

    double extent = 0;
    for (int k = 0; k < 3; k++) {
        w->origin[k] = all.lo[k];
        extent = all.hi[k] - all.lo[k] > extent ? all.hi[k] - all.lo[k] : extent;
    }
    double base = CELL_PER_RADIUS * all.smallest;
    double by_extent = extent / LAST_CELL, by_levels = CELL_PER_RADIUS * all.largest / (1 << (LEVELS - 1));
    base = base < by_extent ? by_extent : base;
    base = base < by_levels ? by_levels : base;
    base = base < 1e-100 ? 1 : base; // all are points at one position
    w->levels = 0;
    for (double cell = base; w->levels < LEVELS; cell *= 2) {
        w->cell[w->levels] = cell;
        w->per_cell[w->levels] = 1 / cell;
        w->levels += 1;
        if (cell >= CELL_PER_RADIUS * all.largest) break;
    }
    return true;
}

// ---- 2: number the cells

static void number_cells(void *context, int index, int worker) {
    sn_grid_work *w = context;
    (void)worker;
    sn_grid_block *b = &w->blocks[index];
    for (int i = index * w->block_size; i < sn_grid_block_end(w, index, w->count); i++) {
        const sn_sphere *s = &w->items->spheres[i];
        w->buckets[i] = NO_BUCKET;
        if (!is_included(s)) continue;
        int level = 0;
        while (level < w->levels - 1 && w->cell[level] < CELL_PER_RADIUS * (double)s->radius) level++;
        int x = sn_grid_cell(w, level, 0, s->centre.x);
        sn_grid_key row =
            sn_grid_row(level, sn_grid_cell(w, level, 1, s->centre.y), sn_grid_cell(w, level, 2, s->centre.z));
        w->keys[i] = row | (sn_grid_key)x;
        w->buckets[i] = sn_grid_bucket(w, row, x);
        w->histogram[(uint32_t)(index * w->part_count) + (w->buckets[i] >> w->part_bits)] += 1;
        b->level_count[level] += 1;
        b->level_radius[level] = sn_max(b->level_radius[level], s->radius);
    }
}

// ---- 3: prefix sums

static void sum_up(sn_grid_work *w) {
    int sum = 0;
    for (int part = 0; part < w->part_count; part++) {
        w->part_first[part] = sum;
        for (int b = 0; b < w->block_count; b++) {
            int32_t *cell = &w->histogram[b * w->part_count + part];
            int here = *cell;
            *cell = sum;
            sum += here;
        }
    }
    w->part_first[w->part_count] = sum;
    w->placed = sum;
    for (int i = sum; i < sum + LANES_MAX; i++) { // lanes read past the last
        w->x[i] = w->y[i] = w->z[i] = w->radius[i] = 0;
        w->body[i] = 0;
    }
    for (int level = 0; level < w->levels; level++) {
        for (int b = 0; b < w->block_count; b++) {
            w->used[level] |= w->blocks[b].level_count[level] > 0;
            w->reach[level] = sn_max(w->reach[level], w->blocks[b].level_radius[level]);
        }
    }
}

// ---- 4: scatter to the parts

static void scatter(void *context, int index, int worker) {
    sn_grid_work *w = context;
    (void)worker;
    for (int i = index * w->block_size; i < sn_grid_block_end(w, index, w->count); i++) {
        if (w->buckets[i] == NO_BUCKET) continue;
        int32_t *place = &w->histogram[(uint32_t)(index * w->part_count) + (w->buckets[i] >> w->part_bits)];
        w->entries[(*place)++] = (sn_grid_entry){w->keys[i], w->buckets[i], i};
    }
}

// ---- 5: sort each part

static void sort_part(void *context, int part, int worker) {
    sn_grid_work *w = context;
    (void)worker;
    int first = w->part_first[part], end = w->part_first[part + 1];
    int buckets = 1 << w->part_bits;
    int32_t *start = w->start + (size_t)part * (size_t)buckets; // this part's range of the table
    memset(start, 0, (size_t)buckets * sizeof *start);
    uint32_t low = (uint32_t)buckets - 1;
    bool bodies = w->items->body && !w->items->same_body;
    for (int i = first; i < end; i++) start[w->entries[i].bucket & low] += 1;
    int sum = first;
    for (int b = 0; b < buckets; b++) {
        sum += start[b];
        start[b] = sum; // the end; the loop below counts it down to the beginning
    }
    for (int i = end - 1; i >= first; --i) { // backwards: equal buckets keep their order
        const sn_grid_entry *e = &w->entries[i];
        int place = --start[e->bucket & low];
        const sn_sphere *sphere = &w->items->spheres[e->item];
        w->x[place] = sphere->centre.x;
        w->y[place] = sphere->centre.y;
        w->z[place] = sphere->centre.z;
        w->radius[place] = sphere->radius;
        w->body[place] = bodies ? w->items->body[e->item] : e->item;
        w->key_at[place] = e->key;
        w->item_at[place] = e->item;
    }
}

// ---- 7: concatenate the lists

static void join(void *context, int index, int worker) {
    sn_grid_work *w = context;
    (void)worker;
    const sn_grid_block *b = &w->blocks[index];
    sn_pair *to = w->pairs + b->first_pair;
    int left = (int)b->pair_count;
    for (int chunk = b->first_chunk; left > 0; chunk = w->next_chunk[chunk]) {
        int here = left < CHUNK_PAIRS ? left : CHUNK_PAIRS;
        memcpy(to, w->chunks + (size_t)chunk * CHUNK_PAIRS, (size_t)here * sizeof *to);
        to += here;
        left -= here;
    }
}

static bool alloc_chunks(sn_grid_work *w, sn_arena *arena, int chunks) {
    w->chunk_capacity = chunks;
    w->chunks = sn_arena_alloc(arena, (size_t)chunks, CHUNK_PAIRS * sizeof *w->chunks);
    w->next_chunk = sn_arena_alloc(arena, (size_t)chunks, sizeof *w->next_chunk);
    return w->chunks && w->next_chunk;
}

static bool alloc_tables(sn_grid_work *w, sn_arena *arena) {
    size_t n = (size_t)w->count, blocks = (size_t)w->block_count, parts = (size_t)w->part_count;
    w->keys = sn_arena_alloc(arena, n, sizeof *w->keys);
    w->buckets = sn_arena_alloc(arena, n, sizeof *w->buckets);
    w->histogram = sn_arena_alloc(arena, blocks * parts, sizeof *w->histogram);
    w->part_first = sn_arena_alloc(arena, parts + 1, sizeof *w->part_first);
    w->entries = sn_arena_alloc(arena, n, sizeof *w->entries);
    w->start = sn_arena_alloc(arena, ((size_t)1 << w->table_bits) + 1, sizeof *w->start);
    sn_real **const numbers[4] = {&w->x, &w->y, &w->z, &w->radius};
    for (int i = 0; i < 4; i++) {
        *numbers[i] = sn_arena_alloc(arena, n + LANES_MAX, sizeof **numbers[i]);
        if (!*numbers[i]) return false;
    }
    w->body = sn_arena_alloc(arena, n + LANES_MAX, sizeof *w->body);
    w->key_at = sn_arena_alloc(arena, n, sizeof *w->key_at);
    w->item_at = sn_arena_alloc(arena, n, sizeof *w->item_at);
    if (!w->keys || !w->buckets || !w->histogram || !w->part_first || !w->entries || !w->start) return false;
    if (!w->body || !w->key_at || !w->item_at) return false;
    memset(w->histogram, 0, blocks * parts * sizeof *w->histogram);
    return true;
}

static sn_iteration_fn *look_for(int lanes) {
#define CHOOSE(w)                                                                                                      \
    if (lanes == w) return sn_grid_look_w##w;
    SN_EACH_WIDTH(CHOOSE)
    return NULL;
}

sn_status sn_grid_pairs(sn_grid *grid, const sn_grid_items *items, int lanes, sn_pool *pool, sn_arena *arena,
                        sn_pair **pairs, int *pair_count) {
    *pairs = NULL;
    *pair_count = 0;
    sn_iteration_fn *look = look_for(lanes);
    if (!look || items->count < 0) return SN_ERR_RANGE;
    if (items->count <= 1) return SN_OK;

    sn_grid_work w = {.items = items, .count = items->count};
    w.block_size = (w.count - 1) / BLOCKS_MAX + 1;
    if (w.block_size < BLOCK_MIN) w.block_size = BLOCK_MIN;
    w.block_count = (w.count - 1) / w.block_size + 1;
    w.table_bits = 6;
    while (w.table_bits < 30 && (1 << w.table_bits) < 2 * (int64_t)w.count) w.table_bits++;
    w.part_bits = w.table_bits > PART_MIN_BITS + PARTS_BITS ? w.table_bits - PARTS_BITS : PART_MIN_BITS;
    w.part_count = 1 << (w.table_bits - w.part_bits);

    w.blocks = sn_arena_alloc(arena, (size_t)w.block_count, sizeof *w.blocks);
    if (!w.blocks) return SN_ERR_MEMORY;
    sn_parallel_for(pool, w.block_count, 1, measure, &w);
    if (!choose_levels(&w)) return SN_OK;

    int hint = grid->chunks + grid->chunks / 8;
    int lowest = 2 * w.block_count;
    if (!alloc_tables(&w, arena) || !alloc_chunks(&w, arena, hint > lowest ? hint : lowest)) return SN_ERR_MEMORY;
    sn_parallel_for(pool, w.block_count, 1, number_cells, &w);
    sum_up(&w);
    sn_parallel_for(pool, w.block_count, 1, scatter, &w);
    sn_parallel_for(pool, w.part_count, 1, sort_part, &w);
    w.start[(size_t)1 << w.table_bits] = w.placed;

    sn_parallel_for(pool, w.block_count, 1, look, &w);
    int64_t sum = 0;
    for (int i = 0; i < w.block_count; i++) sum += w.blocks[i].pair_count;
    if (items->max_pairs > 0 && sum > items->max_pairs) { // before there is memory for them
        *pair_count = sum < INT32_MAX ? (int)sum : INT32_MAX;
        return SN_ERR_PAIRS;
    }
    int needed = atomic_load(&w.chunk_count);
    if (needed > w.chunk_capacity) { // repeat, now that the number is known
        if (!alloc_chunks(&w, arena, needed)) return SN_ERR_MEMORY;
        atomic_store(&w.chunk_count, 0);
        sn_parallel_for(pool, w.block_count, 1, look, &w);
    }
    grid->chunks = needed;

    sum = 0;
    for (int i = 0; i < w.block_count; i++) {
        w.blocks[i].first_pair = (int32_t)sum;
        sum += w.blocks[i].pair_count;
        if (sum > INT32_MAX / 2) return SN_ERR_MEMORY;
    }
    if (sum == 0) return SN_OK;
    w.pairs = sn_arena_alloc(arena, (size_t)sum, sizeof *w.pairs);
    if (!w.pairs) return SN_ERR_MEMORY;
    sn_parallel_for(pool, w.block_count, 1, join, &w);
    *pairs = w.pairs;
    *pair_count = (int)sum;
    return SN_OK;
}
