// Baked assets in files. Files are written under a temporary name and renamed when they are complete.
//
//     .elastic     elastic bodies: sn_elastic_model
//     .rig.json    muscles of rods with a skin: sn_muscle_rig
//     (any)        implicit skins: sn_implicit_model
#ifndef SINEW_TOOLS_ASSET_H
#define SINEW_TOOLS_ASSET_H

#include "../elastic.h"
#include "../implicit_skin.h"
#include "mesh.h"

// Reads an `.elastic` file. 'def' gives allocator and log; null: the defaults. SN_ERR_FORMAT: damaged, the error has the
// offset.
SN_API sn_status sn_elastic_model_read(const char *path, const sn_elastic_model_def *def, sn_elastic_model **out,
                                       sn_error *error);

// Writes an `.elastic` file.
SN_API sn_status sn_elastic_model_write(const sn_elastic_model *model, const char *path, sn_error *error);

// Reads an implicit skin. 'def' gives lanes, allocator and log; null: the defaults.
SN_API sn_status sn_implicit_model_read(const char *path, const sn_implicit_model_def *def, sn_implicit_model **out,
                                        sn_error *error);

// Writes an implicit skin.
SN_API sn_status sn_implicit_model_write(const sn_implicit_model *model, const char *path, sn_error *error);

// A muscle as rods: every rod has one point in every slice across the muscle, and a skin may follow the slices. Opaque
// and immutable.
typedef struct sn_muscle_rig sn_muscle_rig;

// Reads a `.rig.json` file, or such a text in memory under a name that errors begin with.
SN_API sn_status sn_muscle_rig_read(const char *path, sn_muscle_rig **out, sn_error *error);
SN_API sn_status sn_muscle_rig_parse(const char *name, const char *text, size_t size, sn_muscle_rig **out,
                                     sn_error *error);

// Writes a `.rig.json` file.
SN_API sn_status sn_muscle_rig_write(const sn_muscle_rig *rig, const char *path, sn_error *error);

// Frees a rig; null is fine.
SN_API void sn_muscle_rig_destroy(sn_muscle_rig *rig);

// Sizes; 0 for null.
SN_API int sn_muscle_rig_rod_count(const sn_muscle_rig *rig);
SN_API int sn_muscle_rig_slice_count(const sn_muscle_rig *rig);

// The points and radii of a rod, for sn_rod_create. They write at most 'capacity' elements and return how many there are,
// 0 if there is no such rod.
SN_API int sn_muscle_rig_get_points(const sn_muscle_rig *rig, int rod, sn_vec3 *out, int capacity); // m
SN_API int sn_muscle_rig_get_radii(const sn_muscle_rig *rig, int rod, sn_real *out, int capacity);  // m

// The skin at rest, valid as long as the rig; null: there is none.
SN_API const sn_mesh *sn_muscle_rig_skin(const sn_muscle_rig *rig);

#endif
