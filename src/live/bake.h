// A baked scene: everything that a run needs in one block of bytes, so that whoever runs it reads no scene files and
// computes no skins. docs/live-protocol.md draws it. Little-endian; offsets count from its start, in multiples of 8.
#ifndef SN_LIVE_BAKE_H
#define SN_LIVE_BAKE_H

#include <stdint.h>

#define BAKE_VERSION 1
#define BAKE_MAGIC   "SINEWBAK"

typedef struct {
    uint32_t offset, size; // bytes
} bake_part;

typedef struct {
    char magic[8];
    uint32_t version;
    uint32_t size;   // of everything
    bake_part table; // JSON, for the page
    bake_part world; // sn_world_save
    bake_part calls; // blocks of: step, count (u32), count calls (live_call)
    bake_part rods;  // bake_rod
    bake_part moves; // sn_shape: those that move; their joints follow the rods'
    double step;     // s
    uint32_t substeps, steps;
    float gravity[3];
    uint32_t solver, iterations, sweeps;
} bake_header;

typedef struct {
    uint32_t slot1, gen;
    uint32_t shape;   // rods of the same shape share their joints at rest
    uint32_t skinned; // 0 or 1
    float position[3], turn[4];
} bake_rod;

#endif
