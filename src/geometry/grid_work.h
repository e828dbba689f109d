// Data that the stages of the grid share; see grid.c.
#ifndef SN_GEOMETRY_GRID_WORK_H
#define SN_GEOMETRY_GRID_WORK_H

#include "geometry/grid.h"
#include <stdatomic.h>

#define LEVELS      16 // a range of radii of 2^15; smaller spheres share the finest level
#define CELL_BITS   20 // of a cell's number along an axis
#define LAST_CELL   ((1 << CELL_BITS) - 1)
#define CHUNK_PAIRS 256
#define NO_CHUNK    -1
#define LANES_MAX   16

typedef struct {
    double lo[3], hi[3], smallest, largest; // stage 1
    int32_t level_count[LEVELS];            // stage 2
    sn_real level_radius[LEVELS];           // the largest on each level
    int64_t pair_count;                     // stage 6
    int32_t first_chunk;
    int32_t first_pair; // stage 7
} sn_grid_block;

// A cell: four bits for its level, twenty each for z, y and x. Without x it is a row.
typedef uint64_t sn_grid_key;

// A sphere before it has its place.
typedef struct {
    sn_grid_key key;
    uint32_t bucket;
    int32_t item;
} sn_grid_entry;

typedef struct {
    const sn_grid_items *items;
    int count, block_size, block_count;
    sn_grid_block *blocks;

    double origin[3];
    int levels;
    double cell[LEVELS], per_cell[LEVELS]; // edge of a cell, and its inverse
    bool used[LEVELS];
    sn_real reach[LEVELS]; // the largest radius

    int table_bits, part_bits, part_count; // the part of a bucket is bucket >> part_bits
    sn_grid_key *keys;                     // by item
    uint32_t *buckets;
    int32_t *histogram;     // [part][block], then the first of each
    int32_t *part_first;    // [part + 1]
    sn_grid_entry *entries; // sorted by part

    int32_t *start; // by bucket: its first place; one extra at the end
    int placed;     // number of places; everything below is by place
    sn_real *x, *y, *z, *radius;
    sn_real_bits *body; // spheres with equal numbers form no pair
    sn_grid_key *key_at;
    int32_t *item_at;

    sn_pair *chunks;
    int32_t *next_chunk;
    int chunk_capacity;
    atomic_int chunk_count;
    sn_pair *pairs;
} sn_grid_work;

// The end of a block in a loop over 'total'.
static inline int sn_grid_block_end(const sn_grid_work *w, int index, int total) {
    int end = (index + 1) * w->block_size;
    return end < total ? end : total;
}

// The cell along an axis that holds the coordinate x; monotone in x.
static inline int sn_grid_cell(const sn_grid_work *w, int level, int axis, double x) {
    double cells = (x - w->origin[axis]) * w->per_cell[level];
    return cells > 0 ? (cells < LAST_CELL ? (int)cells : LAST_CELL) : 0;
}

static inline sn_grid_key sn_grid_row(int level, int y, int z) {
    return (sn_grid_key)level << (3 * CELL_BITS) | (sn_grid_key)z << (2 * CELL_BITS) | (sn_grid_key)y << CELL_BITS;
}
static inline int sn_grid_key_level(sn_grid_key key) {
    return (int)(key >> (3 * CELL_BITS));
}
static inline int sn_grid_key_z(sn_grid_key key) {
    return (int)(key >> (2 * CELL_BITS) & LAST_CELL);
}
static inline int sn_grid_key_y(sn_grid_key key) {
    return (int)(key >> CELL_BITS & LAST_CELL);
}
static inline int sn_grid_key_x(sn_grid_key key) {
    return (int)(key & LAST_CELL);
}
static inline sn_grid_key sn_grid_key_row(sn_grid_key key) {
    return key & ~(sn_grid_key)LAST_CELL;
}

static inline uint32_t sn_grid_bucket(const sn_grid_work *w, sn_grid_key row, int x) {
    uint64_t mixed = row * 0x9E3779B97F4A7C15u;
    mixed ^= mixed >> 29;
    mixed *= 0xBF58476D1CE4E5B9u;
    return ((uint32_t)(mixed >> 32) + (uint32_t)x) & ((1u << w->table_bits) - 1);
}

// Stage 6 for one block, in lanes: fills the block's list of pairs. An sn_iteration_fn over blocks.
sn_iteration_fn sn_grid_look_w1, sn_grid_look_w4, sn_grid_look_w8, sn_grid_look_w16;

#endif
