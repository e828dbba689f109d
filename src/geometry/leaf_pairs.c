// Pairs of overlapping spheres, in two levels.
//
//     items   o o o o o o|o o o o o|o o|...     a leaf: up to 16 spheres in a row that have one owner and lie together
//              leaf 0     leaf 1    leaf 2      (the pills of an arm of an octopus, a piece of a rope)
//
// The grid finds the pairs of leaves whose bounding spheres overlap. What can be said of owners (bodies that do not collide, or
// sleep) is asked once for a pair of leaves. Then each sphere of one leaf is tested against all of the other in lanes. In a heap
// this is three to four times as fast as a grid over all spheres.
//
// The order of pairs follows from the grid's order of leaves and the items' own, so it does not depend on lanes or workers.
#include "geometry/leaf_pairs.h"
#include "base/simd/lanes.h"

enum { CHUNK = 512, PAIR_CHUNK = 32 };
// A leaf is no longer than this many times its largest radius, so that spheres in no order make small leaves.
#define LONGEST ((sn_real)6)

typedef struct {
    const sn_leaf_items *items;
    sn_leaf_rows rows;
    int *leaf_count; // by chunk; then the first
    sn_leaf *leaves;
    sn_sphere *bounds;
    int count; // of leaves
    sn_leaf_hits_fn *hits_of;
    sn_pair *leaf_pairs;
    int leaf_pair_count;
    uint16_t *hits;  // SN_LEAF for a pair of leaves
    int *pair_count; // by chunk of pairs of leaves; then the first
    sn_pair *pairs;
} work;

static bool is_valid(const sn_sphere *s) {
    const sn_real sum = sn_abs(s->centre.x) + sn_abs(s->centre.y) + sn_abs(s->centre.z) + s->radius;
    return s->radius >= 0 && sum <= (sizeof(sn_real) == 4 ? (sn_real)1e18 : (sn_real)1e150); // squares stay finite
}

// ---- leaves

// The leaf that starts at an item, of those below 'end', and its bound.
static sn_leaf leaf_at(const sn_leaf_items *items, int first, int end, sn_sphere *bound) {
    sn_leaf leaf = {first, 0, 0};
    sn_vec3 lo = sn_v3(0, 0, 0), hi = lo;
    sn_real largest = 0;
    for (int i = first; i < end && i < first + SN_LEAF && items->owner[i] == items->owner[first]; i++) {
        const sn_sphere *s = &items->spheres[i];
        if (is_valid(s)) {
            const sn_vec3 c = s->centre;
            const bool any = leaf.valid != 0;
            const sn_vec3 low = any ? sn_v3(sn_min(lo.x, c.x), sn_min(lo.y, c.y), sn_min(lo.z, c.z)) : c;
            const sn_vec3 high = any ? sn_v3(sn_max(hi.x, c.x), sn_max(hi.y, c.y), sn_max(hi.z, c.z)) : c;
            const sn_real radius = sn_max(largest, s->radius);
            const sn_real length = sn_max(sn_max(high.x - low.x, high.y - low.y), high.z - low.z);
            if (any && !(length <= LONGEST * radius)) break;
            lo = low, hi = high, largest = radius;
            leaf.valid |= 1u << leaf.count;
        }
        leaf.count++;
    }
    *bound = (sn_sphere){sn_lerp(lo, hi, (sn_real)0.5), -1};
    for (int i = 0; i < leaf.count; i++) {
        if (!(leaf.valid >> i & 1)) continue;
        const sn_sphere *s = &items->spheres[first + i];
        bound->radius = sn_max(bound->radius, sn_length(sn_sub(s->centre, bound->centre)) + s->radius);
    }
    const sn_vec3 c = bound->centre; // rounding must not lose a pair
    if (bound->radius >= 0)
        bound->radius += 16 * SN_REAL_EPSILON * (bound->radius + sn_abs(c.x) + sn_abs(c.y) + sn_abs(c.z));
    return leaf;
}

static void make_leaves(work *w, int chunk, bool count_only) {
    const int end = (chunk + 1) * CHUNK < w->items->count ? (chunk + 1) * CHUNK : w->items->count;
    int count = 0;
    for (int i = chunk * CHUNK; i < end;) {
        sn_sphere bound;
        const sn_leaf leaf = leaf_at(w->items, i, end, &bound);
        if (!count_only)
            w->leaves[w->leaf_count[chunk] + count] = leaf, w->bounds[w->leaf_count[chunk] + count] = bound;
        count++;
        i += leaf.count;
    }
    if (count_only) w->leaf_count[chunk] = count;
}

static void count_leaves(void *context, int chunk, int worker) {
    (void)worker;
    make_leaves(context, chunk, true);
}

static void fill_leaves(void *context, int chunk, int worker) {
    (void)worker;
    work *w = context;
    make_leaves(w, chunk, false);
    const int end = (chunk + 1) * CHUNK < w->items->count ? (chunk + 1) * CHUNK : w->items->count;
    for (int i = chunk * CHUNK; i < end; i++) {
        const sn_sphere *s = &w->items->spheres[i];
        const bool valid = is_valid(s);
        w->rows.x[i] = valid ? s->centre.x : 0, w->rows.y[i] = valid ? s->centre.y : 0;
        w->rows.z[i] = valid ? s->centre.z : 0, w->rows.radius[i] = valid ? s->radius : 0;
    }
}

// Turns counts into the first of each; returns the sum, INT32_MAX if that is too large.
static int sum_up(int *counts, int count) {
    int64_t sum = 0;
    for (int k = 0; k < count; k++) {
        const int here = counts[k];
        counts[k] = (int)sum;
        sum += here;
        if (sum > INT32_MAX / 2) return INT32_MAX;
    }
    return (int)sum;
}

static bool alloc_leaves(work *w, sn_arena *arena, int chunks) {
    const size_t n = (size_t)w->items->count + SN_LEAF;
    sn_real **const rows[4] = {&w->rows.x, &w->rows.y, &w->rows.z, &w->rows.radius};
    for (int k = 0; k < 4; k++) {
        *rows[k] = sn_arena_alloc(arena, n, sizeof **rows[k]);
        if (!*rows[k]) return false;
        for (size_t i = n - SN_LEAF; i < n; i++) (*rows[k])[i] = 0; // lanes read past the last
    }
    w->leaf_count = sn_arena_alloc(arena, (size_t)chunks, sizeof *w->leaf_count);
    return w->leaf_count != NULL;
}

// ---- pairs of leaves

static bool keep_leaves(void *user, int a, int b) {
    const work *w = user;
    return w->items->keep_owners(w->items->user, w->leaves[a].first, w->leaves[b].first);
}

// All pairs of leaves: first each leaf with itself.
static sn_status find_leaf_pairs(work *w, sn_grid *grid, int lanes, sn_pool *pool, sn_arena *arena) {
    const sn_grid_items leaves = {.spheres = w->bounds,
                                  .count = w->count,
                                  .keep = w->items->keep_owners ? keep_leaves : NULL,
                                  .user = w,
                                  .max_pairs = w->items->max_pairs};
    sn_pair *found = NULL;
    int count = 0;
    const sn_status status = sn_grid_pairs(grid, &leaves, lanes, pool, arena, &found, &count);
    if (status != SN_OK) {
        w->leaf_pair_count = count;
        return status;
    }
    w->leaf_pairs = sn_arena_alloc(arena, (size_t)w->count + (size_t)count + 1, sizeof *w->leaf_pairs);
    if (!w->leaf_pairs) return SN_ERR_MEMORY;
    for (int i = 0; i < w->count; i++) {
        if (!(w->leaves[i].valid & (w->leaves[i].valid - 1))) continue; // one sphere
        if (!w->items->keep_owners || keep_leaves(w, i, i)) w->leaf_pairs[w->leaf_pair_count++] = (sn_pair){i, i};
    }
    for (int i = 0; i < count; i++) w->leaf_pairs[w->leaf_pair_count++] = found[i];
    return SN_OK;
}

static int pair_chunks(const work *w) {
    return (w->leaf_pair_count + PAIR_CHUNK - 1) / PAIR_CHUNK;
}

static void test_pairs(void *context, int chunk, int worker) {
    (void)worker;
    work *w = context;
    const sn_leaf_items *items = w->items;
    int count = 0;
    for (int p = chunk * PAIR_CHUNK; p < (chunk + 1) * PAIR_CHUNK && p < w->leaf_pair_count; p++) {
        const sn_pair pair = w->leaf_pairs[p];
        const sn_leaf *a = &w->leaves[pair.a], *b = &w->leaves[pair.b];
        uint16_t *hits = w->hits + (size_t)p * SN_LEAF;
        w->hits_of(&w->rows, a, b, &w->bounds[pair.b], hits);
        for (int i = 0; i < a->count; i++) {
            if (pair.a == pair.b) hits[i] &= (uint16_t) ~((2u << i) - 1);
            for (uint32_t left = hits[i]; left; left &= left - 1) {
                const int k = __builtin_ctz(left);
                if (items->keep && !items->keep(items->user, a->first + i, b->first + k))
                    hits[i] &= (uint16_t) ~(1u << k);
                else
                    count++;
            }
        }
    }
    w->pair_count[chunk] = count;
}

static void fill_pairs(void *context, int chunk, int worker) {
    (void)worker;
    work *w = context;
    sn_pair *to = w->pairs + w->pair_count[chunk];
    for (int p = chunk * PAIR_CHUNK; p < (chunk + 1) * PAIR_CHUNK && p < w->leaf_pair_count; p++) {
        const sn_leaf *a = &w->leaves[w->leaf_pairs[p].a], *b = &w->leaves[w->leaf_pairs[p].b];
        const uint16_t *hits = w->hits + (size_t)p * SN_LEAF;
        for (int i = 0; i < a->count; i++)
            for (uint32_t left = hits[i]; left; left &= left - 1)
                *to++ = (sn_pair){a->first + i, b->first + __builtin_ctz(left)};
    }
}

static sn_leaf_hits_fn *hits_for(int lanes) {
#define CHOOSE(w)                                                                                                      \
    if (lanes == w) return sn_leaf_hits_w##w;
    SN_EACH_WIDTH(CHOOSE)
    return NULL;
}

sn_status sn_leaf_pairs(sn_grid *grid, const sn_leaf_items *items, int lanes, sn_pool *pool, sn_arena *arena,
                        sn_pair **pairs, int *pair_count) {
    *pairs = NULL, *pair_count = 0;
    work w = {.items = items, .hits_of = hits_for(lanes)};
    if (!w.hits_of || items->count < 0) return SN_ERR_RANGE;
    if (items->count <= 1) return SN_OK;
    const int chunks = (items->count + CHUNK - 1) / CHUNK;
    if (!alloc_leaves(&w, arena, chunks)) return SN_ERR_MEMORY;
    sn_parallel_for(pool, chunks, 1, count_leaves, &w);
    w.count = sum_up(w.leaf_count, chunks);
    w.leaves = sn_arena_alloc(arena, (size_t)w.count, sizeof *w.leaves);
    w.bounds = sn_arena_alloc(arena, (size_t)w.count, sizeof *w.bounds);
    if (!w.leaves || !w.bounds) return SN_ERR_MEMORY;
    sn_parallel_for(pool, chunks, 1, fill_leaves, &w);

    const sn_status status = find_leaf_pairs(&w, grid, lanes, pool, arena);
    if (status == SN_ERR_PAIRS) *pair_count = w.leaf_pair_count;
    if (status != SN_OK || w.leaf_pair_count == 0) return status;
    w.hits = sn_arena_alloc(arena, (size_t)w.leaf_pair_count * SN_LEAF, sizeof *w.hits);
    w.pair_count = sn_arena_alloc(arena, (size_t)pair_chunks(&w), sizeof *w.pair_count);
    if (!w.hits || !w.pair_count) return SN_ERR_MEMORY;
    sn_parallel_for(pool, pair_chunks(&w), 1, test_pairs, &w);
    const int total = sum_up(w.pair_count, pair_chunks(&w));
    if (items->max_pairs > 0 && total > items->max_pairs) { // before there is memory for them
        *pair_count = total;
        return SN_ERR_PAIRS;
    }
    if (total == INT32_MAX) return SN_ERR_MEMORY;
    if (total == 0) return SN_OK;
    w.pairs = sn_arena_alloc(arena, (size_t)total, sizeof *w.pairs);
    if (!w.pairs) return SN_ERR_MEMORY;
    sn_parallel_for(pool, pair_chunks(&w), 1, fill_pairs, &w);
    *pairs = w.pairs, *pair_count = total;
    return SN_OK;
}
