// A page: everything that a session needs in one block of bytes, so that it reads no scene files and computes no skins.
// docs/session-protocol.md has a diagram. Little-endian; offsets are from the start, in multiples of 8.
#ifndef SN_SESSION_PAGE_FORMAT_H
#define SN_SESSION_PAGE_FORMAT_H

#include <stdint.h>

#define PAGE_VERSION 4
#define PAGE_MAGIC   "SINEWBAK"

typedef struct {
    uint32_t offset, size; // bytes
} page_part;

typedef struct {
    char magic[8];
    uint32_t version;
    uint32_t size;        // of everything
    page_part table;      // JSON, for the page
    page_part world;      // sn_world_save
    page_part calls;      // blocks of: step, count (u32), count calls (scene_call)
    page_part rods;       // page_rod: rods, then chains, then muscles
    page_part moves;      // sn_body: rigid bodies that move; their joints follow those of rods
    page_part surfaces;   // page_surface: bodies that deform
    page_part places;     // points or places of their vertices
    page_part characters; // page_character
    page_part models;     // models of their skins, and the order of their bones
    double step;          // s
    uint32_t substeps, steps;
    float gravity[3];
    uint32_t solver, iterations, sweeps;
} page_header;

// The form of a page_rod.
enum { PAGE_PILLS, PAGE_SKIN, PAGE_CHAIN, PAGE_MUSCLE, PAGE_FORMS };

typedef struct {
    uint32_t slot1, gen; // of the rod, of a chain's body, of a muscle's bundle
    uint32_t form;
    uint32_t kind;  // of a rod or chain: row of the table in view_kinds.c
    uint32_t shape; // rods of the same shape share their joints at rest
    float position[3], rotation[4];
} page_rod;

// Kinds of surfaces that are not bodies of the world: the skin of a character, and a muscle under it.
enum { PAGE_OF_SKIN = 0x100, PAGE_OF_MUSCLE };

typedef struct {
    uint32_t kind, slot1, gen; // of the body, see sn_body; or the index of the character, and of its muscle
    uint32_t vertices;
    uint32_t embedded; // 1: vertices lie between four points (view_place); 0: each is a point (int32_t)
    uint32_t offset;   // of its list in `places`, a multiple of 4
} page_surface;

// The skinning of a character.
enum { PAGE_IMPLICIT, PAGE_DUAL, PAGE_LINEAR };

typedef struct {
    uint32_t slot1, gen;        // of its muscles
    uint32_t skin;              //
    uint32_t model, model_size; // in `models`, written by sn_implicit_model_save; copies share one
    uint32_t bones, bone_of;    // index in the model of each bone of the muscles (int32_t), in `models`
} page_character;

#endif
