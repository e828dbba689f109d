// A cache of baked elastic bodies, in memory and in a folder, so that a body is baked only once. Files are called
// KEY.baked and hold the key, a hash of the inputs (elastic_bake_key).
#ifndef SN_SCENE_ELASTIC_CACHE_H
#define SN_SCENE_ELASTIC_CACHE_H

#include "bake/elastic_bake.h"

typedef struct elastic_cache elastic_cache;

// Where a body came from.
typedef enum { ELASTIC_FROM_MEMORY, ELASTIC_FROM_FILE, ELASTIC_BAKED } elastic_origin;

// Without a `folder` (null) nothing is written. The folder is created with the first file. A file that cannot be
// written is no error: the body is baked again next time. Null: out of memory.
elastic_cache *elastic_cache_new(const char *folder);
void elastic_cache_free(elastic_cache *cache); // with all bodies

// The body of a source and options; it belongs to the cache. The report (may be null) is empty unless the origin is
// ELASTIC_BAKED. Null: the error is set.
const sn_elastic_asset *elastic_cache_get(elastic_cache *cache, const elastic_source *source,
                                          const elastic_bake_options *options, elastic_origin *origin,
                                          elastic_report *report, tool_error *error);

// A body of the zoo by name ("cactus", see zoo/elastic_bodies.h). `change` (may be null) overrides the zoo's settings:
// numbers above 0, anchors if there are any, threads and progress always.
const sn_elastic_asset *elastic_cache_zoo(elastic_cache *cache, const char *name, const elastic_bake_options *change,
                                          elastic_origin *origin, elastic_report *report, tool_error *error);

#endif
