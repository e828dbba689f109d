// What the stages of the grid share; see grid.c for the idea.
#ifndef SN_SHAPE_GRID_WORK_H
#define SN_SHAPE_GRID_WORK_H

#include "shape/grid.h"
#include <stdatomic.h>

#define LEVELS      24 // sizes from 1 to 2^23; smaller spheres than that share the finest level
#define CELL_BITS   21 // of a cell's number along an axis
#define LAST_CELL   ((1 << CELL_BITS) - 1)
#define CHUNK_PAIRS 256
#define NO_CHUNK    -1
#define LANES_MOST  16

typedef struct {
    double lo[3], hi[3], smallest, largest; // stage 1
    int32_t level_count[LEVELS];            // stage 2
    sn_real level_radius[LEVELS];           // the largest on each level
    int64_t pair_count;                     // stage 6
    int32_t first_chunk;
    int32_t first_pair; // stage 7
} sn_grid_block;

// A sphere on its way to its place.
typedef struct {
    uint64_t row;
    uint32_t bucket;
    int32_t item;
} sn_grid_entry;

typedef struct {
    const sn_grid_items *items;
    int count, block_size, block_count;
    sn_grid_block *blocks;

    double origin[3];
    int levels;
    double cell[LEVELS], per_cell[LEVELS]; // edge, and its inverse
    bool used[LEVELS];
    sn_real reach[LEVELS]; // the largest radius

    int table_bits, part_bits, part_count; // bucket >> part_bits is its part
    uint64_t *rows;                        // by item
    uint32_t *buckets;
    int32_t *histogram;     // [part][block], then where each begins
    int32_t *part_first;    // [part + 1]
    sn_grid_entry *entries; // sorted by part

    int32_t *start; // by bucket: its first place; one more at the end
    int placed;     // how many places there are; all below is by place
    sn_real *x, *y, *z, *radius;
    sn_real_bits *body; // spheres with the same number make no pair
    uint64_t *row_at;
    int32_t *item_at;

    sn_pair *chunks;
    int32_t *next_chunk;
    int chunk_capacity;
    atomic_int chunk_count;
    sn_pair *pairs;
} sn_grid_work;

// Where a block ends in a loop over 'total'.
static inline int sn_grid_block_end(const sn_grid_work *w, int index, int total) {
    int end = (index + 1) * w->block_size;
    return end < total ? end : total;
}

// The cell along an axis that holds the coordinate x; monotone in x.
static inline int sn_grid_cell(const sn_grid_work *w, int level, int axis, double x) {
    double cells = (x - w->origin[axis]) * w->per_cell[level];
    return cells > 0 ? (cells < LAST_CELL ? (int)cells : LAST_CELL) : 0;
}

static inline uint64_t sn_grid_row(int level, int y, int z) {
    return (uint64_t)level << (2 * CELL_BITS) | (uint64_t)z << CELL_BITS | (uint64_t)y;
}

static inline uint32_t sn_grid_bucket(const sn_grid_work *w, uint64_t row, int x) {
    uint64_t mixed = row * 0x9E3779B97F4A7C15u;
    mixed ^= mixed >> 29;
    mixed *= 0xBF58476D1CE4E5B9u;
    return ((uint32_t)(mixed >> 32) + (uint32_t)x) & ((1u << w->table_bits) - 1);
}

// Stage 6 for one block, in lanes: fills its list of pairs. An sn_iteration_fn over blocks.
sn_iteration_fn sn_grid_look_w1, sn_grid_look_w4, sn_grid_look_w8, sn_grid_look_w16;

#endif
