// Baked assets as bytes: what `sinew elastic` and the functions of sinew/tools/bake.h write, read without the tools.
//
// The library opens no files: read a file into memory by any means and pass the bytes. They may come from an untrusted
// source: a call returns a valid model or SN_ERR_FORMAT.
//
//     .elastic     an elastic body: sn_elastic_model_load, here
//     (any)        an implicit skin: sn_implicit_model_restore, in implicit_skin.h
//     .correctives pose-driven shapes of a character: sn_correctives_open, in corrective.h
//     .rig.json    a muscle of rods: JSON, read by sn_muscle_rig_read of the tools (sinew/tools/asset.h); without them,
//                  pass your own arrays to sn_rod_create and sn_bundle_create
#ifndef SINEW_ASSET_H
#define SINEW_ASSET_H

#include "elastic.h"

// Creates a model from the bytes of an `.elastic` file. The definition's asset is ignored. SN_ERR_FORMAT: the bytes are not
// such a file, or are damaged; a log line says what is wrong and at which offset. *out is then null.
SN_API sn_status sn_elastic_model_load(const sn_elastic_model_def *def, const void *bytes, size_t size,
                                       sn_elastic_model **out);

// Writes a model as the bytes of an `.elastic` file. Returns the number of bytes, 0 for null; writes nothing if that exceeds
// 'capacity' or 'dst' is null. Numbers are stored as floats, in a double-precision build too.
SN_API size_t sn_elastic_model_save(const sn_elastic_model *model, void *dst, size_t capacity);

#endif
