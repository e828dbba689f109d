// The bytes of a baked elastic body (.elastic), little-endian:
//
//     8 bytes    "sinewEL\n"
//     u32        version, 1
//     u32        size of a number, 4: all numbers are floats, in a double-precision build too
//     u64        size of the file
//     u64        checksum of everything behind it
//     12 x i32   counts: vertices, tetrahedra, triangles, spheres, cones, slabs, handles, weights of vertices,
//                weights of spheres, anchored (1: the list is present), drawn points, drawn triangles
//     arrays     in the order of sn_elastic_asset (sinew/elastic.h); bytes are padded to a multiple of 4
//
// Equal bodies give equal bytes.
#ifndef SN_ASSETS_ELASTIC_FORMAT_H
#define SN_ASSETS_ELASTIC_FORMAT_H

#include "kinds/elastic/elastic_asset.h"

enum { SN_ELASTIC_HEAD_SIZE = 80 }; // up to the first array

// What is wrong with some bytes, and where.
typedef struct {
    size_t offset;
    char text[256];
    bool out_of_memory; // not a fault of the bytes
} sn_asset_error;

// Writes an asset. Returns the number of bytes; writes nothing if that exceeds `capacity` or `dst` is null.
size_t sn_elastic_asset_write(const sn_elastic_asset *asset, void *dst, size_t capacity);

// Reads an asset and checks it (sn_elastic_asset_check). Never allocates more than a small multiple of `size`. False:
// `error` says what is wrong, and the asset is empty.
bool sn_elastic_asset_read(const void *bytes, size_t size, sn_memory *memory, sn_elastic_asset *out,
                           sn_asset_error *error);

// Puts the right checksum into bytes that were changed, at least SN_ELASTIC_HEAD_SIZE of them.
void sn_elastic_asset_sign(void *bytes, size_t size);

#endif
