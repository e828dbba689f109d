// A baked scene: everything that a run needs in one block of bytes, so that whoever runs it reads no scene files and
// computes no skins. docs/live-protocol.md draws it. Little-endian; offsets count from its start, in multiples of 8.
#ifndef SN_SESSION_PAGE_FORMAT_H
#define SN_SESSION_PAGE_FORMAT_H

#include <stdint.h>

#define BAKE_VERSION 4
#define BAKE_MAGIC   "SINEWBAK"

typedef struct {
    uint32_t offset, size; // bytes
} bake_part;

typedef struct {
    char magic[8];
    uint32_t version;
    uint32_t size;        // of everything
    bake_part table;      // JSON, for the page
    bake_part world;      // sn_world_save
    bake_part calls;      // blocks of: step, count (u32), count calls (scene_call)
    bake_part rods;       // bake_rod: rods, then chains, then muscles
    bake_part moves;      // sn_body: those that move; their joints follow the rods'
    bake_part surfaces;   // bake_surface: bodies that deform
    bake_part places;     // what their vertices are
    bake_part characters; // bake_character
    bake_part models;     // what their skins are made of, and the order of their bones
    double step;          // s
    uint32_t substeps, steps;
    float gravity[3];
    uint32_t solver, iterations, sweeps;
} bake_header;

// What a bake_rod is.
enum { BAKE_PILLS, BAKE_SKIN, BAKE_CHAIN, BAKE_MUSCLE, BAKE_FORMS };

typedef struct {
    uint32_t slot1, gen; // of the rod, of a chain's body, of a muscle's bundle
    uint32_t form;
    uint32_t kind;  // of a rod or chain: row of the table in view_kinds.c
    uint32_t shape; // rods of the same shape share their joints at rest
    float position[3], turn[4];
} bake_rod;

// Kinds of surfaces that are no bodies of the world: of a character's skin and of a muscle under it.
enum { BAKE_OF_SKIN = 0x100, BAKE_OF_MUSCLE };

typedef struct {
    uint32_t kind, slot1, gen; // of the body, see sn_body; or the number of the character, and of its muscle
    uint32_t vertices;
    uint32_t embedded; // 1: vertices lie between four points (view_place); 0: each is a point (int32_t)
    uint32_t offset;   // of its places in 'places', a multiple of 4
} bake_surface;

// How a skin follows its bones.
enum { BAKE_IMPLICIT, BAKE_DUAL, BAKE_LINEAR };

typedef struct {
    uint32_t slot1, gen;        // of its muscles
    uint32_t skin;              //
    uint32_t model, model_size; // in 'models', as sn_implicit_model_save writes it; copies share one
    uint32_t bones, bone_of;    // of each bone of the muscles its number in the model (int32_t), in 'models'
} bake_character;

#endif
