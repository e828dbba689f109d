// Baked elastic bodies in files (.elastic), little-endian:
//
//     8 bytes    "sinewEL\n"
//     u32        version, 1
//     u32        bytes of a number, 4: all numbers are floats, whatever the library is built for
//     u64        size of the file
//     u64        checksum of everything behind it
//     12 x i32   counts: vertices, tetrahedra, triangles, spheres, cones, slabs, handles, weights of vertices,
//                weights of spheres, anchored (1: the list is there), drawn points, drawn triangles
//     arrays     in the order of sn_elastic_asset (src/kinds/elastic/elastic_asset.h); bytes are padded to a multiple of 4
//
// The same body gives the same bytes.
#ifndef SN_FORMATS_ELASTIC_FILE_H
#define SN_FORMATS_ELASTIC_FILE_H

#include "formats/mesh_file.h"
#include "kinds/elastic/elastic_asset.h"

// Writes under the name when all of it is there. False: 'why' says why, with the file's name.
bool elastic_file_write(const char *name, const sn_elastic_asset *asset, char why[MESH_WHY_SIZE]);
// The same in memory, to be freed. Null: no memory, or more than fits.
unsigned char *elastic_file_bytes(const sn_elastic_asset *asset, size_t *size);
// Puts in the checksum of bytes that were changed, of at least 80: for tests of what a reader does with hostile files.
void elastic_file_sign(unsigned char *bytes, size_t size);

// False: nothing was read, 'why' is "file:offset N: error: ...". What was read is sound (sn_elastic_asset_check).
bool elastic_file_read(const char *name, sn_memory *memory, sn_elastic_asset *out, char why[MESH_WHY_SIZE]);
bool elastic_file_parse(const char *name, const void *bytes, size_t size, sn_memory *memory, sn_elastic_asset *out,
                        char why[MESH_WHY_SIZE]);

bool elastic_name_is_known(const char *name); // ends with .elastic

#endif
